//! Verifies the tables of a model: every item is what the model says, and nothing is missing.
//!
//! - `kinds` distinguishes items by their keys, `assemble` joins the parts of lists.
//! - `judge` judges one unit without reading: its findings, and records about others.
//! - `record`, `sorter` and `group` compare records of the same key: a copy with the item that asks
//!   for it, an aggregate with the items that it counts. One scan writes everything down, and an
//!   external sort brings it together, so that memory is bounded and each item is paid for once.
//! - `rows` folds what sources give to the rows of views, which are compared as aggregates are.
//! - `scan`, `reread` and `run` read; `state` keeps how far they are.

mod assemble;
mod causes;
mod claims;
mod finding;
mod fold;
mod form;
mod group;
mod judge;
mod nearest;
mod pack;
mod quick;
mod record;
mod report;
mod reread;
mod rows;
mod run;
mod scan;
mod setup;
mod shares;
mod sorter;
mod state;
mod told;

use crate::backend::Backend;
pub use finding::{Finding, FindingKind, FoundLine, ModelLine};
use form::Forms;
use keyfold_lower::ClientError;
use keyfold_model::{Entity, Model};
pub use report::{FindingGroup, Report, Share};
pub use setup::{Kept, Observer, Options, TableSize, sizes};

/// The attributes of a view's rows that are not compared with its source, each with the reason: those of its key, which
/// are compared as keys, are none of them. `None` when no row is compared, as tables have periods.
pub fn uncompared<'m>(model: &'m Model, view: &'m Entity) -> Option<Vec<(&'m str, &'static str)>> {
    let columns = rows::compared(model, view)?.columns.iter();
    let left = columns.filter_map(|one| Some((one.attribute.as_str(), rows::why_uncompared(one)?)));
    Some(left.collect())
}

/// Verifies the tables, which [`sizes`] returned.
///
/// # Errors
/// The backend's error, and that of the observer.
pub fn run(
    backend: &Backend,
    model: &Model,
    tables: &[TableSize],
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Report, ClientError> {
    let each = model.tables.iter().enumerate();
    let forms: Vec<Forms<'_>> = each
        .map(|(at, table)| Forms::of(model, at, table))
        .collect();
    let verification = run::Verification::new((backend, model), &forms, tables, options, observer);
    match options.sample {
        None => verification.whole(tables),
        Some(wanted) => verification.sample(tables, wanted),
    }
}
