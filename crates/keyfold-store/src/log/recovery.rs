//! Reading a log when its folder is opened: which segments must exist, and where each ends.
//!
//! Nothing is changed here. A torn tail, whose changes were never acknowledged, is cut off. Anything
//! else that cannot be read is corruption, and the log is not opened.

use super::files::LogFiles;
use super::record::{
    Change, HEADER_BYTES, Record, Segment, is_corrupt, read_header, read_watermark,
};
use crate::checkpoint::Checkpoint;
use crate::error::StoreError;
use std::sync::Arc;

/// A log that was read and found sound.
pub(crate) struct Recovered {
    pub(super) files: Arc<dyn LogFiles>,
    /// The segments to replay, ascending and without a gap.
    pub(super) segments: Vec<Replayed>,
    /// Segments that were retired before: a crash may have brought them back.
    pub(super) retired: Vec<u64>,
}

impl Recovered {
    /// Reads a log. `checkpoint` is the folder's; a new log has none.
    ///
    /// # Errors
    /// `Io` when a file cannot be read; `Corrupt` when acknowledged changes cannot be read.
    pub(crate) fn read(
        files: Arc<dyn LogFiles>,
        checkpoint: Option<Checkpoint>,
    ) -> Result<Recovered, StoreError> {
        let watermark = files.watermark().and_then(|bytes| read_watermark(&bytes));
        let begun = begun(checkpoint, watermark);
        let (live, retired) = segments(&*files, checkpoint, begun)?;
        let mut read: Vec<(u64, Vec<u8>)> = Vec::with_capacity(live.len());
        for id in live {
            read.push((id, files.read(id)?));
        }
        // A segment's end is in the header of the next one.
        let end_in_next = |at: usize| {
            let (id, bytes) = read.get(at + 1)?;
            let (_, previous_end) = read_header(bytes, *id)?;
            Some(previous_end)
        };
        let ends: Vec<Option<u64>> = (0..read.len()).map(end_in_next).collect();
        let mut segments = Vec::with_capacity(read.len());
        for ((id, bytes), end) in read.into_iter().zip(ends) {
            let known = Known {
                end,
                begun,
                checkpoint,
                watermark,
            };
            match Replayed::new(id, bytes, &known)? {
                Some(replayed) => segments.push(replayed),
                // It was never begun.
                None => break,
            }
        }
        Ok(Recovered {
            files,
            segments,
            retired,
        })
    }
}

/// The newest segment that is known to have been begun. The checkpoint names it a moment late, and the watermark from
/// its first sync on; a crash of the machine may have left an older one of both.
fn begun(checkpoint: Option<Checkpoint>, watermark: Option<(Segment, u64)>) -> u64 {
    let of_checkpoint = checkpoint.map_or(0, |checkpoint| checkpoint.newest_segment);
    watermark.map_or(of_checkpoint, |(segment, _)| of_checkpoint.max(segment.id))
}

/// The ids of the segments to replay, and of those retired before, both ascending. All up to `begun` must exist.
fn segments(
    files: &dyn LogFiles,
    checkpoint: Option<Checkpoint>,
    begun: u64,
) -> Result<(Vec<u64>, Vec<u64>), StoreError> {
    let mut ids = files.segments()?;
    ids.sort_unstable();
    // Nothing was acknowledged in a folder that has no checkpoint yet.
    let Some(checkpoint) = checkpoint else {
        return Ok((Vec::new(), ids));
    };
    let oldest = checkpoint.oldest_segment;
    let live = ids.split_off(ids.partition_point(|id| *id < oldest));
    let newest = live.last().copied().unwrap_or(0);
    let newest = newest.max(begun);
    match (oldest..=newest).find(|id| live.binary_search(id).is_err()) {
        None => Ok((live, ids)),
        Some(missing) => Err(unusable(
            missing,
            "is missing, although its changes are in no table file",
        )),
    }
}

/// Facts about a segment from outside its file.
struct Known {
    /// The offset at which it ended.
    end: Option<u64>,
    /// The newest segment that was begun.
    begun: u64,
    checkpoint: Option<Checkpoint>,
    /// A segment, and the offset up to which it was acknowledged.
    watermark: Option<(Segment, u64)>,
}

/// A segment that was read and found sound.
pub(super) struct Replayed {
    pub(super) segment: Segment,
    pub(super) bytes: Vec<u8>,
    /// The offset at which its last record ends.
    pub(super) end: usize,
    /// The offset up to which it is known to be on the device.
    pub(super) synced: usize,
}

impl Replayed {
    /// Reads through a segment; `None` when it was never begun.
    fn new(id: u64, bytes: Vec<u8>, known: &Known) -> Result<Option<Replayed>, StoreError> {
        let Some((segment, _)) = read_header(&bytes, id) else {
            return if id > known.begun && known.end.is_none() {
                Ok(None)
            } else {
                Err(corrupt(id, 0))
            };
        };
        let allocated = known
            .checkpoint
            .filter(|checkpoint| checkpoint.newest_segment == id)
            .map_or(0, |checkpoint| checkpoint.allocated_bytes);
        if allocated > bytes.len() as u64 {
            return Err(unusable(id, &format!("was cut to {} bytes", bytes.len())));
        }
        let (mut at, mut synced) = (HEADER_BYTES, 0);
        while known.end.is_none_or(|end| (at as u64) < end) {
            let Some(record) = Record::read(&bytes, segment, at) else {
                break;
            };
            (at, synced) = (record.end, record.synced as usize);
        }
        let is_sound = match known.end {
            Some(end) => at as u64 == end,
            None => {
                let acknowledged = known
                    .watermark
                    .filter(|(of, _)| *of == segment)
                    .map_or(0, |(_, end)| end);
                at as u64 >= acknowledged && !is_corrupt(&bytes, segment, at)
            }
        };
        if is_sound {
            Ok(Some(Replayed {
                segment,
                bytes,
                end: at,
                synced,
            }))
        } else {
            Err(corrupt(id, at))
        }
    }

    /// Hands over the groups of changes in order.
    pub(super) fn visit(&self, visit: &mut impl FnMut(&mut dyn Iterator<Item = Change<'_>>)) {
        let mut at = HEADER_BYTES;
        while at < self.end
            && let Some(record) = Record::read(&self.bytes, self.segment, at)
        {
            visit(&mut record.changes());
            at = record.end;
        }
    }
}

fn corrupt(id: u64, at: usize) -> StoreError {
    unusable(
        id,
        &format!("is corrupt at byte {at}: acknowledged changes cannot be read"),
    )
}

fn unusable(id: u64, what: &str) -> StoreError {
    StoreError::Corrupt(format!(
        "segment {id} of the log {what} (file log/{id:012}.log). The data folder is not opened, and the log was not changed. Put \
         the file back, or restore the whole folder from a copy (`keyfold backup` makes copies)"
    ))
}
