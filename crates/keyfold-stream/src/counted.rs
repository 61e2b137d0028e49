//! The records of a shard behind a position of a consumer, counted on a few pages.

use crate::lease::ShardKey;
use crate::pages::Pages;
use crate::position::Position;
use crate::world::Io;
use keyfold_lower::ClientError;

/// The pages of a shard that are read to see how far a consumer lags.
const PAGES: u32 = 10;

/// The records of a shard behind a position.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Behind {
    /// Their number, as far as they were counted.
    pub(crate) records: u64,
    /// Whether there may be more.
    pub(crate) is_more: bool,
    /// The moment of the first of them, milliseconds since 1970.
    pub(crate) oldest: Option<u64>,
}

/// A shard that is counted behind a position, on a few pages each time. What was read is not read again: of a shard
/// to which nothing comes, ten empty pages are read once, and then one at each look.
pub(crate) struct Counted {
    from: Position,
    pages: Pages,
    behind: Behind,
    /// The pages without records, in a row, up to the place.
    empty: u32,
}

impl Counted {
    /// Begins behind a position.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn of(
        io: &dyn Io,
        key: &ShardKey,
        from: &Position,
    ) -> Result<Counted, ClientError> {
        Ok(Counted {
            from: from.clone(),
            pages: Pages::of(io, key, from).await?,
            behind: Behind::default(),
            empty: 0,
        })
    }

    /// Takes another position of the consumer. Returns whether nothing must be read anew for it: it is where it was, or
    /// has come to the last record that was read.
    pub(crate) fn moves(&mut self, to: &Position) -> bool {
        let has_come = *to == self.pages.read && self.pages.next.is_some();
        if has_come && *to != self.from {
            self.from = to.clone();
            self.behind = Behind::default();
        }
        *to == self.from
    }

    /// Counts on.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn count(&mut self, io: &dyn Io) -> Result<&Behind, ClientError> {
        self.behind.is_more = false;
        for _ in 0..PAGES {
            if self.pages.next.is_none() {
                break;
            }
            let found = self.pages.next(io).await?;
            self.behind.records += found.records;
            self.behind.oldest = self.behind.oldest.or(found.oldest);
            self.behind.is_more = found.records > 0;
            self.empty = match found.records > 0 || found.is_anew {
                true => 0,
                false => self.empty + 1,
            };
            if self.empty > PAGES {
                break;
            }
        }
        self.behind.is_more &= self.pages.next.is_some();
        Ok(&self.behind)
    }
}
