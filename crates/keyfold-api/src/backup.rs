//! Shapes of backups, point-in-time recovery and restores.

use crate::Named;
use crate::named::words;
use crate::settings::TimeToLiveDescription;
use crate::shape::{Moment, Present, shapes};
use crate::table::{
    BillingMode, KeySchemaElement, OnDemandThroughput, ProvisionedThroughput, SecondaryIndex,
    SseDescription, SseSpecification, StreamSpecification,
};

words! {
    /// The status of continuous backups, which are always on.
    ContinuousBackupsStatus {
        /// `ENABLED`.
        Enabled = "ENABLED",
        /// `DISABLED`.
        Disabled = "DISABLED",
    }
}

words! {
    /// The status of point-in-time recovery.
    PointInTimeRecoveryStatus {
        /// `ENABLED`.
        Enabled = "ENABLED",
        /// `DISABLED`.
        Disabled = "DISABLED",
    }
}

words! {
    /// The status of a backup.
    BackupStatus {
        /// `CREATING`.
        Creating = "CREATING",
        /// `DELETED`.
        Deleted = "DELETED",
        /// `AVAILABLE`.
        Available = "AVAILABLE",
    }
}

words! {
    /// The origin of a backup: a user or the service.
    BackupType {
        /// `USER`.
        User = "USER",
        /// `SYSTEM`.
        System = "SYSTEM",
        /// `AWS_BACKUP`.
        AwsBackup = "AWS_BACKUP",
    }
}

words! {
    /// The backups to list.
    BackupTypeFilter {
        /// `USER`.
        User = "USER",
        /// `SYSTEM`.
        System = "SYSTEM",
        /// `AWS_BACKUP`.
        AwsBackup = "AWS_BACKUP",
        /// `ALL`.
        All = "ALL",
    }
}

shapes! {
    /// Requests the setting of point-in-time recovery.
    DescribeContinuousBackupsInput {
        table_name: String = "TableName",
    }

    /// The setting of point-in-time recovery, and the restorable times.
    PointInTimeRecoveryDescription {
        point_in_time_recovery_status: Named<PointInTimeRecoveryStatus> = "PointInTimeRecoveryStatus",
        recovery_period_in_days: i64 = "RecoveryPeriodInDays",
        earliest_restorable_date_time: Moment = "EarliestRestorableDateTime",
        latest_restorable_date_time: Moment = "LatestRestorableDateTime",
    }

    /// The setting of continuous backups.
    ContinuousBackupsDescription {
        continuous_backups_status: Named<ContinuousBackupsStatus> = "ContinuousBackupsStatus",
        point_in_time_recovery_description: PointInTimeRecoveryDescription = "PointInTimeRecoveryDescription",
    }

    /// The setting of continuous backups.
    DescribeContinuousBackupsOutput {
        continuous_backups_description: ContinuousBackupsDescription = "ContinuousBackupsDescription",
    }

    /// The requested setting of point-in-time recovery.
    PointInTimeRecoverySpecification {
        point_in_time_recovery_enabled: bool = "PointInTimeRecoveryEnabled",
        recovery_period_in_days: i64 = "RecoveryPeriodInDays",
    }

    /// Switches point-in-time recovery.
    UpdateContinuousBackupsInput {
        table_name: String = "TableName",
        point_in_time_recovery_specification: PointInTimeRecoverySpecification = "PointInTimeRecoverySpecification",
    }

    /// The setting of continuous backups.
    UpdateContinuousBackupsOutput {
        continuous_backups_description: ContinuousBackupsDescription = "ContinuousBackupsDescription",
    }

    /// Creates a backup of a table.
    CreateBackupInput {
        table_name: String = "TableName",
        backup_name: String = "BackupName",
    }

    /// A backup's state.
    BackupDetails {
        backup_arn: String = "BackupArn",
        backup_name: String = "BackupName",
        backup_size_bytes: i64 = "BackupSizeBytes",
        backup_status: Named<BackupStatus> = "BackupStatus",
        backup_type: Named<BackupType> = "BackupType",
        backup_creation_date_time: Moment = "BackupCreationDateTime",
        backup_expiry_date_time: Moment = "BackupExpiryDateTime",
    }

    /// The new backup.
    CreateBackupOutput {
        backup_details: BackupDetails = "BackupDetails",
    }

    /// Requests a backup's state.
    DescribeBackupInput {
        backup_arn: String = "BackupArn",
    }

    /// The table of a backup.
    SourceTableDetails {
        table_name: String = "TableName",
        table_id: String = "TableId",
        table_arn: String = "TableArn",
        table_size_bytes: i64 = "TableSizeBytes",
        key_schema: Vec<KeySchemaElement> = "KeySchema",
        table_creation_date_time: Moment = "TableCreationDateTime",
        provisioned_throughput: ProvisionedThroughput = "ProvisionedThroughput",
        on_demand_throughput: OnDemandThroughput = "OnDemandThroughput",
        item_count: i64 = "ItemCount",
        billing_mode: Named<BillingMode> = "BillingMode",
    }

    /// Further settings of the table.
    SourceTableFeatureDetails {
        local_secondary_indexes: Vec<SecondaryIndex> = "LocalSecondaryIndexes",
        global_secondary_indexes: Vec<SecondaryIndex> = "GlobalSecondaryIndexes",
        stream_description: StreamSpecification = "StreamDescription",
        time_to_live_description: TimeToLiveDescription = "TimeToLiveDescription",
        sse_description: SseDescription = "SSEDescription",
        vector_indexes: Present = "VectorIndexes",
    }

    /// A backup and its table.
    BackupDescription {
        backup_details: BackupDetails = "BackupDetails",
        source_table_details: SourceTableDetails = "SourceTableDetails",
        source_table_feature_details: SourceTableFeatureDetails = "SourceTableFeatureDetails",
    }

    /// A backup and its table.
    DescribeBackupOutput {
        backup_description: BackupDescription = "BackupDescription",
    }

    /// Lists backups.
    ListBackupsInput {
        table_name: String = "TableName",
        limit: i64 = "Limit",
        time_range_lower_bound: Moment = "TimeRangeLowerBound",
        time_range_upper_bound: Moment = "TimeRangeUpperBound",
        exclusive_start_backup_arn: String = "ExclusiveStartBackupArn",
        backup_type: Named<BackupTypeFilter> = "BackupType",
    }

    /// A backup's names and state.
    BackupSummary {
        table_name: String = "TableName",
        table_id: String = "TableId",
        table_arn: String = "TableArn",
        backup_arn: String = "BackupArn",
        backup_name: String = "BackupName",
        backup_creation_date_time: Moment = "BackupCreationDateTime",
        backup_expiry_date_time: Moment = "BackupExpiryDateTime",
        backup_status: Named<BackupStatus> = "BackupStatus",
        backup_type: Named<BackupType> = "BackupType",
        backup_size_bytes: i64 = "BackupSizeBytes",
    }

    /// A page of backups.
    ListBackupsOutput {
        backup_summaries: Vec<BackupSummary> = "BackupSummaries",
        last_evaluated_backup_arn: String = "LastEvaluatedBackupArn",
    }

    /// Deletes a backup.
    DeleteBackupInput {
        backup_arn: String = "BackupArn",
    }

    /// The deleted backup.
    DeleteBackupOutput {
        backup_description: BackupDescription = "BackupDescription",
    }

    /// Creates a table from a backup.
    RestoreTableFromBackupInput {
        target_table_name: String = "TargetTableName",
        backup_arn: String = "BackupArn",
        billing_mode_override: Named<BillingMode> = "BillingModeOverride",
        global_secondary_index_override: Vec<SecondaryIndex> = "GlobalSecondaryIndexOverride",
        local_secondary_index_override: Vec<SecondaryIndex> = "LocalSecondaryIndexOverride",
        provisioned_throughput_override: ProvisionedThroughput = "ProvisionedThroughputOverride",
        on_demand_throughput_override: OnDemandThroughput = "OnDemandThroughputOverride",
        sse_specification_override: SseSpecification = "SSESpecificationOverride",
        vector_index_override: Present = "VectorIndexOverride",
    }

    /// Creates a table from the state of another at a point in time.
    RestoreTableToPointInTimeInput {
        source_table_arn: String = "SourceTableArn",
        source_table_name: String = "SourceTableName",
        target_table_name: String = "TargetTableName",
        use_latest_restorable_time: bool = "UseLatestRestorableTime",
        restore_date_time: Moment = "RestoreDateTime",
        billing_mode_override: Named<BillingMode> = "BillingModeOverride",
        global_secondary_index_override: Vec<SecondaryIndex> = "GlobalSecondaryIndexOverride",
        local_secondary_index_override: Vec<SecondaryIndex> = "LocalSecondaryIndexOverride",
        provisioned_throughput_override: ProvisionedThroughput = "ProvisionedThroughputOverride",
        on_demand_throughput_override: OnDemandThroughput = "OnDemandThroughputOverride",
        sse_specification_override: SseSpecification = "SSESpecificationOverride",
        vector_index_override: Present = "VectorIndexOverride",
    }
}
