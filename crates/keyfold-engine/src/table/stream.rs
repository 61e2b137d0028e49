//! Streams: one record for each change of an item, in the batch of the change. Point-in-time
//! recovery keeps the same records of its own.
//!
//! Records are stored behind their stream's prefix under ascending sequence numbers. The store
//! assigns these in the order in which batches become visible, so a reader that has read up to a
//! number has missed nothing below it.

use crate::base::time::{DAY_MS, utc_text};
use crate::table::Table;
use keyfold_api::{OperationType, StreamViewType};
use keyfold_codec::RawItem;
use keyfold_codec::key::TableId;
use keyfold_store::Batch;
use keyfold_types::KeySchema;

/// The difference between a sequence number of the API, which has 21 digits, and the store's.
const SEQUENCE_BASE: u128 = 100_000_000_000_000_000_001;
/// Characters of a sequence number in a request.
pub(crate) const SEQUENCE_CHARS: (usize, usize) = (21, 40);

/// Retention of records, in milliseconds: a day.
pub(crate) const RETENTION_MS: u64 = DAY_MS;

/// A stream, from its opening on. It exists longer than its table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stream {
    /// Its id in the key space.
    pub(crate) id: TableId,
    pub(crate) table_name: String,
    pub(crate) label: String,
    pub(crate) view: StreamViewType,
    pub(crate) creation_epoch_ms: u64,
    pub(crate) key: KeySchema,
    /// The least sequence number that a record of it can have.
    pub(crate) first_sequence: u64,
    /// When it was closed, and the sequence number after its last record.
    pub(crate) closed: Option<(u64, u64)>,
}

impl Stream {
    /// The start of the shard: the sequence number before its first record, which exists while there
    /// is no record.
    pub(crate) fn start_text(&self) -> String {
        (SEQUENCE_BASE + u128::from(self.first_sequence) - 1).to_string()
    }

    /// The id of the only shard, in the service's form.
    pub(crate) fn shard_id(&self) -> String {
        let print = xxhash_rust::xxh3::xxh3_64(&self.id.0.to_be_bytes()) as u32;
        format!("shardId-{:020}-{print:08x}", self.creation_epoch_ms)
    }
}

/// A stream's label: the time of its opening, in UTC with milliseconds.
pub(crate) fn label(epoch_ms: u64) -> String {
    utc_text(epoch_ms, "%Y-%m-%dT%H:%M:%S.%3f")
}

/// A sequence number of the API.
pub(crate) fn sequence_text(sequence: u64) -> String {
    (SEQUENCE_BASE + u128::from(sequence)).to_string()
}

/// The store's number of an API's sequence number; none when no record can have it.
pub(crate) fn sequence_of(text: &str) -> Option<u64> {
    let (min, max) = SEQUENCE_CHARS;
    let digits =
        (min..=max).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    let number: u128 = digits.then(|| text.parse().ok()).flatten()?;
    u64::try_from(number.checked_sub(SEQUENCE_BASE)?).ok()
}

/// The event of a change, as a stream returns it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    pub(crate) kind: OperationType,
    pub(crate) epoch_ms: u64,
    /// Whether the change is the deletion of an expired item.
    pub(crate) is_expiry: bool,
    pub(crate) keys: RawItem,
    pub(crate) old: Option<RawItem>,
    pub(crate) new: Option<RawItem>,
}

/// Adds the record of a change to a batch, unless nothing changed.
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
    /// Encodes kind, flags and time, then keys, old and new image, each behind its length (0 for
    /// none).
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

    /// Decodes stored bytes; none when [`Event::encode`] does not make them.
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

    /// The event's time, without decoding its images.
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
