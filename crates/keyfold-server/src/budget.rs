//! Memory for bodies under way, shared by all connections: who sends a large body slowly, or does not read a large answer, holds
//! a part of it until the time is up, and never more than all of it.
//!
//! Small bodies are free, so that requests of the usual size are served whatever large ones do.

use bytes::Bytes;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What is counted.
const UNIT: usize = 1024;
/// Bodies up to this size are free.
const FREE_BYTES: usize = 64 * 1024;

#[derive(Debug)]
pub(crate) struct Budget {
    room: Arc<Semaphore>,
    units: usize,
}

/// Room that is free again when this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Room(Option<OwnedSemaphorePermit>);

impl Budget {
    pub(crate) fn new(bytes: usize) -> Budget {
        let units = (bytes / UNIT).clamp(1, Semaphore::MAX_PERMITS);
        Budget { room: Arc::new(Semaphore::new(units)), units }
    }

    /// Room for a body of so many bytes; `None` when there is none in time.
    pub(crate) async fn room_for(&self, bytes: usize, time: Duration) -> Option<Room> {
        if bytes <= FREE_BYTES {
            return Some(Room::default());
        }
        // One body larger than everything is let in alone.
        let units = u32::try_from(bytes.div_ceil(UNIT).min(self.units)).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.room).acquire_many_owned(units);
        match tokio::time::timeout(time, room).await {
            Ok(Ok(permit)) => Some(Room(Some(permit))),
            Ok(Err(_)) | Err(_) => None,
        }
    }
}

impl Room {
    /// Gives back what a body of so many bytes does not need.
    pub(crate) fn shrink_to(&mut self, bytes: usize) {
        let Some(permit) = &mut self.0 else { return };
        let needed = if bytes <= FREE_BYTES { 0 } else { bytes.div_ceil(UNIT) };
        drop(permit.split(permit.num_permits().saturating_sub(needed)));
    }

    /// The bytes, which keep the room until the last of them is let go.
    pub(crate) fn filled_with(self, bytes: Vec<u8>) -> Bytes {
        if self.0.is_none() {
            return Bytes::from(bytes);
        }
        Bytes::from_owner(Kept { bytes, _room: self })
    }
}

struct Kept {
    bytes: Vec<u8>,
    _room: Room,
}

impl AsRef<[u8]> for Kept {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_millis(20);

    #[tokio::test]
    async fn large_bodies_wait_for_room_and_small_ones_do_not() {
        let budget = Budget::new(1024 * 1024);
        let mut large = budget.room_for(1_000_000, SOON).await.unwrap();
        assert!(budget.room_for(100_000, SOON).await.is_none());
        assert!(budget.room_for(FREE_BYTES, SOON).await.is_some());
        large.shrink_to(500_000);
        let bytes = large.filled_with(vec![0; 500_000]);
        let part = bytes.slice(..10);
        drop(bytes);
        assert!(budget.room_for(600_000, SOON).await.is_none(), "a part keeps it all");
        drop(part);
        assert!(budget.room_for(900_000, SOON).await.is_some());
        assert!(budget.room_for(usize::MAX, SOON).await.is_some(), "alone");
    }
}
