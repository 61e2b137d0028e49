//! Gives each test a folder of its own, and runs the command inside it.
#![allow(
    clippy::unwrap_used,
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "shared by test files, each of which uses some of it"
)]

pub mod function;
pub mod server;
#[cfg(unix)]
pub mod terminal;

use serde_json::Value as Json;
use std::path::PathBuf;
use std::process::{Command, Output};

pub struct Workplace {
    pub folder: tempfile::TempDir,
}

impl Workplace {
    pub fn new() -> Workplace {
        Workplace {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub fn model(name: &str) -> String {
        let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "..", "models", name]
            .iter()
            .collect();
        path.display().to_string()
    }

    pub fn write(&self, name: &str, text: &str) -> String {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.run_with(&[], arguments)
    }

    /// Runs the command with these environment variables.
    pub fn run_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
        let mut command = self.command(arguments);
        command.envs(variables.iter().copied()).output().unwrap()
    }

    /// The command in the test's folder, without what the environment says of endpoints.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_keyfold"));
        command
            .current_dir(self.folder.path())
            .args(arguments)
            .env_remove("KEYFOLD_CREDENTIALS")
            .env_remove("AWS_ENDPOINT_URL")
            .env_remove("AWS_ENDPOINT_URL_DYNAMODB");
        command
    }

    /// Runs the command with `--json`; returns its result, or the document of a command that fails. Events
    /// before the document are left out.
    pub fn json(&self, code: i32, arguments: &[&str]) -> Json {
        let output = self.run(&[arguments, &["--json"]].concat());
        let (out, err) = (
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        );
        assert_eq!(
            output.status.code(),
            Some(code),
            "{arguments:?}\n{out}{err}"
        );
        let mut document: Json = serde_json::from_str(out.lines().last().unwrap_or_default())
            .unwrap_or_else(|_| panic!("no JSON: {out}{err}"));
        if code == 0 {
            document["result"].take()
        } else {
            document
        }
    }
}

impl Workplace {
    /// Runs a command that must succeed; returns its standard output.
    pub fn text(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let (out, err) = (
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        );
        assert!(output.status.success(), "{arguments:?}\n{out}{err}");
        out.into_owned()
    }

    /// The commands that the help lists.
    pub fn commands(&self) -> Vec<String> {
        self.subcommands(&[])
    }

    /// The commands that the help of a command lists.
    pub fn subcommands(&self, of: &[&str]) -> Vec<String> {
        let help = self.text(&[of, &["--help"]].concat());
        let lines = help.lines().skip_while(|line| *line != "Commands:");
        lines
            .skip(1)
            .take_while(|line| !line.is_empty())
            .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
            .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
            .filter(|name| name != "help")
            .collect()
    }
}
