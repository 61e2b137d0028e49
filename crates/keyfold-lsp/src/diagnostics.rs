//! The findings of the compiler as the protocol has them: the same as those of `keyfold check`.

use crate::model::Edited;
use crate::text::Encoding;
use crate::workspace::Workspace;
use gen_lsp_types::{
    Code, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, Message,
    PublishDiagnosticsParams, Range, Uri,
};
use keyfold_model::{Diagnostic as Finding, Severity};
use std::collections::BTreeMap;

/// Who says it, beside the finding.
pub(crate) const SOURCE: &str = "keyfold";

/// The findings of all files of the models of the documents, by path. A file without findings has an
/// empty list.
pub(crate) fn all(
    workspace: &mut Workspace,
    encoding: Encoding,
) -> BTreeMap<String, Vec<Diagnostic>> {
    let firsts = workspace.firsts();
    workspace.retain(&firsts);
    let mut found: BTreeMap<String, Vec<Diagnostic>> = BTreeMap::new();
    for first in firsts {
        let model = workspace.model(&first);
        let mut own = of_model(model, encoding);
        for path in model.paths() {
            let all = found.entry(path.clone()).or_default();
            for (one, places) in own.remove(&path).unwrap_or_default() {
                let one = with_places(one, &places, workspace);
                // A file may belong to several models.
                if !all.contains(&one) {
                    all.push(one);
                }
            }
        }
    }
    found
}

/// A place in a file, with a remark.
type Place = (String, Range, String);

/// The findings of a model by file, each with its further places.
fn of_model(
    model: &mut Edited,
    encoding: Encoding,
) -> BTreeMap<String, Vec<(Diagnostic, Vec<Place>)>> {
    let findings = model.findings();
    let (diagnostics, more) = (findings.diagnostics.clone(), findings.more);
    let mut found: BTreeMap<String, Vec<(Diagnostic, Vec<Place>)>> = BTreeMap::new();
    for finding in &diagnostics {
        let Some((path, one, places)) = diagnostic(finding, model, encoding) else {
            continue;
        };
        found.entry(path).or_default().push((one, places));
    }
    if more > 0
        && let Some(path) = model.paths().first()
    {
        let message = format!("{more} more findings are not shown");
        let one = Diagnostic {
            severity: Some(DiagnosticSeverity::Information),
            ..plain(Range::default(), message)
        };
        found
            .entry(path.clone())
            .or_default()
            .push((one, Vec::new()));
    }
    found
}

/// A finding with its file and its further places.
pub(crate) fn diagnostic(
    finding: &Finding,
    model: &Edited,
    encoding: Encoding,
) -> Option<(String, Diagnostic, Vec<Place>)> {
    let first = finding.labels.first();
    let (span, label) = first.map_or((keyfold_model::Span::default(), ""), |(span, label)| {
        (*span, label.as_str())
    });
    let (path, range) = model.range(span, encoding)?;
    let places = finding.labels.iter().skip(1).filter_map(|(span, text)| {
        let (path, range) = model.range(*span, encoding)?;
        Some((path, range, text.clone()))
    });
    let severity = match finding.severity {
        Severity::Error => DiagnosticSeverity::Error,
        Severity::Warning => DiagnosticSeverity::Warning,
    };
    let one = Diagnostic {
        severity: Some(severity),
        code: Some(Code::String(finding.code.to_owned())),
        ..plain(range, message(finding, label))
    };
    Some((path, one, places.collect()))
}

/// A message at a place.
fn plain(range: Range, message: String) -> Diagnostic {
    Diagnostic {
        range,
        severity: None,
        code: None,
        code_description: None,
        source: Some(SOURCE.to_owned()),
        message: Message::String(message),
        tags: None,
        related_information: None,
        data: None,
    }
}

/// A finding with its further places.
pub(crate) fn with_places(one: Diagnostic, places: &[Place], workspace: &Workspace) -> Diagnostic {
    let related = places.iter().map(|(path, range, text)| {
        let uri = Uri::from(workspace.uri(path));
        DiagnosticRelatedInformation {
            location: Location { uri, range: *range },
            message: text.clone(),
        }
    });
    let related: Vec<_> = related.collect();
    Diagnostic {
        related_information: (!related.is_empty()).then_some(related),
        ..one
    }
}

/// The text of a finding: its message, the remark at its place, reasons and help, a line each.
fn message(finding: &Finding, label: &str) -> String {
    let mut lines = vec![finding.message.clone()];
    if !label.is_empty() {
        lines.push(label.to_owned());
    }
    lines.extend(finding.notes.iter().map(|note| format!("note: {note}")));
    lines.extend(finding.help_lines().map(|help| format!("help: {help}")));
    lines.join("\n")
}

/// The message that shows the findings of a file.
pub(crate) fn published(
    path: &str,
    diagnostics: Vec<Diagnostic>,
    workspace: &Workspace,
) -> PublishDiagnosticsParams {
    PublishDiagnosticsParams {
        uri: Uri::from(workspace.uri(path)),
        version: workspace.document(path).map(|document| document.version),
        diagnostics,
    }
}
