//! Records of a stream as the writes of one transaction.

use crate::commit::{ACTIONS_MAX, BYTES_MAX};
use keyfold_api::{OperationType, StreamEvent, known};
use keyfold_client::ClientError;
use keyfold_codec::RawItem;
use keyfold_stream::Position;
use keyfold_types::Item;
use std::collections::BTreeMap;

/// What becomes of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    /// The whole item is this one.
    Put(Item),
    /// There is none.
    Delete {
        /// Its key.
        key: Item,
        /// Whether a tombstone is left.
        tombstone: bool,
    },
}

impl Change {
    fn actions(&self) -> usize {
        match self {
            Change::Put(_)
            | Change::Delete {
                tombstone: false, ..
            } => 1,
            Change::Delete {
                tombstone: true, ..
            } => 2,
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Change::Put(item) => item.size_bytes(),
            Change::Delete { key, tombstone: _ } => key.size_bytes(),
        }
    }
}

/// The records that a transaction applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Batch {
    /// One change of each item.
    pub(crate) changes: Vec<Change>,
    /// How many records they are.
    pub(crate) records: usize,
    /// The position behind them.
    pub(crate) to: Position,
    /// When the last of them was made, milliseconds since 1970.
    pub(crate) made_ms: Option<u64>,
}

impl Batch {
    /// As many of the first records as a transaction takes; at least one.
    ///
    /// # Errors
    /// `Refused` when a record has not what it needs.
    pub(crate) fn of(events: &[StreamEvent], tombstones: bool) -> Result<Batch, ClientError> {
        let mut changes: BTreeMap<Vec<u8>, Change> = BTreeMap::new();
        let (mut actions, mut bytes) = (0, 0);
        let mut batch = Batch {
            changes: Vec::new(),
            records: 0,
            to: Position::Horizon,
            made_ms: None,
        };
        for event in events {
            let record = Read::of(event, tombstones)?;
            let before = changes.get(&record.key);
            actions += record.change.actions();
            actions -= before.map_or(0, Change::actions);
            bytes += record.change.bytes();
            bytes -= before.map_or(0, Change::bytes);
            if batch.records > 0 && (actions > ACTIONS_MAX || bytes > BYTES_MAX) {
                break;
            }
            changes.insert(record.key, record.change);
            batch.records += 1;
            batch.to = Position::After(record.number);
            batch.made_ms = record.made_ms.or(batch.made_ms);
        }
        batch.changes = changes.into_values().collect();
        Ok(batch)
    }

    /// No record: the shard has ended.
    pub(crate) fn end() -> Batch {
        Batch {
            changes: Vec::new(),
            records: 0,
            to: Position::End,
            made_ms: None,
        }
    }
}

/// A record as it was read.
struct Read {
    /// The bytes of the key, which are the same for equal keys.
    key: Vec<u8>,
    change: Change,
    number: String,
    made_ms: Option<u64>,
}

impl Read {
    fn of(event: &StreamEvent, tombstone: bool) -> Result<Read, ClientError> {
        let lacks = |what: &str| {
            ClientError::refused(format!(
                "a record of the source's stream has no {what}: the stream must have new images \
                 (NEW_IMAGE or NEW_AND_OLD_IMAGES)"
            ))
        };
        let record = event.dynamodb.as_ref().ok_or_else(|| lacks("content"))?;
        let Some(Ok(key)) = &record.keys else {
            return Err(lacks("key"));
        };
        let number = record.sequence_number.clone();
        let change = match known(&event.event_name) {
            Some(OperationType::Remove) => Change::Delete {
                key: key.clone(),
                tombstone,
            },
            Some(OperationType::Insert | OperationType::Modify) => match &record.new_image {
                Some(Ok(image)) => Change::Put(image.clone()),
                Some(Err(_)) | None => return Err(lacks("new image")),
            },
            None => return Err(lacks("known kind")),
        };
        Ok(Read {
            key: RawItem::encode(key).bytes().to_vec(),
            change,
            number: number.ok_or_else(|| lacks("sequence number"))?,
            made_ms: record.approximate_creation_date_time.map(|moment| moment.0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyfold_api::{Named, StreamRecord};

    fn event(number: usize, key: &str, value: Option<i64>) -> StreamEvent {
        let key = Item::from_iter([("id", key)]);
        let image = value.map(|value| {
            let mut image = key.clone();
            image.insert("v", value);
            Ok(image)
        });
        let kind = match image {
            Some(_) => OperationType::Modify,
            None => OperationType::Remove,
        };
        StreamEvent {
            event_name: Some(Named::Known(kind)),
            dynamodb: Some(StreamRecord {
                keys: Some(Ok(key)),
                new_image: image,
                sequence_number: Some(number.to_string()),
                ..StreamRecord::default()
            }),
            ..StreamEvent::default()
        }
    }

    #[test]
    fn the_last_record_of_an_item_counts() {
        let events = [
            event(1, "a", Some(1)),
            event(2, "b", Some(2)),
            event(3, "a", None),
            event(4, "b", Some(4)),
        ];
        let batch = Batch::of(&events, true).unwrap();
        assert_eq!(batch.records, 4);
        assert_eq!(batch.to, Position::After("4".to_owned()));
        let [
            Change::Delete {
                tombstone: true, ..
            },
            Change::Put(b),
        ] = &batch.changes[..]
        else {
            panic!("{batch:?}");
        };
        assert_eq!(b.get("v"), Some(&4.into()));
    }

    #[test]
    fn a_transaction_has_at_most_its_actions() {
        let deleted: Vec<StreamEvent> = (0..120)
            .map(|number| event(number, &number.to_string(), None))
            .collect();
        assert_eq!(Batch::of(&deleted, true).unwrap().records, 49);
        assert_eq!(Batch::of(&deleted, false).unwrap().records, 99);
        let same: Vec<StreamEvent> = (0..120).map(|number| event(number, "a", None)).collect();
        assert_eq!(Batch::of(&same, true).unwrap().records, 120);
    }

    #[test]
    fn a_record_without_its_image_is_refused() {
        let mut lacking = event(1, "a", Some(1));
        lacking.dynamodb.as_mut().unwrap().new_image = None;
        let error = Batch::of(&[lacking], true).unwrap_err().to_string();
        assert!(error.contains("no new image"), "{error}");
    }
}
