//! `keyfold doctor`: examines a data folder, and rebuilds its indexes.

use crate::backend;
use crate::failure::Failure;
use crate::output::Output;
use crate::terminal::{self, ERROR, FAINT, GOOD};
use clap::Args;
use keyfold_engine::Examination;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The data folder, which no server may have open. Without --repair nothing in it is written
    /// [default: that of keyfold.toml, or .keyfold/data].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Rebuild all indexes and counters from the items.
    #[arg(long)]
    repair: bool,
}

/// How a data folder that is in use is examined.
const OF_FILES: &str = "; this command reads the files, which no process may have open: examine a copy, which \
                        `keyfold backup TO --endpoint URL` makes of a server's";

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    let data = backend::data_folder(arguments.data.as_deref())?;
    backend::check_folder(&data, "`--data DIR` names the one that is to be examined")?;
    let engine = if arguments.repair {
        backend::engine_with(Some(&data), OF_FILES, |options| options.background = false)?
    } else {
        backend::examined(&data, OF_FILES)?
    };
    let mut found = engine.examine().map_err(Failure::from)?;
    let before = found.clone();
    if arguments.repair && is_repairable(&found) {
        engine.rebuild_indexes().map_err(Failure::from)?;
        found = engine.examine().map_err(Failure::from)?;
    }
    let verdict = if found.is_well() {
        Ok(())
    } else {
        let message = if is_repairable(&found) {
            "the data folder has problems; `keyfold doctor --repair` rebuilds indexes and counters"
        } else {
            "items cannot be read; restore them from a copy or a backup"
        };
        Err(Failure::refused(message).in_folder(&data))
    };
    output.report(report(&before, &found), || show(&before, &found), verdict)
}

fn is_repairable(found: &Examination) -> bool {
    found.problems.iter().any(|problem| problem.can_be_repaired)
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

fn show(before: &Examination, after: &Examination) {
    for problem in &before.problems {
        terminal::line(&format!(
            "{ERROR}wrong{ERROR:#} {}: {}",
            problem.place, problem.what
        ));
    }
    if before.unlisted > 0 {
        terminal::line(&format!(
            "{FAINT}and {} more of the same kinds{FAINT:#}",
            before.unlisted
        ));
    }
    for failed in &after.failed {
        terminal::line(&format!("{FAINT}failed{FAINT:#} {failed}"));
    }
    if !before.is_well() && after.is_well() {
        terminal::line(&format!(
            "{GOOD}repaired{GOOD:#} all indexes and counters are rebuilt"
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
