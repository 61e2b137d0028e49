//! Compares a table of both places, shows how far it is, and keeps that for another call.

use super::cost::spoken_count;
use super::kept::Kept;
use super::left::Speed;
use super::line::Far;
use super::places::Opened;
use super::told::Told;
use crate::failure::Failure;
use crate::output::Output;
use crate::terminal::{self, counted_u64};
use indicatif::{ProgressBar, ProgressStyle};
use keyfold_client::{ClientError, blocked};
use keyfold_motion::tables::{self, Found};
use keyfold_motion::verify::{Compared, Comparison, Saved, compare_on};
use keyfold_motion::world::{At, Place};
use keyfold_motion::{Figures, Progress};
use keyfold_stream::described;
use std::io::IsTerminal as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The least time between two reads of an item that seems to differ.
const LAG: Duration = Duration::from_secs(2);
/// The most differences of a table that are named.
const DIFFERENCES_MAX: usize = 10_000;
/// The time between two looks at a comparison, and between two lines where there is no terminal.
const LOOK_TIME: Duration = Duration::from_millis(200);
const PLAIN_TIME: Duration = Duration::from_secs(30);
/// The width of a terminal that does not know its own.
const WIDTH: usize = 80;

/// A table of both places.
pub(super) struct Pair {
    pub(super) found: Found,
    /// The items and bytes of the target's table, as DescribeTable reports them.
    pub(super) target: [u64; 2],
    /// What distinguishes both from others of their name.
    pub(super) subject: String,
}

/// How a comparison runs.
pub(super) struct Course<'c> {
    pub(super) rate: Option<u32>,
    pub(super) kept: Option<&'c Kept>,
    /// Whether it is to stop.
    pub(super) stops: &'c AtomicBool,
    pub(super) output: Output,
}

impl Pair {
    /// A table of both places.
    ///
    /// # Errors
    /// `NotFound` when a place has none; the backend's otherwise.
    pub(super) fn of(opened: &Opened, table: &str) -> Result<Pair, Failure> {
        let world = opened.world();
        let found = blocked(tables::look(&*world, table))?;
        let target = At {
            world: &*world,
            place: Place::Target,
        };
        let Some(target) = blocked(described(&target, table))? else {
            return Err(Failure::not_found(format!(
                "the target has no table {table}"
            )));
        };
        let count = |count: Option<i64>| u64::try_from(count.unwrap_or(0)).unwrap_or(0);
        Ok(Pair {
            subject: format!(
                "{table}: {} and {}",
                found.identity(),
                tables::identity(&target)
            ),
            target: [count(target.item_count), count(target.table_size_bytes)],
            found,
        })
    }

    /// The items of both places, about.
    fn items(&self) -> u64 {
        let [target, _] = self.target;
        self.found.items() + target
    }
}

/// Compares a table of both places, and goes on where an earlier comparison was.
pub(super) fn compared_one(
    opened: &Opened,
    pair: &Pair,
    course: &Course<'_>,
) -> Result<(Compared, Told), Failure> {
    let comparison = Comparison {
        table: pair.found.table.clone(),
        schema: pair.found.schema.clone(),
        page: None,
        lag: opened.settle_time.max(LAG),
        rate: course.rate,
        most: DIFFERENCES_MAX,
    };
    let saved = course.kept.map(Kept::saved).transpose()?;
    let saved = saved.unwrap_or_default();
    let before: u64 = saved.items().iter().sum();
    let progress = Arc::new(Progress::default());
    let began = Instant::now();
    let world = opened.threads(&progress);
    let keep = &mut |saved: &Saved| course.kept.map_or(Ok(()), |kept| kept.keep(saved));
    let is_done = AtomicBool::new(false);
    let result = std::thread::scope(|scope| {
        scope.spawn(|| watch(pair, &progress, course, &is_done));
        let _ends = Ends(&is_done);
        blocked(compare_on(&*world, &comparison, &progress, (saved, keep)))
    });
    let figures = progress.figures();
    say_troubles(&pair.found.table, &figures);
    let compared = result.map_err(|error| resumable(error, course))?;
    let mut told = Told {
        table: pair.found.table.clone(),
        state: "compared".to_owned(),
        compared: Some((compared.clone(), began.elapsed())),
        units: figures.units,
        retries: [figures.troubles, figures.throttles],
        ..Told::default()
    };
    if before > 0 {
        told.notes.push(format!(
            "{} items were read by an earlier call, whose units and time are not in this report.",
            spoken_count(before)
        ));
    }
    Ok((compared, told))
}

/// Says how to go on after an error.
fn resumable(error: ClientError, course: &Course<'_>) -> Failure {
    let failure = Failure::from(error);
    match course.kept {
        Some(_) => failure
            .with_message(|message| format!("{message}; the same command goes on from there")),
        None => failure,
    }
}

/// Ends the watch of a comparison, also when that panics.
struct Ends<'e>(&'e AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Shows how far a comparison is, and stops it when it is to.
fn watch(pair: &Pair, progress: &Progress, course: &Course<'_>, is_done: &AtomicBool) {
    let bar = (course.output == Output::Text && std::io::stderr().is_terminal()).then(|| {
        let style = ProgressStyle::with_template("{msg}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
        ProgressBar::new_spinner().with_style(style)
    });
    let (began, mut said, mut speed) = (Instant::now(), Duration::ZERO, Speed::default());
    while !is_done.load(Ordering::SeqCst) {
        if course.stops.load(Ordering::SeqCst) {
            progress.stop();
        }
        let now = began.elapsed();
        let far = far(pair, &progress.figures());
        speed.note(now, far.done);
        let line = |width| {
            let name = terminal::shown(&pair.found.table);
            far.line((&name, width), far.time_left(&speed), Default::default())
        };
        match &bar {
            Some(bar) => {
                let width = terminal::known_width().unwrap_or(WIDTH).saturating_sub(1);
                bar.set_message(line(width));
            }
            None if course.output == Output::Text && now.saturating_sub(said) >= PLAIN_TIME => {
                said = now;
                terminal::error_line(&line(usize::MAX));
            }
            None => {}
        }
        std::thread::sleep(LOOK_TIME);
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}

/// How far a comparison is: the items of both places that were read.
fn far(pair: &Pair, figures: &Figures) -> Far {
    let items = figures.compared.iter().sum();
    Far {
        items,
        all_items: pair.items(),
        done: items,
        all: pair.items(),
        tables: [1, 0, 0],
        units: figures.units,
        throttles: figures.throttles,
        ..Far::default()
    }
}

/// Says on standard error which requests failed and were sent again.
fn say_troubles(table: &str, figures: &Figures) {
    if let Some(trouble) = &figures.trouble {
        terminal::error_line(&format!(
            "{table}: {} failed and were sent again, the last of them since {trouble}",
            counted_u64(figures.troubles, "request")
        ));
    }
}
