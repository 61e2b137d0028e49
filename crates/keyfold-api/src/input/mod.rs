//! The inputs of the item operations.
//!
//! Every member is optional, because a request may lack it. A value that is wrong in JSON (a
//! number, a set, a word) is kept as its error, and reported by the engine.

mod batch;
mod item;
mod legacy;
mod placeholders;
mod read;
mod returns;
mod statement;
mod transact;

pub use batch::{BatchGetItemInput, BatchWriteItemInput, KeysAndAttributes, WriteRequest};
pub use item::{DeleteItemInput, GetItemInput, PutItemInput, UpdateItemInput};
pub use legacy::{
    AttributeAction, AttributeUpdate, ByAttribute, ComparisonOperator, ConditionalOperator,
    ExpectedAttribute, LegacyCondition, LegacyParameters,
};
pub use placeholders::ExpressionAttributes;
pub use read::{QueryInput, ScanInput};
pub use returns::{
    ReturnConsumedCapacity, ReturnItemCollectionMetrics, ReturnValue,
    ReturnValuesOnConditionCheckFailure, Returns, Select,
};
pub use statement::{
    BatchExecuteStatementInput, ExecuteStatementInput, ExecuteTransactionInput,
    ParameterizedStatement,
};
pub use transact::{
    ConditionCheck, TransactDelete, TransactGet, TransactGetItemsInput, TransactPut,
    TransactUpdate, TransactWriteItem, TransactWriteItemsInput,
};
