//! The items of a data file of an export, each with its line. At the end of the file its checksum and the number
//! of its items are proved.

use crate::bucket::{TransferError, open_file};
use crate::export::Format;
use crate::exported::{Exported, ExportedFile, wrong};
use crate::ion;
use crate::source::{Source, VALUE_BYTES_MAX};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::MultiGzDecoder;
use keyfold_types::Item;
use keyfold_wire::decode::DecodeError;
use md5::{Digest, Md5};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::sync::{Arc, Mutex, PoisonError};

/// A file whose bytes are digested as they are read.
struct Digested {
    file: File,
    digest: Arc<Mutex<Md5>>,
}

impl Read for Digested {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(out)?;
        let mut digest = self.digest.lock().unwrap_or_else(PoisonError::into_inner);
        digest.update(out.get(..count).unwrap_or_default());
        Ok(count)
    }
}

enum Rows {
    Lines(Source),
    Ion(Box<ion::Values>),
}

impl Rows {
    fn source(&mut self) -> &mut Source {
        match self {
            Rows::Lines(source) => source,
            Rows::Ion(values) => values.source(),
        }
    }
}

/// The items of a data file, one after another.
pub struct ExportedItems {
    file: ExportedFile,
    rows: Rows,
    digest: Arc<Mutex<Md5>>,
    /// The lines that were read, which have an item each.
    lines: u64,
    is_over: bool,
}

impl Exported {
    /// Opens a data file of this export.
    ///
    /// # Errors
    /// `File` when it cannot be opened.
    pub fn items_of(&self, file: &ExportedFile) -> Result<ExportedItems, TransferError> {
        let digest = Arc::new(Mutex::new(Md5::new()));
        let opened = open_file(&file.path).map_err(TransferError::file(&file.path))?;
        let digested = Digested {
            file: opened,
            digest: Arc::clone(&digest),
        };
        let source = Source::new(Box::new(MultiGzDecoder::new(BufReader::new(digested))));
        Ok(ExportedItems {
            file: file.clone(),
            rows: match self.format {
                Format::DynamoDbJson => Rows::Lines(source),
                Format::Ion => Rows::Ion(Box::new(ion::Values::new(source))),
            },
            digest,
            lines: 0,
            is_over: false,
        })
    }
}

impl ExportedItems {
    /// The next item; `None` at the end, where the file is proved.
    ///
    /// # Errors
    /// `Export` when the file is not as the manifest says, or has something that is no item: the sentence names
    /// the file and the line.
    pub fn next_item(&mut self) -> Result<Option<Item>, TransferError> {
        if self.is_over {
            return Ok(None);
        }
        self.rows.source().begin_row();
        let row = match &mut self.rows {
            Rows::Lines(source) => row(source),
            Rows::Ion(values) => values.next_item(),
        };
        if let Some(reason) = self.rows.source().take_failure() {
            return Err(self.wrong_at(self.lines + 1, &reason));
        }
        match row {
            // A file of a few bytes may unpack to any number of items.
            Some(Ok(_)) if self.lines == self.file.items => Err(wrong(format!(
                "{} has more items than the {} that {} says",
                self.file.path.display(),
                self.file.items,
                self.file.said
            ))),
            Some(Ok(item)) => {
                self.lines += 1;
                Ok(Some(item))
            }
            Some(Err(reason)) => Err(self.wrong_at(self.lines + 1, &reason)),
            None => {
                self.is_over = true;
                self.check_end().map(|()| None)
            }
        }
    }

    /// Where the item is that was read last.
    pub fn place(&self) -> String {
        self.place_of(self.lines)
    }

    /// The line of the item that was read last, from 1 on.
    pub fn line(&self) -> u64 {
        self.lines
    }

    fn place_of(&self, line: u64) -> String {
        format!("{}, line {line}", self.file.path.display())
    }

    fn wrong_at(&self, line: u64, why: &str) -> TransferError {
        wrong(format!("{}: {why}", self.place_of(line)))
    }

    fn check_end(&self) -> Result<(), TransferError> {
        let ExportedFile {
            path,
            items,
            digest: said_digest,
            said,
        } = &self.file;
        let digest = self.digest.lock().unwrap_or_else(PoisonError::into_inner);
        let digest = STANDARD.encode(digest.clone().finalize());
        if digest != *said_digest {
            return Err(wrong(format!(
                "{} is not as it was written: its MD5 checksum is {digest}, and {said} says {said_digest}",
                path.display()
            )));
        }
        if self.lines != *items {
            return Err(wrong(format!(
                "{} has {} items, and {said} says {items}",
                path.display(),
                self.lines
            )));
        }
        Ok(())
    }
}

/// The next line of DynamoDB's JSON; `None` at the end.
fn row(source: &mut Source) -> Option<Result<Item, String>> {
    let mut line = Vec::new();
    if !source.line(&mut line)? {
        return Some(Err(format!("it has more than {VALUE_BYTES_MAX} bytes")));
    }
    let item = keyfold_wire::client::decode_item_line(line.trim_ascii());
    Some(item.map_err(|error| match error {
        DecodeError::Malformed => "it is no JSON of an item".to_owned(),
        DecodeError::Shape(why) => format!("it is no item: {why}"),
    }))
}
