//! A model's tables on a backend: the steps are those of [`keyfold_lower::tables`].

use crate::backend::Backend;
use crate::drive::{drive, origin};
use keyfold_api::{ListTablesInput, Response, TableDescription};
use keyfold_lower::tables as lower;
pub use keyfold_lower::tables::{Compared, Outcome};
use keyfold_lower::{ClientError, unexpected};
use keyfold_model::Model;
use keyfold_types::Item;

/// Creates the tables of a model, or checks those that exist. A table with periods is created for
/// the present period; others are created when their first item is written.
///
/// # Errors
/// `TableDiffers` when a table contradicts the model; the backend's error otherwise.
pub fn ensure(backend: &Backend, model: &Model) -> Result<Vec<(String, Outcome)>, ClientError> {
    drive(backend, lower::ensure(origin(), model))
}

/// Compares the tables of a model with those that exist, and makes nothing.
///
/// # Errors
/// `TableDiffers` when a table contradicts the model; the backend's error otherwise.
pub fn compare(backend: &Backend, model: &Model) -> Result<Compared, ClientError> {
    drive(backend, lower::compare_all(origin(), model))
}

/// Returns the description of a table; `None` when the table does not exist.
///
/// # Errors
/// The backend's error.
pub fn describe(backend: &Backend, table: &str) -> Result<Option<TableDescription>, ClientError> {
    drive(backend, lower::describe(origin(), table))
}

/// Returns the first items of a scan as they are stored, at most `count`.
///
/// # Errors
/// The backend's error.
pub fn sample(backend: &Backend, table: &str, count: usize) -> Result<Vec<Item>, ClientError> {
    drive(backend, lower::sample(origin(), table, count))
}

/// Remarks about the tables of a model that [`ensure`] has created.
pub fn notes(model: &Model, outcomes: &[(String, Outcome)]) -> Vec<String> {
    lower::notes(origin().now_epoch_ms, model, outcomes)
}

/// Returns the names of all tables of a backend.
///
/// # Errors
/// The backend's error.
pub fn names(backend: &Backend) -> Result<Vec<String>, ClientError> {
    let (mut names, mut after) = (Vec::new(), None);
    loop {
        let input = ListTablesInput {
            exclusive_start_table_name: after.take(),
            ..ListTablesInput::default()
        };
        let Response::ListTables(output) = backend.call(input.into())? else {
            return Err(unexpected());
        };
        names.extend(output.table_names.unwrap_or_default());
        match output.last_evaluated_table_name {
            Some(name) => after = Some(name),
            None => return Ok(names),
        }
    }
}
