//! Which versions of the store somebody still reads.

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError, RwLock};

/// A version of the store that is being read: everything below this sequence number is seen.
pub(super) type ReadPoint = Arc<u64>;

/// The read points that are held, ascending; the last is the newest version.
#[derive(Debug)]
pub(super) struct ReadPoints(RwLock<VecDeque<ReadPoint>>);

impl ReadPoints {
    pub(super) fn new(visible: u64) -> ReadPoints {
        ReadPoints(RwLock::new(VecDeque::from([Arc::new(visible)])))
    }

    /// The newest version, held until the read point is dropped.
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
        // Most versions were read by nobody, or not for long.
        let is_held = |read_point: &ReadPoint| Arc::strong_count(read_point) > 1;
        if read_points.len() > 2 && !read_points.get(read_points.len() - 2).is_some_and(is_held) {
            let newest = read_points.pop_back();
            read_points.pop_back();
            read_points.extend(newest);
        }
        while read_points.len() > 1 && !read_points.front().is_some_and(is_held) {
            read_points.pop_front();
        }
    }

    /// The oldest version that is read, or can be.
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
    fn the_oldest_version_is_the_oldest_that_is_held() {
        let read_points = ReadPoints::new(1);
        let first = read_points.newest();
        (2..=10).for_each(|version| read_points.publish(version));
        assert_eq!((*read_points.newest(), read_points.oldest()), (10, 1));
        let tenth = read_points.newest();
        (11..=1000).for_each(|version| read_points.publish(version));
        assert!(
            read_points.0.read().unwrap().len() < 5,
            "versions that nobody reads are forgotten"
        );
        drop(first);
        assert_eq!(read_points.oldest(), 10);
        drop(tenth.clone());
        assert_eq!(read_points.oldest(), 10);
        drop(tenth);
        assert_eq!((*read_points.newest(), read_points.oldest()), (1000, 1000));
    }
}
