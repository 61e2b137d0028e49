//! Shapes of the operations on tables.

use crate::Named;
use crate::named::{known, words};
use crate::shape::{Moment, Present, shapes};

words! {
    /// The type of a key attribute.
    ScalarAttributeType {
        /// `B`.
        B = "B",
        /// `N`.
        N = "N",
        /// `S`.
        S = "S",
    }
}

words! {
    /// The part of a key that an attribute is.
    KeyType {
        /// `HASH`.
        Hash = "HASH",
        /// `RANGE`.
        Range = "RANGE",
    }
}

words! {
    /// The kind of an index's projection.
    ProjectionType {
        /// `ALL`.
        All = "ALL",
        /// `KEYS_ONLY`.
        KeysOnly = "KEYS_ONLY",
        /// `INCLUDE`.
        Include = "INCLUDE",
    }
}

words! {
    /// The billing mode.
    BillingMode {
        /// `PROVISIONED`.
        Provisioned = "PROVISIONED",
        /// `PAY_PER_REQUEST`.
        PayPerRequest = "PAY_PER_REQUEST",
    }
}

words! {
    /// The item in a stream record: its key, and its images.
    StreamViewType {
        /// `OLD_IMAGE`.
        OldImage = "OLD_IMAGE",
        /// `KEYS_ONLY`.
        KeysOnly = "KEYS_ONLY",
        /// `NEW_AND_OLD_IMAGES`.
        NewAndOldImages = "NEW_AND_OLD_IMAGES",
        /// `NEW_IMAGE`.
        NewImage = "NEW_IMAGE",
    }
}

words! {
    /// The kind of the encryption key.
    SseType {
        /// `AES256`.
        Aes256 = "AES256",
        /// `KMS`.
        Kms = "KMS",
    }
}

words! {
    /// The class of a table's prices.
    TableClass {
        /// `STANDARD`.
        Standard = "STANDARD",
        /// `STANDARD_INFREQUENT_ACCESS`.
        StandardInfrequentAccess = "STANDARD_INFREQUENT_ACCESS",
    }
}

words! {
    /// The status of a table or index.
    TableStatus {
        /// `CREATING`.
        Creating = "CREATING",
        /// `UPDATING`.
        Updating = "UPDATING",
        /// `DELETING`.
        Deleting = "DELETING",
        /// `ACTIVE`.
        Active = "ACTIVE",
        /// `INACCESSIBLE_ENCRYPTION_CREDENTIALS`.
        InaccessibleEncryptionCredentials = "INACCESSIBLE_ENCRYPTION_CREDENTIALS",
        /// `ARCHIVING`.
        Archiving = "ARCHIVING",
        /// `ARCHIVED`.
        Archived = "ARCHIVED",
        /// `REPLICATION_NOT_AUTHORIZED`.
        ReplicationNotAuthorized = "REPLICATION_NOT_AUTHORIZED",
    }
}

words! {
    /// The status of encryption.
    SseStatus {
        /// `ENABLING`.
        Enabling = "ENABLING",
        /// `ENABLED`.
        Enabled = "ENABLED",
        /// `DISABLING`.
        Disabling = "DISABLING",
        /// `DISABLED`.
        Disabled = "DISABLED",
        /// `UPDATING`.
        Updating = "UPDATING",
    }
}

shapes! {
    /// A key attribute and its type.
    AttributeDefinition {
        attribute_name: String = "AttributeName",
        attribute_type: Named<ScalarAttributeType> = "AttributeType",
    }

    /// One attribute of a key.
    KeySchemaElement {
        attribute_name: String = "AttributeName",
        key_type: Named<KeyType> = "KeyType",
    }

    /// The attributes of an index besides the keys.
    Projection {
        projection_type: Named<ProjectionType> = "ProjectionType",
        non_key_attributes: Vec<String> = "NonKeyAttributes",
    }

    /// Units a second.
    ProvisionedThroughput {
        read_capacity_units: i64 = "ReadCapacityUnits",
        write_capacity_units: i64 = "WriteCapacityUnits",
    }

    /// The most units a second of an on-demand table; -1 for no limit.
    OnDemandThroughput {
        max_read_request_units: i64 = "MaxReadRequestUnits",
        max_write_request_units: i64 = "MaxWriteRequestUnits",
    }

    /// Units a second that a table serves without scaling.
    WarmThroughput {
        read_units_per_second: i64 = "ReadUnitsPerSecond",
        write_units_per_second: i64 = "WriteUnitsPerSecond",
    }

    /// A secondary index to create; a local one has no throughput of its own.
    SecondaryIndex {
        index_name: String = "IndexName",
        key_schema: Vec<KeySchemaElement> = "KeySchema",
        projection: Projection = "Projection",
        provisioned_throughput: ProvisionedThroughput = "ProvisionedThroughput",
        on_demand_throughput: OnDemandThroughput = "OnDemandThroughput",
        warm_throughput: WarmThroughput = "WarmThroughput",
    }

    /// The setting of a table's stream.
    StreamSpecification {
        stream_enabled: bool = "StreamEnabled",
        stream_view_type: Named<StreamViewType> = "StreamViewType",
    }

    /// Encryption of a table at rest.
    SseSpecification {
        enabled: bool = "Enabled",
        sse_type: Named<SseType> = "SSEType",
        kms_master_key_id: String = "KMSMasterKeyId",
    }

    /// A tag of a resource.
    Tag {
        key: String = "Key",
        value: String = "Value",
    }

    /// Creates a table with its indexes.
    CreateTableInput {
        attribute_definitions: Vec<AttributeDefinition> = "AttributeDefinitions",
        table_name: String = "TableName",
        key_schema: Vec<KeySchemaElement> = "KeySchema",
        local_secondary_indexes: Vec<SecondaryIndex> = "LocalSecondaryIndexes",
        global_secondary_indexes: Vec<SecondaryIndex> = "GlobalSecondaryIndexes",
        billing_mode: Named<BillingMode> = "BillingMode",
        provisioned_throughput: ProvisionedThroughput = "ProvisionedThroughput",
        stream_specification: StreamSpecification = "StreamSpecification",
        sse_specification: SseSpecification = "SSESpecification",
        tags: Vec<Tag> = "Tags",
        table_class: Named<TableClass> = "TableClass",
        deletion_protection_enabled: bool = "DeletionProtectionEnabled",
        warm_throughput: WarmThroughput = "WarmThroughput",
        resource_policy: String = "ResourcePolicy",
        on_demand_throughput: OnDemandThroughput = "OnDemandThroughput",
        global_table_source_arn: Present = "GlobalTableSourceArn",
        global_table_settings_replication_mode: Present = "GlobalTableSettingsReplicationMode",
        vector_indexes: Present = "VectorIndexes",
    }

    /// Units a second, and the times of their last changes.
    ProvisionedThroughputDescription {
        last_increase_date_time: Moment = "LastIncreaseDateTime",
        last_decrease_date_time: Moment = "LastDecreaseDateTime",
        number_of_decreases_today: i64 = "NumberOfDecreasesToday",
        read_capacity_units: i64 = "ReadCapacityUnits",
        write_capacity_units: i64 = "WriteCapacityUnits",
    }

    /// The billing mode, and the time of its last change.
    BillingModeSummary {
        billing_mode: Named<BillingMode> = "BillingMode",
        last_update_to_pay_per_request_date_time: Moment = "LastUpdateToPayPerRequestDateTime",
    }

    /// Units a second that an index serves without scaling.
    IndexWarmThroughput {
        read_units_per_second: i64 = "ReadUnitsPerSecond",
        write_units_per_second: i64 = "WriteUnitsPerSecond",
        status: Named<TableStatus> = "Status",
    }

    /// An index's present state; a local one has fewer members.
    IndexDescription {
        index_name: String = "IndexName",
        key_schema: Vec<KeySchemaElement> = "KeySchema",
        projection: Projection = "Projection",
        index_status: Named<TableStatus> = "IndexStatus",
        backfilling: bool = "Backfilling",
        provisioned_throughput: ProvisionedThroughputDescription = "ProvisionedThroughput",
        index_size_bytes: i64 = "IndexSizeBytes",
        item_count: i64 = "ItemCount",
        index_arn: String = "IndexArn",
        on_demand_throughput: OnDemandThroughput = "OnDemandThroughput",
        warm_throughput: IndexWarmThroughput = "WarmThroughput",
    }

    /// The source of a restored table.
    RestoreSummary {
        source_backup_arn: String = "SourceBackupArn",
        source_table_arn: String = "SourceTableArn",
        restore_date_time: Moment = "RestoreDateTime",
        restore_in_progress: bool = "RestoreInProgress",
    }

    /// The archival of a table.
    ArchivalSummary {
        archival_date_time: Moment = "ArchivalDateTime",
        archival_reason: String = "ArchivalReason",
        archival_backup_arn: String = "ArchivalBackupArn",
    }

    /// Encryption of a table at rest.
    SseDescription {
        status: Named<SseStatus> = "Status",
        sse_type: Named<SseType> = "SSEType",
        kms_master_key_arn: String = "KMSMasterKeyArn",
        inaccessible_encryption_date_time: Moment = "InaccessibleEncryptionDateTime",
    }

    /// The table class, and the time of its last change.
    TableClassSummary {
        table_class: Named<TableClass> = "TableClass",
        last_update_date_time: Moment = "LastUpdateDateTime",
    }

    /// Units a second that a table serves without scaling.
    TableWarmThroughputDescription {
        read_units_per_second: i64 = "ReadUnitsPerSecond",
        write_units_per_second: i64 = "WriteUnitsPerSecond",
        status: Named<TableStatus> = "Status",
    }

    /// A table's present state.
    TableDescription {
        attribute_definitions: Vec<AttributeDefinition> = "AttributeDefinitions",
        table_name: String = "TableName",
        key_schema: Vec<KeySchemaElement> = "KeySchema",
        table_status: Named<TableStatus> = "TableStatus",
        creation_date_time: Moment = "CreationDateTime",
        provisioned_throughput: ProvisionedThroughputDescription = "ProvisionedThroughput",
        table_size_bytes: i64 = "TableSizeBytes",
        item_count: i64 = "ItemCount",
        table_arn: String = "TableArn",
        table_id: String = "TableId",
        billing_mode_summary: BillingModeSummary = "BillingModeSummary",
        local_secondary_indexes: Vec<IndexDescription> = "LocalSecondaryIndexes",
        global_secondary_indexes: Vec<IndexDescription> = "GlobalSecondaryIndexes",
        stream_specification: StreamSpecification = "StreamSpecification",
        latest_stream_label: String = "LatestStreamLabel",
        latest_stream_arn: String = "LatestStreamArn",
        global_table_version: String = "GlobalTableVersion",
        replicas: Present = "Replicas",
        global_table_witnesses: Present = "GlobalTableWitnesses",
        global_table_settings_replication_mode: Present = "GlobalTableSettingsReplicationMode",
        restore_summary: RestoreSummary = "RestoreSummary",
        sse_description: SseDescription = "SSEDescription",
        archival_summary: ArchivalSummary = "ArchivalSummary",
        table_class_summary: TableClassSummary = "TableClassSummary",
        deletion_protection_enabled: bool = "DeletionProtectionEnabled",
        disassociation_protection_enabled: bool = "DisassociationProtectionEnabled",
        on_demand_throughput: OnDemandThroughput = "OnDemandThroughput",
        warm_throughput: TableWarmThroughputDescription = "WarmThroughput",
        multi_region_consistency: Present = "MultiRegionConsistency",
        vector_indexes: Present = "VectorIndexes",
    }

    /// Changes an index's throughput.
    UpdateGlobalSecondaryIndexAction {
        index_name: String = "IndexName",
        provisioned_throughput: ProvisionedThroughput = "ProvisionedThroughput",
        on_demand_throughput: OnDemandThroughput = "OnDemandThroughput",
        warm_throughput: WarmThroughput = "WarmThroughput",
    }

    /// Deletes an index.
    DeleteGlobalSecondaryIndexAction {
        index_name: String = "IndexName",
    }

    /// One change of an index; exactly one member must be given.
    GlobalSecondaryIndexUpdate {
        update: UpdateGlobalSecondaryIndexAction = "Update",
        create: SecondaryIndex = "Create",
        delete: DeleteGlobalSecondaryIndexAction = "Delete",
    }

    /// Changes a table's settings or indexes.
    UpdateTableInput {
        attribute_definitions: Vec<AttributeDefinition> = "AttributeDefinitions",
        table_name: String = "TableName",
        billing_mode: Named<BillingMode> = "BillingMode",
        provisioned_throughput: ProvisionedThroughput = "ProvisionedThroughput",
        global_secondary_index_updates: Vec<GlobalSecondaryIndexUpdate> = "GlobalSecondaryIndexUpdates",
        stream_specification: StreamSpecification = "StreamSpecification",
        sse_specification: SseSpecification = "SSESpecification",
        replica_updates: Present = "ReplicaUpdates",
        table_class: Named<TableClass> = "TableClass",
        deletion_protection_enabled: bool = "DeletionProtectionEnabled",
        multi_region_consistency: Present = "MultiRegionConsistency",
        global_table_witness_updates: Present = "GlobalTableWitnessUpdates",
        on_demand_throughput: OnDemandThroughput = "OnDemandThroughput",
        warm_throughput: WarmThroughput = "WarmThroughput",
        global_table_settings_replication_mode: Present = "GlobalTableSettingsReplicationMode",
        disassociation_protection_enabled: bool = "DisassociationProtectionEnabled",
        vector_index_updates: Present = "VectorIndexUpdates",
    }

    /// Requests a table's present state.
    DescribeTableInput {
        table_name: String = "TableName",
    }

    /// Deletes a table and all its items.
    DeleteTableInput {
        table_name: String = "TableName",
    }

    /// Lists 1 to 100 table names after a given one.
    ListTablesInput {
        exclusive_start_table_name: String = "ExclusiveStartTableName",
        limit: i64 = "Limit",
    }

    /// A page of table names, ascending, and the last of them if more follow.
    ListTablesOutput {
        table_names: Vec<String> = "TableNames",
        last_evaluated_table_name: String = "LastEvaluatedTableName",
    }
}

/// A key attribute's name and part.
pub type KeyElement = (String, KeyType);

/// The attributes of a key schema.
fn elements(schema: &Option<Vec<KeySchemaElement>>) -> Vec<KeyElement> {
    let element = |element: &KeySchemaElement| {
        (
            element.attribute_name.clone().unwrap_or_default(),
            known(&element.key_type).unwrap_or(KeyType::Hash),
        )
    };
    schema.iter().flatten().map(element).collect()
}

impl TableDescription {
    /// The table's key: names and parts.
    pub fn key_elements(&self) -> Vec<KeyElement> {
        elements(&self.key_schema)
    }

    /// The key attributes of table and indexes, and their types.
    pub fn definitions(&self) -> Vec<(String, ScalarAttributeType)> {
        let definition = |definition: &AttributeDefinition| {
            let name = definition.attribute_name.clone().unwrap_or_default();
            (
                name,
                known(&definition.attribute_type).unwrap_or(ScalarAttributeType::S),
            )
        };
        self.attribute_definitions
            .iter()
            .flatten()
            .map(definition)
            .collect()
    }

    /// The status of the table.
    pub fn status(&self) -> Option<TableStatus> {
        known(&self.table_status)
    }
}

impl IndexDescription {
    /// The index's key: names and parts.
    pub fn key_elements(&self) -> Vec<KeyElement> {
        elements(&self.key_schema)
    }

    /// The projection, and the named attributes of INCLUDE.
    pub fn projected(&self) -> (ProjectionType, Vec<String>) {
        let projection = self.projection.clone().unwrap_or_default();
        let kind = known(&projection.projection_type).unwrap_or(ProjectionType::All);
        (kind, projection.non_key_attributes.unwrap_or_default())
    }
}
