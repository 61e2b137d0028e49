//! `keyfold init`: starts a project: a first model and `keyfold.toml`.

use crate::failure::Failure;
use crate::output::Output;
use crate::project;
use crate::terminal::{self, FAINT, GOOD};
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};

/// The first model, whose name is filled in.
const MODEL: &str = include_str!("first.keyfold");
/// The name of the first model in its text.
const NAME: &str = "first";
/// The name where the folder's name is none for a model.
const NAME_DEFAULT: &str = "app";

#[derive(Args)]
pub(crate) struct Arguments {
    /// The folder of the project, which is created if it is absent.
    #[arg(default_value = ".", value_name = "DIR")]
    folder: PathBuf,
    /// The model's name [default: that of the folder].
    #[arg(long)]
    name: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    let folder = &arguments.folder;
    let name = name(arguments)?;
    let text = MODEL.replacen(&format!("model {NAME} "), &format!("model {name} "), 1);
    let compiled = keyfold_model::compile(&text);
    if let Some(found) = compiled.diagnostics.first() {
        let reason = &found.message;
        return Err(Failure::usage(format!("`{name}` names no model: {reason}")));
    }
    let (model_file, project_file) = (format!("{name}.keyfold"), project::FILE.to_owned());
    let settings = settings(&model_file);
    for file in [&model_file, &project_file] {
        refuse_existing(&folder.join(file))?;
    }
    std::fs::create_dir_all(folder).map_err(|error| unwritten(folder, &error))?;
    for (file, text) in [(&model_file, &text), (&project_file, &settings)] {
        let path = folder.join(file);
        std::fs::write(&path, text).map_err(|error| unwritten(&path, &error))?;
    }
    let files = [model_file, project_file].map(|file| shown(folder, &file));
    output.result(
        || json!({ "files": files }),
        || {
            for file in &files {
                terminal::line(&format!("{GOOD}written{GOOD:#} {file}"));
            }
            terminal::line(&format!(
                "{FAINT}next: change the model, then `keyfold check`, `keyfold prove` and `keyfold serve`{FAINT:#}"
            ));
        },
    );
    Ok(())
}

/// The model's name: the given one, or the folder's.
fn name(arguments: &Arguments) -> Result<String, Failure> {
    if let Some(name) = &arguments.name {
        if !is_name(name) {
            return Err(Failure::usage(format!(
                "`{name}` names no model: a name has letters, digits and _, and no digit first"
            ))
            .of_argument("--name"));
        }
        return Ok(name.clone());
    }
    let folder = std::path::absolute(&arguments.folder).unwrap_or_default();
    let folder = folder.file_name().unwrap_or_default().to_string_lossy();
    let name: String = folder
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    Ok(if is_name(&name) {
        name
    } else {
        NAME_DEFAULT.to_owned()
    })
}

fn is_name(name: &str) -> bool {
    keyfold_model::is_word(name) && name.is_ascii() && name != "_"
}

/// The text of `keyfold.toml`.
fn settings(model: &str) -> String {
    format!(
        "# The project: commands need no FILE and no --endpoint here.\nmodel = \"{model}\"\n\n# The connection that is used where no other is named by --connection.\nconnection = \"local\"\n\n[connections]\nlocal = \"keyfold:.keyfold/data\"\nserver = \"http://localhost:8000\"\n"
    )
}

fn refuse_existing(path: &Path) -> Result<(), Failure> {
    if path.exists() {
        let message = format!("{} exists already; nothing was written", path.display());
        return Err(Failure::usage(message).in_file(path));
    }
    Ok(())
}

fn unwritten(path: &Path, error: &std::io::Error) -> Failure {
    Failure::usage(format!("cannot write {}: {error}", path.display())).in_file(path)
}

fn shown(folder: &Path, file: &str) -> String {
    if folder == Path::new(".") {
        return file.to_owned();
    }
    folder.join(file).display().to_string()
}
