//! Builds that somebody waits for: cargo's own progress on a terminal, a line a minute elsewhere.
//!
//! Cargo unites the features that the selected packages want of a dependency. `--package` selects one, and most of
//! the product is built once more for it, with other features of `serde` and `tokio` than the tests have. So
//! programs are built as the tests are: of the whole workspace, with an example, for which cargo takes in what tests
//! depend on.

use serde_json::Value;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How often a build without a terminal says that it goes on.
const SAYS_EACH: Duration = Duration::from_secs(60);

/// The variable by which steps that run beside each other know that everything is built, and where the test program is
/// that proves random models. They build nothing, and wait for nobody who does.
pub(crate) const BUILT: &str = "KEYFOLD_BUILT_RANDOM_MODELS";

/// The programs that are tested, or take part in tests.
pub(crate) const PROGRAMS: [&str; 5] = ["keyfold", "alleycat", "freight", "sales", "smart-home"];

/// The program that makes calls for tests of the clients. It is named in each build, as cargo takes in what tests depend
/// on for an example.
const CALLS: [&str; 2] = ["--example", "calls"];

/// Whether everything is built already.
pub(crate) fn is_everything_built() -> bool {
    std::env::var_os(BUILT).is_some()
}

/// Builds a program of the workspace.
pub(crate) fn build(workspace: &Path, program: &str) -> Result<(), String> {
    match is_everything_built() {
        true => Ok(()),
        false => built(workspace, &[program]),
    }
}

/// Builds all programs, and the test that proves random models: where it is.
pub(crate) fn all(workspace: &Path) -> Result<PathBuf, String> {
    built(workspace, &PROGRAMS)?;
    random_models(workspace)
}

/// The test program that proves random models.
pub(crate) fn random_models(workspace: &Path) -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os(BUILT) {
        return Ok(PathBuf::from(path));
    }
    let name = "random_models";
    let mut build = crate::cargo(workspace, &["test", "--no-run", "--workspace", "--test"]);
    build.args([name, "--message-format=json-render-diagnostics"]);
    let failed = |why: String| format!("cannot build {name}: {why}");
    let built = build
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| failed(error.to_string()))?;
    if !built.status.success() {
        return Err(failed(built.status.to_string()));
    }
    let reports = String::from_utf8_lossy(&built.stdout);
    let mut programs = reports.lines().filter_map(|line| {
        let report: Value = serde_json::from_str(line).ok()?;
        let is_it = report["target"]["name"] == name;
        Some(PathBuf::from(report["executable"].as_str()?)).filter(|_| is_it)
    });
    let program = programs.next();
    program.ok_or_else(|| failed("cargo named no program".to_owned()))
}

fn built(workspace: &Path, programs: &[&str]) -> Result<(), String> {
    let mut cargo = crate::cargo(workspace, &["build", "--workspace"]);
    cargo.args(CALLS);
    for program in programs {
        cargo.args(["--bin", program]);
    }
    if std::io::stderr().is_terminal() {
        return crate::execute(&mut cargo);
    }
    cargo.arg("--quiet").stdin(Stdio::null());
    let began = Instant::now();
    let names = programs.join(", ");
    let failed = |error: std::io::Error| format!("cannot build {names}: {error}");
    let child = cargo.spawn().map_err(failed)?;
    watched(child, SAYS_EACH, || {
        let minutes = began.elapsed().as_secs() / 60;
        let line = format!("still building {names}: {minutes} min");
        // A build goes on where nobody reads this.
        writeln!(std::io::stderr(), "{line}").unwrap_or_default();
    })
    .map_err(|why| format!("cannot build {names}: {why}"))
}

/// Waits for a program, and says at each step that it runs.
fn watched(mut child: Child, each: Duration, mut say: impl FnMut()) -> Result<(), String> {
    let (sender, ended) = channel();
    let waiter = std::thread::spawn(move || {
        // Whoever waits hears it, too, where this thread ends without a word.
        sender.send(child.wait()).unwrap_or_default();
    });
    let status = loop {
        match ended.recv_timeout(each) {
            Ok(status) => break status.map_err(|error| error.to_string())?,
            Err(RecvTimeoutError::Timeout) => say(),
            Err(RecvTimeoutError::Disconnected) => return Err("it was lost".to_owned()),
        }
    };
    waiter.join().map_err(|_| "it was lost")?;
    match status.success() {
        true => Ok(()),
        false => Err(status.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::watched;
    use std::process::Command;
    use std::time::Duration;

    #[test]
    fn a_program_that_runs_long_is_heard_of_until_it_ends() {
        let shell = |line: &str| Command::new("sh").args(["-c", line]).spawn().unwrap();
        let mut said = 0;
        let each = Duration::from_millis(20);
        let ended = watched(shell("sleep 1"), each, || said += 1);
        assert_eq!(ended, Ok(()));
        assert!(said > 0);
        assert!(watched(shell("exit 3"), each, || ()).is_err());
    }
}
