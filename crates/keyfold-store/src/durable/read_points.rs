//! The read points: versions of the store that live snapshots read at.

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError, RwLock};

/// A version of the store that is read: writes below this sequence number are visible.
pub(super) type ReadPoint = Arc<u64>;

/// The read points of live snapshots, ascending; the last is the newest version.
#[derive(Debug)]
pub(super) struct ReadPoints(RwLock<VecDeque<ReadPoint>>);

impl ReadPoints {
    pub(super) fn new(visible: u64) -> ReadPoints {
        ReadPoints(RwLock::new(VecDeque::from([Arc::new(visible)])))
    }

    /// The newest version. Older versions than it may be removed; it is kept until the read point
    /// is dropped.
    pub(super) fn newest(&self) -> ReadPoint {
        self.0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .back()
            .map(Arc::clone)
            .unwrap_or_default()
    }

    /// Makes a version visible.
    pub(super) fn publish(&self, visible: u64) {
        let mut read_points = self.0.write().unwrap_or_else(PoisonError::into_inner);
        read_points.push_back(Arc::new(visible));
        // Most versions have no live snapshot by the next publication.
        let is_live = |read_point: &ReadPoint| Arc::strong_count(read_point) > 1;
        if read_points.len() > 2 && !read_points.get(read_points.len() - 2).is_some_and(is_live) {
            let newest = read_points.pop_back();
            read_points.pop_back();
            read_points.extend(newest);
        }
        while read_points.len() > 1 && !read_points.front().is_some_and(is_live) {
            read_points.pop_front();
        }
    }

    /// The oldest version that a live snapshot reads at, or a new one may.
    pub(super) fn oldest(&self) -> u64 {
        let mut read_points = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let newest = read_points.pop_back();
        read_points.retain(|read_point| Arc::strong_count(read_point) > 1);
        read_points.extend(newest);
        read_points.front().map_or(0, |read_point| **read_point)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_version_is_the_oldest_that_is_live() {
        let read_points = ReadPoints::new(1);
        let first = read_points.newest();
        (2..=10).for_each(|version| read_points.publish(version));
        assert_eq!((*read_points.newest(), read_points.oldest()), (10, 1));
        let tenth = read_points.newest();
        (11..=1000).for_each(|version| read_points.publish(version));
        assert!(
            read_points.0.read().unwrap().len() < 5,
            "versions without a live snapshot are forgotten"
        );
        drop(first);
        assert_eq!(read_points.oldest(), 10);
        drop(tenth.clone());
        assert_eq!(read_points.oldest(), 10);
        drop(tenth);
        assert_eq!((*read_points.newest(), read_points.oldest()), (1000, 1000));
    }
}
