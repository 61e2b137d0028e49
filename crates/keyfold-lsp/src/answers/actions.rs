//! Quick fixes: the repairs that the compiler has tried, each as one edit.

use crate::context::Context;
use crate::diagnostics::{diagnostic, with_places};
use gen_lsp_types::{
    CodeAction, CodeActionKind, DocumentChange, Edit, OptionalVersionedTextDocumentIdentifier,
    Range, TextDocumentEdit, TextDocumentIdentifier, TextEdit, Uri, WorkspaceEdit,
};
use keyfold_model::Choice;
use std::collections::{BTreeMap, HashMap};

/// The repairs of the findings that touch a range of a document.
pub(crate) fn quick_fixes(context: &mut Context<'_>, path: &str, range: Range) -> Vec<CodeAction> {
    let encoding = context.client.encoding;
    let model = context.workspace.model_of(path);
    let Some(asked) = model.span(path, range, encoding) else {
        return Vec::new();
    };
    let findings = model.findings().diagnostics.clone();
    let mut actions = Vec::new();
    for finding in &findings {
        let touches = finding
            .labels
            .first()
            .is_some_and(|(span, _)| span.start <= asked.end && asked.start <= span.end);
        if !touches {
            continue;
        }
        let mut is_first = true;
        for help in finding.help.iter().filter(|help| !help.edits.is_empty()) {
            let model = context.workspace.model_of(path);
            let edits = help.edits.iter().filter_map(|edit| {
                let (path, range) = model.range(edit.span, encoding)?;
                Some((path, TextEdit::new(range, edit.text.clone())))
            });
            let edits: Vec<(String, TextEdit)> = edits.collect();
            let found = diagnostic(finding, model, encoding);
            let mended = found.map(|(_, one, places)| with_places(one, &places, context.workspace));
            actions.push(CodeAction {
                kind: Some(CodeActionKind::QuickFix),
                diagnostics: mended.map(|one| vec![one]),
                is_preferred: Some(is_first && help.choice == Choice::Tool),
                edit: Some(workspace_edit(context, edits)),
                title: title(&help.lines),
                ..CodeAction::default()
            });
            is_first = false;
        }
    }
    actions
}

/// The title of a repair: its sentences in one line.
fn title(lines: &[String]) -> String {
    let text = lines.join("; ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Edits of several files as one.
pub(crate) fn workspace_edit(
    context: &Context<'_>,
    edits: Vec<(String, TextEdit)>,
) -> WorkspaceEdit {
    let mut by_file: BTreeMap<String, Vec<TextEdit>> = BTreeMap::new();
    for (path, edit) in edits {
        by_file.entry(path).or_default().push(edit);
    }
    if !context.client.has_versioned_edits {
        let files = by_file.into_iter();
        let changes = files.map(|(path, edits)| (Uri::from(context.workspace.uri(&path)), edits));
        return WorkspaceEdit {
            changes: Some(changes.collect::<HashMap<_, _>>()),
            ..WorkspaceEdit::default()
        };
    }
    let changes = by_file.into_iter().map(|(path, edits)| {
        let document = context.workspace.document(&path);
        DocumentChange::TextDocumentEdit(TextDocumentEdit {
            text_document: OptionalVersionedTextDocumentIdentifier {
                version: document.map(|document| document.version),
                text_document_identifier: TextDocumentIdentifier {
                    uri: Uri::from(context.workspace.uri(&path)),
                },
            },
            edits: edits.into_iter().map(Edit::TextEdit).collect(),
        })
    });
    WorkspaceEdit {
        document_changes: Some(changes.collect()),
        ..WorkspaceEdit::default()
    }
}
