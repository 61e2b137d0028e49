//! The one command by which each README of `examples` opens its application: as it stands there, in a fresh clone.
//!
//! The clone has the programs in Rust that were built already, in the place where its command looks for them: what takes
//! minutes at the first time is not done again. All else the command does itself, from the build of its own `xtask` on.

use crate::alike::first_page;
use crate::answer::send;
use crate::builds::{BUILT, PROGRAMS};
use crate::elsewhere::Engine;
use crate::install::target;
use crate::running::open;
use serde_json::Value;
use std::io::{Error, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The beginning of the command.
const BEGINS: &str = "cargo xtask examples run ";

/// A clone whose commands are run as people type them.
pub(crate) struct Fresh {
    root: PathBuf,
    /// The repository that it is a clone of, which has the programs, and the packages of other engines.
    repository: PathBuf,
}

impl Fresh {
    /// Lays the programs that the repository has built into its clone.
    pub(crate) fn of(root: PathBuf, repository: &Path) -> Result<Fresh, String> {
        let failed = |error: Error| format!("cannot lay programs into {}: {error}", root.display());
        let debug = root.join("target").join("debug");
        std::fs::create_dir_all(&debug).map_err(failed)?;
        for program in PROGRAMS {
            let built = target(repository).join("debug").join(program);
            std::os::unix::fs::symlink(built, debug.join(program)).map_err(failed)?;
        }
        Ok(Fresh {
            root,
            repository: repository.to_owned(),
        })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The README's command, with more words behind it.
    fn command(&self, name: &str, words: &str) -> Result<Command, String> {
        let file = self.root.join("examples").join(name).join("README.md");
        let text = std::fs::read_to_string(&file)
            .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        let line = the_one_command(&text)?;
        let mut shell = Command::new("sh");
        // The shell becomes cargo, and cargo becomes the program, which so gets the signals.
        shell
            .args(["-c", &format!("exec {line}{words}")])
            .current_dir(&self.root)
            .env_remove("CARGO_TARGET_DIR")
            .env_remove("KEYFOLD_BIN")
            .env_remove("PORT")
            .env(BUILT, "in the clone")
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        Ok(shell)
    }

    /// Opens an application by its README's command.
    pub(crate) fn opens(&self, name: &str) -> Result<(), String> {
        self.opened(name, |command| command)
    }

    /// Opens an application by the same command and a connection string that names another engine, where its tables are
    /// then; and once more, on the tables that are there.
    pub(crate) fn opens_elsewhere(&self, name: &str) -> Result<(), String> {
        let engine = Engine::start(&self.repository)?;
        let engine = engine.in_turn(&self.repository)?;
        for _ in 0..2 {
            self.opened(name, |command| {
                engine
                    .named_to(command)
                    .env(variable(name), engine.connection())
            })
            .map_err(|why| format!("at another engine: {why}"))?;
        }
        let tables = tables(&engine)?;
        match tables.is_empty() {
            false => Ok(()),
            true => Err("it opens, and the engine that it was told of has no table".to_owned()),
        }
    }

    fn opened(
        &self,
        name: &str,
        told: impl FnOnce(&mut Command) -> &mut Command,
    ) -> Result<(), String> {
        let mut command = self.command(name, "")?;
        open(told(&mut command), |address| first_page(address).map(drop))
            .map_err(|why| format!("the command of its README: {why}"))
    }

    /// Runs an application that ends by itself by its README's command, with few rows, to its report.
    pub(crate) fn ends(&self, name: &str) -> Result<(), String> {
        let few = " --users 60 --products 20 --orders 120 --seconds 2";
        let mut running = self
            .command(name, few)?
            .spawn()
            .map_err(|error| format!("it cannot be started: {error}"))?;
        let mut said = String::new();
        let mut output = running.stdout.take().ok_or("it has no output")?;
        let read = output.read_to_string(&mut said).map(drop);
        let ended = read.and_then(|()| running.wait());
        let status = ended.map_err(|error| format!("it cannot be waited for: {error}"))?;
        let reports = self.root.join("examples").join(name).join("data/report");
        match status.success() && reports.join("report.html").exists() {
            true => Ok(()),
            false => Err(format!(
                "the command of its README ends with {status}, and no report: {said}"
            )),
        }
    }
}

/// The command in the blocks of a README that people type into a shell.
fn the_one_command(readme: &str) -> Result<&str, String> {
    let blocks = readme.split("```").skip(1).step_by(2);
    let lines = blocks.filter_map(|block| block.strip_prefix("sh\n"));
    let mut found = lines
        .flat_map(str::lines)
        .filter(|line| line.starts_with(BEGINS));
    match (found.next(), found.next()) {
        (Some(line), None) => Ok(line),
        (None, _) => Err(format!("its README has no command {BEGINS}NAME")),
        _ => Err(format!("its README has several commands {BEGINS}NAME")),
    }
}

/// The variable of an application's connection string.
fn variable(name: &str) -> String {
    let own = name.trim_start_matches("smart-").replace('-', "_");
    format!("{}_CONNECTION", own.to_uppercase())
}

/// The tables that an engine has.
fn tables(engine: &Engine) -> Result<Vec<Value>, String> {
    let connection = engine.connection();
    let host = connection.trim_start_matches("http://");
    let headers = [
        ("host", host),
        ("content-type", "application/x-amz-json-1.0"),
        ("x-amz-target", "DynamoDB_20120810.ListTables"),
        (
            "authorization",
            "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=00",
        ),
    ];
    let answer = send(host, "POST / HTTP/1.1", &headers, "{}")?;
    let told: Value = serde_json::from_str(&answer.body).unwrap_or_default();
    let names = told["TableNames"].as_array().cloned();
    names.ok_or_else(|| format!("the engine lists no tables: {}", answer.body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_the_one_line_of_its_kind_in_a_block_for_a_shell() {
        let line = "cargo xtask examples run santa";
        let readme = format!(
            "Say `{line}`.\n\n```sh\n{line}\n```\n\n```sh\nPORT=1 {line}\nnpm start\n```\n\n```js\n{line}\n```\n"
        );
        assert_eq!(the_one_command(&readme), Ok(line));
        assert!(the_one_command("`cargo xtask examples run santa`").is_err());
        assert!(the_one_command(&format!("```sh\n{line}\n{line}\n```")).is_err());
    }

    #[test]
    fn a_connection_has_the_name_of_its_application() {
        let names = ["santa", "smart-home", "from-postgres"].map(variable);
        assert_eq!(
            names,
            [
                "SANTA_CONNECTION",
                "HOME_CONNECTION",
                "FROM_POSTGRES_CONNECTION"
            ]
        );
    }
}
