//! The two sides of a proof: an engine that the model writes to, and the plain rows.

use crate::op::Op;
use crate::report::{Failure, Report};
use crate::rows::Rows;
use crate::subject::{Client, Faults, Subject};
use crate::{ProveError, leftover, transaction, upkeep, views};
use keyfold_api::ErrorKind;
use keyfold_client::{Backend, ClientError, Endpoint, tables};
use keyfold_engine::{Durability, Engine, EngineOptions, StoreOptions};
use keyfold_model::Model;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The storage of the engine.
pub(crate) enum Storage {
    Memory,
    /// A temporary folder, and the seed of faults on the line to the engine.
    Folder(u64),
    /// An endpoint, and what the names of the proof's tables begin with.
    Endpoint(Box<Endpoint>, String),
}

/// An engine and the rows beside it.
pub(crate) struct World<'m> {
    pub(crate) model: &'m Model,
    pub(crate) backend: Backend,
    pub(crate) rows: Rows<'m>,
    /// All writes in order, so that they can be executed again.
    pub(crate) made: Vec<Op>,
    /// By entity: why its first row was refused.
    refusals: BTreeMap<usize, String>,
    subject: Subject,
    /// The faults of the line to an engine that keeps files.
    pub(crate) faults: Option<Faults>,
    folder: Option<tempfile::TempDir>,
    /// What the names of the tables begin with, at an endpoint that has others.
    prefix: Option<String>,
}

impl<'m> World<'m> {
    /// A world with an empty engine.
    pub(crate) fn new(
        model: &'m Model,
        now_epoch_ms: i64,
        storage: Storage,
        subject: &Subject,
    ) -> Result<World<'m>, ProveError> {
        let failed = |error: std::io::Error| ProveError::Engine(error.to_string());
        let faults = match storage {
            Storage::Folder(seed) => Some(Faults::new(seed)),
            Storage::Memory | Storage::Endpoint(..) => None,
        };
        let (backend, folder, prefix) = match storage {
            Storage::Memory => (open(None)?, None, None),
            Storage::Folder(_) => {
                let folder = tempfile::tempdir().map_err(failed)?;
                (open(Some(folder.path()))?, Some(folder), None)
            }
            Storage::Endpoint(endpoint, prefix) => (Backend::at(*endpoint)?, None, Some(prefix)),
        };
        tables::ensure(&backend, model)?;
        Ok(World {
            model,
            backend,
            rows: Rows::new(model, now_epoch_ms)?,
            made: Vec::new(),
            refusals: BTreeMap::new(),
            subject: subject.clone(),
            faults,
            folder,
            prefix,
        })
    }

    /// Whether the proof can begin again in an empty engine of its own.
    pub(crate) fn is_repeatable(&self) -> bool {
        self.prefix.is_none()
    }

    /// The client that writes to the engine and reads from it.
    pub(crate) fn client(&self) -> Client<'_> {
        Client {
            model: self.model,
            backend: &self.backend,
            subject: &self.subject,
            faults: self.faults.as_ref(),
            now_epoch_ms: self.rows.now_epoch_ms,
        }
    }

    /// The client of the proof, for another world.
    pub(crate) fn subject(&self) -> &Subject {
        &self.subject
    }

    /// Closes the engine and opens its folder again. An engine in memory stays as it is.
    pub(crate) fn restart(&mut self) -> Result<(), ProveError> {
        let Some(folder) = &self.folder else {
            return Ok(());
        };
        // The first engine releases the folder before the second one opens it.
        self.backend = open(None)?;
        self.backend = open(Some(folder.path()))?;
        Ok(())
    }

    /// Executes a write on both sides and reports their difference. The rows are rolled back when
    /// they refuse the write, or the two sides differ.
    pub(crate) fn apply(&mut self, op: Op, report: &mut Report) -> Result<(), ProveError> {
        self.rows.begin()?;
        let possible = op.in_rows(&mut self.rows)?;
        report.writes += 1;
        let is_transaction = matches!(op, Op::Transact { .. });
        report.transactions += usize::from(is_transaction);
        let differs = match (possible, op.in_model(self.client())) {
            // The request was carried out, and only its answer was lost.
            (true, Err(error)) if is_unknown(&error) => {
                self.rows.keep()?;
                None
            }
            (false, Err(error)) if is_unknown(&error) => {
                self.rows.undo()?;
                None
            }
            (true, Ok(())) => {
                report.transacted += usize::from(is_transaction);
                self.rows.keep()?;
                None
            }
            // An upsert that is one request has the keys of a new item, too.
            (true, Err(ClientError::Value(_))) if op.upserts(self.model) => {
                report.refused += 1;
                self.rows.undo()?;
                None
            }
            (true, Err(error)) if is_refusal(&error) && self.meets(&op)? => {
                report.met += 1;
                None
            }
            (true, Err(error)) => Some(("done", error.to_string())),
            (false, Err(error)) if is_refusal(&error) => {
                report.refused += 1;
                if let Op::Create { entity, .. } = &op {
                    let first = self.refusals.entry(*entity);
                    first.or_insert_with(|| error.to_string());
                }
                self.rows.undo()?;
                None
            }
            (false, Err(error)) => Some(("refused", error.to_string())),
            (false, Ok(())) => Some(("refused, as by SQL", "done".to_owned())),
        };
        if let Some((expected, found)) = differs {
            self.rows.undo()?;
            let what = op.show(self.model);
            report.failures.push(Failure {
                what,
                expected: expected.to_owned(),
                found,
            });
        }
        self.made.push(op);
        Ok(())
    }

    /// Reports an entity of which no row could be stored: nothing about it was proved.
    pub(crate) fn note_unstored(&self, at: usize, report: &mut Report) {
        let (Some(entity), Some(why)) = (self.model.entities.get(at), self.refusals.get(&at))
        else {
            return;
        };
        if self.rows.was_stored(at) {
            return;
        }
        let name = &entity.name;
        report.failures.push(Failure {
            what: name.clone(),
            expected: format!("a row of {name} that can be stored"),
            found: format!("no {name} could be stored: {why}"),
        });
    }

    /// Whether a write is a transaction of writes that meet in an item. Its changes of the rows are
    /// undone.
    fn meets(&mut self, op: &Op) -> Result<bool, ProveError> {
        let Op::Transact { parts } = op else {
            return Ok(false);
        };
        self.rows.undo()?;
        let meets = transaction::meet(&mut self.rows, parts)?;
        if !meets {
            self.rows.begin()?;
        }
        Ok(meets)
    }

    /// Whether the model has views that are kept. At an endpoint that has others, upkeep would have
    /// its own tables among theirs.
    pub(crate) fn keeps_views(&self) -> bool {
        views::written(self.model) < self.model.entities.len() && self.prefix.is_none()
    }

    /// Waits until the views have what they follow from, on both sides. `kills` are the requests after
    /// which workers are killed before.
    pub(crate) fn settle(&mut self, kills: &[i64], report: &mut Report) -> Result<(), ProveError> {
        if !self.keeps_views() {
            return Ok(());
        }
        views::fill(&mut self.rows, report)?;
        report.killed += upkeep::keep(&self.backend, self.model, kills)?;
        Ok(())
    }

    /// Compares everything that is stored with the rows, but for the rows of views.
    pub(crate) fn check(&self, report: &mut Report) -> Result<(), ProveError> {
        self.compare(false, report)
    }

    /// Compares everything that is stored with the rows, and with those of views.
    pub(crate) fn check_all(
        &mut self,
        kills: &[i64],
        report: &mut Report,
    ) -> Result<(), ProveError> {
        self.settle(kills, report)?;
        self.compare(self.keeps_views(), report)
    }

    fn compare(&self, with_views: bool, report: &mut Report) -> Result<(), ProveError> {
        let scope = leftover::Scope {
            prefix: self.prefix.as_deref().unwrap_or_default(),
            with_views,
        };
        leftover::check(&self.backend, &self.rows, &scope, report)
    }
}

/// Whether a client does not know what became of its write.
pub(crate) fn is_unknown(error: &ClientError) -> bool {
    if let ClientError::Incomplete(incomplete) = error {
        return !incomplete.unknown.is_empty();
    }
    matches!(error, ClientError::OutcomeUnknown { .. })
}

/// Whether a write was refused for its content, rather than failed. The content includes values that
/// no key takes, and those that are too long for one.
pub(crate) fn is_refusal(error: &ClientError) -> bool {
    matches!(
        error,
        ClientError::Exists(_)
            | ClientError::Refused(_)
            | ClientError::UnknownItem(_)
            | ClientError::Overtaken(_)
            | ClientError::Invalid(_)
            | ClientError::Named { .. }
            | ClientError::Taken { .. }
            | ClientError::StaleVersion(_)
            | ClientError::NotFound(_)
            | ClientError::Value(_)
    ) || error.kind() == Some(ErrorKind::Validation)
}

fn open(folder: Option<&Path>) -> Result<Backend, ProveError> {
    let store = match folder {
        None => StoreOptions::Memory,
        Some(folder) => StoreOptions::folder(folder, Durability::Buffered),
    };
    // The proof deletes expired items itself.
    let options = EngineOptions {
        background: false,
        ..EngineOptions::new(store)
    };
    let engine = Engine::open(options);
    Ok(Backend::Embedded(Arc::new(
        engine.map_err(|error| ProveError::Engine(error.to_string()))?,
    )))
}
