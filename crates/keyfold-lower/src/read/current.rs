//! Unique items in an index that is late: it may still show an item that had the value before. The
//! table decides.

use super::answer::Raw;
use super::assemble::Kinds;
use super::question::Question;
use super::request::table_name;
use crate::arguments::Values;
use crate::capacity;
use crate::error::{ClientError, unexpected};
use crate::retry::{TRIES, back_off};
use crate::stored::values_of;
use keyfold_api::{Response, TransactGet, TransactGetItemsInput};
use keyfold_model::schema::{Limit, SortCondition, Unique};
use keyfold_model::template::Part;
use keyfold_model::{Entity, Format, Pattern, value};
use keyfold_types::limits::TRANSACTION_ACTIONS_MAX;
use keyfold_types::{Item, Value};

/// Keeps the entries of a single item's index whose item in the table has the unique values that the
/// pattern gives. The guard allows one at each moment, and the items are read as they are at one
/// moment.
pub(super) async fn keep(
    question: &Question<'_>,
    pattern: &Pattern,
    kinds: &Kinds<'_>,
    raw: &mut Raw,
) -> Result<(), ClientError> {
    let Some((entity, copy)) = kinds.only() else {
        return Ok(());
    };
    let Some(unique) = unique(pattern, entity, &question.arguments) else {
        return Ok(());
    };
    if question.plan.index.is_none() && !entity.moves() {
        return Ok(());
    }
    let groups = kinds.groups(&raw.items);
    // All parts are of one item.
    if groups.len() < 2 {
        return Ok(());
    }
    let mut keys: Vec<Item> = Vec::new();
    let mut found: Vec<Vec<Item>> = Vec::new();
    for members in groups.into_iter().filter_map(|group| raw.items.get(group)) {
        let Some(main) = kinds.main_of(members) else {
            continue;
        };
        let key = own_key(question, main);
        if !keys.contains(&key) {
            keys.push(key);
            found.push(members.to_vec());
        }
    }
    // So many former owners there are not: the check of the whole answer refuses it.
    if keys.len() > TRANSACTION_ACTIONS_MAX {
        return Ok(());
    }
    let mut current = Vec::new();
    for (members, item) in found.into_iter().zip(read(question, &keys, raw).await?) {
        let Some(item) = item else { continue };
        let names = unique.attributes();
        let values = values_of(question.table, entity, copy, names, &[item])?;
        let has = |name: &str| {
            let (held, given) = (values.get(name), question.arguments.get(name));
            held == given || (in_small_letters(question, name) && lower(held) == lower(given))
        };
        if unique.attributes().all(has) {
            current.extend(members);
        }
    }
    raw.items = current;
    Ok(())
}

/// Whether the key that is read holds an attribute in small letters only.
fn in_small_letters(question: &Question<'_>, name: &str) -> bool {
    let sort = match &question.plan.sort {
        SortCondition::Any => None,
        SortCondition::Equal(sort)
        | SortCondition::BeginsWith(sort)
        | SortCondition::Between(sort, _)
        | SortCondition::AtLeast(sort)
        | SortCondition::AtMost(sort) => Some(sort),
    };
    let templates = question.plan.partition.iter().chain(sort);
    let mut formats = templates
        .flat_map(|template| &template.parts)
        .filter_map(|part| match part {
            Part::Field {
                name: field,
                format,
                ..
            } => (field == name).then_some(*format),
            Part::Text(_) | Part::Shard { .. } | Part::Chunk | Part::Break => None,
        })
        .peekable();
    formats.peek().is_some() && formats.all(|format| format == Format::Lower)
}

/// A text in small letters.
fn lower(held: Option<&Value>) -> Option<String> {
    match held {
        Some(Value::S(text)) => Some(value::lower(text)),
        Some(
            Value::N(_)
            | Value::B(_)
            | Value::Bool(_)
            | Value::Null
            | Value::L(_)
            | Value::M(_)
            | Value::Ss(_)
            | Value::Ns(_)
            | Value::Bs(_),
        )
        | None => None,
    }
}

/// The unique attributes that a pattern gives.
fn unique<'e>(pattern: &Pattern, entity: &'e Entity, arguments: &Values) -> Option<&'e Unique> {
    let is_given = |name: &str| {
        let mut parameters = pattern.parameters.iter();
        let is_equal = parameters.any(|one| one.limit == Limit::Equal && one.attribute == name);
        let is_fixed = pattern.fixed.iter().any(|(fixed, _)| fixed == name);
        (is_equal || is_fixed) && arguments.contains_key(name)
    };
    let mut uniques = entity.uniques.iter();
    uniques.find(|unique| unique.attributes().all(is_given))
}

/// The key of an item in the table.
fn own_key(question: &Question<'_>, item: &Item) -> Item {
    let mut key = Item::new();
    for column in question.table.columns() {
        if let Some(value) = item.get(&column.name) {
            key.insert(column.name.as_str(), value.clone());
        }
    }
    key
}

/// Reads the items with these keys as they are at one moment.
async fn read(
    question: &Question<'_>,
    keys: &[Item],
    raw: &mut Raw,
) -> Result<Vec<Option<Item>>, ClientError> {
    let name = table_name(question, &question.arguments)?;
    let gets = keys.iter().map(|key| TransactGet {
        table_name: Some(name.clone()),
        key: Some(Ok(key.clone())),
        ..TransactGet::default()
    });
    let input = TransactGetItemsInput {
        transact_items: Some(gets.collect()),
        returns: capacity::requested(),
    };
    for tried in 0..TRIES {
        raw.requests += 1;
        match question.io.ask(input.clone().into()).await {
            Ok(Response::TransactGetItems(output)) => {
                raw.capacity += capacity::total(output.consumed_capacity.into_iter().flatten());
                let items = output.responses.into_iter();
                return Ok(items.map(|item| item.map(|item| item.to_item())).collect());
            }
            Ok(_) => return Err(unexpected()),
            Err(error) if error.is_conflict() => question.io.pause(back_off(tried)).await,
            Err(error) => return Err(error),
        }
    }
    Err(ClientError::Overtaken(format!(
        "the items of {} were written {TRIES} times in a row while they were read; try again",
        question.table.name
    )))
}
