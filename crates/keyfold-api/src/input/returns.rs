//! The members of requests that select parts of the answer.

use crate::Named;
use crate::named::words;

words! {
    /// The attributes that a write returns.
    ReturnValue {
        /// The whole item after the write.
        AllNew = "ALL_NEW",
        /// The changed parts before the write.
        UpdatedOld = "UPDATED_OLD",
        /// The whole item before the write.
        AllOld = "ALL_OLD",
        /// Nothing.
        None = "NONE",
        /// The changed parts after the write.
        UpdatedNew = "UPDATED_NEW",
    }
}

words! {
    /// The detail of the consumed capacity in the answer.
    ReturnConsumedCapacity {
        /// The sum, and the parts of the table and of each index.
        Indexes = "INDEXES",
        /// The sum of table and indexes.
        Total = "TOTAL",
        /// Nothing.
        None = "NONE",
    }
}

words! {
    /// The presence of the item collection's size in the answer.
    ReturnItemCollectionMetrics {
        /// The estimated size.
        Size = "SIZE",
        /// Nothing.
        None = "NONE",
    }
}

words! {
    /// The item that a failed condition returns.
    ReturnValuesOnConditionCheckFailure {
        /// The whole item.
        AllOld = "ALL_OLD",
        /// Nothing.
        None = "NONE",
    }
}

words! {
    /// The attributes that a Query or Scan returns.
    Select {
        /// The projected attributes.
        SpecificAttributes = "SPECIFIC_ATTRIBUTES",
        /// Only the number of items.
        Count = "COUNT",
        /// Every attribute of the table's items.
        AllAttributes = "ALL_ATTRIBUTES",
        /// Every attribute of the index.
        AllProjectedAttributes = "ALL_PROJECTED_ATTRIBUTES",
    }
}

/// The extras of an answer: consumed capacity and collection metrics.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Returns {
    /// `ReturnConsumedCapacity`.
    pub consumed_capacity: Option<Named<ReturnConsumedCapacity>>,
    /// `ReturnItemCollectionMetrics`.
    pub item_collection_metrics: Option<Named<ReturnItemCollectionMetrics>>,
}
