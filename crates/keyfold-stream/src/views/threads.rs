//! The upkeep of views on threads of a program.

use super::keep::{Stop, ViewOptions, keep};
use crate::threads::{Sends, Threads};
use crate::world::World;
use keyfold_client::blocked;
use keyfold_lower::ClientError;
use keyfold_model::Model;
use std::sync::Arc;
use std::time::Duration;

/// The time between two looks whether the upkeep has ended.
const LOOK_TIME: Duration = Duration::from_millis(50);

/// A worker that keeps the views of a model until it is stopped. Any number of workers share the work.
///
/// Dropping it stops it, and waits for what it is about.
pub struct ViewWorker {
    stop: Stop,
    threads: Arc<Threads>,
}

impl ViewWorker {
    /// Starts a worker. A view that has no rows yet is built.
    ///
    /// # Errors
    /// Those of [`keep`].
    pub fn start(
        send: Sends,
        model: &Arc<Model>,
        options: &ViewOptions,
    ) -> Result<ViewWorker, ClientError> {
        let threads = Threads::new(send);
        let world: Arc<dyn World> = Arc::clone(&threads) as Arc<dyn World>;
        let stop = Stop::default();
        blocked(keep(&world, model, options, &stop))?;
        Ok(ViewWorker { stop, threads })
    }

    /// Lets the worker end what it is about, and waits for that.
    ///
    /// # Errors
    /// The reason for which it had stopped by itself.
    pub fn stop(self) -> Result<(), ClientError> {
        self.end()
    }

    /// Waits until the worker stops by itself, and returns the reason.
    pub fn wait(self) -> ClientError {
        while !self.stop.is_stopping() {
            std::thread::sleep(LOOK_TIME);
        }
        match self.end() {
            Err(error) => error,
            Ok(()) => ClientError::Invalid("the worker was stopped".to_owned()),
        }
    }

    /// Whether it has stopped by itself.
    pub fn has_stopped(&self) -> bool {
        self.stop.is_stopping()
    }

    fn end(&self) -> Result<(), ClientError> {
        self.stop.stop();
        self.threads.stop();
        self.threads.join();
        self.stop
            .why()
            .map_or(Ok(()), |why| Err(ClientError::refused(why)))
    }
}

impl Drop for ViewWorker {
    fn drop(&mut self) {
        drop(self.end());
    }
}

impl std::fmt::Debug for ViewWorker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ViewWorker").finish_non_exhaustive()
    }
}
