//! Work that takes long: it runs on a thread, its progress is shown, and Ctrl-C ends it.

use super::moving::{ENDED_BY_SIGNAL, listen};
use crate::failure::Failure;
use crate::output::Output;
use crate::terminal;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value as Json, json};
use std::io::IsTerminal as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The time between two looks at a run.
const LOOK_TIME: Duration = Duration::from_millis(100);
/// The time between two events.
const EVENT_TIME: Duration = Duration::from_secs(1);
/// How long a database or an endpoint that does not answer is waited for after Ctrl-C. Between two answers a command
/// heeds it by itself, and it may be killed at any moment, so nothing is lost without it. On a busy machine it takes
/// seconds to end; a person who does not wait presses Ctrl-C again.
const STOPS_WITHIN: Duration = Duration::from_secs(20);

/// How far a command is.
pub(super) struct Stand {
    /// For people.
    pub(super) line: String,
    /// For programs: the name of the member of an event, and its value.
    pub(super) member: &'static str,
    pub(super) counted: Json,
}

/// Calls what takes long on a thread, shows how far it is, and calls `stop` on Ctrl-C, at each look from then on.
pub(super) fn watched<T: Send>(
    output: Output,
    stand: impl Fn() -> Stand,
    stop: impl Fn(),
    does: impl FnOnce() -> T + Send,
) -> Result<T, Failure> {
    watched_noting(output, stand, || None, stop, does)
}

/// As [`watched`], with what a person should know meanwhile, as often as `note` has a sentence.
pub(super) fn watched_noting<T: Send>(
    output: Output,
    stand: impl Fn() -> Stand,
    note: impl Fn() -> Option<String>,
    stop: impl Fn(),
    does: impl FnOnce() -> T + Send,
) -> Result<T, Failure> {
    let stops = Arc::new(AtomicBool::new(false));
    listen(&stops)?;
    let began = Instant::now();
    let mut screen = Screen::new(output);
    let result = std::thread::scope(|scope| {
        let run = scope.spawn(does);
        let mut stopped: Option<Instant> = None;
        while !run.is_finished() {
            if stops.load(Ordering::SeqCst) {
                stop();
                if stopped.get_or_insert_with(Instant::now).elapsed() > STOPS_WITHIN {
                    screen.end();
                    unanswered();
                }
            }
            screen.look(&stand, began.elapsed());
            note().iter().for_each(|note| screen.note(note));
            std::thread::sleep(LOOK_TIME);
        }
        note().iter().for_each(|note| screen.note(note));
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
        "the database or the endpoint does not answer, and is not waited for any more; the same command goes on from \
         here",
    );
    std::process::exit(ENDED_BY_SIGNAL);
}

/// Shows how far a command is: a line on a terminal, events for programs.
struct Screen {
    line: Option<ProgressBar>,
    has_events: bool,
    due: Duration,
}

impl Screen {
    fn new(output: Output) -> Screen {
        let is_text = output == Output::Text;
        let line = (is_text && std::io::stderr().is_terminal()).then(|| {
            let style = ProgressStyle::with_template("{msg}");
            let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
            ProgressBar::new_spinner().with_style(style)
        });
        Screen {
            line,
            has_events: !is_text,
            due: EVENT_TIME,
        }
    }

    fn look(&mut self, stand: impl FnOnce() -> Stand, passed: Duration) {
        let is_due = self.has_events && passed >= self.due;
        if self.line.is_none() && !is_due {
            return;
        }
        let stand = stand();
        if let Some(line) = &self.line {
            line.set_message(format!("{}, {} s", stand.line, passed.as_secs()));
            line.tick();
        }
        if is_due {
            self.due = passed + EVENT_TIME;
            let mut event = json!({ "event": "progress", "seconds": passed.as_secs() });
            event[stand.member] = stand.counted;
            terminal::exactly(&event.to_string());
        }
    }

    /// Says what a person should know: a line, or an event.
    fn note(&self, text: &str) {
        match &self.line {
            Some(line) => line.suspend(|| terminal::error_line(text)),
            None if self.has_events => {
                let event = json!({ "event": "note", "message": text });
                terminal::exactly(&event.to_string());
            }
            None => terminal::error_line(text),
        }
    }

    fn end(&self) {
        if let Some(line) = &self.line {
            line.finish_and_clear();
        }
    }
}
