//! What a move needs of its surroundings: requests to two places, time, chance, and tasks beside it.
//!
//! The logic of this crate is written as `async` functions over a [`World`]. Threads carry it out in a
//! program ([`crate::threads`]); a test plays both places and the scheduler, and so decides in which
//! order the requests of several runs arrive.

use crate::meter::{Units, measured, units};
use keyfold_api::{Request, Response};
use keyfold_client::ClientError;
use keyfold_stream::world::{Boxed, Io};
use keyfold_types::Item;
use std::time::Duration;

/// One of the two places of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Where the table is.
    Source,
    /// Where it goes.
    Target,
}

impl Place {
    /// The other place.
    pub fn other(self) -> Place {
        match self {
            Place::Source => Place::Target,
            Place::Target => Place::Source,
        }
    }

    /// The word for it in sentences.
    pub fn word(self) -> &'static str {
        match self {
            Place::Source => "source",
            Place::Target => "target",
        }
    }
}

/// The surroundings of a move.
pub trait World: Send + Sync + 'static {
    /// Sends a request to a place, and returns its answer.
    fn ask(&self, place: Place, request: Request) -> Boxed<'_, Result<Response, ClientError>>;

    /// Sends a request to a place as another program would, with another `User-Agent` than the mover's, and
    /// returns its answer.
    fn ask_as_program(
        &self,
        place: Place,
        request: Request,
    ) -> Boxed<'_, Result<Response, ClientError>>;

    /// Waits. It may return earlier, when the move is to stop.
    fn pause(&self, time: Duration) -> Boxed<'_, ()>;

    /// Random bits.
    fn random(&self) -> u64;

    /// The time since some moment in the past, of a clock that nobody sets.
    fn now(&self) -> Duration;

    /// The present moment of the wall clock, milliseconds since 1970.
    fn epoch_ms(&self) -> i64;

    /// Notes that these items of a table are asked for next, where that helps to read them together.
    fn will_get(&self, _place: Place, _table: &str, _keys: &[Item]) {}

    /// Notes the units that the answer of a place reports.
    fn used(&self, _place: Place, _units: Units) {}

    /// Runs a task beside this one.
    fn spawn(&self, task: Boxed<'static, ()>);
}

/// One place of a world.
pub struct At<'w> {
    /// The world.
    pub world: &'w dyn World,
    /// The place in it.
    pub place: Place,
}

impl Io for At<'_> {
    fn ask(&self, mut request: Request) -> Boxed<'_, Result<Response, ClientError>> {
        let kind = measured(&mut request);
        Box::pin(async move {
            let answer = self.world.ask(self.place, request).await;
            if let (Some(kind), Ok(response)) = (kind, &answer) {
                self.world.used(self.place, units(kind, response));
            }
            answer
        })
    }

    fn pause(&self, time: Duration) -> Boxed<'_, ()> {
        self.world.pause(time)
    }

    fn random(&self) -> u64 {
        self.world.random()
    }
}
