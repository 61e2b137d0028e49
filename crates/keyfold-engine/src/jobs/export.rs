//! Writing the files of an export.

use super::job::Job;
use super::retries::Retries;
use super::turn::Work;
use crate::base::error::internal;
use crate::catalog;
use crate::core::Core;
use crate::read::export_filter::{self, Chosen};
use crate::state_at::{ChangesBetween, StateAt};
use crate::table::Table;
use crate::table::arn::Part;
use crate::table::transfer::Export;
use crate::window::open_window;
use keyfold_api::{ApiError, ExportFormat, ExportStatus, ExportViewType, WireName};
use keyfold_store::Batch;
use keyfold_transfer::{Bucket, Change, ExportWriter, Extent, Format, Manifest, TransferError};
use std::path::PathBuf;
use std::sync::Arc;

/// The reason for which a transfer failed.
pub(super) enum Stopped {
    Files(TransferError),
    Engine(ApiError),
    /// The changes to export are no longer kept.
    Gone,
}

impl Stopped {
    /// The code and the message of a description.
    pub(super) fn failure(&self) -> (String, String) {
        let (code, message) = match self {
            Stopped::Files(error @ TransferError::NoSuchBucket(_)) => ("S3NoSuchBucket", error.to_string()),
            Stopped::Files(error @ TransferError::Name(_)) => ("S3InvalidKey", error.to_string()),
            Stopped::Files(error @ (TransferError::File { .. } | TransferError::Export(_))) => ("S3Error", error.to_string()),
            Stopped::Engine(error) => ("InternalError", error.to_string()),
            Stopped::Gone => (
                "PointInTimeRecoveryUnavailable",
                "The table was deleted, or point-in-time recovery was switched off, before the export was done".to_owned(),
            ),
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

pub(super) fn buckets(core: &Core) -> PathBuf {
    core.options().buckets.clone().unwrap_or_default()
}

fn extent(export: &Export) -> Extent {
    match export.to {
        None => Extent::Full {
            at_epoch_ms: export.moment,
        },
        Some(to) => Extent::Incremental {
            from_epoch_ms: export.moment,
            to_epoch_ms: to,
            view: export.view.word(),
        },
    }
}

pub(super) struct ExportJob {
    export: Export,
    table: Arc<Table>,
    /// Its progress; none before the first piece.
    under_way: Option<UnderWay>,
    retries: Retries,
}

/// An export under way.
struct UnderWay {
    /// The items that are exported, and their parts.
    chosen: Chosen,
    content: Content,
    writer: ExportWriter,
}

/// The source of an export.
enum Content {
    Items(Box<StateAt>),
    Changes(Box<ChangesBetween>),
}

impl ExportJob {
    pub(super) fn new(export: Export, table: Arc<Table>) -> ExportJob {
        ExportJob {
            export,
            table,
            under_way: None,
            retries: Retries::default(),
        }
    }

    fn begin(&mut self, core: &Core) -> Result<UnderWay, Stopped> {
        let export = &self.export;
        // The request bound the same filter. This process may be another, after a restart.
        let bound = export_filter::check(export.filter.as_ref())?;
        let chosen = Chosen::of(&self.table, bound)?;
        let keys = chosen.range.clone();
        let content = match export.to {
            None => {
                let state = StateAt::at(core.store(), &self.table, export.moment)?.of_keys(keys);
                Content::Items(Box::new(state))
            }
            Some(to) => Content::Changes(Box::new(ChangesBetween::new(
                core.store(),
                &self.table,
                export.moment..to,
                keys,
            )?)),
        };
        // Checked after the snapshot was taken: changes that are removed from now on are in it.
        let now = core
            .catalog()
            .read()
            .get(&self.table.name)
            .filter(|now| now.id == self.table.id)
            .cloned();
        let is_kept = now.is_some_and(|now| {
            open_window(core, &now).is_ok_and(|(first, _)| first <= export.moment)
        });
        if !is_kept {
            return Err(Stopped::Gone);
        }
        let bucket = Bucket::open_or_create(&buckets(core), &export.bucket)?;
        let format = if export.format == ExportFormat::Ion {
            Format::Ion
        } else {
            Format::DynamoDbJson
        };
        let prefix = export.prefix.as_deref();
        let writer = ExportWriter::begin(bucket, prefix, &export.label, format, extent(export))?;
        self.export.is_begun = true;
        store(core, &self.export)?;
        Ok(UnderWay {
            chosen,
            content,
            writer,
        })
    }

    fn piece(&mut self, core: &Core) -> Result<Work, Stopped> {
        let mut under_way = match self.under_way.take() {
            Some(under_way) => under_way,
            None => self.begin(core)?,
        };
        let done = under_way.piece(self.export.view);
        if !matches!(done, Ok(Work::Done)) {
            // A failed piece can be tried again: a failed read has written nothing.
            self.under_way = Some(under_way);
            return done;
        }
        let export = &mut self.export;
        let about = Manifest {
            export_arn: core.arn(&self.table.name, Part::Export(&export.label)),
            table_arn: core.table_arn(&self.table.name),
            table_id: self.table.uuid.clone(),
            bucket: export.bucket.clone(),
            prefix: export.prefix.clone(),
            start_epoch_ms: export.begun,
        };
        let (manifest, items, bytes) = under_way.writer.finish(&about, core.now_ms())?;
        (export.manifest, export.items, export.bytes) = (Some(manifest), items, bytes);
        Ok(Work::Done)
    }
}

impl UnderWay {
    /// Writes some items or changes.
    fn piece(&mut self, view: ExportViewType) -> Result<Work, Stopped> {
        match &mut self.content {
            Content::Items(state) => {
                let Some(items) = state.next_piece()? else {
                    return Ok(Work::Done);
                };
                for item in items.into_iter().filter_map(|item| self.chosen.part(item)) {
                    self.writer.item(&item)?;
                }
            }
            Content::Changes(changes) => {
                let Some(changes) = changes.next_piece()? else {
                    return Ok(Work::Done);
                };
                for became in changes {
                    let change = Change {
                        keys: became.keys,
                        written_epoch_us: became.written_epoch_ms * 1000,
                        old: became.old,
                        new: became.new,
                    };
                    let Some(change) = self.chosen.part_of_change(change) else {
                        continue;
                    };
                    let has_old = view == ExportViewType::NewAndOldImages;
                    let old = change.old.filter(|_| has_old);
                    self.writer.change(&Change { old, ..change })?;
                }
            }
        }
        Ok(Work::More)
    }
}

impl Job for ExportJob {
    fn step(&mut self, core: &Core) -> Result<Work, ApiError> {
        if self.export.ended.is_none() {
            match self.piece(core) {
                Ok(Work::More) => {
                    self.retries.succeeded();
                    return Ok(Work::More);
                }
                Err(Stopped::Engine(error)) if self.retries.is_retried(core, &error) => {
                    return Err(error);
                }
                Ok(Work::Done) => self.export.status = ExportStatus::Completed,
                Err(stopped) => {
                    // No snapshot is held until the end is stored.
                    self.under_way = None;
                    self.export.status = ExportStatus::Failed;
                    self.export.failure = Some(stopped.failure());
                    core.report(&self.description(), &stopped.failure().1);
                }
            }
            self.export.ended = Some(core.now_ms());
        }
        store(core, &self.export).map(|()| Work::Done)
    }

    fn description(&self) -> String {
        format!("exporting table {}", self.table.name)
    }
}

/// Ends an export that the end of the process interrupted.
pub(super) fn fail(core: &Core, export: &Export, reason: &str) -> Result<(), ApiError> {
    let failure = Some(("InternalError".to_owned(), reason.to_owned()));
    let (status, ended) = (ExportStatus::Failed, Some(core.now_ms()));
    store(
        core,
        &Export {
            status,
            ended,
            failure,
            ..export.clone()
        },
    )
}

/// Stores the record, and shows it when it is durable. No other thread changes it.
fn store(core: &Core, export: &Export) -> Result<(), ApiError> {
    let mut batch = Batch::new();
    catalog::put_export(&mut batch, export);
    core.store()
        .stage(batch)
        .map_err(internal)?
        .wait()
        .map_err(internal)?;
    let mut exports = core.catalog().write_exports();
    exports.insert(
        (export.table_name.clone(), export.label.clone()),
        Arc::new(export.clone()),
    );
    Ok(())
}
