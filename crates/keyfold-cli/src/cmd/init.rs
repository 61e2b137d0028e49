//! `keyfold init`: starts a project: a first model, `keyfold.toml`, the generated client.

use super::generate;
use crate::failure::Failure;
use crate::output::Output;
use crate::project;
use crate::terminal::{self, FAINT, GOOD};
use clap::Args;
use keyfold_codegen::generate::Target;
use keyfold_model::Sources;
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
    /// The file of the generated TypeScript client, in the folder [default: src/NAME.ts, unless the
    /// folder is one of Python or Rust].
    #[arg(long, value_name = "FILE")]
    typescript: Option<PathBuf>,
    /// The file of the generated Python client, in the folder [default: NAME.py, if the folder has a
    /// pyproject.toml and no package.json].
    #[arg(long, value_name = "FILE")]
    python: Option<PathBuf>,
    /// The file of the generated Rust client, in the folder [default: src/NAME.rs, if the folder has a
    /// Cargo.toml and no package.json].
    #[arg(long, value_name = "FILE")]
    rust: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    let folder = &arguments.folder;
    let name = name(arguments)?;
    let text = MODEL.replacen(&format!("model {NAME} "), &format!("model {name} "), 1);
    let sources = Sources::of_text(&name, &text);
    let compiled = keyfold_model::compile_sources(&sources);
    let Some(model) = compiled.model else {
        let reason = compiled
            .diagnostics
            .first()
            .map_or("", |found| &found.message);
        return Err(Failure::usage(format!("`{name}` names no model: {reason}")));
    };
    let (model_file, project_file) = (format!("{name}.keyfold"), project::FILE.to_owned());
    let clients = clients(arguments, &name);
    let settings = settings(&model_file, &clients);
    let mut files = vec![model_file.clone(), project_file.clone()];
    files.extend(clients.iter().map(|(_, client)| client.clone()));
    for file in &files {
        refuse_existing(&folder.join(file))?;
    }
    std::fs::create_dir_all(folder).map_err(|error| Failure::unwritten(folder, &error))?;
    for (file, text) in [(&model_file, &text), (&project_file, &settings)] {
        let path = folder.join(file);
        std::fs::write(&path, text).map_err(|error| Failure::unwritten(&path, &error))?;
    }
    let outputs = clients
        .iter()
        .map(|(target, client)| (*target, folder.join(client)));
    let outputs: Vec<(Target, PathBuf)> = outputs.collect();
    generate::write((&model, &sources), (&outputs, &generate::settings()))?;
    let files: Vec<String> = files.iter().map(|file| shown(folder, file)).collect();
    output.result(
        || json!({ "files": files }),
        || {
            for file in &files {
                terminal::line(&format!("{GOOD}written{GOOD:#} {file}"));
            }
            terminal::line(&format!(
                "{FAINT}next: change the model, then `keyfold check`, `keyfold generate` and `keyfold serve`{FAINT:#}"
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

/// The files of the generated clients: the named ones, or one in the folder's language.
fn clients(arguments: &Arguments, name: &str) -> Vec<(Target, String)> {
    let named = [
        (Target::Typescript, &arguments.typescript),
        (Target::Python, &arguments.python),
        (Target::Rust, &arguments.rust),
    ];
    let named = named.into_iter().filter_map(|(target, file)| {
        let file = file.as_ref()?.to_string_lossy().replace('\\', "/");
        Some((target, file))
    });
    let named: Vec<(Target, String)> = named.collect();
    if !named.is_empty() {
        return named;
    }
    let has = |file: &str| arguments.folder.join(file).exists();
    if has("pyproject.toml") && !has("package.json") {
        return vec![(Target::Python, format!("{name}.py"))];
    }
    if has("Cargo.toml") && !has("package.json") {
        return vec![(Target::Rust, format!("src/{name}.rs"))];
    }
    vec![(Target::Typescript, format!("src/{name}.ts"))]
}

/// The text of `keyfold.toml`.
fn settings(model: &str, clients: &[(Target, String)]) -> String {
    let mut text = format!(
        "# The project: commands need no FILE and no --endpoint here.\nmodel = \"{model}\"\n\n# The connection that is used where no other is named by --connection.\nconnection = \"local\"\n\n[connections]\nlocal = \"keyfold:.keyfold/data\"\nserver = \"http://localhost:8000\"\n\n# The files that `keyfold generate` writes.\n[outputs]\n"
    );
    for (target, client) in clients {
        let client = toml_edit::Value::from(client.as_str()).to_string();
        text.push_str(&format!("{} = {}\n", target.word(), client.trim()));
    }
    text
}

fn refuse_existing(path: &Path) -> Result<(), Failure> {
    if path.exists() {
        let message = format!("{} exists already; nothing was written", path.display());
        return Err(Failure::usage(message).in_file(path));
    }
    Ok(())
}

fn shown(folder: &Path, file: &str) -> String {
    if folder == Path::new(".") {
        return file.to_owned();
    }
    folder.join(file).display().to_string()
}
