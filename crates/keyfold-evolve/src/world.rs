//! What a run needs of its surroundings: requests, time, chance, and a backend to verify.
//!
//! The logic of this crate is written over a [`World`]. [`Place`] is how it runs in a program; a test gives
//! it a backend that fails.

use keyfold_api::{Request, Response};
use keyfold_client::{Backend, ClientError, origin};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The surroundings of a run.
pub trait World: Send + Sync {
    /// Sends a request, and returns its answer.
    ///
    /// # Errors
    /// The backend's.
    fn ask(&self, request: Request) -> Result<Response, ClientError>;

    /// Waits.
    fn pause(&self, time: Duration);

    /// The time since some moment in the past, of a clock that nobody sets.
    fn now(&self) -> Duration;

    /// The present moment of the wall clock, milliseconds since 1970.
    fn epoch_ms(&self) -> i64;

    /// Random bits.
    fn random(&self) -> u64;

    /// The backend whose tables are verified.
    fn backend(&self) -> &Backend;

    /// What people call the place of the tables by.
    fn name(&self) -> &str;
}

/// The surroundings of a run in a program.
pub struct Place {
    backend: Arc<Backend>,
    name: String,
    began: Instant,
}

impl Place {
    /// The tables of a backend, which people call by a name.
    pub fn new(backend: Arc<Backend>, name: &str) -> Place {
        Place {
            backend,
            name: name.to_owned(),
            began: Instant::now(),
        }
    }
}

impl World for Place {
    fn ask(&self, request: Request) -> Result<Response, ClientError> {
        self.backend.call(request)
    }

    fn pause(&self, time: Duration) {
        std::thread::sleep(time);
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    fn epoch_ms(&self) -> i64 {
        origin().now_epoch_ms
    }

    fn random(&self) -> u64 {
        fastrand::u64(..)
    }

    fn backend(&self) -> &Backend {
        &self.backend
    }

    fn name(&self) -> &str {
        &self.name
    }
}
