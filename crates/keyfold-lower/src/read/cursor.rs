//! Cursors: the keys after which pages go on.
//!
//! | plan | cursor |
//! |---|---|
//! | one query or scan | the key of the last item in the table, and in the index |
//! | periods | that key, if any, and `#period` with the period that is being read |
//! | periods with shards | `#period`, and the members of its shards |
//! | shards | `#shardN` for each shard: the key in it, or `#done` at its end |

use super::question::Question;
use crate::arguments::Values;
use crate::error::ClientError;
use keyfold_model::schema::RequestKind;
use keyfold_model::{KeyTemplate, Table, value};
use keyfold_types::{Item, KeyKind, Value};

/// The member that names the period in which the page ended.
const PERIOD: &str = "#period";
/// The start of the members of shards, before the number.
const SHARD: &str = "#shard";
/// The member of a shard's cursor when the shard has been read to its end.
const DONE: &str = "#done";

/// The key of an item, after which a page goes on.
pub(super) fn of_item(question: &Question<'_>, item: &Item) -> Item {
    let table = question.table;
    let own =
        std::iter::once(&table.partition.name).chain(table.sort.iter().map(|column| &column.name));
    let index = question
        .plan
        .partition_attributes
        .iter()
        .chain(&question.plan.sort_attributes);
    let mut key = Item::new();
    for name in own.chain(index) {
        if let Some(value) = item.get(name) {
            key.insert(name.as_str(), value.clone());
        }
    }
    key
}

/// The cursor in a period: after a key in it, or at its start.
pub(super) fn in_period(key: Option<Item>, period: &str) -> Item {
    let mut cursor = key.unwrap_or_default();
    cursor.insert(PERIOD, period);
    cursor
}

/// Splits a cursor into its period and the key in it; `None` where the cursor has none.
pub(super) fn split_period(cursor: Option<Item>) -> (Option<String>, Option<Item>) {
    let Some(mut key) = cursor else {
        return (None, None);
    };
    let period = match key.remove(PERIOD) {
        Some(Value::S(period)) => Some(period),
        _ => None,
    };
    (period, Some(key).filter(|key| !key.is_empty()))
}

/// The position in one shard.
#[derive(Debug, Clone)]
pub(super) enum ShardPosition {
    /// Before the first item.
    Start,
    /// After the item with this key.
    After(Item),
    /// At the end.
    Done,
}

impl ShardPosition {
    /// The position of a shard in a cursor.
    pub(super) fn of(cursor: Option<&Item>, shard: u32) -> ShardPosition {
        match cursor.and_then(|all| all.get(&shard_member(shard))) {
            Some(Value::M(map)) if map.contains_key(DONE) => ShardPosition::Done,
            Some(Value::M(map)) if !map.is_empty() => {
                ShardPosition::After(Item::from_iter(map.clone()))
            }
            _ => ShardPosition::Start,
        }
    }

    fn into_value(self) -> Value {
        let key = match self {
            ShardPosition::Start => Item::new(),
            ShardPosition::After(key) => key,
            ShardPosition::Done => Item::from_iter([(DONE, true)]),
        };
        Value::M(key.into_map())
    }
}

/// The cursor with the positions of all shards, by number.
pub(super) fn in_shards(positions: impl Iterator<Item = ShardPosition>) -> Item {
    (0..)
        .zip(positions)
        .map(|(shard, position)| (shard_member(shard), position.into_value()))
        .collect()
}

fn shard_member(number: u32) -> String {
    format!("{SHARD}{number}")
}

/// Refuses a key in which a page cannot have ended: the next page would be another one.
///
/// # Errors
/// `Transport`.
pub(super) fn check_end(
    question: &Question<'_>,
    arguments: &Values,
    next: &Item,
) -> Result<(), ClientError> {
    if is_own_key(question, arguments, next) {
        return Ok(());
    }
    Err(ClientError::Transport(format!(
        "a page of {} ends with a key that is none of what was asked for",
        question.name
    )))
}

/// Whether a cursor has a position in each shard of the partition that the arguments give.
pub(super) fn is_in_shards(
    question: &Question<'_>,
    count: u32,
    arguments: &Values,
    after: &Item,
) -> bool {
    let is_position = |number: u32| {
        let Some(Value::M(map)) = after.get(&shard_member(number)) else {
            return false;
        };
        let is_end = map.len() == 1 && map.get(DONE) == Some(&Value::from(true));
        let key = Item::from_iter(map.clone());
        map.is_empty() || is_end || is_own_key(question, &of_shard(arguments, number), &key)
    };
    u32::try_from(after.len()) == Ok(count) && (0..count).all(is_position)
}

/// The arguments that give the partition of a shard.
pub(super) fn of_shard(arguments: &Values, number: u32) -> Values {
    let mut arguments = arguments.clone();
    arguments.insert(value::SHARD.to_owned(), Value::from(i64::from(number)));
    arguments
}

/// Whether a key has the attributes of the pattern's keys, each with a value of its type, and lies in the
/// partition that the arguments give.
pub(super) fn is_own_key(question: &Question<'_>, arguments: &Values, after: &Item) -> bool {
    let (plan, table) = (question.plan, question.table);
    if !matches!(plan.request, RequestKind::Query | RequestKind::Scan) {
        return false;
    }
    let own = std::iter::once(&table.partition)
        .chain(&table.sort)
        .map(|column| &column.name);
    let mut names: Vec<&String> = own
        .chain(&plan.partition_attributes)
        .chain(&plan.sort_attributes)
        .collect();
    names.sort_unstable();
    names.dedup();
    let given: Vec<&String> = after.iter().map(|(name, _)| name).collect();
    let mut partition = plan
        .partition
        .iter()
        .flat_map(KeyTemplate::columns)
        .zip(&plan.partition_attributes);
    names == given
        && after
            .iter()
            .all(|(name, value)| is_of_column(table, name, value))
        && partition.all(|(parts, name)| {
            value::column(parts, arguments).is_ok_and(|value| after.get(name) == Some(&value))
        })
}

/// Whether a value can stand in a key attribute of a table or its indexes.
fn is_of_column(table: &Table, name: &str, value: &Value) -> bool {
    let of_indexes = table
        .indexes
        .iter()
        .flat_map(|index| index.partition.iter().chain(&index.sort));
    let mut columns = std::iter::once(&table.partition)
        .chain(&table.sort)
        .chain(of_indexes);
    let kind = columns
        .find(|column| column.name == name)
        .map(|column| column.kind);
    match (kind, value) {
        (Some(KeyKind::S), Value::S(text)) => !text.is_empty(),
        (Some(KeyKind::N), Value::N(_)) => true,
        (Some(KeyKind::B), Value::B(bytes)) => !bytes.is_empty(),
        _ => false,
    }
}
