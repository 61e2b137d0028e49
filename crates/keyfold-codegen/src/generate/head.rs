//! The sentence by which a generated file is known.

/// The line in the head of each generated file that asks nobody to change it.
pub const OVERWRITTEN: &str =
    "Changes here are lost: change the model, and run `keyfold generate`.";

/// The first lines of a file in which its head is; a program may have put a licence above.
const HEAD_LINES: usize = 40;

/// Whether a text is that of a generated file, by its head.
pub fn is_generated(text: &str) -> bool {
    let mut head = text.lines().take(HEAD_LINES);
    head.any(|line| line.trim_start_matches(['/', ' ']).trim_end() == OVERWRITTEN)
}
