//! Reports of a migration: what was read, written and compared, how long it took, as a file for people.

use super::answers::Sum;
use super::told::{difference, rowless_lines, sentence};
pub(super) use crate::cmd::moving::report::File;
use crate::cmd::moving::report::{Report, Section};
use crate::failure::Failure;
use crate::terminal::counted_u64;
use keyfold_prove::live::LivePattern;
use keyfold_relational::{Ended, Mapping, Progress, Verified};
use std::time::Duration;

/// A report of some parts.
pub(super) fn report(
    title: &str,
    verdict: String,
    sections: impl IntoIterator<Item = Section>,
) -> Report {
    Report {
        title: title.to_owned(),
        verdict,
        sections: sections.into_iter().collect(),
    }
}

/// What is migrated, from where and to where.
pub(super) fn places(mapping: &Mapping<'_>, from: &str, at: &str) -> Section {
    let entities = mapping.entities.iter();
    let entities: Vec<&str> = entities.map(|one| one.entity.name.as_str()).collect();
    Section::facts(
        "What",
        vec![
            ("Model", mapping.model.name.clone()),
            ("From", from.to_owned()),
            ("To", at.to_owned()),
            ("Entities", entities.join(", ")),
        ],
    )
}

/// What a run has done.
pub(super) fn done(progress: &Progress, passed: Duration) -> Section {
    let figures = progress.figures();
    let seconds = passed.as_secs_f64();
    let mut section = Section::facts(
        "Read and written",
        vec![
            ("Read", counted_u64(figures.read, "row")),
            ("Put", counted_u64(figures.put, "item")),
            ("Deleted", counted_u64(figures.deleted, "item")),
            ("Carried", counted_u64(figures.changes, "change")),
            ("Time", format!("{seconds:.1} seconds")),
        ],
    );
    section.notes.push(
        "Of this run alone. An item that is already as its row says is not written; a change that is carried with \
         a later one of its row is read once."
            .to_owned(),
    );
    let rowless = progress.rowless();
    if rowless.count > 0 {
        let lines = rowless_lines(&rowless, "change of items without a row");
        section.notes.push(format!("{}.", lines.join("; ")));
    }
    section
}

/// How a run has ended.
pub(super) fn verdict_of_run(ended: &Ended) -> String {
    sentence(ended)
}

/// Writes what a comparison of rows and items found.
pub(super) fn write_verified(
    file: &File,
    places: Section,
    found: &Verified,
    passed: Duration,
) -> Result<(), Failure> {
    let mut parts = vec![places];
    parts.extend(verified(found, passed));
    file.write(&report("Rows and items", verdict_of_rows(found), parts))
}

/// What a comparison of rows and items found.
fn verified(found: &Verified, passed: Duration) -> Vec<Section> {
    let texts = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
    let entities = found.rows.iter();
    let rows = Section {
        heading: "Rows beside items".to_owned(),
        head: texts(["entity", "rows compared"]),
        rows: entities
            .map(|(name, count)| vec![name.clone(), count.to_string()])
            .collect(),
        notes: vec![format!("It took {:.1} seconds.", passed.as_secs_f64())],
    };
    let differences = found.differences.iter();
    let differing = Section {
        heading: "What differs".to_owned(),
        head: texts(["row", "what"]),
        rows: differences
            .map(|one| vec![one.row.clone(), one.what.clone()])
            .collect(),
        notes: match found.count {
            0 => vec!["Nothing differs.".to_owned()],
            count => vec![format!("{} in all.", counted_u64(count, "difference"))],
        },
    };
    vec![rows, differing]
}

fn verdict_of_rows(found: &Verified) -> String {
    match found.count {
        0 => "Rows and items are the same.".to_owned(),
        count => format!("{}.", difference(count)),
    }
}

/// What is said of a pattern beside its numbers.
pub(super) fn remark(one: &LivePattern) -> String {
    if let Some(why) = &one.why_not {
        return format!("not asked: {why}");
    }
    match (one.too_large, one.asked) {
        (0, 0) => "no row gives arguments".to_owned(),
        (0, _) => String::new(),
        (count, _) => format!(
            "{} not compared: more than --rows in the answer",
            counted_u64(count, "question")
        ),
    }
}

/// What the patterns answered.
pub(super) fn answers(found: &[LivePattern], passed: Duration) -> Section {
    let head = ["pattern", "asked", "equal", "late", "different", ""];
    let numbers = |one: &LivePattern| {
        [one.asked, one.equal, one.late, one.different].map(|count| count.to_string())
    };
    let rows = found.iter().map(|one| {
        let mut row = vec![one.name.clone()];
        row.extend(numbers(one));
        row.push(remark(one));
        row
    });
    let differences = found.iter().flat_map(|one| &one.differences);
    let mut notes = vec![format!(
        "It took {:.1} seconds. Late: equal when asked again, since a change was on its way.",
        passed.as_secs_f64()
    )];
    notes.extend(differences.map(|one| format!("{}: {}", one.question, one.what.join("; "))));
    Section {
        heading: "Patterns asked of both".to_owned(),
        head: head.map(str::to_owned).to_vec(),
        rows: rows.collect(),
        notes,
    }
}

pub(super) fn verdict_of_answers(sum: Sum, gate: u64) -> String {
    match (sum.asked, sum.different) {
        (0, _) => "Nothing was asked.".to_owned(),
        (asked, 0) => format!(
            "The tables answered {} as the database did.",
            counted_u64(asked, "question")
        ),
        (asked, different) => format!(
            "{different} of {} differ, {} the gate of {gate} in a thousand.",
            counted_u64(asked, "question"),
            match sum.is_within(gate) {
                true => "within",
                false => "beyond",
            }
        ),
    }
}
