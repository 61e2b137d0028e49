//! `keyfold diff OLD NEW`: what changed between two models, and what it means for data.

use crate::failure::Failure;
use crate::json;
use crate::model_file;
use crate::terminal::{self, ACCENT, FAINT, GOOD, STRONG};
use clap::Args;
use keyfold_codegen::diff::{self, Migration};
use serde_json::json;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The model that the data was written with.
    old: PathBuf,
    /// The model to go to.
    new: PathBuf,
}

pub(crate) fn run(arguments: &Arguments, as_json: bool) -> Result<(), Failure> {
    let (old, new) = (
        model_file::load(&arguments.old, as_json)?,
        model_file::load(&arguments.new, as_json)?,
    );
    let changes = diff::diff(&old, &new);
    let greatest = changes
        .iter()
        .map(|one| one.migration)
        .max()
        .unwrap_or(Migration::None);
    if as_json {
        json::print(&json!({ "migration": greatest.word(), "changes": diff::json(&changes) }));
        return Ok(());
    }
    if changes.is_empty() {
        terminal::line(&format!("{GOOD}no difference{GOOD:#}"));
        return Ok(());
    }
    for one in &changes {
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
        other => format!("data: {}", other.word()),
    };
    terminal::line(&format!(
        "\n{}; {FAINT}{summary}{FAINT:#}",
        terminal::counted(changes.len(), "change")
    ));
    Ok(())
}
