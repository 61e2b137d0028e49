//! `keyfold import FILE`: proposes a model from a file of NoSQL Workbench.

use super::new_model::ModelOutput;
use crate::failure::Failure;
use crate::model_file;
use crate::output::Output;
use clap::Args;
use keyfold_codegen::workbench;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Arguments {
    /// A model of NoSQL Workbench, version 1.0, 2.0 or 3.0.
    file: PathBuf,
    #[command(flatten)]
    model: ModelOutput,
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    arguments.model.check()?;
    let text = model_file::read(&arguments.file)?;
    let model = workbench::read(&text).map_err(|error| {
        Failure::usage(format!("{}: {error}", arguments.file.display())).in_file(&arguments.file)
    })?;
    arguments.model.write(output, &model)
}
