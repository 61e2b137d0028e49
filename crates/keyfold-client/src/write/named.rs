//! Named writes: actions that happen together or not at all.

use super::assignment::{change, evaluate};
use super::blind;
use super::conditions::{add_conditions, require, terms, unfulfilled};
use super::context::Context;
use super::entity;
use super::execute::retried;
use super::refusal::{Refusal, not_found, not_found_text};
use super::step::{Draft, Step, StepAction};
use super::stored_entity::{self, StoredEntity};
use super::upsert;
use super::written::Written;
use crate::arguments::Values;
use crate::backend::Backend;
use crate::complete::{Made, complete, now_epoch_ms};
use crate::derive::Place;
use crate::error::ClientError;
use crate::expression::{Change, Term};
use crate::retry::TRIES;
use keyfold_model::{Action, Entity, Model, Type, Verb, Write, value};
use keyfold_types::{Number, Value};
use std::collections::BTreeMap;

/// Runs a named write: its actions together or not at all.
///
/// # Errors
/// `Refused` with the action and the condition that did not hold; `NotFound` when an entity or a
/// parent does not exist; `Taken` when a unique value belongs to another item; `Missing` when an
/// argument is.
pub fn run(
    backend: &Backend,
    model: &Model,
    write: &Write,
    arguments: &Values,
) -> Result<Written, ClientError> {
    let context = Context { backend, model };
    let arguments = with_now(write, arguments);
    let optional = write.optional_parameters();
    let mut made = Vec::new();
    let compose = |draft: &mut Draft| {
        made.clear();
        for action in &write.actions {
            for arguments in arguments_of(write, action, &arguments)? {
                let absent: Vec<String> = optional
                    .iter()
                    .filter(|name| !arguments.contains_key(*name))
                    .cloned()
                    .collect();
                let action = action.without(&absent);
                add(&context, &action, &arguments, draft, &mut made)?;
            }
        }
        Ok(())
    };
    let written = retried(&context, compose, || {
        format!(
            "{}: the items were changed by others {TRIES} times in a row",
            write.name
        )
    })?;
    Ok(written.with(made))
}

/// The arguments, with the present moment where a condition compares with `now` and the caller gave
/// none.
fn with_now(write: &Write, arguments: &Values) -> Values {
    let mut all = arguments.clone();
    let now = write
        .parameters
        .iter()
        .find(|one| one.is_now && one.optional);
    if let Some(parameter) = now
        && !all.contains_key(&parameter.name)
        && let Some(present) = value::time_of_epoch_ms(&parameter.kind, now_epoch_ms())
    {
        all.insert(parameter.name.clone(), present);
    }
    all
}

/// The arguments of an action: one set, or one for each record of the list that it repeats over.
fn arguments_of(
    write: &Write,
    action: &Action,
    arguments: &Values,
) -> Result<Vec<Values>, ClientError> {
    let Some(each) = &action.each else {
        return Ok(vec![arguments.clone()]);
    };
    // A field that a record lacks has no value: an argument of the same name is another item's.
    let parameter = write
        .parameters
        .iter()
        .find(|parameter| parameter.name == *each);
    let mut others = arguments.clone();
    if let Some(Type::List(of)) = parameter.map(|parameter| &parameter.kind)
        && let Type::Record(record) = &**of
    {
        others.retain(|name, _| !record.fields.iter().any(|(field, ..)| field == name));
    }
    let Some(Value::L(records)) = arguments.get(each) else {
        return Err(ClientError::missing("the write", each));
    };
    let with_record = |record: &Value| {
        let Value::M(fields) = record else {
            return Err(ClientError::Refused(format!(
                "{each} holds {}, which is no record",
                value::shown(record)
            )));
        };
        let mut all = others.clone();
        all.extend(
            fields
                .iter()
                .map(|(name, value)| (name.clone(), value.clone())),
        );
        Ok(all)
    };
    records.iter().map(with_record).collect()
}

/// Adds the steps of one action.
fn add(
    context: &Context<'_>,
    action: &Action,
    arguments: &Values,
    draft: &mut Draft,
    made: &mut Vec<Made>,
) -> Result<(), ClientError> {
    let entity = context.model.entities.get(action.entity);
    let entity =
        entity.ok_or_else(|| ClientError::Unknown("the write names no entity".to_owned()))?;
    match action.verb {
        Verb::Create => {
            let values = all_attributes(entity, action, arguments, made)?;
            let exists = Refusal::exists(entity, &values);
            entity::create(context, entity, &values, exists, draft)
        }
        Verb::Put => {
            let values = all_attributes(entity, action, arguments, made)?;
            if context.model.is_direct(action) {
                let mut step = blind::put(context, entity, &values)?;
                step.conditions = terms(&action.conditions, arguments)?;
                step.refusal = unfulfilled(entity, action, &action.conditions, arguments);
                draft.push(step);
                return Ok(());
            }
            let old = stored_entity::read(context, entity, &values)?;
            let watched = require(entity, action, arguments, old.as_ref())?;
            entity::put_over(context, (entity, &values), old.as_ref(), &watched, draft)
        }
        Verb::Delete => {
            let old = read(context, entity, arguments)?;
            let watched = require(entity, action, arguments, Some(&old))?;
            entity::delete(context, entity, &old, &watched, draft)
        }
        Verb::Check => check(context, entity, action, arguments, draft),
        Verb::Update => update(context, entity, action, arguments, draft),
        Verb::Upsert => upsert::add(context, (entity, action), arguments, draft, made),
    }
}

/// The attributes of a whole entity: those given, those assigned, and the defaults of the others.
fn all_attributes(
    entity: &Entity,
    action: &Action,
    arguments: &Values,
    made: &mut Vec<Made>,
) -> Result<Values, ClientError> {
    let own = |name: &String| entity.attribute(name).is_some();
    let mut values: Values = arguments
        .iter()
        .filter(|(name, _)| own(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    for assignment in &action.assignments {
        let nothing = Values::new();
        if let Some(value) = evaluate(entity, assignment, arguments, (&nothing, &nothing))? {
            values.insert(assignment.attribute.clone(), value);
        }
    }
    Ok(complete(entity, &values, made))
}

/// Reads an entity that must exist.
fn read(
    context: &Context<'_>,
    entity: &Entity,
    arguments: &Values,
) -> Result<StoredEntity, ClientError> {
    let found = stored_entity::read(context, entity, arguments)?;
    found.ok_or_else(|| not_found(entity, arguments))
}

/// A step on the main item of an entity that must exist.
fn on_main_item(
    context: &Context<'_>,
    entity: &Entity,
    arguments: &Values,
    verb: &str,
) -> Result<Step, ClientError> {
    let place = Place::of(context.model, entity, arguments)?;
    Ok(Step {
        label: format!("{verb} {}", entity.name),
        refusal: Refusal::NotFound(not_found_text(entity, arguments)),
        conditions: vec![Term::Exists(place.table.partition.name.clone())],
        table: place.table_name,
        key: place.key,
        action: StepAction::Check,
        maxima: BTreeMap::new(),
    })
}

/// Adds the step of a check.
fn check(
    context: &Context<'_>,
    entity: &Entity,
    action: &Action,
    arguments: &Values,
    draft: &mut Draft,
) -> Result<(), ClientError> {
    let mut step = on_main_item(context, entity, arguments, "check")?;
    if context.model.is_direct(action) {
        add_conditions(&mut step, &action.conditions, arguments)?;
    } else {
        let old = read(context, entity, arguments)?;
        let watched = require(entity, action, arguments, Some(&old))?;
        step = step.unless_stale(entity::unchanged(context, entity, &old, &watched)?);
    }
    draft.push(step);
    Ok(())
}

/// Adds the steps of an update.
fn update(
    context: &Context<'_>,
    entity: &Entity,
    action: &Action,
    arguments: &Values,
    draft: &mut Draft,
) -> Result<(), ClientError> {
    if context.model.is_direct(action) {
        let mut step = on_main_item(context, entity, arguments, "update")?;
        add_conditions(&mut step, &action.conditions, arguments)?;
        if let Some(change) = update_expression(entity, action, arguments)? {
            step.action = change;
        }
        draft.push(step);
        return Ok(());
    }
    let old = read(context, entity, arguments)?;
    upsert::change_stored(context, (entity, action), arguments, &old, draft)
}

/// The update that the engine evaluates; `None` where nothing is given that it changes.
fn update_expression(
    entity: &Entity,
    action: &Action,
    arguments: &Values,
) -> Result<Option<StepAction>, ClientError> {
    let mut changes = Vec::new();
    for assignment in &action.assignments {
        let change = change(entity, assignment, arguments)?;
        changes.push((assignment.attribute.clone(), change));
    }
    if let Some(version) = &entity.version {
        changes.push((version.clone(), Change::Add(Number::from(1_i64))));
    }
    let removed = action.removed.clone();
    let is_empty = changes.is_empty() && removed.is_empty();
    Ok((!is_empty).then_some(StepAction::Update { changes, removed }))
}
