//! The operations whose bodies are walks over shapes, both ways; the others are read and written by
//! hand.

/// Calls a macro with the operations whose inputs are shapes, those whose outputs are shapes as
/// well, and those that answer a table's description or nothing.
macro_rules! shaped_operations {
    ($callback:ident) => {
        $callback! {
            both {
                CreateBackup DeleteBackup DeleteResourcePolicy DescribeBackup DescribeContinuousBackups
                DescribeContributorInsights DescribeEndpoints DescribeExport DescribeImport DescribeLimits
                DescribeStream DescribeTimeToLive ExportTableToPointInTime GetRecords GetResourcePolicy
                GetShardIterator ImportTable ListBackups ListContributorInsights ListExports ListImports
                ListStreams ListTables ListTagsOfResource PutResourcePolicy UpdateContinuousBackups
                UpdateContributorInsights UpdateTimeToLive
            }
            described {
                CreateTable DeleteTable RestoreTableFromBackup RestoreTableToPointInTime UpdateTable
            }
            empty { TagResource UntagResource }
        }
    };
}
pub(crate) use shaped_operations;
