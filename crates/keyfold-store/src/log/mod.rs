//! The write-ahead log: what was acknowledged and is not in a table of the storage engine yet.
//!
//! A log is a row of segments with ascending ids. Changes are appended to the last one; when the storage engine starts
//! a new memory table, the log starts a new segment, and once the old memory table is written to the disk the
//! segments before are retired. So a reopening replays little, however much is stored.
//!
//! Why a log of our own: the storage engine's trees come without one, and the one made for them keeps up to 64 MB, which takes
//! too long to replay, allocates without writing ahead, and refuses to open when its tail is torn.

mod files;
mod record;

pub(crate) use files::sync_folder;
pub use files::{LogFile, LogFiles, LogFolder};
pub(crate) use record::Change;

use crate::error::StoreError;
use record::{HEADER_BYTES, Place, Record, is_damaged, read_header, write_header, write_record};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

/// Capacity that is kept for the next record.
const BUFFER_BYTES_KEPT: usize = 1024 * 1024;

/// A log that is written.
pub(crate) struct Log {
    files: Arc<dyn LogFiles>,
    current: Box<dyn LogFile>,
    place: Place,
    /// Where the segment before this one ended.
    end_before: u64,
    written: u64,
    synced: u64,
    /// Up to where a record says that everything before it is on the device.
    attested: u64,
    buffer: Vec<u8>,
    /// A write or sync failed: what is on the disk is not known any more.
    has_failed: bool,
}

/// A number that nobody can guess, without a random source of our own.
fn salt() -> u64 {
    RandomState::new().hash_one(0)
}

impl Log {
    /// Opens a log: hands over every group of changes in order, then begins a new segment. Gives the ids of the segments
    /// that were replayed, too.
    ///
    /// # Errors
    /// `Io` when a file cannot be read or made; `Corrupt` when acknowledged changes cannot be read.
    pub(crate) fn open(
        files: Arc<dyn LogFiles>,
        mut visit: impl FnMut(&mut dyn Iterator<Item = Change<'_>>),
    ) -> Result<(Log, Vec<u64>), StoreError> {
        let ids = live_segments(&*files)?;
        let mut segments: Vec<(u64, Vec<u8>)> = Vec::with_capacity(ids.len());
        for id in ids {
            segments.push((id, files.read(id)?));
        }
        // The segments that hold something, and where they end: a segment's end is told by the one behind it.
        let mut ended: Vec<(u64, u64)> = Vec::with_capacity(segments.len());
        for (at, (id, bytes)) in segments.iter().enumerate() {
            let told = segments.get(at + 1).and_then(|(id, bytes)| read_header(bytes, *id));
            let (end, synced) = replay(*id, bytes, told.map(|(_, end)| end), &mut visit)?;
            if end > 0 {
                // The zeros that fill up the last record may be missing.
                let unsure = bytes.get(synced..end.min(bytes.len())).unwrap_or_default();
                // It was read, and will be seen and built upon: it must not be in the system's memory only. And after a sync
                // that failed, another one says nothing of bytes that were not written again.
                files.rewrite(*id, synced as u64, unsure)?;
            }
            ended.push((*id, end as u64));
        }
        // A segment in which nothing was written is used now.
        let unused = ended.pop_if(|(_, end)| *end == 0);
        let id = unused.or(ended.last().copied()).map_or(1, |(id, end)| if end == 0 { id } else { id + 1 });
        let end_before = ended.last().map_or(0, |(_, end)| *end);
        let ids = ended.into_iter().map(|(id, _)| id).collect();
        let current = files.create(id)?;
        let place = Place { id, salt: salt() };
        let buffer = Vec::new();
        let (written, synced, attested, has_failed) = (0, 0, 0, false);
        let log = Log { files, current, place, end_before, written, synced, attested, buffer, has_failed };
        Ok((log, ids))
    }

    /// The segment that is written.
    #[cfg(test)]
    pub(crate) fn id(&self) -> u64 {
        self.place.id
    }

    /// Appends one group of changes; with `sync`, returns when it survives a crash of the machine.
    pub(crate) fn append<'c>(
        &mut self,
        changes: impl Iterator<Item = Change<'c>>,
        sync: bool,
    ) -> Result<(), StoreError> {
        self.buffer.clear();
        self.buffer.shrink_to(BUFFER_BYTES_KEPT);
        if self.written == 0 {
            write_header(&mut self.buffer, self.place, self.end_before);
        }
        let at = self.written + self.buffer.len() as u64;
        write_record(&mut self.buffer, self.place, at, self.synced, changes);
        self.write_buffer()?;
        if sync { self.sync() } else { Ok(()) }
    }

    fn write_buffer(&mut self) -> Result<(), StoreError> {
        self.refuse_after_failure()?;
        let written = self.current.append(&self.buffer);
        self.has_failed = written.is_err();
        self.written += self.buffer.len() as u64;
        Ok(written?)
    }

    pub(crate) fn sync(&mut self) -> Result<(), StoreError> {
        self.refuse_after_failure()?;
        if self.synced < self.written {
            let synced = self.current.sync();
            self.has_failed = synced.is_err();
            synced?;
            self.synced = self.written;
        }
        Ok(())
    }

    /// Syncs, and notes it in the log: a last record that cannot be read at the next start is damage then, and not a tail that
    /// nobody was promised.
    pub(crate) fn attest(&mut self) -> Result<(), StoreError> {
        self.sync()?;
        if self.attested < self.written {
            self.append(std::iter::empty(), true)?;
            self.attested = self.written;
        }
        Ok(())
    }

    /// A sync that succeeds after one that failed says nothing of what the failed one should have kept.
    fn refuse_after_failure(&self) -> Result<(), StoreError> {
        if self.has_failed {
            return Err(StoreError::Poisoned("the log could not be written".to_owned()));
        }
        Ok(())
    }

    /// Ends the segment and begins another. Gives the ended one's id.
    pub(crate) fn rotate(&mut self) -> Result<u64, StoreError> {
        if self.written == 0 {
            // A segment in the middle says where the one before ended, even if it holds nothing else.
            self.buffer.clear();
            write_header(&mut self.buffer, self.place, self.end_before);
            self.write_buffer()?;
        }
        // What is in a table must not be newer than what is in the log before it.
        self.sync()?;
        let ended = self.place.id;
        self.current = self.files.create(ended + 1)?;
        self.place = Place { id: ended + 1, salt: salt() };
        self.end_before = self.written;
        (self.written, self.synced, self.attested) = (0, 0, 0);
        Ok(ended)
    }
}

/// Segments to replay. They are retired oldest first, so what is below a gap is there no more.
fn live_segments(files: &dyn LogFiles) -> Result<Vec<u64>, StoreError> {
    let mut ids = files.segments()?;
    ids.sort_unstable();
    let gap = ids.windows(2).rposition(|pair| matches!(pair, [low, high] if low + 1 != *high));
    let live = ids.split_off(gap.map_or(0, |at| at + 1));
    for id in ids {
        files.retire(id)?;
    }
    Ok(live)
}

/// Hands over a segment's groups; gives back where it ends, and up to where it is known to be on the device.
fn replay(
    id: u64,
    bytes: &[u8],
    told: Option<u64>,
    visit: &mut impl FnMut(&mut dyn Iterator<Item = Change<'_>>),
) -> Result<(usize, usize), StoreError> {
    let Some((place, _)) = read_header(bytes, id) else {
        return match told {
            Some(end) if end > 0 => Err(damaged(id, 0)),
            _ if is_damaged(bytes, id, None, 0) => Err(damaged(id, 0)),
            _ => Ok((0, 0)),
        };
    };
    let (mut at, mut synced) = (HEADER_BYTES, 0);
    while told.is_none_or(|end| (at as u64) < end) {
        let Some(record) = Record::read(bytes, place, at) else { break };
        visit(&mut record.changes());
        (at, synced) = (record.end, record.synced as usize);
    }
    let is_whole = told.map_or_else(|| !is_damaged(bytes, id, Some(place.salt), at), |end| at as u64 == end);
    if is_whole { Ok((at, synced)) } else { Err(damaged(id, at)) }
}

fn damaged(id: u64, at: usize) -> StoreError {
    StoreError::Corrupt(format!(
        "segment {id} of the log is damaged at byte {at}: changes that were acknowledged cannot be read, so the \
         data folder is not opened; restore a copy of it, or remove the folder `log` to give these changes up"
    ))
}

#[cfg(test)]
mod tests;
