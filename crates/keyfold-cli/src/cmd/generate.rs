//! `keyfold generate LANGUAGE FILE`: writes a typed client of a model, for checking in.

use crate::client_file;
use crate::cmd::difference::difference;
use crate::cmd::watch;
use crate::failure::Failure;
use crate::model_file::{self, Shown};
use crate::output::Output;
use crate::project::{ModelArgument, Project};
use crate::terminal::{self, ERROR, GOOD};
use clap::{Args, ValueEnum};
use keyfold_codegen::generate::{Settings, Target};
use keyfold_model::{Model, Sources};
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};

/// The settings of clients. Headers name this program.
pub(crate) fn settings() -> Settings {
    Settings {
        generator: concat!("keyfold ", env!("CARGO_PKG_VERSION")).to_owned(),
        ..Settings::default()
    }
}

#[derive(Args)]
pub(crate) struct Arguments {
    /// The language of the client [default: each output of keyfold.toml].
    #[arg(value_enum)]
    language: Option<Language>,
    #[command(flatten)]
    model: ModelArgument,
    /// The file to write, or the folder in which it gets the model's name [default: the output of
    /// keyfold.toml, or standard output].
    #[arg(long, short, value_name = "PATH", requires = "language")]
    output: Option<PathBuf>,
    /// Types for numbers of 38 digits: `bigint` and decimal text in TypeScript, `i128` in Rust [default:
    /// the `numbers` of keyfold.toml].
    #[arg(long)]
    exact_numbers: bool,
    /// Dataclasses of pydantic in Python, which check the types of their attributes [default: the
    /// `classes` of keyfold.toml].
    #[arg(long)]
    pydantic: bool,
    /// Change nothing; fail with the difference if a file would change.
    #[arg(long)]
    check: bool,
    /// Write the files again whenever the model or keyfold.toml changes, until interrupted.
    #[arg(long, conflicts_with = "check")]
    watch: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Language {
    Typescript,
    Python,
    Rust,
}

impl Language {
    fn target(self) -> Target {
        match self {
            Language::Typescript => Target::Typescript,
            Language::Python => Target::Python,
            Language::Rust => Target::Rust,
        }
    }
}

/// Where each client is written, and how.
type Outputs<'o> = (&'o [(Target, PathBuf)], &'o Settings);

/// A model, and the texts that it was compiled from.
type Compiled<'c> = (&'c Model, &'c Sources);

/// A generated file.
struct Generated {
    target: Target,
    path: PathBuf,
    /// The difference from the file that is there; `None` where there is none.
    difference: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    if !arguments.watch {
        return once(arguments, output);
    }
    if output == Output::Json {
        return Err(Failure::usage(
            "--watch writes until it is interrupted, and --json prints one document",
        ));
    }
    // What is wrong with the command itself ends it.
    let project = Project::find()?;
    let mut known = vec![arguments.model.path()?];
    known.extend(project.as_ref().map(|project| project.path.clone()));
    asked(arguments, project)?;
    let files = || {
        let mut files = model_file::files(&arguments.model.path()?)?;
        files.extend(Project::find()?.map(|project| project.path));
        Ok(files)
    };
    watch::follow(known, files, output, || once(arguments, output))
}

/// Writes the clients, or shows what they would be.
fn once(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    let file = arguments.model.path()?;
    let (outputs, settings) = asked(arguments, Project::find()?)?;
    let checked = model_file::load_checked(&file, output, Shown::Errors)?;
    let (model, sources) = (&checked.model, &checked.sources);
    if let (Some(language), []) = (arguments.language, outputs.as_slice()) {
        let text = language.target().text(model, sources, &settings);
        return output.text(None, &text);
    }
    if arguments.check {
        return check((model, sources), (&outputs, &settings), output);
    }
    let generated = write((model, sources), (&outputs, &settings))?;
    output.result(|| report(&generated), || show(&generated));
    Ok(())
}

/// Where each client is written, and how: what the command says, and else the project. No place is standard
/// output.
fn asked(
    arguments: &Arguments,
    project: Option<Project>,
) -> Result<(Vec<(Target, PathBuf)>, Settings), Failure> {
    let (exact, pydantic) = project.as_ref().map_or((false, false), |project| {
        (project.exact_numbers, project.pydantic)
    });
    let settings = Settings {
        exact_numbers: arguments.exact_numbers || exact,
        pydantic: arguments.pydantic || pydantic,
        ..settings()
    };
    let outputs = outputs(arguments, project, arguments.language.map(Language::target))?;
    if outputs.is_empty() && (arguments.check || arguments.watch) {
        return Err(Failure::usage(
            "--check and --watch need a file: name it by -o, or under [outputs] in keyfold.toml",
        ));
    }
    Ok((outputs, settings))
}

/// Where each client is written: the named place, or those of the project. None for standard output.
fn outputs(
    arguments: &Arguments,
    project: Option<Project>,
    language: Option<Target>,
) -> Result<Vec<(Target, PathBuf)>, Failure> {
    if let (Some(target), Some(path)) = (language, &arguments.output) {
        client_file::check(target, path)
            .map_err(|reason| Failure::usage(reason).of_argument("--output"))?;
        return Ok(vec![(target, path.clone())]);
    }
    let mut outputs = project.map_or(Vec::new(), |project| project.outputs);
    outputs.retain(|(target, _)| language.is_none_or(|language| language == *target));
    if language.is_none() && outputs.is_empty() {
        let known: Vec<&str> = Target::ALL.into_iter().map(Target::word).collect();
        return Err(Failure::usage(format!(
            "which language? Name one ({}), or a file of it under [outputs] in keyfold.toml",
            known.join(", ")
        )));
    }
    Ok(outputs)
}

/// The files with the differences that they would get.
fn generated(
    (model, sources): Compiled<'_>,
    (outputs, settings): Outputs<'_>,
) -> Result<Vec<(Generated, String)>, Failure> {
    let one = |(target, path): &(Target, PathBuf)| {
        let path = client_file::of(model, *target, path);
        let text = target.text(model, sources, settings);
        let held = match std::fs::read_to_string(&path) {
            Ok(held) => held,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => {
                let message = format!("cannot read {}: {error}", path.display());
                return Err(Failure::usage(message).in_file(&path));
            }
        };
        // A version control may have written the ends of its lines as Windows does.
        let held = held.replace("\r\n", "\n");
        refuse_written_by_hand(&path, &held)?;
        let difference = (held != text).then(|| difference(&path, &held, &text));
        let target = *target;
        Ok((
            Generated {
                target,
                path,
                difference,
            },
            text,
        ))
    };
    outputs.iter().map(one).collect()
}

/// Refuses a file that is somebody's own: one without the sentence in the head of generated files.
fn refuse_written_by_hand(path: &Path, held: &str) -> Result<(), Failure> {
    if held.trim().is_empty() || keyfold_codegen::generate::is_generated(held) {
        return Ok(());
    }
    let message = format!(
        "{} is not a generated client, and is not overwritten: no line of its head says \"{}\"; write to another file (-o, or [outputs] in keyfold.toml), or delete this one",
        path.display(),
        keyfold_codegen::generate::OVERWRITTEN,
    );
    Err(Failure::usage(message).in_file(path))
}

/// Refuses outputs of which one cannot be read or is somebody's own. Nothing is written.
pub(crate) fn check_places(compiled: Compiled<'_>, outputs: Outputs<'_>) -> Result<(), Failure> {
    generated(compiled, outputs).map(drop)
}

/// Writes the files that differ.
pub(crate) fn write(
    compiled: Compiled<'_>,
    (outputs, settings): Outputs<'_>,
) -> Result<Vec<Written>, Failure> {
    let mut written = Vec::new();
    for (file, text) in generated(compiled, (outputs, settings))? {
        let Generated {
            target,
            path,
            difference,
        } = file;
        if difference.is_some() {
            replace(&path, &text).map_err(|error| Failure::unwritten(&path, &error))?;
        }
        written.push(Written {
            target,
            path,
            is_changed: difference.is_some(),
        });
    }
    Ok(written)
}

/// A file that was written, or was as it should be.
pub(crate) struct Written {
    target: Target,
    pub(crate) path: PathBuf,
    is_changed: bool,
}

/// Writes a file whole, and its folder if it is absent. Of a link, the file that it leads to is
/// written, if that is there.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let file = path.is_symlink().then(|| std::fs::canonicalize(path).ok());
    let file = file.flatten();
    let path = file.as_deref().unwrap_or(path);
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        std::fs::create_dir_all(folder)?;
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!(".{name}.{}", std::process::id()));
    let written = std::fs::write(&temporary, text).and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        drop(std::fs::remove_file(&temporary));
    }
    written
}

fn report(written: &[Written]) -> Json {
    let file = |one: &Written| {
        json!({
            "language": one.target.word(),
            "file": one.path.display().to_string(),
            "changed": one.is_changed,
        })
    };
    json!({ "files": written.iter().map(file).collect::<Vec<_>>() })
}

fn show(written: &[Written]) {
    for Written {
        target: _,
        path,
        is_changed,
    } in written
    {
        let word = if *is_changed { "written" } else { "unchanged" };
        terminal::line(&format!("{GOOD}{word}{GOOD:#} {}", path.display()));
    }
}

/// Refuses files that differ from what would be written.
fn check(
    compiled: Compiled<'_>,
    (outputs, settings): Outputs<'_>,
    output: Output,
) -> Result<(), Failure> {
    let files: Vec<Generated> = generated(compiled, (outputs, settings))?
        .into_iter()
        .map(|(file, _)| file)
        .collect();
    let file = |one: &Generated| {
        json!({
            "language": one.target.word(),
            "file": one.path.display().to_string(),
            "changed": one.difference.is_some(),
            "difference": one.difference,
        })
    };
    let document = json!({ "files": files.iter().map(file).collect::<Vec<_>>() });
    let differing = files.iter().filter(|one| one.difference.is_some()).count();
    let verdict = if differing == 0 {
        Ok(())
    } else {
        let count = terminal::counted(differing, "file");
        Err(Failure::refused(format!(
            "{count} not as the model says; run `keyfold generate` and check in what it writes"
        )))
    };
    let show = || {
        for one in &files {
            match &one.difference {
                None => terminal::line(&format!("{GOOD}unchanged{GOOD:#} {}", one.path.display())),
                Some(difference) => {
                    terminal::line(&format!("{ERROR}differs{ERROR:#} {}", one.path.display()));
                    terminal::line(difference.trim_end());
                }
            }
        }
    };
    output.report(document, show, verdict)
}
