//! The shards of a stream: each takes the changes of a range of partitions. When its time is over it
//! is closed, and one child takes its range, or two children halve it.

use super::sequence;
use keyfold_codec::key::TableId;

/// A shard, from its opening on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shard {
    /// Its id in the key space: that of its records.
    pub(crate) id: TableId,
    pub(crate) creation_epoch_ms: u64,
    /// The least sequence number that a record of it can have.
    pub(crate) first_sequence: u64,
    /// The hashes of its partitions, from the first to the last.
    pub(crate) hashes: (u64, u64),
    /// The name of the shard that had its partitions before, which may be forgotten by now.
    pub(crate) parent: Option<String>,
    /// When it was closed, and the sequence number after its last record.
    pub(crate) closed: Option<(u64, u64)>,
}

/// All hashes of partitions.
pub(crate) const ALL_HASHES: (u64, u64) = (0, u32::MAX as u64);

impl Shard {
    /// The name, in the service's form. Names of later shards are greater.
    pub(crate) fn name(&self) -> String {
        let print = xxhash_rust::xxh3::xxh3_64(&self.id.0.to_be_bytes()) as u32;
        format!("shardId-{:020}-{print:08x}", self.creation_epoch_ms)
    }

    /// The sequence number before its first record, which exists while there is no record.
    pub(crate) fn start_text(&self) -> String {
        sequence::text_before(self.first_sequence)
    }

    /// The sequence number of the last record of a closed shard, or the start when it has none.
    pub(crate) fn end_text(&self) -> Option<String> {
        let (_, end) = self.closed?;
        Some(if end > self.first_sequence {
            sequence::text(end - 1)
        } else {
            self.start_text()
        })
    }

    /// The ranges of hashes of this number of children.
    pub(crate) fn parts(&self, children: u64) -> Vec<(u64, u64)> {
        parts(self.hashes, children)
    }
}

/// Divides a range of hashes into even parts, of which none is empty.
pub(crate) fn parts((low, high): (u64, u64), number: u64) -> Vec<(u64, u64)> {
    let length = high - low + 1;
    let number = number.clamp(1, length);
    let edge = |part: u64| low + length * part / number;
    (0..number)
        .map(|part| (edge(part), edge(part + 1) - 1))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_a_range_without_overlap() {
        for (range, number) in [(ALL_HASHES, 1), (ALL_HASHES, 7), ((5, 5), 3), ((5, 7), 2)] {
            let parts = parts(range, number);
            assert_eq!(parts.first().map(|part| part.0), Some(range.0));
            assert_eq!(parts.last().map(|part| part.1), Some(range.1));
            assert!(
                parts.windows(2).all(|two| two[0].1 + 1 == two[1].0),
                "{parts:?}"
            );
            assert!(parts.iter().all(|part| part.0 <= part.1), "{parts:?}");
        }
    }
}
