//! What a comparison asks, and what it found.

use crate::ProveError;
use keyfold_client::ClientError;
use keyfold_relational::SourceError;
use std::time::Duration;

/// What a comparison asks.
#[derive(Debug, Clone)]
pub struct Options {
    /// The seed of what is left to chance.
    pub seed: u64,
    /// About so many rows of each entity give arguments in a pass; `None`: all, and all stored items.
    pub sample: Option<u64>,
    /// Passes are made for so long; `None`: one.
    pub lasts: Option<Duration>,
    /// How long a difference may last before it counts.
    pub lag: Duration,
    /// The most rows that may be in an answer.
    pub most: usize,
}

/// A question whose answers differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The pattern with its arguments.
    pub question: String,
    /// What differs, the first of it.
    pub what: Vec<String>,
}

/// What was found of a pattern.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LivePattern {
    /// Its name.
    pub name: String,
    /// Why it is not asked.
    pub why_not: Option<String>,
    /// The questions.
    pub asked: u64,
    /// Those whose answers were equal at once.
    pub equal: u64,
    /// Those whose answers were equal later.
    pub late: u64,
    /// Those whose answers differ.
    pub different: u64,
    /// Those that were not compared, because more rows can be in the answer than are read.
    pub too_large: u64,
    /// The first that differ.
    pub differences: Vec<Difference>,
}

/// Why a comparison ended early.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// The database cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The rows cannot be compared.
    #[error(transparent)]
    Prove(#[from] ProveError),
    /// The tables cannot be read.
    #[error(transparent)]
    Target(#[from] ClientError),
}
