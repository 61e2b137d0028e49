//! The Rust tests: built by cargo, then three test programs at a time.
//!
//! Cargo runs one test program after another. Many of them follow one chain of events or wait, and
//! leave a processor idle. What a program prints is shown when it has ended.

use crate::install::target;
use crate::{cargo, execute, say, why};
use serde_json::Value;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Test programs that run at a time: one more than processors, because some of them wait for minutes.
const LANES: usize = 3;

/// The time after which a program is taken to hang in CI, and is ended: the longest takes a third of it. By hand,
/// people ask for longer runs.
const HANGS_AFTER: Duration = Duration::from_secs(20 * 60);

/// How often a running program is looked at.
const LOOKS_EACH: Duration = Duration::from_millis(50);

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
/// With the names of what failed, and why.
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
                    if let Err(why) = passes(root, program) {
                        locked(&failed).push((program.name.clone(), why));
                    }
                }
            });
        }
    });
    let mut failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut documents = cargo(root, &["test", "--doc", "--no-fail-fast"]);
    let has_library = programs.iter().any(|program| program.is_library);
    if has_library && let Err(why) = execute(documents.args(chosen)) {
        failed.push(("the programs of the documentation".to_owned(), why));
    }
    if failed.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = failed.iter().map(|(name, _)| name.as_str()).collect();
    let told = failed.iter().map(|(name, why)| format!("{name}: {why}"));
    let told: Vec<String> = told.collect();
    let (names, told) = (names.join(", "), told.join("\n"));
    Err(format!("these failed: {names}\n{told}"))
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
///
/// # Errors
/// With what it told of its failures.
fn passes(root: &Path, program: &Program) -> Result<(), String> {
    let name = &program.name;
    let started = Instant::now();
    let log = target(root).join(format!("{}.log", name.replace('/', "-")));
    let ended = ended(program, &log);
    // If there is no file, `ended` holds the reason.
    let printed = std::fs::read(&log).unwrap_or_default();
    let printed = String::from_utf8_lossy(&printed);
    let seconds = started.elapsed().as_secs_f64();
    let (verdict, why) = match &ended {
        Ok(status) if status.success() => ("passed", status.to_string()),
        Ok(status) => ("FAILED", status.to_string()),
        Err(why) => ("FAILED", why.clone()),
    };
    say(&format!(
        "--- {name}: {verdict} after {seconds:.1} s, {why}\n{}",
        printed.trim_start()
    ));
    match verdict {
        "passed" => Ok(()),
        _ => Err(format!("{why}\n{}", why::of(&printed))),
    }
}

/// Runs a program until it ends. It prints into a file, and not into a pipe: a process that it has started, and that
/// outlives it, would keep a pipe open.
fn ended(program: &Program, log: &Path) -> Result<ExitStatus, String> {
    let failed = |error: std::io::Error| format!("cannot be run: {error}");
    let output = File::create(log).map_err(failed)?;
    let errors = output.try_clone().map_err(failed)?;
    let mut child = Command::new(&program.executable)
        .current_dir(&program.folder)
        .env("CARGO_MANIFEST_DIR", &program.folder)
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(errors)
        .spawn()
        .map_err(failed)?;
    let until = Instant::now() + HANGS_AFTER;
    let is_limited = std::env::var_os("CI").is_some();
    while !is_limited || Instant::now() < until {
        if let Some(status) = child.try_wait().map_err(failed)? {
            return Ok(status);
        }
        std::thread::sleep(LOOKS_EACH);
    }
    child.kill().and_then(|()| child.wait()).map_err(failed)?;
    let minutes = HANGS_AFTER.as_secs() / 60;
    Err(format!("ended by force after {minutes} min"))
}
