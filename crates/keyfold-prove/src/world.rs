//! The two sides of a proof: an engine that the model writes to, and the plain rows.

use crate::op::Op;
use crate::report::{Failure, Report};
use crate::rows::Rows;
use crate::{ProveError, leftover};
use keyfold_api::ErrorKind;
use keyfold_client::{Backend, ClientError, tables};
use keyfold_engine::{Durability, Engine, EngineOptions, StoreOptions};
use keyfold_model::Model;
use std::path::Path;
use std::sync::Arc;

/// An engine and the rows beside it.
pub(crate) struct World<'m> {
    pub(crate) model: &'m Model,
    pub(crate) backend: Backend,
    pub(crate) rows: Rows<'m>,
    /// All writes in their order, so that they can be made again.
    pub(crate) made: Vec<Op>,
    folder: Option<tempfile::TempDir>,
}

impl<'m> World<'m> {
    /// An engine in memory, or with its files in a folder of its own.
    pub(crate) fn new(
        model: &'m Model,
        now_epoch_ms: i64,
        on_disk: bool,
    ) -> Result<World<'m>, ProveError> {
        let failed = |error: std::io::Error| ProveError::Engine(error.to_string());
        let folder = if on_disk {
            Some(tempfile::tempdir().map_err(failed)?)
        } else {
            None
        };
        let backend = open(folder.as_ref().map(tempfile::TempDir::path))?;
        tables::ensure(&backend, model)?;
        Ok(World {
            model,
            backend,
            rows: Rows::new(model, now_epoch_ms)?,
            made: Vec::new(),
            folder,
        })
    }

    /// Ends the engine and opens its folder again.
    pub(crate) fn restart(&mut self) -> Result<(), ProveError> {
        let Some(folder) = &self.folder else {
            return Ok(());
        };
        // The folder is free when its engine has gone.
        self.backend = open(None)?;
        self.backend = open(Some(folder.path()))?;
        Ok(())
    }

    /// Makes a write on both sides, and notes where they differ. What the rows refuse is undone
    /// there, and so is what the model wrongly refuses.
    pub(crate) fn apply(&mut self, op: Op, report: &mut Report) -> Result<(), ProveError> {
        self.rows.begin()?;
        let possible = op.in_rows(&mut self.rows)?;
        report.writes += 1;
        let differs = match (possible, op.in_model(self.model, &self.backend)) {
            (true, Ok(())) => {
                self.rows.keep()?;
                None
            }
            (true, Err(error)) => Some(("done", error.to_string())),
            (false, Err(error)) if is_refusal(&error) => {
                report.refused += 1;
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

    /// Looks at everything that is stored.
    pub(crate) fn check(&self, report: &mut Report) -> Result<(), ProveError> {
        leftover::check(&self.backend, &self.rows, report)
    }
}

/// Whether a write was refused for what it is, and not because something went wrong. A value that
/// no key takes is refused too, and what is too long for one.
pub(crate) fn is_refusal(error: &ClientError) -> bool {
    matches!(
        error,
        ClientError::Refused(_)
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
    // What expires is deleted when the proof says so.
    let options = EngineOptions {
        background: false,
        ..EngineOptions::new(store)
    };
    let engine = Engine::open(options);
    Ok(Backend::Embedded(Arc::new(
        engine.map_err(|error| ProveError::Engine(error.to_string()))?,
    )))
}
