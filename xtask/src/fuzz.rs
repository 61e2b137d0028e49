//! `cargo xtask fuzz`: the fuzz targets under libFuzzer, two at a time.
//!
//! The stable toolchain instruments the code; a C++ compiler builds libFuzzer. Each target starts
//! with its corpus and what earlier runs on this machine found. A finding fails the run, and its
//! input is shown as a line for the corpus.

use crate::{cargo, execute, say};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// What makes the compiler count the branches taken, as libFuzzer reads it.
const INSTRUMENTED: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Clink-dead-code -Ccodegen-units=16";
/// Targets that run at a time.
const LANES: usize = 2;
/// Seconds of each target unless `KEYFOLD_FUZZ_SECONDS` says otherwise.
const SECONDS: u64 = 5;
/// The chance of a run in CI, so that a run that failed can be repeated. Other runs draw their own.
const SEED_IN_CI: u32 = 1;

struct Fuzzing {
    name: String,
    child: Child,
    log: PathBuf,
}

/// Arguments behind `fuzz`: names of targets (all, if none), and `--keep` to write what was found
/// into the corpora.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let given: Vec<String> = std::env::args().skip(2).collect();
    let keeps = given.iter().any(|argument| argument == "--keep");
    let wanted: Vec<&String> = given
        .iter()
        .filter(|argument| *argument != "--keep")
        .collect();
    let seconds = std::env::var("KEYFOLD_FUZZ_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(SECONDS);
    let folder = root.join("target").join("fuzz");
    let binary = build(root, &folder)?;
    let mut targets: Vec<String> = corpora(root)?;
    if let Some(unknown) = wanted.iter().find(|name| !targets.contains(name)) {
        return Err(format!(
            "no target is called {unknown}; there are {}",
            targets.join(", ")
        ));
    }
    targets.retain(|name| wanted.is_empty() || wanted.contains(&name));
    let mut faults = Vec::new();
    for lane in targets.chunks(LANES) {
        let started: Vec<Fuzzing> = lane
            .iter()
            .map(|name| start(root, &folder, &binary, name, seconds))
            .collect::<Result<_, _>>()?;
        for fuzzing in started {
            faults.extend(finish(&folder, fuzzing).unwrap_or_else(Some));
        }
    }
    if keeps && faults.is_empty() {
        for name in &targets {
            keep(root, &folder, &binary, name)?;
        }
    }
    if faults.is_empty() {
        Ok(())
    } else {
        Err(faults.join("\n"))
    }
}

fn build(root: &Path, folder: &Path) -> Result<PathBuf, String> {
    let host = Command::new("rustc")
        .args(["--print", "host-tuple"])
        .output()
        .map_err(|error| error.to_string())?;
    let host = String::from_utf8_lossy(&host.stdout).trim().to_owned();
    // With a target named, the flags are not for build scripts.
    let arguments = [
        "build",
        "--quiet",
        "--profile",
        "fuzz",
        "--package",
        "keyfold-fuzz",
        "--features",
        "libfuzzer",
    ];
    let mut command = cargo(root, &arguments);
    command
        .args(["--target", &host, "--target-dir"])
        .arg(folder);
    execute(command.env("RUSTFLAGS", INSTRUMENTED))?;
    Ok(folder.join(host).join("fuzz").join("keyfold-fuzz"))
}

/// What was written by hand, and what was found.
fn corpus_files(root: &Path, name: &str) -> [PathBuf; 2] {
    let folder = root.join("crates/keyfold-fuzz/corpus");
    [
        folder.join(format!("{name}.txt")),
        folder.join(format!("{name}.found.txt")),
    ]
}

/// The names of all targets: each has a corpus.
fn corpora(root: &Path) -> Result<Vec<String>, String> {
    let entries = std::fs::read_dir(root.join("crates/keyfold-fuzz/corpus"))
        .map_err(|error| error.to_string())?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.path().file_stem()?.to_str().map(str::to_owned))
        .filter(|name| !name.ends_with(".found"))
        .collect();
    names.sort();
    Ok(names)
}

/// Lays a corpus out as libFuzzer wants it: a file for each input.
fn lay_out(root: &Path, folder: &Path, name: &str) -> Result<PathBuf, String> {
    let inputs = folder.join("inputs").join(name);
    std::fs::create_dir_all(&inputs).map_err(|error| error.to_string())?;
    for file in corpus_files(root, name) {
        unpack(&file, &inputs)?;
    }
    Ok(inputs)
}

/// Writes the inputs of a corpus' file into a folder, if there is the file.
fn unpack(file: &Path, folder: &Path) -> Result<(), String> {
    let kind = file
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default();
    let text = std::fs::read_to_string(file).unwrap_or_default();
    for (at, line) in text.lines().filter(|line| !line.is_empty()).enumerate() {
        std::fs::write(folder.join(format!("{kind}-{at}")), escape::unescape(line))
            .map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn start(
    root: &Path,
    folder: &Path,
    binary: &Path,
    name: &str,
    seconds: u64,
) -> Result<Fuzzing, String> {
    let inputs = lay_out(root, folder, name)?;
    let artifacts = folder.join("findings").join(name);
    if artifacts.exists() {
        std::fs::remove_dir_all(&artifacts).map_err(|error| error.to_string())?;
    }
    std::fs::create_dir_all(&artifacts).map_err(|error| error.to_string())?;
    let log = folder.join(format!("{name}.log"));
    let file = std::fs::File::create(&log).map_err(|error| error.to_string())?;
    let mut command = Command::new(binary);
    command
        .env("KEYFOLD_FUZZ_TARGET", name)
        .env("RUST_BACKTRACE", "1")
        .arg(format!("-max_total_time={seconds}"))
        .args([
            "-timeout=20",
            "-rss_limit_mb=2048",
            "-max_len=8192",
            "-print_final_stats=1",
        ])
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .args(std::env::var_os("CI").map(|_| format!("-seed={SEED_IN_CI}")))
        .arg(inputs)
        .stdout(Stdio::null())
        .stderr(file);
    let child = command
        .spawn()
        .map_err(|error| format!("cannot run {}: {error}", binary.display()))?;
    Ok(Fuzzing {
        name: name.to_owned(),
        child,
        log,
    })
}

/// Waits for a target; what it found, if it did.
fn finish(folder: &Path, mut fuzzing: Fuzzing) -> Result<Option<String>, String> {
    let status = fuzzing.child.wait().map_err(|error| error.to_string())?;
    let log = std::fs::read(&fuzzing.log).map_err(|error| error.to_string())?;
    let log = String::from_utf8_lossy(&log);
    let number = |what: &str| {
        let line = log.lines().find(|line| line.starts_with(what));
        line.and_then(|line| line.split_whitespace().last())
            .unwrap_or("?")
            .to_owned()
    };
    let name = &fuzzing.name;
    say(&format!(
        "{name}: {} inputs, {} new",
        number("stat::number_of_executed_units"),
        number("stat::new_units_added")
    ));
    if status.success() {
        return Ok(None);
    }
    let why = log
        .lines()
        .find(|line| line.contains("panicked at") || line.contains("ERROR: libFuzzer"));
    let why = why.unwrap_or("it ended with an error").to_owned();
    let told = log
        .lines()
        .skip_while(|line| !line.contains("panicked at"))
        .nth(1)
        .unwrap_or_default();
    let finding = newest(&folder.join("findings").join(name));
    let input = finding
        .and_then(|path| std::fs::read(path).ok())
        .map(|input| input.escape_ascii().to_string());
    let input = input.unwrap_or_default();
    Ok(Some(format!(
        "{name}: {why} {told}\n  the input, as a line of corpus/{name}.txt: {input}"
    )))
}

fn newest(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.filter_map(Result::ok);
    entries
        .max_by_key(|entry| {
            entry
                .metadata()
                .and_then(|metadata| metadata.modified())
                .ok()
        })
        .map(|entry| entry.path())
}

/// Writes the fewest inputs that reach what those written by hand do not into the corpus.
fn keep(root: &Path, folder: &Path, binary: &Path, name: &str) -> Result<(), String> {
    let few = folder.join("few").join(name);
    if few.exists() {
        std::fs::remove_dir_all(&few).map_err(|error| error.to_string())?;
    }
    std::fs::create_dir_all(&few).map_err(|error| error.to_string())?;
    let [written, found] = corpus_files(root, name);
    unpack(&written, &few)?;
    let mut merge = Command::new(binary);
    merge
        .env("KEYFOLD_FUZZ_TARGET", name)
        .args(["-merge=1", "-max_len=2048"]);
    merge.arg(&few).arg(folder.join("inputs").join(name));
    execute(merge.stdout(Stdio::null()).stderr(Stdio::null()))?;
    let by_hand = format!("{name}-");
    let mut lines = Vec::new();
    for entry in std::fs::read_dir(&few)
        .map_err(|error| error.to_string())?
        .filter_map(Result::ok)
    {
        if !entry.file_name().to_string_lossy().starts_with(&by_hand) {
            let input = std::fs::read(entry.path()).map_err(|error| error.to_string())?;
            lines.push(escape::escape(&input));
        }
    }
    lines.retain(|line| !line.is_empty());
    lines.sort_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
    // Of all lengths alike: short ones say most for their length, but long ones reach furthest.
    let step = lines.len().div_ceil(INPUTS_KEPT).max(1);
    let mut lines: Vec<String> = lines.into_iter().step_by(step).collect();
    lines.sort();
    let count = lines.len();
    std::fs::write(found, lines.join("\n") + "\n").map_err(|error| error.to_string())?;
    say(&format!("{name}: {count} inputs kept"));
    Ok(())
}

/// Inputs that are kept of what was found.
const INPUTS_KEPT: usize = 300;

#[expect(unreachable_pub, reason = "public where it is part of a library")]
#[path = "../../crates/keyfold-fuzz/src/escape.rs"]
mod escape;
