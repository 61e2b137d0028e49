//! The places at which the pages of an answer begin. None comes twice, unless the service goes in a circle.

use crate::error::ClientError;
use keyfold_types::Item;

/// The places so far. Each is compared with one before it, which is kept after 1, 2, 4, 8 pages.
#[derive(Clone, Debug, Default)]
pub struct Places {
    kept: Option<Item>,
    count: u64,
}

impl Places {
    /// Goes on to the page at `after`, if there is one.
    ///
    /// # Errors
    /// When it was there before: the service goes in a circle.
    pub(crate) fn go_on(&mut self, pattern: &str, after: Option<&Item>) -> Result<(), ClientError> {
        match after.is_some_and(|after| self.comes_again(after)) {
            true => Err(had_before(pattern)),
            false => Ok(()),
        }
    }

    /// Whether a page has begun at `after` before. A circle is noticed within three times its length.
    pub fn comes_again(&mut self, after: &Item) -> bool {
        if self.kept.as_ref() == Some(after) {
            return true;
        }
        self.count += 1;
        if self.count.is_power_of_two() {
            self.kept = Some(after.clone());
        }
        false
    }
}

/// The error about a service that answers with the same pages again and again.
#[must_use]
pub fn had_before(pattern: &str) -> ClientError {
    ClientError::Transport(format!("{pattern} has a page again that it had before"))
}
