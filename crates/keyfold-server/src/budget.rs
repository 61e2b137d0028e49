//! Memory for bodies under way, shared by all connections: who sends a large body slowly, or does
//! not read a large answer, holds a part of it until the time is up, and all together hold no more
//! than all of it.
//!
//! Bytes received count, not bytes announced; and small bodies are free, so that requests of the
//! usual size are served whatever large ones do. Requests and answers have a budget each: who
//! cannot send can still be answered.

use bytes::Bytes;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// A kind of memory that is counted.
const UNIT: usize = 1024;
/// Bodies up to this size are free.
pub(crate) const FREE_BYTES: usize = 64 * 1024;
/// Time that a body waits for admission, all its parts together: long enough for a burst to pass,
/// and short enough for clients to try again.
const WAIT: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(crate) struct Budget {
    room: Arc<Semaphore>,
    units: usize,
}

/// There was no room in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoRoom;

/// Room that is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Room {
    permit: Option<OwnedSemaphorePermit>,
    /// Time that it may still wait to grow.
    patience: Duration,
}

impl Default for Room {
    fn default() -> Room {
        Room {
            permit: None,
            patience: WAIT,
        }
    }
}

impl Budget {
    pub(crate) fn new(bytes: usize) -> Budget {
        let units = (bytes / UNIT).clamp(1, Semaphore::MAX_PERMITS);
        Budget {
            room: Arc::new(Semaphore::new(units)),
            units,
        }
    }

    /// Bytes that are taken now.
    pub(crate) fn taken_bytes(&self) -> usize {
        (self.units - self.room.available_permits()) * UNIT
    }

    /// Makes `room` what a body of so many bytes takes, if there is as much at once.
    pub(crate) fn try_fit(&self, room: &mut Room, bytes: usize) -> bool {
        let needed = self.needed(bytes);
        let held = room.units();
        if needed == 0 {
            room.permit = None;
        } else if needed < held {
            drop(
                room.permit
                    .as_mut()
                    .and_then(|permit| permit.split(held - needed)),
            );
        } else if needed > held {
            let more = u32::try_from(needed - held).unwrap_or(u32::MAX);
            let Ok(more) = Arc::clone(&self.room).try_acquire_many_owned(more) else {
                return false;
            };
            room.add(more);
        }
        true
    }

    /// Makes `room` what a body of so many bytes takes; waits for it, but not for long.
    pub(crate) async fn fit(&self, room: &mut Room, bytes: usize) -> Result<(), NoRoom> {
        if !self.try_fit(room, bytes) {
            let more = self
                .take(self.needed(bytes) - room.units(), &mut room.patience)
                .await?;
            room.add(more);
        }
        Ok(())
    }

    /// One body larger than everything is let in alone.
    fn needed(&self, bytes: usize) -> usize {
        if bytes <= FREE_BYTES {
            0
        } else {
            bytes.div_ceil(UNIT).min(self.units)
        }
    }

    async fn take(
        &self,
        units: usize,
        patience: &mut Duration,
    ) -> Result<OwnedSemaphorePermit, NoRoom> {
        let units = u32::try_from(units).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.room).acquire_many_owned(units);
        let begun = Instant::now();
        let taken = tokio::time::timeout(*patience, room).await;
        *patience = patience.saturating_sub(begun.elapsed());
        match taken {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) | Err(_) => Err(NoRoom),
        }
    }
}

impl Room {
    fn units(&self) -> usize {
        self.permit
            .as_ref()
            .map_or(0, OwnedSemaphorePermit::num_permits)
    }

    fn add(&mut self, more: OwnedSemaphorePermit) {
        match &mut self.permit {
            Some(permit) => permit.merge(more),
            none => *none = Some(more),
        }
    }

    /// Gives back what is held: who needs more waits for all of it, and keeps nobody else waiting
    /// meanwhile.
    pub(crate) fn give_back(&mut self) {
        self.permit = None;
    }

    /// The bytes, which keep the room until the last of them is let go.
    pub(crate) fn filled_with(self, bytes: Vec<u8>) -> Bytes {
        if self.permit.is_none() {
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

    #[tokio::test(start_paused = true)]
    async fn the_parts_of_a_body_wait_no_longer_than_the_whole_may() {
        let budget = Arc::new(Budget::new(1024 * 1024));
        let mut all = Room::default();
        budget.fit(&mut all, 1024 * 1024).await.unwrap();
        let freeing = Arc::clone(&budget);
        let free = tokio::spawn(async move {
            // A little every second, which is enough for the next part.
            for left in (0..1024).rev() {
                tokio::time::sleep(Duration::from_secs(1)).await;
                freeing.fit(&mut all, 64 * 1024 + left * 512).await.unwrap();
            }
        });
        let (begun, mut slow) = (Instant::now(), Room::default());
        let mut parts = (1..).map(|part| 64 * 1024 + part * 400);
        while budget.fit(&mut slow, parts.next().unwrap()).await.is_ok() {}
        assert!(
            begun.elapsed() <= WAIT + Duration::from_secs(1),
            "{:?}",
            begun.elapsed()
        );
        free.abort();
    }

    #[tokio::test(start_paused = true)]
    async fn large_bodies_wait_for_room_and_small_ones_do_not() {
        let budget = Budget::new(1024 * 1024);
        let mut large = Room::default();
        budget.fit(&mut large, FREE_BYTES).await.unwrap();
        assert!(large.permit.is_none(), "small ones are free");
        budget.fit(&mut large, 600_000).await.unwrap();
        budget.fit(&mut large, 1_000_000).await.unwrap();
        let mut other = Room::default();
        assert_eq!(budget.fit(&mut other, 100_000).await, Err(NoRoom));
        assert_eq!(budget.fit(&mut other, FREE_BYTES).await, Ok(()));
        let mut page = Room::default();
        assert!(
            budget.fit(&mut page, 500_000).await.is_err(),
            "there is room, but too little"
        );
        let bytes = large.filled_with(vec![0; 1_000_000]);
        let part = bytes.slice(..10);
        drop(bytes);
        assert_eq!(
            budget.fit(&mut other, 600_000).await,
            Err(NoRoom),
            "a part keeps it all"
        );
        drop(part);
        assert_eq!(budget.fit(&mut other, usize::MAX).await, Ok(()), "alone");
        assert!(budget.fit(&mut page, 100_000).await.is_err());
        budget.fit(&mut other, 10).await.unwrap();
        let mut page = Room::default();
        budget.fit(&mut page, usize::MAX).await.unwrap();
        budget.fit(&mut page, 500_000).await.unwrap();
        budget.fit(&mut other, 400_000).await.unwrap();
    }
}
