//! DescribeTable: a table's definition and exact counts.

use crate::base::error::internal;
use crate::base::layout::{self, Counter};
use crate::base::time::DAY_MS;
use crate::check::{Constraints, TableName};
use crate::core::Core;
use crate::table::arn::Part;
use crate::table::{
    ActiveStream, Capacity, Failure, Index, IndexKind, IndexProjection, Restored, Table,
    WARM_ON_DEMAND,
};
use keyfold_api::{
    ApiError, ArchivalSummary, AttributeDefinition, BillingMode, BillingModeSummary,
    DescribeTableInput, IndexDescription, IndexWarmThroughput, KeySchemaElement, KeyType, Moment,
    OnDemandThroughput, Projection, ProjectionType, ProvisionedThroughputDescription,
    RestoreSummary, ScalarAttributeType, SseDescription, SseStatus, SseType, StreamSpecification,
    TableClassSummary, TableDescription, TableStatus, TableWarmThroughputDescription,
};
use keyfold_codec::key::IndexId;
use keyfold_types::{KeyKind, KeySchema};
use std::collections::BTreeMap;

pub(crate) fn run(core: &Core, input: DescribeTableInput) -> Result<TableDescription, ApiError> {
    let mut constraints = Constraints::default();
    constraints.control_table(&input.table_name)?;
    constraints.finish()?;
    let table = core.any_table(TableName::new(input.table_name).name())?;
    describe(core, &table, table.status)
}

fn number(value: u64) -> Option<i64> {
    Some(i64::try_from(value).unwrap_or(i64::MAX))
}

fn restoration(table: &Table, restored: &Restored) -> RestoreSummary {
    RestoreSummary {
        source_backup_arn: restored.backup_arn.clone(),
        source_table_arn: Some(restored.table_arn.clone()),
        restore_date_time: Some(Moment(restored.epoch_ms)),
        restore_in_progress: Some(table.status == TableStatus::Creating),
    }
}

/// The failure of a restored table, which cannot be used.
fn archival(failure: &Failure) -> ArchivalSummary {
    ArchivalSummary {
        archival_date_time: Some(Moment(failure.epoch_ms)),
        archival_reason: Some(failure.reason.clone()),
        archival_backup_arn: None,
    }
}

/// The description of a table in a status.
pub(crate) fn describe(
    core: &Core,
    table: &Table,
    status: TableStatus,
) -> Result<TableDescription, ApiError> {
    let table_arn = core.table_arn(&table.name);
    let settings = &table.settings;
    let warm_throughput = (status != TableStatus::Deleting).then(|| {
        let (read, write) = warm(&settings.capacity, settings.capacity.mode);
        TableWarmThroughputDescription {
            read_units_per_second: number(read),
            write_units_per_second: number(write),
            status: Some(TableStatus::Active.into()),
        }
    });
    let restored = settings.restored.as_ref();
    let stream_arn = |label: &String| format!("{table_arn}{}", Part::Stream(label));
    Ok(TableDescription {
        attribute_definitions: Some(definitions(table)),
        table_name: Some(table.name.clone()),
        key_schema: key_elements(&table.key),
        table_status: Some(status.into()),
        creation_date_time: Some(Moment(table.creation_epoch_ms)),
        provisioned_throughput: Some(throughput(&settings.capacity, core.now_ms())),
        table_size_bytes: count(core, table, IndexId::BASE, Counter::Bytes)?,
        item_count: count(core, table, IndexId::BASE, Counter::Entries)?,
        table_id: Some(table.uuid.clone()),
        billing_mode_summary: billing(&settings.capacity, status),
        local_secondary_indexes: indexes(core, table, IndexKind::Local, status)?,
        global_secondary_indexes: indexes(core, table, IndexKind::Global, status)?,
        stream_specification: settings.stream.as_ref().map(stream_specification),
        latest_stream_label: settings.latest_stream.clone(),
        latest_stream_arn: settings.latest_stream.as_ref().map(stream_arn),
        restore_summary: restored.map(|restored| restoration(table, restored)),
        archival_summary: settings.failure.as_ref().map(archival),
        sse_description: settings.encryption_key.as_deref().map(encryption),
        table_class_summary: class_summary(table, status),
        deletion_protection_enabled: Some(settings.deletion_protection),
        on_demand_throughput: on_demand(&settings.capacity),
        warm_throughput,
        table_arn: Some(table_arn),
        ..TableDescription::default()
    })
}

/// The descriptions of the indexes of a kind; none without indexes.
fn indexes(
    core: &Core,
    table: &Table,
    kind: IndexKind,
    status: TableStatus,
) -> Result<Option<Vec<IndexDescription>>, ApiError> {
    // The description of a table that is being deleted has no indexes.
    if status == TableStatus::Deleting {
        return Ok(None);
    }
    let of_kind = table.indexes.iter().filter(|index| index.kind == kind);
    let described: Vec<IndexDescription> = of_kind
        .map(|index| describe_index(core, table, index, status))
        .collect::<Result<_, _>>()?;
    Ok((!described.is_empty()).then_some(described))
}

fn describe_index(
    core: &Core,
    table: &Table,
    index: &Index,
    status: TableStatus,
) -> Result<IndexDescription, ApiError> {
    let is_global = index.kind == IndexKind::Global;
    let is_backfilling =
        (is_global && index.is_building).then_some(status != TableStatus::Updating);
    let warm_throughput = is_global.then(|| {
        let (read, write) = warm(&index.capacity, table.settings.capacity.mode);
        IndexWarmThroughput {
            read_units_per_second: number(read),
            write_units_per_second: number(write),
            status: Some(TableStatus::Active.into()),
        }
    });
    Ok(IndexDescription {
        index_name: Some(index.name.clone()),
        key_schema: key_elements(&index.key),
        projection: Some(projection(&index.projection)),
        index_status: is_global.then_some(index_status(index, status).into()),
        backfilling: is_backfilling,
        provisioned_throughput: is_global.then(|| throughput(&index.capacity, 0)),
        index_size_bytes: count(core, table, index.id, Counter::Bytes)?,
        item_count: count(core, table, index.id, Counter::Entries)?,
        index_arn: Some(core.arn(&table.name, Part::Index(&index.name))),
        on_demand_throughput: on_demand(&index.capacity),
        warm_throughput,
    })
}

/// A counter of a table or index.
fn count(
    core: &Core,
    table: &Table,
    index: IndexId,
    counter: Counter,
) -> Result<Option<i64>, ApiError> {
    let place = layout::counter(table.id, index, counter);
    let value = core.store().counter(&place).map_err(internal)?;
    Ok(Some(value.max(0)))
}

/// The setting of an open stream.
pub(crate) fn stream_specification(stream: &ActiveStream) -> StreamSpecification {
    StreamSpecification {
        stream_enabled: Some(true),
        stream_view_type: Some(stream.view.into()),
    }
}

fn encryption(key: &str) -> SseDescription {
    SseDescription {
        status: Some(SseStatus::Enabled.into()),
        sse_type: Some(SseType::Kms.into()),
        kms_master_key_arn: Some(key.to_owned()),
        ..SseDescription::default()
    }
}

fn class_summary(table: &Table, status: TableStatus) -> Option<TableClassSummary> {
    let (class, since) = table.settings.table_class?;
    let is_changed = status != TableStatus::Creating && since != table.creation_epoch_ms;
    Some(TableClassSummary {
        table_class: Some(class.into()),
        last_update_date_time: is_changed.then_some(Moment(since)),
    })
}

fn index_status(index: &Index, table: TableStatus) -> TableStatus {
    match table {
        TableStatus::Creating | TableStatus::Deleting => table,
        TableStatus::Active
        | TableStatus::Updating
        | TableStatus::InaccessibleEncryptionCredentials
        | TableStatus::Archiving
        | TableStatus::Archived
        | TableStatus::ReplicationNotAuthorized => {
            if index.is_building {
                TableStatus::Creating
            } else {
                TableStatus::Active
            }
        }
    }
}

/// The warm throughput in read and write units a second.
pub(crate) fn warm(capacity: &Capacity, mode: BillingMode) -> (u64, u64) {
    let (read, write) = capacity.warm.unwrap_or((0, 0));
    let (least_read, least_write) = match mode {
        BillingMode::PayPerRequest => WARM_ON_DEMAND,
        BillingMode::Provisioned => capacity.units,
    };
    (read.max(least_read), write.max(least_write))
}

fn billing(capacity: &Capacity, status: TableStatus) -> Option<BillingModeSummary> {
    let shown = capacity.mode == BillingMode::PayPerRequest || capacity.on_demand_since.is_some();
    shown.then(|| BillingModeSummary {
        billing_mode: Some(capacity.mode.into()),
        last_update_to_pay_per_request_date_time: capacity
            .on_demand_since
            .filter(|_| status != TableStatus::Creating)
            .map(Moment),
    })
}

fn on_demand(capacity: &Capacity) -> Option<OnDemandThroughput> {
    let units =
        |max: Option<u64>| Some(max.map_or(-1, |max| i64::try_from(max).unwrap_or(i64::MAX)));
    (capacity.on_demand_max != (None, None)).then(|| OnDemandThroughput {
        max_read_request_units: units(capacity.on_demand_max.0),
        max_write_request_units: units(capacity.on_demand_max.1),
    })
}

fn throughput(capacity: &Capacity, now_ms: u64) -> ProvisionedThroughputDescription {
    let (day, decreases) = capacity.decreases;
    ProvisionedThroughputDescription {
        last_increase_date_time: capacity.last_increase.map(Moment),
        last_decrease_date_time: capacity.last_decrease.map(Moment),
        number_of_decreases_today: number(if day == now_ms / DAY_MS { decreases } else { 0 }),
        read_capacity_units: number(capacity.units.0),
        write_capacity_units: number(capacity.units.1),
    }
}

fn projection(projection: &IndexProjection) -> Projection {
    let (kind, names) = match projection {
        IndexProjection::All => (ProjectionType::All, None),
        IndexProjection::KeysOnly => (ProjectionType::KeysOnly, None),
        IndexProjection::Include(names) => (ProjectionType::Include, Some(names.clone())),
    };
    Projection {
        projection_type: Some(kind.into()),
        non_key_attributes: names,
    }
}

/// A key schema as the API shows it.
pub(crate) fn key_elements(schema: &KeySchema) -> Option<Vec<KeySchemaElement>> {
    let element = |part: KeyType| {
        move |attribute: &keyfold_types::KeyAttribute| KeySchemaElement {
            attribute_name: Some(attribute.name.clone()),
            key_type: Some(part.into()),
        }
    };
    let partition = schema.partition.iter().map(element(KeyType::Hash));
    Some(
        partition
            .chain(schema.sort.iter().map(element(KeyType::Range)))
            .collect(),
    )
}

/// The key attributes of table and indexes, by name.
pub(crate) fn definitions(table: &Table) -> Vec<AttributeDefinition> {
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
    let definition = |(name, kind): (String, ScalarAttributeType)| AttributeDefinition {
        attribute_name: Some(name),
        attribute_type: Some(kind.into()),
    };
    kinds.into_iter().map(definition).collect()
}
