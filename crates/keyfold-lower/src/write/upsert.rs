//! Changes of an entity by a named write's assignments: of one that was read, or that may not exist.

use super::assignment::{apply, remove};
use super::blind;
use super::conditions::{require, terms, unfulfilled};
use super::context::Context;
use super::entity::{self, Replacement};
use super::inputs::Inputs;
use super::main_item::Given;
use super::refusal::Refusal;
use super::step::Draft;
use super::stored_entity::{self, StoredEntity};
use crate::arguments::Values;
use crate::complete::{Made, complete};
use crate::error::ClientError;
use crate::lookup::Names;
use keyfold_model::schema::Assignment;
use keyfold_model::{Action, Entity};

/// Adds the steps of an upsert: one update where that has the outcome of both, a change or a
/// creation of what was read otherwise.
pub(super) async fn add(
    context: &Context<'_>,
    (entity, action): (&Entity, &Action),
    inputs: &Inputs<'_>,
    draft: &mut Draft,
    made: &mut Vec<Made>,
) -> Result<(), ClientError> {
    if let Some(plan) = context.model.upsert_plan(action) {
        // Whether a new item takes what is made here is not known.
        let new = new_values(context, (entity, action), inputs, &mut Vec::new())?;
        let of_action = (entity, action);
        if let Some(mut step) = blind::upsert(context, of_action, inputs.arguments, &new, &plan)? {
            step.conditions = terms(&action.conditions, inputs.arguments)?;
            step.refusal = unfulfilled(entity, action, &action.conditions, inputs);
            draft.push(step);
            return Ok(());
        }
    }
    match stored_entity::read(context, entity, &inputs.own).await? {
        Some(old) => change_stored(context, (entity, action), inputs, &old, draft),
        None => {
            require(context, entity, action, inputs, None)?;
            let new = new_values(context, (entity, action), inputs, made)?;
            entity::create(context, entity, &new, Refusal::Stale, draft)
        }
    }
}

/// The attributes of a new item: its parameters, what stands behind `else`, assignments that need no
/// stored item, and defaults.
fn new_values(
    context: &Context<'_>,
    (entity, action): (&Entity, &Action),
    inputs: &Inputs<'_>,
    made: &mut Vec<Made>,
) -> Result<Values, ClientError> {
    let said = assigned(&action.otherwise);
    let set = assigned(&action.assignments);
    let is_assigned = |name: &String| said.has(name) || set.has(name);
    // An optional attribute that the upsert does not name is no parameter of it.
    let is_given = |name: &String| {
        let found = entity.attribute(name);
        let is_own = found.is_some_and(|one| !one.optional || one.default.is_some());
        is_own && !is_assigned(name)
    };
    let mut values: Values = inputs
        .own
        .iter()
        .filter(|(name, _)| is_given(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let also = action.assignments.iter();
    let also = also.filter(|one| !said.has(&one.attribute));
    for one in also.chain(&action.otherwise) {
        let nothing = Values::new();
        apply(entity, one, inputs.arguments, &nothing, &mut values)?;
    }
    Ok(complete(context.io, entity, &values, made))
}

/// The attributes that assignments change.
fn assigned(all: &[Assignment]) -> Names<'_> {
    all.iter().map(|one| one.attribute.as_str()).collect()
}

/// The attributes of which an action takes the old value, or changes a part.
fn taken(action: &Action) -> Names<'_> {
    let assigned = action.assignments.iter();
    let in_part = assigned.clone().filter(|one| !one.fields.is_empty());
    let removed = action.removed.iter().filter(|path| !path.is_whole());
    let sources = assigned.flat_map(Assignment::sources).chain(removed);
    let sources = sources.map(|path| path.attribute.as_str());
    sources
        .chain(in_part.map(|one| one.attribute.as_str()))
        .collect()
}

/// Adds the steps that change an entity that was read.
pub(super) fn change_stored(
    context: &Context<'_>,
    (entity, action): (&Entity, &Action),
    inputs: &Inputs<'_>,
    old: &StoredEntity,
    draft: &mut Draft,
) -> Result<(), ClientError> {
    let mut watched = require(context, entity, action, inputs, Some(old))?;
    watched.extend(inputs.lent.iter());
    let taken = taken(action);
    old.require_readable((context, entity), |name| {
        taken.has(name) || inputs.lent.has(name)
    })?;
    let mut new = old.values.clone();
    for assignment in &action.assignments {
        let arguments = inputs.arguments;
        apply(entity, assignment, arguments, &old.values, &mut new)?;
        // The whole of it is written.
        let has_field = !assignment.fields.is_empty();
        watched.extend(has_field.then_some(assignment.attribute.as_str()));
        watched.extend(assignment.sources().map(|path| path.attribute.as_str()));
    }
    for path in &action.removed {
        remove(entity, path, &mut new)?;
        watched.extend((!path.is_whole()).then_some(path.attribute.as_str()));
    }
    let given: Names<'_> = action.written_attributes().map(String::as_str).collect();
    let replacement = Replacement {
        entity,
        old,
        new: &new,
        given: Given::Only(&given),
        watched: &watched,
        is_part: true,
    };
    entity::replace(context, &replacement, draft)
}
