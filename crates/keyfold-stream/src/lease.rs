//! A lease: the right of one worker to handle the records of one shard, as an item of a table.
//!
//! | attribute | content |
//! |---|---|
//! | `consumer` | the consumer's name; partition key |
//! | `lease` | the stream and the shard; sort key |
//! | `owner` | the worker that has it; absent when none does |
//! | `fence` | how often it changed hands: a worker's writes carry the number under which it took it |
//! | `counter` | how often it was renewed: a lease whose counter stands still is free |
//! | `position` | up to where the records are handled |
//! | `parents` | the shard that must have ended before; absent when there is none |
//! | `movedAt` | of a mapping: when its position moved, milliseconds since 1970 |
//! | `error`, `errorAt` | of a mapping: why its function has not handled the records, and since when |
//!
//! One more item for each stream, without a shard, has where the consumer began: `began`, the positions
//! of the shards of which it does not handle all records. That of the stream with which a consumer of the
//! latest records begins has the sort key `latest` and names its `stream`: so there is one of them. While
//! shards may be without leases, it has `unleased`: a stream that goes then was not handled.

use crate::position::Position;
use crate::start::Start;
use keyfold_types::{Item, Value};
use std::collections::BTreeMap;

/// Names of attributes.
pub(crate) const CONSUMER: &str = "consumer";
pub(crate) const LEASE: &str = "lease";
pub(crate) const OWNER: &str = "owner";
pub(crate) const FENCE: &str = "fence";
pub(crate) const COUNTER: &str = "counter";
pub(crate) const POSITION: &str = "position";
pub(crate) const MOVED_AT: &str = "movedAt";
pub(crate) const ERROR: &str = "error";
pub(crate) const ERROR_AT: &str = "errorAt";
const PARENTS: &str = "parents";
const BEGAN: &str = "began";
const STREAM: &str = "stream";
pub(crate) const UNLEASED: &str = "unleased";
/// The sort key of the beginning of a consumer of the latest records.
const LATEST: &str = "latest";
/// The position of a shard of which an earlier version knew no place.
const NO_PLACE: &str = "LATEST";

/// A shard of a stream.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShardKey {
    /// The ARN of the stream.
    pub stream: String,
    /// The shard.
    pub shard: String,
}

impl ShardKey {
    /// The sort key of the lease.
    pub(crate) fn text(&self) -> String {
        format!("{}{BETWEEN}{}", self.stream, self.shard)
    }
}

/// What stands between the stream and the shard. No ARN of a stream has it.
const BETWEEN: char = ' ';

/// A lease, as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The shard.
    pub key: ShardKey,
    /// The worker that has it.
    pub owner: Option<String>,
    /// How often it changed hands.
    pub fence: u64,
    /// How often it was renewed.
    pub counter: u64,
    /// Up to where the records are handled.
    pub position: Position,
    /// The shard whose records come before those of this one.
    pub parent: Option<String>,
    /// When the position of a mapping moved, milliseconds since 1970; `None` where it has not, and of other consumers.
    pub moved_epoch_ms: Option<u64>,
    /// Why the function of a mapping has not handled the records at the position; `None` where it has, or was not
    /// called yet.
    pub error: Option<Trouble>,
}

/// Why records are not handled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// The cause, in one line.
    pub why: String,
    /// The moment since which it is so, milliseconds since 1970.
    pub since_epoch_ms: u64,
}

/// Where a consumer began a stream, by shard. Of the others it handles all records.
pub(crate) type Began = BTreeMap<String, Position>;

/// The beginning of a stream by a consumer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Beginning {
    /// The ARN of the stream.
    pub(crate) stream: String,
    pub(crate) start: Start,
    pub(crate) began: Began,
    /// Whether shards of it may have no leases yet.
    pub(crate) is_unleased: bool,
}

/// An item of the table of leases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Row {
    /// A lease.
    Lease(Lease),
    /// Where the consumer began a stream.
    Stream(Beginning),
}

impl Lease {
    /// The lease of a shard that nobody has handled.
    pub(crate) fn new(key: ShardKey, parent: Option<String>, position: Position) -> Lease {
        Lease {
            key,
            owner: None,
            fence: 0,
            counter: 0,
            position,
            parent,
            moved_epoch_ms: None,
            error: None,
        }
    }

    /// Whether all records are handled.
    pub fn is_ended(&self) -> bool {
        self.position == Position::End
    }

    /// The stored item.
    pub(crate) fn to_item(&self, consumer: &str) -> Item {
        let mut item = key_item(consumer, &self.key.text());
        if let Some(owner) = &self.owner {
            item.insert(OWNER, owner.as_str());
        }
        item.insert(FENCE, number(self.fence));
        item.insert(COUNTER, number(self.counter));
        item.insert(POSITION, self.position.to_string());
        if let Some(parent) = &self.parent {
            item.insert(PARENTS, Value::L(vec![Value::from(parent.as_str())]));
        }
        if let Some(moved) = self.moved_epoch_ms {
            item.insert(MOVED_AT, number(moved));
        }
        if let Some(error) = &self.error {
            item.insert(ERROR, error.why.as_str());
            item.insert(ERROR_AT, number(error.since_epoch_ms));
        }
        item
    }
}

impl Beginning {
    /// The item that remembers it.
    pub(crate) fn to_item(&self, consumer: &str) -> Item {
        let mut item = self.key(consumer);
        item.insert(STREAM, self.stream.as_str());
        let began = self.began.iter();
        let began = began.map(|(shard, at)| (shard.clone(), Value::from(at.to_string())));
        item.insert(BEGAN, Value::M(began.collect()));
        if self.is_unleased {
            item.insert(UNLEASED, Value::Bool(true));
        }
        item
    }

    /// The key of the item.
    pub(crate) fn key(&self, consumer: &str) -> Item {
        match self.start {
            Start::Oldest => key_item(consumer, &self.stream),
            Start::Latest => key_item(consumer, LATEST),
        }
    }

    fn of_item(item: &Item, key: &str) -> Option<Beginning> {
        Some(Beginning {
            stream: text(item, STREAM).unwrap_or(key).to_owned(),
            start: match key {
                LATEST => Start::Latest,
                _ => Start::Oldest,
            },
            began: began(item)?,
            is_unleased: item.get(UNLEASED) == Some(&Value::Bool(true)),
        })
    }
}

/// The key of an item of the table of leases.
pub(crate) fn key_item(consumer: &str, lease: &str) -> Item {
    Item::from_iter([(CONSUMER, consumer), (LEASE, lease)])
}

/// A number as a value.
pub(crate) fn number(number: u64) -> Value {
    Value::N(number.into())
}

/// Whether somebody has deleted what a consumer had stored: a beginning stays as long as the consumer.
pub(crate) fn is_deleted(begun: &BTreeMap<String, Beginning>, rows: &[Row]) -> bool {
    let is_stored = |stream: &String| {
        rows.iter().any(|row| match row {
            Row::Stream(beginning) => beginning.stream == *stream,
            Row::Lease(_) => false,
        })
    };
    !begun.keys().all(is_stored)
}

impl Row {
    /// Reads an item of the table.
    ///
    /// # Errors
    /// What is wrong with the table of an item that is none of this crate: the item, the attribute, and what helps.
    pub(crate) fn of_item(item: &Item) -> Result<Row, String> {
        let foreign = |why: &str| {
            format!("is no table of leases: {why}; name another for the leases of consumers")
        };
        let key = text(item, LEASE).ok_or_else(|| foreign("an item has no `lease`"))?;
        let wrong =
            |name: &str| foreign(&format!("the lease {key} has no proper attribute `{name}`"));
        let Some((stream, shard)) = key.split_once(BETWEEN) else {
            if item.get(BEGAN).is_some_and(is_of_earlier_version) {
                return Err(no_place(item));
            }
            let beginning = Beginning::of_item(item, key).ok_or_else(|| wrong(BEGAN))?;
            return Ok(Row::Stream(beginning));
        };
        let whole = |name: &str| whole(item, name).ok_or_else(|| wrong(name));
        let position = text(item, POSITION);
        if position == Some(NO_PLACE) {
            return Err(no_place(item));
        }
        let position = position.and_then(Position::of);
        Ok(Row::Lease(Lease {
            key: ShardKey {
                stream: stream.to_owned(),
                shard: shard.to_owned(),
            },
            owner: text(item, OWNER).map(str::to_owned),
            fence: whole(FENCE)?,
            counter: whole(COUNTER)?,
            position: position.ok_or_else(|| wrong(POSITION))?,
            parent: texts(item, PARENTS).and_then(|mut parents| parents.pop()),
            moved_epoch_ms: self::whole(item, MOVED_AT),
            error: text(item, ERROR).map(|why| Trouble {
                why: why.to_owned(),
                since_epoch_ms: self::whole(item, ERROR_AT).unwrap_or_default(),
            }),
        }))
    }
}

fn text<'i>(item: &'i Item, name: &str) -> Option<&'i str> {
    match item.get(name) {
        Some(Value::S(text)) => Some(text),
        Some(_) | None => None,
    }
}

fn whole(item: &Item, name: &str) -> Option<u64> {
    match item.get(name) {
        Some(Value::N(number)) => number.to_string().parse().ok(),
        Some(_) | None => None,
    }
}

/// Whether a beginning is the names of shards, whose places nobody has stored.
fn is_of_earlier_version(began: &Value) -> bool {
    matches!(began, Value::L(shards) if !shards.is_empty())
}

/// What is wrong with a table whose consumer began with LATEST, which is no place.
fn no_place(item: &Item) -> String {
    let consumer = text(item, CONSUMER).unwrap_or_default();
    format!(
        "has a consumer {consumer:?} of an earlier version, which did not store where it began with the latest records: \
         name another consumer, or delete its items, and it begins with the records that are written then"
    )
}

fn began(item: &Item) -> Option<Began> {
    let found = item.get(BEGAN)?;
    if *found == Value::L(Vec::new()) {
        // So an earlier version has it where the consumer handles all records.
        return Some(Began::new());
    }
    let Value::M(shards) = found else {
        return None;
    };
    let shards = shards.iter().map(|(shard, at)| {
        let Value::S(at) = at else { return None };
        Some((shard.clone(), Position::of(at)?))
    });
    shards.collect()
}

fn texts(item: &Item, name: &str) -> Option<Vec<String>> {
    let Some(Value::L(elements)) = item.get(name) else {
        return None;
    };
    let texts = elements.iter().map(|one| {
        let Value::S(text) = one else { return None };
        Some(text.clone())
    });
    texts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_is_read_back() {
        let key = ShardKey {
            stream: "arn:aws:dynamodb:us-east-1:000000000000:table/T/stream/2026".to_owned(),
            shard: "shardId-1".to_owned(),
        };
        let mut lease = Lease::new(key, Some("shardId-0".to_owned()), Position::Horizon);
        lease.owner = Some("w".to_owned());
        lease.fence = u64::MAX;
        lease.moved_epoch_ms = Some(3);
        lease.error = Some(Trouble {
            why: "no".to_owned(),
            since_epoch_ms: 1,
        });
        let item = lease.to_item("c");
        assert_eq!(Row::of_item(&item), Ok(Row::Lease(lease)));
        let began = Began::from([
            ("a".to_owned(), Position::End),
            ("b".to_owned(), Position::After("12".to_owned())),
        ]);
        for (start, is_unleased) in [(Start::Oldest, true), (Start::Latest, false)] {
            let beginning = Beginning {
                stream: "arn".to_owned(),
                start,
                began: began.clone(),
                is_unleased,
            };
            let item = beginning.to_item("c");
            assert_eq!(Row::of_item(&item), Ok(Row::Stream(beginning)));
        }
    }

    /// A consumer that handles all records goes on; of one that began with LATEST nobody knows where.
    #[test]
    fn items_of_an_earlier_version_are_read_or_named() {
        let mut item = key_item("c", "arn");
        item.insert(BEGAN, Value::L(Vec::new()));
        let beginning = Beginning {
            stream: "arn".to_owned(),
            start: Start::Oldest,
            began: Began::new(),
            is_unleased: false,
        };
        assert_eq!(Row::of_item(&item), Ok(Row::Stream(beginning)));

        item.insert(BEGAN, Value::L(vec![Value::from("shardId-1")]));
        let key = ShardKey {
            stream: "arn".to_owned(),
            shard: "shardId-1".to_owned(),
        };
        let mut lease = Lease::new(key, None, Position::Horizon).to_item("c");
        lease.insert(POSITION, "LATEST");
        for item in [item, lease] {
            let error = Row::of_item(&item).unwrap_err();
            assert!(error.contains("\"c\" of an earlier version"), "{error}");
        }
    }

    #[test]
    fn an_item_of_others_is_refused_with_its_attribute() {
        let mut item = key_item("c", "arn shard");
        item.insert(FENCE, "1");
        let error = Row::of_item(&item).unwrap_err();
        let why = "the lease arn shard has no proper attribute `fence`";
        assert!(error.contains(why), "{error}");
    }
}
