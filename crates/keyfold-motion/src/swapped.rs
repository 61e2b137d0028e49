//! The surroundings of the other direction: the target of the move is the source there.

use crate::meter::Units;
use crate::world::{Place, World};
use keyfold_api::{Request, Response};
use keyfold_client::ClientError;
use keyfold_stream::world::Boxed;
use keyfold_types::Item;
use std::sync::Arc;
use std::time::Duration;

/// A world whose places are swapped.
struct Swapped(Arc<dyn World>);

/// The surroundings of the other direction.
pub fn swapped(world: Arc<dyn World>) -> Arc<dyn World> {
    Arc::new(Swapped(world))
}

impl World for Swapped {
    fn ask(&self, place: Place, request: Request) -> Boxed<'_, Result<Response, ClientError>> {
        self.0.ask(place.other(), request)
    }

    fn ask_as_program(
        &self,
        place: Place,
        request: Request,
    ) -> Boxed<'_, Result<Response, ClientError>> {
        self.0.ask_as_program(place.other(), request)
    }

    fn pause(&self, time: Duration) -> Boxed<'_, ()> {
        self.0.pause(time)
    }

    fn random(&self) -> u64 {
        self.0.random()
    }

    fn now(&self) -> Duration {
        self.0.now()
    }

    fn epoch_ms(&self) -> i64 {
        self.0.epoch_ms()
    }

    fn will_get(&self, place: Place, table: &str, keys: &[Item]) {
        self.0.will_get(place.other(), table, keys);
    }

    fn used(&self, place: Place, units: Units) {
        self.0.used(place.other(), units);
    }

    fn spawn(&self, task: Boxed<'static, ()>) {
        self.0.spawn(task);
    }
}
