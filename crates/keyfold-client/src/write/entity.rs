//! Steps of one entity: created, moved from old to new attributes, deleted. What follows from it is
//! part of them: copies, guards, parts, and the aggregates that others keep of it.

use super::step::{Draft, Left, Refusal, Step, StepAction};
use super::{Context, key_text};
use crate::arguments::Values;
use crate::backend::unexpected;
use crate::derive::{Derived, Role, derive, main_key, table, table_name};
use crate::error::ClientError;
use crate::expression::{Change, Term};
use crate::retry::{TRIES, back_off};
use crate::stored::{digest_attribute, is_as_written, parts_attribute, values_of};
use keyfold_api::{ErrorKind, ExpressionAttributes, GetItemInput, QueryInput, Response};
use keyfold_model::schema::Aggregate;
use keyfold_model::template::CHUNK_DIGITS;
use keyfold_model::{Entity, Table, value};
use keyfold_types::{Item, Number, Value};
use std::collections::BTreeMap;

/// An entity as it is stored.
pub(super) struct Stored {
    pub(super) item: Item,
    pub(super) values: Values,
    /// The items behind the first that a list lies in.
    parts: Vec<Item>,
}

/// Reads an entity strongly, with all parts of it.
pub(super) fn read(
    context: &Context<'_>,
    entity: &Entity,
    key: &Values,
) -> Result<Option<Stored>, ClientError> {
    let table = table(context.model, entity)?;
    let name = table_name(table, entity, key)?;
    for tried in 0..TRIES {
        let Some(main) = main_item(context, entity, table, &name, key)? else {
            return Ok(None);
        };
        let mut items = vec![main];
        if entity.split.is_some() {
            items.extend(parts(context, entity, table, &name, key, items.first())?);
        }
        let names = entity
            .attributes
            .iter()
            .map(|attribute| attribute.name.as_str());
        let values = values_of(entity, names, &items)?;
        // A list whose parts have been changed while they were read is read again.
        if items
            .first()
            .is_some_and(|first| is_as_written(entity, first, &values))
        {
            let item = items.remove(0);
            return Ok(Some(Stored {
                item,
                values,
                parts: items,
            }));
        }
        back_off(tried);
    }
    Err(ClientError::Refused(format!(
        "the parts of {} do not belong together: they were not written through the model",
        entity.name
    )))
}

fn main_item(
    context: &Context<'_>,
    entity: &Entity,
    table: &Table,
    name: &str,
    key: &Values,
) -> Result<Option<Item>, ClientError> {
    let input = GetItemInput {
        table_name: Some(name.to_owned()),
        key: Some(Ok(main_key(context.model, entity, key)?)),
        consistent_read: Some(true),
        ..GetItemInput::default()
    };
    match context.backend.call(input.into()) {
        Ok(Response::GetItem(output)) => Ok(output.item.map(|item| item.to_item())),
        Ok(_) => Err(unexpected()),
        // The table of a period that nothing has been written in.
        Err(error)
            if table.period.is_some() && error.kind() == Some(ErrorKind::ResourceNotFound) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// The items behind the first that a list is split over: as many as the first says.
fn parts(
    context: &Context<'_>,
    entity: &Entity,
    table: &Table,
    name: &str,
    key: &Values,
    main: Option<&Item>,
) -> Result<Vec<Item>, ClientError> {
    let (Some(sort), Some(column), Some((split, _))) =
        (&entity.key.sort, &table.sort, &entity.split)
    else {
        return Ok(Vec::new());
    };
    let count = match main.and_then(|item| item.get(&parts_attribute(split))) {
        Some(Value::N(number)) => number.to_i64().unwrap_or(0),
        _ => 0,
    };
    if count < 2 {
        return Ok(Vec::new());
    }
    let partition = main
        .and_then(|item| item.get(&table.partition.name))
        .cloned()
        .unwrap_or(Value::Null);
    let sort_key = |number: i64| {
        let mut of_part = key.clone();
        of_part.insert(value::CHUNK.to_owned(), Value::from(number));
        value::key(sort, &of_part, &table.delimiters)
    };
    let (first, last) = (sort_key(1)?, sort_key(count - 1)?);
    // Items of other kinds may lie between them: theirs do not end with the number of a part.
    let is_part = |item: &Item| match (item.get(&column.name), &first) {
        (Some(Value::S(text)), Value::S(first)) => {
            let start = first
                .get(..first.len().saturating_sub(CHUNK_DIGITS))
                .unwrap_or_default();
            let number = text.strip_prefix(start).unwrap_or_default();
            number.len() == CHUNK_DIGITS && number.bytes().all(|byte| byte.is_ascii_digit())
        }
        _ => false,
    };
    let (mut items, mut after) = (Vec::new(), None);
    loop {
        let input = QueryInput {
            table_name: Some(name.to_owned()),
            key_condition_expression: Some("#p = :p AND #s BETWEEN :f AND :l".to_owned()),
            expression_attributes: ExpressionAttributes::default()
                .name("#p", &table.partition.name)
                .name("#s", &column.name)
                .value(":p", partition.clone())
                .value(":f", first.clone())
                .value(":l", last.clone()),
            consistent_read: Some(true),
            exclusive_start_key: after.take().map(Ok),
            ..QueryInput::default()
        };
        let Response::Query(output) = context.backend.call(input.into())? else {
            return Err(unexpected());
        };
        let found = output.items.unwrap_or_default();
        items.extend(
            found
                .iter()
                .map(|item| item.to_item())
                .filter(|item| is_part(item)),
        );
        match output.last_evaluated_key {
            Some(key) => after = Some(key),
            None => return Ok(items),
        }
    }
}

/// Adds puts of everything that follows from the values; `exists` is what it means that the entity
/// is there.
pub(super) fn create(
    context: &Context<'_>,
    entity: &Entity,
    values: &Values,
    exists: Refusal,
    draft: &mut Draft,
) -> Result<(), ClientError> {
    let table = table(context.model, entity)?;
    let mut exists = Some(exists);
    for one in derive(context.model, entity, values)? {
        draft.push(match &one.role {
            Role::Main => Step::put(
                table,
                entity,
                one,
                true,
                exists.take().unwrap_or(Refusal::None),
            ),
            Role::Copy(_) | Role::Part(_) => Step::put(table, entity, one, false, Refusal::None),
            Role::Guard(attributes) => {
                let taken = taken(entity, attributes, values);
                Step::put(table, entity, one, true, taken)
            }
        });
    }
    draft.moves(entity, None, Some(values));
    Ok(())
}

pub(super) fn exists(entity: &Entity, values: &Values) -> Refusal {
    Refusal::Because(format!(
        "{} exists already ({})",
        entity.name,
        key_text(entity, values)
    ))
}

fn taken(entity: &Entity, attributes: &[String], values: &Values) -> Refusal {
    let held = |name: &String| {
        format!(
            "{name} `{}`",
            values.get(name).map(value::display).unwrap_or_default()
        )
    };
    let all: Vec<String> = attributes.iter().map(held).collect();
    let message = format!(
        "{} is taken: another {} has it",
        all.join(", "),
        entity.name
    );
    Refusal::Taken(attributes.to_vec(), message)
}

/// The stored items of an entity. The parts of a list are those that are stored: another model may
/// have cut it in another way.
fn lying(
    context: &Context<'_>,
    entity: &Entity,
    old: &Stored,
) -> Result<Vec<Derived>, ClientError> {
    let mut all = derive(context.model, entity, &old.values)?;
    if entity.split.is_none() {
        return Ok(all);
    }
    all.retain(|one| !matches!(one.role, Role::Part(_)));
    let table = table(context.model, entity)?;
    let name = table_name(table, entity, &old.values)?;
    for (at, item) in old.parts.iter().enumerate() {
        let mut key = Item::new();
        for column in std::iter::once(&table.partition).chain(&table.sort) {
            if let Some(held) = item.get(&column.name) {
                key.insert(column.name.as_str(), held.clone());
            }
        }
        all.push(Derived {
            role: Role::Part(at + 1),
            table: name.clone(),
            key,
            item: item.clone(),
        });
    }
    Ok(all)
}

/// Adds the deletion of everything that follows from an entity.
pub(super) fn delete(
    context: &Context<'_>,
    entity: &Entity,
    old: &Stored,
    watched: &[&str],
    draft: &mut Draft,
) -> Result<(), ClientError> {
    // An item that counts others stays as long as there are some, but for those that go in the same
    // write.
    let counters: Vec<String> = entity
        .aggregates
        .iter()
        .map(Aggregate::items_attribute)
        .collect();
    let table = table(context.model, entity)?;
    for (counter, aggregate) in counters.iter().zip(&entity.aggregates) {
        let Some(Value::N(items)) = old.item.get(counter) else {
            continue;
        };
        let child = context
            .model
            .entities
            .get(aggregate.entity)
            .map_or("", |child| child.name.as_str());
        let key = key_text(entity, &old.values);
        draft.left.push(Left {
            table: table_name(table, entity, &old.values)?,
            key: main_key(context.model, entity, &old.values)?,
            counter: counter.clone(),
            items: *items,
            reason: format!(
                "the {} with {key} still has {child} items; delete them first",
                entity.name
            ),
        });
    }
    let watched: Vec<&str> = watched
        .iter()
        .copied()
        .chain(counters.iter().map(String::as_str))
        .collect();
    let mut conditions = Some(unchanged(context, entity, old, &watched)?);
    for one in lying(context, entity, old)? {
        let mut step = Step::delete(entity, &one);
        if let Some(conditions) = conditions.take() {
            step.conditions = conditions;
            step.refusal = Refusal::Stale;
        }
        draft.push(step);
    }
    draft.moves(entity, Some(&old.values), None);
    Ok(())
}

/// The conditions that everything a write rests on is as it was read.
pub(super) fn unchanged(
    context: &Context<'_>,
    entity: &Entity,
    old: &Stored,
    watched: &[&str],
) -> Result<Vec<Term>, ClientError> {
    let table = table(context.model, entity)?;
    let mut terms = vec![Term::Exists(table.partition.name.clone())];
    let mut names: Vec<String> = context
        .model
        .followed(entity)
        .into_iter()
        .chain(watched.iter().copied())
        .map(str::to_owned)
        .collect();
    // A split list is told by its digest.
    if let Some((split, _)) = &entity.split {
        names
            .iter_mut()
            .filter(|name| *name == split)
            .for_each(|name| *name = digest_attribute(split));
    }
    names.sort_unstable();
    names.dedup();
    for name in names {
        terms.push(match old.item.get(&name) {
            Some(value) => Term::Compare(
                name,
                keyfold_model::schema::Comparator::Equal,
                value.clone(),
            ),
            None => Term::Missing(name),
        });
    }
    Ok(terms)
}

/// The attributes that a write gives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Given<'g> {
    /// All attributes.
    Whole,
    /// These, among those that differ: another writer's values of them do not stay.
    Some(&'g [&'g str]),
}

/// Adds what moves an entity from its old to its new attributes. Nothing is added when nothing
/// differs.
pub(super) fn replace(
    context: &Context<'_>,
    entity: &Entity,
    old: &Stored,
    new: &Values,
    given: Given<'_>,
    watched: &[&str],
    draft: &mut Draft,
) -> Result<(), ClientError> {
    let table = table(context.model, entity)?;
    let mut new = new.clone();
    let is_same = new == old.values;
    if let (Some(version), false) = (&entity.version, is_same && given != Given::Whole) {
        let next = match old.values.get(version) {
            Some(Value::N(number)) => number.checked_add(&Number::from(1_i64)).ok(),
            _ => None,
        };
        new.insert(
            version.clone(),
            Value::N(next.unwrap_or(Number::from(1_i64))),
        );
    }
    let before = lying(context, entity, old)?;
    let after = derive(context.model, entity, &new)?;
    let (Some(main_before), Some(main_after)) = (before.first(), after.first()) else {
        return Err(ClientError::Unknown(format!("{} has no key", entity.name)));
    };
    if main_before.key != main_after.key || main_before.table != main_after.table {
        let message = format!(
            "the key of {} cannot change; delete it and put it anew",
            entity.name
        );
        return Err(ClientError::Refused(message));
    }
    let mut watched = watched.to_vec();
    watched.extend(entity.version.iter().map(String::as_str));
    let conditions = unchanged(context, entity, old, &watched)?;
    match main_step(
        table,
        entity,
        old,
        main_before,
        main_after,
        given,
        &conditions,
    ) {
        Some(main) => draft.push(main),
        None if before == after => return Ok(()),
        // Its copies or guards differ, and rest on the entity being as it was read.
        None => draft.push(Step {
            what: format!("check {}", entity.name),
            refusal: Refusal::Stale,
            table: main_after.table.clone(),
            key: main_after.key.clone(),
            conditions,
            action: StepAction::Check,
            greatest: BTreeMap::new(),
        }),
    }
    let is_kept =
        |one: &&Derived, others: &[Derived]| others.iter().any(|other| other.key == one.key);
    for gone in before.iter().skip(1).filter(|one| !is_kept(one, &after)) {
        draft.push(Step::delete(entity, gone));
    }
    for one in after.iter().skip(1) {
        if before.contains(one) {
            continue;
        }
        let is_new = !is_kept(&one, &before);
        draft.push(match &one.role {
            Role::Guard(attributes) => Step::put(
                table,
                entity,
                one.clone(),
                is_new,
                taken(entity, attributes, &new),
            ),
            Role::Main | Role::Copy(_) | Role::Part(_) => {
                Step::put(table, entity, one.clone(), false, Refusal::None)
            }
        });
    }
    draft.moves(entity, Some(&old.values), Some(&new));
    Ok(())
}

/// The change of the entity itself. None when nothing differs.
///
/// A whole entity replaces all that is there; where the model keeps something in the item, or the
/// item has attributes that the model does not name, all others are set instead, so that nothing is
/// lost.
fn main_step(
    table: &Table,
    entity: &Entity,
    old: &Stored,
    before: &Derived,
    after: &Derived,
    given: Given<'_>,
    conditions: &[Term],
) -> Option<Step> {
    let is_kept = |name: &str| {
        entity
            .attribute(name)
            .is_some_and(|attribute| attribute.is_kept)
            && entity.version.as_deref() != Some(name)
    };
    // Kept attributes stay, and so do those that the model does not name: others may have written
    // them.
    let is_named = |name: &String| {
        entity.attribute(name).is_some()
            || before.item.get(name).is_some()
            || after.item.get(name).is_some()
    };
    let keeps = entity
        .attributes
        .iter()
        .any(|attribute| is_kept(&attribute.name))
        || !old.item.iter().all(|(name, _)| is_named(name));
    if given == Given::Whole && !keeps {
        let mut step = Step::put(table, entity, after.clone(), false, Refusal::Stale);
        step.conditions = conditions.to_vec();
        return Some(step);
    }
    let mut changes = Vec::new();
    for (name, value) in &after.item {
        let in_key = after.key.get(name).is_some();
        let differs = old.item.get(name) != Some(value);
        if !in_key && !is_kept(name) {
            changes.push((name.clone(), value.clone(), differs));
        }
    }
    let gone = before
        .item
        .iter()
        .filter(|(name, _)| after.item.get(name).is_none() && !is_kept(name));
    let mut removed: Vec<String> = gone.map(|(name, _)| name.clone()).collect();
    if given != Given::Whole && removed.is_empty() && changes.iter().all(|(_, _, differs)| !differs)
    {
        return None;
    }
    // Given attributes are written although they are as they were read: another writer may have
    // changed them since.
    let is_given = |name: &str| match given {
        Given::Whole => true,
        Given::Some(names) => names.contains(&name),
    };
    if given == Given::Whole {
        // Nor does what another writer has added since stay.
        let absent = entity
            .attributes
            .iter()
            .map(|attribute| &attribute.name)
            .filter(|name| {
                after.item.get(name).is_none() && !is_kept(name) && !removed.contains(name)
            });
        let absent: Vec<String> = absent.cloned().collect();
        removed.extend(absent);
    }
    changes.retain(|(name, _, differs)| *differs || is_given(name));
    let changes = changes
        .into_iter()
        .map(|(name, value, _)| (name, Change::Set(value)))
        .collect();
    if let Given::Some(names) = given {
        let absent = names
            .iter()
            .filter(|name| after.item.get(name).is_none() && before.item.get(name).is_none());
        removed.extend(absent.map(|name| (*name).to_owned()));
    }
    Some(Step {
        what: format!("update {}", entity.name),
        refusal: Refusal::Stale,
        table: after.table.clone(),
        key: after.key.clone(),
        conditions: conditions.to_vec(),
        action: StepAction::Update { changes, removed },
        greatest: BTreeMap::new(),
    })
}
