//! Which versions of the store somebody still reads.

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError, RwLock};

/// A version of the store that is being read: everything below this sequence number is seen.
pub(super) type Mark = Arc<u64>;

/// The marks that are held, ascending; the last is the newest version.
#[derive(Debug)]
pub(super) struct Marks(RwLock<VecDeque<Mark>>);

impl Marks {
    pub(super) fn new(visible: u64) -> Marks {
        Marks(RwLock::new(VecDeque::from([Arc::new(visible)])))
    }

    /// The newest version, held until the mark is dropped.
    pub(super) fn newest(&self) -> Mark {
        self.0.read().unwrap_or_else(PoisonError::into_inner).back().map(Arc::clone).unwrap_or_default()
    }

    /// Makes a version visible.
    pub(super) fn publish(&self, visible: u64) {
        let mut marks = self.0.write().unwrap_or_else(PoisonError::into_inner);
        marks.push_back(Arc::new(visible));
        // Most versions were read by nobody, or not for long.
        let is_held = |mark: &Mark| Arc::strong_count(mark) > 1;
        if marks.len() > 2 && !marks.get(marks.len() - 2).is_some_and(is_held) {
            let newest = marks.pop_back();
            marks.pop_back();
            marks.extend(newest);
        }
        while marks.len() > 1 && !marks.front().is_some_and(is_held) {
            marks.pop_front();
        }
    }

    /// The oldest version that is read, or can be.
    pub(super) fn oldest(&self) -> u64 {
        let mut marks = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let newest = marks.pop_back();
        marks.retain(|mark| Arc::strong_count(mark) > 1);
        marks.extend(newest);
        marks.front().map_or(0, |mark| **mark)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_version_is_the_oldest_that_is_held() {
        let marks = Marks::new(1);
        let first = marks.newest();
        (2..=10).for_each(|version| marks.publish(version));
        assert_eq!((*marks.newest(), marks.oldest()), (10, 1));
        let tenth = marks.newest();
        (11..=1000).for_each(|version| marks.publish(version));
        assert!(marks.0.read().unwrap().len() < 5, "versions that nobody reads are forgotten");
        drop(first);
        assert_eq!(marks.oldest(), 10);
        drop(tenth.clone());
        assert_eq!(marks.oldest(), 10);
        drop(tenth);
        assert_eq!((*marks.newest(), marks.oldest()), (1000, 1000));
    }
}
