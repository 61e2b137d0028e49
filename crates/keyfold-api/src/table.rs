//! Inputs, outputs and parts of the operations on tables.

use crate::Named;
use crate::named::words;

words! {
    /// Which part of a key an attribute is.
    KeyType {
        /// Partition key.
        Hash = "HASH",
        /// Sort key.
        Range = "RANGE",
    }
}

words! {
    /// The type of a key attribute.
    ScalarAttributeType {
        /// String.
        S = "S",
        /// Number.
        N = "N",
        /// Binary.
        B = "B",
    }
}

words! {
    /// How capacity is paid for.
    BillingMode {
        /// By units set beforehand.
        Provisioned = "PROVISIONED",
        /// By request.
        PayPerRequest = "PAY_PER_REQUEST",
    }
}

words! {
    /// Which attributes an index holds.
    ProjectionType {
        /// All.
        All = "ALL",
        /// Keys of table and index.
        KeysOnly = "KEYS_ONLY",
        /// Keys and the named ones.
        Include = "INCLUDE",
    }
}

words! {
    /// What storage and requests cost.
    TableClass {
        /// The default.
        Standard = "STANDARD",
        /// Cheaper storage, dearer requests.
        StandardInfrequentAccess = "STANDARD_INFREQUENT_ACCESS",
    }
}

words! {
    /// Where a table or index is in its life.
    TableStatus {
        /// Being made.
        Creating = "CREATING",
        /// Being changed.
        Updating = "UPDATING",
        /// Being removed.
        Deleting = "DELETING",
        /// Ready.
        Active = "ACTIVE",
    }
}

/// A key attribute and its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeDefinition {
    /// The attribute.
    pub attribute_name: Option<String>,
    /// Its type.
    pub attribute_type: Option<Named<ScalarAttributeType>>,
}

/// One attribute of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeySchemaElement {
    /// The attribute.
    pub attribute_name: Option<String>,
    /// Its part.
    pub key_type: Option<Named<KeyType>>,
}

/// Which attributes an index holds besides the keys.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Projection {
    /// All, none, or the named ones.
    pub projection_type: Option<Named<ProjectionType>>,
    /// The named ones.
    pub non_key_attributes: Option<Vec<String>>,
}

/// Units a second.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProvisionedThroughput {
    /// Read units a second.
    pub read_capacity_units: Option<i64>,
    /// Write units a second.
    pub write_capacity_units: Option<i64>,
}

/// A secondary index to create; a local one ignores the throughput.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SecondaryIndex {
    /// The index's name.
    pub index_name: Option<String>,
    /// Its key.
    pub key_schema: Option<Vec<KeySchemaElement>>,
    /// What it holds.
    pub projection: Option<Projection>,
    /// Its own throughput (global indexes of provisioned tables).
    pub provisioned_throughput: Option<ProvisionedThroughput>,
}

/// A label of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// The key.
    pub key: Option<String>,
    /// The value.
    pub value: Option<String>,
}

/// Creates a table with its indexes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CreateTableInput {
    /// The name.
    pub table_name: Option<String>,
    /// The types of all key attributes.
    pub attribute_definitions: Option<Vec<AttributeDefinition>>,
    /// The table's key.
    pub key_schema: Option<Vec<KeySchemaElement>>,
    /// Indexes with the table's partition key.
    pub local_secondary_indexes: Option<Vec<SecondaryIndex>>,
    /// Indexes with keys of their own.
    pub global_secondary_indexes: Option<Vec<SecondaryIndex>>,
    /// PROVISIONED (default) or PAY_PER_REQUEST.
    pub billing_mode: Option<Named<BillingMode>>,
    /// Units of a provisioned table.
    pub provisioned_throughput: Option<ProvisionedThroughput>,
    /// STANDARD (default) or infrequent access.
    pub table_class: Option<Named<TableClass>>,
    /// Whether DeleteTable is refused.
    pub deletion_protection_enabled: Option<bool>,
    /// Labels.
    pub tags: Option<Vec<Tag>>,
    /// Members with a value that this version does not carry out, by name.
    pub unsupported: Vec<&'static str>,
}

/// Names a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DescribeTableInput {
    /// Table name or ARN.
    pub table_name: Option<String>,
}

/// Deletes a table and all its items.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeleteTableInput {
    /// Table name or ARN.
    pub table_name: Option<String>,
}

/// Lists table names.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListTablesInput {
    /// List names after this one.
    pub exclusive_start_table_name: Option<String>,
    /// Names at the most: 1 to 100.
    pub limit: Option<i64>,
}

/// What DescribeTable tells of a key attribute: name and part.
pub type KeyElement = (String, KeyType);

/// A table's present state.
#[derive(Debug, Clone, PartialEq)]
pub struct TableDescription {
    /// The name.
    pub table_name: String,
    /// The full name.
    pub table_arn: String,
    /// A UUID.
    pub table_id: String,
    /// Where it is in its life.
    pub table_status: TableStatus,
    /// When it was made, milliseconds since the epoch.
    pub creation_epoch_ms: u64,
    /// The key attributes of table and indexes, and their types.
    pub attribute_definitions: Vec<(String, ScalarAttributeType)>,
    /// The table's key.
    pub key_schema: Vec<KeyElement>,
    /// Items in the table.
    pub item_count: u64,
    /// Bytes of those items.
    pub table_size_bytes: u64,
    /// How capacity is paid for.
    pub billing_mode: BillingMode,
    /// Units of a provisioned table; 0 otherwise.
    pub provisioned_throughput: (u64, u64),
    /// Local indexes.
    pub local_secondary_indexes: Vec<IndexDescription>,
    /// Global indexes.
    pub global_secondary_indexes: Vec<IndexDescription>,
    /// The table class, if it was ever set.
    pub table_class: Option<TableClass>,
    /// Whether DeleteTable is refused.
    pub deletion_protection_enabled: bool,
}

/// An index's present state.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexDescription {
    /// The name.
    pub index_name: String,
    /// The full name.
    pub index_arn: String,
    /// Its key.
    pub key_schema: Vec<KeyElement>,
    /// What it holds.
    pub projection_type: ProjectionType,
    /// The named attributes of an INCLUDE projection.
    pub non_key_attributes: Vec<String>,
    /// Where it is in its life (global indexes).
    pub index_status: TableStatus,
    /// Units of a global index of a provisioned table; 0 otherwise.
    pub provisioned_throughput: (u64, u64),
    /// Entries in the index.
    pub item_count: u64,
    /// Bytes of those entries.
    pub index_size_bytes: u64,
}

/// A page of table names, ascending.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListTablesOutput {
    /// The names.
    pub table_names: Vec<String>,
    /// The last of them, when more follow.
    pub last_evaluated_table_name: Option<String>,
}
