//! `keyfold diff OLD NEW`: reports the changes between two models, and what they need of data.

use crate::failure::Failure;
use crate::model_file;
use crate::output::Output;
use crate::terminal::{self, ACCENT, FAINT, GOOD, STRONG};
use clap::Args;
use keyfold_codegen::diff::{self, Change, Migration};
use serde_json::json;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The model that the data was written with.
    old: PathBuf,
    /// The new model.
    new: PathBuf,
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    let (old, new) = (
        model_file::load(&arguments.old, output)?,
        model_file::load(&arguments.new, output)?,
    );
    let changes = diff::diff(&old, &new);
    let greatest = changes
        .iter()
        .map(|one| one.migration)
        .max()
        .unwrap_or(Migration::None);
    output.result(
        || json!({ "migration": greatest.word(), "changes": diff::json(&changes) }),
        || show(&changes, greatest),
    );
    Ok(())
}

fn show(changes: &[Change], greatest: Migration) {
    if changes.is_empty() {
        terminal::line(&format!("{GOOD}no difference{GOOD:#}"));
        return;
    }
    for one in changes {
        terminal::entry(STRONG, &one.what, &one.how, "");
        if one.migration != Migration::None {
            terminal::entry(
                ACCENT,
                &format!("{}:", one.migration.word()),
                &one.todo,
                "  ",
            );
        }
    }
    let summary = match greatest {
        Migration::None => "data stays as it is".to_owned(),
        Migration::Definition | Migration::Backfill | Migration::Rewrite | Migration::Delete => {
            format!("data: {}", greatest.word())
        }
    };
    terminal::line(&format!(
        "\n{}; {FAINT}{summary}{FAINT:#}",
        terminal::counted(changes.len(), "change")
    ));
}
