//! Rename: every place that says a name, in keys, copies, patterns, writes and views, and every name
//! that it is linked with, so that the model means the same.
//!
//! The model with the new name is compiled before the edit is offered. A name that breaks it, or that
//! something else has already, is refused.

use super::actions::workspace_edit;
use crate::context::{Context, piece};
use gen_lsp_types::{Position, PrepareRenamePlaceholder, TextEdit, WorkspaceEdit};
use keyfold_model::names::{Mention, NameKind, Names};
use keyfold_model::{Compiled, Edit, Severity, Span, compile_sources, is_word};

/// The place and text of a name that can be renamed.
pub(crate) fn prepare(
    context: &mut Context<'_>,
    path: &str,
    at: Position,
) -> Option<PrepareRenamePlaceholder> {
    let mention = *context.mentions(path, at).first()?;
    let encoding = context.client.encoding;
    let model = context.workspace.model_of(path);
    let span = bare(piece(model, mention.span), mention.span);
    let placeholder = model.names().all().get(mention.name)?.text.clone();
    let (_, range) = model.range(span, encoding)?;
    Some(PrepareRenamePlaceholder { range, placeholder })
}

/// The edit that renames what is named at a place.
///
/// # Errors
/// The reason why it keeps its name.
pub(crate) fn rename(
    context: &mut Context<'_>,
    path: &str,
    at: Position,
    new: &str,
) -> Result<WorkspaceEdit, String> {
    let mentions = context.mentions(path, at);
    let Some(first) = mentions.first() else {
        return Err("there is no name here".to_owned());
    };
    if !is_word(new) {
        return Err(format!(
            "`{new}` is no name: a name is a letter or `_`, and then letters, digits and `_`"
        ));
    }
    let encoding = context.client.encoding;
    let model = context.workspace.model_of(path);
    let before = errors(&compile_sources(&model.sources));
    let names = model.names();
    let all = names.linked_mentions(first.name);
    check_free(names, &all, new)?;
    let spans: Vec<Span> = all.iter().map(|one| one.span).collect();
    let edit = |span: &Span| Edit::replace(bare(piece(model, *span), *span), new);
    let edits: Vec<Edit> = spans.iter().map(edit).collect();
    let renamed = compile_sources(&model.sources.edited(&edits));
    if errors(&renamed) > before {
        let reason = renamed
            .diagnostics
            .iter()
            .find(|one| one.severity == Severity::Error)
            .map_or(String::new(), |one| format!(": {}", one.message));
        return Err(format!("the model would have errors as `{new}`{reason}"));
    }
    let edits = edits.iter().filter_map(|edit| {
        let (path, range) = model.range(edit.span, encoding)?;
        Some((path, TextEdit::new(range, edit.text.clone())))
    });
    let edits = edits.collect();
    Ok(workspace_edit(context, edits))
}

fn errors(compiled: &Compiled) -> usize {
    let all = compiled.diagnostics.iter();
    compiled.more + all.filter(|one| one.severity == Severity::Error).count()
}

/// Refuses a name that a neighbour has: the two would become one.
fn check_free(names: &Names, mentions: &[Mention], new: &str) -> Result<(), String> {
    let declared = mentions.iter().filter(|mention| mention.is_declaration);
    for own in declared.filter_map(|mention| names.all().get(mention.name)) {
        let is_taken = |other: &&keyfold_model::names::Declared| {
            other.owner == own.owner && other.text == new && alike(own.kind) == alike(other.kind)
        };
        if let Some(other) = names.all().iter().find(is_taken) {
            return Err(format!("there is a name `{}` already", other.text));
        }
    }
    Ok(())
}

/// Kinds that share their names.
fn alike(kind: NameKind) -> NameKind {
    match kind {
        NameKind::View => NameKind::Entity,
        NameKind::Write => NameKind::Pattern,
        NameKind::Alias => NameKind::Parameter,
        NameKind::Table
        | NameKind::Column
        | NameKind::Index
        | NameKind::Record
        | NameKind::Field
        | NameKind::Entity
        | NameKind::Attribute
        | NameKind::Copy
        | NameKind::Pattern
        | NameKind::Parameter => kind,
    }
}

/// The place of a name without the braces around it. Quotes belong to it: a word needs none.
fn bare(written: &str, span: Span) -> Span {
    if written.starts_with('{') && written.ends_with('}') && written.len() > 1 {
        return Span {
            start: span.start + 1,
            end: span.end - 1,
        };
    }
    span
}
