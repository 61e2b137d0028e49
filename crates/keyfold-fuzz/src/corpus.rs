//! Inputs that are kept, one a line: those that were written by hand, one for each thing that
//! should be reached, and those that the fuzzer found to reach something new.

use crate::escape::unescape;
use std::path::PathBuf;

/// Where a target's inputs are kept.
pub fn files(target: &str) -> [PathBuf; 2] {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus");
    [
        folder.join(format!("{target}.txt")),
        folder.join(format!("{target}.found.txt")),
    ]
}

/// A target's inputs that were written by hand.
pub fn written(target: &str) -> Vec<Vec<u8>> {
    read(&files(target)[0])
}

/// A target's inputs.
pub fn of(target: &str) -> Vec<Vec<u8>> {
    files(target).iter().flat_map(read).collect()
}

fn read(file: &PathBuf) -> Vec<Vec<u8>> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines()
        .filter(|line| !line.is_empty())
        .map(unescape)
        .collect()
}
