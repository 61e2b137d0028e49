//! Messages of PostgreSQL's log, as its plugin `pgoutput` writes them in version 1 of its protocol (the
//! chapter "Logical Replication Message Formats" of PostgreSQL's manual).

use crate::source::SourceError;

/// A column of a changed row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field<'l> {
    Null,
    /// A long value that the statement did not change, and the log does not repeat.
    Unchanged,
    Text(&'l str),
}

/// A row, or of a row that was there only the columns by which it is told.
pub(super) type Row<'l> = Vec<Field<'l>>;

/// A column as the log knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) name: String,
    /// The number of its type.
    pub(super) kind: u32,
    /// Whether it is told of a row that was there.
    pub(super) is_told: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Message<'l> {
    /// A transaction begins.
    Begin { transaction: u32 },
    /// It has ended, and the next one is behind a place of the log.
    Commit { end: u64 },
    /// What rows with a number are; it comes before the first of them.
    Relation { number: u32, columns: Vec<Named> },
    /// Rows that were there and are there.
    Rows {
        number: u32,
        old: Option<Row<'l>>,
        new: Option<Row<'l>>,
    },
    /// All rows of tables are gone.
    Truncate { numbers: Vec<u32> },
    /// Something else, which is about no rows.
    Other,
}

/// The rest of a message.
struct Rest<'l>(&'l [u8]);

fn cut() -> SourceError {
    SourceError::lasting("PostgreSQL's log holds a message of another form")
}

impl<'l> Rest<'l> {
    fn bytes(&mut self, count: usize) -> Result<&'l [u8], SourceError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(cut)?;
        self.0 = rest;
        Ok(taken)
    }

    /// A number of so many bytes, the highest first.
    fn number(&mut self, count: usize) -> Result<u64, SourceError> {
        let bytes = self.bytes(count)?;
        Ok(bytes
            .iter()
            .fold(0, |number, byte| (number << 8) | u64::from(*byte)))
    }

    fn byte(&mut self) -> Result<u8, SourceError> {
        Ok(self.bytes(1)?.first().copied().unwrap_or(0))
    }

    fn four(&mut self) -> Result<u32, SourceError> {
        u32::try_from(self.number(4)?).map_err(|_| cut())
    }

    fn count(&mut self, bytes: usize) -> Result<usize, SourceError> {
        usize::try_from(self.number(bytes)?).map_err(|_| cut())
    }

    /// A text that ends with a zero.
    fn text(&mut self) -> Result<String, SourceError> {
        let end = self.0.iter().position(|byte| *byte == 0).ok_or_else(cut)?;
        let bytes = self.bytes(end)?;
        self.bytes(1)?;
        String::from_utf8(bytes.to_vec()).map_err(|_| cut())
    }

    fn row(&mut self) -> Result<Row<'l>, SourceError> {
        let columns = self.count(2)?;
        let field = |rest: &mut Rest<'l>| {
            Ok(match rest.byte()? {
                b'n' => Field::Null,
                b'u' => Field::Unchanged,
                b't' => {
                    let length = rest.count(4)?;
                    let bytes = rest.bytes(length)?;
                    Field::Text(std::str::from_utf8(bytes).map_err(|_| cut())?)
                }
                _ => return Err(cut()),
            })
        };
        (0..columns).map(|_| field(self)).collect()
    }

    fn relation(&mut self) -> Result<Message<'l>, SourceError> {
        let number = self.four()?;
        // The names of its schema and of itself: they may change, and the number does not.
        self.text()?;
        self.text()?;
        let is_whole = self.byte()? == b'f';
        let count = self.count(2)?;
        let mut columns = Vec::new();
        for _ in 0..count {
            let is_key = self.byte()? & 1 == 1;
            let (name, kind) = (self.text()?, self.four()?);
            self.four()?;
            columns.push(Named {
                name,
                kind,
                is_told: is_whole || is_key,
            });
        }
        Ok(Message::Relation { number, columns })
    }
}

/// A message.
pub(super) fn message(bytes: &[u8]) -> Result<Message<'_>, SourceError> {
    let mut rest = Rest(bytes);
    Ok(match rest.byte()? {
        b'B' => {
            rest.bytes(16)?;
            Message::Begin {
                transaction: rest.four()?,
            }
        }
        b'C' => {
            rest.bytes(9)?;
            Message::Commit {
                end: rest.number(8)?,
            }
        }
        b'R' => rest.relation()?,
        b'I' => {
            let number = rest.four()?;
            rest.byte()?;
            Message::Rows {
                number,
                old: None,
                new: Some(rest.row()?),
            }
        }
        b'U' => {
            let number = rest.four()?;
            let old = match rest.byte()? {
                b'K' | b'O' => {
                    let old = rest.row()?;
                    rest.byte()?;
                    Some(old)
                }
                _ => None,
            };
            Message::Rows {
                number,
                old,
                new: Some(rest.row()?),
            }
        }
        b'D' => {
            let number = rest.four()?;
            rest.byte()?;
            Message::Rows {
                number,
                old: Some(rest.row()?),
                new: None,
            }
        }
        b'T' => {
            let count = rest.count(4)?;
            rest.byte()?;
            let numbers = (0..count).map(|_| rest.four());
            Message::Truncate {
                numbers: numbers.collect::<Result<_, _>>()?,
            }
        }
        _ => Message::Other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(bytes: &[u8]) -> Option<Message<'_>> {
        message(bytes).ok()
    }

    #[test]
    fn an_update_tells_what_was_and_what_is() {
        let bytes = b"U\0\0\0\x07K\0\x02t\0\0\0\x015nN\0\x02t\0\0\0\x016u";
        let due = Message::Rows {
            number: 7,
            old: Some(vec![Field::Text("5"), Field::Null]),
            new: Some(vec![Field::Text("6"), Field::Unchanged]),
        };
        assert_eq!(told(bytes), Some(due));
        for end in 0..bytes.len() {
            assert_eq!(told(&bytes[..end]), None, "cut at {end}");
        }
    }

    #[test]
    fn a_relation_says_which_columns_are_told() {
        let mut bytes = b"R\0\0\0\x07public\0orders\0d\0\x02".to_vec();
        bytes.extend(b"\x01id\0\0\0\0\x17\xff\xff\xff\xff");
        bytes.extend(b"\0note\0\0\0\0\x19\xff\xff\xff\xff");
        let column = |name: &str, kind, is_told| Named {
            name: name.to_owned(),
            kind,
            is_told,
        };
        let due = Message::Relation {
            number: 7,
            columns: vec![column("id", 23, true), column("note", 25, false)],
        };
        assert_eq!(told(&bytes), Some(due));
    }

    #[test]
    fn transactions_begin_and_end() {
        let mut begin = vec![b'B'];
        begin.extend([0; 16]);
        begin.extend([0, 0, 3, 1]);
        assert_eq!(told(&begin), Some(Message::Begin { transaction: 769 }));
        let mut commit = vec![b'C'];
        commit.extend([0; 9]);
        commit.extend([0, 0, 0, 1, 0, 0, 0, 2]);
        commit.extend([0; 8]);
        assert_eq!(told(&commit), Some(Message::Commit { end: (1 << 32) + 2 }));
        assert_eq!(told(b"M"), Some(Message::Other));
        assert_eq!(told(b""), None);
    }
}
