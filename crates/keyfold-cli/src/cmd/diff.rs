//! `keyfold diff OLD NEW`: reports the changes between two models, and what they need of data.

use crate::failure::Failure;
use crate::model_file::{self, Shown};
use crate::output::Output;
use crate::project;
use crate::terminal::{self, ACCENT, FAINT, GOOD, STRONG};
use clap::Args;
use keyfold_codegen::diff::{self, Change, Migration};
use keyfold_model::{Place, Sources};
use serde_json::json;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The model that the data was written with.
    old: PathBuf,
    /// The new model [default: that of keyfold.toml].
    new: Option<PathBuf>,
    /// Exit with 1 where a change needs something of the data or the tables: for tests.
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    let new = match &arguments.new {
        Some(new) => new.clone(),
        None => project::model()?,
    };
    let [old, new] =
        [&arguments.old, &new].map(|path| model_file::load_checked(path, output, Shown::Errors));
    let (old, new) = (old?, new?);
    let changes = diff::diff(&old.model, &new.model);
    let (old, new) = (&old.sources, &new.sources);
    let greatest = changes
        .iter()
        .map(|one| one.migration)
        .max()
        .unwrap_or(Migration::None);
    let document =
        json!({ "migration": greatest.word(), "changes": diff::json(&changes, old, new) });
    let verdict = if arguments.check && greatest != Migration::None {
        let why = format!("the new model needs work on the data: {}", greatest.word());
        Err(Failure::refused(why))
    } else {
        Ok(())
    };
    output.report(document, || show(&changes, greatest, old, new), verdict)
}

fn show(changes: &[Change], greatest: Migration, old: &Sources, new: &Sources) {
    if changes.is_empty() {
        terminal::line(&format!("{GOOD}no difference{GOOD:#}"));
        return;
    }
    let has_files = [old, new].iter().any(|one| one.files().len() > 1);
    for one in changes {
        terminal::entry(STRONG, &one.what, &one.how, "");
        if let Some(place) = one.place_in(old, new).filter(|_| has_files) {
            let Place {
                path,
                owner,
                line,
                column,
            } = place;
            let owned = owner.map_or(String::new(), |owner| format!("owned by {owner}"));
            terminal::entry(FAINT, &format!("{path}:{line}:{column}"), &owned, "  ");
        }
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
