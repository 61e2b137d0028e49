//! The report of a run of an evolution, as a file.

use super::plan::running;
use super::told::Told;
use crate::cmd::moving::report::{Report, Section};
use crate::terminal;
use keyfold_evolve::{Ended, Status};
use keyfold_model::evolution::Verdict;
use std::time::Duration;

/// Where a run has worked, and how long.
pub(super) struct Run<'r> {
    pub(super) old: String,
    pub(super) new: String,
    pub(super) at: &'r str,
    pub(super) took: Duration,
}

/// The report of a run, or of a completion.
pub(super) fn report(told: &Told<'_, '_>, run: &Run<'_>, status: Option<&Status>) -> Report {
    let mut sections = vec![
        facts(told, run),
        changes(told),
        together(told),
        phases(told, status),
    ];
    sections.extend(found(told));
    sections.retain(|section| !section.rows.is_empty());
    Report {
        title: format!("Evolution of {}", told.course.old.name),
        verdict: verdict(&told.ended),
        sections,
    }
}

fn verdict(ended: &Ended) -> String {
    match ended {
        Ended::NoDifference => "Both models need the same of the data.".to_owned(),
        Ended::Problems(dry) if dry.problems == 0 && dry.is_of_another_model() => {
            "No item is one of the old model; nothing was written.".to_owned()
        }
        Ended::Problems(dry) if dry.problems == 0 => {
            "Nothing stands in the way; nothing was written.".to_owned()
        }
        Ended::Problems(dry) => format!(
            "{} in the way; nothing was written.",
            match dry.problems {
                1 => "1 problem stands".to_owned(),
                count => format!("{count} problems stand"),
            }
        ),
        Ended::Gate(at, word) => format!("It stands at phase {}, {word}.", at + 1),
        Ended::Differences(found) => format!(
            "The data is not as the new model says in {} places.",
            found.differences
        ),
        Ended::Ready => "All phases are carried out.".to_owned(),
        Ended::Stopped => "It was stopped; the same command goes on.".to_owned(),
        Ended::Paused => "It was paused by another process.".to_owned(),
    }
}

fn facts(told: &Told<'_, '_>, run: &Run<'_>) -> Section {
    let figures = &told.figures;
    let units = |halves: u64| format!("{}.{}", halves / 2, if halves % 2 == 1 { "5" } else { "0" });
    Section::facts(
        "The run",
        vec![
            ("old model", run.old.clone()),
            ("new model", run.new.clone()),
            ("place", run.at.to_owned()),
            ("took", format!("{:.1} s", run.took.as_secs_f64())),
            ("requests", figures.requests.to_string()),
            ("read units", units(figures.units.read_halves)),
            ("write units", units(figures.units.write_halves)),
            ("items read in its last phase", figures.items.to_string()),
            ("items written in it", figures.writes.to_string()),
            (
                "items of neither model, which stay",
                figures.unknown.to_string(),
            ),
            (
                "writes made again, since others were faster",
                figures.conflicts.to_string(),
            ),
        ],
    )
}

fn strings(all: &[&str]) -> Vec<String> {
    all.iter().map(|one| (*one).to_owned()).collect()
}

fn changes(told: &Told<'_, '_>) -> Section {
    let all = told.course.evolution.changes.iter();
    let row = |one: &keyfold_model::evolution::Change| {
        strings(&[&one.what, &one.how, one.class.word(), &one.reason])
    };
    Section {
        heading: "Changes".to_owned(),
        head: strings(&["what", "how", "data", "why"]),
        rows: all.map(row).collect(),
        notes: Vec::new(),
    }
}

fn together(told: &Told<'_, '_>) -> Section {
    let all = &told.course.evolution.verdicts;
    let said = |verdict: &Verdict| match verdict {
        Verdict::Yes => "yes".to_owned(),
        Verdict::No { because, .. } => format!("no: {because}"),
    };
    Section::facts(
        "Who may run together",
        vec![
            ("old readers on new data", said(&all.old_reader)),
            ("new readers on old data", said(&all.new_reader)),
            ("both writing", said(&all.writers)),
        ],
    )
}

fn phases(told: &Told<'_, '_>, status: Option<&Status>) -> Section {
    let run = status.and_then(|status| status.run.as_ref());
    let here = run.map(|run| usize::try_from(run.phase).unwrap_or(usize::MAX));
    let state = |at: usize| match here {
        None => "",
        Some(here) if at < here => "done",
        Some(here) if at == here => "here",
        Some(_) => "to come",
    };
    let phases = told.course.phases().iter().enumerate();
    let rows = phases.map(|(at, phase)| {
        let does = phase.does.join("; ");
        let number = (at + 1).to_string();
        strings(&[
            &number,
            phase.step.word(),
            &does,
            &running(phase.runs),
            state(at),
        ])
    });
    Section {
        heading: "Phases".to_owned(),
        head: strings(&["", "phase", "what", "may run", ""]),
        rows: rows.collect(),
        notes: Vec::new(),
    }
}

/// What stands in the way, or differs.
fn found(told: &Told<'_, '_>) -> Option<Section> {
    let head = strings(&["table", "key", "what"]);
    match &told.ended {
        Ended::Problems(dry) => {
            let row = |one: &keyfold_evolve::Problem| {
                strings(&[&one.table, &terminal::key(&one.key), &one.message])
            };
            let left = dry.problems.saturating_sub(dry.examples.len() as u64);
            Some(Section {
                heading: "In the way".to_owned(),
                head,
                rows: dry.examples.iter().map(row).collect(),
                notes: (left > 0)
                    .then(|| format!("And {left} more."))
                    .into_iter()
                    .collect(),
            })
        }
        Ended::Differences(found) => {
            let row = |one: &keyfold_client::verify::Finding| {
                strings(&[&one.table, &terminal::key(&one.key), &one.message])
            };
            let left = found
                .differences
                .saturating_sub(found.examples.len() as u64);
            Some(Section {
                heading: "Differences".to_owned(),
                head,
                rows: found.examples.iter().map(row).collect(),
                notes: (left > 0)
                    .then(|| format!("And {left} more."))
                    .into_iter()
                    .collect(),
            })
        }
        Ended::NoDifference | Ended::Gate(..) | Ended::Ready | Ended::Stopped | Ended::Paused => {
            None
        }
    }
}
