//! Watches the runs of a move: shows how far they are, and stops them on Ctrl-C.

use crate::cmd::signal::Signals;
use crate::failure::Failure;
use crate::output::Output;
use crate::terminal::{self, FAINT, GOOD, STRONG};
use keyfold_client::{ClientError, blocked};
use keyfold_motion::tables::Found;
use keyfold_motion::threads::Threads;
use keyfold_motion::world::World;
use keyfold_motion::{Ended, Figures, Options, Progress, carry_on};
use serde_json::{Value as Json, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The time between two looks at the runs.
const LOOK_TIME: Duration = Duration::from_millis(200);
/// The exit code of a process that Ctrl-C has ended.
const ENDED_BY_SIGNAL: i32 = 130;

/// A table that is moved.
pub(super) struct Moved {
    pub(super) found: Found,
    pub(super) options: Options,
    pub(super) stream: Option<String>,
    pub(super) progress: Arc<Progress>,
    pub(super) threads: Arc<Threads>,
    /// Whether its run has ended with an error.
    pub(super) has_failed: AtomicBool,
}

/// When the runs of a command end by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// They do not: Ctrl-C ends them.
    Stopped,
    /// When all tables are even, up to one moment after the last of them was copied.
    AllEven,
    /// As `AllEven`, or when this time has passed before.
    AllEvenWithin(Duration),
}

/// Carries all moves on, each on a thread. Returns whether all are even.
pub(super) fn watched(moved: &[Moved], until: Until, output: Output) -> Result<bool, Failure> {
    let stops = Arc::new(AtomicBool::new(false));
    listen(&stops)?;
    let mut together = Together::new(until);
    let results: Vec<Result<Ended, ClientError>> = std::thread::scope(|scope| {
        let runs: Vec<_> = moved
            .iter()
            .map(|one| scope.spawn(|| one.carry_on()))
            .collect();
        let mut said = String::new();
        while !runs.iter().all(|run| run.is_finished()) {
            together.look(moved);
            let has_failed = moved.iter().any(Moved::has_failed);
            if stops.load(Ordering::SeqCst) || has_failed || together.is_over {
                moved.iter().for_each(|one| one.progress.stop());
            }
            if output == Output::Text {
                say(moved, &mut said);
            }
            std::thread::sleep(LOOK_TIME);
        }
        let ends = runs.into_iter().map(|run| match run.join() {
            Ok(end) => end,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        ends.collect()
    });
    let mut is_even = true;
    for result in results {
        is_even &= result? == Ended::Even;
    }
    let was_even = || moved.iter().all(|one| one.progress.figures().is_even());
    Ok(is_even || together.is_even || (until == Until::Stopped && was_even()))
}

/// The moment up to which all tables are to be even.
struct Together {
    until: Until,
    began: Instant,
    /// It was asked for, after the last table was copied.
    has_goal: bool,
    is_even: bool,
    is_over: bool,
}

impl Together {
    fn new(until: Until) -> Together {
        Together {
            until,
            began: Instant::now(),
            has_goal: false,
            is_even: false,
            is_over: false,
        }
    }

    fn look(&mut self, moved: &[Moved]) {
        let within = match self.until {
            Until::Stopped => return,
            Until::AllEven => None,
            Until::AllEvenWithin(time) => Some(time),
        };
        let is_late = within.is_some_and(|time| self.began.elapsed() > time);
        if !self.has_goal && moved.iter().all(|one| one.progress.is_copied()) {
            self.has_goal = true;
            for one in moved {
                one.progress.set_goal(one.threads.now());
            }
        }
        // A table that is not followed is even when it is copied, and its run has ended.
        let is_even = |one: &Moved| one.stream.is_none() || one.progress.is_at_goal();
        self.is_even = self.has_goal && moved.iter().all(is_even);
        self.is_over = self.is_even || is_late;
    }
}

/// Notes the first Ctrl-C or SIGTERM; the second one ends the process. What was written stays right, as
/// after any kill.
fn listen(stops: &Arc<AtomicBool>) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::backend(format!("cannot wait for signals: {error}")))?;
    let mut signals = runtime.block_on(async { Signals::take() })?;
    let stops = Arc::clone(stops);
    std::thread::spawn(move || {
        runtime.block_on(signals.next());
        stops.store(true, Ordering::SeqCst);
        terminal::error_line(
            "it stops after the requests that are under way; once more ends it at once",
        );
        runtime.block_on(signals.next());
        std::process::exit(ENDED_BY_SIGNAL);
    });
    Ok(())
}

/// Says on standard error how far the moves are, when that has changed.
fn say(moved: &[Moved], said: &mut String) {
    let mut sum = Figures::default();
    let mut even = 0;
    for one in moved {
        let figures = one.progress.figures();
        sum.items += figures.items + figures.kept;
        sum.records += figures.records;
        sum.segments_done += figures.segments_done;
        sum.segments += figures.segments;
        even += usize::from(figures.is_even());
    }
    // A line for each segment, and when the tables become even; not for each item.
    let now = format!("{}/{even}", sum.segments_done);
    if now == *said || sum.segments == 0 {
        return;
    }
    *said = now;
    terminal::error_line(&format!(
        "{} of {} segments are copied, {} items; {} records are applied; {even} of {} tables are even",
        sum.segments_done,
        sum.segments,
        sum.items,
        sum.records,
        moved.len()
    ));
}

/// Ends the tasks of a run when it has ended, whatever the reason.
struct Ends<'m>(&'m Moved);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.has_failed.store(true, Ordering::SeqCst);
        }
        self.0.progress.stop();
        self.0.threads.join();
    }
}

impl Moved {
    fn carry_on(&self) -> Result<Ended, ClientError> {
        let world: Arc<dyn World> = Arc::clone(&self.threads) as Arc<dyn World>;
        let of = (self.found.schema.clone(), self.stream.clone());
        let (options, progress) = (self.options.clone(), Arc::clone(&self.progress));
        // Also when it panics.
        let ends = Ends(self);
        let ended = blocked(carry_on(world, options, of, progress));
        let has_failed = ended.is_err();
        self.has_failed.store(has_failed, Ordering::SeqCst);
        drop(ends);
        ended
    }

    fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::SeqCst)
    }

    pub(super) fn view(&self) -> Json {
        let figures = self.progress.figures();
        json!({
            "table": self.found.table,
            "follows": self.stream.is_some(),
            "items": figures.items,
            "kept": figures.kept,
            "records": figures.records,
            "changes": figures.changes,
            "segments": figures.segments,
            "segmentsDone": figures.segments_done,
            "isEven": figures.is_even(),
            "expiry": self.found.expiry,
        })
    }
}

pub(super) fn show(moved: &[Moved], is_even: bool) {
    for one in moved {
        let figures = one.progress.figures();
        terminal::line(&format!(
            "{STRONG}{}{STRONG:#}  {} items copied, {} changes applied{}",
            one.found.table,
            figures.items,
            figures.changes,
            if figures.is_even() { ", even" } else { "" }
        ));
        if let Some(attribute) = &one.found.expiry {
            terminal::line(&format!(
                "  {FAINT}expiry by {attribute} is off in the target until `keyfold move complete`{FAINT:#}"
            ));
        }
    }
    match is_even {
        true => terminal::line(&format!("{GOOD}the target is even with the source{GOOD:#}")),
        false => terminal::line("stopped; the same command goes on from here"),
    }
}
