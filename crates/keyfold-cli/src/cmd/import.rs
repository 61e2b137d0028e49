//! `keyfold import FILE`: a model proposed from a file of NoSQL Workbench.

use super::docs::output;
use crate::failure::Failure;
use crate::model_file;
use clap::Args;
use keyfold_codegen::workbench;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Arguments {
    /// A model of NoSQL Workbench, version 1.0, 2.0 or 3.0.
    file: PathBuf,
    /// Where to write the model, instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, as_json: bool) -> Result<(), Failure> {
    let text = model_file::read(&arguments.file)?;
    let model = workbench::read(&text).map_err(|error| {
        Failure::usage(format!("{}: {error}", arguments.file.display())).in_file(&arguments.file)
    })?;
    output(arguments.output.as_deref(), &model, as_json)
}
