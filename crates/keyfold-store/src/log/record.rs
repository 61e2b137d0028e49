//! The bytes of a segment: a header, then one record for each group of changes.
//!
//! ```text
//! segment = header record*
//! header  = "keyfold\1"  id  salt  end of the segment before  checksum      (8 bytes each)
//! record  = checksum  salt  synced  length (8 bytes each)  change*
//!           (a record without changes says only what was synced)
//! change  = key length  value length + 1, or 0 for a removal (varints)  key  value
//! ```
//!
//! Records begin at multiples of 8.
//!
//! The salt is drawn when a segment is begun, and a record's checksum is seeded with it, the
//! segment's id and the record's place: what a file held in an earlier life, or what a client wrote
//! into an item, is never taken for a record. `synced` says up to where the segment was synced when
//! the record was written: when a record cannot be read and a later one can, this distinguishes a
//! tail that never reached the disk, and was not acknowledged, from corruption of what was.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

const MAGIC: &[u8; 8] = b"keyfold\x01";
pub(crate) const HEADER_BYTES: usize = 40;
const RECORD_HEADER_BYTES: usize = 32;
const NOTE_BYTES: usize = 32;
/// Records begin at multiples of this, so that looking for one is quick.
const ALIGNMENT: usize = 8;

/// A key, and its value unless the key is removed.
pub(crate) type Change<'c> = (&'c [u8], Option<&'c [u8]>);

/// Which segment a record is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) id: u64,
    pub(crate) salt: u64,
}

/// Appends a segment's header.
pub(crate) fn write_header(out: &mut Vec<u8>, place: Place, end_before: u64) {
    let start = out.len();
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&place.id.to_le_bytes());
    out.extend_from_slice(&place.salt.to_le_bytes());
    out.extend_from_slice(&end_before.to_le_bytes());
    let checksum = xxh3_64(out.get(start..).unwrap_or_default());
    out.extend_from_slice(&checksum.to_le_bytes());
}

/// A segment's header: the segment, and the end of the one before; `None` when there is none that
/// is sound.
pub(crate) fn read_header(segment: &[u8], id: u64) -> Option<(Place, u64)> {
    let (header, checksum) = segment.get(..HEADER_BYTES)?.split_at(HEADER_BYTES - 8);
    let is_sound = header.starts_with(MAGIC)
        && number(header, 8)? == id
        && xxh3_64(header).to_le_bytes() == checksum;
    if is_sound {
        Some((
            Place {
                id,
                salt: number(header, 16)?,
            },
            number(header, 24)?,
        ))
    } else {
        None
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

/// The seed of a checksum.
fn seed(place: Place, at: usize) -> u64 {
    place.salt ^ place.id.rotate_left(40) ^ at as u64
}

/// Appends a record that will be at `at` of its segment.
pub(crate) fn write_record<'c>(
    out: &mut Vec<u8>,
    place: Place,
    at: u64,
    synced: u64,
    changes: impl Iterator<Item = Change<'c>>,
) {
    let start = out.len();
    out.extend_from_slice(&[0; 8]);
    out.extend_from_slice(&place.salt.to_le_bytes());
    out.extend_from_slice(&synced.to_le_bytes());
    out.extend_from_slice(&[0; 8]);
    for (key, value) in changes {
        write_varint(out, key.len() as u64);
        write_varint(out, value.map_or(0, |value| value.len() as u64 + 1));
        out.extend_from_slice(key);
        out.extend_from_slice(value.unwrap_or_default());
    }
    let length = (out.len() - start - RECORD_HEADER_BYTES) as u64;
    let put = |out: &mut Vec<u8>, at: usize, number: u64| {
        if let Some(slot) = out.get_mut(start + at..start + at + 8) {
            slot.copy_from_slice(&number.to_le_bytes());
        }
    };
    put(out, 24, length);
    let checksum = xxh3_64_with_seed(
        out.get(start + 8..).unwrap_or_default(),
        seed(place, at as usize),
    );
    put(out, 0, checksum);
    let end = start + (out.len() - start).next_multiple_of(ALIGNMENT);
    out.resize(end, 0);
}

fn write_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn read_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// A record that was read whole.
pub(crate) struct Record<'s> {
    /// The offset of the next record.
    pub(crate) end: usize,
    /// Up to where the segment was on the device when the record was written.
    pub(crate) synced: u64,
    changes: &'s [u8],
}

impl<'s> Record<'s> {
    /// The record at a place of a segment, if there is a sound one.
    pub(crate) fn read(segment: &'s [u8], place: Place, at: usize) -> Option<Record<'s>> {
        // Before anything is calculated: nobody knows the salt who could make a place look like a
        // record.
        if number(segment, at + 8)? != place.salt {
            return None;
        }
        let length = usize::try_from(number(segment, at + 24)?).ok()?;
        let end = at.checked_add(RECORD_HEADER_BYTES)?.checked_add(length)?;
        let checked = segment.get(at + 8..end)?;
        let is_sound = xxh3_64_with_seed(checked, seed(place, at)) == number(segment, at)?;
        let changes = segment.get(at + RECORD_HEADER_BYTES..end)?;
        let end = end.next_multiple_of(ALIGNMENT);
        let synced = number(segment, at + 16)?;
        is_sound.then_some(Record {
            end,
            synced,
            changes,
        })
    }

    /// The changes, in the order in which they were written.
    pub(crate) fn changes(&self) -> Changes<'s> {
        Changes(self.changes)
    }
}

/// The changes of a record whose checksum holds.
pub(crate) struct Changes<'s>(&'s [u8]);

impl<'s> Iterator for Changes<'s> {
    type Item = Change<'s>;

    fn next(&mut self) -> Option<Change<'s>> {
        let key = usize::try_from(read_varint(&mut self.0)?).ok()?;
        let value = usize::try_from(read_varint(&mut self.0)?).ok()?;
        let (key, rest) = self.0.split_at_checked(key)?;
        let (bytes, rest) = rest.split_at_checked(value.saturating_sub(1))?;
        self.0 = rest;
        Some((key, (value > 0).then_some(bytes)))
    }
}

/// Facts about a segment that are kept outside of it: its id, and the offset up to which it was
/// acknowledged.
pub(crate) fn write_note(place: Place, end: u64) -> Vec<u8> {
    let mut note = Vec::with_capacity(NOTE_BYTES);
    for number in [place.id, place.salt, end] {
        note.extend_from_slice(&number.to_le_bytes());
    }
    let checksum = xxh3_64(&note);
    note.extend_from_slice(&checksum.to_le_bytes());
    note
}

/// A note of [`write_note`]; `None` when it is not sound.
pub(crate) fn read_note(note: &[u8]) -> Option<(Place, u64)> {
    let numbers = note.get(..NOTE_BYTES - 8)?;
    if xxh3_64(numbers) != number(note, NOTE_BYTES - 8)? {
        return None;
    }
    Some((
        Place {
            id: number(note, 0)?,
            salt: number(note, 8)?,
        },
        number(note, 16)?,
    ))
}

/// Whether a sound record behind `at` was written when everything up to beyond `at` was on the disk
/// already. Reads each byte a bounded number of times, whatever the bytes are: only records of this
/// segment's salt are looked into.
pub(crate) fn is_damaged(segment: &[u8], place: Place, at: usize) -> bool {
    // Bytes never written are zero, and most of a segment may be.
    let written = segment
        .iter()
        .rposition(|byte| *byte != 0)
        .map_or(0, |last| last + 1);
    (at + ALIGNMENT..written).step_by(ALIGNMENT).any(|behind| {
        let Some(synced) = number(segment, behind + 16) else {
            return false;
        };
        synced > at as u64
            && synced <= behind as u64
            && Record::read(segment, place, behind).is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HERE: Place = Place {
        id: 3,
        salt: 0x1234_5678_9abc_def0,
    };

    type Owned = Vec<(Vec<u8>, Option<Vec<u8>>)>;

    fn changes() -> impl Strategy<Value = Owned> {
        let bytes = || proptest::collection::vec(any::<u8>(), 0..200);
        proptest::collection::vec((bytes(), proptest::option::of(bytes())), 1..6)
    }

    fn segment(records: &[Owned]) -> (Vec<u8>, Vec<usize>) {
        let mut segment = Vec::new();
        write_header(&mut segment, HERE, 77);
        let mut ends = Vec::new();
        for record in records {
            let at = segment.len() as u64;
            let borrowed = record
                .iter()
                .map(|(key, value)| (&key[..], value.as_deref()));
            write_record(&mut segment, HERE, at, at, borrowed);
            ends.push(segment.len());
        }
        (segment, ends)
    }

    fn read(segment: &[u8]) -> (Vec<Owned>, usize) {
        let (mut found, mut at) = (Vec::new(), HEADER_BYTES);
        while let Some(record) = Record::read(segment, HERE, at) {
            let owned = |(key, value): Change<'_>| (key.to_vec(), value.map(<[u8]>::to_vec));
            found.push(record.changes().map(owned).collect());
            at = record.end;
        }
        (found, at)
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_and_a_cut_hides_only_what_is_behind_it(
            records in proptest::collection::vec(changes(), 1..6), cut in any::<prop::sample::Index>()
        ) {
            let (whole, ends) = segment(&records);
            prop_assert_eq!(read_header(&whole, 3), Some((HERE, 77)));
            prop_assert_eq!(read_header(&whole, 4), None);
            prop_assert_eq!(read(&whole), (records.clone(), whole.len()));
            let cut = cut.index(whole.len() - HEADER_BYTES) + HEADER_BYTES;
            // Up to 7 bytes of a record's end are not part of it.
            let (found, at) = read(&whole[..cut]);
            let complete = found.len();
            prop_assert!(ends.iter().filter(|end| **end <= cut).count() <= complete);
            prop_assert!(ends.iter().filter(|end| **end < cut + 8).count() >= complete);
            prop_assert_eq!(&found[..], &records[..complete]);
            prop_assert!(!is_damaged(&whole[..cut], HERE, at));
        }

        #[test]
        fn a_changed_byte_is_noticed(
            records in proptest::collection::vec(changes(), 2..6), place in any::<prop::sample::Index>(), mask in 1u8..
        ) {
            let (mut bytes, ends) = segment(&records);
            let place = HEADER_BYTES + place.index(bytes.len() - HEADER_BYTES);
            bytes[place] ^= mask;
            // The padding of a record to a multiple of 8 bytes is not read.
            let fills = |end: &usize| (*end - 8..*end).contains(&place) && read(&bytes).0 == records;
            prop_assume!(!ends.iter().any(fills));
            let struck = ends.iter().filter(|end| **end <= place).count();
            let (found, at) = read(&bytes);
            prop_assert_eq!(&found[..], &records[..struck]);
            // Every record here was synced before the next was written; only the last may be a torn
            // tail.
            prop_assert_eq!(is_damaged(&bytes, HERE, at), struck + 1 < records.len());
        }
    }
}
