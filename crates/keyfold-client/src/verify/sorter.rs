//! Sorts any number of records in bounded memory: sorted runs in temporary files, which are merged.
//!
//! A scan costs money, a temporary file does not: everything about a key is written down in one
//! scan, and records of the same key meet when the runs are merged. Small tables never leave memory.

use super::record::Record;
use keyfold_lower::ClientError;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

/// The bytes of records in memory before a run is written.
const RUN_BYTES: usize = 64 * 1024 * 1024;
/// The most runs that are merged at once.
const RUNS_MAX: usize = 128;

/// Collects records.
pub(super) struct Sorter {
    held: Vec<Record>,
    bytes: usize,
    runs: Vec<Run>,
    run_bytes: usize,
    /// The folder of the runs and how their names begin; without it, they have no names.
    folder: Option<(PathBuf, &'static str)>,
    /// The number of the next run.
    next: u64,
}

/// A file of sorted records.
struct Run {
    file: File,
    /// Its name in the folder.
    name: Option<String>,
}

fn failed(error: &std::io::Error) -> ClientError {
    ClientError::Transport(format!(
        "the files of the comparison cannot be used: {error}; TMPDIR names another folder for temporary ones"
    ))
}

impl Sorter {
    pub(super) fn new() -> Sorter {
        Sorter::with_run_bytes(RUN_BYTES)
    }

    fn with_run_bytes(run_bytes: usize) -> Sorter {
        Sorter {
            held: Vec::new(),
            bytes: 0,
            runs: Vec::new(),
            run_bytes,
            folder: None,
            next: 1,
        }
    }

    /// A sorter whose runs are files of a folder, with those that are there.
    ///
    /// # Errors
    /// When a run cannot be read.
    pub(super) fn in_folder(
        (folder, start): (&Path, &'static str),
        names: &[String],
    ) -> Result<Sorter, ClientError> {
        let mut sorter = Sorter::new();
        for name in names {
            let file = File::open(folder.join(name)).map_err(|error| failed(&error))?;
            let number = name.strip_prefix(start).and_then(|rest| rest.parse().ok());
            sorter.next = sorter.next.max(number.map_or(0, |number: u64| number + 1));
            sorter.runs.push(Run {
                file,
                name: Some(name.clone()),
            });
        }
        sorter.folder = Some((folder.to_owned(), start));
        Ok(sorter)
    }

    /// Writes the records that are in memory, and returns the names of all runs, which are on the
    /// disk.
    ///
    /// # Errors
    /// When a run cannot be written.
    pub(super) fn saved(&mut self) -> Result<Vec<String>, ClientError> {
        if !self.held.is_empty() {
            self.spill()?;
        }
        let names = self.runs.iter().filter_map(|run| run.name.clone());
        Ok(names.collect())
    }

    /// Writes the records that are in memory as a run.
    fn spill(&mut self) -> Result<(), ClientError> {
        // Pages come sorted: the stable sort merges them.
        self.held.sort();
        let held = std::mem::take(&mut self.held);
        self.bytes = 0;
        let run = self.write_run(held.into_iter().map(Ok))?;
        self.runs.push(run);
        if self.runs.len() >= RUNS_MAX {
            let merged = Merged::of(std::mem::take(&mut self.runs), Vec::new())?;
            let run = self.write_run(merged)?;
            self.runs.push(run);
        }
        Ok(())
    }

    fn write_run(
        &mut self,
        records: impl Iterator<Item = Result<Record, ClientError>>,
    ) -> Result<Run, ClientError> {
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
        let file = write_records(file, records)?;
        if name.is_some() {
            file.sync_data().map_err(|error| failed(&error))?;
        }
        Ok(Run { file, name })
    }

    pub(super) fn push(&mut self, record: Record) -> Result<(), ClientError> {
        self.bytes += record.size_bytes();
        self.held.push(record);
        if self.bytes >= self.run_bytes {
            self.spill()?;
        }
        Ok(())
    }

    /// The records in order.
    pub(super) fn sorted(mut self) -> Result<Merged, ClientError> {
        // Pages come sorted: the stable sort merges them.
        self.held.sort();
        Merged::of(self.runs, self.held)
    }
}

fn write_records(
    file: File,
    records: impl Iterator<Item = Result<Record, ClientError>>,
) -> Result<File, ClientError> {
    let mut out = std::io::BufWriter::new(file);
    let mut bytes = Vec::new();
    for record in records {
        bytes.clear();
        record?.encode(&mut bytes);
        out.write_all(&bytes).map_err(|error| failed(&error))?;
    }
    let mut file = out.into_inner().map_err(|error| failed(error.error()))?;
    file.rewind().map_err(|error| failed(&error))?;
    Ok(file)
}

/// The records of several runs in order.
pub(super) struct Merged {
    runs: Vec<BufReader<File>>,
    held: std::iter::Peekable<std::vec::IntoIter<Record>>,
    heads: BinaryHeap<Reverse<(Record, usize)>>,
}

impl Merged {
    fn of(runs: Vec<Run>, held: Vec<Record>) -> Result<Merged, ClientError> {
        let mut merged = Merged {
            runs: runs
                .into_iter()
                .map(|run| BufReader::new(run.file))
                .collect(),
            held: held.into_iter().peekable(),
            heads: BinaryHeap::new(),
        };
        for at in 0..merged.runs.len() {
            merged.refill(at)?;
        }
        Ok(merged)
    }

    /// Reads the next record of a run.
    fn refill(&mut self, at: usize) -> Result<(), ClientError> {
        let Some(run) = self.runs.get_mut(at) else {
            return Ok(());
        };
        let mut length = [0; 4];
        match run.read_exact(&mut length) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(failed(&error)),
        }
        let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(0);
        let mut bytes = vec![0; length];
        run.read_exact(&mut bytes).map_err(|error| failed(&error))?;
        let record = Record::decode(&bytes)
            .ok_or_else(|| failed(&std::io::Error::other("a record is not whole")))?;
        self.heads.push(Reverse((record, at)));
        Ok(())
    }
}

impl Iterator for Merged {
    type Item = Result<Record, ClientError>;

    fn next(&mut self) -> Option<Self::Item> {
        let is_held_next = match (self.held.peek(), self.heads.peek()) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(held), Some(Reverse((head, _)))) => held <= head,
        };
        if is_held_next {
            return self.held.next().map(Ok);
        }
        let Reverse((record, at)) = self.heads.pop()?;
        Some(self.refill(at).map(|()| record))
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
        for number in 0..3000_u32 {
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
            sorter.push(record).unwrap();
        }
        assert!(!sorter.runs.is_empty() && sorter.runs.len() < RUNS_MAX);
        all.sort();
        let sorted: Result<Vec<_>, _> = sorter.sorted().unwrap().collect();
        assert!(sorted.unwrap() == all);
    }
}
