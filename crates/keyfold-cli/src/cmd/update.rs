//! `keyfold update FILE ENTITY attribute=value ...`: changes attributes of an entity.

use super::written::{entity, given, show};
use crate::backend::{BackendArguments, Use};
use crate::complete;
use crate::failure::Failure;
use crate::model_file;
use crate::output::Output;
use crate::project::Line;
use clap::Args;
use clap_complete::ArgValueCompleter;
use keyfold_client::{arguments, write};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The model; it may be left out where keyfold.toml names it.
    #[arg(add = ArgValueCompleter::new(complete::file_or_entity))]
    file: PathBuf,
    /// The entity.
    #[arg(add = ArgValueCompleter::new(complete::entities))]
    entity: Option<String>,
    /// The attributes of the key, and those to change, as attribute=value.
    #[arg(value_name = "ATTRIBUTE=VALUE", add = ArgValueCompleter::new(complete::attributes))]
    attributes: Vec<String>,
    /// Remove an optional attribute (may be repeated).
    #[arg(long, value_name = "ATTRIBUTE", add = ArgValueCompleter::new(complete::optional_attributes))]
    remove: Vec<String>,
    #[command(flatten)]
    backend: BackendArguments,
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    let line = Line::of(
        &arguments.file,
        arguments.entity.as_ref(),
        &arguments.attributes,
        "entity",
    )?;
    let model = model_file::load(&line.file, output)?;
    let entity = entity(&model, &line.name, &line.file)?;
    let changes = arguments::some_of_entity(entity, &given(&line.rest)?)?;
    if arguments.remove.is_empty() && changes.keys().all(|name| entity.identifies(name)) {
        let message = format!(
            "nothing to change: give attributes of {} beside {}, or --remove one",
            entity.name,
            if entity.moves() { "its id" } else { "its key" }
        );
        return Err(Failure::usage(message));
    }
    let backend = arguments.backend.open(&model, Use::Read)?;
    let written = write::update(&backend, &model, entity, &changes, &arguments.remove)?;
    show(&written, output);
    Ok(())
}
