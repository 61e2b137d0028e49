//! Fuzz targets: what reads bytes that strangers send or a disk gives back. Whatever the bytes are,
//! nothing panics, and what each target says must hold does.
//!
//! `cargo xtask fuzz` runs them under libFuzzer, which looks for inputs that reach new code, and
//! keeps those in `corpus`; `cargo test` runs the corpora, and random changes of them.

pub mod corpus;
pub mod escape;
mod growth;
mod places;
mod targets;

pub use places::{good_answers, start_anew};

/// Tries one input.
pub type Target = fn(&[u8]);

/// All targets, by name.
pub const TARGETS: [(&str, Target); 9] = [
    ("body", targets::body),
    ("expression", targets::expression),
    ("partiql", targets::partiql),
    ("model", targets::model),
    ("key", targets::key),
    ("item", targets::item),
    ("iterator", targets::iterator),
    ("signature", targets::signature),
    ("growth", growth::growth),
];

/// The target of a name.
pub fn target(name: &str) -> Option<Target> {
    TARGETS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, target)| *target)
}
