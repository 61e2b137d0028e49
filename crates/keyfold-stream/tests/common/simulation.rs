//! Workers in a world whose order of events a seed decides: which request is carried out next, which
//! answer is lost, who is killed or stands still, and when shards are split.

use super::{answer, make_tables};
use keyfold_api::{ErrorKind, GetRecordsOutput, Request, Response};
use keyfold_engine::{Clock, Engine, EngineOptions, Environment, StoreOptions, StreamShards};
use keyfold_lower::ClientError;
use keyfold_stream::world::{Boxed, Io, World};
use keyfold_stream::{Handler, Options, Tasks};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// What may go wrong, each once in so many requests; 0 for never.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Faults {
    pub(crate) throttled: u64,
    /// The request did not arrive.
    pub(crate) unsent: u64,
    /// It was carried out, and its answer was lost.
    pub(crate) lost: u64,
    /// It is on its way yet when the client gives up, and is carried out some time later.
    pub(crate) late: u64,
    /// A page of records is answered twice.
    pub(crate) twice: u64,
    /// A page of records is empty, and its iterator leads on, as of a shard with few records.
    pub(crate) sparse: u64,
    /// The worker stands still for three lease times.
    pub(crate) still: u64,
    /// The worker is killed, and another one started.
    pub(crate) killed: u64,
}

/// A change of a request before it is carried out: what a wrong program would send.
pub(crate) type Mutant = fn(&mut Request);

struct SimClock(AtomicU64);

impl Clock for SimClock {
    fn now_ms(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

pub(crate) struct Simulation {
    pub(crate) engine: Arc<Engine>,
    clock: Arc<SimClock>,
    state: Arc<Mutex<State>>,
    faults: Faults,
    mutant: Option<Mutant>,
    make: Make,
    workers: BTreeMap<u64, Worker>,
    next_worker: u64,
    pub(crate) kills: u64,
}

/// What a worker begins with, by its number and its surroundings.
type Make = Box<dyn Fn(u64, Arc<dyn World>) -> Boxed<'static, ()>>;

struct Worker {
    tasks: Vec<(u64, Boxed<'static, ()>)>,
    still_until: Duration,
}

struct State {
    now: Duration,
    random: u64,
    next: u64,
    /// Requests that wait to be carried out, and pauses with their ends, by ticket.
    waiting: BTreeMap<u64, Waiting>,
    answers: BTreeMap<u64, Result<Response, ClientError>>,
    /// Requests whose senders wait no more, and that will arrive.
    under_way: Vec<Request>,
    /// Tasks that were begun by a worker and have not run yet.
    begun: Vec<(u64, Boxed<'static, ()>)>,
}

struct Waiting {
    worker: u64,
    what: What,
}

enum What {
    Request(Box<Request>),
    Until(Duration),
}

impl State {
    fn random(&mut self) -> u64 {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let mixed = self.random ^ (self.random >> 33);
        mixed.wrapping_mul(0xff51_afd7_ed55_8ccd) >> 20
    }

    /// True once in so many times.
    fn happens(&mut self, once_in: u64) -> bool {
        once_in > 0 && self.random().is_multiple_of(once_in)
    }

    fn wait(&mut self, worker: u64, what: What) -> u64 {
        self.next += 1;
        self.waiting.insert(self.next, Waiting { worker, what });
        self.next
    }
}

struct SimWorld {
    state: Arc<Mutex<State>>,
    worker: u64,
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap()
}

struct Answer<'w> {
    world: &'w SimWorld,
    ticket: u64,
}

impl Future for Answer<'_> {
    type Output = Result<Response, ClientError>;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        match lock(&self.world.state).answers.remove(&self.ticket) {
            Some(answer) => Poll::Ready(answer),
            None => Poll::Pending,
        }
    }
}

impl Io for SimWorld {
    fn ask(&self, request: Request) -> Boxed<'_, Result<Response, ClientError>> {
        let ticket = lock(&self.state).wait(self.worker, What::Request(Box::new(request)));
        Box::pin(Answer {
            world: self,
            ticket,
        })
    }

    fn pause(&self, time: Duration) -> Boxed<'_, ()> {
        let mut state = lock(&self.state);
        let end = state.now + time.max(Duration::from_millis(1));
        let ticket = state.wait(self.worker, What::Until(end));
        drop(state);
        Box::pin(async move {
            std::future::poll_fn(|_| match lock(&self.state).waiting.contains_key(&ticket) {
                true => Poll::Pending,
                false => Poll::Ready(()),
            })
            .await;
        })
    }

    fn random(&self) -> u64 {
        lock(&self.state).random()
    }
}

impl World for SimWorld {
    fn now(&self) -> Duration {
        // No two workers have the same clock: they began at different moments.
        lock(&self.state).now + Duration::from_secs(3_600) * u32::try_from(self.worker % 5).unwrap()
    }

    fn epoch_ms(&self) -> i64 {
        // Some clocks are an hour off.
        let now = i64::try_from(lock(&self.state).now.as_millis()).unwrap();
        1_700_000_000_000 + now + (i64::try_from(self.worker % 3).unwrap() - 1) * 3_600_000
    }

    fn spawn(&self, task: Boxed<'static, ()>) {
        lock(&self.state).begun.push((self.worker, task));
    }
}

/// A program beside the workers, to which nothing happens.
pub(crate) struct QuietWorld {
    engine: Arc<Engine>,
    state: Arc<Mutex<State>>,
}

impl Io for QuietWorld {
    fn ask(&self, request: Request) -> Boxed<'_, Result<Response, ClientError>> {
        Box::pin(std::future::ready(answer(&self.engine, request)))
    }

    fn pause(&self, _: Duration) -> Boxed<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn random(&self) -> u64 {
        lock(&self.state).random()
    }
}

impl World for QuietWorld {
    fn now(&self) -> Duration {
        lock(&self.state).now
    }

    fn epoch_ms(&self) -> i64 {
        1_700_000_000_000 + i64::try_from(self.now().as_millis()).unwrap()
    }

    fn spawn(&self, _: Boxed<'static, ()>) {
        panic!("it has no tasks");
    }
}

impl Simulation {
    pub(crate) fn quiet_world(&self) -> QuietWorld {
        QuietWorld {
            engine: Arc::clone(&self.engine),
            state: Arc::clone(&self.state),
        }
    }

    pub(crate) fn new(
        seed: u64,
        shards: StreamShards,
        make: impl Fn(u64) -> (Options, Arc<dyn Handler>) + 'static,
    ) -> Simulation {
        Simulation::within(seed, shards, |_, world| world, make)
    }

    /// A simulation of workers whose surroundings a test puts others around.
    pub(crate) fn within(
        seed: u64,
        shards: StreamShards,
        surround: impl Fn(u64, Arc<dyn World>) -> Arc<dyn World> + 'static,
        make: impl Fn(u64) -> (Options, Arc<dyn Handler>) + 'static,
    ) -> Simulation {
        let simulation = Simulation::of(seed, shards, move |worker, world| {
            let world = surround(worker, world);
            let (options, handler) = make(worker);
            Box::pin(async move {
                loop {
                    let (world, options) = (Arc::clone(&world), options.clone());
                    let prepared = Tasks::prepare(world, options, Arc::clone(&handler));
                    // A program that cannot start is started again.
                    if let Ok(tasks) = prepared.await {
                        return tasks.begin();
                    }
                }
            })
        });
        make_tables(&simulation.engine);
        simulation
    }

    /// A simulation of any program, without tables.
    pub(crate) fn of(
        seed: u64,
        shards: StreamShards,
        make: impl Fn(u64, Arc<dyn World>) -> Boxed<'static, ()> + 'static,
    ) -> Simulation {
        let clock = Arc::new(SimClock(AtomicU64::new(1_700_000_000_000)));
        let environment = Environment {
            clock: clock.clone(),
            ..Environment::system()
        };
        let options = EngineOptions {
            environment,
            background: false,
            shards,
            ..EngineOptions::new(StoreOptions::Memory)
        };
        let engine = Engine::open(options).unwrap();
        Simulation {
            engine: Arc::new(engine),
            clock,
            state: Arc::new(Mutex::new(State {
                now: Duration::ZERO,
                random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
                next: 0,
                waiting: BTreeMap::new(),
                answers: BTreeMap::new(),
                under_way: Vec::new(),
                begun: Vec::new(),
            })),
            faults: Faults::default(),
            mutant: None,
            make: Box::new(make),
            workers: BTreeMap::new(),
            next_worker: 0,
            kills: 0,
        }
    }

    pub(crate) fn set_faults(&mut self, faults: Faults) {
        self.faults = faults;
    }

    pub(crate) fn set_mutant(&mut self, mutant: Mutant) {
        self.mutant = Some(mutant);
    }

    pub(crate) fn now(&self) -> Duration {
        lock(&self.state).now
    }

    pub(crate) fn random(&self) -> u64 {
        lock(&self.state).random()
    }

    /// Starts a worker.
    pub(crate) fn start(&mut self) -> u64 {
        self.next_worker += 1;
        let number = self.next_worker;
        let world: Arc<dyn World> = Arc::new(SimWorld {
            state: Arc::clone(&self.state),
            worker: number,
        });
        let first = (self.make)(number, world);
        let worker = Worker {
            tasks: vec![(0, first)],
            still_until: Duration::ZERO,
        };
        self.workers.insert(number, worker);
        self.poll(number);
        number
    }

    /// Lets a worker stand still: what it is about goes on at a moment.
    pub(crate) fn stand_still(&mut self, number: u64, until: Duration) {
        if let Some(worker) = self.workers.get_mut(&number) {
            worker.still_until = until;
        }
    }

    /// Kills a worker: nothing of it goes on, and some of its requests arrive yet.
    pub(crate) fn kill(&mut self, number: u64) {
        self.workers.remove(&number);
        self.kills += 1;
        let mut state = lock(&self.state);
        state.begun.retain(|(worker, _)| *worker != number);
        let own: Vec<u64> = state
            .waiting
            .iter()
            .filter(|(_, one)| one.worker == number)
            .map(|(at, _)| *at)
            .collect();
        for ticket in own {
            let waiting = state.waiting.remove(&ticket).unwrap();
            if let What::Request(request) = waiting.what
                && state.happens(2)
            {
                state.under_way.push(*request);
            }
        }
    }

    /// Polls the tasks of a worker until none goes on.
    fn poll(&mut self, number: u64) {
        let Some(worker) = self.workers.get_mut(&number) else {
            return;
        };
        let mut tasks = std::mem::take(&mut worker.tasks);
        loop {
            let before = lock(&self.state).next;
            tasks.retain_mut(|(_, task)| {
                task.as_mut()
                    .poll(&mut Context::from_waker(Waker::noop()))
                    .is_pending()
            });
            let mut state = lock(&self.state);
            let (own, others) = std::mem::take(&mut state.begun)
                .into_iter()
                .partition(|(of, _)| *of == number);
            state.begun = others;
            let own: Vec<(u64, Boxed<'static, ()>)> = own;
            let is_quiet = own.is_empty() && state.next == before;
            drop(state);
            tasks.extend(own);
            if is_quiet {
                break;
            }
        }
        if let Some(worker) = self.workers.get_mut(&number) {
            worker.tasks = tasks;
        }
    }

    /// Does one thing of all that may happen next.
    pub(crate) fn step(&mut self) {
        let (faults, count) = (self.faults, self.workers.len());
        let mut state = lock(&self.state);
        if count > 1 && state.happens(faults.killed) {
            let at = usize::try_from(state.random() % count as u64).unwrap();
            drop(state);
            let number = *self.workers.keys().nth(at).unwrap();
            self.kill(number);
            self.start();
            return;
        }
        if count > 0 && state.happens(faults.still) {
            let at = usize::try_from(state.random() % count as u64).unwrap();
            let until = state.now + Duration::from_secs(30);
            drop(state);
            self.workers.values_mut().nth(at).unwrap().still_until = until;
            return;
        }
        if !state.under_way.is_empty() && state.happens(8) {
            let at = usize::try_from(state.random() % state.under_way.len() as u64).unwrap();
            let request = state.under_way.swap_remove(at);
            drop(state);
            return drop(answer(&self.engine, self.mutated(request)));
        }
        let now = state.now;
        let is_awake = |worker: u64| {
            self.workers
                .get(&worker)
                .is_some_and(|one| one.still_until <= now)
        };
        let due: Vec<u64> = state
            .waiting
            .iter()
            .filter(|(_, one)| is_awake(one.worker))
            .filter(|(_, one)| match &one.what {
                What::Request(_) => true,
                What::Until(end) => *end <= now,
            })
            .map(|(ticket, _)| *ticket)
            .collect();
        if due.is_empty() {
            drop(state);
            return self.advance();
        }
        let at = usize::try_from(state.random() % due.len() as u64).unwrap();
        let Waiting { worker, what } = state.waiting.remove(&due[at]).unwrap();
        if let What::Request(request) = what {
            let fault = [
                faults.late,
                faults.throttled,
                faults.unsent,
                faults.lost,
                faults.twice,
                faults.sparse,
            ]
            .map(|one| state.happens(one));
            drop(state);
            let answered = self.carry(*request, fault);
            lock(&self.state).answers.insert(due[at], answered);
        } else {
            drop(state);
        }
        self.poll(worker);
    }

    fn mutated(&self, mut request: Request) -> Request {
        if let Some(mutant) = self.mutant {
            mutant(&mut request);
        }
        request
    }

    fn carry(&self, request: Request, fault: [bool; 6]) -> Result<Response, ClientError> {
        let request = self.mutated(request);
        let is_read = request.idempotency() == keyfold_api::Idempotency::ReadOnly;
        let [late, throttled, unsent, lost, twice, sparse] = fault;
        if late && !is_read {
            lock(&self.state).under_way.push(request);
            return Err(unknown());
        }
        if throttled {
            return Err(ClientError::Service {
                kind: Some(ErrorKind::ProvisionedThroughputExceeded),
                exception: ErrorKind::ProvisionedThroughputExceeded
                    .exception()
                    .to_owned(),
                message: "too fast".to_owned(),
                reasons: Vec::new(),
                found: Vec::new(),
            });
        }
        if unsent {
            return Err(ClientError::Transport("not reached".to_owned()));
        }
        let iterator = if let Request::GetRecords(input) = &request {
            input.shard_iterator.clone()
        } else {
            None
        };
        if let (true, Some(iterator)) = (sparse, &iterator) {
            return Ok(Response::GetRecords(GetRecordsOutput {
                records: Some(Vec::new()),
                next_shard_iterator: Some(iterator.clone()),
            }));
        }
        let mut answered = answer(&self.engine, request);
        if lost && !is_read {
            return Err(unknown());
        }
        if let (true, Ok(Response::GetRecords(page)), Some(iterator)) =
            (twice, &mut answered, iterator)
        {
            page.next_shard_iterator = Some(iterator);
        }
        answered
    }

    /// Lets time pass until something is due.
    fn advance(&mut self) {
        let mut state = lock(&self.state);
        let ends = state.waiting.values().filter_map(|one| match &one.what {
            What::Request(_) => None,
            What::Until(end) => Some(*end),
        });
        let stills = self.workers.values().map(|one| one.still_until);
        let next = ends.chain(stills).filter(|end| *end > state.now).min();
        let to = next.unwrap_or(state.now + Duration::from_millis(100));
        let passed = to
            .saturating_sub(state.now)
            .min(Duration::from_secs(1))
            .max(Duration::from_millis(1));
        state.now += passed;
        drop(state);
        self.clock
            .0
            .fetch_add(u64::try_from(passed.as_millis()).unwrap(), Ordering::SeqCst);
        self.engine.work().unwrap();
    }
}

fn unknown() -> ClientError {
    ClientError::OutcomeUnknown {
        why: "the answer was lost".to_owned(),
        check: "the lease".to_owned(),
    }
}
