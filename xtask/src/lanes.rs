//! The Rust tests: built by cargo, then three test programs at a time.
//!
//! Cargo runs one test program after another. Many of them follow one chain of events or wait, and
//! leave a processor idle. What a program prints is shown when it has ended.

use crate::{cargo, execute, say};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Test programs that run at a time: one more than processors, because some of them wait for minutes.
const LANES: usize = 3;

/// A test program.
struct Program {
    /// Its package and its file, as cargo shows them.
    name: String,
    executable: PathBuf,
    /// The package's folder, in which cargo runs its tests.
    folder: PathBuf,
    /// Whether it has the tests of a library, whose documentation may have programs.
    is_library: bool,
}

/// Builds and runs the tests of the packages that `chosen` selects, as `cargo test` does, the programs
/// of the documentation last. A program that fails does not keep the others from running: a run shows
/// everything that is wrong.
///
/// # Errors
/// With the names of what failed.
pub(crate) fn run(root: &Path, chosen: &[&str]) -> Result<(), String> {
    let programs = build(root, chosen)?;
    let next = Mutex::new(programs.iter());
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(|| {
                loop {
                    // A statement of its own: a guard in the head of a loop is held through its body.
                    let program = locked(&next).next();
                    let Some(program) = program else { break };
                    if !passes(program) {
                        locked(&failed).push(program.name.clone());
                    }
                }
            });
        }
    });
    let mut failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut documents = cargo(root, &["test", "--doc", "--no-fail-fast"]);
    let has_library = programs.iter().any(|program| program.is_library);
    if has_library && execute(documents.args(chosen)).is_err() {
        failed.push("the programs of the documentation".to_owned());
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(format!("these failed: {}", failed.join(", ")))
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Builds all test programs, and what they start.
fn build(root: &Path, chosen: &[&str]) -> Result<Vec<Program>, String> {
    let arguments = [
        "test",
        "--no-run",
        "--message-format=json-render-diagnostics",
    ];
    let mut build = cargo(root, &arguments);
    let built = build
        .args(chosen)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    if !built.status.success() {
        return Err(format!("{build:?} ended with {}", built.status));
    }
    let programs: Vec<Program> = String::from_utf8_lossy(&built.stdout)
        .lines()
        .filter_map(program)
        .collect();
    if programs.is_empty() {
        return Err(format!("{build:?} named no test program"));
    }
    Ok(programs)
}

/// The test program that a line of cargo's report names, if it does.
fn program(line: &str) -> Option<Program> {
    let report: Value = serde_json::from_str(line).ok()?;
    let is_test = report["profile"]["test"] == true;
    let executable = PathBuf::from(report["executable"].as_str()?);
    let folder = Path::new(report["manifest_path"].as_str()?).parent()?;
    let source = Path::new(report["target"]["src_path"].as_str()?);
    let source = source.strip_prefix(folder).unwrap_or(source);
    let package = folder.file_name()?.to_str()?;
    is_test.then(|| Program {
        name: format!("{package}/{}", source.display()),
        executable,
        folder: folder.to_owned(),
        is_library: report["target"]["kind"][0] == "lib",
    })
}

/// Runs a program, and shows what it printed.
fn passes(program: &Program) -> bool {
    let started = Instant::now();
    let mut command = Command::new(&program.executable);
    let ended = command
        .current_dir(&program.folder)
        .env("CARGO_MANIFEST_DIR", &program.folder)
        .stdin(Stdio::null())
        .output();
    let name = &program.name;
    let Output {
        status,
        stdout,
        stderr,
    } = match ended {
        Ok(output) => output,
        Err(error) => {
            say(&format!("--- {name}: cannot be run: {error}"));
            return false;
        }
    };
    let printed = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let seconds = started.elapsed().as_secs_f64();
    let verdict = if status.success() { "passed" } else { "FAILED" };
    say(&format!(
        "--- {name}: {verdict} after {seconds:.1} s, {status}\n{}{}",
        printed[0].trim_start(),
        printed[1]
    ));
    status.success()
}
