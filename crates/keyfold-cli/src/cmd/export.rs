//! `keyfold export FORM FILE`: writes a model's tables for CloudFormation or Terraform, or the
//! model for NoSQL Workbench.

use crate::failure::Failure;
use crate::model_file;
use crate::output::Output;
use crate::project::ModelArgument;
use clap::{Args, ValueEnum};
use keyfold_codegen::{tables, workbench};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The form of the output.
    #[arg(value_enum)]
    form: Form,
    #[command(flatten)]
    model: ModelArgument,
    /// A period, such as 2024-01, to write the table of (may be repeated); for tables with periods.
    #[arg(long, value_name = "PERIOD")]
    period: Vec<String>,
    /// The file to write, instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    Cloudformation,
    Terraform,
    Workbench,
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    let file = arguments.model.path()?;
    let model = model_file::load(&file, output)?;
    let units: Vec<_> = model
        .tables
        .iter()
        .filter_map(|table| table.period)
        .collect();
    if let Some(period) = arguments
        .period
        .iter()
        .find(|period| !units.iter().any(|unit| unit.is_period(period)))
    {
        let wanted: Vec<&str> = units.iter().map(|unit| unit.word()).collect();
        return Err(Failure::usage(match wanted.as_slice() {
            [] => format!("--period {period}: no table of {} has periods", model.name),
            some => format!(
                "--period {period} is no {}, like 2024-01 is a month",
                some.join(" or ")
            ),
        }));
    }
    for table in &model.tables {
        let Some(unit) = table.period else { continue };
        if arguments.form != Form::Workbench
            && !arguments.period.iter().any(|period| unit.is_period(period))
        {
            return Err(Failure::usage(format!(
                "{} is a table per {unit}: name the periods to make tables for, `--period 2024-01`",
                table.name
            )));
        }
    }
    let pretty = |json: &serde_json::Value| format!("{json:#}\n");
    let text = match arguments.form {
        Form::Cloudformation => pretty(&tables::cloudformation(&model, &arguments.period)),
        Form::Terraform => tables::terraform(&model, &arguments.period),
        Form::Workbench => pretty(&workbench::write(&model)),
    };
    output.text(arguments.output.as_deref(), &text)
}
