//! Reads and compiles a model file, showing what is wrong with it.

use crate::failure::Failure;
use crate::terminal;
use keyfold_model::{Diagnostic, Model, Severity};
use serde_json::json;
use std::path::Path;

/// The model of a file.
///
/// Errors and warnings are shown; with `--json` on standard output, as one object.
pub(crate) fn load(path: &Path, json: bool) -> Result<Model, Failure> {
    let source = read(path)?;
    compile(&source, &path.display().to_string(), json)
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path)
        .map_err(|error| Failure::Usage(format!("cannot read the model {}: {error}", path.display())))
}

/// The model of a text.
pub(crate) fn compile(source: &str, path: &str, json: bool) -> Result<Model, Failure> {
    let compiled = keyfold_model::compile(source);
    if json {
        if compiled.has_errors() {
            let rows: Vec<_> = compiled.diagnostics.iter().map(|one| row(one, source, path)).collect();
            terminal::line(&json!({ "ok": false, "diagnostics": rows }).to_string());
        }
    } else {
        for diagnostic in &compiled.diagnostics {
            terminal::error_line(&format!(
                "{}\n",
                diagnostic.render(source, path, terminal::error_has_color())
            ));
        }
        let errors = compiled.diagnostics.iter().filter(|one| one.severity == Severity::Error).count();
        if errors > 0 {
            terminal::error_line(&format!("{path}: {}", terminal::counted(errors, "error")));
        }
    }
    compiled.model.ok_or(Failure::Model)
}

fn row(diagnostic: &Diagnostic, source: &str, path: &str) -> serde_json::Value {
    let (line, column) = diagnostic.line_and_column(source);
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    json!({
        "code": diagnostic.code,
        "severity": severity,
        "message": diagnostic.message,
        "file": path,
        "line": line,
        "column": column,
        "labels": diagnostic.labels.iter().map(|(span, text)| json!({ "start": span.start, "end": span.end, "text": text })).collect::<Vec<_>>(),
        "notes": diagnostic.notes,
        "help": diagnostic.help,
    })
}
