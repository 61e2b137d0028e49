//! `id`: the attributes that identify an item whose key has others besides, which may change.

use super::names::attribute_of;
use crate::diagnostic::{Diagnostic, Span, report};
use crate::schema::{Entity, Table, Unique};
use crate::syntax::ast::{EntityDecl, Name};
use keyfold_types::KeyKind;

/// Resolves `id`. Its guard is that of the first group of unique attributes. A key of these
/// attributes alone never changes, and needs none.
pub(super) fn resolve(
    declared: &EntityDecl,
    table: &Table,
    entity: &mut Entity,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let Some(names) = &declared.id else { return };
    let mut id: Vec<String> = Vec::new();
    for name in names {
        if id.contains(&name.text) {
            let message = format!("`{}` is in `id` twice", name.text);
            diagnostics.push(
                Diagnostic::error("KF003", name.span, message, "again here").help("remove it"),
            );
        } else if report(attribute(name, entity), diagnostics).is_some() {
            id.push(name.text.clone());
        }
    }
    if id.len() != names.len() {
        return;
    }
    let is_id = |field: &str| id.iter().any(|name| name == field);
    let in_key = |name: &String| entity.key.fields().any(|field| field == name);
    if entity.key.fields().all(is_id) && id.iter().all(in_key) {
        return;
    }
    if let Some(first) = names.first() {
        check_guards("id", first.span, table, diagnostics);
    }
    entity.uniques.push(Unique::of(&id));
    entity.id = id;
}

/// Refuses a name that is no attribute: the line may be the declaration of one that is called `id`.
fn attribute(name: &Name, entity: &Entity) -> Result<(), Box<Diagnostic>> {
    match attribute_of(entity, name) {
        Ok(_) => Ok(()),
        Err(error) if entity.attribute("id").is_some() => Err(error),
        Err(error) => Err(Box::new(error.help(format!(
            "an attribute of the name `id` has a colon behind it: `id: {}`",
            name.text
        )))),
    }
}

/// The table must be able to hold the guards of `unique` or `id`, as `word` says.
pub(super) fn check_guards(
    word: &str,
    span: Span,
    table: &Table,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if let Some(column) = table.columns().find(|column| column.kind != KeyKind::S) {
        let message = format!("`{word}` needs text keys, and {} is none", column.name);
        let label = "its guard could not be stored";
        diagnostics.push(
            Diagnostic::error("KF004", span, message, label)
                .note("the value is guarded by an item of its own, whose key is a text")
                .help(format!("declare {} as string", column.name)),
        );
    }
    if let Some(unit) = table.period {
        let message = format!("`{word}` would hold within one {unit} only");
        let label = "the guard lies in one period's table";
        diagnostics.push(
            Diagnostic::error("KF004", span, message, label)
                .help("keep what is unique in a table without periods"),
        );
    }
}
