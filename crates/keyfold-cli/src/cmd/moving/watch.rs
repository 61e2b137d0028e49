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
use std::time::Duration;

/// The time between two looks at the runs.
const LOOK_TIME: Duration = Duration::from_millis(200);

/// A table that is moved.
pub(super) struct Moved {
    pub(super) found: Found,
    pub(super) options: Options,
    pub(super) stream: Option<String>,
    pub(super) progress: Arc<Progress>,
    pub(super) threads: Arc<Threads>,
}

/// Carries all moves on, each on a thread. Returns whether all are even.
pub(super) fn watched(moved: &[Moved], output: Output) -> Result<bool, Failure> {
    let stops = Arc::new(AtomicBool::new(false));
    listen(&stops)?;
    let results: Vec<Result<Ended, ClientError>> = std::thread::scope(|scope| {
        let runs: Vec<_> = moved
            .iter()
            .map(|one| scope.spawn(|| one.carry_on()))
            .collect();
        let mut said = String::new();
        while !runs.iter().all(|run| run.is_finished()) {
            let has_failed = moved.iter().any(|one| one.progress.is_stopping());
            if stops.load(Ordering::SeqCst) || (has_failed && !has_ended_well(moved)) {
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
    Ok(is_even || moved.iter().all(|one| one.progress.figures().is_even()))
}

/// Whether the runs that are ending are even.
fn has_ended_well(moved: &[Moved]) -> bool {
    let mut ending = moved.iter().filter(|one| one.progress.is_stopping());
    ending.all(|one| one.progress.figures().is_even())
}

/// Notes Ctrl-C and SIGTERM.
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

impl Moved {
    fn carry_on(&self) -> Result<Ended, ClientError> {
        let world: Arc<dyn World> = Arc::clone(&self.threads) as Arc<dyn World>;
        let of = (self.found.schema.clone(), self.stream.clone());
        let (options, progress) = (self.options.clone(), Arc::clone(&self.progress));
        let ended = blocked(carry_on(world, options, of, progress));
        self.progress.stop();
        self.threads.join();
        ended
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
