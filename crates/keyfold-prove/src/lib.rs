//! Proof by execution: a model's patterns against the same questions in SQL.
//!
//! Lifelike related data is made from a seed and written twice: through the model's own writes into an
//! embedded engine, and as plain rows into SQLite. Every pattern is then asked with many arguments, all
//! pages, in both directions, and must answer what SQL answers, in as many requests as promised. Random
//! changes follow, and the same again; at the end every item of every table must be one that follows from
//! the rows, and every row must have all of its items.
//!
//! - [`generate`]: values that look alike at the edges: prefixes of each other, 9 beside 10, both cases.
//! - [`rows`]: the plain rows, in SQLite and beside it.
//! - [`ask`]: a pattern as SQL, and the comparison of two answers.
//! - [`change`]: random writes, and what they must do to the rows.
//! - [`leftover`]: what lies in the tables against what follows from the rows.

mod ask;
mod change;
mod compare;
mod generate;
mod leftover;
mod named;
mod report;
mod rows;
mod run;

pub use report::{Failure, PatternReport, Phase, Progress, Report};
pub use run::{Options, prove};

/// Why a proof could not be carried out: not a wrong answer, but none.
#[derive(Debug, thiserror::Error)]
pub enum ProveError {
    /// SQLite refused.
    #[error("SQLite: {0}")]
    Sql(#[from] rusqlite::Error),
    /// The engine could not be opened or refused what it must not.
    #[error("{0}")]
    Client(#[from] keyfold_client::ClientError),
    /// The engine could not be opened.
    #[error("the engine: {0}")]
    Engine(String),
}
