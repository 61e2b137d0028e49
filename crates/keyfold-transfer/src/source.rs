//! The unpacked bytes of an object, with limits on their number and on the length of a row.

use std::io::{self, BufRead, BufReader, Read};

/// The longest line, record or value in bytes: an item has 400 KB, and its JSON up to six times as
/// many.
pub(crate) const VALUE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// The most unpacked bytes of an object: data does not compress so well.
const UNPACKED_BYTES_MAX: u64 = 16 * 1024 * 1024 * 1024;

/// The unpacked bytes of an object.
pub(crate) struct Source {
    bytes: BufReader<Box<dyn Read + Send>>,
    unpacked: u64,
    /// Bytes read since the last row began.
    since_row: usize,
    /// The reason for which reading ended early.
    failure: Option<String>,
}

impl Source {
    pub(crate) fn new(bytes: Box<dyn Read + Send>) -> Source {
        Source {
            bytes: BufReader::new(bytes),
            unpacked: 0,
            since_row: 0,
            failure: None,
        }
    }

    /// The number of bytes taken so far.
    pub(crate) fn unpacked(&self) -> u64 {
        self.unpacked
    }

    /// Begins a row: restarts the count of its bytes.
    pub(crate) fn begin_row(&mut self) {
        self.since_row = 0;
    }

    /// Takes the reason for which reading ended early.
    pub(crate) fn take_failure(&mut self) -> Option<String> {
        self.failure.take()
    }

    fn refuse(&mut self, reason: String) -> io::Error {
        self.failure = Some(reason.clone());
        io::Error::other(reason)
    }

    /// The buffered bytes, filled if there are none; empty at the end and after a failure.
    pub(crate) fn ahead(&mut self) -> &[u8] {
        if self.failure.is_none() && self.unpacked > UNPACKED_BYTES_MAX {
            self.failure = Some(format!(
                "an object has more than {UNPACKED_BYTES_MAX} unpacked bytes"
            ));
        }
        if self.failure.is_some() {
            return &[];
        }
        if let Err(error) = self.bytes.fill_buf() {
            self.failure = Some(format!("an object cannot be read on: {error}"));
            return &[];
        }
        self.bytes.buffer()
    }

    /// Consumes bytes that [`Source::ahead`] returned.
    pub(crate) fn take(&mut self, count: usize) {
        self.bytes.consume(count);
        self.unpacked += count as u64;
    }

    /// Reads a line; returns false for one that is too long, which is skipped, and `None` at the
    /// end.
    pub(crate) fn line(&mut self, line: &mut Vec<u8>) -> Option<bool> {
        let (mut has_begun, mut fits) = (false, true);
        loop {
            let ahead = self.ahead();
            if ahead.is_empty() {
                return has_begun.then_some(fits);
            }
            has_begun = true;
            let end = ahead.iter().position(|byte| *byte == b'\n');
            let count = end.unwrap_or(ahead.len());
            fits &= line.len() + count <= VALUE_BYTES_MAX;
            if fits {
                line.extend_from_slice(ahead.get(..count).unwrap_or_default());
            }
            self.take(count + usize::from(end.is_some()));
            if end.is_some() {
                return Some(fits);
            }
        }
    }
}

impl Read for Source {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.since_row > VALUE_BYTES_MAX {
            return Err(self.refuse(format!("a record has more than {VALUE_BYTES_MAX} bytes")));
        }
        let ahead = self.ahead();
        let count = ahead.len().min(out.len());
        if let (Some(to), Some(from)) = (out.get_mut(..count), ahead.get(..count)) {
            to.copy_from_slice(from);
        }
        self.take(count);
        self.since_row += count;
        match &self.failure {
            Some(reason) => Err(io::Error::other(reason.clone())),
            None => Ok(count),
        }
    }
}
