//! File calls that fail on demand, and the files that a crash leaves; for tests only.
//!
//! This crate intercepts a test's calls of the C library's `write`, `fsync`, `rename` ... A
//! [`Machine`] watches a folder: it counts the calls, lets the nth one fail, and tracks which names
//! and contents are synced. So code that does its own file work, the storage engine's above all,
//! can be tested against a failing device and a crashing machine. [`comparisons_of`] counts a
//! thread's calls of `memcmp`: a test of how work grows needs no clock.
//!
//! It works on 64-bit Linux with glibc, and is the only crate with `unsafe` code. It does not
//! intercept calls that bypass the C library (the one `rename` of the `tempfile` crate), removals of
//! a folder with its content, and files mapped into memory.
#![cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]

mod bypass;
mod calls;
mod comparisons;
mod crash;
mod machine;
mod synced;
mod watched;

pub use comparisons::comparisons_of;
pub use crash::Tail;
pub use machine::Machine;
pub use watched::Fault;
