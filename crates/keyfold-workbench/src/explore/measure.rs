//! How big the collections and the items of a table are, page by page. The page asks for the next one, adds up what
//! it is told, and may stop.

use super::exchange::send;
use super::fault::Fault;
use super::place::Place;
use super::typed;
use keyfold_api::{Response, ScanInput};
use keyfold_lower::{capacity, unexpected};
use keyfold_types::{Item, Value};
use serde::Deserialize;
use serde_json::{Value as Json, json};

/// The largest items of a page that are named.
const ITEMS_MAX: usize = 10;

/// What the page asks.
#[derive(Deserialize)]
pub(super) struct Asked {
    table: String,
    /// The names of the key attributes: the partition's, and the sort key's if there is one.
    keys: Vec<String>,
    /// The key behind which it goes on; none to begin.
    after: Option<Json>,
}

/// The items of a page that have one partition key, which lie together.
struct Collection {
    partition: Value,
    items: u64,
    bytes: u64,
}

/// Measures a page of the table.
pub(super) fn page(place: &Place, asked: &Asked) -> Result<Json, Fault> {
    let Some(partition) = asked.keys.first() else {
        return Err(Fault::because("a table has a key".to_owned()));
    };
    let exclusive_start_key = asked.after.as_ref().map(typed::read).transpose()?.map(Ok);
    let input = ScanInput {
        table_name: Some(asked.table.clone()),
        exclusive_start_key,
        returns: capacity::requested(),
        ..ScanInput::default()
    };
    let Response::Scan(output) = send(place, input.into(), &mut Vec::new())? else {
        return Err(unexpected().into());
    };
    let mut collections: Vec<Collection> = Vec::new();
    let mut sizes: Vec<(u64, Item)> = Vec::new();
    for raw in output.items.unwrap_or_default() {
        let item = raw.to_item();
        let bytes = item.size_bytes();
        let held = item.get(partition).cloned().unwrap_or(Value::Null);
        match collections.last_mut() {
            Some(last) if last.partition == held => {
                last.items += 1;
                last.bytes += bytes;
            }
            Some(_) | None => collections.push(Collection {
                partition: held,
                items: 1,
                bytes,
            }),
        }
        let is_large =
            sizes.len() < ITEMS_MAX || sizes.last().is_some_and(|(least, _)| bytes > *least);
        if is_large {
            let names = asked.keys.iter();
            let key = names.filter_map(|name| Some((name.as_str(), item.get(name)?.clone())));
            sizes.push((bytes, Item::from_iter(key)));
            sizes.sort_by_key(|(bytes, _)| std::cmp::Reverse(*bytes));
            sizes.truncate(ITEMS_MAX);
        }
    }
    let collections = collections.iter().map(|one| {
        json!({ "partition": typed::value(&one.partition), "items": one.items, "bytes": one.bytes })
    });
    let items = sizes
        .iter()
        .map(|(bytes, key)| json!({ "key": typed::item(key), "bytes": bytes }));
    Ok(json!({
        "collections": collections.collect::<Vec<_>>(),
        "items": items.collect::<Vec<_>>(),
        "units": capacity::total(output.consumed_capacity).units(),
        "next": output.last_evaluated_key.as_ref().map(typed::item),
    }))
}
