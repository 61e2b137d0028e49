//! A meter of requests: how many, how long, how many units.

use hdrhistogram::Histogram;
use keyfold::Sent;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The longest time that is told apart from longer ones, in microseconds.
const LONGEST_US: u64 = 120_000_000;

/// Times of something that happens often.
#[derive(Debug, Clone)]
pub struct Times(Histogram<u64>);

impl Default for Times {
    fn default() -> Times {
        // Both are constants that the histogram takes.
        let times = Histogram::new_with_bounds(1, LONGEST_US, 3);
        Times(times.unwrap_or_else(|_| unreachable!("the bounds are in order")))
    }
}

impl Times {
    /// Adds a time.
    pub fn add(&mut self, time: Duration) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(LONGEST_US);
        self.0.saturating_record(micros);
    }

    /// Adds all times of another.
    pub fn merge(&mut self, other: &Times) {
        // Both have the same bounds.
        self.0.add(&other.0).unwrap_or_default();
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// The time in milliseconds that this share of them is not above: 0.5 for the median.
    pub fn quantile_ms(&self, share: f64) -> f64 {
        let micros = u32::try_from(self.0.value_at_quantile(share)).unwrap_or(u32::MAX);
        (f64::from(micros) / 10.0).round() / 100.0
    }
}

/// What the requests of a call have taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Total {
    /// Requests that were answered.
    pub requests: u64,
    /// Those that were sent again by the client.
    pub repeated: u64,
    /// Those that were refused for lack of capacity, after all repetitions.
    pub throttled: u64,
    /// Units of capacity.
    pub units: f64,
}

/// Sums up requests by the pattern or write that they are of.
#[derive(Debug, Clone, Default)]
pub struct Meter {
    totals: Arc<Mutex<BTreeMap<String, Total>>>,
}

impl Meter {
    /// Adds a request: for `Keyfold::on_request`.
    pub fn add(&self, sent: &Sent<'_>) {
        let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        let name = sent.call.unwrap_or(sent.operation);
        if !totals.contains_key(name) {
            totals.insert(name.to_owned(), Total::default());
        }
        let Some(total) = totals.get_mut(name) else {
            return;
        };
        total.requests += 1;
        total.repeated += u64::from(sent.attempts.saturating_sub(1));
        total.throttled += u64::from(matches!(sent.error, Some(keyfold::Error::Throttled { .. })));
        total.units += sent.units.unwrap_or(0.0);
    }

    /// What the requests of a call have taken so far.
    pub fn of(&self, call: &str) -> Total {
        let totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        totals.get(call).copied().unwrap_or_default()
    }
}
