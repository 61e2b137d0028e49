//! `keyfold delete FILE ENTITY attribute=value ...`: deletes an entity.

use super::written::{entity, given, show};
use crate::backend::{BackendArguments, Use};
use crate::complete;
use crate::failure::Failure;
use crate::model_file;
use crate::output::Output;
use crate::project::Line;
use clap::Args;
use clap_complete::ArgValueCompleter;
use keyfold_client::arguments::{self, Values};
use keyfold_client::write;
use keyfold_model::Entity;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The model; it may be left out where keyfold.toml names it.
    #[arg(add = ArgValueCompleter::new(complete::file_or_entity))]
    file: PathBuf,
    /// The entity.
    #[arg(add = ArgValueCompleter::new(complete::entities_by_key))]
    entity: Option<String>,
    /// The attributes that identify the item, as attribute=value; a version must be the item's.
    #[arg(value_name = "ATTRIBUTE=VALUE", add = ArgValueCompleter::new(complete::key_attributes))]
    key: Vec<String>,
    #[command(flatten)]
    backend: BackendArguments,
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    let line = Line::of(
        &arguments.file,
        arguments.entity.as_ref(),
        &arguments.key,
        "entity",
    )?;
    let model = model_file::load(&line.file, output)?;
    let entity = entity(&model, &line.name, &line.file)?;
    let key = arguments::some_of_entity(entity, &given(&line.rest)?)?;
    refuse_others(entity, &key)?;
    let backend = arguments.backend.open(&model, Use::Read)?;
    show(&write::delete(&backend, &model, entity, &key)?, output);
    Ok(())
}

/// Refuses attributes that would not be compared: who writes them expects that they are.
fn refuse_others(entity: &Entity, given: &Values) -> Result<(), Failure> {
    let mut taken = entity.identity();
    taken.extend(entity.version.as_deref());
    match given.keys().find(|name| !taken.contains(&name.as_str())) {
        None => Ok(()),
        Some(other) => Err(Failure::usage(format!(
            "`{other}` identifies no {} and would not be compared; a deletion takes {}",
            entity.name,
            taken.join(", ")
        ))
        .of_argument(other)),
    }
}
