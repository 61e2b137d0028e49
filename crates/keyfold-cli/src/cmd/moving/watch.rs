//! Watches the runs of a move: shows how far they are, and stops them on Ctrl-C.

pub(super) use super::moved::Moved;
use super::screen::Screen;
use crate::cmd::signal::Signals;
use crate::failure::Failure;
use crate::output::Output;
use crate::terminal::{self, FAINT, GOOD, STRONG};
use keyfold_client::ClientError;
use keyfold_motion::Ended;
use keyfold_motion::world::{Place, World as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The time between two looks at the runs.
const LOOK_TIME: Duration = Duration::from_millis(200);
/// The exit code of a process that Ctrl-C has ended.
pub(in crate::cmd) const ENDED_BY_SIGNAL: i32 = 130;

/// What is said after the first Ctrl-C.
const STOPS: &str = "it stops after the requests that are under way; once more ends it at once";

/// When the runs of a command end by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// They do not: Ctrl-C ends them.
    Stopped,
    /// When all changes of before one moment after the last table was copied are applied, in each table.
    AllEven,
    /// When nothing is left to apply and nothing comes, or when this time has passed before.
    AllQuietWithin(Duration),
}

/// Carries all moves on, each on a thread. Returns whether all are even.
pub(super) fn watched(moved: &[Moved], until: Until, output: Output) -> Result<bool, Failure> {
    let stops = Arc::new(AtomicBool::new(false));
    listen(&stops)?;
    let mut together = Together::new(until);
    let mut screen = Screen::new(moved, output);
    let results: Vec<Result<Ended, ClientError>> = std::thread::scope(|scope| {
        let runs: Vec<_> = moved
            .iter()
            .map(|one| scope.spawn(|| one.carry_on()))
            .collect();
        let mut is_said = false;
        while !runs.iter().all(|run| run.is_finished()) {
            together.look(moved);
            let has_failed = moved.iter().any(Moved::has_failed);
            let is_stopped = stops.load(Ordering::SeqCst);
            // The others would wait for a table that stands still.
            let waits = until != Until::Stopped && moved.iter().any(Moved::is_paused);
            if is_stopped || has_failed || waits || together.is_over {
                moved.iter().for_each(|one| one.progress.stop());
            }
            if is_stopped && !is_said {
                is_said = true;
                screen.say(STOPS);
            }
            screen.look(moved);
            std::thread::sleep(LOOK_TIME);
        }
        let ends = runs.into_iter().map(|run| match run.join() {
            Ok(end) => end,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        ends.collect()
    });
    let is_ended = |result: &Result<Ended, ClientError>| matches!(result, Ok(Ended::Even));
    let was_even = || moved.iter().all(|one| one.progress.figures().is_even());
    let is_even =
        results.iter().all(is_ended) || together.is_even || (until == Until::Stopped && was_even());
    let has_failed = results.iter().any(Result::is_err);
    for one in moved {
        one.was_even.store(is_even && !has_failed, Ordering::SeqCst);
    }
    screen.end(
        moved,
        match (has_failed, moved.iter().any(Moved::is_paused), is_even) {
            (true, ..) => "failed",
            (false, true, _) => "paused",
            (false, false, true) => "even",
            (false, false, false) => "stopped",
        },
    );
    for result in results {
        result?;
    }
    Ok(is_even)
}

/// The moment whose earlier changes all tables are to have.
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
            Until::AllQuietWithin(time) => Some(time),
        };
        let is_late = within.is_some_and(|time| self.began.elapsed() > time);
        if !self.has_goal && moved.iter().all(|one| one.progress.is_copied()) {
            self.has_goal = true;
            for one in moved {
                one.progress.set_goal(one.threads.now());
            }
        }
        // A table that is not followed is even when it is copied, and its run has ended.
        let is_even = |one: &Moved| match (&one.stream, within) {
            (Some(_), None) => one.progress.is_past_goal(),
            (Some(_), Some(_)) => one.progress.is_at_goal(),
            (None, _) => one.progress.figures().is_even(),
        };
        self.is_even = self.has_goal && moved.iter().all(is_even);
        self.is_over = self.is_even || is_late;
    }
}

/// Notes the first Ctrl-C or SIGTERM; the second one ends the process. What was written stays right, as
/// after any kill.
pub(in crate::cmd) fn listen(stops: &Arc<AtomicBool>) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::backend(format!("cannot wait for signals: {error}")))?;
    let mut signals = runtime.block_on(async { Signals::take() })?;
    let stops = Arc::clone(stops);
    std::thread::spawn(move || {
        runtime.block_on(signals.next());
        stops.store(true, Ordering::SeqCst);
        runtime.block_on(signals.next());
        std::process::exit(ENDED_BY_SIGNAL);
    });
    Ok(())
}

pub(super) fn show(moved: &[Moved], is_even: bool) {
    for one in moved {
        let figures = one.progress.figures();
        terminal::line(&format!(
            "{STRONG}{}{STRONG:#}  {} items copied, {} changes applied{}",
            one.found.table,
            figures.items,
            figures.changes,
            if one.is_even() { ", even" } else { "" }
        ));
        if let (Some(attribute), Place::Source) = (&one.found.expiry, one.reads) {
            terminal::line(&format!(
                "  {FAINT}expiry by {attribute} is off in the target until `keyfold move complete`{FAINT:#}"
            ));
        }
    }
    let paused = moved.iter().filter(|one| one.is_paused());
    let names: Vec<&str> = paused.map(|one| one.found.table.as_str()).collect();
    match (names.is_empty(), is_even) {
        (false, _) => terminal::line(&format!(
            "paused by another process: {}. `keyfold move resume` goes on from here",
            names.join(", ")
        )),
        (true, true) => {
            let reads = moved.first().map_or(Place::Source, |one| one.reads);
            let (to, from) = (reads.other().word(), reads.word());
            terminal::line(&format!("{GOOD}the {to} is even with the {from}{GOOD:#}"));
        }
        (true, false) => terminal::line("stopped; the same command goes on from here"),
    }
}
