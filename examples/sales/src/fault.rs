//! Faults of the database and of the legacy system.

use examples_web::Problem;
use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;

/// Why something could not be done.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The database.
    #[error("{0}")]
    Database(#[from] keyfold::Error),
    /// The legacy system, with the causes.
    #[error("the legacy system: {0}")]
    Legacy(String),
    /// The views were not up to date in time.
    #[error("{0}")]
    Late(String),
}

impl From<tokio_postgres::Error> for Fault {
    fn from(error: tokio_postgres::Error) -> Fault {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            // A text takes what is written.
            write!(text, ": {error}").unwrap_or_default();
            cause = error.source();
        }
        Fault::Legacy(text)
    }
}

/// A fault as people and programs hear of it. The cause of one that is no request's is written to the
/// log.
impl From<Fault> for Problem {
    fn from(fault: Fault) -> Problem {
        let said = fault.to_string();
        let problem = match fault {
            Fault::Database(error) => return Problem::from(error),
            Fault::Legacy(_) => Problem::unavailable(
                "legacy_unavailable",
                "The legacy system does not answer as it should. Nothing was changed: its log, and \
                 that of this program, say why.",
            ),
            Fault::Late(why) => Problem::unavailable("late", why),
        };
        // Where there is no log, nobody can be asked for it.
        writeln!(std::io::stderr(), "{said}").unwrap_or_default();
        problem
    }
}
