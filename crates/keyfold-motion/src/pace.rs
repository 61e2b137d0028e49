//! Keeps the units of all tasks of a run below a rate.

use keyfold_types::CapacityHalves;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A rate, and the moment from which on it allows the next request.
#[derive(Debug)]
pub struct Pace {
    /// Units a second; without it, nothing waits.
    rate: Option<u32>,
    next: Mutex<Duration>,
}

impl Pace {
    /// Without a rate, nothing waits.
    pub fn new(rate: Option<u32>) -> Pace {
        Pace {
            rate,
            next: Mutex::default(),
        }
    }

    /// Counts the units of a request that was answered at a moment, and returns how long its task
    /// waits before the next one.
    pub fn after(&self, now: Duration, halves: CapacityHalves) -> Duration {
        let Some(rate) = self.rate else {
            return Duration::ZERO;
        };
        let micros = halves.0.saturating_mul(500_000) / u64::from(rate.max(1));
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        *next = (*next).max(now) + Duration::from_micros(micros);
        *next - now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_wait_for_the_units_of_all() {
        let second = Duration::from_secs(1);
        let pace = Pace::new(Some(10));
        assert_eq!(pace.after(second, CapacityHalves(20)), second);
        assert_eq!(pace.after(second, CapacityHalves(20)), second * 2);
        assert_eq!(pace.after(second * 10, CapacityHalves(10)), second / 2);
        let pace = Pace::new(None);
        assert_eq!(pace.after(second, CapacityHalves(1_000)), Duration::ZERO);
    }
}
