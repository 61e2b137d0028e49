//! Reads, compiles and repairs model files, and shows the findings of the compiler.

use crate::failure::Failure;
use crate::output::Output;
use crate::terminal::{self, GOOD};
use keyfold_model::diagnostic::apply;
use keyfold_model::{Compiled, Diagnostic, Model, Severity};
use serde_json::{Value as Json, json};
use std::io::Write as _;
use std::path::Path;

/// A compiled model with its findings.
pub(crate) struct Checked {
    pub(crate) model: Model,
    pub(crate) warnings: Vec<Diagnostic>,
    /// The number of findings beyond those that the compiler lists.
    pub(crate) more: usize,
    /// The findings for programs.
    pub(crate) rows: Vec<Json>,
}

/// The findings that people see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    Errors,
    ErrorsAndWarnings,
}

/// The most repairs of one command. A repair may reveal further errors.
const REPAIRS_MAX: usize = 20;
/// The most repairs that are tried: each takes a compilation.
const TRIED_MAX: usize = 20;

/// Compiles the model of a file, and shows its errors.
pub(crate) fn load(path: &Path, output: Output) -> Result<Model, Failure> {
    load_checked(path, output, Shown::Errors).map(|checked| checked.model)
}

/// Compiles the model of a file, and shows findings.
pub(crate) fn load_checked(path: &Path, output: Output, shown: Shown) -> Result<Checked, Failure> {
    let source = read(path)?;
    compile_checked(&source, &path.display().to_string(), output, shown)
}

/// The text of a file.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| {
        Failure::usage(format!("cannot read the file {}: {error}", path.display())).in_file(path)
    })
}

/// Replaces the text of a file atomically. Its mode and owner stay, and a link stays a link.
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
    let temporary = target.with_file_name(format!(".{name}.{}", std::process::id()));
    let written =
        write_like(&target, &temporary, text).and_then(|()| std::fs::rename(&temporary, &target));
    if written.is_err() {
        drop(std::fs::remove_file(&temporary));
    }
    written
}

/// Writes a new file with the mode and the owner of `other`.
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

/// Compiles the model of a text, and shows its errors.
pub(crate) fn compile(source: &str, path: &str, output: Output) -> Result<Model, Failure> {
    compile_checked(source, path, output, Shown::Errors).map(|checked| checked.model)
}

fn compile_checked(
    source: &str,
    path: &str,
    output: Output,
    shown: Shown,
) -> Result<Checked, Failure> {
    let compiled = keyfold_model::compile(source);
    let rows: Vec<_> = compiled
        .diagnostics
        .iter()
        .map(|one| row(one, source, path))
        .collect();
    if output == Output::Text {
        show(&compiled, source, path, shown);
    }
    let Compiled {
        model,
        diagnostics,
        more,
        ..
    } = compiled;
    let Some(model) = model else {
        return Err(failure_of(&diagnostics, &rows, more));
    };
    let warnings = diagnostics
        .into_iter()
        .filter(|one| one.severity == Severity::Warning)
        .collect();
    Ok(Checked {
        model,
        warnings,
        more,
        rows,
    })
}

/// The failure of a model with errors. Its place is that of the first error.
fn failure_of(diagnostics: &[Diagnostic], rows: &[Json], more: usize) -> Failure {
    let errors: Vec<usize> = (0..)
        .zip(diagnostics)
        .filter(|(_, one)| is_error(one))
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

fn show(compiled: &Compiled, source: &str, path: &str, shown: Shown) {
    let diagnostics = &compiled.diagnostics;
    let errors: Vec<_> = diagnostics.iter().filter(|one| is_error(one)).collect();
    let shows_warnings = shown == Shown::ErrorsAndWarnings && errors.is_empty();
    for diagnostic in diagnostics {
        if is_error(diagnostic) || shows_warnings {
            let text = diagnostic.render(source, path, terminal::error_has_color());
            terminal::error_line(&format!("{text}\n"));
        }
    }
    let Some(first) = errors.first() else { return };
    let more = if compiled.more > 0 {
        format!(" shown, {} more", compiled.more)
    } else {
        String::new()
    };
    terminal::error_line(&format!(
        "{path}: {}{more}{}; `keyfold explain {}` says more",
        terminal::counted(errors.len(), "error"),
        advice(source, path, &errors),
        first.code
    ));
}

/// The advice to repair errors, if a repair helps.
fn advice(source: &str, path: &str, errors: &[&Diagnostic]) -> String {
    let rank = rank(source);
    let repairable: Vec<_> = errors.iter().filter(|one| !one.repair.is_empty()).collect();
    let tried = repairable.iter().take(TRIED_MAX);
    let repairs = tried
        .filter(|one| repaired(source, rank, one).is_some())
        .count();
    if repairs == 0 {
        return String::new();
    }
    let perhaps_more = if repairable.len() > TRIED_MAX {
        " and perhaps more"
    } else {
        ""
    };
    format!("; `keyfold check --fix {path}` repairs {repairs} of them{perhaps_more}")
}

fn is_error(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity == Severity::Error
}

/// Applies the repairs of errors, one after the other, and writes the file, formatted, if one
/// helped. Returns the messages of the repaired errors.
pub(crate) fn fix(path: &Path, output: Output) -> Result<Vec<String>, Failure> {
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
    if output == Output::Text {
        for message in &done {
            terminal::line(&format!("{GOOD}repaired{GOOD:#} {message}"));
        }
    }
    Ok(done)
}

/// Whether a repair would change a line that the parser cannot read, whose meaning is unknown.
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

/// The errors of a text: first those of unknown names, which hide other errors, then all. Findings
/// beyond the listed ones count as both.
fn rank(text: &str) -> (usize, usize) {
    let compiled = keyfold_model::compile(text);
    let errors = compiled.diagnostics.iter().filter(|one| is_error(one));
    let hides = |one: &&Diagnostic| one.code < "KF010" || matches!(one.code, "KF016" | "KF018");
    (
        errors.clone().filter(hides).count() + compiled.more,
        errors.count() + compiled.more,
    )
}

/// The message of an error and the text with its repair, if the repair lowers the rank.
fn repaired(
    source: &str,
    rank_before: (usize, usize),
    diagnostic: &Diagnostic,
) -> Option<(String, String)> {
    if !is_error(diagnostic) || diagnostic.repair.is_empty() {
        return None;
    }
    let text = apply(source, &diagnostic.repair);
    (rank(&text) < rank_before).then(|| (diagnostic.message.clone(), text))
}

/// The word of a severity in JSON.
fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// A finding for programs.
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
