//! Cursors: the keys after which pages go on.
//!
//! | plan | cursor |
//! |---|---|
//! | one query or scan | the key of the last item in the table, and in the index |
//! | periods | that key, if any, and `#period` with the period that is being read |
//! | periods with shards | `#period`, and the members of its shards |
//! | shards | `#shardN` for each shard: the key in it, or `#done` at its end |

use super::question::Question;
use crate::error::ClientError;
use keyfold_model::schema::RequestKind;
use keyfold_model::{Fan, KeyTemplate, Pattern, value};
use keyfold_types::{Item, Value};

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

/// Refuses a cursor that no page of this pattern with these arguments returns.
///
/// # Errors
/// `Unknown`.
pub(super) fn check(
    question: &Question<'_>,
    pattern: &Pattern,
    after: &Item,
) -> Result<(), ClientError> {
    let is_own = match &question.plan.fan {
        Fan::Shards(_) => after.iter().all(|(name, _)| name.starts_with(SHARD)),
        Fan::Periods { .. } => after.get(PERIOD).is_some(),
        Fan::One => is_own_key(question, after),
    };
    if is_own {
        return Ok(());
    }
    Err(ClientError::Unknown(format!(
        "this is not where a page of {} ended with these arguments; give the `next` of that page",
        pattern.name
    )))
}

/// Whether a key has the attributes of the pattern's keys, and lies in its partition.
fn is_own_key(question: &Question<'_>, after: &Item) -> bool {
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
        && partition.all(|(parts, name)| {
            value::column(parts, &question.arguments)
                .is_ok_and(|value| after.get(name) == Some(&value))
        })
}
