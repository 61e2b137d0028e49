//! An import: every object behind a prefix, decompressed, and its rows. Objects are streams:
//! neither a line without an end nor one that unpacks to a thousand times its size is held.

use crate::bucket::{Bucket, TransferError};
use crate::ion;
use flate2::read::MultiGzDecoder;
use keyfold_types::{Item, KeyKind, Value};
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// How items are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportFormat {
    /// A line of DynamoDB's JSON for each.
    DynamoDbJson,
    /// Amazon Ion, text or binary.
    Ion,
    /// Comma-separated values.
    Csv,
}

/// How the objects are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// They are not.
    None,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

/// How comma-separated values are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvOptions {
    /// What stands between values.
    pub delimiter: u8,
    /// The columns' names, when the first line does not tell them.
    pub header: Option<Vec<String>>,
    /// The types of the key attributes; every other column is a text.
    pub kinds: BTreeMap<String, KeyKind>,
}

/// An item, or why a row is none.
pub type Row = Result<Item, String>;

/// Bytes of a line, record or value above which it is no item: an item has 400 KB, and its JSON up
/// to six times as many.
const VALUE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Unpacked bytes of an object, above which it is not read on: what packs so well is no data.
const UNPACKED_BYTES_MAX: u64 = 16 * 1024 * 1024 * 1024;
/// Rows of a piece, and bytes, above which it ends.
const ROWS_AT_ONCE: usize = 500;
const BYTES_AT_ONCE: u64 = 2 * 1024 * 1024;

/// Some rows, and the unpacked bytes that they were read from.
#[derive(Debug, Default)]
pub struct Piece {
    /// The rows.
    pub rows: Vec<Row>,
    /// Unpacked bytes.
    pub bytes: u64,
}

/// Reads all rows of all objects behind a prefix, a piece at a time: what is held does not depend
/// on what the objects hold.
pub struct Reader {
    bucket: Bucket,
    /// Objects not begun yet, the last one first.
    left: Vec<PathBuf>,
    format: ImportFormat,
    compression: Compression,
    csv: CsvOptions,
    open: Option<Object>,
}

/// An object that is read.
enum Object {
    Lines(Source),
    Ion(Box<ion::Values<Source>>),
    Csv {
        reader: Box<csv::Reader<Source>>,
        header: Option<Vec<String>>,
    },
}

impl Reader {
    /// Finds the objects.
    ///
    /// # Errors
    /// When the bucket cannot be read.
    pub fn open(
        bucket: &Bucket,
        prefix: &str,
        format: ImportFormat,
        compression: Compression,
        csv: CsvOptions,
    ) -> Result<Reader, TransferError> {
        let mut left = bucket.objects(prefix)?;
        left.reverse();
        Ok(Reader {
            bucket: bucket.clone(),
            left,
            format,
            compression,
            csv,
            open: None,
        })
    }

    /// The next rows; `None` at the end. An object that cannot be read on is one row that says why.
    pub fn next_rows(&mut self) -> Option<Piece> {
        let mut object = match self.open.take() {
            Some(object) => object,
            None => {
                let path = self.left.pop()?;
                match self.begin(&path) {
                    Ok(object) => object,
                    Err(error) => {
                        let row = Err(format!("{} cannot be read: {error}", path.display()));
                        return Some(Piece {
                            rows: vec![row],
                            bytes: 0,
                        });
                    }
                }
            }
        };
        let mut piece = Piece::default();
        let before = object.source().unpacked;
        let mut is_over = false;
        while !is_over && piece.rows.len() < ROWS_AT_ONCE && piece.bytes < BYTES_AT_ONCE {
            match object.row(&self.csv) {
                Some(row) => piece.rows.push(row),
                None => is_over = true,
            }
            piece.bytes = object.source().unpacked - before;
        }
        if let Some(reason) = object.source().failed.take() {
            piece.rows.push(Err(reason));
            is_over = true;
        }
        self.open = Some(object).filter(|_| !is_over);
        Some(piece)
    }

    fn begin(&self, path: &Path) -> io::Result<Object> {
        let stored = self.bucket.read(path)?;
        let bytes: Box<dyn Read + Send> = match self.compression {
            Compression::None => Box::new(stored),
            Compression::Gzip => Box::new(MultiGzDecoder::new(BufReader::new(stored))),
            Compression::Zstd => {
                let decoder = ruzstd::decoding::StreamingDecoder::new(BufReader::new(stored));
                Box::new(decoder.map_err(|error| {
                    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
                })?)
            }
        };
        let source = Source {
            bytes: BufReader::new(bytes),
            unpacked: 0,
            since_row: 0,
            failed: None,
        };
        Ok(match self.format {
            ImportFormat::DynamoDbJson => Object::Lines(source),
            ImportFormat::Ion => Object::Ion(Box::new(ion::Values::new(source))),
            ImportFormat::Csv => {
                let mut builder = csv::ReaderBuilder::new();
                builder
                    .delimiter(self.csv.delimiter)
                    .has_headers(false)
                    .flexible(true);
                let reader = Box::new(builder.from_reader(source));
                Object::Csv {
                    reader,
                    header: self.csv.header.clone(),
                }
            }
        })
    }
}

impl Object {
    fn source(&mut self) -> &mut Source {
        match self {
            Object::Lines(source) => source,
            Object::Ion(values) => values.source(),
            Object::Csv { reader, .. } => reader.get_mut(),
        }
    }

    /// The next row; `None` at the end, and after a failure, which the source keeps.
    fn row(&mut self, options: &CsvOptions) -> Option<Row> {
        self.source().since_row = 0;
        match self {
            Object::Lines(source) => loop {
                let mut line = Vec::new();
                let is_whole = source.line(&mut line)?;
                if !is_whole {
                    return Some(Err(format!("a line has more than {VALUE_BYTES_MAX} bytes")));
                }
                let line = line.trim_ascii();
                if !line.is_empty() {
                    let item = keyfold_wire::client::decode_item_line(line);
                    return Some(item.map_err(|error| format!("{error:?}")));
                }
            },
            Object::Ion(values) => values.next_item(),
            Object::Csv { reader, header } => loop {
                reader.get_mut().since_row = 0;
                let mut record = csv::StringRecord::new();
                match reader.read_record(&mut record) {
                    Ok(false) => return None,
                    Ok(true) => match header {
                        Some(names) => return Some(csv_row(names, &record, options)),
                        None => *header = Some(record.iter().map(str::to_owned).collect()),
                    },
                    // The source says why.
                    Err(error) if error.is_io_error() => return None,
                    Err(error) => return Some(Err(error.to_string())),
                }
            },
        }
    }
}

/// The unpacked bytes of an object: counted, and ended where there are too many of them.
pub(crate) struct Source {
    bytes: BufReader<Box<dyn Read + Send>>,
    unpacked: u64,
    /// Since the last row: a value without an end is not held.
    since_row: usize,
    /// Why it was not read on.
    failed: Option<String>,
}

impl Source {
    #[cfg(test)]
    pub(crate) fn of(bytes: Vec<u8>) -> Source {
        let bytes: Box<dyn Read + Send> = Box::new(io::Cursor::new(bytes));
        Source {
            bytes: BufReader::new(bytes),
            unpacked: 0,
            since_row: 0,
            failed: None,
        }
    }

    fn refuse(&mut self, reason: String) -> io::Error {
        self.failed = Some(reason.clone());
        io::Error::other(reason)
    }

    /// The bytes at hand, read on if there are none; none at the end and after a failure.
    pub(crate) fn ahead(&mut self) -> &[u8] {
        if self.failed.is_none() && self.unpacked > UNPACKED_BYTES_MAX {
            self.failed = Some(format!(
                "an object has more than {UNPACKED_BYTES_MAX} unpacked bytes"
            ));
        }
        if self.failed.is_some() {
            return &[];
        }
        if let Err(error) = self.bytes.fill_buf() {
            self.failed = Some(format!("an object cannot be read on: {error}"));
            return &[];
        }
        self.bytes.buffer()
    }

    /// Takes bytes that were seen.
    pub(crate) fn take(&mut self, count: usize) {
        self.bytes.consume(count);
        self.unpacked += count as u64;
    }

    /// Reads up to a line's end; false when the line was too long, and was passed over. `None` at
    /// the end.
    fn line(&mut self, line: &mut Vec<u8>) -> Option<bool> {
        let (mut is_begun, mut is_whole) = (false, true);
        loop {
            let ahead = self.ahead();
            if ahead.is_empty() {
                return is_begun.then_some(is_whole);
            }
            is_begun = true;
            let end = ahead.iter().position(|byte| *byte == b'\n');
            let count = end.unwrap_or(ahead.len());
            is_whole &= line.len() + count <= VALUE_BYTES_MAX;
            if is_whole {
                line.extend_from_slice(ahead.get(..count).unwrap_or_default());
            }
            self.take(count + usize::from(end.is_some()));
            if end.is_some() {
                return Some(is_whole);
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
        match &self.failed {
            Some(reason) => Err(io::Error::other(reason.clone())),
            None => Ok(count),
        }
    }
}

fn csv_row(names: &[String], record: &csv::StringRecord, options: &CsvOptions) -> Row {
    if record.len() > names.len() {
        return Err(format!(
            "a line has {} values for {} columns",
            record.len(),
            names.len()
        ));
    }
    let mut item = Item::new();
    for (name, text) in names.iter().zip(record) {
        let value = match options.kinds.get(name) {
            None | Some(KeyKind::S) => Value::from(text),
            Some(KeyKind::N) => {
                Value::n(text).map_err(|error| format!("`{text}` of {name}: {error}"))?
            }
            Some(KeyKind::B) => Value::B(text.as_bytes().to_vec()),
        };
        item.insert(name.as_str(), value);
    }
    Ok(item)
}
