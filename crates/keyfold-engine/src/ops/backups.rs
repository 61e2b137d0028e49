//! CreateBackup, DescribeBackup, ListBackups, DeleteBackup.

use crate::base::error::{being_created, internal};
use crate::base::layout;
use crate::base::pending::Pending;
use crate::catalog;
use crate::check::{Constraints, TableName};
use crate::core::Core;
use crate::core::tasks::Task;
use crate::jobs;
use crate::ops::definition::sentence;
use crate::ops::describe_table;
use crate::table::Table;
use crate::table::arn;
use crate::table::arn::Part;
use crate::table::backup::Backup;
use keyfold_api::{
    ApiError, BackupDescription, BackupDetails, BackupStatus, BackupSummary, BackupType,
    BackupTypeFilter, CreateBackupInput, CreateBackupOutput, DeleteBackupInput, DeleteBackupOutput,
    DescribeBackupInput, DescribeBackupOutput, ErrorKind, IndexDescription, ListBackupsInput,
    ListBackupsOutput, Moment, ProvisionedThroughput, SecondaryIndex, SourceTableDetails,
    SourceTableFeatureDetails, TableStatus, TimeToLiveDescription, TimeToLiveStatus, known,
};
use keyfold_store::Batch;
use std::sync::Arc;

/// Backups of one answer at the most.
const PAGE_MAX: i64 = 100;

/// The TableNotFoundException of operations on backups, which replaces ResourceNotFoundException.
pub(crate) fn table_not_found(name: &str) -> ApiError {
    ApiError::Plain(ErrorKind::TableNotFound, format!("Table not found: {name}"))
}

fn not_found(arn: &str) -> ApiError {
    ApiError::Plain(
        ErrorKind::BackupNotFound,
        format!("Backup not found: {arn}"),
    )
}

/// The refusal to use a backup that is being created or restored.
pub(crate) fn in_use(arn: &str) -> ApiError {
    let message = format!("Backup is being created or restored: {arn}");
    ApiError::Plain(ErrorKind::BackupInUse, message)
}

pub(crate) fn create(core: &Core, input: CreateBackupInput) -> Pending<CreateBackupOutput> {
    created(core, input).unwrap_or_else(|error| Pending::ready(Err(error)))
}

fn created(core: &Core, input: CreateBackupInput) -> Result<Pending<CreateBackupOutput>, ApiError> {
    let mut constraints = Constraints::default();
    constraints.control_table(&input.table_name)?;
    constraints.required("backupName", &input.backup_name);
    if let Some(name) = &input.backup_name {
        constraints.name("backupName", name, name);
    }
    constraints.finish()?;
    let given = TableName::new(input.table_name);
    let mut tables = core.catalog().write();
    let table = tables
        .get(given.name())
        .cloned()
        .ok_or_else(|| table_not_found(given.name()))?;
    if !table.is_ready() {
        return Err(being_created(&table.name));
    }
    let mut batch = Batch::new();
    let asked_for = (input.backup_name.unwrap_or_default(), BackupType::User);
    let backup = jobs::backup::begin(core, &mut batch, &table, asked_for)?;
    let mut copied = Table::clone(&table);
    copied.settings.keeps_changes = true;
    catalog::put_record(&mut batch, &copied);
    let ticket = core.store().stage(batch).map_err(internal)?;
    let details = details(core, &backup);
    let backup = Arc::new(backup);
    core.tasks().add(Task::Backup(Arc::clone(&backup)));
    tables.insert(table.name.clone(), Arc::new(copied));
    core.catalog()
        .write_backups()
        .insert((table.name.clone(), backup.label.clone()), backup);
    drop(tables);
    core.signal().wake();
    Ok(Pending::after(
        ticket,
        Ok(CreateBackupOutput {
            backup_details: Some(details),
        }),
    ))
}

/// Finds the backup of an ARN.
pub(crate) fn find(core: &Core, arn: &str) -> Result<Arc<Backup>, ApiError> {
    let Some(key) = arn::backup(arn) else {
        return sentence("Invalid Backup ARN");
    };
    core.catalog()
        .backups()
        .get(&key)
        .cloned()
        .ok_or_else(|| not_found(arn))
}

fn number(value: u64) -> Option<i64> {
    i64::try_from(value).ok()
}

fn status(backup: &Backup) -> BackupStatus {
    if backup.is_complete {
        BackupStatus::Available
    } else {
        BackupStatus::Creating
    }
}

fn details(core: &Core, backup: &Backup) -> BackupDetails {
    BackupDetails {
        backup_arn: Some(core.arn(&backup.table.name, Part::Backup(&backup.label))),
        backup_name: Some(backup.name.clone()),
        backup_size_bytes: number(backup.size.1),
        backup_status: Some(status(backup).into()),
        backup_type: Some(backup.kind.into()),
        backup_creation_date_time: Some(Moment(backup.creation_epoch_ms)),
        backup_expiry_date_time: backup.expires_epoch_ms.map(Moment),
    }
}

fn description(core: &Core, backup: &Backup) -> Result<BackupDescription, ApiError> {
    let table = &backup.table;
    let described = describe_table::describe(core, table, TableStatus::Active)?;
    let units = ProvisionedThroughput {
        read_capacity_units: number(table.settings.capacity.units.0),
        write_capacity_units: number(table.settings.capacity.units.1),
    };
    let index = |index: IndexDescription| SecondaryIndex {
        index_name: index.index_name,
        key_schema: index.key_schema,
        projection: index.projection,
        provisioned_throughput: index
            .provisioned_throughput
            .map(|units| ProvisionedThroughput {
                read_capacity_units: units.read_capacity_units,
                write_capacity_units: units.write_capacity_units,
            }),
        on_demand_throughput: index.on_demand_throughput,
        warm_throughput: None,
    };
    let indexes = |given: Option<Vec<IndexDescription>>| {
        given.map(|given| given.into_iter().map(index).collect::<Vec<_>>())
    };
    let settings = &table.settings;
    Ok(BackupDescription {
        backup_details: Some(details(core, backup)),
        source_table_details: Some(SourceTableDetails {
            table_name: Some(table.name.clone()),
            table_id: Some(table.uuid.clone()),
            table_arn: described.table_arn,
            table_size_bytes: number(backup.size.1),
            key_schema: described.key_schema,
            table_creation_date_time: Some(Moment(table.creation_epoch_ms)),
            provisioned_throughput: Some(units),
            on_demand_throughput: described.on_demand_throughput,
            item_count: number(backup.size.0),
            billing_mode: Some(settings.capacity.mode.into()),
        }),
        source_table_feature_details: Some(SourceTableFeatureDetails {
            local_secondary_indexes: indexes(described.local_secondary_indexes),
            global_secondary_indexes: indexes(described.global_secondary_indexes),
            stream_description: settings
                .stream
                .as_ref()
                .map(describe_table::stream_specification),
            time_to_live_description: settings.expiry.as_ref().map(|expiry| {
                TimeToLiveDescription {
                    time_to_live_status: Some(TimeToLiveStatus::Enabled.into()),
                    attribute_name: Some(expiry.attribute.clone()),
                }
            }),
            sse_description: described.sse_description,
            vector_indexes: None,
        }),
    })
}

pub(crate) fn describe(core: &Core, input: DescribeBackupInput) -> Pending<DescribeBackupOutput> {
    Pending::ready(described(core, input))
}

fn described(core: &Core, input: DescribeBackupInput) -> Result<DescribeBackupOutput, ApiError> {
    let mut constraints = Constraints::default();
    constraints.part_arn("backupArn", &input.backup_arn);
    constraints.finish()?;
    let backup = find(core, &input.backup_arn.unwrap_or_default())?;
    Ok(DescribeBackupOutput {
        backup_description: Some(description(core, &backup)?),
    })
}

pub(crate) fn list(core: &Core, input: ListBackupsInput) -> Pending<ListBackupsOutput> {
    Pending::ready(listed(core, input))
}

fn listed(core: &Core, input: ListBackupsInput) -> Result<ListBackupsOutput, ApiError> {
    let mut constraints = Constraints::default();
    if input.table_name.is_some() {
        constraints.table("tableName", &input.table_name);
    }
    constraints.range("limit", input.limit, 1, PAGE_MAX);
    constraints.word("backupType", &input.backup_type);
    constraints.finish()?;
    let given = input.table_name.map(|name| TableName::new(Some(name)));
    let after = match &input.exclusive_start_backup_arn {
        None => None,
        Some(arn) => {
            let Some(key) = arn::backup(arn) else {
                return sentence("Invalid Backup ARN");
            };
            Some(key)
        }
    };
    let kind = known(&input.backup_type).unwrap_or(BackupTypeFilter::User);
    let limit = usize::try_from(input.limit.unwrap_or(PAGE_MAX)).unwrap_or(1);
    let (low, high) = (input.time_range_lower_bound, input.time_range_upper_bound);
    let backups = core.catalog().backups();
    let mut rest = backups.iter().filter(|(key, backup)| {
        let made = Moment(backup.creation_epoch_ms);
        let fits = match kind {
            BackupTypeFilter::All => true,
            BackupTypeFilter::User => backup.kind == BackupType::User,
            BackupTypeFilter::System => backup.kind == BackupType::System,
            BackupTypeFilter::AwsBackup => backup.kind == BackupType::AwsBackup,
        };
        fits && after.as_ref().is_none_or(|after| *key > after)
            && given
                .as_ref()
                .is_none_or(|given| given.name() == backup.table.name)
            && low.is_none_or(|low| made >= low)
            && high.is_none_or(|high| made < high)
    });
    let page: Vec<BackupSummary> = rest
        .by_ref()
        .take(limit)
        .map(|(_, backup)| BackupSummary {
            table_name: Some(backup.table.name.clone()),
            table_id: Some(backup.table.uuid.clone()),
            table_arn: Some(core.table_arn(&backup.table.name)),
            backup_arn: Some(core.arn(&backup.table.name, Part::Backup(&backup.label))),
            backup_name: Some(backup.name.clone()),
            backup_creation_date_time: Some(Moment(backup.creation_epoch_ms)),
            backup_expiry_date_time: backup.expires_epoch_ms.map(Moment),
            backup_status: Some(status(backup).into()),
            backup_type: Some(backup.kind.into()),
            backup_size_bytes: number(backup.size.1),
        })
        .collect();
    let last_evaluated_backup_arn = rest.next().and_then(|_| page.last()?.backup_arn.clone());
    Ok(ListBackupsOutput {
        backup_summaries: Some(page),
        last_evaluated_backup_arn,
    })
}

pub(crate) fn delete(core: &Core, input: DeleteBackupInput) -> Pending<DeleteBackupOutput> {
    deleted(core, input).unwrap_or_else(|error| Pending::ready(Err(error)))
}

fn deleted(core: &Core, input: DeleteBackupInput) -> Result<Pending<DeleteBackupOutput>, ApiError> {
    let mut constraints = Constraints::default();
    constraints.part_arn("backupArn", &input.backup_arn);
    constraints.finish()?;
    let arn = input.backup_arn.unwrap_or_default();
    let backup = find(core, &arn)?;
    let is_restored = core.catalog().read().values().any(|table| {
        let from = table
            .settings
            .restored
            .as_ref()
            .and_then(|restored| restored.backup_arn.as_ref());
        !table.is_ready()
            && from
                .and_then(|from| arn::backup(from))
                .is_some_and(|(_, label)| label == backup.label)
    });
    if !backup.is_complete || is_restored {
        return Err(in_use(&arn));
    }
    let mut description = description(core, &backup)?;
    if let Some(details) = &mut description.backup_details {
        details.backup_status = Some(BackupStatus::Deleted.into());
    }
    let mut batch = Batch::new();
    batch.remove(layout::backup_record(backup.id));
    batch.put(layout::dropped(backup.id), Vec::new());
    let mut backups = core.catalog().write_backups();
    let ticket = core.store().stage(batch).map_err(internal)?;
    backups.remove(&(backup.table.name.clone(), backup.label.clone()));
    drop(backups);
    core.signal().wake();
    Ok(Pending::after(
        ticket,
        Ok(DeleteBackupOutput {
            backup_description: Some(description),
        }),
    ))
}
