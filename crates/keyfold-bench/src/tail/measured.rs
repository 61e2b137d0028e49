//! What is measured of one load on one server.

use super::arrivals::{Answers, Arrivals};
use super::marks::Mark;
use crate::program::Program;
use keyfold_workload::workload::Operation;

/// The measurement of one load on one server.
pub(super) struct Tail {
    pub(super) server: String,
    pub(super) program: Program,
    pub(super) operation: Operation,
    pub(super) arrivals: Arrivals,
    pub(super) connections: u64,
    pub(super) answers: Answers,
    /// Flushes and compactions meanwhile.
    pub(super) marks: Vec<Mark>,
    /// Bytes that the server gave to the device for each byte of the items that it wrote.
    pub(super) amplification: Option<f64>,
}
