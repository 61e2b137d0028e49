//! Consistent reads of single items: nothing is reported that a writer changed while the scan ran.

use super::assemble::Unit;
use super::form::Scope;
use crate::backend::Backend;
use crate::drive::{time_of, wait};
use crate::kinds::{Kinds, Role};
use keyfold_api::{ErrorKind, ExpressionAttributes, GetItemInput, QueryInput, Request, Response};
use keyfold_lower::capacity;
use keyfold_lower::retry::{TRIES, back_off};
use keyfold_lower::{ClientError, unexpected};
use keyfold_model::template::CHUNK_DIGITS;
use keyfold_types::{Item, Value};
use std::sync::atomic::{AtomicU64, Ordering};

/// A backend, with the units of the reads of single items.
pub(super) struct Reader<'r> {
    pub(super) backend: &'r Backend,
    /// The tables that are verified, which were there at the beginning.
    tables: Vec<String>,
    halves: AtomicU64,
}

/// What a key holds now.
pub(super) enum Now {
    /// This unit.
    Unit(Unit),
    /// No item.
    Gone,
    /// An item that changed during every attempt to read all of its parts.
    Changing,
}

impl<'r> Reader<'r> {
    pub(super) fn new(backend: &'r Backend, tables: Vec<String>) -> Reader<'r> {
        Reader {
            backend,
            tables,
            halves: AtomicU64::new(0),
        }
    }

    /// Sends a request about a table.
    ///
    /// # Errors
    /// The backend's error. `NotFound` when a table is gone that is verified: nothing can be said of
    /// what it held.
    pub(super) fn call(
        &self,
        table: &str,
        request: impl Into<Request>,
    ) -> Result<Response, ClientError> {
        let answer = self.backend.call(request.into());
        let is_gone = |error: &ClientError| error.kind() == Some(ErrorKind::ResourceNotFound);
        if answer.as_ref().is_err_and(is_gone) && self.tables.iter().any(|one| one == table) {
            return Err(ClientError::not_found(format!(
                "the table {table} was deleted while it was verified: run it again"
            )));
        }
        answer
    }

    fn add(&self, halves: u64) {
        self.halves.fetch_add(halves, Ordering::Relaxed);
    }

    /// The units, in halves, since the last call.
    pub(super) fn taken(&self) -> u64 {
        self.halves.swap(0, Ordering::Relaxed)
    }
}

/// Reads an item with strong consistency; `None` when there is none, or no such table.
///
/// # Errors
/// The backend's error.
pub(super) fn get(
    reader: &Reader<'_>,
    table: &str,
    key: &Item,
) -> Result<Option<Item>, ClientError> {
    let input = GetItemInput {
        table_name: Some(table.to_owned()),
        key: Some(Ok(key.clone())),
        consistent_read: Some(true),
        returns: capacity::requested(),
        ..GetItemInput::default()
    };
    match reader.call(table, input) {
        Ok(Response::GetItem(output)) => {
            reader.add(capacity::total(output.consumed_capacity).0);
            Ok(output.item.map(|item| item.to_item()))
        }
        Ok(_) => Err(unexpected()),
        Err(error) if error.kind() == Some(ErrorKind::ResourceNotFound) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads the unit of an item again.
///
/// # Errors
/// The backend's error.
pub(super) fn unit(reader: &Reader<'_>, scope: Scope<'_>, key: &Item) -> Result<Now, ClientError> {
    let kinds = scope.kinds;
    for tried in 0..TRIES {
        let Some(item) = get(reader, scope.name, key)? else {
            return Ok(Now::Gone);
        };
        let Some(kind) = kinds.kind_of(&item) else {
            return Ok(Now::Unit(Unit::Unknown(item)));
        };
        match kind.role {
            Role::Copy(at) => return Ok(Now::Unit(Unit::Copy(kind.at, at, item))),
            Role::Guard(at) => return Ok(Now::Unit(Unit::Guard(kind.at, at, item))),
            Role::Main => {}
        }
        let Some((start, number)) = kind.part_of(kinds.table, &item) else {
            return Ok(Now::Unit(Unit::Entity(kind.at, vec![item])));
        };
        if number > 0 {
            let first = first_part(kinds, key, start);
            return match get(reader, scope.name, &first)? {
                None => Ok(Now::Unit(Unit::Part(kind.at, item))),
                // The part is judged with its first part.
                Some(_) => unit(reader, scope, &first),
            };
        }
        let parts = parts(reader, scope, &item, start)?;
        // The parts are those of the item when it is the same before and behind them.
        if get(reader, scope.name, key)?.as_ref() == Some(&item) {
            let items = std::iter::once(item).chain(parts).collect();
            return Ok(Now::Unit(Unit::Entity(kind.at, items)));
        }
        wait(time_of(back_off(tried)));
    }
    Ok(Now::Changing)
}

/// The key of the first part of a list.
fn first_part(kinds: &Kinds<'_>, key: &Item, start: &str) -> Item {
    let mut first = key.clone();
    if let Some(column) = &kinds.table.sort {
        first.insert(column.name.as_str(), format!("{start}{:0CHUNK_DIGITS$}", 0));
    }
    first
}

/// The parts behind the first one, in order.
fn parts(
    reader: &Reader<'_>,
    scope: Scope<'_>,
    main: &Item,
    start: &str,
) -> Result<Vec<Item>, ClientError> {
    let table = scope.kinds.table;
    let Some(column) = &table.sort else {
        return Ok(Vec::new());
    };
    let partition = main.get(&table.partition.name).cloned();
    let (mut items, mut after) = (Vec::new(), None);
    loop {
        let input = QueryInput {
            table_name: Some(scope.name.to_owned()),
            key_condition_expression: Some("#p = :p AND #s BETWEEN :f AND :l".to_owned()),
            expression_attributes: ExpressionAttributes::default()
                .name("#p", &table.partition.name)
                .name("#s", &column.name)
                .value(":p", partition.clone().unwrap_or(Value::Null))
                .value(":f", Value::S(format!("{start}{:0CHUNK_DIGITS$}", 1)))
                .value(
                    ":l",
                    Value::S(format!("{start}{}", "9".repeat(CHUNK_DIGITS))),
                ),
            consistent_read: Some(true),
            returns: capacity::requested(),
            exclusive_start_key: after.take().map(Ok),
            ..QueryInput::default()
        };
        let Response::Query(output) = reader.call(scope.name, input)? else {
            return Err(unexpected());
        };
        reader.add(capacity::total(output.consumed_capacity).0);
        let found = output.items.unwrap_or_default();
        items.extend(found.iter().map(|item| item.to_item()).filter(|item| {
            let kind = scope.kinds.kind_of(item);
            let part = kind.and_then(|kind| kind.part_of(table, item));
            part.is_some_and(|(held, _)| held == start)
        }));
        match output.last_evaluated_key {
            Some(key) => after = Some(key),
            None => return Ok(items),
        }
    }
}
