//! Proof by execution: a model's patterns against the same questions in SQL.
//!
//! A proof makes related data from a seed and writes it twice: through the model's own writes into
//! an embedded engine, and as plain rows into SQLite. It then asks every pattern with many
//! arguments, in pages and in both directions. Each answer must equal SQL's, in as many requests as
//! the plan promises. Random changes follow, and the patterns are asked again. At the end every
//! stored item must follow from the rows, and every row must have all of its items.
//!
//! - [`generate`]: values at the edges: prefixes of each other, 9 beside 10, both cases.
//! - [`wishes`], [`fulfil`]: rows for which the conditions of the model hold; [`seen`]: what never held;
//!   [`changes`]: rows that are inserted, replaced and kept.
//! - [`rows`]: the plain rows, in SQLite and beside it; [`sql_value`]: their values there;
//!   [`row_write`]: writes of one row; [`kept`]: counts, sums and maxima of rows.
//! - [`ask`]: a pattern as SQL; [`compare`]: the comparison of two answers.
//! - [`change`]: random writes; [`op`]: the execution of one on the rows and through the model;
//!   [`named`]: the same of named writes.
//! - [`expect`]: the items that must be stored for a row, by code that shares nothing with the
//!   client; [`leftover`]: the comparison of the stored items with them.
//! - [`together`]: two writers at once; [`pages`]: writes between the pages of an answer.
//! - [`own_tables`]: tables at an endpoint that has others.
//! - [`shrink`]: the fewest writes after which a failure shows.
//! - [`subject`]: the client that is driven: ours, or one in another language in a process.
//! - [`views`]: the rows of views, by SQL's GROUP BY; [`upkeep`]: the workers that keep them.
//! - [`live`]: a design in use beside the relational database that it comes from.
//! - [`run`]: the phases of a proof; [`world`]: the engine and the rows.

mod ask;
mod calls;
mod change;
mod changes;
mod compare;
mod condition;
mod expect;
mod fulfil;
mod generate;
mod kept;
mod leftover;
pub mod live;
mod many;
mod named;
mod op;
mod order;
mod own_tables;
mod pages;
mod path;
mod report;
mod row_write;
mod rows;
mod run;
mod seen;
mod show;
mod shrink;
mod sql_value;
mod subject;
mod together;
mod together_read;
mod transaction;
mod upkeep;
mod verdict;
mod views;
mod wishes;
mod world;

pub use calls::Calls;
pub use report::{
    Failure, Never, NeverKind, PatternReport, Phase, Progress, Report, Smallest, Watch,
};
pub use run::{Options, prove, prove_at, prove_through};
pub use subject::{Record, Subject, Through};

/// The error of a proof that could not be executed. Wrong answers are in its report.
#[derive(Debug, thiserror::Error)]
pub enum ProveError {
    /// SQLite refused.
    #[error("SQLite: {0}")]
    Sql(#[from] rusqlite::Error),
    /// The engine refused a request that it must accept.
    #[error("{0}")]
    Client(#[from] keyfold_client::ClientError),
    /// The engine could not be opened.
    #[error("the engine: {0}")]
    Engine(String),
    /// Whoever watches it has stopped it.
    #[error("the proof was stopped, and says nothing of the model")]
    Stopped,
}
