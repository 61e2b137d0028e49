//! Reads, compiles and repairs model files, and shows the findings of the compiler.

use crate::failure::Failure;
use crate::output::Output;
use crate::terminal::{self, ERROR, GOOD};
use keyfold_client::model_file;
use keyfold_model::{
    Compiled, Diagnostic, Edit, Model, Severity, SourceFile, Sources, Span, compile_sources,
};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A compiled model with its findings.
pub(crate) struct Checked {
    pub(crate) model: Model,
    /// Its texts, of which the model and the findings hold places.
    pub(crate) sources: Sources,
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
const REPAIRS_MAX: usize = 100;

/// Compiles the model of a file, and shows its errors.
pub(crate) fn load(path: &Path, output: Output) -> Result<Model, Failure> {
    load_checked(path, output, Shown::Errors).map(|checked| checked.model)
}

/// Compiles the model of a file, and shows findings.
pub(crate) fn load_checked(path: &Path, output: Output, shown: Shown) -> Result<Checked, Failure> {
    compile_checked(sources(path)?, output, shown)
}

/// The text of a file.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))
}

/// The files of a model: the named one, and those that it uses.
pub(crate) fn files(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let sources = sources(path)?;
    let files = sources.files().iter().map(|file| folder.join(file.name()));
    Ok(files.collect())
}

/// The texts of a file and of those that it uses.
fn sources(path: &Path) -> Result<Sources, Failure> {
    model_file::read(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::usage(format!("cannot read the file {}: {error}", path.display())).in_file(path)
}

/// Replaces the text of a file atomically. Its mode and owner stay, and a link stays a link.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    replace(path, text).map_err(|error| Failure::unwritten(path, &error))
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

/// Compiles the model of texts, and shows its errors.
pub(crate) fn compile(sources: Sources, output: Output) -> Result<Model, Failure> {
    compile_checked(sources, output, Shown::Errors).map(|checked| checked.model)
}

fn compile_checked(sources: Sources, output: Output, shown: Shown) -> Result<Checked, Failure> {
    let compiled = compile_sources(&sources);
    let rows: Vec<_> = compiled
        .diagnostics
        .iter()
        .map(|one| row(one, &sources))
        .collect();
    if output == Output::Text {
        show(&compiled, &sources, shown);
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
        sources,
        warnings,
        more,
        rows,
    })
}

/// The failure of a model that does not fit something outside of it, whose errors are shown.
pub(crate) fn refused(faults: &[Diagnostic], sources: &Sources, output: Output) -> Failure {
    let rows: Vec<_> = faults.iter().map(|one| row(one, sources)).collect();
    if output == Output::Text {
        for fault in faults {
            let width = terminal::known_width();
            let text = fault.render_within(sources, terminal::error_has_color(), width);
            terminal::error_line(&format!("{text}\n"));
        }
    }
    failure_of(faults, &rows, 0)
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

fn show(compiled: &Compiled, sources: &Sources, shown: Shown) {
    let diagnostics = &compiled.diagnostics;
    let errors: Vec<_> = diagnostics.iter().filter(|one| is_error(one)).collect();
    let shows_warnings = shown == Shown::ErrorsAndWarnings && errors.is_empty();
    for diagnostic in diagnostics {
        if is_error(diagnostic) || shows_warnings {
            let text = diagnostic.render_within(
                sources,
                terminal::error_has_color(),
                terminal::known_width(),
            );
            terminal::error_line(&format!("{text}\n"));
        }
    }
    let Some(first) = errors.first() else { return };
    let root = sources.files().first();
    let path = &root.map_or(String::new(), |root| sources.path_of(root));
    let more = if compiled.more > 0 {
        format!(" shown, {} more", compiled.more)
    } else {
        String::new()
    };
    terminal::error_line(&format!(
        "{path}: {}{more}{}; `keyfold explain {}` says more",
        terminal::counted(errors.len(), "error"),
        advice(path, &errors),
        first.code
    ));
}

/// The advice to repair errors, if there are repairs that a tool may make.
fn advice(path: &str, errors: &[&Diagnostic]) -> String {
    let repairs = errors.iter().filter(|one| !one.edits().is_empty()).count();
    if repairs == 0 {
        return String::new();
    }
    format!("; `keyfold check --fix {path}` repairs {repairs} of them")
}

fn is_error(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity == Severity::Error
}

/// A repair that was carried out.
pub(crate) struct Repaired {
    /// The message of the error.
    message: String,
    /// What was done.
    help: String,
    /// The file of the error, and its line, counted from 1, when it was repaired.
    file: String,
    line: usize,
    /// The files that were changed.
    changed: Vec<String>,
    /// The lines that went and those that came.
    removed: Vec<String>,
    added: Vec<String>,
}

impl Repaired {
    /// The repair for programs.
    pub(crate) fn json(&self) -> Json {
        json!({
            "message": self.message,
            "help": self.help,
            "file": self.file,
            "line": self.line,
            "changed": self.changed,
            "removed": self.removed,
            "added": self.added,
        })
    }

    fn show(&self) {
        let place = format!("{}:{}", self.file, self.line);
        terminal::line(&format!("{GOOD}repaired{GOOD:#} {place}: {}", self.message));
        terminal::line(&format!("  {}", self.help));
        if self.changed.iter().any(|changed| *changed != self.file) {
            terminal::line(&format!("  in {}", self.changed.join(", ")));
        }
        for line in &self.removed {
            terminal::line(&format!("  {ERROR}- {line}{ERROR:#}"));
        }
        for line in &self.added {
            terminal::line(&format!("  {GOOD}+ {line}{GOOD:#}"));
        }
    }
}

/// Carries out the repairs of errors, one after the other: a repair may reveal further errors. The
/// files that have one are written; lines without a repair stay as they are.
pub(crate) fn fix(path: &Path, output: Output) -> Result<Vec<Repaired>, Failure> {
    let mut sources = sources(path)?;
    let (mut done, mut left) = (Vec::new(), false);
    loop {
        let (before, known) = (sources.clone(), done.len());
        while done.len() < REPAIRS_MAX {
            let diagnostics = compile_sources(&sources).diagnostics;
            let errors: Vec<_> = diagnostics.iter().filter(|one| is_error(one)).collect();
            left = !errors.is_empty();
            let Some(one) = errors.into_iter().find(|one| !one.edits().is_empty()) else {
                break;
            };
            let edited = sources.edited(one.edits());
            done.push(repaired(one, &sources, &edited));
            sources = edited;
        }
        write_changed(&before, &sources)?;
        if done.len() == known || done.len() >= REPAIRS_MAX {
            break;
        }
        // A repaired line may use a further file.
        sources = self::sources(path)?;
    }
    if output == Output::Text {
        done.iter().for_each(Repaired::show);
        if left && done.is_empty() {
            let path = path.display();
            terminal::line(&format!(
                "{path} stays as it is: each of its errors needs a decision"
            ));
        }
    }
    Ok(done)
}

/// The files whose texts differ, each with its new text.
fn changed<'s>(
    before: &'s Sources,
    after: &'s Sources,
) -> impl Iterator<Item = (&'s SourceFile, &'s str)> {
    let files = before.files().iter().zip(after.files());
    files.filter_map(|(one, two)| {
        let text = after.text_of(two);
        (before.text_of(one) != text).then_some((two, text))
    })
}

fn write_changed(before: &Sources, after: &Sources) -> Result<(), Failure> {
    for (file, text) in changed(before, after) {
        write(Path::new(&after.path_of(file)), text)?;
    }
    Ok(())
}

/// The record of a repair that made other texts.
fn repaired(one: &Diagnostic, before: &Sources, after: &Sources) -> Repaired {
    let first = one.help.iter().find(|help| !help.edits.is_empty());
    let (removed, added) = changed_lines(before.text(), after.text());
    let place = before.place(one.place());
    Repaired {
        message: one.message.clone(),
        help: first.map_or(String::new(), |help| help.lines.join("; ")),
        file: place.path,
        line: place.line,
        changed: changed(before, after)
            .map(|(file, _)| after.path_of(file))
            .collect(),
        removed,
        added,
    }
}

/// The lines that went and those that came. A repair moves no lines.
fn changed_lines(before: &str, after: &str) -> (Vec<String>, Vec<String>) {
    (lines_only_in(before, after), lines_only_in(after, before))
}

/// The lines of a text that another has not, or less often.
fn lines_only_in(text: &str, other: &str) -> Vec<String> {
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    for line in other.lines() {
        *known.entry(line).or_default() += 1;
    }
    let is_new = |line: &&str| match known.get_mut(*line) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        Some(_) | None => true,
    };
    text.lines().filter(is_new).map(str::to_owned).collect()
}

/// The word of a severity in JSON.
fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// A finding for programs. Offsets are those of the file that stands beside them.
fn row(diagnostic: &Diagnostic, sources: &Sources) -> Json {
    let place = sources.place(diagnostic.place());
    let labels = diagnostic.labels.iter();
    let repair = diagnostic.edits().iter();
    json!({
        "code": diagnostic.code,
        "severity": severity(diagnostic.severity),
        "message": diagnostic.message,
        "file": place.path,
        "fileOwner": place.owner,
        "line": place.line,
        "column": place.column,
        "labels": labels.map(|(span, text)| piece(*span, text, sources)).collect::<Vec<_>>(),
        "notes": diagnostic.notes,
        "help": diagnostic.help_lines().collect::<Vec<_>>(),
        "repair": repair.map(|Edit { span, text }| piece(*span, text, sources)).collect::<Vec<_>>(),
    })
}

/// A place in a file with its text, for programs.
fn piece(span: Span, text: &str, sources: &Sources) -> Json {
    let file = sources.file_at(span.start);
    let from = file.map_or(0, |file| file.span().start);
    json!({
        "file": file.map(|file| sources.path_of(file)),
        "start": span.start - from,
        "end": span.end - from,
        "text": text,
    })
}
