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

    /// The output, if the response is this operation's.
    fn output(response: Response) -> Option<Self::Output>;
}

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident($input:ty) -> $output:ty),+ $(,)?) => {
        /// An operation that Keyfold carries out.
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
            /// Which operation is asked for.
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
    /// Backs a table up.
    CreateBackup(CreateBackupInput) -> CreateBackupOutput,
    /// Makes a table.
    CreateTable(CreateTableInput) -> TableDescription,
    /// Removes a backup.
    DeleteBackup(DeleteBackupInput) -> DeleteBackupOutput,
    /// Deletes an item.
    DeleteItem(DeleteItemInput) -> WriteItemOutput,
    /// Removes a policy.
    DeleteResourcePolicy(DeleteResourcePolicyInput) -> DeleteResourcePolicyOutput,
    /// Removes a table.
    DeleteTable(DeleteTableInput) -> TableDescription,
    /// Tells a backup's state.
    DescribeBackup(DescribeBackupInput) -> DescribeBackupOutput,
    /// Tells whether a table can be restored to a point in time.
    DescribeContinuousBackups(DescribeContinuousBackupsInput) -> DescribeContinuousBackupsOutput,
    /// Tells the setting of the report of busy keys.
    DescribeContributorInsights(DescribeContributorInsightsInput) -> DescribeContributorInsightsOutput,
    /// Tells where requests go.
    DescribeEndpoints(DescribeEndpointsInput) -> DescribeEndpointsOutput,
    /// Tells an export's state.
    DescribeExport(DescribeExportInput) -> DescribeExportOutput,
    /// Tells an import's state.
    DescribeImport(DescribeImportInput) -> DescribeImportOutput,
    /// Tells the account's quotas.
    DescribeLimits(DescribeLimitsInput) -> DescribeLimitsOutput,
    /// Tells a stream's state and shards.
    DescribeStream(DescribeStreamInput) -> DescribeStreamOutput,
    /// Tells a table's state.
    DescribeTable(DescribeTableInput) -> TableDescription,
    /// Tells a table's expiry setting.
    DescribeTimeToLive(DescribeTimeToLiveInput) -> DescribeTimeToLiveOutput,
    /// Runs a statement.
    ExecuteStatement(ExecuteStatementInput) -> ExecuteStatementOutput,
    /// Runs statements together.
    ExecuteTransaction(ExecuteTransactionInput) -> TransactGetItemsOutput,
    /// Exports a table.
    ExportTableToPointInTime(ExportTableToPointInTimeInput) -> ExportTableToPointInTimeOutput,
    /// Reads an item.
    GetItem(GetItemInput) -> GetItemOutput,
    /// Reads records of a stream.
    GetRecords(GetRecordsInput) -> GetRecordsOutput,
    /// Tells a policy.
    GetResourcePolicy(GetResourcePolicyInput) -> GetResourcePolicyOutput,
    /// Finds a place in a stream.
    GetShardIterator(GetShardIteratorInput) -> GetShardIteratorOutput,
    /// Makes a table from files.
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
    /// Lists a resource's labels.
    ListTagsOfResource(ListTagsOfResourceInput) -> ListTagsOfResourceOutput,
    /// Writes an item.
    PutItem(PutItemInput) -> WriteItemOutput,
    /// Sets a policy.
    PutResourcePolicy(PutResourcePolicyInput) -> PutResourcePolicyOutput,
    /// Reads a partition.
    Query(QueryInput) -> PageOutput,
    /// Makes a table from a backup.
    RestoreTableFromBackup(RestoreTableFromBackupInput) -> TableDescription,
    /// Makes a table as another was.
    RestoreTableToPointInTime(RestoreTableToPointInTimeInput) -> TableDescription,
    /// Reads a table.
    Scan(ScanInput) -> PageOutput,
    /// Adds labels.
    TagResource(TagResourceInput) -> (),
    /// Reads items at one moment.
    TransactGetItems(TransactGetItemsInput) -> TransactGetItemsOutput,
    /// Writes items together.
    TransactWriteItems(TransactWriteItemsInput) -> TransactWriteItemsOutput,
    /// Removes labels.
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
