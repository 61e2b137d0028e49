//! File calls that fail on demand, and what a machine that ends leaves of them.
//!
//! A test that links this crate has its calls of the C library's `write`, `fsync`, `rename` ...
//! taken here first. A [`Machine`] watches a folder: it counts what is asked of it, fails the nth
//! call, and knows what was synced, names and contents apart. So code that does its own file work,
//! the storage engine's above all, meets what a failing device and a machine that ends would do to
//! it.
//!
//! 64-bit Linux with glibc only; for tests only, and the only crate with `unsafe` code. Not seen:
//! calls that go past the C library (the one `rename` of the `tempfile` crate), folders that are
//! opened to be removed whole, files mapped into memory.
#![cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]

mod calls;
mod machine;
mod remains;

pub use machine::{Fault, Machine};
pub use remains::Tail;
