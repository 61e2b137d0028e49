//! The generated clients of all models of the repository: that this crate compiles without a warning
//! is a test. `build.rs` makes the modules.

include!(concat!(env!("OUT_DIR"), "/all.rs"));
