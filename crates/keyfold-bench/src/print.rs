//! Output: results on standard output, progress on the error stream.

use anstream::{eprintln, println};

/// Prints a result.
pub(crate) fn line(text: &str) {
    println!("{text}");
}

/// Prints progress, beside the results.
pub(crate) fn progress(text: &str) {
    eprintln!("{text}");
}
