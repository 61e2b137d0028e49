//! Two places and a scheduler, whose order of events a seed decides: which request is carried out next,
//! which answer is lost, which run is killed or stands still, and when a shard is split.
//!
//! The places are plain maps, so that a hundred thousand worlds take seconds. They understand the
//! requests that a move sends, and nothing else: another one ends the test.

mod chance;
mod mutant;
mod places;
mod requests;
mod settings;
mod sleep;
mod values;

use chance::Chance;
use keyfold_api::{ErrorKind, Request, Response};
use keyfold_client::ClientError;
use keyfold_motion::tables::{Followable, look};
use keyfold_motion::world::{Place, World};
use keyfold_motion::{Ended, Options, Progress, abort, carry_on, complete, pause, prepare};
use keyfold_stream::world::Boxed;
pub(crate) use mutant::{Fence, Mutant};
use places::Places;
use requests::{is_of_table, is_page, keys_of, write_of};
use sleep::{Meanwhile, Sleep, Until};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// A task of a run.
type TaskKey = (u64, usize);

enum What {
    Request(Place, Box<Request>),
    Pause,
}

struct State {
    places: Places,
    chance: Chance,
    steps: u64,
    /// The task that is being polled.
    polled: TaskKey,
    next: u64,
    waiting: Vec<(u64, TaskKey, What)>,
    answers: BTreeMap<u64, Result<Response, ClientError>>,
    /// Requests whose senders wait no more, and that will arrive.
    under_way: Vec<(u64, Place, Request)>,
    begun: Vec<(u64, Boxed<'static, ()>)>,
    ended: BTreeMap<u64, Result<Done, ClientError>>,
    faults: bool,
    days: i64,
    sleep: Sleep,
}

/// What a process of the world is to do.
#[derive(Clone, Copy)]
enum Wish {
    Run,
    Abort,
    Pause,
    Complete,
}

/// What a process has done.
#[derive(Debug)]
enum Done {
    Run(Ended),
    Aborted,
    Paused,
    Completed,
}

struct SimWorld {
    state: Arc<Mutex<State>>,
    run: u64,
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

impl SimWorld {
    fn wait(&self, what: What) -> u64 {
        let mut state = lock(&self.state);
        state.next += 1;
        let (ticket, task) = (state.next, state.polled);
        state.waiting.push((ticket, task, what));
        ticket
    }
}

impl World for SimWorld {
    fn ask(&self, place: Place, request: Request) -> Boxed<'_, Result<Response, ClientError>> {
        let ticket = self.wait(What::Request(place, Box::new(request)));
        Box::pin(Answer {
            world: self,
            ticket,
        })
    }

    fn ask_as_program(
        &self,
        place: Place,
        request: Request,
    ) -> Boxed<'_, Result<Response, ClientError>> {
        self.ask(place, request)
    }

    fn pause(&self, _: Duration) -> Boxed<'_, ()> {
        let ticket = self.wait(What::Pause);
        Box::pin(async move {
            std::future::poll_fn(
                |_| match lock(&self.state).answers.remove(&ticket).is_some() {
                    true => Poll::Ready(()),
                    false => Poll::Pending,
                },
            )
            .await;
        })
    }

    fn random(&self) -> u64 {
        lock(&self.state).chance.next()
    }

    fn now(&self) -> Duration {
        Duration::from_millis(lock(&self.state).steps * 500)
    }

    fn epoch_ms(&self) -> i64 {
        1_700_000_000_000 + lock(&self.state).days * 24 * 3_600_000
    }

    fn spawn(&self, task: Boxed<'static, ()>) {
        let mut state = lock(&self.state);
        state.begun.push((self.run, task));
    }
}

/// A world, and the runs in it.
pub(crate) struct Simulation {
    state: Arc<Mutex<State>>,
    tasks: BTreeMap<TaskKey, Boxed<'static, ()>>,
    options: Options,
    runs: u64,
    /// Whether the newest of them neither aborts nor completes.
    is_newest_run: bool,
    /// Those of them that abort.
    aborts: Vec<u64>,
    /// Whether changes are followed; without that, nothing is written after the beginning.
    follows: bool,
    writes_left: usize,
    restarts_left: usize,
    kills_left: usize,
    days_left: usize,
    switches_left: usize,
    pauses_left: usize,
    /// The steps with faults, at least.
    faulty_steps: u64,
}

/// What a world has seen.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) runs: u64,
    pub(crate) kills: u64,
    pub(crate) restarts: u64,
    /// How often somebody had to delete the target's table.
    pub(crate) by_hand: u64,
    /// How often all stood still for a day.
    pub(crate) days: u64,
    /// How often the stream was switched off.
    pub(crate) switches: u64,
    /// How often the move was paused.
    pub(crate) pauses: u64,
    pub(crate) steps: u64,
}

const STEPS_MAX: u64 = 20_000;

impl Simulation {
    pub(crate) fn new(seed: u64, mutant: Option<Mutant>) -> Simulation {
        let mut chance = Chance(seed);
        let segments = 1 + chance.below(2);
        let follows = !chance.happens(5);
        let options = Options {
            settle_time: match mutant {
                Some(Mutant::EvenAtOnce) => Duration::ZERO,
                _ => Duration::from_secs(10),
            },
            segments: u32::try_from(segments).unwrap(),
            // A mutant is to be found by what it writes. Its runs are not paused, and end without a note, which
            // would let what is under way arrive before the places are compared.
            look_time: match mutant {
                None => Some(Duration::from_secs(20)),
                Some(_) => None,
            },
            page: Some(1 + u32::try_from(chance.below(2)).unwrap()),
            until_even: true,
            ..Options::new("T")
        };
        let mut places = Places::new(mutant, follows, chance.next());
        for _ in 0..3 + chance.below(3) {
            places.write(chance.below(4), true);
        }
        // What was written before is in the stream only in part.
        if chance.happens(2) {
            places.trim();
        }
        places.has_other = chance.happens(3);
        let sleep = match chance.happens(2) {
            true => Sleep::of(&mut chance),
            false => Sleep::default(),
        };
        Simulation {
            follows,
            writes_left: if follows { 4 + chance.below(5) } else { 0 },
            restarts_left: chance.below(2),
            kills_left: chance.below(3),
            days_left: usize::from(chance.happens(12)),
            switches_left: usize::from(follows && chance.happens(12)),
            pauses_left: if mutant.is_none() { chance.below(3) } else { 0 },
            faulty_steps: 30 + chance.below(60) as u64,
            state: Arc::new(Mutex::new(State {
                places,
                chance,
                steps: 0,
                polled: (0, 0),
                next: 0,
                waiting: Vec::new(),
                answers: BTreeMap::new(),
                under_way: Vec::new(),
                begun: Vec::new(),
                ended: BTreeMap::new(),
                faults: true,
                days: 0,
                sleep,
            })),
            tasks: BTreeMap::new(),
            options,
            runs: 0,
            is_newest_run: false,
            aborts: Vec::new(),
        }
    }

    /// Lets writers, runs and faults happen, then one run alone to its end; completes the move, and says
    /// what differs then.
    pub(crate) fn carry_out(mut self) -> Result<Seen, String> {
        let mut seen = Seen::default();
        self.start(Wish::Run);
        while self.writes_left > 0 || lock(&self.state).steps < self.faulty_steps {
            self.step(&mut seen)?;
        }
        lock(&self.state).faults = false;
        self.kills_left = 0;
        self.restarts_left = 0;
        self.days_left = 0;
        self.switches_left = 0;
        self.pauses_left = 0;
        self.end_aborts();
        self.start(Wish::Run);
        loop {
            self.step(&mut seen)?;
            let ended = lock(&self.state).ended.remove(&self.runs);
            let next = match ended {
                None => continue,
                Some(Ok(Done::Run(Ended::Even))) => {
                    self.arrive();
                    let mut state = lock(&self.state);
                    state.places.compare()?;
                    state.sleep.wake(Until::Even);
                    Wish::Complete
                }
                Some(Ok(Done::Run(Ended::Stopped))) => {
                    return Err("it stopped by itself".to_owned());
                }
                Some(Ok(Done::Aborted | Done::Paused | Done::Run(Ended::Paused))) => Wish::Run,
                Some(Ok(Done::Completed)) => break,
                Some(Err(error)) => self.after(&error.to_string(), &mut seen)?,
            };
            self.start(next);
        }
        self.arrive();
        {
            let state = lock(&self.state);
            state.places.check_complete()?;
            state.places.compare()?;
        }
        self.outlast(&mut seen)?;
        let state = lock(&self.state);
        seen.runs = self.runs;
        seen.steps = state.steps;
        state.places.check_complete()?;
        state.places.compare().map(|()| seen)
    }

    /// The move is complete, and programs write to the target. Processes of before go on until each has
    /// ended.
    fn outlast(&mut self, seen: &mut Seen) -> Result<(), String> {
        {
            let mut state = lock(&self.state);
            state.sleep.end();
            state.sleep.wake_all();
        }
        let mut writes = 4;
        while !self.tasks.is_empty() {
            let mut state = lock(&self.state);
            if writes > 0 && state.chance.happens(4) {
                writes -= 1;
                let (key, is_put) = (state.chance.below(4), state.chance.happens(2));
                state.places.write_target(key, is_put);
            }
            drop(state);
            self.step(seen)?;
        }
        Ok(())
    }

    /// Ends the aborts that still run. A table is deleted by its name: one that stood still between its
    /// look at the table and the deletion would delete the table of a later move.
    fn end_aborts(&mut self) {
        let aborts = std::mem::take(&mut self.aborts);
        self.tasks.retain(|(of, _), _| !aborts.contains(of));
        let mut state = lock(&self.state);
        state
            .waiting
            .retain(|(_, task, _)| !aborts.contains(&task.0));
    }

    /// All requests arrive that are under way.
    fn arrive(&mut self) {
        let mut state = lock(&self.state);
        for (_, place, request) in std::mem::take(&mut state.under_way) {
            state.places.answer(place, &request).ok();
        }
    }

    /// What somebody does after an error, who does what its sentence says.
    fn after(&mut self, error: &str, seen: &mut Seen) -> Result<Wish, String> {
        let says = |text: &str| error.contains(text);
        if says("no move has made") {
            seen.by_hand += 1;
            lock(&self.state).places.delete_by_hand();
            return Ok(Wish::Run);
        }
        if says("has no stream") {
            lock(&self.state).places.switch_on();
            return Ok(Wish::Run);
        }
        if says("complete the move") && !lock(&self.state).faults {
            return Ok(Wish::Complete);
        }
        if says("another process") || says("aborted meanwhile") || says("knows of no move") {
            return Ok(Wish::Run);
        }
        if says("abort the move") || says("abort it") {
            return Ok(Wish::Abort);
        }
        // Another process has deleted a table meanwhile.
        if says("run the same command again")
            || says("start again")
            || says("the same command goes on")
            || says("ResourceNotFound")
        {
            return Ok(Wish::Run);
        }
        Err(format!("a process has an error: {error}"))
    }

    fn start(&mut self, wish: Wish) -> u64 {
        self.runs += 1;
        let run = self.runs;
        self.is_newest_run = matches!(wish, Wish::Run);
        if matches!(wish, Wish::Abort) {
            self.aborts.push(run);
        } else if self.aborts.last() == Some(&(run - 1)) {
            let mut state = lock(&self.state);
            let step = state.steps;
            let deletions = state.places.deletions;
            state.sleep.begun_again(step, deletions);
        }
        let world: Arc<dyn World> = Arc::new(SimWorld {
            state: Arc::clone(&self.state),
            run,
        });
        let (options, state) = (self.options.clone(), Arc::clone(&self.state));
        let follows = self.follows;
        let task: Boxed<'static, ()> = Box::pin(async move {
            let done = carried_out(world, options, (wish, follows)).await;
            lock(&state).ended.insert(run, done);
        });
        self.tasks.insert((run, 0), task);
        self.poll((run, 0));
        run
    }

    fn poll(&mut self, key: TaskKey) {
        let Some(task) = self.tasks.get_mut(&key) else {
            return;
        };
        lock(&self.state).polled = key;
        let mut context = Context::from_waker(Waker::noop());
        if task.as_mut().poll(&mut context).is_ready() {
            self.tasks.remove(&key);
        }
        loop {
            let begun = lock(&self.state).begun.pop();
            let Some((run, task)) = begun else { return };
            let number = self
                .tasks
                .keys()
                .filter(|(of, _)| *of == run)
                .map(|(_, number)| number + 1)
                .max()
                .unwrap_or(1);
            self.tasks.insert((run, number), task);
            self.poll((run, number));
        }
    }

    fn step(&mut self, seen: &mut Seen) -> Result<(), String> {
        let mut state = lock(&self.state);
        state.steps += 1;
        state.places.step = state.steps;
        if state.steps > STEPS_MAX {
            let waiting = state.waiting.iter().map(|(_, task, what)| match what {
                What::Pause => format!("{task:?} pauses"),
                What::Request(place, request) => {
                    format!("{task:?} asks the {}: {request:?}", place.word())
                }
            });
            let waiting = waiting.collect::<Vec<_>>().join("\n");
            return Err(format!(
                "it does not end: {} runs, {:?}\n{waiting}",
                self.runs, state.ended
            ));
        }
        let dice = state.chance.below(40);
        if self.writes_left > 0 && dice < 4 {
            self.writes_left -= 1;
            let (key, is_put) = (state.chance.below(4), state.chance.happens(2));
            state.places.write(key, is_put);
            return Ok(());
        }
        if state.faults && dice == 4 && state.chance.happens(3) {
            let which = state.chance.below(4);
            state.places.split(which);
            return Ok(());
        }
        if dice == 5 && !state.under_way.is_empty() {
            let count = state.under_way.len();
            let which = state.chance.below(count);
            let (_, place, request) = state.under_way.swap_remove(which);
            state.places.answer(place, &request).ok();
            return Ok(());
        }
        drop(state);
        self.disturb(dice, seen);
        self.go_on();
        Ok(())
    }

    /// Kills a run, starts another, aborts the move and begins it again, lets a day pass, or switches the
    /// stream off.
    fn disturb(&mut self, dice: usize, seen: &mut Seen) {
        let is_faulty = lock(&self.state).faults;
        if dice == 6 && is_faulty && self.kills_left > 0 {
            self.kills_left -= 1;
            seen.kills += 1;
            let run = self.runs;
            self.tasks.retain(|(of, _), _| *of != run);
            let mut state = lock(&self.state);
            let (gone, left): (Vec<_>, Vec<_>) = std::mem::take(&mut state.waiting)
                .into_iter()
                .partition(|(_, task, _)| task.0 == run);
            state.waiting = left;
            for (_, _, what) in gone {
                // Some of its requests arrive yet.
                if let What::Request(place, request) = what
                    && !is_of_table(&request)
                    && state.chance.happens(2)
                {
                    state.under_way.push((run, place, *request));
                }
            }
            state.places.kill();
            drop(state);
            self.start(Wish::Run);
        } else if dice == 7 && is_faulty && self.restarts_left > 0 {
            self.restarts_left -= 1;
            seen.restarts += 1;
            self.start(Wish::Abort);
        } else if dice == 8 && is_faulty && self.days_left > 0 {
            // All processes stand still for a day.
            self.days_left -= 1;
            seen.days += 1;
            let mut state = lock(&self.state);
            state.days += 1;
            state.places.trim();
        } else if dice == 11 && is_faulty && self.pauses_left > 0 {
            self.pauses_left -= 1;
            seen.pauses += 1;
            self.start(Wish::Pause);
        } else if dice == 10 {
            let mut guard = lock(&self.state);
            let state = &mut *guard;
            let which = state.chance.below(state.waiting.len());
            if let Some((_, task, _)) = state.waiting.get(which) {
                state.sleep.slow(*task, state.steps, &mut state.chance);
            }
        } else if dice == 9 && is_faulty && self.switches_left > 0 {
            self.switches_left -= 1;
            seen.switches += 1;
            let mut state = lock(&self.state);
            state.places.switch_off();
            if state.chance.happens(2) {
                state.places.switch_on();
            }
        }
        if !is_faulty {
            return;
        }
        // What has ended is begun again.
        let ended = lock(&self.state).ended.remove(&self.runs);
        match ended {
            None => {}
            Some(Ok(_)) => {
                self.start(Wish::Run);
            }
            Some(Err(error)) => {
                let wish = self.after(&error.to_string(), seen).unwrap_or(Wish::Run);
                self.start(wish);
            }
        }
    }

    /// Carries out a request that waits, or ends a pause.
    fn go_on(&mut self) {
        let shared = Arc::clone(&self.state);
        let mut guard = lock(&shared);
        let state = &mut *guard;
        state.sleep.look(state.steps, state.places.deletions);
        let awake: Vec<usize> = (0..state.waiting.len())
            .filter(|at| {
                let (_, task, what) = &state.waiting[*at];
                let is_held = state.sleep.holds_scans() && is_page(what);
                state.sleep.is_awake(*task, state.steps) && !is_held
            })
            .collect();
        if awake.is_empty() {
            return;
        }
        let mut which = awake[state.chance.below(awake.len())];
        // Pauses are long beside requests: most of the steps are for these.
        if matches!(state.waiting[which].2, What::Pause) && !state.chance.happens(3) {
            which = awake[state.chance.below(awake.len())];
        }
        which = first_write(state).unwrap_or(which);
        which = self.drop_of_run(state).unwrap_or(which);
        if let Some(meanwhile) = self.falls_asleep(state, which) {
            drop(guard);
            match meanwhile {
                Meanwhile::GoesOn => {}
                Meanwhile::Takes => _ = self.start(Wish::Run),
                Meanwhile::Aborts => _ = self.start(Wish::Abort),
            }
            return;
        }
        let (ticket, task, what) = state.waiting.swap_remove(which);
        let answer = match what {
            What::Pause => Err(ClientError::refused("a pause")),
            What::Request(place, request) => answer(state, task.0, place, *request),
        };
        state.answers.insert(ticket, answer);
        drop(guard);
        self.poll(task);
    }

    /// A run's deletion of a table arrives at once: it carries the name alone, and a late one would delete
    /// the table of a later move.
    fn drop_of_run(&self, state: &State) -> Option<usize> {
        let mut waiting = state.waiting.iter();
        waiting.position(|(_, (run, _), what)| match what {
            What::Request(_, request) => match &**request {
                Request::DeleteTable(input) => {
                    input.table_name.as_deref() == Some("T") && !self.aborts.contains(run)
                }
                _ => false,
            },
            What::Pause => false,
        })
    }

    /// Lets the newest process stand still before a request, if it is to. Returns what another one does
    /// meanwhile.
    fn falls_asleep(&self, state: &mut State, which: usize) -> Option<Meanwhile> {
        let (_, task, what) = &state.waiting[which];
        let task = *task;
        let write = write_of(what)?;
        let is_run = task.0 == self.runs && self.is_newest_run;
        if !is_run || !state.sleep.falls_asleep(write) {
            return None;
        }
        let (step, deletions) = (state.steps, state.places.deletions);
        let meanwhile = state.sleep.add(task, step, deletions)?;
        // What it has read may be gone until it goes on.
        if self.writes_left > 0 {
            for key in keys_of(&state.waiting[which].2) {
                state.places.write(key, false);
            }
        }
        Some(meanwhile)
    }
}

/// What a process does.
async fn carried_out(
    world: Arc<dyn World>,
    options: Options,
    (wish, follows): (Wish, bool),
) -> Result<Done, ClientError> {
    match wish {
        Wish::Run => {
            let found = look(&*world, &options.table).await?;
            let stream = match found.followable() {
                Followable::Yes(stream) if follows => Some(stream),
                Followable::NoStream | Followable::NoImages if follows => {
                    return Err(ClientError::refused("the table has no stream"));
                }
                Followable::Yes(_) | Followable::NoStream | Followable::NoImages => None,
            };
            prepare(&*world, &options, &found, stream.clone()).await?;
            let progress = Arc::new(Progress::default());
            let ended = carry_on(world, options, (found.schema, stream), progress).await;
            ended.map(Done::Run)
        }
        Wish::Abort => abort(&*world, &options).await.map(|_| Done::Aborted),
        Wish::Pause => pause(&*world, &options).await.map(|_| Done::Paused),
        Wish::Complete => {
            let found = look(&*world, &options.table).await?;
            complete(&*world, &options, &found)
                .await
                .map(|()| Done::Completed)
        }
    }
}

/// The write of the process that goes first.
fn first_write(state: &mut State) -> Option<usize> {
    let first = state.sleep.take_first()?;
    let mut waiting = state.waiting.iter();
    waiting.position(|(_, task, what)| first.is(*task) && write_of(what).is_some())
}

/// Carries out a request, or not.
fn answer(
    state: &mut State,
    run: u64,
    place: Place,
    request: Request,
) -> Result<Response, ClientError> {
    if !state.faults {
        return state.places.answer(place, &request);
    }
    match state.chance.below(90) {
        0 | 1 => Err(ClientError::Transport("it was not sent".to_owned())),
        2..=4 => {
            state.places.answer(place, &request).ok();
            Err(lost())
        }
        5 | 6 if !is_of_table(&request) => {
            state.under_way.push((run, place, request));
            Err(lost())
        }
        7 => Err(ClientError::Service {
            kind: Some(ErrorKind::ProvisionedThroughputExceeded),
            exception: String::new(),
            message: String::new(),
            reasons: Vec::new(),
            found: Vec::new(),
        }),
        8 | 9 => state.places.again(place, &request),
        _ => state.places.answer(place, &request),
    }
}

fn lost() -> ClientError {
    ClientError::OutcomeUnknown {
        why: "its answer was lost".to_owned(),
        check: String::new(),
    }
}
