//! Reads and compiles a model file, showing what is wrong with it.

use crate::failure::Failure;
use crate::terminal::{self, GOOD};
use keyfold_model::diagnostic::apply;
use keyfold_model::{Compiled, Diagnostic, Model, Severity};
use serde_json::{Value as Json, json};
use std::io::Write as _;
use std::path::Path;

/// A compiled model and what the compiler warned of.
pub(crate) struct Checked {
    pub(crate) model: Model,
    pub(crate) warnings: usize,
    /// How many more findings there are than are shown.
    pub(crate) more: usize,
    /// The findings for programs.
    pub(crate) rows: Vec<Json>,
}

/// How often repairs are carried out: one may bring another to light.
const REPAIRS_MAX: usize = 20;
/// Of how many errors it is tried whether their repair helps: each takes a compilation.
const TRIED_MAX: usize = 20;

/// The model of a file. Errors are shown; warnings belong to `check`.
pub(crate) fn load(path: &Path, json: bool) -> Result<Model, Failure> {
    let source = read(path)?;
    compile(&source, &path.display().to_string(), json)
}

/// The model of a file, with errors and warnings shown.
pub(crate) fn load_with_warnings(path: &Path, json: bool) -> Result<Checked, Failure> {
    let source = read(path)?;
    compile_with(&source, &path.display().to_string(), json, true)
}

/// The text of a file.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| {
        Failure::usage(format!("cannot read the file {}: {error}", path.display())).in_file(path)
    })
}

/// Writes a file as a whole, or not at all. Who may read it stays, and a link stays a link.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    replace(path, text).map_err(|error| {
        Failure::usage(format!("cannot write {}: {error}", path.display())).in_file(path)
    })
}

fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let target = std::fs::canonicalize(path)?;
    let name = target
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let beside = target.with_file_name(format!(".{name}.{}", std::process::id()));
    let written =
        write_like(&target, &beside, text).and_then(|()| std::fs::rename(&beside, &target));
    if written.is_err() {
        drop(std::fs::remove_file(&beside));
    }
    written
}

/// Writes a new file with the mode and the owner of another.
fn write_like(other: &Path, path: &Path, text: &str) -> std::io::Result<()> {
    let about = std::fs::metadata(other)?;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.set_permissions(about.permissions())?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let own = file.metadata()?;
        if (own.uid(), own.gid()) != (about.uid(), about.gid()) {
            fchown(&file, Some(about.uid()), Some(about.gid()))?;
        }
    }
    file.sync_all()
}

/// The model of a text.
pub(crate) fn compile(source: &str, path: &str, json: bool) -> Result<Model, Failure> {
    compile_with(source, path, json, false).map(|compiled| compiled.model)
}

fn compile_with(
    source: &str,
    path: &str,
    json: bool,
    with_warnings: bool,
) -> Result<Checked, Failure> {
    let compiled = keyfold_model::compile(source);
    let rows: Vec<_> = compiled
        .diagnostics
        .iter()
        .map(|one| row(one, source, path))
        .collect();
    if !json {
        show(&compiled, source, path, with_warnings);
    }
    let count = |severity| {
        compiled
            .diagnostics
            .iter()
            .filter(|one| one.severity == severity)
            .count()
    };
    let warnings = count(Severity::Warning);
    let Some(model) = compiled.model else {
        return Err(wrong(&compiled.diagnostics, &rows, compiled.more));
    };
    Ok(Checked {
        model,
        warnings,
        more: compiled.more,
        rows,
    })
}

/// The failure of a model with errors: its place is that of the first.
fn wrong(diagnostics: &[Diagnostic], rows: &[Json], more: usize) -> Failure {
    let errors: Vec<usize> = (0..)
        .zip(diagnostics)
        .filter(|(_, one)| one.severity == Severity::Error)
        .map(|(at, _)| at)
        .collect();
    let first = errors.first().copied().unwrap_or_default();
    let message = diagnostics
        .get(first)
        .map_or("", |one| one.message.as_str());
    let message = match errors.len() + more {
        0 | 1 => message.to_owned(),
        several => format!("{several} findings, the first: {message}"),
    };
    let place = rows.get(first).map_or(
        Json::Null,
        |row| json!({ "file": row["file"], "line": row["line"], "column": row["column"] }),
    );
    Failure::model(message, place, json!(rows), more)
}

fn show(compiled: &Compiled, source: &str, path: &str, with_warnings: bool) {
    let diagnostics = &compiled.diagnostics;
    let errors: Vec<_> = diagnostics
        .iter()
        .filter(|one| one.severity == Severity::Error)
        .collect();
    for diagnostic in diagnostics {
        if diagnostic.severity == Severity::Error || (with_warnings && errors.is_empty()) {
            let text = diagnostic.render(source, path, terminal::error_has_color());
            terminal::error_line(&format!("{text}\n"));
        }
    }
    let Some(first) = errors.first() else { return };
    let rank = rank(source);
    let repairable: Vec<_> = errors.iter().filter(|one| !one.repair.is_empty()).collect();
    let tried = repairable.iter().take(TRIED_MAX);
    let repairs = tried
        .filter(|one| repaired(source, rank, one).is_some())
        .count();
    let fix = match repairs {
        0 => String::new(),
        _ if repairable.len() > TRIED_MAX => {
            format!("; `keyfold check --fix {path}` repairs {repairs} of them and perhaps more")
        }
        _ => format!("; `keyfold check --fix {path}` repairs {repairs} of them"),
    };
    let more = if compiled.more > 0 {
        format!(" shown, {} more", compiled.more)
    } else {
        String::new()
    };
    terminal::error_line(&format!(
        "{path}: {}{more}{fix}; `keyfold explain {}` says more",
        terminal::counted(errors.len(), "error"),
        first.code
    ));
}

/// Carries out the repairs of errors, one after the other, and writes the file, formatted, if that
/// helped. Gives the messages of the errors that were repaired.
pub(crate) fn fix(path: &Path, json: bool) -> Result<Vec<String>, Failure> {
    let original = read(path)?;
    let mut source = original.clone();
    let mut done = Vec::new();
    while done.len() < REPAIRS_MAX {
        let diagnostics = keyfold_model::compile(&source).diagnostics;
        let rank = rank(&source);
        let helps = |one| repaired(&source, rank, one);
        let repairable = diagnostics
            .iter()
            .filter(|one| !one.repair.is_empty() && !is_in_broken_line(one, &diagnostics, &source));
        let Some((message, text)) = repairable.take(TRIED_MAX).find_map(helps) else {
            break;
        };
        done.push(message);
        source = text;
    }
    if source != original {
        write(path, &keyfold_model::format(&source))?;
    }
    if !json {
        for message in &done {
            terminal::line(&format!("{GOOD}repaired{GOOD:#} {message}"));
        }
    }
    Ok(done)
}

/// Whether a repair would change a line that the parser does not understand: what it means is not
/// known.
fn is_in_broken_line(one: &Diagnostic, all: &[Diagnostic], source: &str) -> bool {
    let line_of = |at: usize| source.get(..at).unwrap_or(source).matches('\n').count();
    let broken = |other: &&Diagnostic| other.code == "KF001" && other.repair != one.repair;
    let lines: Vec<usize> = all
        .iter()
        .filter(broken)
        .map(|other| line_of(other.place()))
        .collect();
    one.repair
        .iter()
        .any(|edit| lines.contains(&line_of(edit.span.start)))
}

/// How bad a text is: names without meaning, which hide other errors, then errors. What is not told
/// counts as both.
fn rank(text: &str) -> (usize, usize) {
    let compiled = keyfold_model::compile(text);
    let errors = compiled
        .diagnostics
        .iter()
        .filter(|one| one.severity == Severity::Error);
    let hides = |one: &&Diagnostic| one.code < "KF010" || matches!(one.code, "KF016" | "KF018");
    (
        errors.clone().filter(hides).count() + compiled.more,
        errors.count() + compiled.more,
    )
}

/// The text with an error repaired, if that makes it better. `rank` is that of the text as it is.
fn repaired(
    source: &str,
    rank_before: (usize, usize),
    diagnostic: &Diagnostic,
) -> Option<(String, String)> {
    if diagnostic.severity != Severity::Error || diagnostic.repair.is_empty() {
        return None;
    }
    let text = apply(source, &diagnostic.repair);
    (rank(&text) < rank_before).then(|| (diagnostic.message.clone(), text))
}

/// A severity's word.
fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn row(diagnostic: &Diagnostic, source: &str, path: &str) -> Json {
    let (line, column) = diagnostic.line_and_column(source);
    json!({
        "code": diagnostic.code,
        "severity": severity(diagnostic.severity),
        "message": diagnostic.message,
        "file": path,
        "line": line,
        "column": column,
        "labels": diagnostic.labels.iter().map(|(span, text)| json!({ "start": span.start, "end": span.end, "text": text })).collect::<Vec<_>>(),
        "notes": diagnostic.notes,
        "help": diagnostic.help,
        "repair": diagnostic.repair.iter().map(|edit| json!({ "start": edit.span.start, "end": edit.span.end, "text": edit.text })).collect::<Vec<_>>(),
    })
}
