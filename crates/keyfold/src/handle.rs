//! The shared handle of a database: calls under way, closing, and the bound of concurrent calls.

use crate::error::Error;
use async_lock::Semaphore;
use keyfold_client::Backend;
use std::ops::Deref;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// What all clones of a database share.
pub(crate) struct Handle {
    state: Mutex<State>,
    /// Notified when a call ends, and when the database is closed.
    changed: Condvar,
    permits: Arc<Semaphore>,
}

struct State {
    /// None from the moment in which it is being closed.
    backend: Option<Arc<Backend>>,
    calls: usize,
    is_closed: bool,
}

impl Handle {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses further calls, waits for those under way, syncs, and lets go of the data folder.
    /// Closing again waits for the first, and has no error.
    fn close(&self) -> Result<(), Error> {
        let mut state = self.state();
        let backend = state.backend.take();
        let Some(backend) = backend else {
            let closed = self.changed.wait_while(state, |state| !state.is_closed);
            drop(closed);
            return Ok(());
        };
        state = self
            .changed
            .wait_while(state, |state| state.calls > 0)
            .unwrap_or_else(PoisonError::into_inner);
        drop(state);
        let synced = backend.sync();
        drop(backend);
        self.state().is_closed = true;
        self.changed.notify_all();
        Ok(synced?)
    }
}

/// Who holds a clone of a handle.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Callers {
    /// Threads: a call blocks its thread until it is carried out, and so does the last drop, which
    /// waits for the present piece of background work and for a sync.
    Threads,
    /// Tasks of a runtime, whose threads must not block: a call is awaited, and a thread of the pool
    /// waits for what the last drop begins.
    Tasks,
}

/// A clone of a handle.
#[derive(Clone)]
pub(crate) struct Shared {
    /// Always there until it is dropped.
    handle: Option<Arc<Handle>>,
    callers: Callers,
}

impl Shared {
    pub(crate) fn new(backend: Backend, concurrency: usize) -> Shared {
        let handle = Handle {
            state: Mutex::new(State {
                backend: Some(Arc::new(backend)),
                calls: 0,
                is_closed: false,
            }),
            changed: Condvar::new(),
            permits: Arc::new(Semaphore::new(concurrency.max(1))),
        };
        Shared {
            handle: Some(Arc::new(handle)),
            callers: Callers::Threads,
        }
    }

    /// The same handle for tasks of a runtime, whose threads must not block.
    pub(crate) fn of_tasks(mut self) -> Shared {
        self.callers = Callers::Tasks;
        self
    }

    /// Whether calls block the thread until they are carried out.
    pub(crate) fn blocks(&self) -> bool {
        self.callers == Callers::Threads
    }

    fn handle(&self) -> Result<&Arc<Handle>, Error> {
        self.handle.as_ref().ok_or(Error::Closed)
    }

    /// The backend, for one call.
    ///
    /// # Errors
    /// `Closed`.
    pub(crate) fn lease(&self) -> Result<Lease, Error> {
        let mut state = self.handle()?.state();
        let backend = state.backend.clone().ok_or(Error::Closed)?;
        state.calls += 1;
        Ok(Lease {
            backend: Some(backend),
            shared: self.clone(),
        })
    }

    /// The permits of calls that occupy a thread of the pool.
    pub(crate) fn permits(&self) -> Result<Arc<Semaphore>, Error> {
        Ok(Arc::clone(&self.handle()?.permits))
    }

    /// Closes the database, for all clones.
    ///
    /// # Errors
    /// `Service` when the last sync fails.
    pub(crate) fn close(&self) -> Result<(), Error> {
        self.handle()?.close()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if self.callers == Callers::Threads {
            return;
        }
        if let Some(handle) = self.handle.take().and_then(Arc::into_inner) {
            blocking::unblock(move || drop(handle)).detach();
        }
    }
}

/// The backend while a call is under way.
pub(crate) struct Lease {
    /// Always there until it is dropped.
    backend: Option<Arc<Backend>>,
    shared: Shared,
}

impl Deref for Lease {
    type Target = Backend;

    fn deref(&self) -> &Backend {
        self.backend.as_ref().expect("only a drop takes it")
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // The one who closes lets go of the backend last: this clone goes before it is counted.
        drop(self.backend.take());
        if let Ok(handle) = self.shared.handle() {
            handle.state().calls -= 1;
            handle.changed.notify_all();
        }
    }
}
