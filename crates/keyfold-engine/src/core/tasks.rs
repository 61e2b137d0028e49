//! Long work that requests have begun and the background has not taken up yet.

use crate::table::Table;
use crate::table::backup::Backup;
use crate::table::transfer::{Export, Import};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Long work that a request has begun.
pub(crate) enum Task {
    /// Copies a table's items, as they were, into a backup.
    Backup(Arc<Backup>),
    /// Fills a table that is CREATING with another's items, as they were.
    Restore(Arc<Table>),
    /// Writes a table's items, as they were, to files.
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

/// Tasks begun and not taken up yet.
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

    pub(crate) fn take(&self) -> Option<Task> {
        self.lock().pop_front()
    }
}
