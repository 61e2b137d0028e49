//! Long work that requests have begun and the background has not started yet.

use crate::table::Table;
use crate::table::backup::Backup;
use crate::table::transfer::{Export, Import};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Long work that a request has begun.
pub(crate) enum Task {
    /// Copies a table's items at a moment into a backup.
    Backup(Arc<Backup>),
    /// Fills a table that is CREATING with the items of a backup, or of a table at a moment.
    Restore(Arc<Table>),
    /// Writes a table's items at a moment, or its changes between two, to files.
    Export {
        export: Arc<Export>,
        table: Arc<Table>,
    },
    /// Reads items from files into a new table.
    Import {
        import: Arc<Import>,
        table: Arc<Table>,
    },
}

/// Tasks that the background has not started yet.
#[derive(Default)]
pub(crate) struct Tasks {
    waiting: Mutex<VecDeque<Task>>,
}

impl Tasks {
    fn lock(&self) -> MutexGuard<'_, VecDeque<Task>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, task: Task) {
        self.lock().push_back(task);
    }

    /// Puts back what was taken, to be the next one.
    pub(crate) fn put_back(&self, task: Task) {
        self.lock().push_front(task);
    }

    pub(crate) fn take(&self) -> Option<Task> {
        self.lock().pop_front()
    }
}
