//! An import: every object behind a prefix, decompressed, and its rows.

use crate::bucket::{Bucket, TransferError};
use crate::ion;
use flate2::read::MultiGzDecoder;
use keyfold_types::{Item, KeyKind, Value};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

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

/// Reads all rows of all objects behind a prefix, and hands them over one object after another. Gives the bytes
/// read, decompressed.
///
/// # Errors
/// When an object cannot be read; or what `each` fails with.
pub fn read<E: From<TransferError>>(
    bucket: &Bucket,
    prefix: &str,
    format: ImportFormat,
    compression: Compression,
    csv: &CsvOptions,
    mut each: impl FnMut(Vec<Row>, u64) -> Result<(), E>,
) -> Result<(), E> {
    for path in bucket.objects(prefix)? {
        let bytes = match decompressed(&path, compression) {
            Ok(bytes) => bytes,
            Err(error) => {
                each(vec![Err(format!("{} cannot be read: {error}", path.display()))], 0)?;
                continue;
            }
        };
        let rows = match format {
            ImportFormat::DynamoDbJson => json_rows(&bytes),
            ImportFormat::Ion => ion::read(&bytes),
            ImportFormat::Csv => csv_rows(&bytes, csv),
        };
        each(rows, bytes.len() as u64)?;
    }
    Ok(())
}

fn decompressed(path: &Path, compression: Compression) -> std::io::Result<Vec<u8>> {
    let stored = std::fs::read(path)?;
    let mut out = Vec::new();
    match compression {
        Compression::None => return Ok(stored),
        Compression::Gzip => MultiGzDecoder::new(stored.as_slice()).read_to_end(&mut out)?,
        Compression::Zstd => {
            let decoder = ruzstd::decoding::StreamingDecoder::new(stored.as_slice());
            let mut decoder = decoder
                .map_err(|error| std::io::Error::new(std::io::ErrorKind::InvalidData, error.to_string()))?;
            decoder.read_to_end(&mut out)?
        }
    };
    Ok(out)
}

fn json_rows(bytes: &[u8]) -> Vec<Row> {
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    lines
        .map(|line| keyfold_wire::client::decode_item_line(line).map_err(|error| format!("{error:?}")))
        .collect()
}

fn csv_rows(bytes: &[u8], options: &CsvOptions) -> Vec<Row> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(options.delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(bytes);
    let mut header = options.header.clone();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                rows.push(Err(error.to_string()));
                continue;
            }
        };
        let Some(names) = &header else {
            header = Some(record.iter().map(str::to_owned).collect());
            continue;
        };
        rows.push(csv_row(names, &record, options));
    }
    rows
}

fn csv_row(names: &[String], record: &csv::StringRecord, options: &CsvOptions) -> Row {
    if record.len() > names.len() {
        return Err(format!("a line has {} values for {} columns", record.len(), names.len()));
    }
    let mut item = Item::new();
    for (name, text) in names.iter().zip(record) {
        let value = match options.kinds.get(name) {
            None | Some(KeyKind::S) => Value::from(text),
            Some(KeyKind::N) => Value::n(text).map_err(|error| format!("`{text}` of {name}: {error}"))?,
            Some(KeyKind::B) => Value::B(text.as_bytes().to_vec()),
        };
        item.insert(name.as_str(), value);
    }
    Ok(item)
}
