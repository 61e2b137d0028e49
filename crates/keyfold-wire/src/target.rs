//! The `X-Amz-Target` header: `DynamoDB_20120810.PutItem`.

use keyfold_api::{ApiError, Operation, Validation};

/// The prefix of the item and table operations.
const TARGET_PREFIX: &str = "DynamoDB_20120810";

/// The prefix of the operations on streams.
const STREAMS_TARGET_PREFIX: &str = "DynamoDBStreams_20120810";

/// The operations of the service that Keyfold does not support, to distinguish them from
/// misspellings. Source: the API model of 2012-08-10.
const ABSENT_OPERATIONS: &[&str] = &[
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

fn prefix(operation: Operation) -> &'static str {
    if operation.is_of_streams() {
        STREAMS_TARGET_PREFIX
    } else {
        TARGET_PREFIX
    }
}

/// The target that names an operation.
pub fn target(operation: Operation) -> String {
    format!("{}.{}", prefix(operation), operation.name())
}

/// Returns the operation that a target names.
///
/// # Errors
/// `UnknownOperation` when there is none; `Validation` when the service has the operation and
/// Keyfold does not support it.
pub fn operation(target: &str) -> Result<Operation, ApiError> {
    let (given, name) = target.split_once('.').unwrap_or_default();
    let is_named =
        |operation: &&Operation| operation.name() == name && prefix(**operation) == given;
    match Operation::ALL.iter().find(is_named) {
        Some(operation) => Ok(*operation),
        None if given == TARGET_PREFIX && ABSENT_OPERATIONS.contains(&name) => {
            let sentence = format!("Keyfold does not support the operation {name} (see COMPAT.md)");
            Err(Validation::Sentence(sentence).into())
        }
        None => Err(ApiError::UnknownOperation(None)),
    }
}
