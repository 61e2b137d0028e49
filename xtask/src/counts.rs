//! `cargo xtask counts`: how many instructions a request takes, from the bytes that came in to the
//! bytes that go out.
//!
//! Counted by valgrind, which counts the same on every machine of a kind; times are for benchmarks.
//! A change that makes the way longer is seen here before it is felt; one that makes it shorter
//! lowers its bound.

use crate::{cargo, execute, say};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Operation, where the table is, and how many thousand instructions a request may take.
const BOUNDS: [(&str, &str, f64); 7] = [
    ("get", "memory", 12.3),
    ("get", "disk", 13.9),
    ("query", "memory", 66.0),
    ("query", "disk", 86.0),
    ("put", "memory", 26.5),
    ("update", "memory", 42.0),
    ("transact", "memory", 93.0),
];
/// Requests of the shorter and the longer run, whose difference is counted.
const RUNS: (u64, u64) = (100, 600);
/// How often a count that is over its bound is taken.
const TRIES: u32 = 3;

pub(crate) fn run(root: &Path) -> Result<(), String> {
    execute(&mut cargo(
        root,
        &[
            "build",
            "--quiet",
            "--release",
            "--package",
            "keyfold-workload",
        ],
    ))?;
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let binary = target.join("release").join("keyfold-count");
    let mut over = Vec::new();
    for (operation, place, bound) in BOUNDS {
        let each = least(&binary, operation, place, bound)?;
        say(&format!(
            "{operation:8} {place:6}: {each:6.1} thousand instructions, {bound:6.1} at the most"
        ));
        if each > bound {
            over.push(format!(
                "{operation} in {place} takes {each:.1} thousand instructions, not {bound:.1}"
            ));
        }
    }
    if over.is_empty() {
        Ok(())
    } else {
        Err(over.join("; "))
    }
}

/// The thousand instructions of a request. Threads behind the requests flush and compact, and on a
/// machine that is busy some of their work falls into one of the two runs: a count that is over the
/// bound is taken again, and the least one is the request's own.
fn least(binary: &Path, operation: &str, place: &str, bound: f64) -> Result<f64, String> {
    let mut least = f64::INFINITY;
    for _ in 0..TRIES {
        let (few, many) = (
            count(binary, operation, place, RUNS.0)?,
            count(binary, operation, place, RUNS.1)?,
        );
        let each = many.saturating_sub(few) as f64 / (RUNS.1 - RUNS.0) as f64 / 1000.0;
        least = least.min(each);
        if least <= bound {
            break;
        }
    }
    Ok(least)
}

/// The instructions of a whole run.
fn count(binary: &Path, operation: &str, place: &str, times: u64) -> Result<u64, String> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    command.arg(binary).args([operation, &times.to_string()]);
    if place == "disk" {
        command.arg("--disk");
    }
    let output = command
        .output()
        .map_err(|error| format!("cannot run valgrind, which counts: {error}"))?;
    let report = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(report.into_owned());
    }
    let line = report.lines().find(|line| line.contains("Collected :"));
    let number = line.and_then(|line| line.rsplit(' ').next()?.parse().ok());
    number.ok_or_else(|| format!("valgrind reported no count: {report}"))
}
