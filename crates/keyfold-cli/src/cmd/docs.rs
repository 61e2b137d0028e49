//! `keyfold docs FILE`: writes the design as a document, in Markdown or HTML.

use crate::failure::Failure;
use crate::model_file::{self, Shown};
use crate::output::Output;
use crate::project::ModelArgument;
use clap::{Args, ValueEnum};
use keyfold_codegen::document;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    model: ModelArgument,
    /// The format [default: that of the output's extension, or markdown].
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// The file to write, instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Markdown,
    Html,
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    let file = arguments.model.path()?;
    let checked = model_file::load_checked(&file, output, Shown::Errors)?;
    let text = match format(arguments)? {
        Format::Html => document::html(&checked.model, &checked.warnings),
        Format::Markdown => document::markdown(&checked.model, &checked.warnings),
    };
    output.text(arguments.output.as_deref(), &text)
}

/// The format that is named, or that of the output's extension; Markdown on standard output.
fn format(arguments: &Arguments) -> Result<Format, Failure> {
    let (None, Some(path)) = (arguments.format, &arguments.output) else {
        return Ok(arguments.format.unwrap_or(Format::Markdown));
    };
    let extension = path
        .extension()
        .map(|extension| extension.to_string_lossy());
    match extension.as_deref() {
        Some("md" | "markdown") => Ok(Format::Markdown),
        Some("html") => Ok(Format::Html),
        _ => Err(Failure::usage(format!(
            "the form of {} is not known; name it .md or .html, or say `--format`",
            path.display()
        ))),
    }
}
