//! Shows how far the runs of a command are: a line for each table on a terminal, a line now and then
//! elsewhere, and events for programs.

use super::cost::{spoken_count, units_view};
use super::left::{Speed, spoken};
use super::line::Far;
use super::moved::Moved;
use crate::output::Output;
use crate::terminal;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use serde_json::{Value as Json, json};
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

/// The most tables that have a line of their own; of more there is one line.
const LINES_MAX: usize = 8;
/// The width of a terminal that does not know its own.
const WIDTH: usize = 80;
/// The longest time between two lines where there is no terminal.
const PLAIN_TIME: Duration = Duration::from_secs(30);
/// The time between two events.
const EVENT_TIME: Duration = Duration::from_secs(1);

enum Form {
    Terminal {
        all: MultiProgress,
        lines: Vec<ProgressBar>,
    },
    /// What the last line said, and when.
    Plain { said: String, at: Duration },
    /// When the next event is due, and whether the last one said that all tables are even.
    Events { due: Duration, is_even: bool },
}

/// Shows how far the runs of a command are.
pub(super) struct Screen {
    form: Form,
    began: Instant,
    /// The speed of each table, and of all together.
    speeds: Vec<Speed>,
    speed: Speed,
}

impl Screen {
    /// A screen for these tables.
    pub(super) fn new(moved: &[Moved], output: Output) -> Screen {
        let form = match output {
            Output::Json => {
                event(
                    "started",
                    json!({ "tables": moved.iter().map(begun).collect::<Vec<_>>() }),
                );
                Form::Events {
                    due: Duration::ZERO,
                    is_even: false,
                }
            }
            Output::Text if std::io::stderr().is_terminal() => {
                let all = MultiProgress::new();
                let count = if moved.len() > LINES_MAX {
                    1
                } else {
                    moved.len()
                };
                let style = ProgressStyle::with_template("{msg}");
                let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
                let lines = (0..count)
                    .map(|_| all.add(ProgressBar::new_spinner().with_style(style.clone())));
                Form::Terminal {
                    lines: lines.collect(),
                    all,
                }
            }
            Output::Text => Form::Plain {
                said: String::new(),
                at: Duration::ZERO,
            },
        };
        Screen {
            form,
            began: Instant::now(),
            speeds: moved.iter().map(|_| Speed::default()).collect(),
            speed: Speed::default(),
        }
    }

    /// Shows how far the runs are now.
    pub(super) fn look(&mut self, moved: &[Moved]) {
        let now = self.began.elapsed();
        let far: Vec<Far> = moved.iter().map(Moved::far).collect();
        // A run that has not begun has nothing of what earlier ones did.
        for (speed, one) in self.speeds.iter_mut().zip(&far) {
            if one.segments > 0 {
                speed.note(now, one.done);
            }
        }
        let sum = Far::of_all(&far);
        if far.iter().all(|one| one.segments > 0) {
            self.speed.note(now, sum.done);
        }
        match &mut self.form {
            Form::Terminal { lines, all: _ } => {
                let width = terminal::known_width().unwrap_or(WIDTH).saturating_sub(1);
                let priced = moved.first().map(|one| one.priced).unwrap_or_default();
                if moved.len() > lines.len() {
                    let name = terminal::counted(moved.len(), "table");
                    let line = sum.line((&name, width), sum.time_left(&self.speed), priced);
                    lines.iter().for_each(|bar| bar.set_message(line.clone()));
                    return;
                }
                for (((bar, one), far), speed) in
                    lines.iter().zip(moved).zip(&far).zip(&self.speeds)
                {
                    let name = terminal::shown(&one.found.table);
                    bar.set_message(far.line((&name, width), far.time_left(speed), priced));
                }
            }
            Form::Plain { said, at } => {
                // A line for each segment, and when the tables become even; not for each item.
                let key = format!("{}/{:?}", sum.segments_done, sum.tables);
                let is_due = now.saturating_sub(*at) >= PLAIN_TIME;
                if sum.segments > 0 && (key != *said || is_due) {
                    *said = key;
                    *at = now;
                    terminal::error_line(&plain(&sum, sum.time_left(&self.speed)));
                }
            }
            Form::Events { due, is_even } => {
                if now < *due {
                    return;
                }
                *due = now + EVENT_TIME;
                let tables = moved.iter().zip(&far).zip(&self.speeds);
                let tables: Vec<Json> = tables
                    .map(|((one, far), speed)| so_far(one, far, far.time_left(speed)))
                    .collect();
                let seconds = now.as_secs();
                event("progress", json!({ "seconds": seconds, "tables": tables }));
                let [all, _, even] = sum.tables;
                if even == all && !*is_even {
                    event("even", json!({ "seconds": seconds }));
                }
                *is_even = even == all;
            }
        }
    }

    /// Says a sentence beside the lines.
    pub(super) fn say(&self, text: &str) {
        match &self.form {
            Form::Terminal { all, lines: _ } => all.suspend(|| terminal::error_line(text)),
            Form::Plain { .. } | Form::Events { .. } => terminal::error_line(text),
        }
    }

    /// Shows how far the runs were, and ends.
    pub(super) fn end(mut self, moved: &[Moved], why: &str) {
        match &mut self.form {
            Form::Terminal { .. } | Form::Plain { .. } => {}
            Form::Events { due, is_even: _ } => *due = Duration::ZERO,
        }
        self.look(moved);
        match self.form {
            Form::Terminal { lines, all: _ } => lines.iter().for_each(ProgressBar::finish),
            Form::Plain { .. } => {}
            Form::Events { .. } => event("ended", json!({ "why": why })),
        }
    }
}

/// Prints an event as a line of standard output.
pub(super) fn event(name: &str, mut members: Json) {
    members["event"] = Json::from(name);
    terminal::exactly(&members.to_string());
}

fn begun(one: &Moved) -> Json {
    json!({
        "table": one.found.table,
        "items": one.found.items(),
        "bytes": one.found.bytes(),
        "follows": one.stream.is_some(),
    })
}

fn so_far(one: &Moved, far: &Far, time_left: Option<Duration>) -> Json {
    json!({
        "table": one.found.table,
        "items": far.items,
        "changes": far.changes,
        "segments": far.segments,
        "segmentsDone": far.segments_done,
        "isEven": far.tables == [1, 1, 1],
        "secondsLeft": time_left.map(|time| time.as_secs()),
        "secondsBehind": far.behind.map(|time| time.as_secs()),
        "units": units_view(far.units),
        "dollars": one.priced.dollars(far.units),
        "throttles": far.throttles,
    })
}

/// The line where there is no terminal.
fn plain(sum: &Far, time_left: Option<Duration>) -> String {
    let [tables, _, even] = sum.tables;
    let left = time_left.map_or_else(String::new, |time| {
        format!("; about {} are left", spoken(time))
    });
    if sum.is_export {
        return format!(
            "{} of {tables} tables are exported, {} items{left}",
            sum.segments_done,
            spoken_count(sum.items)
        );
    }
    let behind = match (even == tables, sum.is_copied(), sum.behind) {
        (false, true, Some(behind)) => format!("; {} behind the changes", spoken(behind)),
        (true, ..) | (_, false, _) | (.., None) => String::new(),
    };
    format!(
        "{} of {} segments are copied, {} items; {} changes are applied; {even} of {tables} tables are even{behind}{left}",
        sum.segments_done,
        sum.segments,
        spoken_count(sum.items),
        spoken_count(sum.changes),
    )
}
