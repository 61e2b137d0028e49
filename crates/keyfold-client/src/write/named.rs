//! Named writes: actions that happen together or not at all.

use super::entity::{self, Given, Stored};
use super::execute::{Outcome, execute};
use super::step::{Draft, Refusal, Step, StepAction};
use super::{Context, Written, key_text, not_found};
use crate::arguments::Values;
use crate::complete::{Made, complete};
use crate::derive::{main_key, table, table_name};
use crate::error::ClientError;
use crate::expression::{Change, Term, holds, term};
use crate::retry::{TRIES, back_off};
use keyfold_model::schema::{AggregateKind, Assignment, Comparison};
use keyfold_model::{Action, Entity, Model, Operand, Type, Verb, Write, value};
use keyfold_types::{Number, Value};
use std::collections::BTreeMap;

/// Runs a named write: its actions together or not at all.
///
/// # Errors
/// `Refused` with the action and condition that did not hold.
pub fn run(
    backend: &crate::Backend,
    model: &Model,
    write: &Write,
    arguments: &Values,
) -> Result<Written, ClientError> {
    let context = Context { backend, model };
    for tried in 0..TRIES {
        let (mut draft, mut made) = (Draft::default(), Vec::new());
        for action in &write.actions {
            for element in elements(write, action, arguments)? {
                add(&context, action, &element, &mut draft, &mut made)?;
            }
        }
        let steps = super::aggregate::followed(&context, draft)?;
        if steps.is_empty() {
            return Ok(Written::nothing());
        }
        if let Outcome::Done(written) = execute(&context, steps)? {
            return Ok(written.with(made));
        }
        back_off(tried);
    }
    Err(ClientError::Refused(format!(
        "{}: the items were changed by others {TRIES} times in a row",
        write.name
    )))
}

/// The arguments of an action; one set for each record of the list that it is for.
fn elements(
    write: &Write,
    action: &Action,
    arguments: &Values,
) -> Result<Vec<Values>, ClientError> {
    let Some(each) = &action.each else {
        return Ok(vec![arguments.clone()]);
    };
    // A field that a record lacks is missing: an argument of the same name is another item's.
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
        return Err(ClientError::Missing(format!("{each}=… is missing")));
    };
    let with_record = |record: &Value| match record {
        Value::M(fields) => {
            let mut all = others.clone();
            all.extend(
                fields
                    .iter()
                    .map(|(name, value)| (name.clone(), value.clone())),
            );
            Ok(all)
        }
        other => Err(ClientError::Refused(format!(
            "{each} holds {}, which is no record",
            value::display(other)
        ))),
    };
    records.iter().map(with_record).collect()
}

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
            let values = whole(entity, action, arguments, made)?;
            entity::create(
                context,
                entity,
                &values,
                entity::exists(entity, &values),
                draft,
            )
        }
        Verb::Put => {
            let values = whole(entity, action, arguments, made)?;
            match entity::read(context, entity, &values)? {
                None => entity::create(context, entity, &values, Refusal::Stale, draft),
                Some(old) => {
                    let new = super::keep_kept(entity, &old, values);
                    entity::replace(context, entity, &old, &new, Given::Whole, &[], draft)
                }
            }
        }
        Verb::Delete => {
            let old = read(context, entity, arguments)?;
            let watched = require(entity, &action.conditions, arguments, &old)?;
            entity::delete(context, entity, &old, &watched, draft)
        }
        Verb::Check
            if rests_on_more(entity, action)
                || !action
                    .conditions
                    .iter()
                    .all(|one| judges_whole(entity, one)) =>
        {
            let old = read(context, entity, arguments)?;
            let watched = require(entity, &action.conditions, arguments, &old)?;
            let mut step = on_item(context, entity, arguments, "check")?;
            step.conditions = entity::unchanged(context, entity, &old, &watched)?;
            step.refusal = Refusal::Stale;
            draft.push(step);
            Ok(())
        }
        Verb::Check => {
            let mut step = on_item(context, entity, arguments, "check")?;
            add_conditions(&mut step, &action.conditions, arguments)?;
            draft.push(step);
            Ok(())
        }
        Verb::Update => update(context, entity, action, arguments, draft),
    }
}

/// The attributes of a whole entity: those given, those assigned, and what they are otherwise.
fn whole(
    entity: &Entity,
    action: &Action,
    arguments: &Values,
    made: &mut Vec<Made>,
) -> Result<Values, ClientError> {
    let own = |name: &String| entity.attribute(name).is_some();
    let mut values: Values = arguments
        .iter()
        .filter(|(name, _)| own(name))
        .map(|(n, v)| (n.clone(), v.clone()))
        .collect();
    for assignment in &action.assignments {
        let made = evaluate(entity, assignment, arguments, &Values::new())?;
        values.insert(assignment.attribute.clone(), made);
    }
    Ok(complete(entity, &values, made))
}

fn read(context: &Context<'_>, entity: &Entity, arguments: &Values) -> Result<Stored, ClientError> {
    entity::read(context, entity, arguments)?.ok_or_else(|| not_found(entity, arguments))
}

/// Judges conditions on an item that was read; gives the attributes that must not change meanwhile.
fn require<'a>(
    entity: &Entity,
    conditions: &'a [Comparison],
    arguments: &Values,
    old: &Stored,
) -> Result<Vec<&'a str>, ClientError> {
    let mut watched = Vec::new();
    for condition in conditions {
        if !holds(&term(condition, arguments)?, &old.values) {
            let (shown, key) = (show(condition, arguments), key_text(entity, arguments));
            return Err(ClientError::Refused(format!(
                "the {} with {key} does not have {shown}",
                entity.name
            )));
        }
        watched.push(condition.attribute.as_str());
        if let Some(Operand::Attribute(other)) = &condition.operand {
            watched.push(other.as_str());
        }
    }
    Ok(watched)
}

fn show(condition: &Comparison, arguments: &Values) -> String {
    match &condition.operand {
        Some(Operand::Parameter(name)) => {
            let held = arguments.get(name).map(value::display).unwrap_or_default();
            format!(
                "{} {} {held}",
                condition.attribute,
                condition.comparator.word()
            )
        }
        _ => condition.to_string(),
    }
}

/// A step on an item that must exist.
fn on_item(
    context: &Context<'_>,
    entity: &Entity,
    arguments: &Values,
    verb: &str,
) -> Result<Step, ClientError> {
    let table = table(context.model, entity)?;
    Ok(Step {
        what: format!("{verb} {}", entity.name),
        refusal: Refusal::NotFound(format!(
            "there is no {} with {}",
            entity.name,
            key_text(entity, arguments)
        )),
        table: table_name(table, entity, arguments)?,
        key: main_key(context.model, entity, arguments)?,
        conditions: vec![Term::Exists(table.partition.name.clone())],
        action: StepAction::Check,
        greatest: BTreeMap::new(),
    })
}

fn add_conditions(
    step: &mut Step,
    conditions: &[Comparison],
    arguments: &Values,
) -> Result<(), ClientError> {
    if conditions.is_empty() {
        return Ok(());
    }
    for condition in conditions {
        step.conditions.push(term(condition, arguments)?);
    }
    let shown: Vec<String> = conditions
        .iter()
        .map(|condition| show(condition, arguments))
        .collect();
    if let Refusal::NotFound(reason) = &step.refusal {
        step.refusal = Refusal::Because(format!(
            "{reason}, or it does not have {}",
            shown.join(" and ")
        ));
    }
    Ok(())
}

fn update(
    context: &Context<'_>,
    entity: &Entity,
    action: &Action,
    arguments: &Values,
    draft: &mut Draft,
) -> Result<(), ClientError> {
    let followed = context.model.followed(entity);
    let is_plain = |name: &String| !followed.contains(&name.as_str()) && is_whole(entity, name);
    let is_simple = action.assignments.iter().all(|one| is_simple(entity, one))
        && action
            .conditions
            .iter()
            .all(|condition| judges_whole(entity, condition))
        && !rests_on_more(entity, action);
    let assigned = action
        .assignments
        .iter()
        .map(|assignment| &assignment.attribute);
    // Each change counts a version up, and others may follow from that.
    if assigned
        .chain(&action.removed)
        .chain(&entity.version)
        .all(is_plain)
        && is_simple
    {
        let mut step = on_item(context, entity, arguments, "update")?;
        add_conditions(&mut step, &action.conditions, arguments)?;
        let mut changes = Vec::new();
        for assignment in &action.assignments {
            changes.push((
                assignment.attribute.clone(),
                change(entity, assignment, arguments)?,
            ));
        }
        if let Some(version) = &entity.version {
            changes.push((version.clone(), Change::Add(Number::from(1_i64))));
        }
        step.action = StepAction::Update {
            changes,
            removed: action.removed.clone(),
        };
        draft.push(step);
        return Ok(());
    }
    // The effects of the change depend on the present item.
    let old = read(context, entity, arguments)?;
    let mut watched = require(entity, &action.conditions, arguments, &old)?;
    let mut new = old.values.clone();
    for assignment in &action.assignments {
        let made = evaluate(entity, assignment, arguments, &old.values)?;
        new.insert(assignment.attribute.clone(), made);
        let operands =
            std::iter::once(&assignment.left).chain(assignment.right.as_ref().map(|(_, one)| one));
        watched.extend(operands.filter_map(|operand| match operand {
            Operand::Attribute(name) => Some(name.as_str()),
            Operand::Parameter(_) | Operand::Literal(_) => None,
        }));
    }
    for name in &action.removed {
        new.remove(name);
    }
    let given: Vec<&str> = action
        .assignments
        .iter()
        .map(|one| &one.attribute)
        .chain(&action.removed)
        .map(String::as_str)
        .collect();
    entity::replace(
        context,
        entity,
        &old,
        &new,
        Given::Some(&given),
        &watched,
        draft,
    )
}

/// Whether an attribute lies in the item as it is: not compressed, and not in parts.
fn is_whole(entity: &Entity, name: &String) -> bool {
    !entity.compressed.contains(name)
        && entity.split.as_ref().is_none_or(|(split, _)| split != name)
}

/// Whether an item may change in the same write as its maximum, which rests on how the item was
/// read: that a condition does not hold is then told by reading, since a failure may also mean that
/// another writer was faster.
fn rests_on_more(entity: &Entity, action: &Action) -> bool {
    !action.conditions.is_empty()
        && entity
            .aggregates
            .iter()
            .any(|one| one.kind == AggregateKind::Max)
}

/// Whether the engine can judge a condition: it sees what is stored.
fn judges_whole(entity: &Entity, condition: &Comparison) -> bool {
    let operand = match &condition.operand {
        Some(Operand::Attribute(name)) => is_whole(entity, name),
        _ => true,
    };
    operand && is_whole(entity, &condition.attribute)
}

/// Whether the engine can carry out an assignment: it copies what is stored, and adds one given
/// element to a list itself.
fn is_simple(entity: &Entity, assignment: &Assignment) -> bool {
    let operands =
        || std::iter::once(&assignment.left).chain(assignment.right.as_ref().map(|(_, one)| one));
    let all_whole = operands().all(|operand| match operand {
        Operand::Attribute(name) => is_whole(entity, name),
        Operand::Parameter(_) | Operand::Literal(_) => true,
    });
    let is_list = matches!(kind_of(entity, &assignment.attribute), Type::List(_));
    let adds_to_itself = match (&assignment.left, &assignment.right) {
        (_, None) => true,
        (Operand::Attribute(name), Some((_, right))) => {
            *name == assignment.attribute && !matches!(right, Operand::Attribute(_))
        }
        _ => false,
    };
    all_whole && (!is_list || adds_to_itself)
}

fn kind_of<'e>(entity: &'e Entity, name: &str) -> &'e Type {
    entity
        .attribute(name)
        .map_or(&Type::String, |attribute| &attribute.kind)
}

fn given(operand: &Operand, arguments: &Values) -> Result<Option<Value>, ClientError> {
    Ok(match operand {
        Operand::Attribute(_) => None,
        Operand::Parameter(name) => {
            let held = arguments.get(name).cloned();
            Some(held.ok_or_else(|| ClientError::Missing(format!("{name}=… is missing")))?)
        }
        Operand::Literal(value) => Some(value.clone()),
    })
}

/// An assignment as a change that the engine carries out.
fn change(
    entity: &Entity,
    assignment: &Assignment,
    arguments: &Values,
) -> Result<Change, ClientError> {
    let one = |operand: &Operand| -> Result<Change, ClientError> {
        Ok(match operand {
            Operand::Attribute(name) => Change::Attribute(name.clone()),
            other => Change::Set(given(other, arguments)?.unwrap_or(Value::Null)),
        })
    };
    let Some((plus, right)) = &assignment.right else {
        return one(&assignment.left);
    };
    if let (Type::List(_), Some(element)) = (
        kind_of(entity, &assignment.attribute),
        given(right, arguments)?,
    ) {
        return Ok(Change::Append(element));
    }
    Ok(Change::Sum(
        Box::new(one(&assignment.left)?),
        *plus,
        Box::new(one(right)?),
    ))
}

/// The value that an assignment makes of the item's old attributes.
fn evaluate(
    entity: &Entity,
    assignment: &Assignment,
    arguments: &Values,
    old: &Values,
) -> Result<Value, ClientError> {
    let one = |operand: &Operand| match operand {
        Operand::Attribute(name) => {
            let missing = || ClientError::Refused(format!("the {} has no {name}", entity.name));
            old.get(name).cloned().ok_or_else(missing)
        }
        other => Ok(given(other, arguments)?.unwrap_or(Value::Null)),
    };
    let Some((plus, right)) = &assignment.right else {
        return one(&assignment.left);
    };
    if matches!(kind_of(entity, &assignment.attribute), Type::List(_)) {
        let held = match &assignment.left {
            Operand::Attribute(name) => old.get(name).cloned(),
            other => given(other, arguments)?,
        };
        return match held.unwrap_or(Value::L(Vec::new())) {
            Value::L(mut all) => {
                all.push(one(right)?);
                Ok(Value::L(all))
            }
            other => Err(ClientError::Refused(format!(
                "{} is no list",
                value::display(&other)
            ))),
        };
    }
    match (one(&assignment.left)?, one(right)?) {
        (Value::N(left), Value::N(right)) => {
            let made = if *plus {
                left.checked_add(&right)
            } else {
                left.checked_sub(&right)
            };
            let wrong = |error| ClientError::Refused(format!("{}: {error}", assignment.attribute));
            made.map(Value::N).map_err(wrong)
        }
        (left, _) => Err(ClientError::Refused(format!(
            "{} is no number",
            value::display(&left)
        ))),
    }
}
