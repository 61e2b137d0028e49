//! The list of operations whose bodies are walks over shapes. The others are encoded and decoded by
//! hand.

/// Calls a macro with all operations whose inputs are shapes: `both` have a shape as output as
/// well, `described` answer with a table's description, and `empty` with nothing.
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
