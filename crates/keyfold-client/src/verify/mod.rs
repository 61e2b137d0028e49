//! Verifies the tables of a model: every item is what the model says, and nothing is missing.
//!
//! - `kinds` distinguishes items by their keys, `assemble` joins the parts of lists.
//! - `judge` judges one unit without reading: its findings, and records about others.
//! - `record`, `sorter` and `group` compare records of the same key: a copy with the item that asks
//!   for it, an aggregate with the items that it counts. One scan writes everything down, and an
//!   external sort brings it together, so that memory is bounded and each item is paid for once.
//! - `scan`, `reread` and `run` read.

mod assemble;
mod finding;
mod group;
mod judge;
mod kinds;
mod record;
mod report;
mod reread;
mod run;
mod scan;
mod sorter;

use crate::backend::{Backend, unexpected};
use crate::error::ClientError;
use crate::tables;
pub use finding::{Finding, FindingKind, ModelLine};
use keyfold_api::{ListTablesInput, Response};
use keyfold_model::Model;
use kinds::Kinds;
pub use report::{FindingGroup, Report, Share};

/// The bytes of an eventually consistent read unit: two halves of 4 KB.
const UNIT_BYTES: u64 = 8192;

/// The options of a verification.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// The segments that are read at once; 0 is 1.
    pub segments: u32,
    /// The most read units a second.
    pub rate: Option<u32>,
    /// The number of items to read instead of all. Copies, guards and aggregates are left out.
    pub sample: Option<u64>,
}

/// Sees a verification while it runs.
pub trait Observer: Send {
    /// The number of items that the scan with this number, from 1, has read.
    fn progress(&mut self, scan: u32, items: u64);

    /// A finding, when it is confirmed.
    ///
    /// # Errors
    /// Any error ends the verification.
    fn finding(&mut self, finding: &Finding) -> Result<(), ClientError>;
}

/// A table with its size as DescribeTable reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSize {
    /// The position of the table in the model.
    table: usize,
    /// Its name; with periods, that of the table of one period.
    pub name: String,
    /// The number of items.
    pub items: u64,
    /// The number of bytes.
    pub bytes: u64,
}

impl TableSize {
    /// The read units of one scan.
    pub fn units(&self) -> u64 {
        self.bytes.div_ceil(UNIT_BYTES)
    }
}

/// The tables of a model, with their sizes.
///
/// # Errors
/// `NotFound` when one does not exist; the backend's error otherwise.
pub fn sizes(backend: &Backend, model: &Model) -> Result<Vec<TableSize>, ClientError> {
    let mut sizes = Vec::new();
    for (at, table) in model.tables.iter().enumerate() {
        let names = match table.period {
            None => vec![table.name.clone()],
            Some(unit) => {
                let prefix = format!("{}_", table.name);
                let is_of_table = |name: &String| {
                    let period = name.strip_prefix(&prefix);
                    period.is_some_and(|period| unit.is_period_in_name(period))
                };
                let names = table_names(backend)?.into_iter();
                names.filter(is_of_table).collect()
            }
        };
        for name in names {
            let Some(description) = tables::describe(backend, &name)? else {
                return Err(ClientError::NotFound(format!("there is no table {name}")));
            };
            let count = |number: Option<i64>| u64::try_from(number.unwrap_or(0)).unwrap_or(0);
            sizes.push(TableSize {
                table: at,
                name,
                items: count(description.item_count),
                bytes: count(description.table_size_bytes),
            });
        }
    }
    Ok(sizes)
}

fn table_names(backend: &Backend) -> Result<Vec<String>, ClientError> {
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
    let kinds: Vec<Kinds<'_>> = each
        .map(|(at, table)| Kinds::of(model, at, table))
        .collect();
    let verification = run::Verification::new((backend, model), &kinds, tables, options, observer);
    match options.sample {
        None => verification.whole(),
        Some(wanted) => verification.sample(tables, wanted),
    }
}
