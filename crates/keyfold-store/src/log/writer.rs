//! Writing a log: appending, syncing, beginning segments.

use super::files::{LogFile, LogFiles};
use super::record::{
    Change, HEADER_BYTES, Record, Segment, record_bytes_max, write_header, write_record,
    write_watermark,
};
use super::recovery::{Recovered, Replayed};
use crate::checkpoint::Checkpoints;
use crate::durability::Durability;
use crate::error::StoreError;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::sync::Arc;

/// Capacity in bytes of the buffer that is kept for the next record.
const BUFFER_BYTES_KEPT: usize = 1024 * 1024;

/// A log open for writing.
pub(crate) struct Log {
    files: Arc<dyn LogFiles>,
    pub(super) checkpoints: Arc<Checkpoints>,
    file: Box<dyn LogFile>,
    segment: Segment,
    /// Offsets in the segment: the end of what is written, of what is synced, and of what a record
    /// in the log says is synced.
    pub(super) written: u64,
    pub(super) synced: u64,
    attested: u64,
    /// The end of the last record that was appended without an error.
    acknowledged: u64,
    buffer: Vec<u8>,
    /// The first write or sync that failed: the content of the disk is not known any more.
    failure: Option<StoreError>,
    /// Whether the checkpoint names the current segment and the length of its file.
    is_in_checkpoint: bool,
}

impl Log {
    /// Continues a log: hands over every group of changes in order, then begins a new segment. Also
    /// returns the ids of the segments that were replayed. Where the device has no room for a new segment, the
    /// log refuses everything until [`Log::resume`], as after a write that found none.
    ///
    /// # Errors
    /// `Io` when a file cannot be written or made. A new log needs room.
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
        for replayed in &segments {
            replayed.visit(&mut visit);
            // The padding of the last record may be missing.
            let unsynced = replayed
                .bytes
                .get(replayed.synced..replayed.end.min(replayed.bytes.len()));
            // These bytes were read, and later work builds on them, so they must not be in the
            // system's memory only. A new sync would not write them again if an earlier one failed.
            files.rewrite(
                replayed.segment.id,
                replayed.synced as u64,
                unsynced.unwrap_or_default(),
            )?;
        }
        let (id, previous_end) = segments
            .last()
            .map_or((1, 0), |last| (last.segment.id + 1, last.end as u64));
        let has_changes = segments.iter().any(|replayed| replayed.end > HEADER_BYTES);
        let mut ids: Vec<u64> = segments.iter().map(|one| one.segment.id).collect();
        let begun = match (Begun::new(&*files, id, previous_end), segments.last()) {
            (Ok(begun), _) => begun,
            (Err(failed), Some(last)) if failed.error.is_full() => {
                ids.pop();
                let log = Log::full(files, checkpoints, last, failed.error.or_full());
                return Ok((log, ids));
            }
            (Err(failed), _) => return Err(failed.error),
        };
        let updated = checkpoints.update(|checkpoint| {
            let oldest = ids.first().copied().filter(|_| has_changes);
            checkpoint.oldest_segment = oldest.unwrap_or(id);
            checkpoint.newest_segment = id;
            checkpoint.allocated_bytes = begun.file.allocated();
        });
        let mut log = Log::new(files, checkpoints, begun);
        match updated {
            Ok(()) if has_changes => return Ok((log, ids)),
            Ok(()) => {}
            // The old checkpoint is still true, and names all of these segments. Each append tries again.
            Err(error) if error.is_full() && !ids.is_empty() => {
                log.is_in_checkpoint = false;
                return Ok((log, ids));
            }
            Err(error) => return Err(error),
        }
        for id in ids {
            log.files.retire(id)?;
        }
        Ok((log, Vec::new()))
    }

    /// A log at the beginning of a segment that is in the checkpoint.
    fn new(files: Arc<dyn LogFiles>, checkpoints: Arc<Checkpoints>, begun: Begun) -> Log {
        let written = HEADER_BYTES as u64;
        Log {
            files,
            checkpoints,
            file: begun.file,
            segment: begun.segment,
            written,
            synced: written,
            attested: written,
            acknowledged: written,
            buffer: Vec::new(),
            failure: None,
            is_in_checkpoint: true,
        }
    }

    /// A log behind its last segment, on a device without room for another one.
    fn full(
        files: Arc<dyn LogFiles>,
        checkpoints: Arc<Checkpoints>,
        last: &Replayed,
        error: StoreError,
    ) -> Log {
        let begun = Begun {
            file: Box::new(NoFile),
            segment: last.segment,
        };
        // All of it was written again, and synced.
        let end = last.end as u64;
        Log {
            written: end,
            synced: end,
            attested: end,
            acknowledged: end,
            failure: Some(error),
            ..Log::new(files, checkpoints, begun)
        }
    }

    /// The failure after which everything is refused.
    pub(crate) fn failure(&self) -> Option<&StoreError> {
        self.failure.as_ref()
    }

    /// The id of the current segment.
    #[cfg(test)]
    pub(crate) fn id(&self) -> u64 {
        self.segment.id
    }

    /// Appends one group of changes; when `Synced`, returns when it survives a crash of the
    /// machine.
    pub(crate) fn append<'c>(
        &mut self,
        changes: impl Iterator<Item = Change<'c>> + Clone,
        durability: Durability,
    ) -> Result<(), StoreError> {
        self.refuse_after_failure()?;
        self.buffer.clear();
        // A buffer that grows by doubling takes up to three times as much while it grows.
        self.buffer.reserve_exact(record_bytes_max(changes.clone()));
        write_record(
            &mut self.buffer,
            self.segment,
            self.written,
            self.synced,
            changes,
        );
        let allocated = self.file.allocated();
        let written = self.file.append(&self.buffer);
        self.kept(written)?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        self.buffer.shrink_to(BUFFER_BYTES_KEPT);
        self.is_in_checkpoint &= self.file.allocated() == allocated;
        self.update_checkpoint();
        match durability {
            Durability::Synced => self.sync()?,
            Durability::Buffered => {}
        }
        self.acknowledged = self.written;
        Ok(())
    }

    pub(crate) fn sync(&mut self) -> Result<(), StoreError> {
        self.refuse_after_failure()?;
        if self.synced < self.written {
            let synced = self.file.sync();
            self.kept(synced)?;
            self.synced = self.written;
            self.write_watermark(false);
        }
        Ok(())
    }

    /// Syncs, and appends a record that says so. If the last record cannot be read at the next
    /// start, this distinguishes corruption from a torn tail.
    pub(crate) fn attest(&mut self) -> Result<(), StoreError> {
        self.sync()?;
        if self.attested < self.written {
            self.append(std::iter::empty(), Durability::Synced)?;
            self.attested = self.written;
            self.write_watermark(true);
        }
        Ok(())
    }

    fn write_watermark(&self, sync: bool) {
        let watermark = write_watermark(self.segment, self.synced);
        self.files.keep_watermark(&watermark, sync);
    }

    /// Whether changes can still be appended.
    pub(crate) fn is_sound(&self) -> bool {
        self.failure.is_none()
    }

    /// Keeps the failure of a write or sync. Whoever meets it later, and another than whoever met it first, hears
    /// whether only room was missing.
    fn kept(&mut self, done: io::Result<()>) -> Result<(), StoreError> {
        let done = done.map_err(|error| StoreError::from(error).or_full());
        self.failure = done.as_ref().err().cloned();
        done
    }

    /// A sync that succeeds after a failed one does not prove that the bytes of the failed one are
    /// on the device.
    fn refuse_after_failure(&self) -> Result<(), StoreError> {
        match &self.failure {
            Some(failure) => Err(failure.of_later()),
            None => Ok(()),
        }
    }

    /// Ends the segment and begins another; returns the id of the ended one. After an error the log
    /// continues in the old segment. But if the new segment's header may be on the device, the log
    /// refuses everything: replay stops at the end that this header names.
    pub(crate) fn rotate(&mut self) -> Result<u64, StoreError> {
        // A table file must not be newer than the log before it.
        self.sync()?;
        let ended = self.segment.id;
        let begun = Begun::new(&*self.files, ended + 1, self.written);
        let Begun { file, segment } = begun.inspect_err(|failed| {
            if !failed.is_discarded {
                self.failure = Some(failed.error.clone());
            }
        })?;
        self.continue_in(file, segment);
        // All writers wait for this thread, and the flush of what has ended writes the checkpoint anyway. Until
        // then the watermark says that the segment was begun.
        self.write_watermark(false);
        let (id, allocated) = (self.segment.id, self.file.allocated());
        self.checkpoints.note(|checkpoint| {
            (checkpoint.newest_segment, checkpoint.allocated_bytes) = (id, allocated);
        });
        self.is_in_checkpoint = true;
        Ok(ended)
    }

    fn continue_in(&mut self, file: Box<dyn LogFile>, segment: Segment) {
        (self.file, self.segment) = (file, segment);
        let written = HEADER_BYTES as u64;
        (self.written, self.synced, self.attested) = (written, written, written);
        self.acknowledged = written;
        self.is_in_checkpoint = false;
    }

    /// Goes on after a write that failed for want of room, in a new segment, and returns the id of the
    /// one that it has ended; `None` when none has failed. The header of the new segment names the end of
    /// what was acknowledged, so that nothing which the failed write has left is ever replayed.
    ///
    /// # Errors
    /// When the new segment cannot be begun: the log goes on refusing everything.
    pub(crate) fn resume(&mut self) -> Result<Option<u64>, StoreError> {
        if self.failure.is_none() {
            return Ok(None);
        }
        let ended = self.segment;
        if self.synced < self.acknowledged {
            // Acknowledged without a sync: a failed one may have dropped these bytes, and a later one
            // would not write them again.
            let bytes = self.files.read(ended.id)?;
            let kept = kept(&bytes, ended, self.synced, self.acknowledged)?;
            self.files.rewrite(ended.id, self.synced, kept)?;
            self.synced = self.acknowledged;
        }
        let Begun { file, segment } = Begun::new(&*self.files, ended.id + 1, self.acknowledged)?;
        self.failure = None;
        self.continue_in(file, segment);
        self.update_checkpoint();
        Ok(Some(ended.id))
    }

    /// Names the current segment in the checkpoint, unless it does already. If that fails, the old
    /// checkpoint is still true, but the loss of the newest segment would not be detected; each
    /// append tries again.
    fn update_checkpoint(&mut self) {
        if !self.is_in_checkpoint {
            let (id, allocated) = (self.segment.id, self.file.allocated());
            let updated = self.checkpoints.update(|checkpoint| {
                (checkpoint.newest_segment, checkpoint.allocated_bytes) = (id, allocated);
            });
            self.is_in_checkpoint = updated.is_ok();
        }
    }
}

/// The bytes of a segment between two ends of records, if all records between them can be read.
fn kept(bytes: &[u8], segment: Segment, from: u64, to: u64) -> Result<&[u8], StoreError> {
    let unreadable =
        || StoreError::Poisoned("what was acknowledged without a sync cannot be read".to_owned());
    let ends = usize::try_from(from).ok().zip(usize::try_from(to).ok());
    let (from, to) = ends.ok_or_else(unreadable)?;
    let mut at = from;
    while at < to {
        at = Record::read(bytes, segment, at).ok_or_else(unreadable)?.end;
    }
    match at == to {
        true => bytes.get(from..to).ok_or_else(unreadable),
        false => Err(unreadable()),
    }
}

/// The file of a log that waits for room: it takes nothing.
struct NoFile;

impl LogFile for NoFile {
    fn append(&mut self, _bytes: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn sync(&mut self) -> io::Result<()> {
        Err(io::ErrorKind::StorageFull.into())
    }
}

/// A segment that nothing was appended to.
struct Begun {
    file: Box<dyn LogFile>,
    segment: Segment,
}

/// A failed attempt to begin a segment.
struct NotBegun {
    error: StoreError,
    /// Whether the next start will find no header of it.
    is_discarded: bool,
}

impl From<NotBegun> for StoreError {
    fn from(failed: NotBegun) -> StoreError {
        failed.error
    }
}

impl Begun {
    /// Begins a segment and syncs its header. A segment without a header was never written to,
    /// whatever its file holds.
    fn new(files: &dyn LogFiles, id: u64, previous_end: u64) -> Result<Begun, NotBegun> {
        let mut file = files.create(id).map_err(|error| NotBegun {
            error: error.into(),
            // Nothing was written: a reused file holds the header of another id.
            is_discarded: true,
        })?;
        let segment = Segment { id, salt: salt() };
        let mut header = Vec::with_capacity(HEADER_BYTES);
        write_header(&mut header, segment, previous_end);
        match file.append(&header).and_then(|()| file.sync()) {
            Ok(()) => Ok(Begun { file, segment }),
            // The header names the end of the previous segment, which may grow from now on.
            Err(error) => Err(NotBegun {
                is_discarded: files.discard(id).is_ok(),
                error: error.into(),
            }),
        }
    }
}

/// An unpredictable number, from the seed of the standard library's hash maps.
fn salt() -> u64 {
    RandomState::new().hash_one(0)
}
