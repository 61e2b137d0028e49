//! One page of an answer.

use crate::item::Item;

/// One page of an answer.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Page {
    /// The items in order.
    pub items: Vec<Item>,
    /// Where the next page starts, as text for [`crate::Query::after`]; none when this is the last.
    pub next: Option<String>,
    /// The number of requests that the page took.
    pub requests: u32,
    /// Capacity units.
    pub units: f64,
}
