//! Common code of tests: an oracle, and random workloads that reach the corners.
//!
//! - [`oracle`]: a table in the plainest Rust there is: a list of items and loops.
//! - [`workload`]: seeded random items, keys and changes: mixed case, shared prefixes, empty texts,
//!   `0xff`, numbers whose text order is not their order, missing and wrong-typed index attributes.

pub mod oracle;
pub mod workload;
