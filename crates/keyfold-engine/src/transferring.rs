//! Carrying out exports and imports in the background.

use crate::background;
use crate::catalog;
use crate::core::Core;
use crate::history::{self, StateAt};
use crate::ops::export_filter::Chosen;
use crate::pending::internal;
use crate::table::Table;
use crate::tasks;
use crate::transfers::{Export, Import};
use keyfold_api::{
    ApiError, ExportFormat, ExportStatus, ExportViewType, ImportStatus, InputCompressionType, InputFormat,
    TableStatus, WireName,
};
use keyfold_codec::RawItem;
use keyfold_codec::key::KeyRange;
use keyfold_store::Batch;
use keyfold_transfer::{
    Bucket, Change, Compression, CsvOptions, ExportWriter, Format, ImportFormat, Manifest, Row,
    TransferError, import,
};
use keyfold_types::KeySchema;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Items read or written at once.
const CHUNK: usize = 500;

/// Why a transfer stopped: the files, or the engine.
enum Stopped {
    Files(TransferError),
    Engine(ApiError),
}

impl Stopped {
    /// The code and the message that a description shows.
    fn failure(&self) -> (String, String) {
        let (code, message) = match self {
            Stopped::Files(error @ TransferError::NoSuchBucket(_)) => ("S3NoSuchBucket", error.to_string()),
            Stopped::Files(error @ TransferError::Name(_)) => ("S3InvalidKey", error.to_string()),
            Stopped::Files(error @ TransferError::File { .. }) => ("S3Error", error.to_string()),
            Stopped::Engine(error) => ("InternalError", error.to_string()),
        };
        (code.to_owned(), message)
    }
}

impl From<TransferError> for Stopped {
    fn from(error: TransferError) -> Stopped {
        Stopped::Files(error)
    }
}

impl From<ApiError> for Stopped {
    fn from(error: ApiError) -> Stopped {
        Stopped::Engine(error)
    }
}

fn buckets(core: &Core) -> PathBuf {
    core.options().buckets.clone().unwrap_or_default()
}

/// Writes an export's files and keeps how it ended.
pub(crate) fn export(
    core: &Core,
    export: &Export,
    table: &Arc<Table>,
    chosen: &Chosen,
) -> Result<(), ApiError> {
    let mut done = export.clone();
    match write_export(core, export, table, chosen) {
        Ok((manifest, items, bytes)) => {
            done.status = ExportStatus::Completed;
            (done.manifest, done.items, done.bytes) = (Some(manifest), items, bytes);
        }
        Err(stopped) => {
            done.status = ExportStatus::Failed;
            done.failure = Some(stopped.failure());
        }
    }
    done.ended = Some(core.now_ms());
    keep_export(core, done)
}

/// Nobody else changes it; its end is told when it is kept for good.
fn keep_export(core: &Core, export: Export) -> Result<(), ApiError> {
    let mut batch = Batch::new();
    catalog::put_export(&mut batch, &export);
    core.store().stage(batch).map_err(internal)?.wait().map_err(internal)?;
    let mut exports = core.catalog().write_exports();
    exports.insert((export.table_name.clone(), export.label.clone()), Arc::new(export));
    Ok(())
}

fn write_export(
    core: &Core,
    export: &Export,
    table: &Arc<Table>,
    chosen: &Chosen,
) -> Result<(String, u64, u64), Stopped> {
    let bucket = Bucket::open(&buckets(core), &export.bucket, true)?;
    let format = if export.format == ExportFormat::Ion { Format::Ion } else { Format::DynamoDbJson };
    let mut writer =
        ExportWriter::begin(bucket, export.prefix.as_deref(), &export.label, format, export.to.is_some())?;
    match export.to {
        None => {
            let state = StateAt::at(core.store(), table, export.moment)?;
            let mut write = |items: Vec<RawItem>| {
                items.into_iter().filter_map(|item| chosen.part(item)).try_for_each(|item| writer.item(&item))
            };
            let mut from = Some(chosen.range.clone());
            while let Some(range) = from {
                let (items, rest) = state.some(&range, CHUNK)?;
                write(items)?;
                from = rest;
            }
            write(state.changed_since(&chosen.range))?;
        }
        Some(to) => {
            let changes = changes(core, table, export, to, &chosen.range)?;
            for change in changes.into_iter().filter_map(|change| chosen.part_of_change(change)) {
                let old = change.old.filter(|_| export.view == ExportViewType::NewAndOldImages);
                writer.change(&Change { old, ..change })?;
            }
        }
    }
    let about = Manifest {
        export_arn: format!("{}/export/{}", core.table_arn(&table.name), export.label),
        table_arn: core.table_arn(&table.name),
        table_id: table.uuid.clone(),
        bucket: export.bucket.clone(),
        prefix: export.prefix.clone(),
        start_epoch_ms: export.begun,
        moments: (export.moment, export.to),
        view: export.to.map(|_| export.view.word()),
    };
    Ok(writer.finish(&about, core.now_ms())?)
}

/// What became of each item from one moment (included) to another; nothing of those that came and went between.
fn changes(
    core: &Core,
    table: &Arc<Table>,
    export: &Export,
    to: u64,
    keys: &KeyRange,
) -> Result<Vec<Change>, ApiError> {
    let snapshot = core.store().snapshot();
    let mut by_key: BTreeMap<Vec<u8>, Change> = BTreeMap::new();
    for change in history::changes(&snapshot, table)? {
        let (key, history::Change { event, .. }) = change?;
        let is_within = (export.moment..to).contains(&event.epoch_ms);
        if !is_within || !keys.contains(&history::of_space(table.id, &key)) {
            continue;
        }
        let written_epoch_us = event.epoch_ms * 1000;
        match by_key.get_mut(&key) {
            Some(change) => {
                change.new = event.new;
                change.written_epoch_us = written_epoch_us;
            }
            None => {
                let change = Change { keys: event.keys, written_epoch_us, old: event.old, new: event.new };
                by_key.insert(key, change);
            }
        }
    }
    let changes =
        by_key.into_values().filter(|change| change.old.is_some() || change.new.is_some()).collect();
    Ok(changes)
}

/// Ends the transfers that the end of the process cut short: they failed, and a table being filled is ready.
pub(crate) fn end_incomplete(core: &Core) -> Result<(), ApiError> {
    let failure = || Some(("InternalError".to_owned(), "The server stopped before the end".to_owned()));
    let exports: Vec<Arc<Export>> = core.catalog().exports().values().cloned().collect();
    for export in exports.iter().filter(|export| export.status == ExportStatus::InProgress) {
        let (status, ended) = (ExportStatus::Failed, Some(core.now_ms()));
        keep_export(core, Export { status, ended, failure: failure(), ..Export::clone(export) })?;
    }
    let imports: Vec<Arc<Import>> = core.catalog().imports().values().cloned().collect();
    for import in imports.iter().filter(|import| import.status == ImportStatus::InProgress) {
        background::change_table(core, &import.table, |table| table.status = TableStatus::Active)?;
        let (status, ended) = (ImportStatus::Failed, Some(core.now_ms()));
        keep_import(core, Import { status, ended, failure: failure(), ..Import::clone(import) })?;
    }
    Ok(())
}

/// Reads an import's files into its table, which is ready then, and keeps how it ended.
pub(crate) fn import(core: &Core, import: &Import, table: &Arc<Table>) -> Result<(), ApiError> {
    let mut done = import.clone();
    match read_import(core, &mut done, table) {
        Ok(()) if done.errors == 0 => done.status = ImportStatus::Completed,
        Ok(()) => {
            done.status = ImportStatus::Failed;
            let message = "Some of the items failed validation checks and were not imported. Please check CloudWatch error logs for more details.";
            done.failure = Some(("ItemValidationError".to_owned(), message.to_owned()));
        }
        Err(stopped) => {
            done.status = ImportStatus::Failed;
            done.failure = Some(stopped.failure());
        }
    }
    done.ended = Some(core.now_ms());
    background::change_table(core, table, |table| table.status = TableStatus::Active)?;
    keep_import(core, done)
}

/// Likewise.
fn keep_import(core: &Core, import: Import) -> Result<(), ApiError> {
    let mut batch = Batch::new();
    catalog::put_import(&mut batch, &import);
    core.store().stage(batch).map_err(internal)?.wait().map_err(internal)?;
    let mut imports = core.catalog().write_imports();
    imports.insert((import.table.name.clone(), import.label.clone()), Arc::new(import));
    Ok(())
}

fn read_import(core: &Core, done: &mut Import, table: &Arc<Table>) -> Result<(), Stopped> {
    let bucket = Bucket::open(&buckets(core), &done.bucket, false)?;
    let format = match done.format {
        InputFormat::DynamodbJson => ImportFormat::DynamoDbJson,
        InputFormat::Ion => ImportFormat::Ion,
        InputFormat::Csv => ImportFormat::Csv,
    };
    let compression = match done.compression {
        InputCompressionType::None => Compression::None,
        InputCompressionType::Gzip => Compression::Gzip,
        InputCompressionType::Zstd => Compression::Zstd,
    };
    let keys = std::iter::once(&table.key).chain(table.indexes.iter().map(|index| &index.key));
    let csv = CsvOptions {
        delimiter: done.delimiter.bytes().next().unwrap_or(b','),
        header: done.header.clone(),
        kinds: keys
            .flat_map(KeySchema::attributes)
            .map(|attribute| (attribute.name.clone(), attribute.kind))
            .collect(),
    };
    let prefix = done.prefix.clone();
    import::read(&bucket, &prefix, format, compression, &csv, |rows, bytes| {
        done.bytes += bytes;
        take(core, done, table, rows).map_err(Stopped::Engine)
    })
}

/// Puts rows into the table; those that are no items of it are counted.
fn take(core: &Core, done: &mut Import, table: &Arc<Table>, rows: Vec<Row>) -> Result<(), ApiError> {
    for rows in rows.chunks(CHUNK) {
        let mut items = Vec::with_capacity(rows.len());
        for row in rows {
            done.processed += 1;
            match row {
                Ok(item) if tasks::fits(table, item) => items.push(RawItem::encode(item)),
                Ok(_) | Err(_) => done.errors += 1,
            }
        }
        let count = items.len() as u64;
        tasks::fill(core, table, items)?;
        done.imported += count;
    }
    Ok(())
}
