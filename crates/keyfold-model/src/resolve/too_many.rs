//! The least number of items that a named write changes: a transaction changes a limited number.

use super::source::key_sources;
use crate::diagnostic::Diagnostic;
use crate::schema::{Action, Entity, Model, Source, Verb, WriteParameter};
use crate::syntax::ast::WriteDecl;
use keyfold_types::limits::TRANSACTION_ACTIONS_MAX;

/// Refuses a write that always changes more items than a transaction can. Items that may be changed
/// are not counted: those of lists, optional attributes and aggregates.
pub(super) fn check(
    actions: &[Action],
    model: &Model,
    parameters: &[WriteParameter],
    declared: &WriteDecl,
) -> Result<(), Box<Diagnostic>> {
    let entity = |action: &Action| model.entities.get(action.entity);
    let of_action = |action: &Action| {
        let entity = entity(action).filter(|entity| always_happens(action, entity, parameters))?;
        Some((action.verb.word(), entity, least_items(action, entity)))
    };
    let counts: Vec<(&str, &Entity, usize)> = actions.iter().filter_map(of_action).collect();
    let least: usize = counts.iter().map(|(.., items)| items).sum();
    if least <= TRANSACTION_ACTIONS_MAX {
        return Ok(());
    }
    let shown = counts
        .iter()
        .map(|(verb, entity, items)| format!("{verb} {}: {items}", entity.name));
    let name = &declared.name;
    let message = format!("{} always changes {least} items or more", name.text);
    let label = format!("a transaction changes at most {TRANSACTION_ACTIONS_MAX}");
    Err(Box::new(
        Diagnostic::error("KF016", name.span, message, label)
            .note(format!(
                "items with their copies and guards: {}",
                shown.collect::<Vec<_>>().join(", ")
            ))
            .help("make several writes of it, or derive fewer items from an entity"),
    ))
}

/// Whether an action happens with all arguments: it repeats over no list, and its key always has a
/// value.
fn always_happens(action: &Action, entity: &Entity, parameters: &[WriteParameter]) -> bool {
    let has_value = |source: &Source| match source {
        Source::Literal(_) => true,
        Source::Parameter(name) => {
            let mut known = parameters.iter();
            known.any(|known| known.name == *name && !known.optional)
        }
        Source::Attribute { .. } => false,
    };
    let sources = key_sources(action, entity);
    action.each.is_none()
        && (action.verb.may_create() || sources.iter().all(|(_, source)| has_value(source)))
}

/// The least number of items that an action changes.
fn least_items(action: &Action, entity: &Entity) -> usize {
    match action.verb {
        Verb::Create | Verb::Delete => {
            let is_required = |name: &str| {
                let found = entity.attribute(name);
                found.is_some_and(|found| !found.optional)
            };
            let guards = entity.uniques.iter();
            let guards = guards.filter(|unique| unique.attributes().all(is_required));
            let copies = entity.copies.iter().filter(|copy| copy.when.is_empty());
            1 + copies.count() + guards.count()
        }
        Verb::Put | Verb::Update | Verb::Upsert | Verb::Check => 1,
    }
}
