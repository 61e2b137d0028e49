//! Makes moves stand still, and says for how long they may.

use super::left::spoken;
use super::places::Places;
use crate::failure::Failure;
use crate::output::Output;
use crate::terminal::{self, STRONG};
use keyfold_client::{blocked, origin};
use keyfold_motion::world::World;
use keyfold_motion::{Options, RunRow, pause as pause_move, status, swapped, time_left};
use serde_json::json;
use std::sync::Arc;

/// Pauses the moves of the target.
pub(super) fn pause(places: &Places, output: Output) -> Result<(), Failure> {
    let opened = places.open_for_moves()?;
    let world = opened.world();
    let moves = places.moves(&*world)?;
    if moves.is_empty() {
        return Err(Failure::not_found(
            "the target knows of no move of these tables",
        ));
    }
    let mut paused = Vec::new();
    for (table, _) in moves {
        let options = Options::new(&table);
        let run = blocked(pause_move(&*world, &options))?;
        if run.turn.has_begun() {
            let other: Arc<dyn World> = swapped(opened.world());
            // A switch that was killed early has none of it.
            if blocked(status(&*other, &options))?.is_some() {
                blocked(pause_move(&*other, &options))?;
            }
        }
        paused.push((table, run));
    }
    opened.source.sync()?;
    opened.target.sync()?;
    let view = |(table, run): &(String, RunRow)| {
        json!({
            "table": table,
            "phase": run.phase.word(),
            "isPaused": true,
            "secondsLeft": time_left(run, origin().now_epoch_ms).map(|time| time.as_secs()),
        })
    };
    output.result(
        || json!({ "tables": paused.iter().map(view).collect::<Vec<_>>() }),
        || {
            for (table, run) in &paused {
                terminal::line(&format!("{STRONG}{table}{STRONG:#}{}", if_paused(run)));
            }
            terminal::line("nothing writes to the target for them; `keyfold move resume` goes on");
        },
    );
    Ok(())
}

/// What is said of a move that is paused.
pub(super) fn if_paused(run: &RunRow) -> String {
    if run.paused_ms.is_none() {
        return String::new();
    }
    match time_left(run, origin().now_epoch_ms) {
        None => ", paused".to_owned(),
        Some(time) if time.is_zero() => format!(
            ", paused for a day: the {}'s stream keeps changes no longer, abort the move and begin it again",
            run.turn.lead.word()
        ),
        Some(time) => format!(
            ", paused: the {}'s stream keeps changes for a day, so go on within {}",
            run.turn.lead.word(),
            spoken(time)
        ),
    }
}
