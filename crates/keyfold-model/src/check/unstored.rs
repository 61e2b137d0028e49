//! KF004: an attribute that is stored only inside keys must come back from the key of its item, and
//! nothing may need it in the store.

use crate::diagnostic::Diagnostic;
use crate::schema::{AggregateKind, Comparison, Condition, Entity, KeyPair, Model};
use crate::value::key_gives_back;

pub(crate) fn check(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    for (at, entity) in model.entities.iter().enumerate() {
        for name in &entity.unstored {
            let Some(reason) = not_in_key(entity, name).or_else(|| needed(model, at, entity, name))
            else {
                continue;
            };
            let span = entity
                .attribute(name)
                .map_or(entity.span, |attribute| attribute.span);
            diagnostics.push(
                Diagnostic::error(
                    "KF004",
                    span,
                    format!("`{name}` of {} must be stored: {reason}", entity.name),
                    "could not be read back, or would be missing",
                )
                .help(format!("take `{name}` out of the `unstored` line")),
            );
        }
    }
    check_patterns(model, diagnostics);
    check_writes(model, diagnostics);
}

/// The reason why the entity's own key does not give an attribute back; `None` if it does.
fn not_in_key(entity: &Entity, name: &str) -> Option<String> {
    if key_gives_back(&entity.key, name) {
        return None;
    }
    let is_in_key = entity.key.fields().any(|field| field == name);
    Some(if is_in_key {
        format!(
            "its form in the key {} does not keep its value",
            text(&entity.key)
        )
    } else {
        format!("it is not in the key {}", text(&entity.key))
    })
}

/// Both templates of a key.
fn text(key: &KeyPair) -> String {
    let templates: Vec<String> = key.templates().map(ToString::to_string).collect();
    templates.join(" ")
}

/// The reason why an attribute is needed where it is stored; `None` if it is not.
fn needed(model: &Model, at: usize, entity: &Entity, name: &str) -> Option<String> {
    let table = model.tables.get(entity.table)?;
    if table.columns().any(|column| column.name == name) {
        return Some("it is a key attribute itself, which is stored anyway".to_owned());
    }
    let mut indexes = entity
        .indexes
        .iter()
        .filter_map(|key| table.indexes.get(key.index));
    if let Some(index) = indexes.find(|index| index.columns().any(|column| column.name == name)) {
        return Some(format!("it is a key attribute of {}", index.name));
    }
    let mut all = model
        .entities
        .iter()
        .flat_map(|parent| parent.aggregates.iter().map(move |one| (parent, one)));
    let greatest = all.find(|(_, one)| {
        one.kind == AggregateKind::Max && one.entity == at && one.of.as_deref() == Some(name)
    });
    greatest.map(|(parent, one)| {
        format!(
            "`max {}` of {} looks for the next greatest where it is stored",
            one.attribute, parent.name
        )
    })
}

/// Reports filters on attributes that are not stored.
fn check_patterns(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    for pattern in &model.patterns {
        let returned = pattern.returned.iter();
        let entities: Vec<&Entity> = returned
            .filter_map(|returned| model.entities.get(returned.entity))
            .collect();
        let compared = pattern.filters.iter().flat_map(Condition::comparisons);
        for comparison in compared {
            for entity in &entities {
                diagnostics.extend(unseen(entity, comparison));
            }
        }
    }
}

/// Reports conditions of named writes on attributes that are not stored.
fn check_writes(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    for write in &model.writes {
        for action in &write.actions {
            let Some(entity) = model.entities.get(action.entity) else {
                continue;
            };
            let compared = action.conditions.iter().flat_map(Condition::comparisons);
            diagnostics.extend(compared.filter_map(|one| unseen(entity, one)));
        }
    }
}

/// Reports a comparison with an attribute that is not stored.
fn unseen(entity: &Entity, comparison: &Comparison) -> Option<Diagnostic> {
    let mut names = comparison.attributes();
    let name = names.find(|name| entity.unstored.iter().any(|one| one == name))?;
    let message = format!(
        "`{name}` of {} is not stored, and cannot be compared",
        entity.name
    );
    let label = "DynamoDB sees it inside the key only";
    Some(
        Diagnostic::error("KF004", comparison.span, message, label)
            .label(entity.span, "`unstored` is declared here")
            .help("give it as part of the key, or store it"),
    )
}
