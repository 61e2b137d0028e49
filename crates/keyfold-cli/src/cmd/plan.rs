//! `keyfold plan FILE`: prints the plan document, which clients in other languages carry out.

use crate::failure::Failure;
use crate::model_file::{self, Shown};
use crate::output::Output;
use crate::project::ModelArgument;
use clap::Args;
use keyfold_codegen::plan;
use serde_json::json;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    model: ModelArgument,
    /// The file to write, instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    let file = arguments.model.path()?;
    let checked = model_file::load_checked(&file, output, Shown::Errors)?;
    let document = plan::document(&checked.model);
    if output == Output::Json && arguments.output.is_none() {
        output.result(|| json!({ "plan": document }), || ());
        return Ok(());
    }
    output.text(arguments.output.as_deref(), &format!("{document:#}\n"))
}
