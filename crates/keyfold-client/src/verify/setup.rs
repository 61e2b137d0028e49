//! The options of a verification, its observer, and the tables that it reads.

use super::finding::Finding;
use crate::backend::Backend;
use crate::tables;
use keyfold_lower::ClientError;
use keyfold_model::Model;
use std::path::PathBuf;
use std::time::Duration;

/// The bytes of an eventually consistent read unit: two halves of 4 KB.
const UNIT_BYTES: u64 = 8192;

/// The options of a verification.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The segments that are read at once; 0 is 1.
    pub segments: u32,
    /// The most read units a second.
    pub rate: Option<u32>,
    /// The most items of a page; without it, a page is a megabyte.
    pub page: Option<u32>,
    /// The number of items to read instead of all. Copies, guards and aggregates are left out.
    pub sample: Option<u64>,
    /// The state that an interrupted verification continues from; not of a sample.
    pub kept: Option<Kept>,
}

/// The state of a verification in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The folder, which is made, and removed when the verification ends.
    pub folder: PathBuf,
    /// What names the model and the endpoint: a state is continued for the same subject only.
    pub subject: String,
    /// The time between two saves, each of which writes the records since the last one.
    pub every: Duration,
}

/// Sees a verification while it runs.
pub trait Observer: Send {
    /// The verification begins. The position is what [`Observer::position`] returned when the state
    /// was saved that it continues from, and 0 without one: later output is to be dropped.
    ///
    /// # Errors
    /// Any error ends the verification.
    fn begin(&mut self, _position: u64) -> Result<(), ClientError> {
        Ok(())
    }

    /// The length of the output, which must be on its way to the disk: the state is saved.
    ///
    /// # Errors
    /// Any error ends the verification.
    fn position(&mut self) -> Result<u64, ClientError> {
        Ok(0)
    }

    /// The number of items that the scan with this number, from 1, has read.
    fn progress(&mut self, scan: u32, items: u64);

    /// A finding, when it is confirmed.
    ///
    /// # Errors
    /// Any error ends the verification.
    fn finding(&mut self, finding: &Finding) -> Result<(), ClientError>;

    /// Rows of views seem wrong, and are to be confirmed by another scan, which begins when this returns.
    /// Returns the names of the views whose rows may lag behind their sources then: of those, nothing is
    /// decided.
    ///
    /// # Errors
    /// Any error ends the verification.
    fn lagging(&mut self) -> Result<Vec<String>, ClientError> {
        Ok(Vec::new())
    }

    /// The verification is complete. Returns when the output is where it is to stay: the saved state
    /// is removed then.
    ///
    /// # Errors
    /// Any error fails the verification, which then continues from its state.
    fn end(&mut self) -> Result<(), ClientError> {
        Ok(())
    }
}

/// A table with its size as DescribeTable reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSize {
    /// The position of the table in the model.
    pub(super) table: usize,
    /// Whether the table has the key of the model's. Without it, no item can be read again.
    pub(super) has_key: bool,
    /// Its name; with periods, that of the table of one period.
    pub name: String,
    /// The number of items.
    pub items: u64,
    /// The number of bytes.
    pub bytes: u64,
}

impl TableSize {
    /// The position of the table in the model, of which it may be one period.
    pub fn place(&self) -> usize {
        self.table
    }

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
            Some(_) => {
                let names = tables::names(backend)?.into_iter();
                names
                    .filter(|name| table.period_of(name).is_some())
                    .collect()
            }
        };
        for name in names {
            let Some(description) = tables::describe(backend, &name)? else {
                return Err(ClientError::not_found(format!("there is no table {name}")));
            };
            let count = |number: Option<i64>| u64::try_from(number.unwrap_or(0)).unwrap_or(0);
            sizes.push(TableSize {
                table: at,
                has_key: keyfold_lower::tables::has_key(table, &description),
                name,
                items: count(description.item_count),
                bytes: count(description.table_size_bytes),
            });
        }
    }
    Ok(sizes)
}
