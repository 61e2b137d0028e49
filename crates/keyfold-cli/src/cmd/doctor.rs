//! `keyfold doctor`: examines a data folder, and makes its indexes anew.

use crate::backend::{self, DATA_DEFAULT};
use crate::failure::Failure;
use crate::json;
use crate::terminal::{self, ERROR, FAINT, GOOD};
use clap::Args;
use keyfold_engine::Examination;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The data folder; no server may have it open. Nothing in it is written unless --repair is
    /// given.
    #[arg(long, value_name = "DIR", default_value = DATA_DEFAULT)]
    data: PathBuf,
    /// Make all indexes and counters anew from the items.
    #[arg(long)]
    repair: bool,
}

pub(crate) fn run(arguments: &Arguments, as_json: bool) -> Result<(), Failure> {
    if !arguments.data.is_dir() {
        let message = format!("{} is no folder", arguments.data.display());
        return Err(Failure::usage(message).in_folder(&arguments.data));
    }
    // Without a repair nothing in the folder is written.
    let engine = match arguments.repair {
        false => backend::examined(&arguments.data)?,
        true => backend::engine_with(Some(&arguments.data), |options| options.background = false)?,
    };
    let mut found = engine.examine().map_err(Failure::from)?;
    let before = found.clone();
    if arguments.repair && found.problems.iter().any(|problem| problem.can_be_repaired) {
        engine.rebuild_indexes().map_err(Failure::from)?;
        found = engine.examine().map_err(Failure::from)?;
    }
    let report = report(&before, &found);
    if !as_json {
        tell(&before, &found);
    }
    if found.is_well() {
        if as_json {
            json::print(&report);
        }
        return Ok(());
    }
    let repairable = found.problems.iter().any(|problem| problem.can_be_repaired);
    let message = if repairable {
        "the data folder has problems; `keyfold doctor --repair` makes indexes and counters anew"
    } else {
        "items cannot be read; restore them from a copy or a backup"
    };
    Err(Failure::verdict(message, report).in_folder(&arguments.data))
}

fn report(before: &Examination, after: &Examination) -> serde_json::Value {
    let problems = |examination: &Examination| -> Vec<serde_json::Value> {
        let row = |problem: &keyfold_engine::Problem| serde_json::json!({ "place": problem.place, "what": problem.what, "repairable": problem.can_be_repaired });
        examination.problems.iter().map(row).collect()
    };
    serde_json::json!({
        "tables": after.tables,
        "items": after.items,
        "indexEntries": after.entries,
        "records": after.records,
        "found": problems(before),
        "left": problems(after),
        "failed": after.failed,
    })
}

fn tell(before: &Examination, after: &Examination) {
    for problem in &before.problems {
        terminal::line(&format!(
            "{ERROR}wrong{ERROR:#} {}: {}",
            problem.place, problem.what
        ));
    }
    if before.untold > 0 {
        terminal::line(&format!(
            "{FAINT}and {} more of the same kinds{FAINT:#}",
            before.untold
        ));
    }
    for failed in &after.failed {
        terminal::line(&format!("{FAINT}failed{FAINT:#} {failed}"));
    }
    if !before.is_well() && after.is_well() {
        terminal::line(&format!(
            "{GOOD}repaired{GOOD:#} all indexes and counters are made anew"
        ));
    }
    let word = if after.is_well() {
        format!("{GOOD}well{GOOD:#}")
    } else {
        format!("{ERROR}not well{ERROR:#}")
    };
    terminal::line(&format!(
        "{word}: {}, {}, {} index entries, {} records of streams and changes",
        terminal::counted(after.tables as usize, "table"),
        terminal::counted(after.items as usize, "item"),
        after.entries,
        after.records
    ));
}
