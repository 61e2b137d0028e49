//! The places at which the pages of an answer begin. None comes twice, unless the service goes in a circle.

use keyfold_types::Item;

/// The places so far. Each is compared with one before it, which is kept after 1, 2, 4, 8 pages.
#[derive(Clone, Debug, Default)]
pub struct Places {
    kept: Option<Item>,
    count: u64,
}

impl Places {
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
