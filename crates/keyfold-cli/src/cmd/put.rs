//! `keyfold put FILE ENTITY attribute=value ...`: writes a whole entity.

use super::written::{entity, given, show};
use crate::backend::{BackendArguments, Use};
use crate::complete;
use crate::failure::Failure;
use crate::model_file;
use crate::output::Output;
use clap::Args;
use clap_complete::ArgValueCompleter;
use keyfold_client::{arguments, write};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The model.
    file: PathBuf,
    /// The entity.
    #[arg(add = ArgValueCompleter::new(complete::entities))]
    entity: String,
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
    let model = model_file::load(&arguments.file, output)?;
    let entity = entity(&model, &arguments.entity, &arguments.file)?;
    let values = arguments::of_entity(entity, &given(&arguments.attributes)?)?;
    let backend = arguments.backend.open(&model, Use::Write)?;
    let written = if arguments.new {
        write::create(&backend, &model, entity, &values)?
    } else {
        write::put(&backend, &model, entity, &values)?
    };
    show(&written, output);
    Ok(())
}
