//! The inputs of the item operations.
//!
//! Every member is optional, because a request may lack it; every value that JSON could carry
//! wrongly (numbers, sets, enum words) is kept together with what is wrong.

mod batch;
mod item;
mod legacy;
mod read;
mod statement;
mod transact;

pub use batch::{BatchGetItemInput, BatchWriteItemInput, KeysAndAttributes, WriteRequest};
pub use item::{DeleteItemInput, GetItemInput, PutItemInput, UpdateItemInput};
pub use legacy::{
    AttributeAction, AttributeUpdate, ByAttribute, ComparisonOperator, ConditionalOperator,
    ExpectedAttribute, LegacyCondition, LegacyParameters,
};
pub use read::{QueryInput, ScanInput};
pub use statement::{
    BatchExecuteStatementInput, ExecuteStatementInput, ExecuteTransactionInput,
    ParameterizedStatement,
};
pub use transact::{
    ConditionCheck, TransactDelete, TransactGet, TransactGetItemsInput, TransactPut,
    TransactUpdate, TransactWriteItem, TransactWriteItemsInput,
};

use crate::named::words;
use keyfold_types::{Item, NumberError, SetError, Value, ValueKind};
use std::collections::BTreeMap;

words! {
    /// The item that a write answers: before, after, or only what changed.
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
        /// Table and each index.
        Indexes = "INDEXES",
        /// The sum for the table.
        Total = "TOTAL",
        /// Nothing.
        None = "NONE",
    }
}

words! {
    /// Whether the size of the item collection is answered.
    ReturnItemCollectionMetrics {
        /// The estimated size.
        Size = "SIZE",
        /// Nothing.
        None = "NONE",
    }
}

words! {
    /// Whether a failed condition answers the item it met.
    ReturnValuesOnConditionCheckFailure {
        /// The whole item.
        AllOld = "ALL_OLD",
        /// Nothing.
        None = "NONE",
    }
}

words! {
    /// Which attributes a Query or Scan answers.
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

/// A fault of one attribute value. `Display` is DynamoDB's message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// No type at all.
    #[error(
        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
    )]
    NoType,
    /// More than one type.
    #[error(
        "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
    )]
    ManyTypes,
    /// A text that is no number, or a number out of range.
    #[error("{}", number_text(text, *error))]
    Number {
        /// The text.
        text: String,
        /// The fault.
        error: NumberError,
    },
    /// A list that is no set.
    #[error("{}", set_text(*kind, *error, members))]
    Set {
        /// The set's type.
        kind: ValueKind,
        /// The fault.
        error: SetError,
        /// The members as sent.
        members: String,
    },
    /// `{"NULL": false}`.
    #[error(
        "One or more parameter values were invalid: Null attribute value types must have the value of true"
    )]
    NullFalse,
    /// Nested deeper than values may be.
    #[error("{NESTING}")]
    TooDeep,
}

/// The sentence for what is nested too deep.
pub(crate) const NESTING: &str = "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit";

fn number_text(text: &str, error: NumberError) -> String {
    match error {
        NumberError::Syntax if text.is_empty() => {
            keyfold_expr::error::number_message(error).to_owned()
        }
        NumberError::Syntax => {
            format!("The parameter cannot be converted to a numeric value: {text}")
        }
        NumberError::Overflow | NumberError::Underflow | NumberError::Precision => {
            keyfold_expr::error::number_message(error).to_owned()
        }
    }
}

fn set_text(kind: ValueKind, error: SetError, members: &str) -> String {
    let name = match kind {
        ValueKind::Ns => "An number set ",
        ValueKind::Bs => "A binary set ",
        _ => "An string set ",
    };
    match error {
        SetError::Empty if kind == ValueKind::Bs => {
            "One or more parameter values were invalid: Binary sets should not be empty".to_owned()
        }
        SetError::Empty => {
            format!("One or more parameter values were invalid: {name} may not be empty")
        }
        SetError::Duplicate => {
            format!(
                "One or more parameter values were invalid: Input collection [{members}] contains duplicates."
            )
        }
    }
}

/// An item or key of a request, or what is wrong with one of its values.
pub type Attributes = Result<Item, ValueError>;

/// `ExpressionAttributeNames` and `ExpressionAttributeValues`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExpressionAttributes {
    /// `#name` to attribute name.
    pub names: Option<BTreeMap<String, String>>,
    /// `:value` to value, or the first placeholder whose value is wrong.
    pub values: Option<Result<BTreeMap<String, Value>, (String, ValueError)>>,
}

impl ExpressionAttributes {
    /// Adds a name placeholder.
    #[must_use]
    pub fn name(mut self, placeholder: impl Into<String>, name: impl Into<String>) -> Self {
        self.names
            .get_or_insert_default()
            .insert(placeholder.into(), name.into());
        self
    }

    /// Adds a value placeholder.
    #[must_use]
    pub fn value(mut self, placeholder: impl Into<String>, value: impl Into<Value>) -> Self {
        if let Ok(values) = self.values.get_or_insert_with(|| Ok(BTreeMap::new())) {
            values.insert(placeholder.into(), value.into());
        }
        self
    }
}

/// The options that most writes and reads share.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Returns {
    /// `ReturnConsumedCapacity`.
    pub consumed_capacity: Option<crate::Named<ReturnConsumedCapacity>>,
    /// `ReturnItemCollectionMetrics`.
    pub item_collection_metrics: Option<crate::Named<ReturnItemCollectionMetrics>>,
}
