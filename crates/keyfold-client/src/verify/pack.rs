//! Encoded records side by side in memory, and their order.

use super::record::{Head, Record, group_of, order, payload};

/// Encoded records.
#[derive(Default)]
pub(super) struct Pack {
    bytes: Vec<u8>,
    places: Vec<Place>,
}

/// The place of a record.
#[derive(Clone, Copy)]
struct Place {
    /// The first bytes of its group, which decide the order of most records.
    lead: u64,
    /// Its offset in the bytes.
    at: usize,
}

/// The first bytes of a group.
pub(super) fn lead(group: u128) -> u64 {
    u64::try_from(group >> 64).unwrap_or(u64::MAX)
}

impl Pack {
    pub(super) fn push(&mut self, record: &Record) {
        let (head, texts) = record.parts();
        self.push_parts(head, texts);
    }

    /// Adds a record with these bytes of its table, its key and the rest.
    pub(super) fn push_parts(&mut self, head: Head, texts: [&[u8]; 3]) {
        let at = self.bytes.len();
        head.encode(texts, &mut self.bytes);
        let lead = lead(head.group);
        self.places.push(Place { lead, at });
    }

    /// Keeps the records of these groups.
    pub(super) fn retain(&mut self, is_kept: impl Fn(u128) -> bool) {
        let Pack { bytes, places } = self;
        places.retain(|place| group_of(payload(bytes, place.at)).is_some_and(&is_kept));
    }

    /// The records, as they are.
    pub(super) fn records(&self) -> impl Iterator<Item = Record> {
        (0..self.places.len()).filter_map(|at| Record::decode(self.get(at)?))
    }

    /// Adds the records of another pack.
    pub(super) fn append(&mut self, other: &Pack) {
        if other.places.is_empty() {
            return;
        }
        let from = self.bytes.len();
        self.bytes.extend_from_slice(&other.bytes);
        let places = other.places.iter().map(|place| Place {
            at: place.at + from,
            ..*place
        });
        self.places.extend(places);
    }

    /// Removes all records, and keeps their memory.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.places.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The bytes that it takes in memory.
    pub(super) fn size_bytes(&self) -> usize {
        self.bytes.len() + self.places.len() * size_of::<Place>()
    }

    /// Puts the records in order.
    pub(super) fn sort(&mut self) {
        let Pack { bytes, places } = self;
        places.sort_unstable_by(|one, other| {
            let leads = one.lead.cmp(&other.lead);
            leads.then_with(|| order(payload(bytes, one.at), payload(bytes, other.at)))
        });
    }

    /// The encoded record at a position, without its length.
    pub(super) fn get(&self, position: usize) -> Option<&[u8]> {
        let place = self.places.get(position)?;
        Some(payload(&self.bytes, place.at))
    }
}
