//! An oracle, a checker of histories, and random workloads, for tests.
//!
//! - [`history`]: concurrent operations, checked for strict serializability.
//! - [`oracle`]: a table in the plainest Rust: a list of items and loops.
//! - [`workload`]: seeded random items and keys that reach edge cases: mixed case, shared prefixes,
//!   empty texts, `0xff`, numbers whose text order is not their order, missing index attributes.

pub mod history;
pub mod oracle;
pub mod workload;
