//! The conditions of a named write's actions: judged by the engine, or on an entity that was read.

use super::context::Context;
use super::inputs::{Inputs, name_of};
use super::refusal::{Refusal, identity_of, key_text, not_found, not_found_text};
use super::step::Step;
use super::stored_entity::StoredEntity;
use crate::arguments::Values;
use crate::bound::bind;
use crate::error::ClientError;
use crate::expression::Term;
use crate::refused::Refused;
use keyfold_model::schema::{Condition, Verb, conjunction};
use keyfold_model::{Action, Entity, value};

/// Judges the conditions of an action on an entity that was read; an entity that does not exist has
/// no attributes. Returns the attributes that they rest on: these must not change before the write.
pub(super) fn require<'a>(
    context: &Context<'_>,
    entity: &Entity,
    action: &'a Action,
    inputs: &Inputs<'_>,
    old: Option<&StoredEntity>,
) -> Result<Vec<&'a str>, ClientError> {
    if let Some(old) = old {
        let is_read = !action.conditions.is_empty() || !inputs.lent.is_empty();
        if is_read || action.verb == Verb::Check {
            old.require_kind((context, entity))?;
        }
        let compared = action.conditions.iter().flat_map(Condition::attributes);
        let compared: Vec<&str> = compared.collect();
        old.require_readable((context, entity), |name| compared.contains(&name))?;
    }
    let nothing = Values::new();
    let held = old.map_or(&nothing, |old| &old.values);
    let mut watched = Vec::new();
    for condition in &action.conditions {
        if !bind(condition, inputs.arguments)?.holds(held) {
            let failed = std::slice::from_ref(condition);
            let found = match old {
                Some(_) => Found::Stored,
                None => Found::Absent,
            };
            let refusal = refused(entity, action, failed, inputs, found);
            return Err(refusal
                .error(old.is_some())
                .unwrap_or_else(|| not_found(entity, &inputs.own)));
        }
        watched.extend(condition.attributes());
    }
    Ok(watched)
}

/// What is known of the item whose conditions do not hold.
#[derive(Clone, Copy)]
enum Found {
    Stored,
    Absent,
}

/// The refusal of an action whose conditions do not hold, where the engine judges them.
pub(super) fn unfulfilled(
    entity: &Entity,
    action: &Action,
    conditions: &[Condition],
    inputs: &Inputs<'_>,
) -> Refusal {
    // Where a missing item fulfils them, the item is stored.
    let nothing = Values::new();
    let fits_new = |condition: &Condition| {
        let bound = bind(condition, inputs.arguments);
        bound.is_ok_and(|bound| bound.holds(&nothing))
    };
    let of = |found| refused(entity, action, conditions, inputs, found);
    match conditions.iter().all(fits_new) {
        true => of(Found::Stored),
        false => Refusal::by_item(of(Found::Absent), of(Found::Stored)),
    }
}

fn refused(
    entity: &Entity,
    action: &Action,
    conditions: &[Condition],
    inputs: &Inputs<'_>,
    found: Found,
) -> Refusal {
    let absent = || not_found_text(entity, &inputs.own);
    let item = match found {
        Found::Stored => {
            let key = key_text(entity, &inputs.own);
            format!("the {} with {key}", entity.name)
        }
        Found::Absent => format!("{}, and a new one", absent()),
    };
    let action = name_of(action, entity);
    let shown = show(conditions, inputs.arguments);
    Refusal::Because(Box::new(Refused {
        entity: Some(entity.name.clone()),
        id: identity_of(entity, &inputs.own),
        conditions: Some(shown.clone()),
        action: Some(action.clone()),
        ..Refused::because(format!(
            "{action}: {item} does not meet the condition {shown}"
        ))
    }))
}

/// Conditions as they are written, with the values of their parameters.
fn show(conditions: &[Condition], arguments: &Values) -> String {
    let written = conjunction(conditions);
    let mut names: Vec<&str> = Vec::new();
    for name in conditions.iter().flat_map(Condition::parameters) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let given = names.into_iter().filter_map(|name| {
        let held = arguments.get(name)?;
        Some(format!("{name} = {}", value::shown(held)))
    });
    let given: Vec<String> = given.collect();
    if given.is_empty() {
        written
    } else {
        format!("{written} ({})", given.join(", "))
    }
}

/// The conditions as the engine judges them.
pub(super) fn terms(
    conditions: &[Condition],
    arguments: &Values,
) -> Result<Vec<Term>, ClientError> {
    let term = |condition| Ok(Term::Condition(bind(condition, arguments)?));
    conditions.iter().map(term).collect()
}

/// Adds the action's conditions to a step, for the engine to judge.
pub(super) fn add_conditions(
    step: &mut Step,
    entity: &Entity,
    conditions: &[Condition],
    inputs: &Inputs<'_>,
) -> Result<(), ClientError> {
    if conditions.is_empty() {
        return Ok(());
    }
    step.conditions.extend(terms(conditions, inputs.arguments)?);
    if let Refusal::NotFound(_) = &step.refusal {
        let absent = step.refusal.clone();
        let key = key_text(entity, &inputs.own);
        let shown = show(conditions, inputs.arguments);
        let message = format!(
            "{}: the {} with {key} does not meet the condition {shown}",
            step.label, entity.name
        );
        let stored = Refusal::Because(Box::new(Refused {
            entity: Some(entity.name.clone()),
            id: identity_of(entity, &inputs.own),
            conditions: Some(shown),
            action: Some(step.label.clone()),
            ..Refused::because(message)
        }));
        step.refusal = Refusal::by_item(absent, stored);
    }
    Ok(())
}
