//! Memory for bodies in flight, shared by all connections. A client that sends a large body slowly,
//! or does not read a large answer, holds a part of the budget until its time is up; all clients
//! together hold no more than the budget.
//!
//! Received bytes count, announced ones do not. Small bodies are free, so that requests of the
//! usual size are served whatever large ones do. Requests and answers have a budget each: a client
//! that cannot send can still be answered.

use bytes::Bytes;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// Bytes that one permit of the semaphore stands for.
const UNIT: usize = 1024;
/// Bodies up to this size are free.
pub(crate) const FREE_BYTES: usize = 64 * 1024;
/// Time that a body waits for admission, all its parts together: long enough for a burst to pass,
/// and short enough for clients to try again.
const WAIT: Duration = Duration::from_secs(2);

/// A number of bytes that reservations share.
#[derive(Debug)]
pub(crate) struct Budget {
    free: Arc<Semaphore>,
    units: usize,
}

/// The budget had too few free bytes for too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Exhausted;

/// A part of a budget, which is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Reservation {
    permit: Option<OwnedSemaphorePermit>,
    /// Time that it may still wait to grow.
    patience: Duration,
}

impl Default for Reservation {
    fn default() -> Reservation {
        Reservation {
            permit: None,
            patience: WAIT,
        }
    }
}

impl Budget {
    pub(crate) fn new(bytes: usize) -> Budget {
        let units = (bytes / UNIT).clamp(1, Semaphore::MAX_PERMITS);
        Budget {
            free: Arc::new(Semaphore::new(units)),
            units,
        }
    }

    /// Bytes that are reserved now.
    pub(crate) fn reserved_bytes(&self) -> usize {
        (self.units - self.free.available_permits()) * UNIT
    }

    /// Resizes a reservation for a body of so many bytes, if the budget has them now; returns
    /// whether it had.
    pub(crate) fn try_fit(&self, reservation: &mut Reservation, bytes: usize) -> bool {
        let needed = self.needed(bytes);
        let held = reservation.units();
        if needed == 0 {
            reservation.permit = None;
        } else if needed < held {
            drop(
                reservation
                    .permit
                    .as_mut()
                    .and_then(|permit| permit.split(held - needed)),
            );
        } else if needed > held {
            let more = u32::try_from(needed - held).unwrap_or(u32::MAX);
            let Ok(more) = Arc::clone(&self.free).try_acquire_many_owned(more) else {
                return false;
            };
            reservation.add(more);
        }
        true
    }

    /// Resizes a reservation for a body of so many bytes, and waits for them as long as the
    /// reservation may.
    pub(crate) async fn fit(
        &self,
        reservation: &mut Reservation,
        bytes: usize,
    ) -> Result<(), Exhausted> {
        if !self.try_fit(reservation, bytes) {
            let more = self.needed(bytes) - reservation.units();
            let more = self.take(more, &mut reservation.patience).await?;
            reservation.add(more);
        }
        Ok(())
    }

    /// The units that a body takes. A body larger than the budget takes all of it.
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
    ) -> Result<OwnedSemaphorePermit, Exhausted> {
        let units = u32::try_from(units).unwrap_or(u32::MAX);
        let acquired = Arc::clone(&self.free).acquire_many_owned(units);
        let begun = Instant::now();
        let taken = tokio::time::timeout(*patience, acquired).await;
        *patience = patience.saturating_sub(begun.elapsed());
        match taken {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) | Err(_) => Err(Exhausted),
        }
    }
}

impl Reservation {
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

    /// Frees everything. A waiter for more bytes releases first and then waits for all of them, so
    /// that it blocks nobody meanwhile.
    pub(crate) fn release(&mut self) {
        self.permit = None;
    }

    /// The bytes, which keep the reservation until their last part is dropped.
    pub(crate) fn filled_with(self, bytes: Vec<u8>) -> Bytes {
        if self.permit.is_none() {
            return Bytes::from(bytes);
        }
        Bytes::from_owner(Reserved {
            bytes,
            _reservation: self,
        })
    }
}

/// Bytes with their reservation.
struct Reserved {
    bytes: Vec<u8>,
    _reservation: Reservation,
}

impl AsRef<[u8]> for Reserved {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_parts_of_a_body_share_one_time_limit() {
        let budget = Arc::new(Budget::new(1024 * 1024));
        let mut all = Reservation::default();
        budget.fit(&mut all, 1024 * 1024).await.unwrap();
        let freeing = Arc::clone(&budget);
        let free = tokio::spawn(async move {
            // Frees a little every second, which is enough for the next part.
            for left in (0..1024).rev() {
                tokio::time::sleep(Duration::from_secs(1)).await;
                freeing.fit(&mut all, 64 * 1024 + left * 512).await.unwrap();
            }
        });
        let (begun, mut slow) = (Instant::now(), Reservation::default());
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
    async fn large_bodies_wait_for_the_budget_and_small_ones_do_not() {
        let budget = Budget::new(1024 * 1024);
        let mut large = Reservation::default();
        budget.fit(&mut large, FREE_BYTES).await.unwrap();
        assert!(large.permit.is_none(), "small ones are free");
        budget.fit(&mut large, 600_000).await.unwrap();
        budget.fit(&mut large, 1_000_000).await.unwrap();
        let mut other = Reservation::default();
        assert_eq!(budget.fit(&mut other, 100_000).await, Err(Exhausted));
        assert_eq!(budget.fit(&mut other, FREE_BYTES).await, Ok(()));
        let mut page = Reservation::default();
        assert!(
            budget.fit(&mut page, 500_000).await.is_err(),
            "the budget has free bytes, but too few"
        );
        let bytes = large.filled_with(vec![0; 1_000_000]);
        let part = bytes.slice(..10);
        drop(bytes);
        assert_eq!(
            budget.fit(&mut other, 600_000).await,
            Err(Exhausted),
            "a part of the bytes keeps the whole reservation"
        );
        drop(part);
        assert_eq!(
            budget.fit(&mut other, usize::MAX).await,
            Ok(()),
            "a body larger than the budget is admitted alone"
        );
        assert!(budget.fit(&mut page, 100_000).await.is_err());
        budget.fit(&mut other, 10).await.unwrap();
        let mut page = Reservation::default();
        budget.fit(&mut page, usize::MAX).await.unwrap();
        budget.fit(&mut page, 500_000).await.unwrap();
        budget.fit(&mut other, 400_000).await.unwrap();
    }
}
