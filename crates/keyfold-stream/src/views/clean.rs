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

/// Deletes a generation: its items of all kinds, and the leases of its consumers.
///
/// # Errors
/// The backend's.
pub(crate) async fn generation(
    io: &dyn Io,
    view: &str,
    gone: &Generation,
    leases: &str,
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
    }
    Ok(())
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

/// Deletes the rows of a view that are of another generation, on a page of a table. Returns where the
/// next page begins.
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
        row(io, table, &names, &item.to_item()).await?;
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
