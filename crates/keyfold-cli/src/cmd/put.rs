//! `keyfold put FILE ENTITY attribute=value ...`: writes a whole entity.

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
    /// The attributes, as attribute=value.
    #[arg(value_name = "ATTRIBUTE=VALUE", add = ArgValueCompleter::new(complete::attributes))]
    attributes: Vec<String>,
    /// Refuse to replace an entity that exists.
    #[arg(long)]
    new: bool,
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
    let values = arguments::of_entity(entity, &given(&line.rest)?)?;
    let backend = arguments.backend.open(&model, Use::Write)?;
    let written = if arguments.new {
        write::create(&backend, &model, entity, &values)?
    } else {
        write::put(&backend, &model, entity, &values)?
    };
    show(&written, output);
    Ok(())
}
