//! The requests of benchmarks and of counted instructions: operations over the same data for every
//! server, and the engine inside a program that takes them.
//!
//! A crate of its own, so that `cargo xtask counts` builds the engine alone, and none of the
//! alternatives that `keyfold-bench` measures beside it. Nothing here measures.

mod embedded;
pub mod request;
pub mod workload;

pub use embedded::{Failed, ask, filled};
