//! The `X-Amz-Target` header: `DynamoDB_20120810.PutItem`.

use keyfold_api::{ApiError, Operation, Validation};

/// The prefix of the item and table operations.
pub const TARGET_PREFIX: &str = "DynamoDB_20120810";

/// The prefix of the operations on streams.
pub const STREAMS_TARGET_PREFIX: &str = "DynamoDBStreams_20120810";

/// The operations of the service that Keyfold does not carry out; told apart from misspellings.
/// Source: the API model of 2012-08-10.
pub const ABSENT_OPERATIONS: &[&str] = &[
    "CancelBulkOperation",
    "CreateGlobalTable",
    "DescribeBulkOperation",
    "DescribeGlobalTable",
    "DescribeGlobalTableSettings",
    "DescribeKinesisStreamingDestination",
    "DescribeTableReplicaAutoScaling",
    "DisableKinesisStreamingDestination",
    "EnableKinesisStreamingDestination",
    "ListBulkOperations",
    "ListGlobalTables",
    "SearchVectors",
    "StartBulkPutItems",
    "UpdateGlobalTable",
    "UpdateGlobalTableSettings",
    "UpdateKinesisStreamingDestination",
    "UpdateTableReplicaAutoScaling",
];

/// The target that asks for an operation.
pub fn target(operation: Operation) -> String {
    let prefix = if operation.is_of_streams() {
        STREAMS_TARGET_PREFIX
    } else {
        TARGET_PREFIX
    };
    format!("{prefix}.{}", operation.name())
}

/// The operation a target names.
///
/// # Errors
/// `UnknownOperation` when there is none, `Validation` with a sentence when the service has it and
/// Keyfold has not.
pub fn operation(target: &str) -> Result<Operation, ApiError> {
    let (prefix, name) = target.split_once('.').unwrap_or_default();
    let is_known = |operation: &&Operation| {
        let expected = if operation.is_of_streams() {
            STREAMS_TARGET_PREFIX
        } else {
            TARGET_PREFIX
        };
        operation.name() == name && prefix == expected
    };
    match Operation::ALL.iter().find(is_known) {
        Some(operation) => Ok(*operation),
        None if prefix == TARGET_PREFIX && ABSENT_OPERATIONS.contains(&name) => {
            let sentence = format!("Keyfold does not support the operation {name} (see COMPAT.md)");
            Err(Validation::Sentence(sentence).into())
        }
        None => Err(ApiError::UnknownOperation(None)),
    }
}
