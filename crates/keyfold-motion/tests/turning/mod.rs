//! Two engines and a scheduler, whose order of events a seed decides: which request of which process is carried
//! out next, which answer is lost, which process is killed while its requests are under way, and when programs
//! write. Programs try both sides.

mod mutant;

use keyfold_api::{DeleteItemInput, PutItemInput, Request, Response, ScanInput};
use keyfold_client::{Backend, ClientError};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_motion::switch::{Step, Switched, Switching, switch};
use keyfold_motion::tables::{Followable, look};
use keyfold_motion::world::{Place, World};
use keyfold_motion::{
    Ended, Force, IS_UNCHANGED, MOVING_AGENT, Options, PROBING_AGENT, Progress, carry_on, prepare,
    status, swapped,
};
use keyfold_stream::world::Boxed;
use keyfold_types::{Item, Value};
pub(crate) use mutant::Mutant;
use mutant::{Broken, broken};
use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

const TABLE: &str = "Tab";
const PROGRAM: &str = "a-program/1";
const KEYS: u64 = 4;
const STEPS_MAX: u64 = 60_000;
/// How often programs are to be moved to the other side.
const TURNS: u64 = 3;

/// A task of a process.
type TaskKey = (u64, usize);

enum What {
    Request(Place, Box<Request>, bool),
    Pause,
}

/// Random numbers of a world.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.next() % count as u64).unwrap()
    }
}

struct State {
    engines: [Backend; 2],
    chance: Chance,
    steps: u64,
    polled: TaskKey,
    next: u64,
    waiting: Vec<(u64, TaskKey, What)>,
    answers: BTreeMap<u64, Result<Response, ClientError>>,
    /// Requests of processes that were killed, and that will arrive.
    under_way: Vec<(Place, Request)>,
    /// Processes that carry a direction on, and are told of no switch.
    followers: BTreeSet<u64>,
    /// Followers that have read the row of a side and stand still before they take it, until another takes or turns it.
    stalled: Vec<(u64, TaskKey, What)>,
    begun: Vec<(u64, Boxed<'static, ()>)>,
    ended: BTreeMap<u64, Result<Done, ClientError>>,
    faults: bool,
    broken: Broken,
    /// What the items are, after all writes that were taken.
    items: BTreeMap<u64, i64>,
    writes: i64,
    wrong: Option<String>,
    /// The number that was put last, by the mover or a program, by side and key. After the first switch, the mover puts
    /// greater ones only: what it puts to a side was written to the other one since.
    put: BTreeMap<(bool, u64), i64>,
}

enum Done {
    Copied,
    Carried,
    Switched,
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap()
}

fn at(place: Place) -> usize {
    usize::from(place == Place::Target)
}

struct SimWorld {
    state: Arc<Mutex<State>>,
    process: u64,
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

struct Answer<'w>(&'w SimWorld, u64);

impl Future for Answer<'_> {
    type Output = Result<Response, ClientError>;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        match lock(&self.0.state).answers.remove(&self.1) {
            Some(answer) => Poll::Ready(answer),
            None => Poll::Pending,
        }
    }
}

impl World for SimWorld {
    fn ask(&self, place: Place, request: Request) -> Boxed<'_, Result<Response, ClientError>> {
        let ticket = self.wait(What::Request(place, Box::new(request), false));
        Box::pin(Answer(self, ticket))
    }

    fn ask_as_program(
        &self,
        place: Place,
        request: Request,
    ) -> Boxed<'_, Result<Response, ClientError>> {
        let ticket = self.wait(What::Request(place, Box::new(request), true));
        Box::pin(Answer(self, ticket))
    }

    fn pause(&self, _: Duration) -> Boxed<'_, ()> {
        let ticket = self.wait(What::Pause);
        Box::pin(async move {
            drop(Answer(self, ticket).await);
        })
    }

    fn random(&self) -> u64 {
        lock(&self.state).chance.next()
    }

    fn now(&self) -> Duration {
        Duration::from_millis(lock(&self.state).steps * 20)
    }

    fn epoch_ms(&self) -> i64 {
        1_700_000_000_000
    }

    fn spawn(&self, task: Boxed<'static, ()>) {
        lock(&self.state).begun.push((self.process, task));
    }
}

/// What a world has seen.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) processes: u64,
    pub(crate) kills: u64,
    pub(crate) writes: i64,
    pub(crate) refused: u64,
}

/// A world, and the processes in it.
pub(crate) struct Simulation {
    state: Arc<Mutex<State>>,
    tasks: BTreeMap<TaskKey, Boxed<'static, ()>>,
    processes: u64,
    /// The process whose end is waited for.
    awaited: u64,
    kills_left: usize,
    followers_left: usize,
    seen: Seen,
}

impl Simulation {
    pub(crate) fn new(seed: u64, mutant: Option<Mutant>) -> Simulation {
        let engine = || {
            let options = EngineOptions {
                background: false,
                agent: MOVING_AGENT.to_owned(),
                ..EngineOptions::new(StoreOptions::Memory)
            };
            Backend::Embedded(Arc::new(Engine::open(options).unwrap()))
        };
        let mut chance = Chance(seed);
        let kills_left = chance.below(5);
        let simulation = Simulation {
            state: Arc::new(Mutex::new(State {
                engines: [engine(), engine()],
                chance,
                steps: 0,
                polled: (0, 0),
                next: 0,
                waiting: Vec::new(),
                answers: BTreeMap::new(),
                under_way: Vec::new(),
                followers: BTreeSet::new(),
                stalled: Vec::new(),
                begun: Vec::new(),
                ended: BTreeMap::new(),
                faults: true,
                broken: Broken::of(mutant),
                items: BTreeMap::new(),
                writes: 0,
                wrong: None,
                put: BTreeMap::new(),
            })),
            tasks: BTreeMap::new(),
            processes: 0,
            awaited: 0,
            kills_left,
            followers_left: 0,
            seen: Seen::default(),
        };
        let mut state = lock(&simulation.state);
        super::make_table(&state.engines[0], TABLE);
        for _ in 0..3 {
            state.write(Place::Source);
        }
        drop(state);
        simulation
    }

    /// Copies the table, switches it to and fro, and says what is wrong then.
    pub(crate) fn carry_out(mut self) -> Result<Seen, String> {
        let copied = self.run(Wish::Copy)?;
        assert!(matches!(copied, Done::Copied));
        for turn in 0..TURNS {
            let to = match turn % 2 {
                0 => Place::Target,
                _ => Place::Source,
            };
            // Another process carries the direction on, and is not told of the switch.
            self.start(Wish::Follow);
            for _ in 0..200 {
                self.step(Wish::Follow)?;
            }
            self.followers_left = 4;
            loop {
                match self.run(Wish::Switch(to))? {
                    Done::Switched => break,
                    Done::Copied | Done::Carried => {}
                }
            }
            // No process of before closes the side again, nor a request of one.
            let steps = lock(&self.state).chance.below(300);
            for _ in 0..steps {
                self.step(Wish::Carry)?;
            }
            if !lock(&self.state).write(to) {
                return Err(format!("the {} leads, and refuses writes", to.word()));
            }
            // Few writes, too: a page of changes comes to the last one of each item, so that what comes again shows in
            // an item alone that was not written since.
            let writes = lock(&self.state).chance.below(20);
            for _ in 0..writes {
                self.program();
            }
        }
        lock(&self.state).end_faults();
        self.kills_left = 0;
        let under_way = std::mem::take(&mut lock(&self.state).under_way);
        for (place, request) in under_way {
            lock(&self.state).carry(0, place, &request, false).ok();
        }
        self.run(Wish::Carry)?;
        let state = lock(&self.state);
        for place in [Place::Source, Place::Target] {
            state.compare(place, "in the end")?;
        }
        self.seen.writes = state.writes;
        self.seen.processes = self.processes;
        match &state.wrong {
            Some(why) => Err(why.clone()),
            None => Ok(self.seen),
        }
    }

    /// Starts a process, and lets things happen until the newest one has ended well.
    fn run(&mut self, wish: Wish) -> Result<Done, String> {
        self.start(wish);
        loop {
            self.step(wish)?;
            let ended = lock(&self.state).ended.remove(&self.awaited);
            match ended {
                None => {}
                Some(Ok(done)) => return Ok(done),
                Some(Err(error)) => {
                    let text = error.to_string();
                    if text.contains("already") {
                        return Ok(Done::Switched);
                    }
                    let may_repeat = error.is_passing()
                        || text.contains("another process")
                        || text.contains("being switched")
                        || text.contains("Transport")
                        || text.contains("was not sent")
                        || text.contains("lost");
                    if !may_repeat {
                        return Err(format!("a process has an error: {text}"));
                    }
                    self.start(wish);
                }
            }
        }
    }

    fn start(&mut self, wish: Wish) {
        self.processes += 1;
        let process = self.processes;
        match wish {
            Wish::Follow => {
                lock(&self.state).followers.insert(process);
            }
            Wish::Copy | Wish::Switch(_) | Wish::Carry => self.awaited = process,
        }
        let world: Arc<dyn World> = Arc::new(SimWorld {
            state: Arc::clone(&self.state),
            process,
        });
        let state = Arc::clone(&self.state);
        let task: Boxed<'static, ()> = Box::pin(async move {
            let done = carried_out(world, wish).await;
            lock(&state).ended.insert(process, done);
        });
        self.tasks.insert((process, 0), task);
        self.poll((process, 0));
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
            let Some((process, task)) = begun else { return };
            let of = self.tasks.keys().filter(|(of, _)| *of == process);
            let number = of.map(|(_, number)| number + 1).max().unwrap_or(1);
            self.tasks.insert((process, number), task);
            self.poll((process, number));
        }
    }

    fn step(&mut self, wish: Wish) -> Result<(), String> {
        let (dice, faults) = {
            let mut state = lock(&self.state);
            state.steps += 1;
            if state.steps > STEPS_MAX {
                return Err("it does not end".to_owned());
            }
            if let Some(why) = &state.wrong {
                return Err(why.clone());
            }
            (state.chance.below(300), state.faults)
        };
        if faults && dice < 12 {
            self.program();
        } else if faults && dice == 12 && self.kills_left > 0 && matches!(wish, Wish::Switch(_)) {
            self.kill();
            self.start(wish);
        } else if faults && dice == 13 && self.processes < 12 && matches!(wish, Wish::Switch(_)) {
            // A second process begins the same beside it.
            self.start(wish);
        } else if faults
            && dice >= 290
            && self.followers_left > 0
            && matches!(wish, Wish::Switch(_))
        {
            self.followers_left -= 1;
            self.start(Wish::Follow);
        } else if dice < 20 {
            let mut state = lock(&self.state);
            if !state.under_way.is_empty() {
                let count = state.under_way.len();
                let which = state.chance.below(count);
                let (place, request) = state.under_way.swap_remove(which);
                state.carry(0, place, &request, false).ok();
            }
        }
        self.go_on();
        Ok(())
    }

    /// The process that is waited for is killed; some of its requests arrive yet.
    fn kill(&mut self) {
        self.kills_left -= 1;
        self.seen.kills += 1;
        let process = self.awaited;
        self.tasks.retain(|(of, _), _| *of != process);
        let mut state = lock(&self.state);
        let (gone, left): (Vec<_>, Vec<_>) = std::mem::take(&mut state.waiting)
            .into_iter()
            .partition(|(_, task, _)| task.0 == process);
        state.waiting = left;
        for (_, _, what) in gone {
            if let What::Request(place, request, _) = what
                && !is_of_table(&request)
                && state.chance.below(2) == 0
            {
                state.under_way.push((place, *request));
            }
        }
    }

    /// A program writes to each side.
    fn program(&mut self) {
        let mut state = lock(&self.state);
        let first = match state.chance.below(2) {
            0 => Place::Source,
            _ => Place::Target,
        };
        for place in [first, first.other()] {
            if state.is_known(place) && !state.write(place) {
                self.seen.refused += 1;
            }
        }
    }

    /// Carries out a request that waits, or ends a pause.
    fn go_on(&mut self) {
        let (ticket, task, answer) = {
            let mut guard = lock(&self.state);
            let state = &mut *guard;
            if state.waiting.is_empty() {
                return;
            }
            let count = state.waiting.len();
            let mut which = state.chance.below(count);
            if matches!(state.waiting[which].2, What::Pause) {
                which = state.chance.below(count);
            }
            let (ticket, task, what) = state.waiting.swap_remove(which);
            if state.stalls(task.0, &what) {
                state.stalled.push((ticket, task, what));
                return;
            }
            let answer = match what {
                What::Pause => Err(ClientError::refused("a pause")),
                What::Request(place, request, is_probe) => {
                    state.answer(task.0, place, &request, is_probe)
                }
            };
            (ticket, task, answer)
        };
        lock(&self.state).answers.insert(ticket, answer);
        self.poll(task);
    }
}

/// Whether a request arrives at once or never.
fn is_of_table(request: &Request) -> bool {
    matches!(
        request,
        Request::CreateTable(_) | Request::UpdateTable(_) | Request::DeleteTable(_)
    )
}

impl State {
    /// Whether programs know a side: the target, once a switch has begun there.
    fn is_known(&self, place: Place) -> bool {
        place == Place::Source || self.broken.has_closed_target
    }

    /// Whether a process stands still before a request: a follower that is about to take a row.
    fn stalls(&mut self, process: u64, what: &What) -> bool {
        let What::Request(_, request, _) = what else {
            return false;
        };
        let Request::UpdateItem(input) = &**request else {
            return false;
        };
        self.faults
            && self.followers.contains(&process)
            && input.condition_expression.as_deref() == Some(IS_UNCHANGED)
            && self.chance.below(4) > 0
    }

    /// The row of a side was taken or turned: those who stood still before they took it go on.
    fn changed(&mut self, place: Place) {
        let is_there = |what: &What| matches!(what, What::Request(of, ..) if *of == place);
        let (go_on, left) = std::mem::take(&mut self.stalled)
            .into_iter()
            .partition(|(_, _, what)| is_there(what));
        self.stalled = left;
        self.waiting.extend::<Vec<_>>(go_on);
    }

    /// From now on all requests are carried out and answered.
    fn end_faults(&mut self) {
        self.faults = false;
        let stalled = std::mem::take(&mut self.stalled);
        self.waiting.extend(stalled);
    }

    /// A program puts or deletes an item. Returns whether that was taken; then the side has all that was
    /// taken before.
    fn write(&mut self, place: Place) -> bool {
        let key = self.chance.next() % KEYS;
        let number = self.writes + 1;
        let is_put = self.chance.below(4) > 0;
        let id = Item::from_iter([("id", format!("k{key}"))]);
        let request: Request = if is_put {
            let mut item = id;
            item.insert("v", number);
            PutItemInput {
                table_name: Some(TABLE.to_owned()),
                item: Some(Ok(item)),
                ..PutItemInput::default()
            }
            .into()
        } else {
            DeleteItemInput {
                table_name: Some(TABLE.to_owned()),
                key: Some(Ok(id)),
                ..DeleteItemInput::default()
            }
            .into()
        };
        let before = self.stored(place);
        if self.engines[at(place)].call_as(PROGRAM, request).is_err() {
            return false;
        }
        if before != self.items {
            let why = format!(
                "the {} takes a write, and has {before:?} instead of {:?}",
                place.word(),
                self.items
            );
            self.wrong.get_or_insert(why);
        }
        self.writes = number;
        if is_put {
            self.put.insert((place == Place::Target, key), number);
            self.items.insert(key, number);
        } else {
            self.items.remove(&key);
        }
        true
    }

    fn stored(&self, place: Place) -> BTreeMap<u64, i64> {
        let input = ScanInput {
            table_name: Some(TABLE.to_owned()),
            ..ScanInput::default()
        };
        let Ok(Response::Scan(page)) = self.engines[at(place)].call(input.into()) else {
            return BTreeMap::new();
        };
        let items = page.items.unwrap_or_default();
        items.iter().map(|item| numbered(&item.to_item())).collect()
    }

    fn compare(&self, place: Place, when: &str) -> Result<(), String> {
        let found = self.stored(place);
        match found == self.items {
            true => Ok(()),
            false => Err(format!(
                "the {} has {found:?} instead of {:?} {when}",
                place.word(),
                self.items
            )),
        }
    }

    /// Carries out a request of a process, or not.
    fn answer(
        &mut self,
        process: u64,
        place: Place,
        request: &Request,
        is_probe: bool,
    ) -> Result<Response, ClientError> {
        if !self.faults {
            return self.carry(process, place, request, is_probe);
        }
        match self.chance.below(120) {
            0 => Err(ClientError::Transport("it was not sent".to_owned())),
            1 | 2 => {
                self.carry(process, place, request, is_probe).ok();
                Err(lost())
            }
            3 if !is_of_table(request) && !is_probe => {
                self.under_way.push((place, request.clone()));
                Err(lost())
            }
            _ => self.carry(process, place, request, is_probe),
        }
    }

    fn carry(
        &mut self,
        process: u64,
        place: Place,
        request: &Request,
        is_probe: bool,
    ) -> Result<Response, ClientError> {
        let agent = match is_probe {
            true => PROBING_AGENT,
            false => MOVING_AGENT,
        };
        let answer = broken(self, (process, place), (request, agent));
        if answer.is_ok() {
            self.note(place, request);
        }
        answer
    }

    /// Looks at what the mover has written: after the first switch, each change of a program is applied once.
    fn note(&mut self, place: Place, request: &Request) {
        let Request::TransactWriteItems(input) = request else {
            return;
        };
        let puts = input.transact_items.iter().flatten();
        for put in puts.filter_map(|action| action.put.as_ref()) {
            if put.table_name.as_deref() != Some(TABLE) {
                continue;
            }
            let item = put.item.as_ref().unwrap().as_ref().unwrap();
            let (key, number) = numbered(item);
            let side = (place == Place::Target, key);
            let last = self.put.insert(side, number);
            if self.broken.has_turned && last.is_some_and(|last| last >= number) {
                let why = format!(
                    "the change {number} was applied again to the {}, after {last:?}",
                    place.word()
                );
                self.wrong.get_or_insert(why);
            }
        }
    }
}

fn numbered(item: &Item) -> (u64, i64) {
    let (Some(Value::S(id)), Some(Value::N(number))) = (item.get("id"), item.get("v")) else {
        panic!("{item:?}");
    };
    (id[1..].parse().unwrap(), number.to_i64().unwrap())
}

fn lost() -> ClientError {
    ClientError::OutcomeUnknown {
        why: "its answer was lost".to_owned(),
        check: String::new(),
    }
}

/// What a process of the world is to do.
#[derive(Clone, Copy)]
enum Wish {
    Copy,
    Switch(Place),
    Carry,
    /// As `Carry`, without an end.
    Follow,
}

fn options() -> Options {
    Options {
        segments: 1,
        settle_time: Duration::ZERO,
        until_even: true,
        look_time: None,
        ..Options::new(TABLE)
    }
}

/// What a process does.
async fn carried_out(world: Arc<dyn World>, wish: Wish) -> Result<Done, ClientError> {
    match wish {
        Wish::Copy => {
            let found = look(&*world, TABLE).await?;
            let Followable::Yes(stream) = found.followable() else {
                panic!("no stream");
            };
            prepare(&*world, &options(), &found, Some(stream.clone())).await?;
            let of = (found.schema, Some(stream));
            carry_on(world, options(), of, Arc::new(Progress::default())).await?;
            Ok(Done::Copied)
        }
        Wish::Switch(to) => {
            let at_once = Force {
                steady: Duration::ZERO,
                most: Duration::ZERO,
            };
            let switching = Switching {
                to,
                connections: ["old", "new"].map(str::to_owned),
                forces: Some([at_once; 2]),
                counts_are_exact: false,
            };
            let done: Switched = switch(world, &options(), &switching, &|_: Step| {}).await?;
            assert_eq!(done.turn.lead, to);
            Ok(Done::Switched)
        }
        Wish::Carry | Wish::Follow => {
            let found = status(&*world, &options()).await?.unwrap();
            let direction = match found.run.turn.lead {
                Place::Source => world,
                Place::Target => swapped(world),
            };
            let found = look(&*direction, TABLE).await?;
            let Followable::Yes(stream) = found.followable() else {
                panic!("no stream");
            };
            let of = (found.schema, Some(stream));
            let options = Options {
                until_even: matches!(wish, Wish::Carry),
                ..options()
            };
            let ended = carry_on(direction, options, of, Arc::default()).await?;
            assert_eq!(ended, Ended::Even);
            Ok(Done::Carried)
        }
    }
}
