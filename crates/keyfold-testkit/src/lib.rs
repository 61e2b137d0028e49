//! An oracle, a checker of histories, random workloads, and folders in memory, for tests.
//!
//! - [`folder`]: temporary folders in which a sync takes no time.
//! - [`history`]: concurrent operations, checked for strict serializability.
//! - [`oracle`]: a table in the plainest Rust: a list of items and loops.
//! - [`workload`]: seeded random items and keys that reach edge cases: mixed case, shared prefixes,
//!   empty texts, `0xff`, numbers whose text order is not their order, missing index attributes.

pub mod folder;
pub mod history;
pub mod oracle;
pub mod workload;
