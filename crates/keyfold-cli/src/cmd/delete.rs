//! `keyfold delete FILE ENTITY attribute=value ...`: deletes an entity.

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
    /// The attributes of the key, as attribute=value.
    #[arg(value_name = "ATTRIBUTE=VALUE", add = ArgValueCompleter::new(complete::key_attributes))]
    key: Vec<String>,
    #[command(flatten)]
    backend: BackendArguments,
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    let model = model_file::load(&arguments.file, output)?;
    let entity = entity(&model, &arguments.entity, &arguments.file)?;
    let key = arguments::some_of_entity(entity, &given(&arguments.key)?)?;
    let backend = arguments.backend.open(&model, Use::Read)?;
    show(&write::delete(&backend, &model, entity, &key)?, output);
    Ok(())
}
