//! The write-ahead log: what was acknowledged and is not in a table of the storage engine yet.
//!
//! A log is a row of segments with ascending ids. Changes are appended to the last one; when the
//! storage engine starts a new memtable, the log starts a new segment, and once the old memtable is
//! written to the disk the segments before are retired. So a reopening replays little, however much
//! is stored.
//!
//! Why a log of our own: the storage engine's trees come without one, and the one made for them
//! keeps up to 64 MB, which takes too long to replay, allocates without writing ahead, and refuses
//! to open when its tail is torn.

mod files;
mod record;

pub(crate) use files::sync_folder;
pub use files::{LogFile, LogFiles, LogFolder};
pub(crate) use record::Change;

use crate::checkpoint::{Checkpoint, Checkpoints};
use crate::error::StoreError;
use record::{
    HEADER_BYTES, Place, Record, is_damaged, read_header, read_note, write_header, write_note,
    write_record,
};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

/// Capacity that is kept for the next record.
const BUFFER_BYTES_KEPT: usize = 1024 * 1024;

/// A log that is written.
pub(crate) struct Log {
    files: Arc<dyn LogFiles>,
    checkpoints: Arc<Checkpoints>,
    current: Box<dyn LogFile>,
    place: Place,
    written: u64,
    synced: u64,
    /// Up to where a record says that everything before it is on the device.
    attested: u64,
    buffer: Vec<u8>,
    /// A write or sync failed: what is on the disk is not known any more.
    has_failed: bool,
    /// The checkpoint names the segment that is written, and how long its file is.
    is_in_checkpoint: bool,
}

/// A number that nobody can guess, without a random source of our own.
fn salt() -> u64 {
    RandomState::new().hash_one(0)
}

/// A segment that nothing was appended to.
struct Begun {
    file: Box<dyn LogFile>,
    place: Place,
}

/// Why a segment could not be begun.
struct NotBegun {
    error: StoreError,
    /// Whether no header of it can be found at the next start.
    is_surely_gone: bool,
}

impl From<NotBegun> for StoreError {
    fn from(not: NotBegun) -> StoreError {
        not.error
    }
}

impl Begun {
    /// Begins a segment. Its header is on the device before anything else is in it: a segment
    /// without one was never written to, whatever its file holds.
    fn new(files: &dyn LogFiles, id: u64, end_before: u64) -> Result<Begun, NotBegun> {
        let mut file =
            // Nothing was written: a file that is used again holds the header of another id.
            files.create(id).map_err(|error| NotBegun { error: error.into(), is_surely_gone: true })?;
        let place = Place { id, salt: salt() };
        let mut header = Vec::with_capacity(HEADER_BYTES);
        write_header(&mut header, place, end_before);
        match file.append(&header).and_then(|()| file.sync()) {
            Ok(()) => Ok(Begun { file, place }),
            // Its record of the end of the segment before must not outlive appends to that segment.
            Err(error) => Err(NotBegun {
                is_surely_gone: files.discard(id).is_ok(),
                error: error.into(),
            }),
        }
    }
}

/// A log that was read and found whole. Nothing was changed so far.
pub(crate) struct Recovered {
    files: Arc<dyn LogFiles>,
    /// Those to be replayed, ascending and without a gap.
    segments: Vec<Replayed>,
    /// Those that were given up before: a crash may have brought them back.
    retired: Vec<u64>,
}

impl Recovered {
    /// Reads a log. `known` is the folder's checkpoint; a new log has none.
    ///
    /// # Errors
    /// `Io` when a file cannot be read; `Corrupt` when acknowledged changes cannot be read.
    pub(crate) fn read(
        files: Arc<dyn LogFiles>,
        known: Option<Checkpoint>,
    ) -> Result<Recovered, StoreError> {
        let (live, retired) = found(&*files, known)?;
        let mut read: Vec<(u64, Vec<u8>)> = Vec::with_capacity(live.len());
        for id in live {
            read.push((id, files.read(id)?));
        }
        let note = files.note().and_then(|note| read_note(&note));
        // A segment's end is in the header of the one behind it.
        let behind = |at: usize| {
            read.get(at + 1)
                .and_then(|(id, bytes)| read_header(bytes, *id))
        };
        let ends: Vec<Option<u64>> = (0..read.len())
            .map(|at| behind(at).map(|(_, end_before)| end_before))
            .collect();
        let mut segments = Vec::with_capacity(read.len());
        for ((id, bytes), end) in read.into_iter().zip(ends) {
            match Replayed::new(
                id,
                bytes,
                &Known {
                    end,
                    checkpoint: known,
                    note,
                },
            )? {
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

impl Log {
    /// Goes on with a log: hands over every group of changes in order, then begins a new segment.
    /// Returns the ids of the segments that were replayed, too.
    ///
    /// # Errors
    /// `Io` when a file cannot be written or made.
    pub(crate) fn open(
        recovered: Recovered,
        checkpoints: Arc<Checkpoints>,
        mut visit: impl FnMut(&mut dyn Iterator<Item = Change<'_>>),
    ) -> Result<(Log, Vec<u64>), StoreError> {
        let Recovered {
            files,
            segments,
            retired,
        } = recovered;
        for id in retired {
            files.retire(id)?;
        }
        for segment in &segments {
            segment.visit(&mut visit);
            // The zeros that fill up the last record may be missing.
            let unsure = segment
                .bytes
                .get(segment.synced..segment.end.min(segment.bytes.len()));
            // It was read, and will be seen and built upon: it must not be in the system's memory
            // only. And after a sync that failed, another one says nothing of bytes that were not
            // written again.
            files.rewrite(
                segment.place.id,
                segment.synced as u64,
                unsure.unwrap_or_default(),
            )?;
        }
        let last = segments.last().map(|last| (last.place.id, last.end as u64));
        let (id, end_before) = last.map_or((1, 0), |(id, end)| (id + 1, end));
        let Begun { file, place } = Begun::new(&*files, id, end_before)?;
        let has_changes = segments.iter().any(|segment| segment.end > HEADER_BYTES);
        let replayed: Vec<u64> = segments
            .into_iter()
            .map(|segment| segment.place.id)
            .collect();
        checkpoints.update(|checkpoint| {
            checkpoint.oldest_segment = replayed
                .first()
                .copied()
                .filter(|_| has_changes)
                .unwrap_or(place.id);
            checkpoint.newest_segment = place.id;
            checkpoint.allocated_bytes = file.allocated();
        })?;
        let written = HEADER_BYTES as u64;
        let log = Log {
            files,
            checkpoints,
            current: file,
            place,
            written,
            synced: written,
            attested: written,
            buffer: Vec::new(),
            has_failed: false,
            is_in_checkpoint: true,
        };
        if has_changes {
            return Ok((log, replayed));
        }
        for id in replayed {
            log.files.retire(id)?;
        }
        Ok((log, Vec::new()))
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
        write_record(
            &mut self.buffer,
            self.place,
            self.written,
            self.synced,
            changes,
        );
        self.refuse_after_failure()?;
        let allocated = self.current.allocated();
        let written = self.current.append(&self.buffer);
        self.has_failed = written.is_err();
        written?;
        self.written += self.buffer.len() as u64;
        self.is_in_checkpoint &= self.current.allocated() == allocated;
        self.enter_in_checkpoint();
        if sync { self.sync() } else { Ok(()) }
    }

    pub(crate) fn sync(&mut self) -> Result<(), StoreError> {
        self.refuse_after_failure()?;
        if self.synced < self.written {
            let synced = self.current.sync();
            self.has_failed = synced.is_err();
            synced?;
            self.synced = self.written;
            self.files
                .keep_note(&write_note(self.place, self.synced), false);
        }
        Ok(())
    }

    /// Syncs, and notes it in the log: a last record that cannot be read at the next start is
    /// damage then, and not a tail that nobody was promised.
    pub(crate) fn attest(&mut self) -> Result<(), StoreError> {
        self.sync()?;
        if self.attested < self.written {
            self.append(std::iter::empty(), true)?;
            self.attested = self.written;
            self.files
                .keep_note(&write_note(self.place, self.synced), true);
        }
        Ok(())
    }

    /// Whether changes can still be appended.
    pub(crate) fn is_sound(&self) -> bool {
        !self.has_failed
    }

    /// A sync that succeeds after one that failed says nothing of what the failed one should have
    /// kept.
    fn refuse_after_failure(&self) -> Result<(), StoreError> {
        if self.has_failed {
            return Err(StoreError::Poisoned(
                "the log could not be written".to_owned(),
            ));
        }
        Ok(())
    }

    /// Ends the segment and begins another. Returns the ended one's id. After an error the log goes
    /// on in the old segment. If the new segment's header may be on the device, the log takes
    /// nothing more: replay stops at the end that this header names.
    pub(crate) fn rotate(&mut self) -> Result<u64, StoreError> {
        // A table file must not be newer than the log before it.
        self.sync()?;
        let ended = self.place.id;
        let begun = Begun::new(&*self.files, ended + 1, self.written);
        let Begun { file, place } =
            begun.inspect_err(|not| self.has_failed = !not.is_surely_gone)?;
        (self.current, self.place) = (file, place);
        let written = HEADER_BYTES as u64;
        (self.written, self.synced, self.attested) = (written, written, written);
        self.is_in_checkpoint = false;
        self.enter_in_checkpoint();
        Ok(ended)
    }

    /// Enters the segment that is written in the checkpoint, if it is not there. When that fails,
    /// the checkpoint before holds, too, but a lost newest segment is not noticed until then; each
    /// append tries again.
    fn enter_in_checkpoint(&mut self) {
        if !self.is_in_checkpoint {
            let (id, allocated) = (self.place.id, self.current.allocated());
            let entered = self.checkpoints.update(|checkpoint| {
                (checkpoint.newest_segment, checkpoint.allocated_bytes) = (id, allocated);
            });
            self.is_in_checkpoint = entered.is_ok();
        }
    }
}

/// The segments to be replayed, and those that were given up, both ascending.
fn found(
    files: &dyn LogFiles,
    known: Option<Checkpoint>,
) -> Result<(Vec<u64>, Vec<u64>), StoreError> {
    let mut ids = files.segments()?;
    ids.sort_unstable();
    // Nothing was acknowledged in a folder that has no checkpoint yet.
    let Some(known) = known else {
        return Ok((Vec::new(), ids));
    };
    let live = ids.split_off(ids.partition_point(|id| *id < known.oldest_segment));
    let newest = live.last().copied().unwrap_or(0).max(known.newest_segment);
    match (known.oldest_segment..=newest).find(|id| live.binary_search(id).is_err()) {
        None => Ok((live, ids)),
        Some(missing) => Err(unusable(
            missing,
            "is missing, although its changes are in no table file",
        )),
    }
}

/// Facts about a segment besides its own bytes.
struct Known {
    /// The offset at which it ended.
    end: Option<u64>,
    checkpoint: Option<Checkpoint>,
    /// Up to where the newest segment was acknowledged.
    note: Option<(Place, u64)>,
}

/// A segment that was read and found whole.
struct Replayed {
    place: Place,
    bytes: Vec<u8>,
    /// The offset at which its last record ends.
    end: usize,
    /// Up to where it is known to be on the device.
    synced: usize,
}

impl Replayed {
    /// Looks through a segment; `None` when it was never begun.
    fn new(id: u64, bytes: Vec<u8>, known: &Known) -> Result<Option<Replayed>, StoreError> {
        let newest = known
            .checkpoint
            .map_or(0, |checkpoint| checkpoint.newest_segment);
        let Some((place, _)) = read_header(&bytes, id) else {
            return if id > newest && known.end.is_none() {
                Ok(None)
            } else {
                Err(damaged(id, 0))
            };
        };
        let allocated = known
            .checkpoint
            .filter(|_| newest == id)
            .map_or(0, |known| known.allocated_bytes);
        if allocated > bytes.len() as u64 {
            return Err(unusable(id, &format!("was cut to {} bytes", bytes.len())));
        }
        let (mut at, mut synced) = (HEADER_BYTES, 0);
        while known.end.is_none_or(|end| (at as u64) < end) {
            let Some(record) = Record::read(&bytes, place, at) else {
                break;
            };
            (at, synced) = (record.end, record.synced as usize);
        }
        let is_whole = match known.end {
            Some(end) => at as u64 == end,
            None => {
                let acknowledged = known
                    .note
                    .filter(|(noted, _)| *noted == place)
                    .map_or(0, |(_, end)| end);
                at as u64 >= acknowledged && !is_damaged(&bytes, place, at)
            }
        };
        if is_whole {
            Ok(Some(Replayed {
                place,
                bytes,
                end: at,
                synced,
            }))
        } else {
            Err(damaged(id, at))
        }
    }

    /// Hands over the groups of changes.
    fn visit(&self, visit: &mut impl FnMut(&mut dyn Iterator<Item = Change<'_>>)) {
        let mut at = HEADER_BYTES;
        while at < self.end
            && let Some(record) = Record::read(&self.bytes, self.place, at)
        {
            visit(&mut record.changes());
            at = record.end;
        }
    }
}

fn damaged(id: u64, at: usize) -> StoreError {
    unusable(
        id,
        &format!("is damaged at byte {at}: changes that were acknowledged cannot be read"),
    )
}

fn unusable(id: u64, what: &str) -> StoreError {
    StoreError::Corrupt(format!(
        "segment {id} of the log {what} (file log/{id:012}.log). The data folder is not opened, and the log was not changed. Put \
         the file back, or restore the whole folder from a copy (`keyfold backup` makes copies)"
    ))
}

#[cfg(test)]
mod tests;
