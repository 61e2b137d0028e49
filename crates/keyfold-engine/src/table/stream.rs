//! Streams: one record for each change of an item, in the batch of the change. Point-in-time
//! recovery keeps the same records of its own.
//!
//! Records are stored behind their shard's prefix under ascending sequence numbers. The store
//! assigns these in the order in which batches become visible, so a reader that has read up to a
//! number has missed nothing below it.

use crate::base::time::utc_text;
use crate::table::Table;
use crate::table::shard::{ALL_HASHES, Shard};
use keyfold_api::{OperationType, StreamViewType};
use keyfold_codec::RawItem;
use keyfold_codec::key::TableId;
use keyfold_store::Batch;
use keyfold_types::KeySchema;

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
    /// Its shards, but for those whose records were trimmed. Stored streams of earlier versions have
    /// none: see [`Stream::with_shards`].
    pub(crate) shards: Vec<Shard>,
}

impl Stream {
    /// The stream with its shards: that of an earlier version has one, with the id of the stream.
    pub(crate) fn with_shards(mut self) -> Stream {
        if self.shards.is_empty() {
            self.shards.push(Shard {
                id: self.id,
                creation_epoch_ms: self.creation_epoch_ms,
                first_sequence: self.first_sequence,
                hashes: ALL_HASHES,
                parent: None,
                closed: self.closed,
            });
        }
        self
    }

    /// The open shards: the first hash of each, and its id.
    pub(crate) fn open_shards(&self) -> Vec<(u64, TableId)> {
        let open = self.shards.iter().filter(|shard| shard.closed.is_none());
        let mut open: Vec<_> = open.map(|shard| (shard.hashes.0, shard.id)).collect();
        open.sort_unstable();
        open
    }

    /// The shard of a name.
    pub(crate) fn shard(&self, name: &str) -> Option<&Shard> {
        self.shards.iter().find(|shard| shard.name() == name)
    }
}

/// A stream's label: the time of its opening, in UTC with milliseconds.
pub(crate) fn label(epoch_ms: u64) -> String {
    utc_text(epoch_ms, "%Y-%m-%dT%H:%M:%S.%3f")
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
    fn labels_have_the_services_form() {
        assert_eq!(label(1_590_601_774_056), "2020-05-27T17:49:34.056");
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
