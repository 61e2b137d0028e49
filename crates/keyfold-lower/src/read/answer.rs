//! The answers of patterns: pages of items, the requests they took, and their cost.

use crate::unknown::OnUnknown;
use keyfold_types::{CapacityHalves, Item, Value};

/// The start, the size and the direction of a page.
#[derive(Debug, Clone, Default)]
pub struct PageRequest {
    /// The most items of the page, instead of the pattern's limit.
    pub limit: Option<u32>,
    /// The cursor: the `next` of the page before.
    pub after: Option<Item>,
    /// Whether the items come against the pattern's order.
    pub backward: bool,
    /// Whether the read is strongly consistent, although the pattern does not ask for it. No global
    /// index offers that.
    pub strong: bool,
    /// What becomes of an item that the model does not know.
    pub on_unknown: OnUnknown,
    /// Whether only the first item is wanted: an item behind it that the model does not know is no
    /// error.
    pub only_first: bool,
    /// The present moment, milliseconds since 1970; by default, that of this machine's clock.
    pub now_epoch_ms: Option<i64>,
}

/// The pages that a run reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pages {
    /// One page.
    One,
    /// All pages to the end of the answer.
    All,
}

/// An item and its kind.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundItem {
    /// The name under which the pattern returns it: the entity, `Entity.copy`, or the name behind `as`.
    pub kind: String,
    /// The attributes of the model, without keys, in the order of their declaration.
    pub attributes: Vec<(String, Value)>,
}

impl FoundItem {
    /// The value of an attribute.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.attributes
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value)
    }
}

/// One page of a pattern's answer.
#[derive(Debug, Clone)]
pub struct Page {
    /// The items in order.
    pub items: Vec<FoundItem>,
    /// The first request, for people.
    pub request: Asked,
    /// The number of requests.
    pub requests: u32,
    /// The capacity consumed.
    pub capacity: CapacityHalves,
    /// The cursor of the next page; `None` at the end of the answer.
    pub next: Option<Item>,
}

/// A request for people.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// GetItem, Query, BatchGetItem or Scan.
    pub operation: String,
    /// The table, or table and index.
    pub place: String,
    /// The key condition with its values.
    pub condition: String,
    /// The order if descending, the limit and the filters.
    pub modifiers: String,
}

/// The pages of an answer together.
#[derive(Debug, Clone)]
pub struct Found {
    /// The items in order.
    pub items: Vec<FoundItem>,
    /// The number of requests.
    pub requests: u32,
    /// The capacity consumed.
    pub capacity: CapacityHalves,
    /// The cursor of the next page; `None` at the end of the answer.
    pub next: Option<Item>,
    /// The first request, for people.
    pub request: Asked,
}

/// Items as they are stored, before their kinds are known, and the cost of reading them.
#[derive(Default)]
pub(super) struct Raw {
    pub(super) items: Vec<Item>,
    /// How many items a page had before their kinds were found.
    pub(super) stored: usize,
    pub(super) asked: Asked,
    pub(super) requests: u32,
    pub(super) capacity: CapacityHalves,
    pub(super) next: Option<Item>,
}

impl Raw {
    /// Adds the items and the cost of another reading.
    pub(super) fn add(&mut self, other: Raw) {
        if self.requests == 0 {
            self.asked = other.asked;
        }
        self.requests += other.requests;
        self.capacity += other.capacity;
        self.items.extend(other.items);
    }

    /// The answer of one request that found nothing.
    pub(super) fn empty(asked: Asked) -> Raw {
        Raw {
            asked,
            requests: 1,
            ..Raw::default()
        }
    }
}
