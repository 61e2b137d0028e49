//! The tasks of a worker, in any surroundings: how they begin and end.

use crate::coordinator::{coordinate, renew};
use crate::crew::Crew;
use crate::failures;
use crate::handler::Handler;
use crate::latest;
use crate::options::Options;
use crate::start::Start;
use crate::topology::stream_of;
use crate::world::World;
use keyfold_lower::ClientError;
use std::fmt;
use std::sync::Arc;

/// A worker as tasks of its surroundings. [`crate::Worker`] is one on threads.
#[derive(Clone)]
pub struct Tasks {
    crew: Arc<Crew>,
}

impl Tasks {
    /// A worker that has not begun. The tables of the leases and of the failures are made if they are
    /// absent. Where a consumer begins with the latest record, that place is found and stored.
    ///
    /// # Errors
    /// `Invalid` for settings that contradict each other; `Refused` when the table is absent or has no
    /// stream; the backend's error.
    pub async fn prepare(
        world: Arc<dyn World>,
        options: Options,
        handler: Arc<dyn Handler>,
    ) -> Result<Tasks, ClientError> {
        options.check().map_err(ClientError::Invalid)?;
        stream_of(&*world, &options.table).await?;
        let crew = Arc::new(Crew::new(Arc::clone(&world), options, handler));
        crew.leases.ensure(&*world).await?;
        failures::ensure(&*world, &crew.options.failures).await?;
        if crew.options.start == Start::Latest {
            latest::ensure(&*world, &crew.leases, &crew.options.table).await?;
        }
        Ok(Tasks { crew })
    }

    /// Begins to take leases and to read their shards.
    pub fn begin(&self) {
        let world = &self.crew.world;
        world.spawn(Box::pin(renew(Arc::clone(&self.crew))));
        world.spawn(Box::pin(coordinate(Arc::clone(&self.crew))));
    }

    /// Lets all tasks end after what they are about, and give the leases back.
    pub fn stop(&self) {
        self.crew.stop();
    }

    /// Whether the worker stops, or has stopped.
    pub fn is_stopping(&self) -> bool {
        self.crew.is_stopping()
    }

    /// The reason for which the worker stopped by itself.
    pub fn why(&self) -> Option<String> {
        self.crew.why()
    }

    pub(crate) fn options(&self) -> &Options {
        &self.crew.options
    }
}

impl fmt::Debug for Tasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tasks")
            .field("options", self.options())
            .finish_non_exhaustive()
    }
}
