//! KF004: a compressed attribute is stored as bytes, so nothing may compare or change it in the
//! store.

use crate::diagnostic::Diagnostic;
use crate::schema::{AggregateKind, Entity, Index, Model};

pub(crate) fn check(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    for (at, entity) in model.entities.iter().enumerate() {
        for name in &entity.compressed {
            let Some(reason) = reason(model, at, entity, name) else {
                continue;
            };
            let span = entity
                .attribute(name)
                .map_or(entity.span, |attribute| attribute.span);
            let message = format!("`{name}` of {} cannot be compressed: {reason}", entity.name);
            diagnostics.push(
                Diagnostic::error("KF004", span, message, "would be bytes")
                    .help(format!("take `{name}` out of the `compress` line")),
            );
        }
    }
}

/// The reason why an attribute must not be compressed; `None` if it may be.
fn reason(model: &Model, at: usize, entity: &Entity, name: &str) -> Option<String> {
    if entity
        .attribute(name)
        .is_some_and(|attribute| attribute.is_kept)
    {
        return Some("the model keeps it up to date where it is stored".to_owned());
    }
    let table = model.tables.get(entity.table)?;
    let in_indexes = entity
        .indexes
        .iter()
        .filter_map(|key| table.indexes.get(key.index));
    let is_column = |index: &&Index| index.columns().any(|column| column.name == name);
    if let Some(index) = in_indexes.into_iter().find(is_column) {
        return Some(format!("it is a key attribute of {}", index.name));
    }
    let mut all = model
        .entities
        .iter()
        .flat_map(|parent| parent.aggregates.iter().map(move |one| (parent, one)));
    let followed = all.find(|(_, one)| {
        one.kind == AggregateKind::Max && one.entity == at && one.of.as_deref() == Some(name)
    });
    followed.map(|(parent, one)| {
        format!(
            "`max {}` of {} looks for the next greatest where it is stored",
            one.attribute, parent.name
        )
    })
}
