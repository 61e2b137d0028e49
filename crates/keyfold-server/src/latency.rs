//! Simulated latencies of the cloud, so that an application meets them before its users do.
//!
//! Times are log-normal around a median for each class of operation, as latencies of services are.
//! The same seed gives the same times in the same order.

use keyfold_api::Operation;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A distribution of latencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LatencyProfile {
    /// The latencies within a region: reads around 3 ms, writes 5 ms, transactions 12 ms, and one
    /// in a hundred about three times as long.
    SameRegion,
    /// The latencies from another continent: those within a region and 80 ms more.
    CrossRegion,
    /// A constant latency.
    Fixed(Duration),
}

/// The round trip to another continent.
const ROUND_TRIP: Duration = Duration::from_millis(80);
/// Spread of the latencies: the 99th percentile is at e^(2.33 * 0.47), three times the median.
const SPREAD: f64 = 0.47;

/// Draws latencies.
pub(crate) struct Latency {
    profile: LatencyProfile,
    random: Mutex<fastrand::Rng>,
}

impl Latency {
    pub(crate) fn new(profile: LatencyProfile, seed: u64) -> Latency {
        Latency {
            profile,
            random: Mutex::new(fastrand::Rng::with_seed(seed)),
        }
    }

    /// The latency of the next answer.
    pub(crate) fn next(&self, operation: Operation) -> Duration {
        match self.profile {
            LatencyProfile::Fixed(delay) => delay,
            LatencyProfile::SameRegion => self.spread(median(operation)),
            LatencyProfile::CrossRegion => ROUND_TRIP + self.spread(median(operation)),
        }
    }

    /// A random latency around a median.
    fn spread(&self, median: Duration) -> Duration {
        let mut random = self.random.lock().unwrap_or_else(PoisonError::into_inner);
        // The sum of twelve uniform numbers is close to normal, with variance 1.
        let normal = (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
        median.mul_f64((SPREAD * normal).exp())
    }
}

/// The median latency of an operation.
fn median(operation: Operation) -> Duration {
    let ms = match operation {
        Operation::GetItem | Operation::Query | Operation::Scan | Operation::BatchGetItem => 3,
        Operation::TransactGetItems
        | Operation::TransactWriteItems
        | Operation::ExecuteTransaction => 12,
        Operation::BatchExecuteStatement
        | Operation::BatchWriteItem
        | Operation::CreateBackup
        | Operation::CreateTable
        | Operation::DeleteBackup
        | Operation::DeleteItem
        | Operation::DeleteResourcePolicy
        | Operation::DeleteTable
        | Operation::DescribeBackup
        | Operation::DescribeContinuousBackups
        | Operation::DescribeContributorInsights
        | Operation::DescribeEndpoints
        | Operation::DescribeExport
        | Operation::DescribeImport
        | Operation::DescribeLimits
        | Operation::DescribeStream
        | Operation::DescribeTable
        | Operation::DescribeTimeToLive
        | Operation::ExecuteStatement
        | Operation::ExportTableToPointInTime
        | Operation::GetRecords
        | Operation::GetResourcePolicy
        | Operation::GetShardIterator
        | Operation::ImportTable
        | Operation::ListBackups
        | Operation::ListContributorInsights
        | Operation::ListExports
        | Operation::ListImports
        | Operation::ListStreams
        | Operation::ListTables
        | Operation::ListTagsOfResource
        | Operation::PutItem
        | Operation::PutResourcePolicy
        | Operation::RestoreTableFromBackup
        | Operation::RestoreTableToPointInTime
        | Operation::TagResource
        | Operation::UntagResource
        | Operation::UpdateContinuousBackups
        | Operation::UpdateContributorInsights
        | Operation::UpdateItem
        | Operation::UpdateTable
        | Operation::UpdateTimeToLive => 5,
    };
    Duration::from_millis(ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_spread_around_the_median_and_repeat_with_the_seed() {
        let times = |seed| -> Vec<Duration> {
            let latency = Latency::new(LatencyProfile::SameRegion, seed);
            (0..10_000)
                .map(|_| latency.next(Operation::GetItem))
                .collect()
        };
        let mut sorted = times(7);
        assert_eq!(sorted, times(7));
        assert_ne!(sorted, times(8));
        sorted.sort();
        let ms = |at: usize| sorted[at].as_secs_f64() * 1000.0;
        assert!((2.9..3.1).contains(&ms(5000)), "{}", ms(5000));
        assert!((8.0..10.0).contains(&ms(9900)), "{}", ms(9900));
        let far = Latency::new(LatencyProfile::CrossRegion, 7).next(Operation::PutItem);
        assert!(far > ROUND_TRIP);
        let fixed = LatencyProfile::Fixed(Duration::from_millis(25));
        assert_eq!(
            Latency::new(fixed, 1).next(Operation::PutItem),
            Duration::from_millis(25)
        );
    }
}
