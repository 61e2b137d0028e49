//! What is shown of a migration: for people, and for programs.

use crate::cmd::database;
use crate::cmd::watched::{Stand, watched_noting};
use crate::failure::Failure;
use crate::output::Output;
use crate::terminal::{self, ERROR, FAINT, GOOD, counted_u64};
use keyfold_client::ClientError;
use keyfold_motion::{Whereabouts, located};
use keyfold_relational::{
    Alike, Checked, Ended, Figures, KeptLog, Mended, Phase, Problem, Progress, Rowless, State,
    Verified, VerifyError,
};
use serde_json::{Value as Json, json};
use std::time::Duration;

/// How far a command is that reads rows.
pub(super) fn stand(figures: &Figures) -> Stand {
    let does = match figures.follows {
        true => "following",
        false => "copying",
    };
    let line = match figures.leads {
        _ if figures.compares || figures.is_closed => format!(
            "{}: {} compared, {} carried",
            match figures.is_closed {
                true => "nobody can write, and what changed last is carried and compared",
                false => "comparing",
            },
            counted_u64(figures.compared, "row"),
            counted_u64(figures.changes, "change"),
        ),
        false => format!(
            "{does}: {} read, {} put, {} deleted{}",
            counted_u64(figures.read, "row"),
            counted_u64(figures.put, "item"),
            figures.deleted,
            late(figures.behind),
        ),
        true => format!(
            "{does} the tables: {} put, {} deleted{}{}",
            counted_u64(figures.put, "row"),
            figures.deleted,
            match figures.rowless {
                0 => String::new(),
                count => format!(", {} without a row", counted_u64(count, "change")),
            },
            late(figures.behind),
        ),
    };
    Stand {
        line,
        member: "counted",
        counted: counted(figures),
    }
}

/// How far a run is behind.
fn late(behind: Option<Duration>) -> String {
    behind.map_or(String::new(), |time| format!(", {} behind", spoken(time)))
}

/// A time in words.
fn spoken(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..120 => counted_u64(seconds, "second"),
        seconds @ 120..7_200 => counted_u64(seconds / 60, "minute"),
        seconds => counted_u64(seconds / 3_600, "hour"),
    }
}

/// Calls what reads rows, shows how far it is, and stops it on Ctrl-C.
pub(super) fn read<T: Send>(
    progress: &Progress,
    output: Output,
    does: impl FnOnce() -> T + Send,
) -> Result<T, Failure> {
    let shown = || stand(&progress.figures());
    let note = || progress.take_short_log().map(short);
    watched_noting(output, shown, note, || progress.stop(), does)
}

/// What is said of a log that the database may soon throw away.
fn short(log: KeptLog) -> String {
    format!(
        "the database keeps {} of its log for this migration, and throws it away after {} more: changes that are not \
         carried by then are lost, and the migration has to begin again; raise max_slot_wal_keep_size",
        megabytes(log.bytes),
        megabytes(log.left.unwrap_or(0))
    )
}

fn counted(figures: &Figures) -> Json {
    json!({
        "rows": figures.read,
        "put": figures.put,
        "deleted": figures.deleted,
        "changes": figures.changes,
        "compared": figures.compared,
        "rowless": figures.rowless,
        "secondsBehind": figures.behind.map(|time| time.as_secs()),
    })
}

fn problem(one: &Problem) -> Json {
    json!({ "entity": one.entity, "row": one.row, "message": one.why })
}

fn rows(rows: &[(String, u64)]) -> Json {
    let all = rows.iter();
    let all: Vec<Json> = all
        .map(|(entity, count)| json!({ "entity": entity, "rows": count }))
        .collect();
    Json::Array(all)
}

pub(super) fn check_json(found: &Checked) -> Json {
    let entities: Vec<Json> = found
        .rows
        .iter()
        .map(|one| {
            json!({
                "entity": one.entity,
                "rows": one.good,
                "read": one.read,
                "total": one.total,
            })
        })
        .collect();
    let problems: Vec<Json> = found.problems.iter().map(problem).collect();
    let groups: Vec<Json> = found.groups.iter().map(group).collect();
    json!({
        "state": if found.is_stopped { "stopped" } else { "checked" },
        "entities": entities,
        "problems": found.count,
        "examples": problems,
        "groups": groups,
        "notes": found.notes,
    })
}

fn group(one: &Alike) -> Json {
    let mut group = problem(&one.first);
    group["count"] = json!(one.count);
    if let Some(help) = &one.first.help {
        group["help"] = json!(help);
    }
    group
}

pub(super) fn show_check(found: &Checked) {
    for one in &found.rows {
        let read = match one.read < one.total {
            true => format!(", {} read", one.read),
            false => String::new(),
        };
        terminal::line(&format!(
            "{}: {} of {}{read}",
            one.entity,
            one.good,
            counted_u64(one.total, "row")
        ));
    }
    for note in &found.notes {
        terminal::line(&format!("{FAINT}note: {note}{FAINT:#}"));
    }
    for one in &found.groups {
        terminal::line(&format!("{ERROR}{}{ERROR:#}", one.first));
        let more = one.count - 1;
        if more > 0 {
            terminal::line(&format!(
                "{FAINT}  and {} like it{FAINT:#}",
                counted_u64(more, "more row")
            ));
        }
        if let Some(help) = &one.first.help {
            terminal::line(&format!("  help: {help}"));
        }
    }
    let shown: u64 = found.groups.iter().map(|one| one.count).sum();
    let more = found.count.saturating_sub(shown);
    if more > 0 {
        terminal::line(&format!(
            "{FAINT}and {} more{FAINT:#}",
            counted_u64(more, "problem")
        ));
    }
    if found.count == 0 && !found.is_stopped {
        terminal::line(&format!("{GOOD}every row is an item of the model{GOOD:#}"));
    }
}

pub(super) fn verdict_of(found: &Checked) -> Result<(), Failure> {
    if found.is_stopped {
        let read: u64 = found.rows.iter().map(|one| one.read).sum();
        return Err(Failure::refused(format!(
            "the check was stopped before its end: {} read",
            counted_u64(read, "row")
        )));
    }
    match found.count {
        0 => Ok(()),
        count => Err(Failure::refused(format!(
            "{} in the way: mend the rows or the model",
            match count {
                1 => "1 row stands".to_owned(),
                count => format!("{count} rows stand"),
            }
        ))),
    }
}

fn word(ended: &Ended) -> &'static str {
    match ended {
        Ended::Caught => "caught_up",
        Ended::Stopped => "stopped",
        Ended::Overtaken => "overtaken",
        Ended::Problem(_) => "problem",
        Ended::Source(_) | Ended::Target(_) => "failed",
    }
}

pub(super) fn run_json(ended: &Ended, progress: &Progress) -> Json {
    let mut document = json!({ "state": word(ended), "counted": counted(&progress.figures()) });
    let rowless = progress.rowless();
    if rowless.count > 0 {
        document["rowless"] = rowless_json(&rowless);
    }
    document
}

pub(super) fn rowless_json(rowless: &Rowless) -> Json {
    json!({ "count": rowless.count, "examples": rowless.first })
}

/// What is said of items that no row is made of, or of their changes.
pub(super) fn rowless_lines(rowless: &Rowless, what: &str) -> Vec<String> {
    if rowless.count == 0 {
        return Vec::new();
    }
    let mut lines = vec![format!(
        "{}, of which the database has nothing",
        counted_u64(rowless.count, what)
    )];
    lines.extend(rowless.first.iter().cloned());
    lines
}

pub(super) fn show_run(ended: &Ended, progress: &Progress) {
    let figures = progress.figures();
    let put = match figures.leads {
        true => counted_u64(figures.put, "row"),
        false => format!(
            "{} read, {}",
            counted_u64(figures.read, "row"),
            counted_u64(figures.put, "item")
        ),
    };
    terminal::line(&format!(
        "{put} put, {} deleted; {} carried",
        figures.deleted,
        counted_u64(figures.changes, "change"),
    ));
    for line in rowless_lines(&progress.rowless(), "change of items without a row") {
        terminal::line(&format!("{FAINT}{line}{FAINT:#}"));
    }
    match ended {
        Ended::Caught => terminal::line(&format!("{GOOD}everything is carried{GOOD:#}")),
        Ended::Stopped => terminal::line("the same command goes on from here"),
        Ended::Overtaken | Ended::Problem(_) | Ended::Source(_) | Ended::Target(_) => {}
    }
}

pub(super) fn verdict(ended: &Ended) -> Result<(), Failure> {
    match ended {
        Ended::Caught | Ended::Stopped => Ok(()),
        Ended::Overtaken => Err(Failure::refused(
            "another run of this migration has begun, and this one writes nothing more",
        )),
        Ended::Problem(problem) => Err(Failure::refused(format!(
            "{problem}; everything before it is carried: mend the row or the model, and run again"
        ))),
        Ended::Source(error) => Err(Failure::backend(error.message.clone())),
        Ended::Target(error) => Err(error.clone().into()),
    }
}

/// A failure with the place of the tables, if their request has failed, and how to go on. What a migration writes may be
/// written again: where an answer was lost, nobody has to look at what it was before.
pub(super) fn of_target(failure: Failure, at: &str) -> Failure {
    let Some(error) = failure.cause().cloned() else {
        return failure;
    };
    let of = Whereabouts {
        place: &format!("the target {at}"),
        rights: "docs/migrate.md lists the rights",
        request: "this request",
    };
    let located = located(error, of);
    let told = if let ClientError::OutcomeUnknown { why, .. } = located {
        Failure::backend(why)
    } else {
        located.into()
    };
    failure.told_as(told)
}

/// Why a comparison has come to no result.
pub(super) fn of_comparison(error: VerifyError) -> Failure {
    match error {
        VerifyError::Source(error) => database::failure(error),
        VerifyError::Target(error) => error.into(),
        VerifyError::Problem(problem) => Failure::refused(problem.to_string()),
    }
}

/// Why items were not written as their rows say.
pub(super) fn of_mend(ended: Ended) -> Failure {
    match ended {
        Ended::Source(error) => of_comparison(VerifyError::Source(error)),
        Ended::Target(error) => of_comparison(VerifyError::Target(error)),
        Ended::Problem(problem) => of_comparison(VerifyError::Problem(Box::new(problem))),
        Ended::Caught | Ended::Stopped | Ended::Overtaken => failed(&ended),
    }
}

/// What a command says that has come to no result.
pub(super) fn failed(ended: &Ended) -> Failure {
    match verdict(ended) {
        Err(failure) => failure,
        Ok(()) => Failure::refused("it was stopped: the same command begins again"),
    }
}

/// How a run has ended, as a sentence.
pub(super) fn sentence(ended: &Ended) -> String {
    match ended {
        Ended::Caught => "Everything is carried.".to_owned(),
        Ended::Stopped => {
            "The run was stopped, and the same command goes on from there.".to_owned()
        }
        Ended::Overtaken => "Another run of this migration has begun.".to_owned(),
        Ended::Problem(problem) => format!("A row stands in the way: {problem}."),
        Ended::Source(error) => format!("The database could not be used: {error}."),
        Ended::Target(error) => format!("The tables could not be used: {error}."),
    }
}

pub(super) fn status_json(state: Option<&State>, log: Option<KeptLog>) -> Json {
    let mut document = match state {
        None => json!({ "state": "none" }),
        Some(state) => json!({
            "state": state.phase.word(),
            "from": state.source,
            "entity": state.entity,
            "rows": state.rows,
        }),
    };
    if let Some(behind) = state.and_then(State::behind) {
        document["secondsBehind"] = json!(behind.behind.as_secs());
        document["notedSecondsAgo"] = json!(behind.noted_ago.as_secs());
    }
    if let Some(log) = log.filter(|_| state.is_some()) {
        document["keptLog"] = json!({ "bytes": log.bytes, "left": log.left });
    }
    document
}

pub(super) fn show_status(state: Option<&State>, log: Option<KeptLog>) {
    show_state(state);
    if let Some(log) = log.filter(|_| state.is_some()) {
        let left = match log.left {
            Some(left) => format!(", and throws it away after {} more", megabytes(left)),
            None => String::new(),
        };
        let kept = megabytes(log.bytes);
        terminal::line(&format!(
            "the database keeps {kept} of its log for it{left}"
        ));
    }
}

fn megabytes(bytes: u64) -> String {
    let tenths = bytes.div_ceil(100_000);
    format!("{}.{} MB", tenths / 10, tenths % 10)
}

fn show_state(state: Option<&State>) {
    match state {
        None => terminal::line("there is no migration of this model"),
        Some(state) => terminal::line(&format!(
            "from {}: {}, {} copied{}",
            state.source,
            match state.phase {
                Phase::Copy => format!("copying {}", state.entity),
                Phase::Follow => "following changes".to_owned(),
                Phase::Begin => "beginning".to_owned(),
                Phase::Closing => {
                    "nobody writes, a switch to the tables is under way".to_owned()
                }
                Phase::Lead => "the tables lead".to_owned(),
                Phase::Returning => {
                    "nobody writes, a switch back to the database is under way".to_owned()
                }
                Phase::Complete => "complete".to_owned(),
            },
            counted_u64(state.rows, "row"),
            state.behind().map_or(String::new(), |one| format!(
                "{} (noted {} ago)",
                late(Some(one.behind)),
                spoken(one.noted_ago)
            )),
        )),
    }
}

pub(super) fn verify_json(found: &Verified) -> Json {
    let examples = found.differences.iter();
    let examples: Vec<Json> = examples
        .map(|one| json!({ "row": one.row, "message": one.what }))
        .collect();
    json!({
        "state": "verified",
        "entities": rows(&found.rows),
        "differences": found.count,
        "examples": examples,
    })
}

pub(super) fn show_verify(found: &Verified) {
    for (entity, count) in &found.rows {
        terminal::line(&format!(
            "{entity}: {} compared",
            counted_u64(*count, "row")
        ));
    }
    for one in &found.differences {
        terminal::line(&format!("{ERROR}{}: {}{ERROR:#}", one.row, one.what));
    }
    if found.count == 0 {
        terminal::line(&format!("{GOOD}rows and items are the same{GOOD:#}"));
    }
}

/// What `verify --mend` does of what differs.
pub(super) fn mending(phase: Option<Phase>) -> &'static str {
    match phase {
        Some(Phase::Lead) => {
            "`keyfold migrate run` carries what programs have written to the tables; `keyfold migrate verify --mend` writes \
             the rows as their items say, and deletes those of no item"
        }
        Some(Phase::Closing | Phase::Returning) => {
            "a switch is under way: go on with it, or give it up, before anything is mended"
        }
        Some(Phase::Complete) => {
            "the migration is complete, and the tables lead: rows are not written over what they hold"
        }
        Some(Phase::Begin | Phase::Copy | Phase::Follow) | None => {
            "`keyfold migrate verify --mend` writes what the rows say"
        }
    }
}

pub(super) fn verdict_of_comparison(
    found: &Verified,
    is_stopped: bool,
    phase: Option<Phase>,
) -> Result<(), Failure> {
    match found.count {
        _ if is_stopped => Err(Failure::refused(
            "the comparison was stopped before its end",
        )),
        0 => Ok(()),
        count => {
            let items = difference(count);
            Err(Failure::refused(format!("{items}: {}", mending(phase))))
        }
    }
}

/// The verdict of a switch that found that the sides differ. `phase` is that of the side which leads still.
pub(super) fn verdict_of_switch(
    found: &Verified,
    leads: &str,
    phase: Phase,
) -> Result<(), Failure> {
    Err(Failure::refused(format!(
        "{}: nothing was switched, and {leads}; {}",
        difference(found.count),
        mending(Some(phase))
    )))
}

pub(super) fn difference(count: u64) -> String {
    match count {
        1 => "1 item differs from its row".to_owned(),
        count => format!("{count} items differ from their rows"),
    }
}

pub(super) fn mend_json(found: &Mended) -> Json {
    let mut document = verify_json(&found.verified);
    document["state"] = json!("mended");
    document["put"] = json!(found.put);
    document["deleted"] = json!(found.deleted);
    document
}

pub(super) fn show_mend(found: &Mended, what: &str) {
    terminal::line(&format!(
        "{} put, {} deleted",
        counted_u64(found.put, what),
        found.deleted
    ));
    show_verify(&found.verified);
}

pub(super) fn verdict_of_mend(found: &Mended, is_stopped: bool) -> Result<(), Failure> {
    match found.verified.count {
        0 if !is_stopped => Ok(()),
        count if !is_stopped => Err(Failure::refused(format!(
            "{} still: mend the rows or the model",
            difference(count)
        ))),
        _ => verdict_of_comparison(&found.verified, is_stopped, None),
    }
}

pub(super) fn simple(state: &str, sentence: &str, output: Output) {
    output.result(|| json!({ "state": state }), || terminal::line(sentence));
}
