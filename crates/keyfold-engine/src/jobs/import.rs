//! Reading the files of an import into its table. The table is ready when the import has ended, also
//! after a failure.

use super::fill::{fill, fits};
use super::job::Job;
use super::retries::Retries;
use super::turn::Work;
use crate::base::error::internal;
use crate::catalog;
use crate::core::Core;
use crate::core::change_table::change_table;
use crate::jobs::export::{Stopped, buckets};
use crate::table::Table;
use crate::table::transfer::Import;
use keyfold_api::{ApiError, ImportStatus, InputCompressionType, InputFormat, TableStatus};
use keyfold_codec::RawItem;
use keyfold_store::Batch;
use keyfold_transfer::{Bucket, Compression, CsvOptions, ImportFormat, Row, import};
use keyfold_types::KeySchema;
use std::sync::Arc;

pub(super) struct ImportJob {
    import: Import,
    table: Arc<Table>,
    reader: Option<import::Reader>,
    /// Items that were read and are not in the table yet: a piece that failed continues with them.
    unfilled: Vec<RawItem>,
    retries: Retries,
}

impl ImportJob {
    pub(super) fn new(import: Import, table: Arc<Table>) -> ImportJob {
        ImportJob {
            import,
            table,
            reader: None,
            unfilled: Vec::new(),
            retries: Retries::default(),
        }
    }

    /// Reads and writes some rows. Returns `Done` when there are no more.
    fn piece(&mut self, core: &Core) -> Result<Work, Stopped> {
        if !self.unfilled.is_empty() {
            self.fill(core)?;
        }
        let reader = match &mut self.reader {
            Some(reader) => reader,
            None => {
                self.import.is_begun = true;
                store(core, &self.import)?;
                self.reader.insert(open(core, &self.import, &self.table)?)
            }
        };
        let Some(piece) = reader.next_rows() else {
            return Ok(Work::Done);
        };
        self.import.bytes += piece.bytes;
        self.take(core, piece.rows);
        self.fill(core)?;
        Ok(Work::More)
    }

    /// Takes the items of rows. Rows that are not valid items are counted and reported.
    fn take(&mut self, core: &Core, rows: Vec<Row>) {
        let mut refused = None;
        for row in rows {
            self.import.processed += 1;
            match row {
                Ok(item) if fits(&self.table, &item) => {
                    self.unfilled.push(RawItem::encode(&item));
                }
                Ok(_) => refused = Some("an item does not fit the table".to_owned()),
                Err(reason) => refused = Some(reason),
            }
            self.import.errors += u64::from(refused.is_some());
            if let Some(reason) = refused.take() {
                core.report(&self.description(), &reason);
            }
        }
    }

    /// Puts the items that were taken into the table.
    fn fill(&mut self, core: &Core) -> Result<(), ApiError> {
        fill(core, &self.table, self.unfilled.clone())?;
        self.import.imported += self.unfilled.len() as u64;
        self.unfilled.clear();
        Ok(())
    }

    fn end(&mut self, core: &Core, stopped: Option<Stopped>) -> Result<(), ApiError> {
        let done = &mut self.import;
        done.status = ImportStatus::Failed;
        done.failure = match stopped {
            None if done.errors == 0 => {
                done.status = ImportStatus::Completed;
                None
            }
            None => {
                let message = "Some of the items failed validation checks and were not imported. Please check CloudWatch error logs for more details.";
                Some(("ItemValidationError".to_owned(), message.to_owned()))
            }
            Some(stopped) => Some(stopped.failure()),
        };
        done.ended = Some(core.now_ms());
        change_table(core, &self.table, |table| {
            table.status = TableStatus::Active
        })?;
        store(core, &self.import)
    }
}

impl Job for ImportJob {
    fn step(&mut self, core: &Core) -> Result<Work, ApiError> {
        if self.import.ended.is_none() {
            match self.piece(core) {
                Ok(Work::More) => {
                    self.retries.succeeded();
                    return Ok(Work::More);
                }
                Err(Stopped::Engine(error)) if self.retries.is_retried(core, &error) => {
                    return Err(error);
                }
                Ok(Work::Done) => self.end(core, None)?,
                Err(stopped) => {
                    core.report(&self.description(), &stopped.failure().1);
                    self.end(core, Some(stopped))?;
                }
            }
        } else {
            // The import has ended, but its end was not stored.
            change_table(core, &self.table, |table| {
                table.status = TableStatus::Active
            })?;
            store(core, &self.import)?;
        }
        Ok(Work::Done)
    }

    fn description(&self) -> String {
        format!("importing into table {}", self.table.name)
    }
}

/// Ends an import that the end of the process interrupted. Its table is ready with the items
/// imported so far.
pub(super) fn fail(core: &Core, import: &Import, reason: &str) -> Result<(), ApiError> {
    change_table(core, &import.table, |table| {
        table.status = TableStatus::Active
    })?;
    let failure = Some(("InternalError".to_owned(), reason.to_owned()));
    let (status, ended) = (ImportStatus::Failed, Some(core.now_ms()));
    store(
        core,
        &Import {
            status,
            ended,
            failure,
            ..import.clone()
        },
    )
}

/// Stores the record, and shows it when it is durable. No other thread changes it.
fn store(core: &Core, import: &Import) -> Result<(), ApiError> {
    let mut batch = Batch::new();
    catalog::put_import(&mut batch, import);
    core.store()
        .stage(batch)
        .map_err(internal)?
        .wait()
        .map_err(internal)?;
    let mut imports = core.catalog().write_imports();
    imports.insert(
        (import.table.name.clone(), import.label.clone()),
        Arc::new(import.clone()),
    );
    Ok(())
}

fn open(core: &Core, import: &Import, table: &Table) -> Result<import::Reader, Stopped> {
    let bucket = Bucket::open(&buckets(core), &import.bucket)?;
    let format = match import.format {
        InputFormat::DynamodbJson => ImportFormat::DynamoDbJson,
        InputFormat::Ion => ImportFormat::Ion,
        InputFormat::Csv => ImportFormat::Csv,
    };
    let compression = match import.compression {
        InputCompressionType::None => Compression::None,
        InputCompressionType::Gzip => Compression::Gzip,
        InputCompressionType::Zstd => Compression::Zstd,
    };
    let keys = std::iter::once(&table.key).chain(table.indexes.iter().map(|index| &index.key));
    let csv = CsvOptions {
        delimiter: import.delimiter.bytes().next().unwrap_or(b','),
        header: import.header.clone(),
        kinds: keys
            .flat_map(KeySchema::attributes)
            .map(|attribute| (attribute.name.clone(), attribute.kind))
            .collect(),
    };
    Ok(import::Reader::open(
        &bucket,
        &import.prefix,
        format,
        compression,
        csv,
    )?)
}
