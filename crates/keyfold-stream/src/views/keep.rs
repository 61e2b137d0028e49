//! Keeps the views of a model: consumers of the generations that there are, and the builder.

use super::begin::begin;
use super::belongs;
use super::build::Builder;
use super::definition::Definition;
use super::keeper::Keeper;
use super::place::shown;
use super::state::{Generation, Phase, State};
use crate::gap::AtGap;
use crate::options::Options;
use crate::report::Report;
use crate::start::Start;
use crate::tables::described;
use crate::tasks::Tasks;
use crate::topology::stream_of;
use crate::world::{Io, World};
use keyfold_api::{StreamViewType, known};
use keyfold_lower::ClientError;
use keyfold_model::Model;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The most records of a batch whose rows have one item each: each is an action of a transaction.
const SINGLE_BATCH: usize = 90;
/// The time between two looks at the state of a view.
const LOOK_TIME: Duration = Duration::from_millis(500);

/// Something that happened to a view.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ViewReport {
    /// A consumer of its generation reports.
    Consumer(Report),
    /// A generation is built.
    Begun(u64),
    /// A generation is the one that readers see.
    Live(u64),
    /// A generation is kept no more, for this reason, and another one is built.
    Lost(u64, String),
    /// Its rows are of another definition, and are left as they are.
    Changed,
    /// A generation of another definition is built, by another worker.
    Other(u64),
    /// The builder of a generation of another definition is silent, and it is given up.
    GivenUp(u64),
    /// Its rows are of another definition, and it is not kept until they are of this one again.
    Waits,
    /// Its rows are of this definition again, and it is kept again.
    GoesOn,
    /// A build leaves an item out with which its row would be none.
    LeftOut {
        /// The item's table.
        table: String,
        /// Its key.
        key: String,
        /// The row, and the reason.
        why: String,
    },
    /// A request failed, and is tried again.
    Trouble(String),
}

impl fmt::Display for ViewReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ViewReport::Consumer(report) => write!(f, "{report}"),
            ViewReport::Begun(number) => write!(f, "builds generation {number}"),
            ViewReport::Live(number) => write!(f, "generation {number} is live"),
            ViewReport::Lost(number, why) => {
                write!(f, "generation {number} is built anew: {why}")
            }
            ViewReport::Changed => f.write_str(
                "its definition has changed, and its rows are of the one before: rebuild it with \
                 `keyfold views rebuild`, or run with `--rebuild`",
            ),
            ViewReport::Other(number) => write!(
                f,
                "generation {number} is built of another definition, by another worker"
            ),
            ViewReport::GivenUp(number) => write!(
                f,
                "gives up generation {number} of another definition, which nobody builds any more"
            ),
            ViewReport::Waits => f.write_str(
                "its rows are of another definition now: it is not kept until they are of this one again, \
                 by `keyfold views rebuild`",
            ),
            ViewReport::GoesOn => f.write_str("its rows are of this definition again: it is kept again"),
            ViewReport::LeftOut { table, key, why } => write!(
                f,
                "leaves out the item {key} of {table}: {why}; change it, or the row's other items"
            ),
            ViewReport::Trouble(why) => f.write_str(why),
        }
    }
}

/// The listener: the view's name, and what happened.
pub type OnViewReport = Arc<dyn Fn(&str, &ViewReport) + Send + Sync>;

/// The settings of the upkeep of views.
#[derive(Clone)]
pub struct ViewOptions {
    /// Settings of the consumers. Their names and tables follow from the views, which need all records.
    pub consumers: Options,
    /// Whether a view whose definition has changed is rebuilt.
    pub rebuild: bool,
    /// Whether a view that gets rows of another definition, while it is kept, is kept again as soon as
    /// they are of its own. Otherwise the upkeep ends.
    pub waits: bool,
    /// How long the upkeep remembers what source items gave to a generation while it was built. A
    /// stream may lag behind its table by as much.
    pub remembers: Duration,
    /// The listener.
    pub on_report: OnViewReport,
}

impl Default for ViewOptions {
    fn default() -> ViewOptions {
        ViewOptions {
            consumers: Options::new("views", "views"),
            rebuild: false,
            waits: false,
            remembers: Duration::from_secs(2 * 3_600),
            on_report: Arc::new(|_, _| {}),
        }
    }
}

impl fmt::Debug for ViewOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ViewOptions")
            .field("rebuild", &self.rebuild)
            .field("waits", &self.waits)
            .field("remembers", &self.remembers)
            .finish_non_exhaustive()
    }
}

/// Ends the upkeep of views.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    is_stopping: Arc<AtomicBool>,
    why: Arc<Mutex<Option<String>>>,
}

impl Stop {
    /// Lets consumers end what they are about.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::SeqCst);
    }

    /// Whether the upkeep ends, or has ended.
    pub fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::SeqCst)
    }

    /// The reason for which it ended by itself.
    pub fn why(&self) -> Option<String> {
        let why = self.why.lock();
        why.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn fail(&self, why: String) {
        let mut first = self.why.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(why);
        drop(first);
        self.stop();
    }
}

/// Begins to keep the views of a model, each by a task of its own.
///
/// # Errors
/// `Refused` for a view whose upkeep is not possible, whose source's table has no stream, or whose rows
/// are of another definition; `Invalid` when the model has none; the backend's when the tables cannot be
/// made.
pub async fn keep(
    world: &Arc<dyn World>,
    model: &Arc<Model>,
    options: &ViewOptions,
    stop: &Stop,
) -> Result<(), ClientError> {
    let definitions = Definition::all(model)?;
    if definitions.is_empty() {
        let why = format!("the model {} has no views", model.name);
        return Err(ClientError::Invalid(why));
    }
    State::ensure(&**world).await?;
    for definition in &definitions {
        startable(&**world, definition, options.rebuild).await?;
    }
    for definition in definitions {
        let definition = Arc::new(definition);
        let (lease, remembers) = (&options.consumers, options.remembers);
        let builder = Builder::new(Arc::clone(world), Arc::clone(&definition), lease, remembers);
        let upkeep = Upkeep {
            world: Arc::clone(world),
            definition,
            options: options.clone(),
            stop: stop.clone(),
            builder,
            running: BTreeMap::new(),
            live: None,
            other: None,
            is_waiting: false,
            looked: None,
            lost: None,
        };
        world.spawn(Box::pin(upkeep.run()));
    }
    Ok(())
}

/// Makes sure that a view's streams are there, and that its rows are of its definition or may be rebuilt.
async fn startable(
    world: &dyn World,
    definition: &Definition,
    may_rebuild: bool,
) -> Result<(), ClientError> {
    for table in definition.streams() {
        stream_of(world, &table).await?;
        // A stream that was switched off is there for a day yet.
        let found = described(world, &table).await?;
        let stream = found.and_then(|found| found.stream_specification);
        let images = stream.filter(|one| one.stream_enabled == Some(true));
        let images = images.and_then(|one| known(&one.stream_view_type));
        if images != Some(StreamViewType::NewAndOldImages) {
            return Err(ClientError::refused(format!(
                "{table} has no stream with new and old images, from which the view {} is kept: switch \
                 it on with `keyfold push`",
                definition.name
            )));
        }
    }
    let state = State::read(world, &definition.name).await?;
    let is_own = |one: &Generation| one.print == definition.print;
    let live = state.live.as_ref();
    let next = state.next.as_ref().map(|(next, _)| next);
    // Rows of this definition are kept, and those that it builds.
    let has_own = live.into_iter().chain(next).any(is_own);
    match may_rebuild || has_own || live.or(next).is_none() {
        true => Ok(()),
        false => Err(ClientError::refused(changed(&definition.name))),
    }
}

fn changed(view: &str) -> String {
    format!("{view}: {}", ViewReport::Changed)
}

/// Begins a new generation of a view, unless one of this definition is built already. Returns its
/// number.
///
/// # Errors
/// The backend's.
pub(crate) async fn rebuild(
    world: &dyn World,
    definition: &Definition,
    leases: &str,
) -> Result<u64, ClientError> {
    loop {
        let state = State::read(world, &definition.name).await?;
        if let Some((next, _)) = &state.next
            && next.print == definition.print
        {
            return Ok(next.number);
        }
        if let Some(number) = begin(world, definition, leases, state).await? {
            return Ok(number);
        }
    }
}

/// The upkeep of one view.
struct Upkeep {
    world: Arc<dyn World>,
    definition: Arc<Definition>,
    options: ViewOptions,
    stop: Stop,
    builder: Builder,
    /// Consumers, by generation and table.
    running: BTreeMap<(u64, String), Tasks>,
    live: Option<u64>,
    /// The generation of another definition that was seen, with the state's version, and since when
    /// nobody has changed that.
    other: Option<(u64, u64, Duration)>,
    /// Whether the rows are of another definition, and it waits for its own.
    is_waiting: bool,
    /// The moment of the last look at the tables and leases that generations belong to.
    looked: Option<Duration>,
    /// The lost generation that was reported.
    lost: Option<u64>,
}

impl Upkeep {
    fn report(&self, report: ViewReport) {
        (self.options.on_report)(&self.definition.name, &report);
    }

    async fn run(mut self) {
        let mut failed = 0_u32;
        while !self.stop.is_stopping() {
            let turned = self.turn().await;
            for item in std::mem::take(&mut self.builder.left_out) {
                let (table, why) = (item.table, item.why);
                let key = shown(&item.key);
                self.report(ViewReport::LeftOut { table, key, why });
            }
            match turned {
                Ok(is_more) => {
                    failed = 0;
                    if !is_more {
                        self.world.pause(LOOK_TIME).await;
                    }
                }
                Err(error) => {
                    failed = failed.saturating_add(1);
                    // Trouble that stays is not said each time.
                    if failed.is_power_of_two() {
                        self.report(ViewReport::Trouble(error.to_string()));
                    }
                    let pause = LOOK_TIME * 2_u32.saturating_pow(failed.min(8) - 1);
                    // Behind a builder that is silent for longer, another one follows.
                    let most = (self.options.consumers.lease_time / 4).max(LOOK_TIME);
                    self.world.pause(pause.min(most)).await;
                }
            }
        }
        for tasks in self.running.values() {
            tasks.stop();
        }
    }

    /// Looks at the state, and does what follows from it. Returns whether there is more to be done at
    /// once.
    async fn turn(&mut self) -> Result<bool, ClientError> {
        let state = State::read(&*self.world, &self.definition.name).await?;
        let definition = Arc::clone(&self.definition);
        let is_own = |one: &Generation| one.print == definition.print;
        let next = state.next.iter().map(|(next, _)| next);
        let all = state.live.iter().chain(next);
        let own: Vec<Generation> = all.filter(|one| is_own(one)).cloned().collect();
        let has_rows = state.live.is_some() || state.next.is_some();
        if own.is_empty() && has_rows && !self.options.rebuild {
            return self.stand().await;
        }
        if std::mem::take(&mut self.is_waiting) {
            self.report(ViewReport::GoesOn);
        }
        if self.has_lost(&state, &own).await? {
            return Ok(true);
        }
        let kept: Vec<Generation> = own
            .iter()
            .filter(|one| one.lost.is_none())
            .cloned()
            .collect();
        self.consume(&kept).await?;
        match &state.next {
            None if own.is_empty() => return self.begin(state).await,
            Some((next, _)) if !is_own(next) => return self.other(state, !own.is_empty()).await,
            Some(_) | None => self.other = None,
        }
        if self.has_missed(&state) {
            return self.begin(state).await;
        }
        let live = state
            .live
            .as_ref()
            .filter(|one| is_own(one) && one.lost.is_none())
            .map(|one| one.number);
        if live != self.live {
            self.live = live;
            if let Some(number) = live {
                self.report(ViewReport::Live(number));
            }
        }
        self.builder.turn(state).await
    }

    /// The rows are of another definition: the upkeep ends, or waits until they are not any more.
    async fn stand(&mut self) -> Result<bool, ClientError> {
        if !self.options.waits {
            self.report(ViewReport::Changed);
            self.stop.fail(changed(&self.definition.name));
            return Ok(false);
        }
        self.consume(&[]).await?;
        self.live = None;
        if !std::mem::replace(&mut self.is_waiting, true) {
            self.report(ViewReport::Waits);
        }
        Ok(false)
    }

    /// Looks whether the tables and leases of generations are there, before they are kept, and now and then. Returns
    /// whether one is noted as lost.
    async fn has_lost(&mut self, state: &State, own: &[Generation]) -> Result<bool, ClientError> {
        let (io, name): (&dyn Io, _) = (&*self.world, &self.definition.name);
        let leases = &self.options.consumers.leases;
        let now = self.world.now();
        let is_kept =
            |one: &Generation| self.running.keys().any(|(number, _)| *number == one.number);
        let is_new = own.iter().any(|one| one.lost.is_none() && !is_kept(one));
        let time = self.options.consumers.discovery_time;
        let is_time = self.looked.is_none_or(|at| now.saturating_sub(at) >= time);
        let mut changed = state.clone();
        if is_new || is_time {
            for one in own {
                let lost = belongs::lost(io, name, one, leases).await?;
                let place = match &one.place {
                    Some(place) => Some(place.clone()),
                    None => belongs::place(io, &one.table).await?,
                };
                if let Some(held) = changed.generation(one.number) {
                    (held.lost, held.place) = (lost, place);
                }
            }
            self.looked = Some(now);
        }
        let is_noted = changed != *state;
        if is_noted && !changed.store(io, name).await? {
            return Ok(true);
        }
        let live = changed.live.as_ref();
        if let Some((live, lost)) = live.and_then(|live| Some((live, live.lost?)))
            && self.lost.replace(live.number) != Some(live.number)
        {
            let why = lost.why(&live.table, leases);
            self.report(ViewReport::Lost(live.number, why));
        }
        Ok(is_noted)
    }

    /// Whether records of a generation are missing that no other one will make up for: of the one that
    /// is built, or of the live one while none is. Its consumers have stopped by themselves, or it is lost.
    fn has_missed(&self, state: &State) -> bool {
        let generation = match (&state.live, &state.next) {
            // Its rows have all that they are to have; what comes behind them is missed when they are live.
            (_, Some((_, Phase::Switch))) | (None, None) => return false,
            (_, Some((next, _))) => next,
            (Some(live), None) => live,
        };
        let mut running = self.running.iter();
        let number = generation.number;
        generation.lost.is_some()
            || running.any(|((of, _), tasks)| *of == number && tasks.is_stopping())
    }

    /// Another definition's generation is built. When nobody has done so for a lease time, it takes its
    /// place if it had begun to; before that it is given up, or followed by one of this definition.
    async fn other(&mut self, mut state: State, has_own: bool) -> Result<bool, ClientError> {
        let Some((next, phase)) = state.next.clone() else {
            return Ok(false);
        };
        let now = self.world.now();
        let since = match self.other {
            Some((_, version, since)) if version == state.version => since,
            Some(_) | None => now,
        };
        let seen = self.other.replace((next.number, state.version, since));
        if seen.is_none_or(|(number, _, _)| number != next.number) {
            self.report(ViewReport::Other(next.number));
        }
        if now.saturating_sub(since) < self.options.consumers.lease_time {
            return Ok(false);
        }
        if phase == Phase::Switch || !has_own {
            return self.begin(state).await;
        }
        state
            .garbage
            .extend(state.next.take().map(|(next, _)| next));
        state.cursor = None;
        if state.store(&*self.world, &self.definition.name).await? {
            self.report(ViewReport::GivenUp(next.number));
        }
        Ok(true)
    }

    async fn begin(&mut self, state: State) -> Result<bool, ClientError> {
        let leases = &self.options.consumers.leases;
        if let Some(number) = begin(&*self.world, &self.definition, leases, state).await? {
            self.report(ViewReport::Begun(number));
        }
        Ok(true)
    }

    /// Runs the consumers of these generations, and no others.
    async fn consume(&mut self, generations: &[Generation]) -> Result<(), ClientError> {
        self.running.retain(|(number, _), tasks| {
            let is_wanted = generations.iter().any(|one| one.number == *number);
            if !is_wanted {
                tasks.stop();
            }
            is_wanted
        });
        for generation in generations {
            for table in &generation.streams {
                let at = (generation.number, table.clone());
                if self.running.contains_key(&at) {
                    continue;
                }
                let keeper = Arc::new(Keeper {
                    definition: Arc::clone(&self.definition),
                    generation: generation.number,
                    table: table.clone(),
                });
                let options = self.consumer(generation, table);
                let world = Arc::clone(&self.world);
                let tasks = Tasks::prepare(world, options, keeper).await?;
                tasks.begin();
                self.running.insert(at, tasks);
            }
        }
        Ok(())
    }

    /// The settings of a consumer.
    fn consumer(&self, generation: &Generation, table: &str) -> Options {
        let name = self.definition.name.clone();
        let listen = Arc::clone(&self.options.on_report);
        let report = move |report: &Report| listen(&name, &ViewReport::Consumer(report.clone()));
        let base = self.options.consumers.clone();
        let batch = match self.definition.view().is_grouped {
            true => base.batch,
            false => base.batch.min(SINGLE_BATCH),
        };
        Options {
            name: generation.consumer(&self.definition.name, table),
            table: table.to_owned(),
            batch,
            lanes: 1,
            // A row follows from all records.
            start: Start::Oldest,
            filter: None,
            ..base
        }
        // A gap makes another generation.
        .on_gap(|_| AtGap::Stop)
        .on_report(report)
    }
}

/// How far the building of a generation is, in words.
pub(crate) fn words(phase: Phase, scanned: u64) -> String {
    match phase {
        Phase::Scan => format!("scans its source, {scanned} items so far"),
        Phase::Follow => {
            format!("has scanned {scanned} items, and handles what was written meanwhile")
        }
        Phase::Hold => "catches up with the live one".to_owned(),
        Phase::Switch => "takes its place".to_owned(),
    }
}
