//! Several items by their keys: BatchGetItem, in the order of the given ids.

use super::answer::{Asked, Raw};
use super::question::Question;
use super::request::{key_of, projection, table_name};
use crate::capacity;
use crate::error::{ClientError, unexpected};
use crate::expression::Placeholders;
use crate::lookup::{Found, Placed, Spot, first_positions};
use crate::lowering::{Io, Pause, together};
use keyfold_api::{BatchGetItemInput, ErrorKind, KeysAndAttributes, Response};
use keyfold_model::schema::Limit;
use keyfold_model::{Pattern, Table};
use keyfold_types::limits::BATCH_GET_KEYS_MAX;
use keyfold_types::{Item, Value};

/// The most requests for keys that the backend leaves unprocessed.
const TRIES: u32 = 16;

/// Reads the items of the pattern's list of ids. Absent items are left out.
pub(super) async fn get(question: &Question<'_>, pattern: &Pattern) -> Result<Raw, ClientError> {
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
        wanted.push(one);
    }
    let wanted = distinct(&wanted);
    let mut raw = Raw {
        asked: Asked {
            operation: "BatchGetItem".to_owned(),
            place: question.table.name.clone(),
            condition: format!("{} keys", wanted.len()),
            modifiers: String::new(),
        },
        ..Raw::default()
    };
    let batches = wanted
        .chunks(BATCH_GET_KEYS_MAX)
        .flat_map(|batch| requests(question, batch));
    let found = ask_all(question, batches, &mut raw).await?;
    let columns = columns(question.table);
    let found = Found::new(&found, &columns);
    for (table, key) in wanted {
        raw.items.extend(found.at(&Placed(table, key)).cloned());
    }
    Ok(raw)
}

/// The places, each once, in the order of their first ones.
pub(super) fn distinct(places: &[(String, Item)]) -> Vec<(String, Item)> {
    let first = first_positions(places.iter().map(|(table, key)| Spot(table, key)));
    let mut first: Vec<usize> = first.into_values().collect();
    first.sort_unstable();
    let first = first.into_iter().filter_map(|at| places.get(at));
    first.cloned().collect()
}

/// The names of the attributes of a table's key.
pub(super) fn columns(table: &Table) -> Vec<&str> {
    table.columns().map(|column| column.name.as_str()).collect()
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

/// What one request reads: keys of tables.
pub(super) type Wanted = Vec<(String, KeysAndAttributes)>;

/// The requests that read one batch of keys, each with its table.
fn requests(question: &Question<'_>, batch: &[(String, Item)]) -> Vec<Wanted> {
    let mut request_items: Wanted = Vec::new();
    for (table, key) in batch {
        match request_items.iter_mut().find(|(name, _)| name == table) {
            Some((_, known)) => known.keys.get_or_insert_default().push(Ok(key.clone())),
            None => request_items.push((table.clone(), keys(question, key.clone()))),
        }
    }
    // One absent table of a period would fail the request for all tables.
    if question.table.period.is_some() && request_items.len() > 1 {
        return request_items.into_iter().map(|one| vec![one]).collect();
    }
    vec![request_items]
}

/// Sends requests at the same time. Returns their items, each with its table.
pub(super) async fn ask_all(
    question: &Question<'_>,
    requests: impl IntoIterator<Item = Wanted>,
    raw: &mut Raw,
) -> Result<Vec<(String, Item)>, ClientError> {
    let mut all = Vec::new();
    let parts = requests.into_iter().map(|one| ask(question, one));
    for answer in together(parts).await {
        let (found, cost) = answer?;
        raw.requests += cost.requests;
        raw.capacity += cost.capacity;
        all.extend(found);
    }
    Ok(all)
}

/// Sends one request. Returns the items, each with its table, and the cost.
async fn ask(
    question: &Question<'_>,
    wanted: Wanted,
) -> Result<(Vec<(String, Item)>, Raw), ClientError> {
    fetch(question.io, question.table.period.is_some(), wanted).await
}

/// Sends one request, and sends the keys that the backend leaves unprocessed again. A table of a
/// period that does not exist has no items. Returns the items, each with its table, and the cost.
pub(super) async fn fetch(
    io: &Io,
    has_periods: bool,
    mut request_items: Wanted,
) -> Result<(Vec<(String, Item)>, Raw), ClientError> {
    let (mut found, mut raw) = (Vec::new(), Raw::default());
    for tried in 0..TRIES {
        if request_items.is_empty() {
            return Ok((found, raw));
        }
        let input = BatchGetItemInput {
            request_items: Some(request_items),
            returns: capacity::requested(),
        };
        raw.requests += 1;
        let output = match io.ask(input.into()).await {
            Ok(Response::BatchGetItem(output)) => output,
            Ok(_) => return Err(unexpected()),
            Err(error) if has_periods && error.kind() == Some(ErrorKind::ResourceNotFound) => {
                return Ok((found, raw));
            }
            Err(error) => return Err(error),
        };
        raw.capacity += capacity::total(output.consumed_capacity.into_iter().flatten());
        for (table, items) in output.responses {
            found.extend(items.iter().map(|item| (table.clone(), item.to_item())));
        }
        request_items = output.unprocessed_keys;
        if !request_items.is_empty() && tried > 0 {
            let pause = Pause {
                least_ms: 1,
                most_ms: 20 << tried.min(6),
            };
            io.pause(pause).await;
        }
    }
    Err(ClientError::Transport(
        "the backend left keys unprocessed again and again; try again later".to_owned(),
    ))
}
