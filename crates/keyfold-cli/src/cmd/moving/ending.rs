//! What the target knows of moves, and how they end.

use super::places::Places;
use crate::failure::Failure;
use crate::output::Output;
use crate::terminal::{self, GOOD, STRONG};
use keyfold_client::blocked;
use keyfold_motion::tables;
use keyfold_motion::{Aborted, Options, Status, abort as abort_move};
use keyfold_motion::{complete as complete_move, status as status_of};
use keyfold_motion::world::World;
use serde_json::json;

/// The moves of the target.
pub(super) fn status(places: &Places, output: Output) -> Result<(), Failure> {
    let opened = places.open()?;
    let world = opened.world();
    let mut moves: Vec<(String, Status)> = Vec::new();
    for table in places.tables(&*world)? {
        if let Some(status) = blocked(status_of(&*world, &Options::new(&table)))? {
            moves.push((table, status));
        }
    }
    let view = |(table, status): &(String, Status)| {
        json!({
            "table": table,
            "phase": status.run.phase.word(),
            "follows": status.run.stream.is_some(),
            "segments": status.run.segments,
            "segmentsDone": status.segments_done,
        })
    };
    output.result(
        || json!({ "tables": moves.iter().map(view).collect::<Vec<_>>() }),
        || {
            for (table, status) in &moves {
                terminal::line(&format!(
                    "{STRONG}{table}{STRONG:#}  {}, {} of {} segments copied",
                    status.run.phase.word(),
                    status.segments_done,
                    status.run.segments
                ));
            }
            if moves.is_empty() {
                terminal::line("the target knows of no move of these tables");
            }
        },
    );
    Ok(())
}

/// The tables of moves that the target knows of.
fn moving(places: &Places, world: &dyn World) -> Result<Vec<String>, Failure> {
    let mut moving = Vec::new();
    for table in places.tables(world)? {
        if blocked(status_of(world, &Options::new(&table)))?.is_some() {
            moving.push(table);
        }
    }
    match moving.is_empty() {
        true => Err(Failure::not_found(
            "the target knows of no move of these tables",
        )),
        false => Ok(moving),
    }
}

pub(super) fn abort(places: &Places, yes: bool, output: Output) -> Result<(), Failure> {
    let opened = places.open()?;
    let world = opened.world();
    let tables = moving(places, &*world)?;
    if !yes {
        let list = tables.join(", ");
        terminal::error_line(&format!("these tables of the target are deleted: {list}"));
        asked("nothing was deleted")?;
    }
    for table in &tables {
        match blocked(abort_move(&*world, &Options::new(table)))? {
            Aborted::Deleted => {}
            Aborted::Kept => terminal::error_line(&format!(
                "the table {table} of the target is none that the move has made: it stays as it is"
            )),
        }
    }
    opened.target.sync()?;
    ended(&tables, "aborted", output);
    Ok(())
}

pub(super) fn complete(places: &Places, yes: bool, output: Output) -> Result<(), Failure> {
    let opened = places.open()?;
    let world = opened.world();
    let tables = moving(places, &*world)?;
    if !yes {
        let list = tables.join(", ");
        terminal::error_line(&format!(
            "changes of the source are followed no more, of these tables: {list}"
        ));
        asked("nothing was ended")?;
    }
    for table in &tables {
        let found = blocked(tables::look(&*world, table))?;
        blocked(complete_move(&*world, &Options::new(table), &found))?;
    }
    opened.target.sync()?;
    ended(&tables, "complete", output);
    Ok(())
}

fn ended(tables: &[String], word: &str, output: Output) {
    let view = |table: &String| json!({ "table": table, "phase": word });
    output.result(
        || json!({ "tables": tables.iter().map(view).collect::<Vec<_>>() }),
        || terminal::line(&format!("{GOOD}{word}{GOOD:#} {}", tables.join(", "))),
    );
}

/// Asks on a terminal. Elsewhere, `--yes` is asked for.
fn asked(otherwise: &str) -> Result<(), Failure> {
    match terminal::is_confirmed() {
        Some(true) => Ok(()),
        Some(false) => Err(Failure::refused(otherwise)),
        None => Err(Failure::refused(format!(
            "{otherwise}; --yes begins at once"
        ))),
    }
}
