//! The tables that consumers keep beside those of the program.

use crate::world::{Io, ask};
use keyfold_api::{
    AttributeDefinition, BillingMode, CreateTableInput, DescribeTableInput, ErrorKind,
    KeySchemaElement, KeyType, ListTablesInput, Named, ScalarAttributeType, TableDescription,
    TableStatus, TransactWriteItemsInput, known,
};
use keyfold_lower::ClientError;
use std::time::Duration;

/// The most times that a new table is asked for, until it is active.
const ACTIVE_TRIES: u32 = 240;
/// The time between two of them.
const ACTIVE_PAUSE: Duration = Duration::from_millis(250);

/// Creates a table with one or two text keys, if it is absent, and waits until it is active.
///
/// # Errors
/// The backend's; `TableDiffers` when the table exists with another key.
pub async fn ensure(io: &dyn Io, table: &str, keys: &[&str]) -> Result<(), ClientError> {
    for tried in 0..ACTIVE_TRIES {
        match described(io, table).await? {
            Some(found) if known(&found.table_status) == Some(TableStatus::Active) => {
                return check(&found, table, keys);
            }
            Some(_) => {}
            None if tried == 0 => match ask(io, definition(table, keys)).await {
                Ok(_) => {}
                // Another worker was faster, or the table shows whether it was made.
                Err(error) if error.kind() == Some(ErrorKind::ResourceInUse) => {}
                Err(ClientError::OutcomeUnknown { .. }) => {}
                Err(error) => return Err(error),
            },
            None => {}
        }
        io.pause(ACTIVE_PAUSE).await;
    }
    Err(ClientError::refused(format!(
        "the table {table} is not active yet: start again when it is"
    )))
}

/// As [`ensure`], for rows that move in the transactions of items: an endpoint that has none is refused
/// before anything is made.
///
/// # Errors
/// As [`ensure`]; `Refused` when the endpoint has no TransactWriteItems.
pub async fn ensure_for_transactions(
    io: &dyn Io,
    table: &str,
    keys: &[&str],
) -> Result<(), ClientError> {
    if described(io, table).await?.is_none() {
        check_transactions(io).await?;
    }
    ensure(io, table, keys).await
}

/// Whether an endpoint has transactions: nothing is written by a request without actions, which it refuses.
///
/// # Errors
/// `Refused` when it has no TransactWriteItems.
pub async fn check_transactions(io: &dyn Io) -> Result<(), ClientError> {
    let empty = TransactWriteItemsInput {
        transact_items: Some(Vec::new()),
        ..TransactWriteItemsInput::default()
    };
    match ask(io, empty).await {
        Err(error) if error.kind() == Some(ErrorKind::UnknownOperation) => {
            Err(ClientError::refused(
                "the endpoint has no TransactWriteItems, in which items and the checkpoints of them are written \
                 together: nothing was made",
            ))
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

/// The description of a table; `None` when there is none.
///
/// # Errors
/// The backend's.
pub async fn described(io: &dyn Io, table: &str) -> Result<Option<TableDescription>, ClientError> {
    let input = DescribeTableInput {
        table_name: Some(table.to_owned()),
    };
    match ask(io, input).await {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == Some(ErrorKind::ResourceNotFound) => Ok(None),
        Err(error) => Err(error),
    }
}

/// What distinguishes a table from another one of its name: its id, or its ARN and when it was made.
pub fn identity(description: &TableDescription) -> String {
    match &description.table_id {
        Some(id) => id.clone(),
        None => {
            let arn = description.table_arn.as_deref().unwrap_or_default();
            let made_ms = description.creation_date_time.map_or(0, |moment| moment.0);
            format!("{arn} {made_ms}")
        }
    }
}

/// The names of all tables.
///
/// # Errors
/// The backend's.
pub async fn names(io: &dyn Io) -> Result<Vec<String>, ClientError> {
    let mut names = Vec::new();
    let mut after = None;
    loop {
        let input = ListTablesInput {
            exclusive_start_table_name: after,
            ..ListTablesInput::default()
        };
        let page = ask(io, input).await?;
        names.extend(page.table_names.unwrap_or_default());
        after = page.last_evaluated_table_name;
        if after.is_none() {
            return Ok(names);
        }
    }
}

fn definition(table: &str, keys: &[&str]) -> CreateTableInput {
    let attribute = |name: &&str| AttributeDefinition {
        attribute_name: Some((*name).to_owned()),
        attribute_type: Some(Named::Known(ScalarAttributeType::S)),
    };
    CreateTableInput {
        table_name: Some(table.to_owned()),
        attribute_definitions: Some(keys.iter().map(attribute).collect()),
        key_schema: Some(schema(keys)),
        billing_mode: Some(Named::Known(BillingMode::PayPerRequest)),
        ..CreateTableInput::default()
    }
}

fn schema(keys: &[&str]) -> Vec<KeySchemaElement> {
    let element = |(name, kind): (&&str, KeyType)| KeySchemaElement {
        attribute_name: Some((*name).to_owned()),
        key_type: Some(Named::Known(kind)),
    };
    let kinds = [KeyType::Hash, KeyType::Range];
    keys.iter().zip(kinds).map(element).collect()
}

fn check(found: &TableDescription, table: &str, keys: &[&str]) -> Result<(), ClientError> {
    if found.key_schema.as_ref() == Some(&schema(keys)) {
        return Ok(());
    }
    Err(ClientError::TableDiffers {
        table: table.to_owned(),
        differences: vec![format!("its key is not ({})", keys.join(", "))],
    })
}
