//! `keyfold generate LANGUAGE FILE`: writes a typed client of a model, for checking in.

use crate::client_file;
use crate::cmd::difference::difference;
use crate::failure::Failure;
use crate::model_file::{self, Checked, Shown};
use crate::output::Output;
use crate::project::{ModelArgument, Project};
use crate::terminal::{self, ERROR, FAINT, GOOD};
use clap::{Args, ValueEnum};
use keyfold_codegen::generate::{Settings, Target};
use keyfold_model::{Model, Sources};
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The settings of clients. Headers name this program.
pub(crate) fn settings() -> Settings {
    Settings {
        generator: concat!("keyfold ", env!("CARGO_PKG_VERSION")).to_owned(),
        ..Settings::default()
    }
}

/// The time between two looks at a file that is watched.
const LOOK_INTERVAL: Duration = Duration::from_millis(200);

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
    /// Write the files again whenever the model changes, until interrupted.
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
    let file = arguments.model.path()?;
    let language = arguments.language.map(Language::target);
    let project = Project::find()?;
    let (exact, pydantic) = project.as_ref().map_or((false, false), |project| {
        (project.exact_numbers, project.pydantic)
    });
    let settings = Settings {
        exact_numbers: arguments.exact_numbers || exact,
        pydantic: arguments.pydantic || pydantic,
        ..settings()
    };
    let outputs = outputs(arguments, project, language)?;
    if let (Some(target), []) = (language, outputs.as_slice()) {
        if arguments.check || arguments.watch {
            return Err(Failure::usage(
                "--check and --watch need a file: name it by -o, or under [outputs] in keyfold.toml",
            ));
        }
        let Checked { model, sources, .. } = load(&file, output)?;
        return output.text(None, &target.text(&model, &sources, &settings));
    }
    if arguments.watch {
        return watch(&file, (&outputs, &settings), output);
    }
    let checked = load(&file, output)?;
    let compiled = (&checked.model, &checked.sources);
    if arguments.check {
        return check(compiled, (&outputs, &settings), output);
    }
    let generated = write(compiled, (&outputs, &settings))?;
    output.result(|| report(&generated), || show(&generated));
    Ok(())
}

/// Compiles the model of a file, and shows its errors.
fn load(file: &Path, output: Output) -> Result<Checked, Failure> {
    model_file::load_checked(file, output, Shown::Errors)
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

/// Writes a file whole, and its folder if it is absent.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
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

/// Writes the files, and again whenever the text of one of the model's files changes. A model with errors shows them and
/// leaves the files as they are.
fn watch(file: &Path, (outputs, settings): Outputs<'_>, output: Output) -> Result<(), Failure> {
    if output == Output::Json {
        return Err(Failure::usage(
            "--watch writes until it is interrupted, and --json prints one document",
        ));
    }
    let mut seen: Option<String> = None;
    loop {
        // Between a removal and a renaming by an editor the file is absent.
        let text = model_file::text(file);
        if text.is_some() && text != seen {
            let compiled = model_file::load_checked(file, output, Shown::Errors);
            let written = compiled
                .and_then(|checked| write((&checked.model, &checked.sources), (outputs, settings)));
            match written {
                Ok(written) => {
                    show(&written);
                    let file = file.display();
                    terminal::line(&format!("{FAINT}watching {file}; Ctrl-C ends{FAINT:#}"));
                }
                Err(failure) if seen.is_none() => return Err(failure),
                Err(failure) => {
                    if let Some(message) = failure.unseen_message() {
                        terminal::error_line(message);
                    }
                }
            }
            seen = text;
        } else if text.is_none() && seen.is_none() {
            return model_file::read(file).map(drop);
        }
        std::thread::sleep(LOOK_INTERVAL);
    }
}
