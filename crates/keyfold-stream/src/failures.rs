//! Records that failed each time, in a table of their own: listed, and replayed.
//!
//! | attribute | content |
//! |---|---|
//! | `consumer` | the consumer's name; partition key |
//! | `record` | the stream, the shard and the sequence number; sort key |
//! | `why` | the cause |
//! | `at` | the moment, milliseconds since 1970 |
//! | `content` | the record as GetRecords returned it, deflated; its first part, where it is large |
//! | `parts` | the number of further items, with `record` and the number of the part as sort key |

use crate::crew::Crew;
use crate::handler::{ACTIONS_MAX, Failure, Handler, Record, What};
use crate::joined::Joined;
use crate::lease::{CONSUMER, Lease, key_item, number};
use crate::tables;
use crate::world::{Io, ask};
use flate2::Compression;
use flate2::read::{DeflateDecoder, DeflateEncoder};
use keyfold_api::{
    ErrorKind, ExpressionAttributes, GetRecordsOutput, Operation, QueryInput, Response,
    TransactDelete, TransactPut, TransactWriteItem, TransactWriteItemsInput,
};
use keyfold_lower::ClientError;
use keyfold_types::{Item, Value};
use std::io::Read;

pub(crate) const RECORD: &str = "record";
const WHY: &str = "why";
const AT: &str = "at";
const CONTENT: &str = "content";
const PARTS: &str = "parts";
/// The most bytes of a record in one item.
const PART_BYTES: usize = 300_000;
/// The most bytes of a record: two images of 400 KB, whose binary values grow in JSON.
const RECORD_BYTES_MAX: u64 = 16 << 20;
/// The most characters of a cause.
const WHY_MAX: usize = 4_000;

/// A record that was set aside.
#[derive(Debug, Clone, PartialEq)]
pub struct SetAside {
    /// The stream, the shard and the sequence number.
    pub id: String,
    /// The cause.
    pub why: String,
    /// The moment at which it was set aside, milliseconds since 1970.
    pub at_epoch_ms: u64,
    /// The record.
    pub record: Record,
    /// The number of items that hold it.
    parts: usize,
}

/// Creates the table if it is absent.
///
/// # Errors
/// The backend's.
pub(crate) async fn ensure(io: &dyn Io, table: &str) -> Result<(), ClientError> {
    tables::ensure(io, table, &[CONSUMER, RECORD]).await
}

/// The actions that store a record.
pub(crate) fn actions(
    crew: &Crew,
    lease: &Lease,
    record: &Record,
    why: &str,
) -> Vec<TransactWriteItem> {
    let id = format!("{} {}", lease.key.text(), record.number());
    let content = content(record);
    let parts: Vec<&[u8]> = content.chunks(PART_BYTES).collect();
    let at = u64::try_from(crew.world.epoch_ms()).unwrap_or_default();
    let item = |(at_part, bytes): (usize, &&[u8])| {
        let key = part_id(&id, at_part);
        let mut item = key_of(&crew.options.name, &key);
        item.insert(CONTENT, Value::B(bytes.to_vec()));
        if at_part == 0 {
            item.insert(WHY, why.chars().take(WHY_MAX).collect::<String>());
            item.insert(AT, number(at));
            item.insert(PARTS, number(parts.len() as u64 - 1));
        }
        TransactWriteItem {
            put: Some(TransactPut {
                table_name: Some(crew.options.failures.clone()),
                item: Some(Ok(item)),
                ..TransactPut::default()
            }),
            ..TransactWriteItem::default()
        }
    };
    parts.iter().enumerate().map(item).collect()
}

/// The records of a consumer that were set aside, oldest shard first.
///
/// # Errors
/// The backend's; `Refused` when an item is none of this crate.
pub(crate) async fn list(
    io: &dyn Io,
    table: &str,
    consumer: &str,
) -> Result<Vec<SetAside>, ClientError> {
    let mut found: Vec<(SetAside, Vec<u8>)> = Vec::new();
    let mut after = None;
    loop {
        let query = QueryInput {
            table_name: Some(table.to_owned()),
            consistent_read: Some(true),
            exclusive_start_key: after.map(Ok),
            key_condition_expression: Some("#c = :c".to_owned()),
            expression_attributes: ExpressionAttributes::default()
                .name("#c", CONSUMER)
                .value(":c", consumer),
            ..QueryInput::default()
        };
        let page = match ask(io, query).await {
            Ok(page) => page,
            // No consumer has made the table, so none has set a record aside.
            Err(error) if error.kind() == Some(ErrorKind::ResourceNotFound) => break,
            Err(error) => return Err(error),
        };
        for item in page.items.unwrap_or_default() {
            add(&mut found, &item.to_item()).ok_or_else(|| {
                ClientError::refused(format!(
                    "an item of {table} is no record that was set aside"
                ))
            })?;
        }
        after = page.last_evaluated_key;
        if after.is_none() {
            break;
        }
    }
    let read = found.into_iter().map(|(aside, content)| {
        let record = record(&content).ok_or_else(|| {
            ClientError::refused(format!("the record {} in {table} cannot be read", aside.id))
        })?;
        Ok(SetAside { record, ..aside })
    });
    read.collect()
}

/// Handles a record that was set aside, and deletes it in the transaction of its effects.
///
/// # Errors
/// The handler's failure, or the backend's; then the record is still there.
pub(crate) async fn replay(
    io: &dyn Io,
    (table, consumer): (&str, &str),
    aside: &SetAside,
    handler: &dyn Handler,
) -> Result<(), Failure> {
    let effects = handler.handle(std::slice::from_ref(&aside.record))?;
    let mut deletions = (0..aside.parts).map(|part| deletion(table, consumer, &aside.id, part));
    let first = deletions.next().unwrap_or_default();
    let rest = deletions;
    match effects.0 {
        What::Call(call) => {
            let joined = Joined::new(io, first.clone());
            call.send(io, &joined).await?;
            if !joined.has_written() {
                transact(io, vec![first]).await?;
            }
            // The further parts are deleted behind it: without the first nobody sees them.
            for part in rest {
                transact(io, vec![part]).await?;
            }
        }
        What::Nothing => transact(io, std::iter::once(first).chain(rest).collect()).await?,
        What::Actions(mut actions) => {
            actions.push(first);
            actions.extend(rest);
            if actions.len() > ACTIONS_MAX + 1 {
                let why = format!(
                    "the record has {} actions, which are too many",
                    actions.len()
                );
                return Err(Failure::Records(why));
            }
            transact(io, actions).await?;
        }
    }
    Ok(())
}

async fn transact(io: &dyn Io, actions: Vec<TransactWriteItem>) -> Result<(), ClientError> {
    let input = TransactWriteItemsInput {
        transact_items: Some(actions),
        ..TransactWriteItemsInput::default()
    };
    ask(io, input).await.map(|_| ())
}

/// The deletion of a part. That of the first fails when the record was replayed already.
fn deletion(table: &str, consumer: &str, id: &str, part: usize) -> TransactWriteItem {
    let is_there = (part == 0).then(|| "attribute_exists(#c)".to_owned());
    let attributes = match part {
        0 => ExpressionAttributes::default().name("#c", CONSUMER),
        _ => ExpressionAttributes::default(),
    };
    TransactWriteItem {
        delete: Some(TransactDelete {
            table_name: Some(table.to_owned()),
            key: Some(Ok(key_of(consumer, &part_id(id, part)))),
            condition_expression: is_there,
            expression_attributes: attributes,
            ..TransactDelete::default()
        }),
        ..TransactWriteItem::default()
    }
}

/// The sort key of a part.
fn part_id(id: &str, part: usize) -> String {
    match part {
        0 => id.to_owned(),
        part => format!("{id} {part:03}"),
    }
}

fn key_of(consumer: &str, id: &str) -> Item {
    let mut item = key_item(consumer, "");
    item.remove(crate::lease::LEASE);
    item.insert(RECORD, id);
    item
}

/// A record as deflated JSON.
fn content(record: &Record) -> Vec<u8> {
    let mut json = Vec::new();
    let output = GetRecordsOutput {
        records: Some(vec![record.event.clone()]),
        next_shard_iterator: None,
    };
    keyfold_wire::encode_response(&mut json, &Response::GetRecords(output));
    let mut deflated = Vec::new();
    let mut encoder = DeflateEncoder::new(json.as_slice(), Compression::default());
    match encoder.read_to_end(&mut deflated) {
        Ok(_) => deflated,
        Err(_) => unreachable!("a slice of bytes can be read"),
    }
}

fn record(content: &[u8]) -> Option<Record> {
    let mut json = Vec::new();
    let mut decoder = DeflateDecoder::new(content).take(RECORD_BYTES_MAX);
    decoder.read_to_end(&mut json).ok()?;
    let Ok(Response::GetRecords(output)) =
        keyfold_wire::client::decode_response(Operation::GetRecords, &json)
    else {
        return None;
    };
    Record::new(output.records?.pop()?)
}

/// Adds an item to the records that were found: a record, or a further part of the last one.
fn add(found: &mut Vec<(SetAside, Vec<u8>)>, item: &Item) -> Option<()> {
    let (Value::S(id), Value::B(bytes)) = (item.get(RECORD)?, item.get(CONTENT)?) else {
        return None;
    };
    if let Some((last, content)) = found.last_mut()
        && id
            .strip_prefix(last.id.as_str())
            .is_some_and(|rest| rest.starts_with(' '))
    {
        content.extend_from_slice(bytes);
        return Some(());
    }
    let whole = |name: &str| match item.get(name) {
        Some(Value::N(number)) => number.to_string().parse::<u64>().ok(),
        Some(_) | None => None,
    };
    let Some(Value::S(why)) = item.get(WHY) else {
        return None;
    };
    let aside = SetAside {
        id: id.clone(),
        why: why.clone(),
        at_epoch_ms: whole(AT)?,
        record: Record {
            event: keyfold_api::StreamEvent::default(),
            number: String::new(),
        },
        parts: usize::try_from(whole(PARTS)?).ok()? + 1,
    };
    found.push((aside, bytes.to_vec()));
    Some(())
}
