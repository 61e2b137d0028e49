//! `keyfold fmt FILE ...`: formats models.

use crate::failure::Failure;
use crate::model_file;
use crate::output::Output;
use crate::project;
use crate::terminal::{self, GOOD};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The models [default: that of keyfold.toml, with its files]; `-` formats standard input to
    /// standard output.
    files: Vec<PathBuf>,
    /// Change nothing; fail if a file would change.
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    if let [only] = arguments.files.as_slice()
        && only.as_os_str() == "-"
    {
        let source = std::io::read_to_string(std::io::stdin())
            .map_err(|error| Failure::usage(format!("cannot read standard input: {error}")))?;
        return output.text(None, &keyfold_model::format(&source));
    }
    let mut changed = Vec::new();
    let of_project = match arguments.files.as_slice() {
        [] => model_file::files(&project::model()?)?,
        [_, ..] => Vec::new(),
    };
    for path in arguments.files.iter().chain(&of_project) {
        let source = model_file::read(path)?;
        let formatted = keyfold_model::format(&source);
        if formatted == source {
            continue;
        }
        if !arguments.check {
            model_file::write(path, &formatted)?;
        }
        changed.push(path.display().to_string());
    }
    let verdict = if arguments.check && !changed.is_empty() {
        let count = terminal::counted(changed.len(), "file");
        Err(Failure::refused(format!("{count} not formatted")))
    } else {
        Ok(())
    };
    let word = if arguments.check {
        "would change"
    } else {
        "formatted"
    };
    let show = || {
        for path in &changed {
            terminal::line(&format!("{GOOD}{word}{GOOD:#} {path}"));
        }
    };
    output.report(json!({ "changed": changed }), show, verdict)
}
