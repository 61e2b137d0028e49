//! What the target knows of moves: how far each table is.

use super::ending::report_of;
use super::exporting;
use super::exports::folder_of;
use super::left::spoken;
use super::pausing::if_paused;
use super::places::{Listed, Opened, Places};
use super::report::File;
use super::switching::of_side;
use super::told::{Told, told};
use crate::failure::Failure;
use crate::output::Output;
use crate::terminal::{self, STRONG, counted};
use keyfold_client::{ClientError, blocked, origin};
use keyfold_motion::{Counts, Options, Phase, Spent, Status, Totals, Turning, tables, totals};
use serde_json::{Value as Json, json};
use std::path::Path;
use std::time::Duration;

/// A move, and what is known of it beside its row.
struct Known {
    table: String,
    status: Status,
    /// What it has done; `None` when a place did not answer.
    totals: Option<Totals>,
    /// Whether the table that it has made is in the target.
    is_there: bool,
}

/// The moves of the target.
pub(super) fn status(places: &Places, file: Option<&Path>, output: Output) -> Result<(), Failure> {
    let file = file.map(File::of).transpose()?;
    if let (Some(folder), None) = (folder_of(&places.to), &file) {
        return exporting::status(&folder, output);
    }
    let opened = places.open_for_moves()?;
    let Listed { moves, odd } = places.listed(&*opened.world())?;
    let moves = moves.into_iter().map(|one| Known::of(&opened, one));
    let moves: Vec<Known> = moves.collect();
    if let Some(file) = &file {
        let known = moves
            .iter()
            .map(|one| told(&opened, &one.table, one.state()));
        let tables: Vec<Told> = known.chain(odd.iter().map(told_odd)).collect();
        let verdict = format!("{} to this target.", counted(tables.len(), "move"));
        file.write(&report_of(
            places,
            "Moves of tables",
            verdict,
            (&tables, opened.priced),
        ))?;
    }
    let views = moves.iter().map(Known::view);
    let views: Vec<Json> = views.chain(odd.iter().map(odd_view)).collect();
    output.report(
        json!({ "tables": views }),
        || {
            for one in &moves {
                terminal::line(&format!(
                    "{STRONG}{}{STRONG:#}  {} of {} segments copied, {}",
                    one.table,
                    one.status.segments_done,
                    one.status.run.segments,
                    one.state(),
                ));
            }
            for (table, error) in &odd {
                terminal::line(&format!("{STRONG}{table}{STRONG:#}  {error}"));
            }
            if moves.is_empty() && odd.is_empty() {
                terminal::line("the target knows of no move of these tables");
            }
        },
        all_read(&odd),
    )
}

/// Refuses moves whose rows cannot be read, when all the others are said.
fn all_read(odd: &[(String, ClientError)]) -> Result<(), Failure> {
    let names: Vec<&str> = odd.iter().map(|(table, _)| table.as_str()).collect();
    match names.is_empty() {
        true => Ok(()),
        false => Err(Failure::refused(format!(
            "what the target notes of these moves cannot be read: {}",
            names.join(", ")
        ))),
    }
}

fn told_odd((table, error): &(String, ClientError)) -> Told {
    Told {
        table: table.clone(),
        state: error.to_string(),
        ..Told::default()
    }
}

fn odd_view((table, error): &(String, ClientError)) -> Json {
    json!({ "table": table, "error": error.to_string() })
}

impl Known {
    fn of(opened: &Opened, (table, status): (String, Status)) -> Known {
        let world = opened.world();
        let totals = blocked(totals(&*world, &Options::new(&table)));
        // A place that does not answer has said nothing of its table.
        let is_there = blocked(tables::is_made(&*world, &table, &status.run)).unwrap_or(true);
        Known {
            totals: totals.ok().flatten(),
            is_there,
            table,
            status,
        }
    }

    /// How far it is, in words.
    fn state(&self) -> String {
        let run = &self.status.run;
        let follows = run.phase == Phase::Following && run.stream.is_some();
        let behind = match self.last_behind() {
            Some((behind, ago)) if follows && run.paused_ms.is_none() => {
                format!(", {} behind (noted {} ago)", spoken(behind), spoken(ago))
            }
            Some(_) | None => String::new(),
        };
        let gone = match self.is_there {
            true => "",
            false => {
                ", but its table is not in the target any more: abort the move, and begin it again"
            }
        };
        let (phase, side, paused) = (self.phase(), of_side(&self.status), if_paused(run));
        let phase = match follows || run.phase != Phase::Following {
            true => phase,
            false => "changes are not followed",
        };
        format!("{phase}{behind}{side}{paused}{gone}")
    }

    /// The word for its phase.
    fn phase(&self) -> &'static str {
        let run = &self.status.run;
        match (run.phase, &run.stream) {
            (Phase::Following, None) => "copied",
            (phase, _) => phase.word(),
        }
    }

    /// How far the last run was behind when it noted that, and how long ago this was.
    fn last_behind(&self) -> Option<(Duration, Duration)> {
        let last: &Spent = self.totals.as_ref()?.runs.last()?;
        let ago_ms = origin().now_epoch_ms.saturating_sub(last.noted_ms);
        let ago = Duration::from_millis(u64::try_from(ago_ms).unwrap_or(0));
        Some((last.behind()?, ago))
    }

    fn view(&self) -> Json {
        let counts = |of: fn(&Totals) -> Counts| self.totals.as_ref().map(of).map(counted_view);
        let run = &self.status.run;
        let behind = self.last_behind();
        json!({
            "table": self.table,
            "leads": run.turn.lead.word(),
            "turning": run.turn.turning.map(Turning::word),
            "turns": run.turn.turns,
            "copied": counts(|all| all.copied),
            "applied": counts(|all| all.applied),
            "appliedBack": counts(|all| all.applied_back),
            "phase": self.phase(),
            "follows": run.stream.is_some(),
            "segments": run.segments,
            "segmentsDone": self.status.segments_done,
            "isPaused": run.paused_ms.is_some(),
            "secondsBehind": behind.map(|(behind, _)| behind.as_secs()),
            "notedSecondsAgo": behind.map(|(_, ago)| ago.as_secs()),
            "isThere": self.is_there,
        })
    }
}

fn counted_view(counts: Counts) -> Json {
    json!({ "read": counts.read, "written": counts.written, "deleted": counts.deleted })
}
