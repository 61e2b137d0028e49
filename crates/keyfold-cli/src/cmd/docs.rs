//! `keyfold docs FILE`: the design as a document, Markdown or HTML.

use crate::failure::Failure;
use crate::json;
use crate::model_file;
use crate::terminal::{self, GOOD};
use clap::{Args, ValueEnum};
use keyfold_codegen::document;
use keyfold_model::Severity;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The model.
    file: PathBuf,
    /// The form; told from the output's name otherwise.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Where to write it, instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Markdown,
    Html,
}

pub(crate) fn run(arguments: &Arguments, as_json: bool) -> Result<(), Failure> {
    let source = model_file::read(&arguments.file)?;
    let model = model_file::compile(&source, &arguments.file.display().to_string(), as_json)?;
    let mut warnings = keyfold_model::compile(&source).diagnostics;
    warnings.retain(|one| one.severity == Severity::Warning);
    if let (None, Some(path)) = (arguments.format, &arguments.output) {
        let extension = path
            .extension()
            .map(|extension| extension.to_string_lossy().into_owned());
        if !matches!(extension.as_deref(), Some("md" | "markdown" | "html")) {
            let message = format!(
                "the form of {} is not known; name it .md or .html, or say `--format`",
                path.display()
            );
            return Err(Failure::usage(message));
        }
    }
    let is_html = arguments
        .output
        .as_ref()
        .and_then(|path| path.extension())
        .is_some_and(|e| e == "html");
    let text = match arguments.format {
        Some(Format::Html) => document::html(&model, &warnings),
        None if is_html => document::html(&model, &warnings),
        Some(Format::Markdown) | None => document::markdown(&model, &warnings),
    };
    output(arguments.output.as_deref(), &text, as_json)
}

/// Writes a text to a file, or to standard output.
pub(super) fn output(
    path: Option<&std::path::Path>,
    text: &str,
    as_json: bool,
) -> Result<(), Failure> {
    let Some(path) = path else {
        if as_json {
            json::print(&serde_json::json!({ "text": text }));
        } else {
            terminal::line(text.trim_end());
        }
        return Ok(());
    };
    std::fs::write(path, text).map_err(|error| {
        Failure::usage(format!("cannot write {}: {error}", path.display())).in_file(path)
    })?;
    if as_json {
        json::print(&serde_json::json!({ "written": path.display().to_string() }));
    } else {
        terminal::line(&format!("{GOOD}written{GOOD:#} {}", path.display()));
    }
    Ok(())
}
