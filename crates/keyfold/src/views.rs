//! Views of a model: their rows follow from other entities, through the streams of their tables.
//!
//! No write names a view. A worker keeps its rows, exactly once for each change: in a program by
//! [`Views::start`], in a process of its own by `keyfold views run`, in a server by
//! `keyfold serve --views`. Any number of workers share the work.
//!
//! A view whose definition has changed is rebuilt: new rows are made beside those that readers see, and
//! then put in their place. `docs/views.md` has the whole of it.

use crate::database::Database;
use crate::error::Error;
use crate::open::Keyfold;
use keyfold_model::Model;
use keyfold_stream::Failure;
use keyfold_stream::Sends;
use keyfold_stream::views::Looks;
pub use keyfold_stream::views::{
    OnViewReport, UnreadableItem, ViewFailure, ViewOptions, ViewReport, ViewStatus, ViewWorker,
};
use std::sync::{Arc, Mutex, PoisonError};

/// The views of a model on a database.
pub struct Views {
    send: Sends,
    model: Arc<Model>,
    options: ViewOptions,
    /// What the calls of `status` have seen.
    looks: Mutex<Looks>,
}

impl Keyfold {
    /// The views of a model on this database.
    pub fn views(&self, model: &Database) -> Views {
        Views {
            send: self.sends(),
            model: Arc::clone(model.model()),
            options: ViewOptions::default(),
            looks: Mutex::default(),
        }
    }
}

impl Views {
    /// The same with other settings.
    #[must_use]
    pub fn with(mut self, options: ViewOptions) -> Views {
        self.options = options;
        self
    }

    /// Starts a worker that keeps the rows, until it is stopped or dropped. A view that has no rows yet
    /// gets them from a scan of its source.
    ///
    /// # Errors
    /// `Invalid` when the model has no views; `Refused` for a view that cannot be kept; that of the
    /// database when the tables of the upkeep cannot be made.
    pub fn start(&self) -> Result<ViewWorker, Error> {
        Ok(ViewWorker::start(
            Arc::clone(&self.send),
            &self.model,
            &self.options,
        )?)
    }

    /// Each view's generation, and how far its rows are behind. A further call reads of the streams only what has
    /// come since: a page of each shard whose records are all handled.
    ///
    /// # Errors
    /// That of the database.
    pub fn status(&self) -> Result<Vec<ViewStatus>, Error> {
        let consumers = &self.options.consumers;
        let mut looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(keyfold_stream::views::status_again(
            &self.send,
            &self.model,
            consumers,
            &mut looks,
        )?)
    }

    /// The records that were set aside, of all views or of one: rows do not have what they have changed.
    ///
    /// # Errors
    /// `Invalid` when the model has no such view; that of the database.
    pub fn failures(&self, view: Option<&str>) -> Result<Vec<ViewFailure>, Error> {
        Ok(keyfold_stream::views::failures(
            &self.send,
            &self.model,
            &self.options.consumers,
            view,
        )?)
    }

    /// Handles a record that was set aside once more, and deletes it in the transaction of what it
    /// changes. One whose item has changed since changes nothing.
    ///
    /// # Errors
    /// The reason for which it cannot be handled. Then it is still there.
    pub fn replay(&self, failure: &ViewFailure) -> Result<(), Failure> {
        let consumers = &self.options.consumers;
        keyfold_stream::views::replay(&self.send, &self.model, consumers, failure)
    }

    /// Begins a new generation of all views, or of one. Workers build it, and put it in the place of
    /// the live one. Returns each view with the number of its generation.
    ///
    /// # Errors
    /// `Invalid` when the model has no such view; that of the database.
    pub fn rebuild(&self, view: Option<&str>) -> Result<Vec<(String, u64)>, Error> {
        Ok(keyfold_stream::views::begin_rebuild(
            &self.send,
            &self.model,
            &self.options.consumers,
            view,
        )?)
    }
}

impl std::fmt::Debug for Views {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Views")
            .field("model", &self.model.name)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
