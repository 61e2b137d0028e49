//! `keyfold fmt FILE ...`: models evenly spaced and aligned.

use super::docs::output;
use crate::failure::Failure;
use crate::json;
use crate::model_file;
use crate::terminal::{self, GOOD};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The models; `-` formats standard input to standard output.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Change nothing; fail if something would change.
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(arguments: &Arguments, as_json: bool) -> Result<(), Failure> {
    if let [only] = arguments.files.as_slice()
        && only.as_os_str() == "-"
    {
        let source = std::io::read_to_string(std::io::stdin())
            .map_err(|error| Failure::usage(format!("cannot read standard input: {error}")))?;
        return output(None, &keyfold_model::format(&source), as_json);
    }
    let mut changed = Vec::new();
    for path in &arguments.files {
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
    let report = json!({ "changed": changed });
    if !as_json {
        let word = if arguments.check {
            "would change"
        } else {
            "formatted"
        };
        changed
            .iter()
            .for_each(|path| terminal::line(&format!("{GOOD}{word}{GOOD:#} {path}")));
    }
    if arguments.check && !changed.is_empty() {
        let count = terminal::counted(changed.len(), "file");
        return Err(Failure::verdict(format!("{count} not formatted"), report));
    }
    if as_json {
        json::print(&report);
    }
    Ok(())
}
