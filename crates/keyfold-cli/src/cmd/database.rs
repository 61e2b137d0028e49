//! Relational databases by their names.

use crate::failure::Failure;
use keyfold_relational::mariadb::Mariadb;
use keyfold_relational::postgres::Postgres;
use keyfold_relational::sqlite::Sqlite;
use keyfold_relational::{Describe, SourceError};
use std::path::Path;

/// Opens a database.
pub(super) fn open(name: &str) -> Result<Box<dyn Describe + Send>, Failure> {
    if let Some(file) = name.strip_prefix("sqlite:") {
        let opened = Sqlite::open(Path::new(file));
        return Ok(Box::new(opened.map_err(failure)?));
    }
    if name.starts_with("postgres://") || name.starts_with("postgresql://") {
        return Ok(Box::new(Postgres::open(name).map_err(failure)?));
    }
    if name.starts_with("mysql://") || name.starts_with("mariadb://") {
        return Ok(Box::new(Mariadb::open(name).map_err(failure)?));
    }
    // What somebody typed may hold a password.
    let scheme = name.split_once(':').map_or(name, |(scheme, _)| scheme);
    Err(Failure::usage(format!(
        "`{scheme}` names no database: it is sqlite:FILE, postgres://USER@HOST:PORT/DATABASE or \
         mysql://USER@HOST:PORT/DATABASE"
    ))
    .of_argument("from"))
}

/// A failure of a database.
pub(super) fn failure(error: SourceError) -> Failure {
    Failure::backend(error.message)
}
