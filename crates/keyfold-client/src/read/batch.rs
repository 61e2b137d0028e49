//! Several items by their keys: BatchGetItem, in the order of the given ids.

use super::answer::{Asked, Raw};
use super::question::Question;
use super::request::{is_absent, key_of, projection, table_name};
use crate::backend::unexpected;
use crate::capacity;
use crate::error::ClientError;
use crate::expression::Placeholders;
use keyfold_api::{BatchGetItemInput, KeysAndAttributes, Response};
use keyfold_model::Pattern;
use keyfold_model::schema::Limit;
use keyfold_types::limits::BATCH_GET_KEYS_MAX;
use keyfold_types::{Item, Value};

/// The most requests for keys that the backend leaves unprocessed.
const TRIES: u32 = 16;

/// Reads the items of the pattern's list of ids. Absent items are left out.
pub(super) fn get(question: &Question<'_>, pattern: &Pattern) -> Result<Raw, ClientError> {
    let list = pattern
        .parameters
        .iter()
        .find(|parameter| parameter.limit == Limit::Among);
    let list =
        list.ok_or_else(|| ClientError::Unknown(format!("{} has no list of ids", pattern.name)))?;
    let Some(Value::L(ids)) = question.arguments.get(&list.name) else {
        return Err(ClientError::missing("the pattern", &list.name));
    };
    // Each key with its table. An id that is given twice is read once.
    let mut wanted: Vec<(String, Item)> = Vec::new();
    for id in ids {
        let mut arguments = question.arguments.clone();
        arguments.insert(list.attribute.clone(), id.clone());
        let one = (
            table_name(question, &arguments)?,
            key_of(question, &arguments)?,
        );
        if !wanted.contains(&one) {
            wanted.push(one);
        }
    }
    let mut raw = Raw {
        asked: Asked {
            operation: "BatchGetItem".to_owned(),
            place: question.table.name.clone(),
            condition: format!("{} keys", wanted.len()),
            modifiers: String::new(),
        },
        ..Raw::default()
    };
    let mut found: Vec<(String, Item)> = Vec::new();
    for batch in wanted.chunks(BATCH_GET_KEYS_MAX) {
        read_batch(question, batch, &mut raw, &mut found)?;
    }
    for (table, key) in &wanted {
        raw.items.extend(at_key(&found, table, key));
    }
    Ok(raw)
}

/// The item with this key among those that were read, each with its table.
pub(super) fn at_key(found: &[(String, Item)], table: &str, key: &Item) -> Option<Item> {
    let is_it = |(place, item): &&(String, Item)| {
        place == table
            && key
                .iter()
                .all(|(name, value)| item.get(name) == Some(value))
    };
    found.iter().find(is_it).map(|(_, item)| item.clone())
}

/// The part of a request that reads the item with this key, and other items of its table.
pub(super) fn keys(question: &Question<'_>, key: Item) -> KeysAndAttributes {
    let mut made = Placeholders::default();
    let projection_expression = projection(question, &mut made);
    KeysAndAttributes {
        keys: Some(vec![Ok(key)]),
        consistent_read: question.plan.strong.then_some(true),
        projection_expression,
        expression_attributes: made.finish(),
        ..KeysAndAttributes::default()
    }
}

/// Reads one batch of keys, each with its table.
fn read_batch(
    question: &Question<'_>,
    batch: &[(String, Item)],
    raw: &mut Raw,
    found: &mut Vec<(String, Item)>,
) -> Result<(), ClientError> {
    let mut request_items: Vec<(String, KeysAndAttributes)> = Vec::new();
    for (table, key) in batch {
        match request_items.iter_mut().find(|(name, _)| name == table) {
            Some((_, known)) => known.keys.get_or_insert_default().push(Ok(key.clone())),
            None => request_items.push((table.clone(), keys(question, key.clone()))),
        }
    }
    // One absent table of a period would fail the request for all tables.
    if question.table.period.is_some() && request_items.len() > 1 {
        for one in request_items {
            ask(question, vec![one], raw, found)?;
        }
        return Ok(());
    }
    ask(question, request_items, raw, found)
}

/// Sends one request, and sends the keys that the backend leaves unprocessed again.
pub(super) fn ask(
    question: &Question<'_>,
    mut request_items: Vec<(String, KeysAndAttributes)>,
    raw: &mut Raw,
    found: &mut Vec<(String, Item)>,
) -> Result<(), ClientError> {
    for tried in 0..TRIES {
        if request_items.is_empty() {
            return Ok(());
        }
        let input = BatchGetItemInput {
            request_items: Some(request_items),
            returns: capacity::requested(),
        };
        raw.requests += 1;
        let output = match question.backend.call(input.into()) {
            Ok(Response::BatchGetItem(output)) => output,
            Ok(_) => return Err(unexpected()),
            Err(error) if is_absent(question, &error) => return Ok(()),
            Err(error) => return Err(error),
        };
        raw.capacity += capacity::total(output.consumed_capacity.into_iter().flatten());
        for (table, items) in output.responses {
            found.extend(items.iter().map(|item| (table.clone(), item.to_item())));
        }
        request_items = output.unprocessed_keys;
        if !request_items.is_empty() && tried > 0 {
            std::thread::sleep(std::time::Duration::from_millis(fastrand::u64(
                1..=20 << tried.min(6),
            )));
        }
    }
    Err(ClientError::Transport(
        "the backend left keys unprocessed again and again; try again later".to_owned(),
    ))
}
