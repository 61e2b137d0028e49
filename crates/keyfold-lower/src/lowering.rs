//! A call as steps: requests to send, pauses to make, and at the end its result.
//!
//! The functions that make requests are `async`, and they await nothing but an [`Io`]: the answer of
//! a request that they ask, or the end of a pause. A [`Lowering`] owns such a function's future and
//! says what it waits for; a driver sends the requests, waits, and hands the answers back. So the
//! logic is written once, from top to bottom, and does no I/O: it runs under a driver that blocks,
//! under one that awaits, and in a test that plays the database.
//!
//! ```text
//! next([])        -> Ask [GetItem, GetItem]      two requests that may be sent at the same time
//! next([ok, ok])  -> Ask [TransactWriteItems]
//! next([conflict]) -> Pause 1..=4 ms             another writer was faster
//! next([])        -> Ask [GetItem, GetItem]
//! ...             -> Done
//! ```
//!
//! Deliberately absent: a clock and chance. A call takes both from its [`Origin`].

use crate::error::ClientError;
use keyfold_api::{Request, Response};
use keyfold_types::CapacityHalves;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use xxhash_rust::xxh3::xxh3_128;

/// The moment and the chance of a call. The same origin and the same answers make the same requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// The present moment, milliseconds since 1970.
    pub now_epoch_ms: i64,
    /// Random bits, of which new identifiers are made. Two calls with the same bits make the same
    /// identifiers.
    pub seed: u128,
}

impl Origin {
    /// The number behind which the identifiers of a part of a call begin: those of one write of a
    /// transaction, from 0.
    pub fn first_of_part(part: usize) -> u64 {
        (part as u64 + 1) << 32
    }

    /// The random bits that a call takes for its first new identifier, its second, and so on.
    pub fn random(self, number: u64) -> u128 {
        let mut bytes = [0; 24];
        let (seed, place) = bytes.split_at_mut(16);
        seed.copy_from_slice(&self.seed.to_le_bytes());
        place.copy_from_slice(&number.to_le_bytes());
        xxh3_128(&bytes)
    }
}

/// A time to wait: any number of milliseconds between the two, so that writers of one item take
/// turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pause {
    /// The least milliseconds.
    pub least_ms: u64,
    /// The most milliseconds.
    pub most_ms: u64,
}

/// What a call needs next.
#[derive(Debug)]
pub enum Step<T> {
    /// The answers of these requests, at least one. They are independent of each other.
    Ask(Vec<Request>),
    /// Some time.
    Pause(Pause),
    /// Nothing: this is its result.
    Done(Result<T, ClientError>),
}

/// A call under way.
///
/// Dropping it ends the call: no further request follows those that were sent.
pub struct Lowering<'l, T> {
    future: Pin<Box<dyn Future<Output = Result<T, ClientError>> + Send + 'l>>,
    io: Io,
}

impl<'l, T> Lowering<'l, T> {
    /// A call whose requests `make` asks.
    pub(crate) fn new<F>(origin: Origin, make: impl FnOnce(Io) -> F) -> Lowering<'l, T>
    where
        F: Future<Output = Result<T, ClientError>> + Send + 'l,
    {
        let io = Io::new(origin);
        Lowering {
            future: Box::pin(make(io.clone())),
            io,
        }
    }

    /// The next step. `answers` are those of the requests of the step before, in their order; there
    /// are none at the beginning and after a pause.
    ///
    /// # Panics
    /// When the answers are not as many as the requests, and after the last step.
    pub fn next(&mut self, answers: Vec<Result<Response, ClientError>>) -> Step<T> {
        self.io.exchange().accept(answers);
        let mut context = Context::from_waker(Waker::noop());
        match self.future.as_mut().poll(&mut context) {
            Poll::Ready(result) => Step::Done(result),
            Poll::Pending => self.io.exchange().wanted(),
        }
    }
}

/// The questions of a call and their answers, between its future and its driver.
#[derive(Default)]
struct Exchange {
    /// Requests that no step has shown yet.
    asked: Vec<(u64, Request)>,
    /// The tickets of the requests of the last step, in their order.
    sent: Vec<u64>,
    /// Answers that their askers have not taken yet.
    answers: Vec<(u64, Result<Response, ClientError>)>,
    /// The pause that is waited for.
    pause: Option<Pause>,
    /// The number of pauses that were made.
    pauses: u64,
    /// The number of requests that were asked.
    tickets: u64,
    /// The capacity that the answers report.
    spent: CapacityHalves,
}

impl Exchange {
    /// Takes the answers of the last step, or the end of its pause.
    fn accept(&mut self, answers: Vec<Result<Response, ClientError>>) {
        assert_eq!(
            self.sent.len(),
            answers.len(),
            "each request has one answer"
        );
        if self.sent.is_empty() && self.pause.take().is_some() {
            self.pauses += 1;
        }
        let answered = answers.iter().flatten();
        self.spent += answered.filter_map(Response::consumed).sum();
        self.answers.extend(self.sent.drain(..).zip(answers));
    }

    /// The step that the future waits for. A pause is made when no request is left to ask.
    fn wanted<T>(&mut self) -> Step<T> {
        if !self.asked.is_empty() {
            let (tickets, requests) = std::mem::take(&mut self.asked).into_iter().unzip();
            self.sent = tickets;
            return Step::Ask(requests);
        }
        Step::Pause(
            self.pause
                .expect("a call awaits nothing but answers and pauses"),
        )
    }

    /// The answer with a ticket, if it is there.
    fn take(&mut self, ticket: u64) -> Option<Result<Response, ClientError>> {
        let at = self.answers.iter().position(|(own, _)| *own == ticket)?;
        Some(self.answers.swap_remove(at).1)
    }
}

/// The handle by which a call asks.
#[derive(Clone)]
pub(crate) struct Io {
    origin: Origin,
    exchange: Arc<Mutex<Exchange>>,
    /// The first number of the random values that this handle takes, and how many it has taken.
    first: u64,
    taken: Arc<AtomicU64>,
}

impl Io {
    pub(crate) fn new(origin: Origin) -> Io {
        Io {
            origin,
            exchange: Arc::default(),
            first: 0,
            taken: Arc::default(),
        }
    }

    /// The handle of a part of the call, from 0, which takes random bits of its own: parts that run at
    /// the same time make the same identifiers in any order of their answers.
    pub(crate) fn of_part(&self, part: usize) -> Io {
        Io {
            first: Origin::first_of_part(part),
            taken: Arc::default(),
            ..self.clone()
        }
    }

    fn exchange(&self) -> MutexGuard<'_, Exchange> {
        self.exchange.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The moment of the call, milliseconds since 1970.
    pub(crate) fn now_epoch_ms(&self) -> i64 {
        self.origin.now_epoch_ms
    }

    /// The capacity that all answers of the call report.
    pub(crate) fn spent(&self) -> CapacityHalves {
        self.exchange().spent
    }

    /// The next random bits of the call.
    pub(crate) fn random(&self) -> u128 {
        let taken = self.taken.fetch_add(1, Ordering::Relaxed) + 1;
        self.origin.random(self.first + taken)
    }

    /// Asks a request and waits for its answer.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn ask(&self, request: Request) -> Result<Response, ClientError> {
        let ticket = {
            let mut exchange = self.exchange();
            exchange.tickets += 1;
            let ticket = exchange.tickets;
            exchange.asked.push((ticket, request));
            ticket
        };
        poll_fn(|_| match self.exchange().take(ticket) {
            Some(answer) => Poll::Ready(answer),
            None => Poll::Pending,
        })
        .await
    }

    /// Waits. Of several pauses at the same time the longest is made.
    pub(crate) async fn pause(&self, pause: Pause) {
        let before = {
            let mut exchange = self.exchange();
            let longest = exchange.pause.filter(|one| one.most_ms >= pause.most_ms);
            exchange.pause = Some(longest.unwrap_or(pause));
            exchange.pauses
        };
        poll_fn(|_| match self.exchange().pauses > before {
            true => Poll::Ready(()),
            false => Poll::Pending,
        })
        .await;
    }
}

/// Runs futures at the same time, on the task that awaits them: independent parts of a call, or their
/// requests in an asynchronous driver. The results have the order of the parts.
pub fn together<F: Future>(parts: impl IntoIterator<Item = F>) -> Together<F> {
    Together {
        parts: parts
            .into_iter()
            .map(|part| Part::Running(Box::pin(part)))
            .collect(),
    }
}

/// Futures that run at the same time. See [`together`].
pub struct Together<F: Future> {
    parts: Vec<Part<F>>,
}

impl<F: Future<Output: Unpin>> Future for Together<F> {
    type Output = Vec<F::Output>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Vec<F::Output>> {
        let mut is_pending = false;
        for part in &mut self.parts {
            is_pending |= part.poll(context).is_pending();
        }
        if is_pending {
            return Poll::Pending;
        }
        let parts = std::mem::take(&mut self.parts);
        Poll::Ready(parts.into_iter().filter_map(Part::result).collect())
    }
}

/// Runs two independent parts of a call at the same time.
pub(crate) async fn both<A: Future, B: Future>(one: A, other: B) -> (A::Output, B::Output) {
    let mut one = Part::Running(Box::pin(one));
    let mut other = Part::Running(Box::pin(other));
    poll_fn(|context| match (one.poll(context), other.poll(context)) {
        (Poll::Ready(()), Poll::Ready(())) => Poll::Ready(()),
        (Poll::Ready(()) | Poll::Pending, Poll::Ready(()) | Poll::Pending) => Poll::Pending,
    })
    .await;
    let ended = "both parts have ended";
    (one.result().expect(ended), other.result().expect(ended))
}

/// A part of a call that runs beside others.
enum Part<F: Future> {
    Running(Pin<Box<F>>),
    Finished(F::Output),
}

impl<F: Future> Part<F> {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Part::Running(future) = self else {
            return Poll::Ready(());
        };
        let Poll::Ready(result) = future.as_mut().poll(context) else {
            return Poll::Pending;
        };
        *self = Part::Finished(result);
        Poll::Ready(())
    }

    fn result(self) -> Option<F::Output> {
        match self {
            Part::Finished(result) => Some(result),
            Part::Running(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyfold_api::{ListTablesInput, ListTablesOutput};

    const ORIGIN: Origin = Origin {
        now_epoch_ms: 0,
        seed: 1,
    };

    /// A request that its limit names.
    fn request(number: i64) -> Request {
        let input = ListTablesInput {
            limit: Some(number),
            ..ListTablesInput::default()
        };
        input.into()
    }

    fn answer(name: &str) -> Result<Response, ClientError> {
        let output = ListTablesOutput {
            table_names: Some(vec![name.to_owned()]),
            ..ListTablesOutput::default()
        };
        Ok(Response::ListTables(output))
    }

    async fn asked(io: &Io, number: i64) -> String {
        match io.ask(request(number)).await {
            Ok(Response::ListTables(output)) => output.table_names.unwrap().join(""),
            other => panic!("{other:?}"),
        }
    }

    fn requests<T: std::fmt::Debug>(step: Step<T>) -> Vec<Request> {
        match step {
            Step::Ask(requests) => requests,
            other @ (Step::Pause(_) | Step::Done(_)) => panic!("{other:?}"),
        }
    }

    /// Parts run on as soon as their own answer is there; a pause of one of them is made when the others
    /// ask nothing; answers meet their askers whatever the order.
    #[test]
    fn parts_of_a_call_ask_together_and_wait_for_each_other() {
        let short = Pause {
            least_ms: 1,
            most_ms: 2,
        };
        let long = Pause {
            least_ms: 1,
            most_ms: 9,
        };
        let mut call = Lowering::new(ORIGIN, |io| async move {
            let part = |number: i64| {
                let io = io.clone();
                async move {
                    let first = asked(&io, number).await;
                    io.pause(if number == 1 { short } else { long }).await;
                    first + &asked(&io, 10 * number).await
                }
            };
            let other = async {
                let one = asked(&io, 3).await;
                one + &asked(&io, 4).await
            };
            let (parts, other) = both(together([1, 2].map(part)), other).await;
            Ok((parts, other))
        });
        let first = requests(call.next(vec![]));
        assert_eq!(first, [request(1), request(2), request(3)]);
        let second = requests(call.next(vec![answer("a"), answer("b"), answer("c")]));
        assert_eq!(second, [request(4)], "two parts pause");
        let Step::Pause(pause) = call.next(vec![answer("d")]) else {
            panic!("it pauses")
        };
        assert_eq!(pause, long);
        let third = requests(call.next(vec![]));
        assert_eq!(third, [request(10), request(20)]);
        let Step::Done(result) = call.next(vec![answer("e"), answer("f")]) else {
            panic!("it is done")
        };
        let (parts, other) = result.unwrap();
        assert_eq!(
            (parts, other.as_str()),
            (vec!["ae".into(), "bf".into()], "cd")
        );
    }

    #[test]
    fn random_bits_follow_from_the_seed_and_do_not_repeat() {
        let (one, same) = (Io::new(ORIGIN), Io::new(ORIGIN));
        let other = Io::new(Origin { seed: 2, ..ORIGIN });
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..100 {
            let bits = one.random();
            assert_eq!(bits, same.random());
            assert!(seen.insert(bits) && seen.insert(other.random()));
        }
    }

    #[test]
    #[should_panic(expected = "each request has one answer")]
    fn a_request_without_an_answer_is_a_mistake_of_the_driver() {
        let mut call = Lowering::new(ORIGIN, |io| async move { Ok(asked(&io, 1).await) });
        assert_eq!(requests(call.next(vec![])).len(), 1);
        call.next(vec![]);
    }
}
