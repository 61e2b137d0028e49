//! A line to the engine that loses answers and delivers requests twice. The request is carried out
//! each time; the client repeats what it may repeat, under the same token, as it does at an endpoint.
//! Of other requests it learns that their outcome is unknown.
//!
//! Requests that make or list tables pass as they are.

use keyfold_api::{Idempotency, Request, Response};
use keyfold_client::{Backend, ClientError, time_of, wait};
use keyfold_lower::{Lowering, Step};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// One answer of so many is lost.
const LOST_ODDS: u8 = 12;
/// One request of so many is delivered twice.
const TWICE_ODDS: u8 = 20;

/// The faults of a line, drawn from a seed.
pub(crate) struct Faults {
    rng: Mutex<fastrand::Rng>,
    /// The requests that were carried out twice.
    pub(crate) repeated: AtomicUsize,
    /// The requests whose outcome the client does not know.
    pub(crate) unknown: AtomicUsize,
}

impl Faults {
    pub(crate) fn new(seed: u64) -> Faults {
        Faults {
            rng: Mutex::new(fastrand::Rng::with_seed(seed)),
            repeated: AtomicUsize::new(0),
            unknown: AtomicUsize::new(0),
        }
    }

    /// Carries out the steps of a call.
    pub(super) fn drive<T>(
        &self,
        backend: &Backend,
        mut call: Lowering<'_, T>,
    ) -> Result<T, ClientError> {
        let mut answers = Vec::new();
        loop {
            match call.next(std::mem::take(&mut answers)) {
                Step::Ask(requests) => {
                    let requests = requests.into_iter();
                    answers = requests.map(|one| self.answer(backend, one)).collect();
                }
                Step::Pause(pause) => wait(time_of(pause)),
                Step::Done(result) => return result,
            }
        }
    }

    /// The answer that arrives.
    fn answer(&self, backend: &Backend, mut request: Request) -> Result<Response, ClientError> {
        let (is_lost, is_twice, token) = {
            let mut rng = self.rng.lock().unwrap_or_else(PoisonError::into_inner);
            let (lost, twice) = (rng.u8(..LOST_ODDS) == 0, rng.u8(..TWICE_ODDS) == 0);
            (lost, twice, rng.u128(..))
        };
        if let Some(own) = request.token_mut() {
            own.get_or_insert(format!("{token:032x}"));
        }
        let may_repeat = match request.idempotency() {
            Idempotency::ReadOnly | Idempotency::ByToken => true,
            // The same items again: a batch has no conditions.
            Idempotency::None => matches!(request, Request::BatchWriteItem(_)),
        };
        let is_write = matches!(
            request,
            Request::PutItem(_)
                | Request::UpdateItem(_)
                | Request::DeleteItem(_)
                | Request::BatchWriteItem(_)
        );
        if may_repeat && (is_twice || (is_lost && !is_write)) {
            self.repeated.fetch_add(1, Ordering::Relaxed);
            let _first = backend.call(request.clone());
        }
        let operation = request.operation();
        let answer = backend.call(request);
        if is_lost && is_write {
            self.unknown.fetch_add(1, Ordering::Relaxed);
            return Err(ClientError::OutcomeUnknown {
                why: "the answer was lost".to_owned(),
                check: format!("what the {} was to change", operation.name()),
            });
        }
        answer
    }
}
