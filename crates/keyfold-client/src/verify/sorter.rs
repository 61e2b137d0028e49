//! Sorts any number of records in bounded memory: sorted runs in temporary files, which are merged.
//!
//! A scan costs money, a temporary file does not: everything about a key is written down in one
//! scan, and records of the same key meet when the runs are merged. Small tables never leave memory.

use super::record::Record;
use crate::error::ClientError;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, Read as _, Seek as _, Write as _};

/// The bytes of records in memory before a run is written.
const RUN_BYTES: usize = 64 * 1024 * 1024;
/// The most runs that are merged at once.
const RUNS_MAX: usize = 128;

/// Collects records.
pub(super) struct Sorter {
    held: Vec<Record>,
    bytes: usize,
    runs: Vec<File>,
    run_bytes: usize,
}

fn failed(error: &std::io::Error) -> ClientError {
    ClientError::Transport(format!(
        "the temporary files of the comparison cannot be used: {error}; TMPDIR names another folder"
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
        }
    }

    pub(super) fn push(&mut self, record: Record) -> Result<(), ClientError> {
        self.bytes += record.size_bytes();
        self.held.push(record);
        if self.bytes >= self.run_bytes {
            self.held.sort_unstable();
            let run = write_run(std::mem::take(&mut self.held).into_iter().map(Ok))?;
            self.bytes = 0;
            self.runs.push(run);
            if self.runs.len() >= RUNS_MAX {
                let merged = Merged::of(std::mem::take(&mut self.runs), Vec::new())?;
                self.runs.push(write_run(merged)?);
            }
        }
        Ok(())
    }

    /// The records in order.
    pub(super) fn sorted(mut self) -> Result<Merged, ClientError> {
        self.held.sort_unstable();
        Merged::of(self.runs, self.held)
    }
}

fn write_run(
    records: impl Iterator<Item = Result<Record, ClientError>>,
) -> Result<File, ClientError> {
    let file = tempfile::tempfile().map_err(|error| failed(&error))?;
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
    fn of(runs: Vec<File>, held: Vec<Record>) -> Result<Merged, ClientError> {
        let mut merged = Merged {
            runs: runs.into_iter().map(BufReader::new).collect(),
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
