//! A shard in pages, for those who look for places in it and handle nothing.

use crate::lease::ShardKey;
use crate::position::Position;
use crate::records::{iterator, newest, records};
use crate::world::Io;
use keyfold_api::ErrorKind;
use keyfold_lower::ClientError;

/// An open shard has no end: its pages are empty behind its last record, and some are before it, on
/// DynamoDB many in a row. So many of them, over a time, show its end.
pub(crate) const EMPTY_PAGES: u32 = 100;
/// The records of a page.
const PAGE: usize = 1_000;

/// Reads a shard in pages.
pub(crate) struct Pages {
    pub(crate) key: ShardKey,
    /// Up to where it was read.
    pub(crate) read: Position,
    /// `None` at the end.
    pub(crate) next: Option<String>,
    /// Whether it begins with the first record that is written from now on.
    is_newest: bool,
}

impl Pages {
    /// Begins behind a position; with the oldest records where those behind it have expired.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn of(
        io: &dyn Io,
        key: &ShardKey,
        from: &Position,
    ) -> Result<Pages, ClientError> {
        let mut pages = Pages {
            read: from.clone(),
            ..Pages::oldest(key)
        };
        if *from != Position::End {
            pages.begin(io).await?;
        }
        Ok(pages)
    }

    /// Begins with the oldest record. It has not begun.
    pub(crate) fn oldest(key: &ShardKey) -> Pages {
        Pages {
            key: key.clone(),
            read: Position::Horizon,
            next: None,
            is_newest: false,
        }
    }

    /// Shows the first record that is written from now on. It has not begun.
    pub(crate) fn newest(key: &ShardKey) -> Pages {
        Pages {
            key: key.clone(),
            read: Position::Horizon,
            next: None,
            is_newest: true,
        }
    }

    /// Begins, also anew where its iterator is too old.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn begin(&mut self, io: &dyn Io) -> Result<(), ClientError> {
        let found = match self.is_newest && self.read == Position::Horizon {
            true => newest(io, &self.key).await,
            false => iterator(io, &self.key, &self.read).await,
        };
        let found = match found {
            Err(error) if error.kind() == Some(ErrorKind::TrimmedDataAccess) => {
                // It was read up to a record that is gone: another reader could not go on there.
                self.read = Position::Horizon;
                iterator(io, &self.key, &Position::Horizon).await
            }
            found => found,
        };
        self.next = match found {
            Ok(iterator) => Some(iterator),
            Err(error) if error.kind() == Some(ErrorKind::ResourceNotFound) => None,
            Err(error) => return Err(error),
        };
        Ok(())
    }

    /// The next page: how many records, the first number, and the first moment.
    ///
    /// # Errors
    /// The backend's. The same page comes next then.
    pub(crate) async fn next(&mut self, io: &dyn Io) -> Result<Found, ClientError> {
        let Some(at) = self.next.take() else {
            return Ok(Found::default());
        };
        let page = match records(io, at.clone(), PAGE).await {
            Ok(page) => page,
            Err(error)
                if matches!(
                    error.kind(),
                    Some(ErrorKind::TrimmedDataAccess | ErrorKind::ExpiredIterator)
                ) =>
            {
                // A page that is too old begins anew, also when this request fails.
                self.next = Some(at);
                self.begin(io).await?;
                return Ok(Found {
                    is_anew: true,
                    ..Found::default()
                });
            }
            Err(error) if error.kind() == Some(ErrorKind::ResourceNotFound) => {
                return Ok(Found::default());
            }
            Err(error) => {
                self.next = Some(at);
                return Err(error);
            }
        };
        self.next = page.next_shard_iterator;
        let mut found = Found::default();
        for event in page.records.unwrap_or_default() {
            let record = event.dynamodb.unwrap_or_default();
            let at = record.approximate_creation_date_time.map(|at| at.0);
            found.oldest = found.oldest.or(at);
            if let Some(number) = record.sequence_number {
                if self.read.is_behind(&number) {
                    continue;
                }
                found.first.get_or_insert_with(|| number.clone());
                self.read = Position::After(number);
            }
            found.records += 1;
        }
        Ok(found)
    }
}

/// A page of a shard.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) records: u64,
    pub(crate) first: Option<String>,
    /// The moment of the first record, milliseconds since 1970.
    pub(crate) oldest: Option<u64>,
    /// Whether nothing was read: the shard is read anew from the last record on, as its iterator was too old.
    pub(crate) is_anew: bool,
}
