//! What the tasks of a run share: their surroundings, the fence, and why the run ends.

use crate::ledger::Ledger;
use crate::options::Options;
use crate::pace::Pace;
pub(crate) use crate::patience::Patience;
use crate::progress::Progress;
use crate::rows::RunRow;
use crate::world::{At, Place, World};
use keyfold_api::Input;
use keyfold_api::Request;
use keyfold_client::ClientError;
use keyfold_stream::world::ask;
use keyfold_types::KeySchema;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Why a task ends before its work is done.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The caller wants it.
    Asked,
    /// Another run has the move.
    Lost,
    /// It cannot go on.
    Failed(ClientError),
}

impl From<ClientError> for Stop {
    fn from(error: ClientError) -> Stop {
        Stop::Failed(error)
    }
}

/// The tasks of a run.
pub(crate) struct Crew {
    pub(crate) world: Arc<dyn World>,
    pub(crate) options: Options,
    pub(crate) ledger: Ledger,
    pub(crate) schema: KeySchema,
    pub(crate) run: RunRow,
    pub(crate) progress: Arc<Progress>,
    pub(crate) reads: Pace,
    pub(crate) writes: Pace,
    /// Whether segments are being copied: deletions leave tombstones.
    pub(crate) is_copying: AtomicBool,
    /// Whether all segments are copied, and the tombstones forgotten.
    pub(crate) is_past_copy: AtomicBool,
    /// When it was last noted that no change was missed, milliseconds since 1970.
    pub(crate) noted_ms: AtomicI64,
    end: Mutex<Option<Stop>>,
}

/// Ends a run when it is dropped before its task is done, which only a panic does.
struct EndsRun {
    crew: Arc<Crew>,
    is_done: bool,
}

impl Drop for EndsRun {
    fn drop(&mut self) {
        if !self.is_done {
            let why = format!(
                "a task of the move of {} has panicked, which is a fault of this program; what was written \
                 is right, and the same command goes on from there",
                self.crew.options.table
            );
            self.crew.end(Stop::Failed(ClientError::refused(why)));
        }
    }
}

impl Crew {
    pub(crate) fn new(
        (world, options): (Arc<dyn World>, Options),
        (ledger, run): (Ledger, RunRow),
        schema: KeySchema,
        progress: Arc<Progress>,
    ) -> Crew {
        Crew {
            reads: Pace::new(options.rate),
            writes: Pace::new(options.rate),
            is_copying: AtomicBool::new(true),
            is_past_copy: AtomicBool::new(false),
            noted_ms: AtomicI64::new(run.seen_ms),
            end: Mutex::new(None),
            world,
            options,
            ledger,
            schema,
            run,
            progress,
        }
    }

    pub(crate) fn at(&self, place: Place) -> At<'_> {
        At {
            world: &*self.world,
            place,
        }
    }

    /// Ends the run. The first reason counts.
    pub(crate) fn end(&self, stop: Stop) {
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        end.get_or_insert(stop);
    }

    /// Runs a task beside this one. One that panics ends the run.
    pub(crate) fn spawn(self: &Arc<Crew>, task: impl Future<Output = ()> + Send + 'static) {
        let guard = EndsRun {
            crew: Arc::clone(self),
            is_done: false,
        };
        self.world.spawn(Box::pin(async move {
            let mut guard = guard;
            task.await;
            guard.is_done = true;
        }));
    }

    /// Why the run ends, if it does.
    pub(crate) fn take_end(&self) -> Option<Stop> {
        self.end
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// # Errors
    /// `Asked` when the run is to end.
    pub(crate) fn check(&self) -> Result<(), Stop> {
        let end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        match end.is_some() || self.progress.is_stopping() {
            true => Err(Stop::Asked),
            false => Ok(()),
        }
    }

    /// Sends a request until it is answered with something that no pause changes.
    ///
    /// # Errors
    /// `Failed` with that, or with the last of many answers that a pause may change.
    pub(crate) async fn ask<I: Input + Into<Request> + Clone>(
        &self,
        place: Place,
        input: I,
    ) -> Result<I::Output, Stop> {
        let mut patience = Patience::new();
        loop {
            self.check()?;
            match ask(&self.at(place), input.clone()).await {
                Ok(output) => return Ok(output),
                Err(error) => self.wait_out(&mut patience, place, error).await?,
            }
        }
    }

    /// Waits after an error that may pass. Throttling and conflicts are waited out for any time; a
    /// place that does not answer, some time.
    ///
    /// # Errors
    /// `Failed` when the error does not pass; `Asked` when the run is to end.
    pub(crate) async fn wait_out(
        &self,
        patience: &mut Patience,
        place: Place,
        error: ClientError,
    ) -> Result<(), Stop> {
        let pause = patience.after(&error, self.world.random());
        let Some(pause) = pause else {
            return Err(Stop::Failed(error));
        };
        self.check()?;
        self.progress.troubled(place, &error);
        self.world.pause(pause).await;
        Ok(())
    }

    /// Whether deletions leave tombstones.
    pub(crate) fn is_copying(&self) -> bool {
        self.is_copying.load(Ordering::SeqCst)
    }
}
