//! The corpora: inputs in files, one a line. Some are written by hand, one for each thing that the
//! target should reach; the fuzzer found the others, which reach something new.

use crate::escape::unescape;
use std::path::PathBuf;

/// The files of a target's inputs: those written by hand, and those found by the fuzzer.
fn files(target: &str) -> [PathBuf; 2] {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus");
    [
        folder.join(format!("{target}.txt")),
        folder.join(format!("{target}.found.txt")),
    ]
}

/// The inputs of a target that were written by hand.
pub fn written(target: &str) -> Vec<Vec<u8>> {
    read(&files(target)[0])
}

/// All inputs of a target.
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
