//! Proof by execution: a model's patterns against the same questions in SQL.
//!
//! Lifelike related data is made from a seed and written twice: through the model's own writes into
//! an embedded engine, and as plain rows into SQLite. Every pattern is then asked with many
//! arguments, all pages, in both directions, and must answer what SQL answers, in as many requests
//! as promised. Random changes follow, and the same again; at the end every item of every table
//! must be one that follows from the rows, and every row must have all of its items.
//!
//! - [`generate`]: values that look alike at the edges: prefixes of each other, 9 beside 10, both
//!   cases.
//! - [`rows`]: the plain rows, in SQLite and beside it.
//! - [`ask`]: a pattern as SQL; [`compare`]: two answers.
//! - [`change`]: random writes; [`op`]: what one does to the rows, and through the model.
//! - [`expect`]: what must be stored for a row, by code that shares nothing with the client.
//! - [`leftover`]: what lies in the tables against that.
//! - [`together`]: two writers at once; [`pages`]: writes between the pages of an answer.
//! - [`shrink`]: the fewest writes after which something is wrong.

mod ask;
mod change;
mod compare;
mod expect;
mod generate;
mod leftover;
mod named;
mod op;
mod order;
mod pages;
mod report;
mod rows;
mod run;
mod shrink;
mod together;
mod world;

pub use report::{Failure, PatternReport, Phase, Progress, Report, Smallest};
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
