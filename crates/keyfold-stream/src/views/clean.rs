//! Deletes what generations have left behind.

use super::place::{Kind, PARTITION, SORT, Space, TABLE};
use super::requests::page;
use super::rows::mark_name;
use super::state::Generation;
use crate::lease_table::LeaseTable;
use crate::world::{Io, ask};
use keyfold_api::{
    BatchWriteItemInput, DeleteItemInput, ErrorKind, ExpressionAttributes, KeySchemaElement,
    ScanInput, WriteRequest,
};
use keyfold_lower::ClientError;
use keyfold_types::{Item, Value};

/// The most items of a page: as many as a request deletes.
const PAGE: usize = 25;

/// Deletes a generation: its items of all kinds, the leases of its consumers, and the records that they
/// have set aside. They are in the rows of the generation that has taken its place.
///
/// # Errors
/// The backend's.
pub(crate) async fn generation(
    io: &dyn Io,
    view: &str,
    gone: &Generation,
    (leases, failures): (&str, &str),
) -> Result<(), ClientError> {
    let space = Space {
        view: view.to_owned(),
        generation: gone.number,
    };
    for kind in Kind::ALL {
        for partition in space.partitions(kind) {
            clear(io, TABLE, [PARTITION, SORT], &partition).await?;
        }
    }
    for table in &gone.streams {
        let leases = LeaseTable {
            table: leases.to_owned(),
            consumer: gone.consumer(view, table),
        };
        let names = [crate::lease::CONSUMER, crate::lease::LEASE];
        clear(io, &leases.table, names, &leases.consumer).await?;
        if crate::tables::described(io, failures).await?.is_some() {
            let names = [crate::lease::CONSUMER, crate::failures::RECORD];
            clear(io, failures, names, &leases.consumer).await?;
        }
    }
    Ok(())
}

/// Whether there are items of which records were set aside, and no later one was handled.
///
/// # Errors
/// The backend's.
pub(crate) async fn has_aside(
    io: &dyn Io,
    view: &str,
    generation: u64,
) -> Result<bool, ClientError> {
    let space = Space {
        view: view.to_owned(),
        generation,
    };
    for partition in space.partitions(Kind::Aside) {
        let names = (TABLE, [PARTITION, SORT]);
        let asked = (partition.as_str(), "");
        let (items, _) = page(io, names, asked, None, Some(1)).await?;
        if !items.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Deletes what items gave while a generation was built.
///
/// # Errors
/// The backend's.
pub(crate) async fn items(io: &dyn Io, view: &str, generation: u64) -> Result<(), ClientError> {
    let space = Space {
        view: view.to_owned(),
        generation,
    };
    for partition in space.partitions(Kind::Items) {
        clear(io, TABLE, [PARTITION, SORT], &partition).await?;
    }
    Ok(())
}

/// Deletes all items of a partition.
async fn clear(
    io: &dyn Io,
    table: &str,
    names: [&str; 2],
    partition: &str,
) -> Result<(), ClientError> {
    loop {
        let asked = (partition, "");
        let (items, _) = page(io, (table, names), asked, None, Some(PAGE)).await?;
        if items.is_empty() {
            return Ok(());
        }
        let deletions = items.iter().map(|item| {
            let key = names.into_iter().filter_map(|name| {
                let held = item.get(name)?;
                Some((name, held.clone()))
            });
            WriteRequest {
                put: None,
                delete: Some(Some(Ok(key.collect::<Item>()))),
            }
        });
        let input = BatchWriteItemInput {
            request_items: Some(vec![(table.to_owned(), deletions.collect())]),
            ..BatchWriteItemInput::default()
        };
        ask(io, input).await?;
    }
}

/// Deletes the rows of a view that are of generations before, on a page of a table. Returns where the
/// next page begins. Rows of a later one stay: a worker that slept is behind it.
///
/// # Errors
/// The backend's.
pub(crate) async fn rows(
    io: &dyn Io,
    table: &str,
    space: &Space,
    after: Option<Item>,
) -> Result<Option<Item>, ClientError> {
    let Some(found) = crate::tables::described(io, table).await? else {
        return Ok(None);
    };
    let names = found.key_schema.unwrap_or_default().into_iter();
    let names = names.filter_map(|KeySchemaElement { attribute_name, .. }| attribute_name);
    let names: Vec<String> = names.collect();
    let attributes = ExpressionAttributes::default()
        .name("#m", mark_name())
        .value(":m", space.mark())
        .value(":v", format!("{} ", space.view));
    let input = ScanInput {
        table_name: Some(table.to_owned()),
        consistent_read: Some(true),
        exclusive_start_key: after.map(Ok),
        filter_expression: Some("begins_with(#m, :v) AND #m <> :m".to_owned()),
        expression_attributes: attributes,
        ..ScanInput::default()
    };
    let page = ask(io, input).await?;
    for item in page.items.unwrap_or_default() {
        let item = item.to_item();
        if item
            .get(&mark_name())
            .is_some_and(|mark| space.is_behind(mark))
        {
            row(io, table, &names, &item).await?;
        }
    }
    Ok(page.last_evaluated_key)
}

/// Deletes a row, if it is still of the generation that it was of.
async fn row(io: &dyn Io, table: &str, names: &[String], item: &Item) -> Result<(), ClientError> {
    let key = names.iter().filter_map(|name| {
        let held = item.get(name)?;
        Some((name.clone(), held.clone()))
    });
    let seen = item.get(&mark_name()).cloned().unwrap_or(Value::Null);
    let input = DeleteItemInput {
        table_name: Some(table.to_owned()),
        key: Some(Ok(key.collect())),
        condition_expression: Some("#m = :m".to_owned()),
        expression_attributes: ExpressionAttributes::default()
            .name("#m", mark_name())
            .value(":m", seen),
        ..DeleteItemInput::default()
    };
    match ask(io, input).await {
        Err(error) if error.kind() != Some(ErrorKind::ConditionalCheckFailed) => Err(error),
        Ok(_) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::{Threads, sends};
    use keyfold_api::PutItemInput;
    use keyfold_client::{Backend, blocked};
    use keyfold_engine::{Engine, EngineOptions, StoreOptions};
    use std::sync::Arc;

    /// A builder that slept while generations behind its own became live deletes none of their rows.
    #[test]
    fn only_rows_of_generations_before_are_deleted() {
        let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
        let io = Threads::new(sends(Arc::new(Backend::Embedded(Arc::new(engine)))));
        blocked(crate::tables::ensure(&*io, "Rows", &[PARTITION, SORT])).unwrap();
        let marks = [
            "v 1", "v 2", "v 9", "v 10", "v 11", "v 100", "w 1", "v x", "v",
        ];
        for mark in marks {
            let mut item = super::super::place::key(mark, "row");
            item.insert(mark_name(), mark);
            let put = PutItemInput {
                table_name: Some("Rows".to_owned()),
                item: Some(Ok(item)),
                ..PutItemInput::default()
            };
            blocked(ask(&*io, put)).unwrap();
        }
        let space = Space {
            view: "v".to_owned(),
            generation: 10,
        };
        assert_eq!(blocked(rows(&*io, "Rows", &space, None)).unwrap(), None);
        let left = marks.into_iter().filter(|mark| {
            let asked = (*mark, "");
            let names = ("Rows", [PARTITION, SORT]);
            !blocked(page(&*io, names, asked, None, None))
                .unwrap()
                .0
                .is_empty()
        });
        let left: Vec<&str> = left.collect();
        assert_eq!(left, ["v 10", "v 11", "v 100", "w 1", "v x", "v"]);
    }
}
