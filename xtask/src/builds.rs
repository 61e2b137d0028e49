//! Builds that somebody waits for: cargo's own progress on a terminal, a line a minute elsewhere.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How often a build without a terminal says that it goes on.
const EACH: Duration = Duration::from_secs(60);

/// Builds a package of the workspace.
pub(crate) fn build(workspace: &Path, package: &str) -> Result<(), String> {
    let mut cargo = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
    cargo
        .current_dir(workspace)
        .args(["build", "--package", package]);
    if std::io::stderr().is_terminal() {
        return crate::execute(&mut cargo);
    }
    cargo.arg("--quiet").stdin(Stdio::null());
    let began = Instant::now();
    let failed = |error: std::io::Error| format!("cannot build {package}: {error}");
    let child = cargo.spawn().map_err(failed)?;
    watched(child, EACH, || {
        let minutes = began.elapsed().as_secs() / 60;
        let line = format!("still building {package}: {minutes} min");
        // A build goes on where nobody reads this.
        writeln!(std::io::stderr(), "{line}").unwrap_or_default();
    })
    .map_err(|why| format!("cannot build {package}: {why}"))
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
