//! `keyfold fmt FILE ...`: models evenly spaced and aligned.

use crate::failure::Failure;
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
            .map_err(|error| Failure::Usage(format!("cannot read standard input: {error}")))?;
        terminal::line(keyfold_model::format(&source).trim_end());
        return Ok(());
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
    if as_json {
        let ok = changed.is_empty() || !arguments.check;
        terminal::line(&json!({ "ok": ok, "changed": changed }).to_string());
    } else {
        let word = if arguments.check { "would change" } else { "formatted" };
        changed.iter().for_each(|path| terminal::line(&format!("{GOOD}{word}{GOOD:#} {path}")));
    }
    if arguments.check && !changed.is_empty() {
        let count = terminal::counted(changed.len(), "file");
        return Err(Failure::Shown(format!("{count} not formatted")));
    }
    Ok(())
}
