//! The outputs of the item operations. Items stay encoded, so that the wire can write them without
//! a tree.

use crate::input::{KeysAndAttributes, WriteRequest};
use keyfold_codec::RawItem;
use keyfold_types::{CapacityHalves, Item};
use std::collections::BTreeMap;

/// Whether a request consumed read or write units; transactions say so in their answers.
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
    /// Units of each local index touched.
    pub local_secondary_indexes: BTreeMap<String, CapacityHalves>,
    /// Units of each global index touched.
    pub global_secondary_indexes: BTreeMap<String, CapacityHalves>,
    /// Set when the answer names the kind (transactions).
    pub kind: Option<CapacityKind>,
    /// Whether table and indexes are listed, not only the sum.
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

/// The estimated size of the item collection a write touched.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemCollectionMetrics {
    /// The partition key.
    pub item_collection_key: Item,
    /// Whole gigabytes, below and above the size.
    pub size_estimate_range_gb: (f64, f64),
}

/// The answer of GetItem.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GetItemOutput {
    /// The item, if it exists.
    pub item: Option<RawItem>,
    /// Units, if asked for.
    pub consumed_capacity: Option<ConsumedCapacity>,
}

/// The answer of PutItem, UpdateItem and DeleteItem.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WriteItemOutput {
    /// The attributes that ReturnValues asked for, if any.
    pub attributes: Option<RawItem>,
    /// Units, if asked for.
    pub consumed_capacity: Option<ConsumedCapacity>,
    /// The collection's size, if asked for and the table has a local index.
    pub item_collection_metrics: Option<ItemCollectionMetrics>,
}

/// The answer of Query and Scan: one page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PageOutput {
    /// The items, unless only their number was asked for.
    pub items: Option<Vec<RawItem>>,
    /// The number of items that passed the filter.
    pub count: u64,
    /// The number of evaluated items.
    pub scanned_count: u64,
    /// The start of the next page; absent at the end.
    pub last_evaluated_key: Option<Item>,
    /// Units, if asked for.
    pub consumed_capacity: Option<ConsumedCapacity>,
}

/// The answer of BatchGetItem.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BatchGetItemOutput {
    /// The items found, by table as named in the request.
    pub responses: Vec<(String, Vec<RawItem>)>,
    /// Keys left unprocessed by the size limit.
    pub unprocessed_keys: Vec<(String, KeysAndAttributes)>,
    /// Units by table, if asked for.
    pub consumed_capacity: Option<Vec<ConsumedCapacity>>,
}

/// The answer of BatchWriteItem.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BatchWriteItemOutput {
    /// Unprocessed requests.
    pub unprocessed_items: Vec<(String, Vec<WriteRequest>)>,
    /// Units by table, if asked for.
    pub consumed_capacity: Option<Vec<ConsumedCapacity>>,
    /// Collection sizes by table, if asked for.
    pub item_collection_metrics: Option<Vec<(String, Vec<ItemCollectionMetrics>)>>,
}

/// The answer of TransactWriteItems.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TransactWriteItemsOutput {
    /// Units by table, if asked for.
    pub consumed_capacity: Option<Vec<ConsumedCapacity>>,
    /// Collection sizes by table, if asked for.
    pub item_collection_metrics: Option<Vec<(String, Vec<ItemCollectionMetrics>)>>,
}

/// The answer of TransactGetItems.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TransactGetItemsOutput {
    /// The items in request order; nothing where none exists.
    pub responses: Vec<Option<RawItem>>,
    /// Units by table, if asked for.
    pub consumed_capacity: Option<Vec<ConsumedCapacity>>,
}

/// The answer of ExecuteStatement.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExecuteStatementOutput {
    /// The items of a SELECT, or what RETURNING asked for.
    pub items: Vec<RawItem>,
    /// The start of the next page; absent at the end.
    pub next_token: Option<String>,
    /// The key of the last item evaluated, when there is more.
    pub last_evaluated_key: Option<Item>,
    /// Units, if asked for.
    pub consumed_capacity: Option<ConsumedCapacity>,
}

/// The outcome of one statement of a batch.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StatementResponse {
    /// The table, when the statement could be read so far.
    pub table_name: Option<String>,
    /// The item read, if it exists, or what RETURNING asked for.
    pub item: Option<RawItem>,
    /// Why it failed.
    pub error: Option<StatementError>,
}

/// Why a statement of a batch failed.
#[derive(Debug, Clone, PartialEq)]
pub struct StatementError {
    /// `ValidationError`, `DuplicateItem`, …
    pub code: String,
    /// The sentence.
    pub message: String,
    /// The item a failed condition met, if asked for.
    pub item: Option<RawItem>,
}

/// The answer of BatchExecuteStatement.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BatchExecuteStatementOutput {
    /// One answer for each statement, in order.
    pub responses: Vec<StatementResponse>,
    /// Units by table, if asked for.
    pub consumed_capacity: Option<Vec<ConsumedCapacity>>,
}
