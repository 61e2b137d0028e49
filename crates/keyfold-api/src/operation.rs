//! The operations, and a request or response of any of them.

use crate::backup::*;
use crate::input::*;
use crate::output::*;
use crate::settings::*;
use crate::stream::*;
use crate::table::*;
use crate::transfer::*;

/// The input of one operation, which has one kind of output.
pub trait Input: Into<Request> {
    /// The output of the operation.
    type Output;

    /// The output in a response; `None` if the response is another operation's.
    fn output(response: Response) -> Option<Self::Output>;
}

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident($input:ty) -> $output:ty),+ $(,)?) => {
        /// An operation that Keyfold supports.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Operation { $($(#[$doc])* $name),+ }

        impl Operation {
            /// Every operation, once.
            pub const ALL: &'static [Operation] = &[$(Operation::$name),+];

            /// The operation's name in the API.
            pub fn name(self) -> &'static str {
                match self { $(Operation::$name => stringify!($name)),+ }
            }
        }

        /// The input of any operation.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Request { $($(#[$doc])* $name($input)),+ }

        impl Request {
            /// The requested operation.
            pub fn operation(&self) -> Operation {
                match self { $(Request::$name(_) => Operation::$name),+ }
            }
        }

        $(impl From<$input> for Request {
            fn from(input: $input) -> Request { Request::$name(input) }
        })+

        /// The output of any operation.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Response { $($(#[$doc])* $name($output)),+ }

        $(impl Input for $input {
            type Output = $output;

            fn output(response: Response) -> Option<$output> {
                match response {
                    Response::$name(output) => Some(output),
                    _ => None,
                }
            }
        })+
    };
}

operations! {
    /// Runs statements on items by key.
    BatchExecuteStatement(BatchExecuteStatementInput) -> BatchExecuteStatementOutput,
    /// Reads items by key.
    BatchGetItem(BatchGetItemInput) -> BatchGetItemOutput,
    /// Puts and deletes items.
    BatchWriteItem(BatchWriteItemInput) -> BatchWriteItemOutput,
    /// Creates a backup of a table.
    CreateBackup(CreateBackupInput) -> CreateBackupOutput,
    /// Creates a table.
    CreateTable(CreateTableInput) -> TableDescription,
    /// Deletes a backup.
    DeleteBackup(DeleteBackupInput) -> DeleteBackupOutput,
    /// Deletes an item.
    DeleteItem(DeleteItemInput) -> WriteItemOutput,
    /// Deletes a policy.
    DeleteResourcePolicy(DeleteResourcePolicyInput) -> DeleteResourcePolicyOutput,
    /// Deletes a table.
    DeleteTable(DeleteTableInput) -> TableDescription,
    /// Describes a backup.
    DescribeBackup(DescribeBackupInput) -> DescribeBackupOutput,
    /// Describes the setting of point-in-time recovery.
    DescribeContinuousBackups(DescribeContinuousBackupsInput) -> DescribeContinuousBackupsOutput,
    /// Describes the setting of the report of busy keys.
    DescribeContributorInsights(DescribeContributorInsightsInput) -> DescribeContributorInsightsOutput,
    /// Describes the endpoints of requests.
    DescribeEndpoints(DescribeEndpointsInput) -> DescribeEndpointsOutput,
    /// Describes an export.
    DescribeExport(DescribeExportInput) -> DescribeExportOutput,
    /// Describes an import.
    DescribeImport(DescribeImportInput) -> DescribeImportOutput,
    /// Describes the account's quotas.
    DescribeLimits(DescribeLimitsInput) -> DescribeLimitsOutput,
    /// Describes a stream and its shards.
    DescribeStream(DescribeStreamInput) -> DescribeStreamOutput,
    /// Describes a table.
    DescribeTable(DescribeTableInput) -> TableDescription,
    /// Describes a table's expiry setting.
    DescribeTimeToLive(DescribeTimeToLiveInput) -> DescribeTimeToLiveOutput,
    /// Runs a statement.
    ExecuteStatement(ExecuteStatementInput) -> ExecuteStatementOutput,
    /// Runs statements as one transaction.
    ExecuteTransaction(ExecuteTransactionInput) -> TransactGetItemsOutput,
    /// Exports a table.
    ExportTableToPointInTime(ExportTableToPointInTimeInput) -> ExportTableToPointInTimeOutput,
    /// Reads an item.
    GetItem(GetItemInput) -> GetItemOutput,
    /// Reads records of a stream.
    GetRecords(GetRecordsInput) -> GetRecordsOutput,
    /// Reads a policy.
    GetResourcePolicy(GetResourcePolicyInput) -> GetResourcePolicyOutput,
    /// Returns a position in a stream.
    GetShardIterator(GetShardIteratorInput) -> GetShardIteratorOutput,
    /// Creates a table from files.
    ImportTable(ImportTableInput) -> ImportTableOutput,
    /// Lists backups.
    ListBackups(ListBackupsInput) -> ListBackupsOutput,
    /// Lists settings of reports of busy keys.
    ListContributorInsights(ListContributorInsightsInput) -> ListContributorInsightsOutput,
    /// Lists exports.
    ListExports(ListExportsInput) -> ListExportsOutput,
    /// Lists imports.
    ListImports(ListImportsInput) -> ListImportsOutput,
    /// Lists streams.
    ListStreams(ListStreamsInput) -> ListStreamsOutput,
    /// Lists tables.
    ListTables(ListTablesInput) -> ListTablesOutput,
    /// Lists a resource's tags.
    ListTagsOfResource(ListTagsOfResourceInput) -> ListTagsOfResourceOutput,
    /// Writes an item.
    PutItem(PutItemInput) -> WriteItemOutput,
    /// Sets a policy.
    PutResourcePolicy(PutResourcePolicyInput) -> PutResourcePolicyOutput,
    /// Reads a partition.
    Query(QueryInput) -> PageOutput,
    /// Creates a table from a backup.
    RestoreTableFromBackup(RestoreTableFromBackupInput) -> TableDescription,
    /// Creates a table from an earlier state of another.
    RestoreTableToPointInTime(RestoreTableToPointInTimeInput) -> TableDescription,
    /// Reads a table.
    Scan(ScanInput) -> PageOutput,
    /// Adds tags.
    TagResource(TagResourceInput) -> (),
    /// Reads items at one moment.
    TransactGetItems(TransactGetItemsInput) -> TransactGetItemsOutput,
    /// Writes items as one transaction.
    TransactWriteItems(TransactWriteItemsInput) -> TransactWriteItemsOutput,
    /// Removes tags.
    UntagResource(UntagResourceInput) -> (),
    /// Switches point-in-time recovery.
    UpdateContinuousBackups(UpdateContinuousBackupsInput) -> UpdateContinuousBackupsOutput,
    /// Switches the report of busy keys.
    UpdateContributorInsights(UpdateContributorInsightsInput) -> UpdateContributorInsightsOutput,
    /// Changes an item.
    UpdateItem(UpdateItemInput) -> WriteItemOutput,
    /// Changes a table.
    UpdateTable(UpdateTableInput) -> TableDescription,
    /// Switches expiry.
    UpdateTimeToLive(UpdateTimeToLiveInput) -> UpdateTimeToLiveOutput,
}

impl Operation {
    /// Whether the operation belongs to the streams endpoint.
    pub fn is_of_streams(self) -> bool {
        matches!(
            self,
            Operation::ListStreams
                | Operation::DescribeStream
                | Operation::GetShardIterator
                | Operation::GetRecords
        )
    }
}
