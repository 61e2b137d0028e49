//! Fuzz targets for all code that reads untrusted bytes: requests from the network and files from a
//! disk. No bytes make it panic, and each target asserts its own invariants.
//!
//! `cargo xtask fuzz` runs the targets under libFuzzer, which looks for inputs that reach new code;
//! with `--keep` they are added to `corpus`. `cargo test` runs the corpora and random mutations of
//! them.

pub mod corpus;
mod editor;
mod engine;
pub mod escape;
mod growth;
mod signature;
mod targets;

pub use engine::{reset_engine, successes};

/// Tries one input, and panics on a finding.
pub type Target = fn(&[u8]);

/// All targets, by name.
pub const TARGETS: [(&str, Target); 10] = [
    ("body", targets::body),
    ("expression", targets::expression),
    ("partiql", targets::partiql),
    ("model", targets::model),
    ("editor", editor::editor),
    ("key", targets::key),
    ("item", targets::item),
    ("iterator", targets::iterator),
    ("signature", signature::signature),
    ("growth", growth::growth),
];

/// The target of a name.
pub fn target(name: &str) -> Option<Target> {
    TARGETS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, target)| *target)
}
