//! The `X-Amz-Target` header: `DynamoDB_20120810.PutItem`.

use keyfold_api::{ApiError, Operation};

/// The prefix of the item and table operations.
pub const TARGET_PREFIX: &str = "DynamoDB_20120810";

/// The operations of the service that Keyfold does not carry out; told apart from misspellings.
/// Source: the API model of 2012-08-10.
pub const ABSENT_OPERATIONS: &[&str] = &[
    "BatchExecuteStatement",
    "CancelBulkOperation",
    "CreateBackup",
    "CreateGlobalTable",
    "DeleteBackup",
    "DeleteResourcePolicy",
    "DescribeBackup",
    "DescribeBulkOperation",
    "DescribeContinuousBackups",
    "DescribeContributorInsights",
    "DescribeEndpoints",
    "DescribeExport",
    "DescribeGlobalTable",
    "DescribeGlobalTableSettings",
    "DescribeImport",
    "DescribeKinesisStreamingDestination",
    "DescribeLimits",
    "DescribeTableReplicaAutoScaling",
    "DescribeTimeToLive",
    "DisableKinesisStreamingDestination",
    "EnableKinesisStreamingDestination",
    "ExecuteStatement",
    "ExecuteTransaction",
    "ExportTableToPointInTime",
    "GetResourcePolicy",
    "ImportTable",
    "ListBackups",
    "ListBulkOperations",
    "ListContributorInsights",
    "ListExports",
    "ListGlobalTables",
    "ListImports",
    "ListTagsOfResource",
    "PutResourcePolicy",
    "RestoreTableFromBackup",
    "RestoreTableToPointInTime",
    "SearchVectors",
    "StartBulkPutItems",
    "TagResource",
    "UntagResource",
    "UpdateContinuousBackups",
    "UpdateContributorInsights",
    "UpdateGlobalTable",
    "UpdateGlobalTableSettings",
    "UpdateKinesisStreamingDestination",
    "UpdateTable",
    "UpdateTableReplicaAutoScaling",
    "UpdateTimeToLive",
];

/// The operation a target names.
///
/// # Errors
/// `UnknownOperation` when there is none; with a sentence when the service has it and Keyfold has not.
pub fn operation(target: &str) -> Result<Operation, ApiError> {
    let Some((prefix, name)) = target.split_once('.') else { return Err(ApiError::UnknownOperation(None)) };
    if prefix.starts_with("DynamoDBStreams_") {
        let message = format!("Keyfold does not support DynamoDB Streams yet: {name} (see COMPAT.md)");
        return Err(ApiError::UnknownOperation(Some(message)));
    }
    if prefix != TARGET_PREFIX {
        return Err(ApiError::UnknownOperation(None));
    }
    match Operation::ALL.iter().find(|operation| operation.name() == name) {
        Some(operation) => Ok(*operation),
        None if ABSENT_OPERATIONS.contains(&name) => Err(ApiError::UnknownOperation(Some(format!(
            "Keyfold does not support the operation {name} (see COMPAT.md)"
        )))),
        None => Err(ApiError::UnknownOperation(None)),
    }
}
