//! Streams: one record for each change of an item, in the batch of the change. Point-in-time
//! recovery keeps the same records of its own.
//!
//! Records lie behind their stream's prefix under ascending sequence numbers, which the store gives
//! out in the order in which batches become visible: whoever has read up to a number misses nothing
//! below it.

use crate::table::Table;
use keyfold_api::{OperationType, StreamViewType};
use keyfold_codec::RawItem;
use keyfold_codec::key::TableId;
use keyfold_store::Batch;
use keyfold_types::KeySchema;

/// Sequence numbers are told with 21 digits: this much more than the store's number.
const SEQUENCE_BASE: u128 = 100_000_000_000_000_000_001;

/// Retention of records, in milliseconds.
pub(crate) const RETENTION_MS: u64 = 24 * 60 * 60 * 1000;

/// A stream: from the moment it was switched on, also when its table is gone.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stream {
    /// Its place in the key space.
    pub(crate) id: TableId,
    pub(crate) table_name: String,
    pub(crate) label: String,
    pub(crate) view: StreamViewType,
    pub(crate) creation_epoch_ms: u64,
    pub(crate) key: KeySchema,
    /// The least sequence number that a record of it can have.
    pub(crate) first_sequence: u64,
    /// When it was switched off, and the sequence number after its last record.
    pub(crate) closed: Option<(u64, u64)>,
}

impl Stream {
    /// The start of the shard: before its first record, so that it is known while there is none.
    pub(crate) fn start_text(&self) -> String {
        (SEQUENCE_BASE + u128::from(self.first_sequence) - 1).to_string()
    }

    /// The one shard's id, in the service's form.
    pub(crate) fn shard_id(&self) -> String {
        let print = xxhash_rust::xxh3::xxh3_64(&self.id.0.to_be_bytes()) as u32;
        format!("shardId-{:020}-{print:08x}", self.creation_epoch_ms)
    }
}

/// A stream's label: when it was switched on, in UTC with milliseconds.
pub(crate) fn label(epoch_ms: u64) -> String {
    let moment = i64::try_from(epoch_ms)
        .ok()
        .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    moment
        .unwrap_or_default()
        .strftime("%Y-%m-%dT%H:%M:%S.%3f")
        .to_string()
}

/// A sequence number as the API tells it.
pub(crate) fn sequence_text(sequence: u64) -> String {
    (SEQUENCE_BASE + u128::from(sequence)).to_string()
}

/// The store's number of a sequence number; none when no record can have it.
pub(crate) fn sequence_of(text: &str) -> Option<u64> {
    let digits = (21..=40).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    let number: u128 = digits.then(|| text.parse().ok()).flatten()?;
    u64::try_from(number.checked_sub(SEQUENCE_BASE)?).ok()
}

/// The event of a change, as a stream returns it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    pub(crate) kind: OperationType,
    pub(crate) epoch_ms: u64,
    /// Whether the item had expired.
    pub(crate) is_expiry: bool,
    pub(crate) keys: RawItem,
    pub(crate) old: Option<RawItem>,
    pub(crate) new: Option<RawItem>,
}

/// Adds the record of a change, unless nothing changed.
pub(crate) fn record(
    batch: &mut Batch,
    table: &Table,
    (prefix, view): (Vec<u8>, StreamViewType),
    (before, after): (Option<&RawItem>, Option<&RawItem>),
    (epoch_ms, is_expiry): (u64, bool),
) {
    let kind = match (before, after) {
        (None, None) => return,
        (Some(before), Some(after)) if before == after => return,
        (None, Some(_)) => OperationType::Insert,
        (Some(_), Some(_)) => OperationType::Modify,
        (Some(_), None) => OperationType::Remove,
    };
    let Some(either) = after.or(before) else {
        return;
    };
    let sees = |views: [StreamViewType; 2], image: Option<&RawItem>| {
        image.filter(|_| views.contains(&view)).cloned()
    };
    let event = Event {
        kind,
        epoch_ms,
        is_expiry,
        keys: either.select(|name| table.key.contains(name)),
        old: sees(
            [StreamViewType::OldImage, StreamViewType::NewAndOldImages],
            before,
        ),
        new: sees(
            [StreamViewType::NewImage, StreamViewType::NewAndOldImages],
            after,
        ),
    };
    batch.append(prefix, event.encode());
}

impl Event {
    /// Kind, flags and time, then keys, old and new image, each behind its length (0 for none).
    fn encode(&self) -> Vec<u8> {
        let kind = match self.kind {
            OperationType::Insert => 0,
            OperationType::Modify => 1,
            OperationType::Remove => 2,
        };
        let mut out = vec![kind, u8::from(self.is_expiry)];
        out.extend_from_slice(&self.epoch_ms.to_be_bytes());
        for image in [Some(&self.keys), self.old.as_ref(), self.new.as_ref()] {
            let bytes = image.map_or(&[][..], |image| image.bytes().as_ref());
            out.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
            out.extend_from_slice(bytes);
        }
        out
    }

    /// The event of stored bytes; none when they are not what [`Event::encode`] makes.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Event> {
        let (head, mut rest) = bytes.split_at_checked(10)?;
        let kind = match head.first()? {
            0 => OperationType::Insert,
            1 => OperationType::Modify,
            2 => OperationType::Remove,
            _ => return None,
        };
        let epoch_ms = u64::from_be_bytes(head.get(2..)?.try_into().ok()?);
        let mut image = || -> Option<Option<RawItem>> {
            let (length, tail) = rest.split_at_checked(4)?;
            let length = u32::from_be_bytes(length.try_into().ok()?) as usize;
            let (bytes, tail) = tail.split_at_checked(length)?;
            rest = tail;
            if bytes.is_empty() {
                return Some(None);
            }
            RawItem::open(bytes.to_vec().into()).ok().map(Some)
        };
        let keys = image()??;
        let (old, new) = (image()?, image()?);
        Some(Event {
            kind,
            epoch_ms,
            is_expiry: head.get(1) == Some(&1),
            keys,
            old,
            new,
        })
    }

    /// When the event happened, without reading its images.
    pub(crate) fn epoch_ms_of(bytes: &[u8]) -> Option<u64> {
        Some(u64::from_be_bytes(bytes.get(2..10)?.try_into().ok()?))
    }

    /// The record's size: keys and images.
    pub(crate) fn size_bytes(&self) -> u64 {
        [Some(&self.keys), self.old.as_ref(), self.new.as_ref()]
            .into_iter()
            .flatten()
            .map(RawItem::size_bytes)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyfold_types::Item;

    #[test]
    fn labels_and_sequence_numbers_have_the_services_form() {
        assert_eq!(label(1_590_601_774_056), "2020-05-27T17:49:34.056");
        assert_eq!(sequence_text(7), "100000000000000000008");
        assert_eq!(sequence_of("100000000000000000008"), Some(7));
        for wrong in [
            "7",
            "99999999999999999999",
            "10000000000000000000x",
            "000000000000000000001",
        ] {
            assert_eq!(sequence_of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_event_is_read_as_it_was_written() {
        let item = |text: &str| RawItem::encode(&[("p", text)].into_iter().collect::<Item>());
        let event = Event {
            kind: OperationType::Modify,
            epoch_ms: 1_700_000_000_123,
            is_expiry: true,
            keys: item("k"),
            old: None,
            new: Some(item("after")),
        };
        let bytes = event.encode();
        assert_eq!(Event::decode(&bytes), Some(event));
        assert_eq!(Event::epoch_ms_of(&bytes), Some(1_700_000_000_123));
        for cut in 0..bytes.len() {
            assert_eq!(Event::decode(&bytes[..cut]), None);
        }
    }
}
