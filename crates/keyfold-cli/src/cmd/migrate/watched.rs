//! Work that takes long: it runs on a thread, its progress is shown, and Ctrl-C ends it.

use super::told;
use crate::cmd::moving::{ENDED_BY_SIGNAL, listen};
use crate::failure::Failure;
use crate::output::Output;
use crate::terminal;
use keyfold_relational::Progress;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The time between two looks at a run.
const LOOK_TIME: Duration = Duration::from_millis(100);
/// How long a database or a target that does not answer is waited for after Ctrl-C. Between two answers a command
/// heeds it by itself, and it may be killed at any moment, so nothing is lost without it. On a busy machine it takes
/// seconds to end; a person who does not wait presses Ctrl-C again.
const STOPS_WITHIN: Duration = Duration::from_secs(20);

/// Calls what takes long on a thread, shows how far it is, and stops it on Ctrl-C.
pub(super) fn watched<T: Send>(
    progress: &Progress,
    output: Output,
    does: impl FnOnce() -> T + Send,
) -> Result<T, Failure> {
    watched_by(
        progress,
        output,
        || told::Stand::of(&progress.figures()),
        does,
    )
}

/// As [`watched`], and shows what it is told to.
pub(super) fn watched_by<T: Send>(
    progress: &Progress,
    output: Output,
    stand: impl Fn() -> told::Stand,
    does: impl FnOnce() -> T + Send,
) -> Result<T, Failure> {
    let stops = Arc::new(AtomicBool::new(false));
    listen(&stops)?;
    let began = Instant::now();
    let mut screen = told::Screen::new(output);
    let result = std::thread::scope(|scope| {
        let run = scope.spawn(does);
        let mut stopped: Option<Instant> = None;
        while !run.is_finished() {
            if stops.load(Ordering::SeqCst) {
                progress.stop();
                if stopped.get_or_insert_with(Instant::now).elapsed() > STOPS_WITHIN {
                    screen.end();
                    unanswered();
                }
            }
            screen.look(&stand, began.elapsed());
            std::thread::sleep(LOOK_TIME);
        }
        match run.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    });
    screen.end();
    Ok(result)
}

/// Ends the process although a request is under way.
fn unanswered() -> ! {
    terminal::error_line(
        "the database or the target does not answer, and is not waited for any more; the same command goes on from \
         here",
    );
    std::process::exit(ENDED_BY_SIGNAL);
}
