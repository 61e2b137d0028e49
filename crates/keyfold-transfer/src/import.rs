//! An import: the rows of all objects with a prefix, decompressed. Objects are read as streams:
//! memory is bounded for endless lines and for objects that unpack to a thousand times their size.

use crate::bucket::{Bucket, TransferError};
use crate::ion;
use crate::source::{Source, VALUE_BYTES_MAX};
use flate2::read::MultiGzDecoder;
use keyfold_types::{Item, KeyKind, Value};
use std::collections::BTreeMap;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

/// The format of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportFormat {
    /// A line of DynamoDB's JSON for each item.
    DynamoDbJson,
    /// Amazon Ion, text or binary.
    Ion,
    /// Comma-separated values.
    Csv,
}

/// The compression of the objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// No compression.
    None,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

/// The options for comma-separated values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvOptions {
    /// The byte between values.
    pub delimiter: u8,
    /// The columns' names, if the first line does not list them.
    pub header: Option<Vec<String>>,
    /// The types of the key attributes; all other columns are texts.
    pub kinds: BTreeMap<String, KeyKind>,
}

/// An item, or the error of its row, for people.
pub type Row = Result<Item, String>;

/// The number of rows at which a piece ends.
const ROWS_AT_ONCE: usize = 500;
/// The number of unpacked bytes at which a piece ends.
const BYTES_AT_ONCE: u64 = 2 * 1024 * 1024;

/// Some rows and their unpacked size.
#[derive(Debug, Default)]
pub struct Piece {
    /// The rows.
    pub rows: Vec<Row>,
    /// The unpacked size in bytes.
    pub bytes: u64,
}

/// Reads all rows of all objects with a prefix, a piece at a time, in bounded memory.
pub struct Reader {
    bucket: Bucket,
    /// The objects that are not begun yet, the last one first.
    left: Vec<PathBuf>,
    format: ImportFormat,
    compression: Compression,
    csv: CsvOptions,
    open: Option<Object>,
}

/// An open object.
enum Object {
    Lines(Source),
    Ion(Box<ion::Values>),
    Csv {
        reader: Box<csv::Reader<Source>>,
        header: Option<Vec<String>>,
    },
}

impl Reader {
    /// Lists the objects.
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

    /// Reads the next rows; `None` at the end. An object that cannot be read ends with the error as
    /// a row.
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
        let before = object.source().unpacked();
        let mut is_over = false;
        while !is_over && piece.rows.len() < ROWS_AT_ONCE && piece.bytes < BYTES_AT_ONCE {
            match object.row(&self.csv) {
                Some(row) => piece.rows.push(row),
                None => is_over = true,
            }
            piece.bytes = object.source().unpacked() - before;
        }
        if let Some(reason) = object.source().take_failure() {
            piece.rows.push(Err(reason));
            is_over = true;
        }
        self.open = Some(object).filter(|_| !is_over);
        Some(piece)
    }

    /// Opens an object.
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
        let source = Source::new(bytes);
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

    /// Reads the next row; `None` at the end, and after a failure, which the source keeps.
    fn row(&mut self, options: &CsvOptions) -> Option<Row> {
        self.source().begin_row();
        match self {
            Object::Lines(source) => loop {
                let mut line = Vec::new();
                let fits = source.line(&mut line)?;
                if !fits {
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
                reader.get_mut().begin_row();
                let mut record = csv::StringRecord::new();
                match reader.read_record(&mut record) {
                    Ok(false) => return None,
                    Ok(true) => match header {
                        Some(names) => return Some(csv_row(names, &record, options)),
                        None => *header = Some(record.iter().map(str::to_owned).collect()),
                    },
                    // The source keeps the reason.
                    Err(error) if error.is_io_error() => return None,
                    Err(error) => return Some(Err(error.to_string())),
                }
            },
        }
    }
}

/// Converts a record to an item.
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
