//! `keyfold infer TABLE`: proposes a model from an existing table and a sample of its items.

use crate::backend::{BackendArguments, Use};
use crate::failure::Failure;
use crate::output::Output;
use clap::Args;
use keyfold_client::tables;
use keyfold_codegen::infer::propose;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The tables of the model.
    #[arg(required = true)]
    tables: Vec<String>,
    /// Items to read from each table.
    #[arg(long, value_name = "N", default_value_t = 500)]
    sample: usize,
    /// The model's name [default: that of the first table].
    #[arg(long)]
    name: Option<String>,
    /// The file to write the model to, instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    backend: BackendArguments,
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    let backend = arguments.backend.open_as_it_is(Use::Read)?;
    let mut found = Vec::new();
    for name in &arguments.tables {
        let description = tables::describe(&backend, name)?
            .ok_or_else(|| Failure::not_found(format!("there is no table {name}")))?;
        let items = tables::sample(&backend, name, arguments.sample)?;
        found.push((super::definition::of(&description), items));
    }
    let name = arguments
        .name
        .clone()
        .unwrap_or_else(|| arguments.tables.first().cloned().unwrap_or_default());
    let model = propose(&name, &found).map_err(|error| Failure::usage(error.to_string()))?;
    output.text(arguments.output.as_deref(), &model)
}
