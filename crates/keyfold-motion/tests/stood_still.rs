//! A process that stands still in the middle of a switch (SIGSTOP, a machine that sleeps) while another one takes the
//! switch over, and wakes when that one is done: it changes nothing.
//!
//! It is stopped before each of its requests in turn, in each of five stretches: before it has noted that it owns the
//! switch, while writes come to be refused, while what is left is carried, while the other side comes to take writes,
//! and before it notes the end. Meanwhile another process goes on with the switch, reverses it, gives it up, or ends
//! the move; or it has taken the switch over, and stands still in the same stretch when the first one wakes.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod engines;

use engines::sides::{
    append, copied, differences, open_sides, options, policy, read, switched, switching,
};
use engines::{Engines, TABLE};
use keyfold_api::{
    DescribeTableInput, DescribeTimeToLiveInput, ListTablesInput, Request, Response, ScanInput,
};
use keyfold_client::{Backend, ClientError, blocked};
use keyfold_motion::switch::{Step, Switched, switch};
use keyfold_motion::world::{Place, World};
use keyfold_motion::{Turning, complete, status, tables};
use keyfold_stream::world::Boxed;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Long enough for what a process still does, on a machine that has other work.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where a process is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Runs,
    Stands,
    Awake,
    Ended,
}

/// From where on none of the requests of a process is sent, until it wakes.
#[derive(Clone, Copy)]
struct Stop {
    /// The number of requests that are sent before.
    after: usize,
    /// The owner of the switch whose time is not counted: only from the next one on.
    behind: Option<u64>,
}

impl Stop {
    fn at(request: usize) -> Stop {
        Stop {
            after: request,
            behind: None,
        }
    }
}

/// A process that stands still.
struct Process {
    world: Arc<Engines>,
    stop: Stop,
    asked: AtomicUsize,
    state: Mutex<State>,
    changed: Condvar,
}

impl Process {
    fn new(world: &Arc<Engines>, stop: Stop) -> Arc<Process> {
        Arc::new(Process {
            world: Arc::clone(world),
            stop,
            asked: AtomicUsize::new(0),
            state: Mutex::new(State::Runs),
            changed: Condvar::new(),
        })
    }

    /// One that has ended stays so.
    fn set(&self, next: State) {
        let mut state = self.state.lock().unwrap();
        if *state != State::Ended {
            *state = next;
        }
        self.changed.notify_all();
    }

    fn wait(&self, what: &str, is_it: impl Fn(State) -> bool) -> State {
        let state = self.state.lock().unwrap();
        let until = |state: &mut State| !is_it(*state);
        let (state, _) = self
            .changed
            .wait_timeout_while(state, PATIENCE, until)
            .unwrap();
        assert!(is_it(*state), "{what}: it waits without end: {:?}", *state);
        *state
    }

    /// Every task of a process that is stopped stands still before its next request.
    fn before_request(&self) {
        if self.stop.behind.is_some() && owner(&self.world) == self.stop.behind {
            return;
        }
        if self.asked.fetch_add(1, Ordering::SeqCst) < self.stop.after {
            return;
        }
        let mut state = self.state.lock().unwrap();
        if *state == State::Runs {
            *state = State::Stands;
            self.changed.notify_all();
        }
        drop(state);
        self.wait("stopped", |state| state != State::Stands);
    }
}

impl World for Process {
    fn ask(&self, place: Place, request: Request) -> Boxed<'_, Result<Response, ClientError>> {
        self.before_request();
        self.world.ask(place, request)
    }

    fn ask_as_program(
        &self,
        place: Place,
        request: Request,
    ) -> Boxed<'_, Result<Response, ClientError>> {
        self.before_request();
        self.world.ask_as_program(place, request)
    }

    fn pause(&self, time: Duration) -> Boxed<'_, ()> {
        self.world.pause(time)
    }

    fn random(&self) -> u64 {
        self.world.random()
    }

    fn now(&self) -> Duration {
        self.world.now()
    }

    fn epoch_ms(&self) -> i64 {
        self.world.epoch_ms()
    }

    fn spawn(&self, task: Boxed<'static, ()>) {
        std::thread::spawn(move || blocked(task));
    }
}

/// A process that switches, and the last step that it has said.
struct Sleeper {
    process: Arc<Process>,
    said: Arc<Mutex<Option<Step>>>,
    thread: JoinHandle<Result<Switched, ClientError>>,
}

impl Sleeper {
    fn start(world: &Arc<Engines>, to: Place, stop: Stop) -> Sleeper {
        let process = Process::new(world, stop);
        let said = Arc::new(Mutex::new(None));
        let (own, told) = (Arc::clone(&process), Arc::clone(&said));
        let thread = std::thread::spawn(move || {
            let told = |step: Step| *told.lock().unwrap() = Some(step);
            let world: Arc<dyn World> = Arc::clone(&own) as Arc<dyn World>;
            let done = blocked(switch(world, &options(), &switching(to), &told));
            own.set(State::Ended);
            done
        });
        Sleeper {
            process,
            said,
            thread,
        }
    }

    /// Lets it go on, and waits for the end of all its tasks.
    fn wake(self, what: &str) -> Result<Switched, ClientError> {
        self.process.set(State::Awake);
        self.process.wait(what, |state| state == State::Ended);
        let done = self.thread.join().unwrap();
        let began = Instant::now();
        while Arc::strong_count(&self.process) > 1 {
            assert!(began.elapsed() < PATIENCE, "a task of it goes on");
            std::thread::yield_now();
        }
        done
    }
}

/// What another process does while it stands still.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meanwhile {
    GoesOn,
    Reverses,
    GivesUp,
    Completes,
}

impl Meanwhile {
    const ALL: [Meanwhile; 4] = [
        Meanwhile::GoesOn,
        Meanwhile::Reverses,
        Meanwhile::GivesUp,
        Meanwhile::Completes,
    ];

    /// Does it. Returns the side that leads then; `None` where that cannot be done from here.
    fn carry_out(self, world: &Arc<Engines>, to: Place) -> Option<Place> {
        let done = |to: Place| match switched(world, to) {
            Ok(_) => true,
            Err(error) => error.to_string().contains("already"),
        };
        match self {
            Meanwhile::GoesOn => assert!(done(to)),
            Meanwhile::Reverses => {
                assert!(done(to));
                append(world.of(to), 0, 2).unwrap();
                assert!(done(to.other()));
                return Some(to.other());
            }
            // Once the other side leads, the switch goes to its end.
            Meanwhile::GivesUp => return done(to.other()).then_some(to.other()),
            Meanwhile::Completes => {
                if to == Place::Source {
                    return None;
                }
                assert!(done(to));
                let found = blocked(tables::look(&**world, TABLE)).unwrap();
                blocked(complete(&**world, &options(), &found)).unwrap();
            }
        }
        Some(to)
    }
}

fn tables_of(backend: &Backend) -> Vec<String> {
    match backend.call(ListTablesInput::default().into()).unwrap() {
        Response::ListTables(found) => found.table_names.unwrap_or_default(),
        other => panic!("{other:?}"),
    }
}

/// All that a process could change: tables with their settings, items, rows and policies.
fn snapshot(world: &Engines) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for place in [Place::Source, Place::Target] {
        let backend = world.of(place);
        for table in tables_of(backend) {
            let name = Some(table.clone());
            let ask = |request: Request| format!("{:?}", backend.call(request));
            let described = DescribeTableInput {
                table_name: name.clone(),
            };
            let expires = DescribeTimeToLiveInput {
                table_name: name.clone(),
            };
            let mut text = ask(expires.into());
            if let Ok(Response::DescribeTable(found)) = backend.call(described.into()) {
                let settings = (
                    found.stream_specification,
                    found.deletion_protection_enabled,
                );
                write!(text, "\n{settings:?}").unwrap();
            }
            let scan = ScanInput {
                table_name: name,
                ..ScanInput::default()
            };
            let Response::Scan(page) = backend.call(scan.into()).unwrap() else {
                panic!("no page");
            };
            for item in page.items.unwrap_or_default() {
                write!(text, "\n{:?}", item.to_item()).unwrap();
            }
            all.insert(format!("{} {table}", place.word()), text);
        }
        all.insert(
            format!("{} policy", place.word()),
            policy(backend).map_or_else(String::new, |text| without_fence(&text)),
        );
    }
    all
}

/// A policy without the fence in the name of the statement that refuses writes. Who gives a switch up leaves the
/// statement of the side that stays closed alone, with its revision: a process that was about to write it then may
/// still put it there under a name of its own. It refuses the same.
fn without_fence(policy: &str) -> String {
    const NAME: &str = "KeyfoldMove";
    let mut parts = policy.split(NAME);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str(NAME);
        text.push_str(part.trim_start_matches(|sign: char| sign.is_ascii_hexdigit()));
    }
    text
}

/// Where a process was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stretch {
    BeforeItOwns,
    Refusing,
    Draining,
    Opening,
    Noting,
}

/// The owner of the switch that is under way, or of the last one.
fn owner(world: &Engines) -> Option<u64> {
    let found = blocked(status(world, &options())).unwrap();
    found.unwrap().run.turn.owner
}

fn stretch(world: &Engines, said: Option<Step>, lead: Place) -> Stretch {
    let row = blocked(status(world, &options())).unwrap().unwrap().run;
    match (row.turn.turning, said) {
        (None, _) => Stretch::BeforeItOwns,
        (Some(Turning::Closing), Some(Step::Draining)) => Stretch::Draining,
        (Some(Turning::Closing), _) => Stretch::Refusing,
        (Some(Turning::Opening), _) => match open_sides(world) == sides(lead) {
            false => Stretch::Opening,
            true => Stretch::Noting,
        },
    }
}

/// Which sides take writes where one leads.
fn sides(lead: Place) -> [bool; 2] {
    [lead == Place::Source, lead == Place::Target]
}

/// Stops a switch before one of its requests. Returns where that was; `None` when it has no such request.
fn stopped(at: usize, to: Place, meanwhile: Meanwhile) -> Option<Stretch> {
    let world = copied();
    if to == Place::Source {
        switched(&world, Place::Target).unwrap();
    }
    append(world.of(to.other()), 0, 1).unwrap();
    let sleeper = Sleeper::start(&world, to, Stop::at(at));
    let state = sleeper
        .process
        .wait("it begins", |state| state != State::Runs);
    if state == State::Ended {
        sleeper.wake("it has ended").unwrap();
        return None;
    }
    let said = *sleeper.said.lock().unwrap();
    let found = stretch(&world, said, to);
    let what = format!("{to:?} {meanwhile:?}, request {at}, {found:?}");
    let Some(lead) = meanwhile.carry_out(&world, to) else {
        drop(sleeper.wake(&what));
        return Some(found);
    };
    append(world.of(lead), 0, 3).unwrap();
    let before = snapshot(&world);
    let done = sleeper.wake(&what);
    let after = snapshot(&world);
    if found == Stretch::BeforeItOwns {
        // It may carry on, and switch itself; it may not lose or repeat a write.
        let lead = match done {
            Ok(_) => to,
            Err(_) => lead,
        };
        if meanwhile != Meanwhile::Completes {
            assert_eq!(open_sides(&world), sides(lead), "{what}");
        }
        assert!(read(world.of(lead), 0).ends_with(&[3]), "{what}");
        return Some(found);
    }
    let why = done.unwrap_err().to_string();
    for (part, before) in &before {
        assert_eq!(Some(before), after.get(part), "{what}: {part}: {why}");
    }
    assert_eq!(before.len(), after.len(), "{what}: {why}");
    if meanwhile != Meanwhile::Completes {
        // A first switch that was given up leaves both sides as they were: open.
        let was_first = meanwhile == Meanwhile::GivesUp && to == Place::Target;
        let expected = match was_first {
            true => [true; 2],
            false => sides(lead),
        };
        assert_eq!(open_sides(&world), expected, "{what}");
        // And the move can be switched again, with all that was written.
        switched(&world, lead.other()).unwrap();
        let all = read(world.of(lead.other()), 0);
        let expected: &[i64] = match meanwhile {
            Meanwhile::Reverses => &[1, 2, 3],
            _ => &[1, 3],
        };
        assert_eq!(all, expected, "{what}");
        assert_eq!(differences(&world), 0, "{what}");
    }
    Some(found)
}

/// How far apart the places are at which a switch is stopped: each of its requests with `KEYFOLD_STOPS=1`.
fn step() -> usize {
    std::env::var("KEYFOLD_STOPS").map_or(8, |text| text.parse().unwrap())
}

/// The way from one place to the next: half of all requests come before anything is owned, and the last stretches are
/// short.
fn way(from: Stretch) -> usize {
    match from {
        Stretch::BeforeItOwns => 4 * (step() - 1) + 1,
        Stretch::Refusing | Stretch::Draining => step(),
        Stretch::Opening | Stretch::Noting => step().div_ceil(2),
    }
}

#[test]
fn who_wakes_behind_another_changes_nothing() {
    let mut seen: BTreeMap<Stretch, usize> = BTreeMap::new();
    for (turn, meanwhile) in (0..).zip(Meanwhile::ALL) {
        for to in [Place::Target, Place::Source] {
            let mut at = turn % step();
            while let Some(found) = stopped(at, to, meanwhile) {
                *seen.entry(found).or_default() += 1;
                at += way(found);
            }
        }
    }
    println!("{seen:?}");
    assert_eq!(seen.len(), 5, "{seen:?}");
}

/// Stops a switch before one of its requests, and another process that has taken it over some requests later. Returns
/// where both were; `None` when the first one has no such request.
fn stopped_both(at: usize, after: usize) -> Option<(Stretch, Option<Stretch>)> {
    let (world, to) = (copied(), Place::Target);
    append(world.of(Place::Source), 0, 1).unwrap();
    let start = |stop| {
        let sleeper = Sleeper::start(&world, to, stop);
        let state = sleeper
            .process
            .wait("it begins", |state| state != State::Runs);
        let said = *sleeper.said.lock().unwrap();
        (sleeper, state == State::Stands, said)
    };
    let (first, stands, said) = start(Stop::at(at));
    if !stands {
        first.wake("it has ended").unwrap();
        return None;
    }
    let found = stretch(&world, said, to);
    if found == Stretch::BeforeItOwns {
        first.wake("it is alone").unwrap();
        return Some((found, None));
    }
    let behind = owner(&world);
    let (second, stands, said) = start(Stop { after, behind });
    let other = stands.then(|| stretch(&world, said, to));
    let what = format!("request {at}, {found:?}, {after} requests later {other:?}");
    let woken = first.wake(&what);
    assert!(woken.is_err(), "{what}: {woken:?}");
    // The last request of the first one may take the row of the other direction, before the second one has noted there
    // that it owns the switch; it takes that row again then.
    let done = second.wake(&what);
    assert!(done.is_ok(), "{what}: {done:?}");
    assert_eq!(open_sides(&world), sides(to), "{what}");
    append(world.of(to), 0, 2).unwrap();
    switched(&world, to.other()).unwrap();
    assert_eq!(read(world.of(to.other()), 0), [1, 2], "{what}");
    assert_eq!(differences(&world), 0, "{what}");
    Some((found, other))
}

#[test]
fn who_wakes_beside_the_next_owner_leaves_the_switch_to_it() {
    let mut seen: BTreeMap<(Stretch, Option<Stretch>), usize> = BTreeMap::new();
    // From the first request that is tried on: of a place that is to be played again.
    let from = std::env::var("KEYFOLD_STOPS_FROM").map_or(0, |text| text.parse().unwrap());
    for (turn, after) in [0, 3, 9, 17].into_iter().enumerate() {
        let mut at = from + turn % step();
        while let Some(found) = stopped_both(at, after) {
            *seen.entry(found).or_default() += 1;
            at += way(found.0);
        }
    }
    println!("{seen:?}");
    let is_same = |both: &&(Stretch, Option<Stretch>)| both.1 == Some(both.0);
    let is_whole = from == 0;
    assert!(
        !is_whole || seen.keys().filter(is_same).count() >= 3,
        "{seen:?}"
    );
}
