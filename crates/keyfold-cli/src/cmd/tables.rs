//! `keyfold tables FILE`: makes the tables of a model, or compares those that are there.

use crate::backend::{BackendArguments, Use};
use crate::failure::Failure;
use crate::model_file;
use crate::output::Output;
use crate::project::ModelArgument;
use crate::terminal;
use clap::Args;
use keyfold_client::Backend;
use keyfold_client::tables::{self, Outcome};
use keyfold_model::Model;
use serde_json::{Value as Json, json};

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    model: ModelArgument,
    /// Make nothing: a table that is not there ends the command with exit code 4, and one that differs from the
    /// model with 1, as it does without this option.
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    backend: BackendArguments,
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    let model = model_file::load(&arguments.model.path()?, output)?;
    let usage = if arguments.check {
        Use::Read
    } else {
        Use::Write
    };
    let backend = arguments.backend.open_as_it_is(usage)?;
    let outcomes = if arguments.check {
        compared(&backend, &model)?
    } else {
        tables::ensure(&backend, &model)?
    };
    for note in tables::notes(&model, &outcomes) {
        terminal::error_line(&format!("note: {note}"));
    }
    output.result(|| view(&outcomes), || show(&outcomes));
    Ok(())
}

/// The tables of a model, all of which are there.
fn compared(backend: &Backend, model: &Model) -> Result<Vec<(String, Outcome)>, Failure> {
    let found = tables::compare(backend, model)?;
    if let Some(first) = found.missing.first() {
        let verb = if found.missing.len() == 1 {
            "is"
        } else {
            "are"
        };
        let message = format!(
            "{} {verb} not there: the same command without --check makes what is missing",
            found.missing.join(", ")
        );
        return Err(Failure::not_found(message).in_table(first));
    }
    let existing = found.existing.into_iter();
    Ok(existing.map(|name| (name, Outcome::Existing)).collect())
}

fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Created => "created",
        Outcome::Existing => "existing",
    }
}

fn view(outcomes: &[(String, Outcome)]) -> Json {
    let table =
        |(name, outcome): &(String, Outcome)| json!({ "name": name, "outcome": word(*outcome) });
    json!({ "tables": outcomes.iter().map(table).collect::<Vec<Json>>() })
}

fn show(outcomes: &[(String, Outcome)]) {
    for (name, outcome) in outcomes {
        let said = match outcome {
            Outcome::Created => "made",
            Outcome::Existing => "is there, as the model says",
        };
        terminal::line(&format!("{name}  {said}"));
    }
}
