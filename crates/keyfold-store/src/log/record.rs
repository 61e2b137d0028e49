//! The bytes of a segment: a header, then one record for each group of changes.
//!
//! ```text
//! segment = header record*
//! header  = "keyfold\1"  id  salt  end of the previous segment  checksum    (8 bytes each)
//! record  = checksum  salt  synced  length (8 bytes each)  change*
//!           (a record without changes says only how much is synced)
//! change  = key length  value length + 1, or 0 for a tombstone (varints)  key  value
//! ```
//!
//! Records begin at multiples of 8.
//!
//! The salt is drawn when a segment is begun. A record's checksum is seeded with it, the segment's
//! id and the record's offset: the earlier content of a reused file, or the value of an item, is
//! never taken for a record. `synced` is the offset up to which the segment was synced when the
//! record was written. When a record cannot be read and a later one can, it distinguishes a torn
//! tail, which was never acknowledged, from corruption of acknowledged changes.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

const MAGIC: &[u8; 8] = b"keyfold\x01";
pub(crate) const HEADER_BYTES: usize = 40;
const RECORD_HEADER_BYTES: usize = 32;
const WATERMARK_BYTES: usize = 32;
/// The most bytes of the lengths of a key and of a value, which are of less than 2^35 bytes.
const LENGTHS_BYTES_MAX: usize = 10;
/// Records begin at multiples of this, so that searching for one is quick.
const ALIGNMENT: usize = 8;

/// A key with its value, or `None` when the key is removed.
pub(crate) type Change<'c> = (&'c [u8], Option<&'c [u8]>);

/// The identity of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) id: u64,
    /// Distinguishes it from other segments of this id: earlier content of a reused file.
    pub(crate) salt: u64,
}

/// Appends a segment's header.
pub(crate) fn write_header(out: &mut Vec<u8>, segment: Segment, previous_end: u64) {
    let start = out.len();
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&segment.id.to_le_bytes());
    out.extend_from_slice(&segment.salt.to_le_bytes());
    out.extend_from_slice(&previous_end.to_le_bytes());
    let checksum = xxh3_64(out.get(start..).unwrap_or_default());
    out.extend_from_slice(&checksum.to_le_bytes());
}

/// Reads a segment's header: the segment, and the end of the previous one; `None` when there is no
/// sound header of this id.
pub(crate) fn read_header(bytes: &[u8], id: u64) -> Option<(Segment, u64)> {
    let (header, checksum) = bytes.get(..HEADER_BYTES)?.split_at(HEADER_BYTES - 8);
    let is_sound = header.starts_with(MAGIC)
        && number(header, 8)? == id
        && xxh3_64(header).to_le_bytes() == checksum;
    if is_sound {
        Some((
            Segment {
                id,
                salt: number(header, 16)?,
            },
            number(header, 24)?,
        ))
    } else {
        None
    }
}

/// The number in the eight bytes at an offset.
fn number(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

/// The seed of the checksum of a record at an offset.
fn seed(segment: Segment, at: usize) -> u64 {
    segment.salt ^ segment.id.rotate_left(40) ^ at as u64
}

/// Appends a record that will be at the offset `at` of its segment. `synced`: the offset up to which
/// the segment is synced.
pub(crate) fn write_record<'c>(
    out: &mut Vec<u8>,
    segment: Segment,
    at: u64,
    synced: u64,
    changes: impl Iterator<Item = Change<'c>>,
) {
    let start = out.len();
    out.extend_from_slice(&[0; 8]);
    out.extend_from_slice(&segment.salt.to_le_bytes());
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
        seed(segment, at as usize),
    );
    put(out, 0, checksum);
    let end = start + (out.len() - start).next_multiple_of(ALIGNMENT);
    out.resize(end, 0);
}

/// The most bytes of a record of these changes.
pub(crate) fn record_bytes_max<'c>(changes: impl Iterator<Item = Change<'c>>) -> usize {
    let lengths = changes.map(|(key, value)| key.len() + value.map_or(0, <[u8]>::len));
    let bytes: usize = lengths.map(|length| length + LENGTHS_BYTES_MAX).sum();
    bytes + RECORD_HEADER_BYTES + ALIGNMENT
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

/// A record whose checksum holds.
pub(crate) struct Record<'s> {
    /// The offset of the next record.
    pub(crate) end: usize,
    /// The offset up to which the segment was synced when the record was written.
    pub(crate) synced: u64,
    changes: &'s [u8],
}

impl<'s> Record<'s> {
    /// Reads the record at an offset of a segment's bytes; `None` when there is no sound one.
    pub(crate) fn read(bytes: &'s [u8], segment: Segment, at: usize) -> Option<Record<'s>> {
        // This comes first because it is cheap: a client cannot know the salt, and so cannot make
        // many offsets look like records.
        if number(bytes, at + 8)? != segment.salt {
            return None;
        }
        let length = usize::try_from(number(bytes, at + 24)?).ok()?;
        let end = at.checked_add(RECORD_HEADER_BYTES)?.checked_add(length)?;
        let checked = bytes.get(at + 8..end)?;
        let is_sound = xxh3_64_with_seed(checked, seed(segment, at)) == number(bytes, at)?;
        let changes = bytes.get(at + RECORD_HEADER_BYTES..end)?;
        let end = end.next_multiple_of(ALIGNMENT);
        let synced = number(bytes, at + 16)?;
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

/// The bytes of a watermark: a segment, and the offset up to which it was acknowledged. It is kept
/// outside the segment.
pub(crate) fn write_watermark(segment: Segment, end: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(WATERMARK_BYTES);
    for number in [segment.id, segment.salt, end] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    let checksum = xxh3_64(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
}

/// Reads the bytes of [`write_watermark`]; `None` when they are not sound.
pub(crate) fn read_watermark(bytes: &[u8]) -> Option<(Segment, u64)> {
    let numbers = bytes.get(..WATERMARK_BYTES - 8)?;
    if xxh3_64(numbers) != number(bytes, WATERMARK_BYTES - 8)? {
        return None;
    }
    let segment = Segment {
        id: number(bytes, 0)?,
        salt: number(bytes, 8)?,
    };
    Some((segment, number(bytes, 16)?))
}

/// Whether the record at `at`, which cannot be read, is corrupt and not a torn tail: a sound record
/// behind it was written when the segment was synced beyond `at`. Reads each byte a bounded number
/// of times, whatever the bytes are: only records of this segment's salt are examined.
pub(crate) fn is_corrupt(bytes: &[u8], segment: Segment, at: usize) -> bool {
    // Bytes never written are zero, and most of a segment may be.
    let written = bytes
        .iter()
        .rposition(|byte| *byte != 0)
        .map_or(0, |last| last + 1);
    (at + ALIGNMENT..written).step_by(ALIGNMENT).any(|behind| {
        let Some(synced) = number(bytes, behind + 16) else {
            return false;
        };
        synced > at as u64
            && synced <= behind as u64
            && Record::read(bytes, segment, behind).is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HERE: Segment = Segment {
        id: 3,
        salt: 0x1234_5678_9abc_def0,
    };

    type Owned = Vec<(Vec<u8>, Option<Vec<u8>>)>;

    fn changes() -> impl Strategy<Value = Owned> {
        let bytes = || proptest::collection::vec(any::<u8>(), 0..200);
        proptest::collection::vec((bytes(), proptest::option::of(bytes())), 1..6)
    }

    fn written(records: &[Owned]) -> (Vec<u8>, Vec<usize>) {
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
            let (bytes, ends) = written(&records);
            prop_assert_eq!(read_header(&bytes, 3), Some((HERE, 77)));
            prop_assert_eq!(read_header(&bytes, 4), None);
            prop_assert_eq!(read(&bytes), (records.clone(), bytes.len()));
            let cut = cut.index(bytes.len() - HEADER_BYTES) + HEADER_BYTES;
            // Up to 7 bytes of a record's end are not part of it.
            let (found, at) = read(&bytes[..cut]);
            let complete = found.len();
            prop_assert!(ends.iter().filter(|end| **end <= cut).count() <= complete);
            prop_assert!(ends.iter().filter(|end| **end < cut + 8).count() >= complete);
            prop_assert_eq!(&found[..], &records[..complete]);
            prop_assert!(!is_corrupt(&bytes[..cut], HERE, at));
        }

        #[test]
        fn a_changed_byte_is_detected(
            records in proptest::collection::vec(changes(), 2..6), at in any::<prop::sample::Index>(), mask in 1u8..
        ) {
            let (mut bytes, ends) = written(&records);
            let changed = HEADER_BYTES + at.index(bytes.len() - HEADER_BYTES);
            bytes[changed] ^= mask;
            // The padding of a record to a multiple of 8 bytes is not read.
            let fills = |end: &usize| (*end - 8..*end).contains(&changed) && read(&bytes).0 == records;
            prop_assume!(!ends.iter().any(fills));
            let intact = ends.iter().filter(|end| **end <= changed).count();
            let (found, at) = read(&bytes);
            prop_assert_eq!(&found[..], &records[..intact]);
            // Every record here was synced before the next was written; only the last may be a torn
            // tail.
            prop_assert_eq!(is_corrupt(&bytes, HERE, at), intact + 1 < records.len());
        }
    }
}
