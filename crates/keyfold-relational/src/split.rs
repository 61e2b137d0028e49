//! Entities whose list is stored over several items, by their keys: the first item says how many there are.

use crate::mapping::Mapped;
use crate::patient::patient;
use keyfold_api::{ErrorKind, GetItemInput, Request, Response};
use keyfold_client::{Backend, ClientError};
use keyfold_lower::arguments::Values;
use keyfold_lower::derive::Place;
use keyfold_lower::stored::{is_as_written, parts_attribute, values_of};
use keyfold_model::value::CHUNK;
use keyfold_types::{Item, Value};

/// How often an entity is read whose items are not of one write.
const TRIES: u32 = 10;

/// The attributes of an entity; `None` where there is none.
pub(crate) fn stored(
    backend: &Backend,
    mapped: &Mapped<'_>,
    key: &Values,
) -> Result<Option<Values>, ClientError> {
    let entity = mapped.entity;
    for _ in 0..TRIES {
        let Some(first) = item(backend, mapped, key, 0)? else {
            return Ok(None);
        };
        let list = entity.split.as_ref().map_or("", |(name, _)| name.as_str());
        let count = match first.get(&parts_attribute(list)) {
            Some(Value::N(count)) => count.to_string().parse().unwrap_or(1),
            _ => 1,
        };
        let mut items = vec![first];
        for number in 1..count {
            items.extend(item(backend, mapped, key, number)?);
        }
        let table = keyfold_lower::derive::table(mapped.model, entity)?;
        let names = entity.attributes.iter().map(|one| one.name.as_str());
        let values = values_of(table, entity, None, names, &items)?;
        let is_whole = items
            .first()
            .is_some_and(|first| is_as_written(entity, first, &values));
        if is_whole {
            return Ok(Some(values));
        }
    }
    // It is not what a row says either way.
    Ok(Some(key.clone()))
}

/// One of the items.
fn item(
    backend: &Backend,
    mapped: &Mapped<'_>,
    key: &Values,
    number: i64,
) -> Result<Option<Item>, ClientError> {
    let mut values = key.clone();
    values.insert(CHUNK.to_owned(), Value::from(number));
    let place = Place::of(mapped.model, mapped.entity, &values)?;
    let get = || -> Request {
        GetItemInput {
            table_name: Some(place.table_name.clone()),
            key: Some(Ok(place.key.clone())),
            consistent_read: Some(true),
            ..GetItemInput::default()
        }
        .into()
    };
    match patient(|| backend.call(get())) {
        Ok(Response::GetItem(output)) => Ok(output.item.map(|item| item.to_item())),
        Ok(_) => Ok(None),
        // The table of a period in which nothing was written.
        Err(error) if error.kind() == Some(ErrorKind::ResourceNotFound) => Ok(None),
        Err(error) => Err(error),
    }
}
