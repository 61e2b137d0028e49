//! Consumed capacity: requested with every request, and summed over the answers.

use keyfold_api::{ConsumedCapacity, ReturnConsumedCapacity, Returns};
use keyfold_types::CapacityHalves;

/// The request members that ask the backend to report the consumed capacity.
pub fn requested() -> Returns {
    Returns {
        consumed_capacity: Some(ReturnConsumedCapacity::Total.into()),
        item_collection_metrics: None,
    }
}

/// The total of the rows of an answer; zero when the backend reports none.
pub fn total(rows: impl IntoIterator<Item = ConsumedCapacity>) -> CapacityHalves {
    rows.into_iter().map(|row| row.total()).sum()
}
