//! RestoreTableFromBackup and RestoreTableToPointInTime: a new table, filled in the background.
//!
//! The new table has the key of the old one, and unless overridden its indexes and capacity. It does
//! not have its streams, time to live, tags, policies and protection.

use crate::base::error::internal;
use crate::base::pending::Pending;
use crate::catalog;
use crate::check::{Constraints, TableName};
use crate::core::Core;
use crate::core::tasks::Task;
use crate::ops::backups::{self, table_not_found};
use crate::ops::create_table::{self, encryption_key, identified};
use crate::ops::definition::{self, sentence, wrong};
use crate::ops::describe_table;
use crate::table::arn;
use crate::table::arn::Part;
use crate::table::{Capacity, Index, IndexKind, Restored, Settings, Table};
use crate::window::open_window;
use keyfold_api::{
    ApiError, BillingMode, ErrorKind, OnDemandThroughput, Operation, Present,
    ProvisionedThroughput, RestoreTableFromBackupInput, RestoreTableToPointInTimeInput,
    SecondaryIndex, SseSpecification, TableDescription, TableStatus, Validation, known,
};
use keyfold_codec::key::TableId;
use keyfold_store::Batch;
use std::sync::Arc;

/// The settings in which a restore may differ from its source.
struct Overrides<'i> {
    mode: Option<BillingMode>,
    globals: Option<&'i [SecondaryIndex]>,
    locals: Option<&'i [SecondaryIndex]>,
    throughput: Option<&'i ProvisionedThroughput>,
    on_demand: Option<&'i OnDemandThroughput>,
    encryption: Option<&'i SseSpecification>,
    vectors: Option<Present>,
    operation: Operation,
}

fn target(constraints: &mut Constraints, given: &Option<String>) -> Result<(), ApiError> {
    if given.as_ref().is_some_and(String::is_empty) {
        return sentence(
            "TableName must be at least 3 characters long and at most 255 characters long",
        );
    }
    constraints.table("targetTableName", given);
    Ok(())
}

pub(crate) fn from_backup(
    core: &Core,
    input: RestoreTableFromBackupInput,
) -> Pending<TableDescription> {
    restore_backup(core, &input).unwrap_or_else(|error| Pending::ready(Err(error)))
}

fn restore_backup(
    core: &Core,
    input: &RestoreTableFromBackupInput,
) -> Result<Pending<TableDescription>, ApiError> {
    let mut constraints = Constraints::default();
    target(&mut constraints, &input.target_table_name)?;
    constraints.required("backupArn", &input.backup_arn);
    constraints.word("billingModeOverride", &input.billing_mode_override);
    constraints.finish()?;
    let backup = backups::find(core, input.backup_arn.as_deref().unwrap_or_default())?;
    let backup_arn = core.arn(&backup.table.name, Part::Backup(&backup.label));
    if !backup.is_complete {
        return Err(backups::in_use(&backup_arn));
    }
    let restored = Restored {
        backup_arn: Some(backup_arn),
        table_arn: core.table_arn(&backup.table.name),
        source_uuid: None,
        epoch_ms: backup.creation_epoch_ms,
    };
    let overrides = Overrides {
        mode: known(&input.billing_mode_override),
        globals: input.global_secondary_index_override.as_deref(),
        locals: input.local_secondary_index_override.as_deref(),
        throughput: input.provisioned_throughput_override.as_ref(),
        on_demand: input.on_demand_throughput_override.as_ref(),
        encryption: input.sse_specification_override.as_ref(),
        vectors: input.vector_index_override,
        operation: Operation::RestoreTableFromBackup,
    };
    let target = input.target_table_name.clone();
    begin(core, &backup.table, target, restored, &overrides)
}

pub(crate) fn to_point_in_time(
    core: &Core,
    input: RestoreTableToPointInTimeInput,
) -> Pending<TableDescription> {
    restore_moment(core, &input).unwrap_or_else(|error| Pending::ready(Err(error)))
}

fn restore_moment(
    core: &Core,
    input: &RestoreTableToPointInTimeInput,
) -> Result<Pending<TableDescription>, ApiError> {
    let mut constraints = Constraints::default();
    target(&mut constraints, &input.target_table_name)?;
    if input.source_table_name.is_some() {
        constraints.table("sourceTableName", &input.source_table_name);
    }
    constraints.word("billingModeOverride", &input.billing_mode_override);
    constraints.finish()?;
    let given = source_name(input)?;
    let asked = asked_moment(input)?;
    let (table, epoch_ms) = {
        // Writers hold the catalog's lock from the time of a change until its staging. With the
        // lock, all changes of earlier times are staged.
        let tables = core.catalog().write();
        let table = tables
            .get(given.name())
            .cloned()
            .ok_or_else(|| table_not_found(given.name()))?;
        (table, asked.unwrap_or_else(|| core.moment()))
    };
    check_moment(core, &table, epoch_ms)?;
    let restored = Restored {
        backup_arn: None,
        table_arn: core.table_arn(&table.name),
        source_uuid: Some(table.uuid.clone()),
        epoch_ms,
    };
    let overrides = Overrides {
        mode: known(&input.billing_mode_override),
        globals: input.global_secondary_index_override.as_deref(),
        locals: input.local_secondary_index_override.as_deref(),
        throughput: input.provisioned_throughput_override.as_ref(),
        on_demand: input.on_demand_throughput_override.as_ref(),
        encryption: input.sse_specification_override.as_ref(),
        vectors: input.vector_index_override,
        operation: Operation::RestoreTableToPointInTime,
    };
    let target = input.target_table_name.clone();
    begin(core, &table, target, restored, &overrides)
}

/// The source table of a restore, by its name or ARN.
fn source_name(input: &RestoreTableToPointInTimeInput) -> Result<TableName, ApiError> {
    let (name, arn) = (&input.source_table_name, &input.source_table_arn);
    let both = name.as_deref().zip(arn.as_deref());
    if both.is_some_and(|(name, arn)| arn::named_table(name) != arn::named_table(arn)) {
        return sentence("SourceTableName and SourceTableArn are about different tables");
    }
    match name.clone().or_else(|| arn.clone()) {
        Some(source) => Ok(TableName::new(Some(source))),
        None => sentence("Either SourceTableName or SourceTableArn must be specified"),
    }
}

/// The moment that a request names; none for the latest.
fn asked_moment(input: &RestoreTableToPointInTimeInput) -> Result<Option<u64>, ApiError> {
    let is_latest = input.use_latest_restorable_time == Some(true);
    match (is_latest, input.restore_date_time) {
        (true, Some(_)) => {
            sentence("UseLatestRestorableTime and RestoreDateTime cannot be specified together")
        }
        (false, None) => {
            sentence("Either UseLatestRestorableTime or RestoreDateTime must be specified")
        }
        (true, None) => Ok(None),
        (false, Some(moment)) => Ok(Some(moment.0)),
    }
}

/// Refuses a moment outside the table's window.
fn check_moment(core: &Core, table: &Table, epoch_ms: u64) -> Result<(), ApiError> {
    let (first, last) = open_window(core, table)?;
    if (first..=last).contains(&epoch_ms) {
        return Ok(());
    }
    Err(ApiError::Plain(
        ErrorKind::InvalidRestoreTime,
        format!(
            "RestoreDateTime is out of range: the table can be restored to moments from {} to {} seconds since the epoch",
            first / 1000,
            last / 1000
        ),
    ))
}

fn begin(
    core: &Core,
    source: &Table,
    target: Option<String>,
    restored: Restored,
    overrides: &Overrides<'_>,
) -> Result<Pending<TableDescription>, ApiError> {
    if overrides.vectors.is_some() {
        let member = "VectorIndexOverride";
        return Err(Validation::Unsupported {
            member,
            operation: overrides.operation.name(),
        }
        .into());
    }
    check_overrides(overrides)?;
    let capacity = capacity(source, overrides)?;
    let mut indexes = Vec::new();
    for (kind, given) in [
        (IndexKind::Local, overrides.locals),
        (IndexKind::Global, overrides.globals),
    ] {
        indexes.extend(chosen(source, kind, given, &capacity)?);
    }
    definition::check_together(&indexes)?;
    let encryption_key = match overrides.encryption {
        None => source.settings.encryption_key.clone(),
        given => encryption_key(core, given)?,
    };
    let given = TableName::new(target);
    let table = Table {
        id: TableId(0),
        name: given.name().to_owned(),
        uuid: String::new(),
        creation_epoch_ms: 0,
        status: TableStatus::Creating,
        key: source.key.clone(),
        indexes,
        settings: Settings {
            capacity,
            table_class: source.settings.table_class,
            encryption_key,
            restored: Some(restored),
            ..Settings::default()
        },
    };
    let mut tables = core.catalog().write();
    if tables.contains_key(&table.name) {
        return Err(ApiError::Plain(
            ErrorKind::TableAlreadyExists,
            format!("Table already exists: {}", table.name),
        ));
    }
    let mut batch = Batch::new();
    let table = Arc::new(identified(core, &mut batch, table));
    catalog::put_record(&mut batch, &table);
    let description = describe_table::describe(core, &table, TableStatus::Creating)?;
    let ticket = core.store().stage(batch).map_err(internal)?;
    core.tasks().add(Task::Restore(Arc::clone(&table)));
    tables.insert(table.name.clone(), table);
    drop(tables);
    core.signal().wake();
    Ok(Pending::after(ticket, Ok(description)))
}

/// Checks the overrides that need no source.
fn check_overrides(overrides: &Overrides<'_>) -> Result<(), ApiError> {
    let mut constraints = Constraints::default();
    let path = "provisionedThroughputOverride";
    definition::check_throughput_constraints(&mut constraints, path, overrides.throughput);
    if let Some(encryption) = overrides.encryption {
        constraints.word("sSESpecificationOverride.sSEType", &encryption.sse_type);
    }
    let lists = [
        (
            "localSecondaryIndexOverride",
            overrides.locals,
            definition::KEY_ELEMENTS_MAX,
        ),
        (
            "globalSecondaryIndexOverride",
            overrides.globals,
            definition::INDEX_KEY_ELEMENTS_MAX,
        ),
    ];
    for (member, indexes, most) in lists {
        for (at, index) in indexes.into_iter().flatten().enumerate() {
            let path = format!("{member}.{}.member", at + 1);
            definition::check_index_constraints(&mut constraints, &path, index, most);
        }
    }
    constraints.finish()?;
    let locals = overrides.locals.filter(|list| !list.is_empty());
    create_table::check_counts(locals, overrides.globals.filter(|list| !list.is_empty()))
}

fn capacity(source: &Table, overrides: &Overrides<'_>) -> Result<Capacity, ApiError> {
    let before = &source.settings.capacity;
    let mode = overrides.mode.unwrap_or(before.mode);
    let units = match (mode, overrides.throughput) {
        (BillingMode::PayPerRequest, None) => (0, 0),
        (BillingMode::PayPerRequest, Some(_)) => {
            return wrong(definition::UNITS_ON_DEMAND);
        }
        (BillingMode::Provisioned, Some(given)) => definition::units(given),
        (BillingMode::Provisioned, None) if before.mode == BillingMode::Provisioned => before.units,
        (BillingMode::Provisioned, None) => {
            return wrong(definition::NO_UNITS);
        }
    };
    let on_demand_max = match overrides.on_demand {
        None if mode == before.mode => before.on_demand_max,
        given => definition::on_demand(given, mode, None)?,
    };
    Ok(Capacity {
        mode,
        units,
        on_demand_max,
        ..Capacity::default()
    })
}

/// The indexes of a kind: the source's, or the requested ones, each of which must equal one of the
/// source's but for its name.
fn chosen(
    source: &Table,
    kind: IndexKind,
    given: Option<&[SecondaryIndex]>,
    capacity: &Capacity,
) -> Result<Vec<Index>, ApiError> {
    let of_kind = || source.indexes.iter().filter(|index| index.kind == kind);
    let made = |index: &Index, name: String, units: (u64, u64)| Index {
        name,
        is_building: false,
        capacity: Capacity {
            mode: capacity.mode,
            units,
            ..Capacity::default()
        },
        ..index.clone()
    };
    let on_demand = capacity.mode == BillingMode::PayPerRequest;
    let Some(given) = given else {
        return of_kind()
            .map(|index| {
                let units = if on_demand {
                    (0, 0)
                } else {
                    index.capacity.units
                };
                if kind == IndexKind::Global && !on_demand && units == (0, 0) {
                    return wrong(format!(
                        "Must specify provisioned throughput for index {}",
                        index.name
                    ));
                }
                Ok(made(index, index.name.clone(), units))
            })
            .collect();
    };
    let kinds = source
        .indexes
        .iter()
        .map(|index| &index.key)
        .chain([&source.key])
        .flat_map(|key| key.attributes())
        .map(|attribute| (attribute.name.clone(), attribute.kind))
        .collect();
    given
        .iter()
        .map(|wanted| {
            let index = match kind {
                IndexKind::Local => definition::local_index(wanted, &kinds, &source.key)?,
                IndexKind::Global => definition::global_index(wanted, &kinds, capacity.mode)?,
            };
            let same = of_kind().find(|known| known.key == index.key && known.projection == index.projection);
            match same {
                Some(known) => Ok(made(known, index.name, index.capacity.units)),
                None => wrong(format!(
                    "Index {} does not match a secondary index that existed in the source table and cannot be created during the restore operation",
                    index.name
                )),
            }
        })
        .collect()
}
