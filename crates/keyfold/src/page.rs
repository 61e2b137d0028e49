//! One page of an answer.

use crate::error::Error;
use crate::item::Item;
use serde::de::DeserializeOwned;

/// One page of an answer: of items, or of structs made of them.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Page<T = Item> {
    /// The items in order.
    pub items: Vec<T>,
    /// Where the next page starts, as text for [`crate::Query::after`]; none when this is the last.
    pub next: Option<String>,
    /// The number of requests that the page took.
    pub requests: u32,
    /// Capacity units.
    pub units: f64,
}

impl Page {
    /// The page with its items as structs.
    ///
    /// # Errors
    /// `Invalid` when an item does not fit, as [`Item::to`] says.
    pub fn to<T: DeserializeOwned>(&self) -> Result<Page<T>, Error> {
        Ok(Page {
            items: self.items.iter().map(Item::to).collect::<Result<_, _>>()?,
            next: self.next.clone(),
            requests: self.requests,
            units: self.units,
        })
    }
}
