//! Requests that views make beside the writes of rows.

use super::place::bytes;
use crate::world::{Io, ask};
use keyfold_api::{
    BatchGetItemInput, ConditionCheck, ErrorKind, ExpressionAttributes, GetItemInput,
    KeysAndAttributes, QueryInput, ReasonCode, TransactDelete, TransactPut, TransactWriteItem,
    TransactWriteItemsInput,
};
use keyfold_codec::RawItem;
use keyfold_lower::ClientError;
use keyfold_types::Item;
use keyfold_types::limits::BATCH_GET_KEYS_MAX;
use std::collections::BTreeMap;
use std::time::Duration;

/// The pause before keys are asked again that a request left out.
const AGAIN: Duration = Duration::from_millis(50);

/// Reads one item, strongly.
pub(crate) async fn get(io: &dyn Io, table: &str, key: Item) -> Result<Option<Item>, ClientError> {
    let input = GetItemInput {
        table_name: Some(table.to_owned()),
        key: Some(Ok(key)),
        consistent_read: Some(true),
        ..GetItemInput::default()
    };
    Ok(ask(io, input).await?.item.map(|item| item.to_item()))
}

/// Reads items, strongly. The result has those that exist, by the bytes of their keys.
pub(crate) async fn get_many(
    io: &dyn Io,
    table: &str,
    keys: Vec<Item>,
) -> Result<BTreeMap<Vec<u8>, Item>, ClientError> {
    let mut found = BTreeMap::new();
    let mut wanted: BTreeMap<Vec<u8>, Item> = BTreeMap::new();
    for key in keys {
        wanted.insert(bytes(&key), key);
    }
    let mut left: Vec<Item> = wanted.into_values().collect();
    let Some(names) = left.first().map(|key| {
        let names = key.iter().map(|(name, _)| name.clone());
        names.collect::<Vec<String>>()
    }) else {
        return Ok(found);
    };
    while !left.is_empty() {
        let later = left.split_off(left.len().min(BATCH_GET_KEYS_MAX));
        let keys = KeysAndAttributes {
            keys: Some(left.into_iter().map(Ok).collect()),
            consistent_read: Some(true),
            ..KeysAndAttributes::default()
        };
        let input = BatchGetItemInput {
            request_items: Some(vec![(table.to_owned(), keys)]),
            ..BatchGetItemInput::default()
        };
        let page = ask(io, input).await?;
        for (_, items) in page.responses {
            for item in items {
                let item = item.to_item();
                let key = names.iter().filter_map(|name| {
                    let held = item.get(name)?;
                    Some((name.clone(), held.clone()))
                });
                let key: Item = key.collect();
                found.insert(bytes(&key), item);
            }
        }
        left = later;
        let unread = page.unprocessed_keys.into_iter();
        let unread = unread.flat_map(|(_, keys)| keys.keys.unwrap_or_default());
        let unread: Vec<Item> = unread.filter_map(Result::ok).collect();
        if !unread.is_empty() {
            io.pause(AGAIN).await;
            left.extend(unread);
        }
    }
    Ok(found)
}

/// A page of the items of a partition whose sort keys begin with a text, strongly.
pub(crate) async fn page(
    io: &dyn Io,
    (table, names): (&str, [&str; 2]),
    (partition, begins): (&str, &str),
    after: Option<Item>,
    limit: Option<usize>,
) -> Result<(Vec<Item>, Option<Item>), ClientError> {
    let mut attributes = ExpressionAttributes::default()
        .name("#p", names[0])
        .value(":p", partition);
    let mut condition = "#p = :p".to_owned();
    if !begins.is_empty() {
        attributes = attributes.name("#s", names[1]).value(":s", begins);
        condition.push_str(" AND begins_with(#s, :s)");
    }
    let query = QueryInput {
        table_name: Some(table.to_owned()),
        consistent_read: Some(true),
        exclusive_start_key: after.map(Ok),
        limit: limit.and_then(|limit| i64::try_from(limit).ok()),
        key_condition_expression: Some(condition),
        expression_attributes: attributes,
        ..QueryInput::default()
    };
    let page = ask(io, query).await?;
    let items = page.items.unwrap_or_default();
    let items = items.iter().map(RawItem::to_item).collect();
    Ok((items, page.last_evaluated_key))
}

/// Carries out a transaction.
pub(crate) async fn transact(
    io: &dyn Io,
    actions: Vec<TransactWriteItem>,
) -> Result<(), ClientError> {
    let input = TransactWriteItemsInput {
        transact_items: Some(actions),
        ..TransactWriteItemsInput::default()
    };
    ask(io, input).await.map(|_| ())
}

/// Whether a transaction was refused because an item is not as it was read, or was in use: it may be
/// made again of what is stored then.
pub(crate) fn is_overtaken(error: &ClientError) -> bool {
    let ClientError::Service {
        kind: Some(ErrorKind::TransactionCanceled),
        reasons,
        ..
    } = error
    else {
        return error.is_conflict() || error.kind() == Some(ErrorKind::ConditionalCheckFailed);
    };
    let mut codes = reasons.iter().map(|(code, _)| *code);
    codes.all(|code| {
        matches!(
            code,
            ReasonCode::None | ReasonCode::ConditionalCheckFailed | ReasonCode::TransactionConflict
        )
    })
}

/// Whether a row is refused for its values: it will be, as often as it is written.
pub(crate) fn is_of_values(error: &ClientError) -> bool {
    match error {
        ClientError::Refused(_)
        | ClientError::Invalid(_)
        | ClientError::Named { .. }
        | ClientError::Value(_) => true,
        ClientError::Service {
            kind: Some(ErrorKind::TransactionCanceled),
            reasons,
            ..
        } => reasons
            .iter()
            .any(|(code, _)| *code == ReasonCode::ValidationError),
        ClientError::Service { kind, .. } => *kind == Some(ErrorKind::Validation),
        ClientError::Unknown(_)
        | ClientError::Missing { .. }
        | ClientError::Transport(_)
        | ClientError::TimedOut(_)
        | ClientError::OutcomeUnknown { .. }
        | ClientError::TableDiffers { .. }
        | ClientError::Exists(_)
        | ClientError::Taken { .. }
        | ClientError::StaleVersion(_)
        | ClientError::NotFound(_)
        | ClientError::Incomplete(_)
        | ClientError::UnknownItem(_)
        | ClientError::Overtaken(_) => false,
    }
}

/// A condition of an action, and its placeholders.
pub(crate) type Condition = Option<(String, ExpressionAttributes)>;

fn parts(condition: Condition) -> (Option<String>, ExpressionAttributes) {
    match condition {
        Some((text, attributes)) => (Some(text), attributes),
        None => (None, ExpressionAttributes::default()),
    }
}

/// The action that puts an item.
pub(crate) fn put(table: &str, item: Item, condition: Condition) -> TransactWriteItem {
    let (condition_expression, expression_attributes) = parts(condition);
    TransactWriteItem {
        put: Some(TransactPut {
            table_name: Some(table.to_owned()),
            item: Some(Ok(item)),
            condition_expression,
            expression_attributes,
            ..TransactPut::default()
        }),
        ..TransactWriteItem::default()
    }
}

/// The action that deletes an item.
pub(crate) fn delete(table: &str, key: Item, condition: Condition) -> TransactWriteItem {
    let (condition_expression, expression_attributes) = parts(condition);
    TransactWriteItem {
        delete: Some(TransactDelete {
            table_name: Some(table.to_owned()),
            key: Some(Ok(key)),
            condition_expression,
            expression_attributes,
            ..TransactDelete::default()
        }),
        ..TransactWriteItem::default()
    }
}

/// The action that requires a condition of an item.
pub(crate) fn check(
    table: &str,
    key: Item,
    (text, attributes): (String, ExpressionAttributes),
) -> TransactWriteItem {
    TransactWriteItem {
        condition_check: Some(ConditionCheck {
            table_name: Some(table.to_owned()),
            key: Some(Ok(key)),
            condition_expression: Some(text),
            expression_attributes: attributes,
            ..ConditionCheck::default()
        }),
        ..TransactWriteItem::default()
    }
}
