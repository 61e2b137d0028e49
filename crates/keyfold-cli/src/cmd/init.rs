//! `keyfold init`: starts a project: a first model, `keyfold.toml`, the generated client. A model that
//! is in the folder is used. No file is replaced.

use super::generate;
use crate::client_file;
use crate::failure::Failure;
use crate::model_file::{self, Checked, Shown};
use crate::output::Output;
use crate::project;
use crate::terminal::{self, FAINT, GOOD};
use clap::Args;
use keyfold_codegen::generate::Target;
use keyfold_model::{Model, Sources};
use serde_json::json;
use std::io::Write as _;
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
    /// The model's name, whose file NAME.keyfold is used if it is there [default: the model in the
    /// folder, or a new one with the folder's name].
    #[arg(long)]
    name: Option<String>,
    /// Generate a TypeScript client, in this file of the folder [default: src/NAME.ts; also where no
    /// language is named, unless the folder is one of Python or Rust].
    #[arg(long, value_name = "FILE")]
    typescript: Option<Option<PathBuf>>,
    /// Generate a Python client, in this file of the folder [default: NAME.py; also where no language is
    /// named, if the folder has a pyproject.toml and no package.json].
    #[arg(long, value_name = "FILE")]
    python: Option<Option<PathBuf>>,
    /// Generate a Rust client, in this file of the folder [default: src/NAME.rs; also where no language is
    /// named, if the folder has a Cargo.toml and no package.json].
    #[arg(long, value_name = "FILE")]
    rust: Option<Option<PathBuf>>,
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    let folder = &arguments.folder;
    let project_path = folder.join(project::FILE);
    if project_path.exists() {
        return Err(existing(
            &project_path,
            "`keyfold generate` writes the clients that it names",
        ));
    }
    let first = first(arguments, output)?;
    let First {
        file,
        model,
        sources,
        is_new,
    } = &first;
    let clients = clients(arguments, &model.name)?;
    for (target, client) in &clients {
        let path = folder.join(client);
        if path.exists() {
            let other = format!("name another file by --{}", target.word());
            return Err(existing(&path, &other));
        }
    }
    let outputs = clients
        .iter()
        .map(|(target, client)| (*target, folder.join(client)));
    let outputs: Vec<(Target, PathBuf)> = outputs.collect();
    let settings = generate::settings();
    generate::check_places((model, sources), (&outputs, &settings))?;
    std::fs::create_dir_all(folder).map_err(|error| Failure::unwritten(folder, &error))?;
    let mut files = Vec::new();
    if *is_new {
        create(&folder.join(file), sources.text())?;
        files.push(file.clone());
    }
    create(&project_path, &project_text(file, &clients)).inspect_err(|_| undo(folder, &files))?;
    files.push(project::FILE.to_owned());
    generate::write((model, sources), (&outputs, &settings))
        .inspect_err(|_| undo(folder, &files))?;
    files.extend(clients.into_iter().map(|(_, client)| client));
    let files: Vec<String> = files.iter().map(|file| shown(folder, file)).collect();
    let model_file = shown(folder, file);
    output.result(
        || json!({ "files": files, "model": model_file }),
        || {
            if !is_new {
                terminal::line(&format!("{GOOD}used{GOOD:#} {model_file}, which is there"));
            }
            for file in &files {
                terminal::line(&format!("{GOOD}written{GOOD:#} {file}"));
            }
            let go = match folder == Path::new(".") {
                true => String::new(),
                false => format!("`cd {}`, ", quoted(folder)),
            };
            terminal::line(&format!(
                "{FAINT}next: {go}change the model, then `keyfold check`, `keyfold generate` and `keyfold serve`{FAINT:#}"
            ));
            for (target, _) in &outputs {
                terminal::line(&format!("{FAINT}{}{FAINT:#}", runtime(*target)));
            }
        },
    );
    Ok(())
}

/// Removes the files that were made for a project of which one cannot be written.
fn undo(folder: &Path, files: &[String]) {
    for file in files {
        drop(std::fs::remove_file(folder.join(file)));
    }
}

/// The model that the project starts with.
struct First {
    /// Its file, in the folder.
    file: String,
    model: Model,
    sources: Sources,
    /// Whether the file is still to be written.
    is_new: bool,
}

/// The model that is in the folder already, or a new one.
///
/// # Errors
/// `usage` if several models are there and none is named; `model` if the one that is there has errors.
fn first(arguments: &Arguments, output: Output) -> Result<First, Failure> {
    let there = models(&arguments.folder)?;
    let named = arguments
        .name
        .as_ref()
        .map(|name| format!("{name}.keyfold"));
    let file = match (&named, there.as_slice()) {
        (Some(named), _) => arguments.folder.join(named).exists().then(|| named.clone()),
        (None, []) => None,
        (None, [only]) => Some(only.clone()),
        (None, several) => {
            return Err(Failure::usage(format!(
                "which model? {} has {}; name one by --name, as in `keyfold init --name {}`",
                arguments.folder.display(),
                several.join(", "),
                several
                    .first()
                    .map_or("", |one| one.trim_end_matches(".keyfold"))
            ))
            .in_folder(&arguments.folder));
        }
    };
    if let Some(file) = file {
        let path = match arguments.folder == Path::new(".") {
            true => PathBuf::from(&file),
            false => arguments.folder.join(&file),
        };
        let Checked { model, sources, .. } =
            model_file::load_checked(&path, output, Shown::Errors)?;
        return Ok(First {
            file,
            model,
            sources,
            is_new: false,
        });
    }
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
    let file = format!("{name}.keyfold");
    Ok(First {
        file,
        model,
        sources,
        is_new: true,
    })
}

/// The models in a folder, by name: files that start with `model`, and so are no parts of others.
fn models(folder: &Path) -> Result<Vec<String>, Failure> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| {
            let message = format!("cannot read the folder {}: {error}", folder.display());
            Failure::usage(message).in_folder(folder)
        })?;
        let path = entry.path();
        let is_model = path.extension().is_some_and(|end| end == "keyfold") && path.is_file();
        let Some(file) = path.file_name().filter(|_| is_model) else {
            continue;
        };
        let text = model_file::read(&path)?;
        let mut lines = text.lines().map(str::trim);
        let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
        if first.is_some_and(|line| line.split_whitespace().next() == Some("model")) {
            found.push(file.to_string_lossy().into_owned());
        }
    }
    found.sort();
    Ok(found)
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
fn clients(arguments: &Arguments, name: &str) -> Result<Vec<(Target, String)>, Failure> {
    let usual = |target: Target| match target {
        Target::Typescript => format!("src/{name}.ts"),
        Target::Python => format!("{name}.py"),
        Target::Rust => format!("src/{name}.rs"),
    };
    let asked = [
        (Target::Typescript, &arguments.typescript),
        (Target::Python, &arguments.python),
        (Target::Rust, &arguments.rust),
    ];
    let mut named = Vec::new();
    for (target, file) in asked {
        let Some(file) = file else { continue };
        let Some(file) = file else {
            named.push((target, usual(target)));
            continue;
        };
        client_file::check(target, file).map_err(|reason| {
            Failure::usage(reason).of_argument(&format!("--{}", target.word()))
        })?;
        named.push((target, file.to_string_lossy().replace('\\', "/")));
    }
    if !named.is_empty() {
        return Ok(named);
    }
    let has = |file: &str| arguments.folder.join(file).exists();
    let target = match (
        has("package.json"),
        has("pyproject.toml"),
        has("Cargo.toml"),
    ) {
        (false, true, _) => Target::Python,
        (false, false, true) => Target::Rust,
        (true, ..) | (false, false, false) => Target::Typescript,
    };
    Ok(vec![(target, usual(target))])
}

/// How the package that a client needs is installed, while none is published.
fn runtime(target: Target) -> &'static str {
    match target {
        Target::Typescript => {
            "runtime: in the repository of Keyfold, `npm ci && npm run build` in clients/typescript; here, `npm install REPOSITORY/clients/typescript`"
        }
        Target::Python => {
            "runtime: `pip install \"REPOSITORY/clients/python\"`, or `\"REPOSITORY/clients/python[async]\"` for asyncio, where REPOSITORY is a clone of Keyfold's"
        }
        Target::Rust => {
            "runtime: `cargo add keyfold --path REPOSITORY/crates/keyfold`, where REPOSITORY is a clone of Keyfold's"
        }
    }
}

/// A folder as a shell takes it.
fn quoted(folder: &Path) -> String {
    let folder = folder.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-:\\".contains(c);
    match folder.chars().all(is_plain) {
        true => folder,
        false => format!("\"{folder}\""),
    }
}

/// The text of `keyfold.toml`.
fn project_text(model: &str, clients: &[(Target, String)]) -> String {
    let model = toml_edit::Value::from(model).to_string();
    let model = model.trim();
    let mut text = format!(
        "# The project: commands need no FILE and no --endpoint here.\nmodel = {model}\n\n# The connection that is used where no other is named by --connection.\nconnection = \"local\"\n\n[connections]\nlocal = \"keyfold:.keyfold/data\"\nserver = \"http://localhost:8000\"\n\n# The files that `keyfold generate` writes.\n[outputs]\n"
    );
    for (target, client) in clients {
        let client = toml_edit::Value::from(client.as_str()).to_string();
        text.push_str(&format!("{} = {}\n", target.word(), client.trim()));
    }
    text
}

/// The failure of a file that is not replaced, with what to do instead.
fn existing(path: &Path, instead: &str) -> Failure {
    let message = format!(
        "{} exists already, and nothing was written; {instead}",
        path.display()
    );
    Failure::usage(message).in_file(path)
}

/// Writes a file that is not there yet.
fn create(path: &Path, text: &str) -> Result<(), Failure> {
    let created = std::fs::File::create_new(path);
    let written = created.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| Failure::unwritten(path, &error))
}

fn shown(folder: &Path, file: &str) -> String {
    if folder == Path::new(".") {
        return file.to_owned();
    }
    folder.join(file).display().to_string()
}
