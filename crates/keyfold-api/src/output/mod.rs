//! The outputs of the item operations. Items stay encoded, so that the wire writes JSON without a
//! tree.

use crate::input::{KeysAndAttributes, WriteRequest};
use keyfold_codec::RawItem;
use keyfold_types::{CapacityHalves, Item};
use std::collections::BTreeMap;

/// The kind of consumed units, which the answers of transactions name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CapacityKind {
    /// Read units.
    Read,
    /// Write units.
    Write,
}

/// Capacity that a request consumed on one table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConsumedCapacity {
    /// The table, in the form that the request used.
    pub table_name: String,
    /// Units of the table itself, local-index writes not included.
    pub table: CapacityHalves,
    /// Units of each used local index.
    pub local_secondary_indexes: BTreeMap<String, CapacityHalves>,
    /// Units of each used global index.
    pub global_secondary_indexes: BTreeMap<String, CapacityHalves>,
    /// The kind, in the answers of transactions.
    pub kind: Option<CapacityKind>,
    /// Whether the answer lists table and indexes, not only the sum.
    pub detailed: bool,
}

impl ConsumedCapacity {
    /// The sum over table and indexes.
    pub fn total(&self) -> CapacityHalves {
        let indexes = self
            .local_secondary_indexes
            .values()
            .chain(self.global_secondary_indexes.values());
        self.table + indexes.copied().sum()
    }
}

/// The estimated size of the item collection of a write.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemCollectionMetrics {
    /// The partition key.
    pub item_collection_key: Item,
    /// The bounds of the size in whole gigabytes.
    pub size_estimate_range_gb: (f64, f64),
}

/// The answer of GetItem.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GetItemOutput {
    /// The item, if it exists.
    pub item: Option<RawItem>,
    /// Consumed units, if requested.
    pub consumed_capacity: Option<ConsumedCapacity>,
}

/// The answer of PutItem, UpdateItem and DeleteItem.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WriteItemOutput {
    /// The attributes that ReturnValues requests, if any.
    pub attributes: Option<RawItem>,
    /// Consumed units, if requested.
    pub consumed_capacity: Option<ConsumedCapacity>,
    /// The collection's size, if requested and the table has a local index.
    pub item_collection_metrics: Option<ItemCollectionMetrics>,
}

/// The answer of Query and Scan: one page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PageOutput {
    /// The items, unless only their number is requested.
    pub items: Option<Vec<RawItem>>,
    /// The number of items that passed the filter.
    pub count: u64,
    /// The number of evaluated items.
    pub scanned_count: u64,
    /// The start of the next page; absent at the end.
    pub last_evaluated_key: Option<Item>,
    /// Consumed units, if requested.
    pub consumed_capacity: Option<ConsumedCapacity>,
}

/// The answer of BatchGetItem.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BatchGetItemOutput {
    /// The found items, by table as named in the request.
    pub responses: Vec<(String, Vec<RawItem>)>,
    /// The keys that the size limit leaves unprocessed.
    pub unprocessed_keys: Vec<(String, KeysAndAttributes)>,
    /// Consumed units by table, if requested.
    pub consumed_capacity: Option<Vec<ConsumedCapacity>>,
}

/// The answer of BatchWriteItem.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BatchWriteItemOutput {
    /// Unprocessed requests.
    pub unprocessed_items: Vec<(String, Vec<WriteRequest>)>,
    /// Consumed units by table, if requested.
    pub consumed_capacity: Option<Vec<ConsumedCapacity>>,
    /// Collection sizes by table, if requested.
    pub item_collection_metrics: Option<Vec<(String, Vec<ItemCollectionMetrics>)>>,
}

/// The answer of TransactWriteItems.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TransactWriteItemsOutput {
    /// Consumed units by table, if requested.
    pub consumed_capacity: Option<Vec<ConsumedCapacity>>,
    /// Collection sizes by table, if requested.
    pub item_collection_metrics: Option<Vec<(String, Vec<ItemCollectionMetrics>)>>,
}

/// The answer of TransactGetItems.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TransactGetItemsOutput {
    /// The items in request order; `None` for an absent item.
    pub responses: Vec<Option<RawItem>>,
    /// Consumed units by table, if requested.
    pub consumed_capacity: Option<Vec<ConsumedCapacity>>,
}

/// The answer of ExecuteStatement.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExecuteStatementOutput {
    /// The items of a SELECT, or of RETURNING.
    pub items: Vec<RawItem>,
    /// The start of the next page; absent at the end.
    pub next_token: Option<String>,
    /// The key of the last evaluated item, unless the end is reached.
    pub last_evaluated_key: Option<Item>,
    /// Consumed units, if requested.
    pub consumed_capacity: Option<ConsumedCapacity>,
}

/// The outcome of one statement of a batch.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StatementResponse {
    /// The table, if the statement could be parsed that far.
    pub table_name: Option<String>,
    /// The read item, if it exists, or that of RETURNING.
    pub item: Option<RawItem>,
    /// The error, if the statement failed.
    pub error: Option<StatementError>,
}

/// The error of a statement of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct StatementError {
    /// `ValidationError`, `DuplicateItem`, …
    pub code: String,
    /// The message.
    pub message: String,
    /// The present item of a failed condition, if requested.
    pub item: Option<RawItem>,
}

/// The answer of BatchExecuteStatement.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BatchExecuteStatementOutput {
    /// One answer for each statement, in order.
    pub responses: Vec<StatementResponse>,
    /// Consumed units by table, if requested.
    pub consumed_capacity: Option<Vec<ConsumedCapacity>>,
}
