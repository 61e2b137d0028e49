//! How moves end: they are aborted, or completed.

use super::carry::one_begun;
use super::comparing::{Course, Pair, compared_one};
use super::consent::{asked, can_ask};
use super::cost::Priced;
use super::exporting;
use super::exports::folder_of;
use super::places::{Opened, Places};
use super::report::{File, Report};
use super::told::{Told, not_carried, report, told};
use super::watch::{Moved, Until, watched};
use crate::failure::Failure;
use crate::output::Output;
use crate::terminal::{self, GOOD, counted, counted_u64};
use keyfold_client::blocked;
use keyfold_motion::tables::{self, Found};
use keyfold_motion::world::{Place, World};
use keyfold_motion::{Aborted, Options, Phase, Status};
use keyfold_motion::{abort as abort_move, may_abort};
use keyfold_motion::{complete as complete_move, forget_ledger, may_complete};
use serde_json::json;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The moves of the target, at least one, once somebody has agreed to what becomes of their tables. When
/// there is none, an empty table of rows is deleted; a killed command has left it.
fn agreed(
    places: &Places,
    world: &dyn World,
    (yes, output): (bool, Output),
    [what, otherwise]: [&str; 2],
) -> Result<Option<Vec<(String, Status)>>, Failure> {
    let moves = places.moves(world)?;
    if moves.is_empty() {
        if blocked(forget_ledger(world, &Options::new("")))? {
            ended(&[], "ended", output);
            return Ok(None);
        }
        return Err(Failure::not_found(
            "the target knows of no move of these tables",
        ));
    }
    if !yes {
        terminal::error_line(&format!("{what}: {}", list(&moves)));
        asked(otherwise)?;
    }
    Ok(Some(moves))
}

fn list(moves: &[(String, Status)]) -> String {
    let names: Vec<&str> = moves.iter().map(|(table, _)| table.as_str()).collect();
    names.join(", ")
}

pub(super) fn abort(
    places: &Places,
    (yes, is_foreign): (bool, bool),
    output: Output,
) -> Result<(), Failure> {
    let asked = [
        "these tables of the target are deleted",
        "nothing was deleted",
    ];
    if let Some(folder) = folder_of(&places.to) {
        if !places.table.is_empty() {
            return Err(Failure::usage(
                "the exports that one command has begun are given up together, those that are whole, too: leave --table \
                 out",
            ));
        }
        return exporting::abort((&places.from, &folder), (yes, is_foreign), output);
    }
    if is_foreign {
        return Err(Failure::usage(
            "--foreign is about exports: a target knows its moves by itself, and is not asked for their source",
        ));
    }
    can_ask(yes, asked[1])?;
    let opened = places.open_for_moves()?;
    let world = opened.world();
    let Some(moves) = agreed(places, &*world, (yes, output), asked)? else {
        return Ok(());
    };
    for (table, status) in &moves {
        may_abort(&status.run, table)?;
    }
    for (table, _) in &moves {
        match blocked(abort_move(&*world, &Options::new(table)))? {
            Aborted::Deleted => {}
            Aborted::Kept => terminal::error_line(&format!(
                "the table {table} of the target is none that the move has made: it stays as it is"
            )),
        }
    }
    opened.target.sync()?;
    ended(&moves, "aborted", output);
    Ok(())
}

pub(super) fn complete(
    places: &Places,
    (yes, wait): (bool, Option<Duration>),
    file: Option<&Path>,
    output: Output,
) -> Result<(), Failure> {
    let file = file.map(File::of).transpose()?;
    let asked = [
        "changes of the source are followed no more, of these tables",
        "nothing was ended",
    ];
    can_ask(yes, asked[1])?;
    let opened = places.open()?;
    let world = opened.world();
    let Some(moves) = agreed(places, &*world, (yes, output), asked)? else {
        return Ok(());
    };
    let mut found = Vec::new();
    for (table, status) in &moves {
        may_complete(table, status.run.phase)?;
        found.push(blocked(tables::look(&*world, table))?);
    }
    let mut compared = Vec::new();
    if let Some(wait) = wait {
        let moves: Vec<(&Status, &Found)> = moves.iter().map(|(_, one)| one).zip(&found).collect();
        compared = check_nothing_left(&opened, &moves, wait, output)?;
    }
    // What the moves have done is deleted with them.
    let tables: Vec<Told> = found
        .iter()
        .map(|found| completed(&opened, found, &mut compared, wait.is_some()))
        .collect();
    for found in &found {
        blocked(complete_move(&*world, &Options::new(&found.table), found))?;
    }
    opened.source.sync()?;
    opened.target.sync()?;
    let written = match &file {
        Some(file) => {
            let verdict = format!("{} complete.", counted(found.len(), "move"));
            file.write(&report_of(
                places,
                "A complete move",
                verdict,
                (&tables, opened.priced),
            ))
        }
        None => Ok(()),
    };
    ended(&moves, "complete", output);
    written?;
    Ok(())
}

/// What is said of a move that is about to be complete.
fn completed(opened: &Opened, found: &Found, compared: &mut Vec<Told>, is_checked: bool) -> Told {
    let mut one = told(opened, &found.table, "complete".to_owned());
    let of_table = compared.iter().position(|told| told.table == found.table);
    match (of_table, is_checked) {
        (Some(at), _) => {
            let told = compared.swap_remove(at);
            one.compared = told.compared;
            one.units = told.units;
            one.retries = told.retries;
        }
        (None, true) => one.notes.push(
            "The source was quiet, and all its changes were in the target, when the move was completed."
                .to_owned(),
        ),
        (None, false) => one.notes.push(
            "The move was completed unchecked: changes of the source may be left.".to_owned(),
        ),
    }
    one.notes.extend(not_carried(found).pop());
    one
}

pub(super) fn report_of(
    places: &Places,
    title: &str,
    verdict: String,
    tables: (&[Told], Priced),
) -> Report {
    let both = [places.from.as_str(), places.to.as_str()];
    report(title, both, verdict, tables)
}

/// Applies what is left of the source's changes, and refuses while more come. A table whose changes are
/// not followed is compared.
fn check_nothing_left(
    opened: &Opened,
    moves: &[(&Status, &Found)],
    wait: Duration,
    output: Output,
) -> Result<Vec<Told>, Failure> {
    let (mut moved, mut compared) = (Vec::new(), Vec::new());
    for (status, found) in moves.iter().copied() {
        // An earlier call has checked it, or programs write to the target already.
        let leads = status.run.turn.lead;
        if status.run.phase == Phase::Completing || leads == Place::Target {
            continue;
        }
        match &status.run.stream {
            Some(stream) => {
                let options = Options {
                    settle_time: opened.settle_time,
                    ..Options::new(&found.table)
                };
                moved.push(one_begun(
                    opened,
                    options,
                    found.clone(),
                    Some(stream.clone()),
                )?);
            }
            None => compared.push(check_equal(opened, found, output)?),
        }
    }
    if moved.is_empty() {
        return Ok(compared);
    }
    let until = Until::AllQuietWithin(wait + opened.settle_time * 2);
    let ended = watched(&moved, until, output);
    let synced = opened.target.sync();
    let is_even = ended?;
    synced?;
    match is_even {
        true => Ok(compared),
        false if moved.iter().any(Moved::is_paused) => Err(Failure::refused(
            "the move was paused meanwhile: complete it again, which goes on with it",
        )),
        false => Err(still_written(&moved)),
    }
}

fn still_written(moved: &[Moved]) -> Failure {
    let behind: Vec<String> = moved
        .iter()
        .filter(|one| !one.progress.is_at_goal())
        .map(|one| {
            let came = counted_u64(one.progress.figures().records, "record");
            format!("{} ({came} came)", one.found.table)
        })
        .collect();
    Failure::refused(format!(
        "the source is still written while the move is to be completed: {}. Stop its writers and complete \
         it again; `--unchecked` completes it as it is, and what is written to the source is not carried",
        behind.join(", ")
    ))
}

fn check_equal(opened: &Opened, found: &Found, output: Output) -> Result<Told, Failure> {
    let course = Course {
        rate: None,
        kept: None,
        stops: &AtomicBool::new(false),
        output,
    };
    let pair = Pair::of(opened, &found.table)?;
    let (compared, told) = compared_one(opened, &pair, &course)?;
    let count = compared.differences.len() + compared.undecided.len();
    match count {
        0 => Ok(told),
        count => Err(Failure::refused(format!(
            "the table {} of the target is not that of the source: {}, which `keyfold move verify` names. \
             Abort the move and begin it again; `--unchecked` completes it as it is",
            found.table,
            counted(count, "difference")
        ))),
    }
}

fn ended(moves: &[(String, Status)], word: &str, output: Output) {
    let view = |(table, _): &(String, Status)| json!({ "table": table, "phase": word });
    output.result(
        || json!({ "tables": moves.iter().map(view).collect::<Vec<_>>() }),
        || terminal::line(&format!("{GOOD}{word}{GOOD:#} {}", list(moves))),
    );
}
