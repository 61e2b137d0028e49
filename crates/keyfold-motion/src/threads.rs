//! Threads that carry a move out: one for each of its tasks. A request blocks its thread.

use crate::located::{Whereabouts, located};
use crate::meter::Units;
use crate::progress::Progress;
use crate::refusal::PROBING_AGENT;
use crate::sides::Side;
use crate::world::{Place, World};
use keyfold_api::{ErrorKind, Operation, Request, Response};
use keyfold_client::{ClientError, blocked, origin};
use keyfold_stream::world::Boxed;
use keyfold_types::Item;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The surroundings of a move in a program.
pub struct Threads {
    itself: Weak<Threads>,
    source: Side,
    target: Side,
    called: Called,
    progress: Arc<Progress>,
    began: Instant,
    tasks: Mutex<Vec<JoinHandle<()>>>,
}

/// What errors of both places say of them.
#[derive(Debug, Clone)]
pub struct Called {
    /// The source and the target, with an article: `the source http://127.0.0.1:8000`.
    pub places: [String; 2],
    /// Where the rights are listed that are needed there: `docs/move.md lists the rights of a move`.
    pub rights: &'static str,
}

/// The longest that a pause lasts after the move is to stop.
const SLICE: Duration = Duration::from_millis(20);

impl Threads {
    /// Threads that send requests to two places, whose errors name them, and whose pauses end when the move is to
    /// stop. Runs whose time begins at one moment can be compared by it.
    pub fn new(
        [source, target]: [impl Into<Side>; 2],
        called: Called,
        progress: Arc<Progress>,
        began: Instant,
    ) -> Arc<Threads> {
        Arc::new_cyclic(|itself| Threads {
            itself: Weak::clone(itself),
            source: source.into(),
            target: target.into(),
            called,
            progress,
            began,
            tasks: Mutex::default(),
        })
    }

    /// Waits until all tasks have ended. They do when the move is to stop.
    pub fn join(&self) {
        loop {
            let task = {
                let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
                tasks.pop()
            };
            let Some(task) = task else { return };
            // A task that panicked has ended.
            drop(task.join());
        }
    }
}

impl Threads {
    /// What a place is.
    fn of(&self, place: Place) -> &Side {
        match place {
            Place::Source => &self.source,
            Place::Target => &self.target,
        }
    }

    /// The error of a request, with the place that people know.
    fn said(&self, error: ClientError, place: Place, operation: Operation) -> ClientError {
        let [source, target] = &self.called.places;
        let of = Whereabouts {
            place: match place {
                Place::Source => source,
                Place::Target => target,
            },
            rights: self.called.rights,
            request: operation.name(),
        };
        located(error, of)
    }
}

impl World for Threads {
    fn ask(&self, place: Place, request: Request) -> Boxed<'_, Result<Response, ClientError>> {
        Box::pin(async move {
            let operation = request.operation();
            let answer = self.of(place).call(request);
            answer.map_err(|error| self.said(error, place, operation))
        })
    }

    fn ask_as_program(
        &self,
        place: Place,
        request: Request,
    ) -> Boxed<'_, Result<Response, ClientError>> {
        Box::pin(async move {
            let operation = request.operation();
            match self.of(place).call_as(PROBING_AGENT, request) {
                Err(error) if error.kind() == Some(ErrorKind::AccessDenied) => Err(error),
                answer => answer.map_err(|error| self.said(error, place, operation)),
            }
        })
    }

    fn pause(&self, time: Duration) -> Boxed<'_, ()> {
        Box::pin(async move {
            let end = Instant::now() + time;
            loop {
                let left = end.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return;
                }
                std::thread::sleep(left.min(SLICE));
                if self.progress.is_stopping() {
                    return;
                }
            }
        })
    }

    fn will_get(&self, place: Place, table: &str, keys: &[Item]) {
        match place {
            Place::Source => self.source.will_get(table, keys),
            Place::Target => self.target.will_get(table, keys),
        }
    }

    fn random(&self) -> u64 {
        fastrand::u64(..)
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    fn epoch_ms(&self) -> i64 {
        origin().now_epoch_ms
    }

    fn used(&self, place: Place, units: Units) {
        self.progress.used(place, units);
    }

    fn spawn(&self, task: Boxed<'static, ()>) {
        let surroundings = self.itself.upgrade();
        let task = std::thread::spawn(move || {
            blocked(task);
            drop(surroundings);
        });
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.push(task);
    }
}
