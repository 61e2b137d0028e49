//! A model's tables, by whose calls a generated client is blocking or awaited.

use crate::database;
use crate::nonblocking;
use keyfold_lower::OnUnknown;
use std::time::Duration;

/// The tables that a client is on: [`crate::Database`], whose calls block, or
/// [`nonblocking::Database`], whose calls are awaited.
pub trait Base: Clone {
    /// The same tables, each of whose calls takes at most a time.
    #[must_use]
    fn within(&self, time: Duration) -> Self;

    /// The same tables, whose reads treat an item that the model does not know so.
    #[must_use]
    fn on_unknown(&self, on_unknown: OnUnknown) -> Self;

    /// What carries the calls out.
    #[doc(hidden)]
    fn inner(&self) -> &database::Database;
}

impl Base for database::Database {
    fn within(&self, time: Duration) -> database::Database {
        self.within(time)
    }

    fn on_unknown(&self, on_unknown: OnUnknown) -> database::Database {
        self.on_unknown(on_unknown)
    }

    fn inner(&self) -> &database::Database {
        self
    }
}

impl Base for nonblocking::Database {
    fn within(&self, time: Duration) -> nonblocking::Database {
        self.within(time)
    }

    fn on_unknown(&self, on_unknown: OnUnknown) -> nonblocking::Database {
        self.on_unknown(on_unknown)
    }

    fn inner(&self) -> &database::Database {
        self.inner()
    }
}
