//! Sorts any number of records in bounded memory: sorted runs in temporary files, which are merged.
//!
//! A scan costs money, a temporary file does not: everything about a key is written down in one
//! scan, and records of the same key meet when the runs are merged. Small tables never leave memory.

use super::pack::{Pack, lead};
use super::record::{LENGTH_BYTES, Record, group_of, length, order};
use keyfold_lower::ClientError;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// The bytes of records in memory before a run is written.
const RUN_BYTES: usize = 16 * 1024 * 1024;
/// The bytes that are read or written of a run at once.
const BUFFER_BYTES: usize = 64 * 1024;
/// The most runs of a level: then they are merged into one of the next.
const RUNS_MAX: usize = 64;

/// Collects records.
pub(super) struct Sorter {
    held: Pack,
    /// First those that were merged from others.
    runs: Vec<Run>,
    /// The number of those.
    merged: usize,
    run_bytes: usize,
    /// The folder of the runs and how their names begin; without it, they have no names.
    folder: Option<(PathBuf, &'static str)>,
    /// The number of the next run.
    next: u64,
}

/// A file of sorted records.
struct Run {
    file: File,
    /// Its name in the folder, and what the file has.
    named: Option<NamedRun>,
}

/// A file of records in the folder of a state, with the length and the digest of what was written: a
/// file that was cut between two records holds whole ones, and is not the file that the state means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedRun {
    pub(super) name: String,
    pub(super) bytes: u64,
    pub(super) digest: u64,
}

/// Bytes that pass by, counted and digested.
struct Digested<T> {
    inner: T,
    bytes: u64,
    digest: Xxh3,
}

impl<T> Digested<T> {
    fn new(inner: T) -> Digested<T> {
        Digested {
            inner,
            bytes: 0,
            digest: Xxh3::new(),
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.digest.update(bytes);
    }
}

impl<T: std::io::Write> std::io::Write for Digested<T> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.add(bytes.get(..written).unwrap_or_default());
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}

impl NamedRun {
    /// Opens the file; `None` where it is absent or has other bytes.
    fn open(&self, folder: &Path) -> std::io::Result<Option<File>> {
        let opened = File::open(folder.join(&self.name));
        if matches!(&opened, Err(error) if error.kind() == std::io::ErrorKind::NotFound) {
            return Ok(None);
        }
        let mut file = opened?;
        if file.metadata()?.len() != self.bytes {
            return Ok(None);
        }
        let mut read = BufReader::with_capacity(BUFFER_BYTES, &mut file);
        let mut seen = Digested::new(());
        loop {
            let bytes = read.fill_buf()?;
            if bytes.is_empty() {
                break;
            }
            seen.add(bytes);
            let length = bytes.len();
            read.consume(length);
        }
        file.rewind()?;
        let is_it = (seen.bytes, seen.digest.digest()) == (self.bytes, self.digest);
        Ok(is_it.then_some(file))
    }
}

fn failed(error: &std::io::Error) -> ClientError {
    ClientError::Transport(format!(
        "the files of the comparison cannot be used: {error}; TMPDIR names another folder for temporary ones"
    ))
}

/// The error of a file that does not hold whole records.
pub(super) fn torn() -> ClientError {
    failed(&std::io::Error::other("a record is not whole"))
}

impl Sorter {
    pub(super) fn new() -> Sorter {
        Sorter::with_run_bytes(RUN_BYTES)
    }

    fn with_run_bytes(run_bytes: usize) -> Sorter {
        Sorter {
            held: Pack::default(),
            runs: Vec::new(),
            merged: 0,
            run_bytes,
            folder: None,
            next: 1,
        }
    }

    /// A sorter whose runs are files of a folder, with those that are there. The error is the name of
    /// a file that is not as it was written.
    ///
    /// # Errors
    /// When a run cannot be read.
    pub(super) fn in_folder(
        (folder, start): (&Path, &'static str),
        runs: &[NamedRun],
    ) -> Result<Result<Sorter, String>, ClientError> {
        let mut sorter = Sorter::new();
        for run in runs {
            let opened = run.open(folder).map_err(|error| failed(&error))?;
            let Some(file) = opened else {
                return Ok(Err(run.name.clone()));
            };
            let number = run.name.strip_prefix(start);
            let number = number.and_then(|rest| rest.parse().ok());
            sorter.next = sorter.next.max(number.map_or(0, |number: u64| number + 1));
            sorter.runs.push(Run {
                file,
                named: Some(run.clone()),
            });
        }
        sorter.folder = Some((folder.to_owned(), start));
        Ok(Ok(sorter))
    }

    /// Writes the records that are in memory, and returns all runs, which are on the disk.
    ///
    /// # Errors
    /// When a run cannot be written.
    pub(super) fn saved(&mut self) -> Result<Vec<NamedRun>, ClientError> {
        if !self.held.is_empty() {
            self.spill()?;
        }
        let named = self.runs.iter().filter_map(|run| run.named.clone());
        Ok(named.collect())
    }

    /// Writes the records that are in memory as a run.
    fn spill(&mut self) -> Result<(), ClientError> {
        let held = std::mem::take(&mut self.held);
        let mut written = Merged::of(Vec::new(), held)?;
        let run = self.write_run(&mut written)?;
        self.runs.push(run);
        self.held = written.held;
        self.held.clear();
        if self.runs.len() - self.merged >= RUNS_MAX {
            self.merge(self.merged)?;
            self.merged += 1;
        }
        if self.merged >= RUNS_MAX {
            self.merge(0)?;
            self.merged = 1;
        }
        Ok(())
    }

    /// Merges the runs from a position on: their records are read again once for each level, and not
    /// once for each merge.
    fn merge(&mut self, from: usize) -> Result<(), ClientError> {
        let mut merged = Merged::of(self.runs.split_off(from), Pack::default())?;
        let run = self.write_run(&mut merged)?;
        self.runs.push(run);
        Ok(())
    }

    fn write_run(&mut self, records: &mut Merged) -> Result<Run, ClientError> {
        let (file, name) = match &self.folder {
            None => (tempfile::tempfile(), None),
            Some((folder, start)) => {
                let name = format!("{start}{}", self.next);
                self.next += 1;
                let mut options = File::options();
                let options = options.read(true).write(true).create(true).truncate(true);
                (options.open(folder.join(&name)), Some(name))
            }
        };
        let file = file.map_err(|error| failed(&error))?;
        let Digested {
            inner: file,
            bytes,
            digest,
        } = write_records(file, records)?;
        if name.is_some() {
            file.sync_data().map_err(|error| failed(&error))?;
        }
        let named = name.map(|name| NamedRun {
            name,
            bytes,
            digest: digest.digest(),
        });
        Ok(Run { file, named })
    }

    pub(super) fn push(&mut self, record: &Record) -> Result<(), ClientError> {
        self.held.push(record);
        self.spill_over()
    }

    /// Adds the records of a pack.
    pub(super) fn append(&mut self, records: &Pack) -> Result<(), ClientError> {
        self.held.append(records);
        self.spill_over()
    }

    fn spill_over(&mut self) -> Result<(), ClientError> {
        if self.held.size_bytes() >= self.run_bytes {
            self.spill()?;
        }
        Ok(())
    }

    /// The records in order.
    pub(super) fn sorted(self) -> Result<Merged, ClientError> {
        Merged::of(self.runs, self.held)
    }
}

fn write_records(file: File, records: &mut Merged) -> Result<Digested<File>, ClientError> {
    let mut out = std::io::BufWriter::with_capacity(BUFFER_BYTES, Digested::new(file));
    while let Some(record) = records.next()? {
        let length = u32::try_from(record.len()).unwrap_or(0).to_be_bytes();
        let written = out.write_all(&length).and_then(|()| out.write_all(record));
        written.map_err(|error| failed(&error))?;
    }
    let mut written = out.into_inner().map_err(|error| failed(error.error()))?;
    written.inner.rewind().map_err(|error| failed(&error))?;
    Ok(written)
}

/// The encoded records of several runs in order.
pub(super) struct Merged {
    runs: Vec<BufReader<File>>,
    held: Pack,
    /// The position of the next record of those that are in memory.
    next_held: usize,
    heads: BinaryHeap<Reverse<Head>>,
    /// The record of a run that was returned last: its run is to be read.
    last: Option<Head>,
}

/// The next record of a run.
struct Head {
    /// The first bytes of its group, which decide the order of most records.
    lead: u64,
    record: Vec<u8>,
    run: usize,
}

impl Ord for Head {
    fn cmp(&self, other: &Head) -> Ordering {
        let leads = self.lead.cmp(&other.lead);
        leads
            .then_with(|| order(&self.record, &other.record))
            .then(self.run.cmp(&other.run))
    }
}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Head) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Head) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Head {}

impl Merged {
    fn of(runs: Vec<Run>, mut held: Pack) -> Result<Merged, ClientError> {
        held.sort();
        let mut merged = Merged {
            runs: runs
                .into_iter()
                .map(|run| BufReader::with_capacity(BUFFER_BYTES, run.file))
                .collect(),
            held,
            next_held: 0,
            heads: BinaryHeap::new(),
            last: None,
        };
        for run in 0..merged.runs.len() {
            merged.refill(Head {
                lead: 0,
                record: Vec::new(),
                run,
            })?;
        }
        Ok(merged)
    }

    /// Reads the next record of a run, in the memory of its last one.
    fn refill(&mut self, mut head: Head) -> Result<(), ClientError> {
        let Some(run) = self.runs.get_mut(head.run) else {
            return Ok(());
        };
        if run.fill_buf().map_err(|error| failed(&error))?.is_empty() {
            return Ok(());
        }
        let mut bytes = [0; LENGTH_BYTES];
        let read = run.read_exact(&mut bytes);
        read.map_err(|error| failed(&error))?;
        head.record.resize(length(bytes), 0);
        let read = run.read_exact(&mut head.record);
        read.map_err(|error| failed(&error))?;
        head.lead = group_of(&head.record).map_or(0, lead);
        self.heads.push(Reverse(head));
        Ok(())
    }

    /// The next encoded record.
    ///
    /// # Errors
    /// When a run cannot be read.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, ClientError> {
        if let Some(last) = self.last.take() {
            self.refill(last)?;
        }
        let held = self.held.get(self.next_held);
        let is_held_next = match (held, self.heads.peek()) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(held), Some(Reverse(head))) => order(held, &head.record).is_le(),
        };
        if is_held_next {
            self.next_held += 1;
            return Ok(held);
        }
        self.last = self.heads.pop().map(|Reverse(head)| head);
        Ok(self.last.as_ref().map(|head| head.record.as_slice()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::RecordKind;
    use super::*;

    #[test]
    fn records_come_in_order_whether_they_were_in_files_or_not() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut sorter = Sorter::with_run_bytes(1000);
        let mut all = Vec::new();
        for number in 0..45_000_u32 {
            let record = Record {
                group: random.u128(..50),
                kind: RecordKind::Share,
                entity: number,
                slot: 3,
                digest: random.u128(..),
                table: "Tab".to_owned(),
                key: vec![b'k'; random.usize(..30)],
                more: Vec::new(),
            };
            all.push(record.clone());
            sorter.push(&record).unwrap();
        }
        assert!(sorter.merged > 1 && sorter.runs.len() > sorter.merged);
        all.sort();
        let mut sorted = sorter.sorted().unwrap();
        for record in &all {
            let next = sorted.next().unwrap().and_then(Record::decode);
            assert_eq!(next.as_ref(), Some(record));
        }
        assert!(sorted.next().unwrap().is_none());
    }
}
