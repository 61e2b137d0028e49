//! DescribeTable: a table's definition and exact counts.

use crate::check::{Constraints, TableName};
use crate::engine::Engine;
use crate::layout::{self, Counter};
use crate::pending::internal;
use crate::table::{Index, IndexKind, IndexProjection, Table};
use keyfold_api::{
    ApiError, DescribeTableInput, IndexDescription, KeyType, ProjectionType, ScalarAttributeType,
    TableDescription, TableStatus,
};
use keyfold_codec::key::IndexId;
use keyfold_types::{KeyKind, KeySchema};
use std::collections::BTreeMap;

pub(crate) fn run(engine: &Engine, input: DescribeTableInput) -> Result<TableDescription, ApiError> {
    let mut constraints = Constraints::default();
    constraints.table("tableName", &input.table_name);
    constraints.finish()?;
    let given = TableName::new(input.table_name);
    let table = engine.table(given.name()).ok_or_else(|| ApiError::named_table_not_found(given.name()))?;
    describe(engine, &table, TableStatus::Active)
}

/// The description of a table in a status.
pub(crate) fn describe(
    engine: &Engine,
    table: &Table,
    status: TableStatus,
) -> Result<TableDescription, ApiError> {
    let options = engine.options();
    let table_arn = format!("arn:aws:dynamodb:{}:{}:table/{}", options.region, options.account, table.name);
    let count = |index: IndexId, counter: Counter| {
        let value = engine.store().counter(&layout::counter(table.id, index, counter)).map_err(internal)?;
        Ok::<u64, ApiError>(u64::try_from(value).unwrap_or(0))
    };
    let describe_index = |index: &Index| {
        Ok::<_, ApiError>(IndexDescription {
            index_name: index.name.clone(),
            index_arn: format!("{table_arn}/index/{}", index.name),
            key_schema: key_elements(&index.key),
            projection_type: match index.projection {
                IndexProjection::All => ProjectionType::All,
                IndexProjection::KeysOnly => ProjectionType::KeysOnly,
                IndexProjection::Include(_) => ProjectionType::Include,
            },
            non_key_attributes: match &index.projection {
                IndexProjection::Include(names) => names.clone(),
                IndexProjection::All | IndexProjection::KeysOnly => Vec::new(),
            },
            index_status: status,
            provisioned_throughput: index.throughput,
            item_count: count(index.id, Counter::Entries)?,
            index_size_bytes: count(index.id, Counter::Bytes)?,
        })
    };
    let of_kind = |kind| {
        // While a table goes away nothing is told of its indexes.
        let shown =
            table.indexes.iter().filter(|index| index.kind == kind && status != TableStatus::Deleting);
        shown.map(describe_index).collect::<Result<Vec<_>, ApiError>>()
    };
    Ok(TableDescription {
        table_name: table.name.clone(),
        table_id: table.uuid.clone(),
        table_status: status,
        creation_epoch_ms: table.creation_epoch_ms,
        attribute_definitions: definitions(table),
        key_schema: key_elements(&table.key),
        item_count: count(IndexId::BASE, Counter::Entries)?,
        table_size_bytes: count(IndexId::BASE, Counter::Bytes)?,
        billing_mode: table.billing_mode,
        provisioned_throughput: table.throughput,
        local_secondary_indexes: of_kind(IndexKind::Local)?,
        global_secondary_indexes: of_kind(IndexKind::Global)?,
        table_class: table.table_class,
        deletion_protection_enabled: table.deletion_protection,
        table_arn,
    })
}

fn key_elements(schema: &KeySchema) -> Vec<(String, KeyType)> {
    let partition = schema.partition.iter().map(|attribute| (attribute.name.clone(), KeyType::Hash));
    partition.chain(schema.sort.iter().map(|attribute| (attribute.name.clone(), KeyType::Range))).collect()
}

fn definitions(table: &Table) -> Vec<(String, ScalarAttributeType)> {
    let keys = std::iter::once(&table.key).chain(table.indexes.iter().map(|index| &index.key));
    let kinds: BTreeMap<String, ScalarAttributeType> = keys
        .flat_map(KeySchema::attributes)
        .map(|attribute| {
            let kind = match attribute.kind {
                KeyKind::S => ScalarAttributeType::S,
                KeyKind::N => ScalarAttributeType::N,
                KeyKind::B => ScalarAttributeType::B,
            };
            (attribute.name.clone(), kind)
        })
        .collect();
    kinds.into_iter().collect()
}
