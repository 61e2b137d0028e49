//! Hostile clients, by the hundred: they hold a bounded amount of memory for a bounded time, and
//! other clients are served meanwhile. The tests show that others do not wait by servers that never
//! disconnect the hostile clients: response times would also depend on the load of the machine.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod answers;
mod bodies;
#[path = "../common/mod.rs"]
mod common;
mod connections;
mod running;
