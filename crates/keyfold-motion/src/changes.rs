//! Records of a stream as the writes of one transaction.

use crate::commit::{ACTIONS_MAX, BYTES_MAX};
use crate::rows::Counts;
use keyfold_api::{OperationType, StreamEvent, known};
use keyfold_client::ClientError;
use keyfold_codec::RawItem;
use keyfold_stream::Position;
use keyfold_types::Item;
use keyfold_types::limits::ITEM_BYTES_MAX;
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

/// The bytes of a tombstone, at the most: its part has the table's name and two digests.
const TOMBSTONE_BYTES: u64 = 512;

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

    /// The bytes that the change counts for in a transaction: those of the item as it is then, or as it
    /// was before. `before` is that one; without it, a deleted item may be as large as any.
    fn bytes(&self, before: Option<&Item>) -> u64 {
        match (self, before) {
            (Change::Put(item), before) => {
                item.size_bytes().max(before.map_or(0, Item::size_bytes))
            }
            (Change::Delete { tombstone, .. }, before) => {
                let item = before.map_or(ITEM_BYTES_MAX, Item::size_bytes);
                item + if *tombstone { TOMBSTONE_BYTES } else { 0 }
            }
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
    /// Whether its records are left out.
    pub(crate) is_skipped: bool,
}

impl Batch {
    /// What it counts for.
    pub(crate) fn counts(&self) -> Counts {
        if self.is_skipped {
            return Counts::default();
        }
        let changes = self.changes.iter();
        let deleted = changes.filter(|change| matches!(change, Change::Delete { .. }));
        let deleted = deleted.count() as u64;
        Counts {
            read: self.records as u64,
            written: self.changes.len() as u64 - deleted,
            deleted,
            bytes: 0,
        }
    }

    /// As many of the first records as a transaction takes; at least one.
    ///
    /// # Errors
    /// `Refused` when a record has not what it needs.
    pub(crate) fn of(events: &[StreamEvent], tombstones: bool) -> Result<Batch, ClientError> {
        let mut changes: BTreeMap<Vec<u8>, (Change, u64)> = BTreeMap::new();
        let (mut actions, mut bytes) = (0, 0);
        let mut batch = Batch {
            changes: Vec::new(),
            records: 0,
            to: Position::Horizon,
            is_skipped: false,
        };
        for event in events {
            let record = Read::of(event, tombstones)?;
            let before = changes.get(&record.key);
            actions += record.change.actions();
            actions -= before.map_or(0, |(change, _)| change.actions());
            // The item before the batch may be as large as any of its images.
            let counted = before.map_or(0, |(_, counted)| *counted);
            let counts = record.bytes.max(counted);
            bytes += counts - counted;
            if batch.records > 0 && (actions > ACTIONS_MAX || bytes > BYTES_MAX) {
                break;
            }
            changes.insert(record.key, (record.change, counts));
            batch.records += 1;
            batch.to = Position::After(record.number);
        }
        batch.changes = changes.into_values().map(|(change, _)| change).collect();
        Ok(batch)
    }

    /// All of the records, of which none is applied: the mover itself has made them.
    ///
    /// # Errors
    /// `Refused` when a record has no number.
    pub(crate) fn skipped(events: &[StreamEvent]) -> Result<Batch, ClientError> {
        let last = events.last().and_then(|event| event.dynamodb.as_ref());
        let number = last.and_then(|record| record.sequence_number.clone());
        let number = number
            .ok_or_else(|| ClientError::refused("a record of the stream has no sequence number"))?;
        Ok(Batch {
            changes: Vec::new(),
            records: events.len(),
            to: Position::After(number),
            is_skipped: true,
        })
    }

    /// No record: the shard has ended.
    pub(crate) fn end() -> Batch {
        Batch {
            changes: Vec::new(),
            records: 0,
            to: Position::End,
            is_skipped: false,
        }
    }
}

/// A record as it was read.
struct Read {
    /// The bytes of the key, which are the same for equal keys.
    key: Vec<u8>,
    change: Change,
    /// What it counts for in a transaction.
    bytes: u64,
    number: String,
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
        let old_image = match &record.old_image {
            Some(Ok(image)) => Some(image),
            Some(Err(_)) | None => None,
        };
        Ok(Read {
            bytes: change.bytes(old_image),
            key: RawItem::encode(key).bytes().to_vec(),
            change,
            number: number.ok_or_else(|| lacks("sequence number"))?,
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

    /// The old image of a record, with a text of so many bytes.
    fn with_old(mut event: StreamEvent, bytes: usize) -> StreamEvent {
        let record = event.dynamodb.as_mut().unwrap();
        let Some(Ok(mut old)) = record.keys.clone() else {
            panic!("no key");
        };
        old.insert("text", "x".repeat(bytes));
        record.old_image = Some(Ok(old));
        event
    }

    #[test]
    fn deleted_items_count_with_their_bytes() {
        let deleted = |number: usize| event(number, &number.to_string(), None);
        let unknown: Vec<StreamEvent> = (0..20).map(deleted).collect();
        // Any of them may have 400 KB.
        assert_eq!(Batch::of(&unknown, false).unwrap().records, 7);
        let large: Vec<StreamEvent> = (0..20)
            .map(|number| with_old(deleted(number), 300_000))
            .collect();
        assert_eq!(Batch::of(&large, true).unwrap().records, 9);
        let small: Vec<StreamEvent> = (0..20)
            .map(|number| with_old(deleted(number), 100))
            .collect();
        assert_eq!(Batch::of(&small, true).unwrap().records, 20);
        // A small image replaces a large one, which is deleted then.
        let replaced: Vec<StreamEvent> = (0..20)
            .flat_map(|number| {
                let name = number.to_string();
                let put = with_old(event(number * 2, &name, Some(1)), 390_000);
                [put, with_old(event(number * 2 + 1, &name, None), 10)]
            })
            .collect();
        assert_eq!(Batch::of(&replaced, false).unwrap().records, 14);
    }

    #[test]
    fn a_transaction_has_at_most_its_actions() {
        let deleted: Vec<StreamEvent> = (0..120)
            .map(|number| with_old(event(number, &number.to_string(), None), 10))
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
