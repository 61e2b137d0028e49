//! What is shown of an evolution that is carried out: for people, and for programs.

use super::plan::running;
use crate::cmd::watched::Stand;
use crate::failure::Failure;
use crate::json;
use crate::terminal::{self, ERROR, FAINT, GOOD, STRONG, counted_u64};
use keyfold_evolve::{Course, DryRun, Ended, Figures, Problem, Status, VIEWS, Verified};
use keyfold_model::evolution::Step;
use keyfold_types::Item;
use serde_json::{Value as Json, json};

/// How far a run is.
pub(super) fn stand(figures: &Figures) -> Stand {
    Stand {
        line: format!(
            "{}: {} read, {} written",
            figures.present,
            counted_u64(figures.items, "item"),
            figures.writes,
        ),
        member: "counted",
        counted: counted(figures),
    }
}

fn counted(figures: &Figures) -> Json {
    json!({
        "phase": figures.phase,
        "items": figures.items,
        "entities": figures.entities,
        "changed": figures.changed,
        "writes": figures.writes,
        "unknown": figures.unknown,
        "requests": figures.requests,
        "conflicts": figures.conflicts,
        "readUnits": halves(figures.units.read_halves),
        "writeUnits": halves(figures.units.write_halves),
    })
}

#[expect(clippy::cast_precision_loss, reason = "a sum of units, for people")]
fn halves(halves: u64) -> f64 {
    halves as f64 / 2.0
}

/// The most items of neither model whose keys are shown.
const UNKNOWN_SHOWN: usize = 10;

/// How a run ended.
pub(super) struct Told<'t, 'm> {
    pub(super) course: &'t Course<'m>,
    pub(super) ended: Ended,
    pub(super) figures: Figures,
}

fn key(item: &Item) -> Json {
    json::typed(item)
}

fn problem(one: &Problem) -> Json {
    json!({
        "kind": one.kind.word(),
        "table": one.table,
        "key": key(&one.key),
        "message": one.message,
    })
}

fn dry_run(dry: &DryRun) -> Json {
    let unknown = dry.unknown_examples.iter();
    let unknown: Vec<Json> = unknown
        .map(|(table, item)| json!({ "table": table, "key": key(item) }))
        .collect();
    json!({
        "items": dry.items,
        "changed": dry.changed,
        "writes": dry.writes,
        "requests": dry.requests,
        "writeUnits": dry.units,
        "unknown": dry.unknown,
        "unknownExamples": unknown,
        "problems": dry.problems,
        "examples": dry.examples.iter().map(problem).collect::<Vec<_>>(),
    })
}

fn verified(found: &Verified) -> Json {
    let example = |one: &keyfold_client::verify::Finding| {
        json!({
            "kind": one.kind.word(),
            "table": one.table,
            "key": key(&one.key),
            "message": one.message,
        })
    };
    json!({
        "items": found.items,
        "expected": found.expected,
        "differences": found.differences,
        "examples": found.examples.iter().map(example).collect::<Vec<_>>(),
    })
}

/// The verdict of a dry run.
pub(super) fn verdict_of(dry: &DryRun, is_shared: bool) -> Result<(), Failure> {
    match dry.problems {
        0 if dry.is_of_another_model() && !is_shared => Err(Failure::refused(
            "no item in the tables is one of OLD, and some are of neither model: was the data written with another \
             model than OLD? Nothing was written. Where these items are those of another model, which shares the \
             tables, and OLD has none yet: `--shared` begins all the same",
        )),
        0 => Ok(()),
        count => Err(Failure::refused(format!(
            "{} in the way; nothing was written",
            match count {
                1 => "1 problem stands".to_owned(),
                _ => format!("{count} problems stand"),
            }
        ))),
    }
}

impl Told<'_, '_> {
    /// The word for how the run ended.
    pub(super) fn state(&self) -> &'static str {
        match &self.ended {
            Ended::NoDifference => "no_difference",
            Ended::Problems(_) => "problems",
            Ended::Gate(..) => "gate",
            Ended::Differences(_) => "differences",
            Ended::Ready => "ready",
            Ended::Stopped => "stopped",
            Ended::Paused => "paused",
        }
    }

    pub(super) fn verdict(&self) -> Result<(), Failure> {
        match &self.ended {
            Ended::NoDifference | Ended::Ready | Ended::Stopped | Ended::Paused => Ok(()),
            Ended::Problems(dry) => verdict_of(dry, false),
            Ended::Gate(at, word) => Err(Failure::waiting(format!(
                "it stands at phase {}, {word}: `keyfold evolve run` with `--done {word}` goes on when that is done",
                at + 1
            ))),
            Ended::Differences(found) => Err(Failure::refused(format!(
                "the data is not as the new model says in {} places",
                found.differences
            ))),
        }
    }

    fn gate(&self) -> Json {
        let Ended::Gate(at, word) = &self.ended else {
            return Json::Null;
        };
        let at = usize::try_from(*at).unwrap_or(usize::MAX);
        let phase = self.course.phases().get(at);
        json!({
            "phase": at + 1,
            "step": word,
            "does": phase.map(|phase| phase.does.clone()),
            "mayRun": phase.map(|phase| running(phase.runs)),
        })
    }

    pub(super) fn json(&self, state: &str) -> Json {
        let dry = if let Ended::Problems(dry) = &self.ended {
            dry_run(dry)
        } else {
            Json::Null
        };
        let found = if let Ended::Differences(found) = &self.ended {
            verified(found)
        } else {
            Json::Null
        };
        json!({
            "state": state,
            "gate": self.gate(),
            "dryRun": dry,
            "verified": found,
            "counted": counted(&self.figures),
        })
    }

    pub(super) fn show(&self) {
        match &self.ended {
            Ended::NoDifference => terminal::line(&format!("{GOOD}no difference{GOOD:#}")),
            Ended::Problems(dry) => show_dry_run(dry),
            Ended::Gate(at, word) => self.show_gate(*at, word),
            Ended::Differences(found) => show_verified(found),
            Ended::Ready => terminal::line(&format!(
                "{GOOD}all phases are carried out{GOOD:#}; `keyfold evolve complete` deletes what only the old \
                 version had, and ends the evolution"
            )),
            Ended::Stopped => terminal::line("stopped; the same command goes on from here"),
            Ended::Paused => {
                terminal::line("paused by another process; the same command goes on from here");
            }
        }
        let Figures {
            requests,
            units,
            unknown,
            ..
        } = &self.figures;
        if *unknown > 0 && !matches!(self.ended, Ended::Problems(_)) {
            terminal::line(&format!(
                "{} of neither model stayed as they are: `--dry-run` names them",
                counted_u64(*unknown, "item")
            ));
        }
        terminal::line(&format!(
            "{FAINT}{}, {} read and {} write units{FAINT:#}",
            counted_u64(*requests, "request"),
            halves(units.read_halves),
            halves(units.write_halves)
        ));
    }

    fn show_gate(&self, at: u32, word: &str) {
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        let Some(phase) = self.course.phases().get(at) else {
            return;
        };
        let heading = format!("phase {}: {}", at + 1, phase.step.word());
        let runs = format!("may run: {}", running(phase.runs));
        terminal::entry(STRONG, &heading, &runs, "");
        for does in &phase.does {
            let is_shown = word != VIEWS || does.contains("views rebuild");
            if is_shown {
                terminal::line(&format!("  {does}"));
            }
        }
    }
}

fn show_dry_run(dry: &DryRun) {
    terminal::line(&format!(
        "{} read; {} to be brought into the new form: {} in {}, {} write units without those of indexes",
        counted_u64(dry.items, "item"),
        dry.changed,
        counted_u64(dry.writes, "write"),
        counted_u64(dry.requests, "request"),
        dry.units
    ));
    for one in &dry.examples {
        let heading = format!("{} {}", one.table, terminal::key(&one.key));
        terminal::entry(ERROR, &heading, &one.message, "  ");
    }
    let shown = dry.examples.len() as u64;
    if dry.problems > shown {
        terminal::line(&format!("  and {} more", dry.problems - shown));
    }
    if dry.unknown > 0 {
        terminal::line(&format!(
            "{} of neither model, which stay as they are:",
            counted_u64(dry.unknown, "item")
        ));
        let shown = dry.unknown_examples.iter().take(UNKNOWN_SHOWN);
        for (table, item) in shown.clone() {
            terminal::line(&format!("  {table} {}", terminal::key(item)));
        }
        let left = dry.unknown.saturating_sub(shown.len() as u64);
        if left > 0 {
            terminal::line(&format!("  and {left} more"));
        }
    }
}

fn show_verified(found: &Verified) {
    for one in &found.examples {
        let heading = format!("{} {}", one.table, terminal::key(&one.key));
        terminal::entry(ERROR, &heading, &one.message, "  ");
    }
    terminal::line(&format!(
        "{} read; {} that the plan does not name, and {} that it does",
        counted_u64(found.items, "item"),
        counted_u64(found.differences, "difference"),
        found.expected
    ));
}

/// How far an evolution is, for programs.
pub(super) fn status_json(course: &Course<'_>, status: &Status) -> Json {
    let run = status.run.as_ref();
    let at = run.map(|run| usize::try_from(run.phase).unwrap_or(usize::MAX));
    let phase = at.and_then(|at| course.phases().get(at));
    let state = match (run, phase) {
        (None, _) => "not_begun",
        (Some(run), _) if run.paused_ms.is_some() => "paused",
        (Some(_), None) => "ready",
        // What `complete` does is left.
        (Some(_), Some(phase)) if phase.step == Step::Drop => "ready",
        (Some(run), Some(_)) if run.is_announced => "gate",
        (Some(_), Some(_)) => "running",
    };
    // Behind the last phase run those of it.
    let runs = at.and(phase.or(course.phases().last()));
    json!({
        "state": state,
        "phase": at.map(|at| at + 1),
        "step": phase.map(|phase| phase.step.word()),
        "mayRun": runs.map(|phase| running(phase.runs)),
        "phases": course.phases().len(),
        "segments": status.segments.1,
        "segmentsDone": status.segments.0,
        "items": status.counts.read,
        "changed": status.counts.changed,
        "writes": status.counts.writes,
    })
}

/// Shows how far an evolution is.
pub(super) fn show_status(course: &Course<'_>, status: &Status) {
    let Some(run) = &status.run else {
        return terminal::line("no run has begun");
    };
    let at = usize::try_from(run.phase).unwrap_or(usize::MAX);
    let paused = match run.paused_ms {
        Some(_) => ", paused",
        None => "",
    };
    let Some(phase) = course.phases().get(at) else {
        return terminal::line("all phases are carried out; `keyfold evolve complete` ends it");
    };
    let heading = format!(
        "phase {} of {}: {}",
        at + 1,
        course.phases().len(),
        phase.step.word()
    );
    terminal::entry(
        STRONG,
        &heading,
        &format!("may run: {}{paused}", running(phase.runs)),
        "",
    );
    for does in &phase.does {
        terminal::line(&format!("  {does}"));
    }
    if status.segments.1 > 0 {
        terminal::line(&format!(
            "  {} of {} segments done; {} read, {} written",
            status.segments.0,
            status.segments.1,
            counted_u64(status.counts.read, "item"),
            status.counts.changed
        ));
    }
}
