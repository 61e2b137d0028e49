//! CreateTable: checks a definition and creates the table, which is ready at once.
//!
//! The answer has the status CREATING, as the service's has. The next description has ACTIVE.

use crate::base::error::internal;
use crate::base::pending::Pending;
use crate::catalog::{self, Tables};
use crate::check::{Constraints, missing_table, present};
use crate::core::Core;
use crate::ops::definition::{self, sentence, wrong};
use crate::ops::{describe_table, policy_document, stream_setting, tags};
use crate::table::policy::Policy;
use crate::table::{Capacity, Index, Settings, Table, WARM_ON_DEMAND};
use keyfold_api::{
    ApiError, BillingMode, CreateTableInput, Operation, ProvisionedThroughput, SecondaryIndex,
    SseSpecification, SseType, TableDescription, TableStatus, Validation, known,
};
use keyfold_codec::key::{IndexId, TableId};
use keyfold_store::Batch;
use keyfold_types::limits::{GLOBAL_INDEXES_MAX, LOCAL_INDEXES_MAX};
use std::sync::Arc;

pub(crate) fn run(core: &Core, input: CreateTableInput) -> Pending<TableDescription> {
    check(core, input)
        .and_then(|(table, stream)| create(core, table, stream))
        .unwrap_or_else(|error| Pending::ready(Err(error)))
}

fn create(
    core: &Core,
    table: Table,
    stream: Option<keyfold_api::StreamViewType>,
) -> Result<Pending<TableDescription>, ApiError> {
    let mut tables = core.catalog().write();
    check_is_new(&tables, &table.name)?;
    let mut batch = Batch::new();
    let mut table = identified(core, &mut batch, table);
    let stream = stream
        .map(|view| stream_setting::open(core, &mut batch, &mut table, view))
        .transpose()?;
    catalog::put_record(&mut batch, &table);
    let description = describe_table::describe(core, &table, TableStatus::Creating)?;
    // The catalog changes with the staging: nothing may fail in between.
    let ticket = core.store().stage(batch).map_err(internal)?;
    core.catalog().put_stream(stream);
    tables.insert(table.name.clone(), Arc::new(table));
    Ok(Pending::after(ticket, Ok(description)))
}

/// Refuses a name that a table has.
pub(crate) fn check_is_new(tables: &Tables, name: &str) -> Result<(), ApiError> {
    if tables.contains_key(name) {
        let message = format!("Table already exists: {name}");
        return Err(ApiError::ResourceInUse(message));
    }
    Ok(())
}

/// The table with its ids and the present time. The caller holds the catalog's lock.
pub(crate) fn identified(core: &Core, batch: &mut Batch, mut table: Table) -> Table {
    table.id = core.catalog().take_id(batch);
    table.uuid = uuid(core.options().environment.random.next_u128());
    table.creation_epoch_ms = core.now_ms();
    for (at, index) in table.indexes.iter_mut().enumerate() {
        index.id = IndexId(u8::try_from(at + 1).unwrap_or(u8::MAX));
    }
    let capacity = &mut table.settings.capacity;
    if capacity.mode == BillingMode::PayPerRequest {
        capacity.on_demand_since = Some(table.creation_epoch_ms);
    }
    table
}

/// A version 4 UUID of random bits.
pub(crate) fn uuid(random: u128) -> String {
    let bits = (random & !(0xf << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62);
    let hex = format!("{bits:032x}");
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    format!(
        "{}-{}-{}-{}-{}",
        part(0, 8),
        part(8, 12),
        part(12, 16),
        part(16, 20),
        part(20, 32)
    )
}

pub(crate) fn check(
    core: &Core,
    input: CreateTableInput,
) -> Result<(Table, Option<keyfold_api::StreamViewType>), ApiError> {
    check_constraints(&input)?;
    refuse(&input)?;
    let kinds =
        definition::definitions(input.attribute_definitions.as_deref().unwrap_or_default())?;
    let key_elements = present(input.key_schema, "keySchema")?;
    let local = input.local_secondary_indexes.as_deref();
    let global = input.global_secondary_indexes.as_deref();
    let all: Vec<&SecondaryIndex> = local.into_iter().chain(global).flatten().collect();
    let key = definition::key_schema(&key_elements, &kinds)?;
    definition::check_definitions(&kinds, &key_elements, &all)?;
    let mode = known(&input.billing_mode);
    let capacity = Capacity {
        units: units(input.provisioned_throughput.as_ref(), mode)?,
        mode: mode.unwrap_or(BillingMode::Provisioned),
        on_demand_max: definition::on_demand(
            input.on_demand_throughput.as_ref(),
            mode.unwrap_or(BillingMode::Provisioned),
            None,
        )?,
        warm: definition::warm(input.warm_throughput.as_ref(), None)?,
        ..Capacity::default()
    };
    check_warm(&capacity)?;
    check_counts(local, global)?;
    let mut indexes: Vec<Index> = Vec::new();
    for index in local.into_iter().flatten() {
        indexes.push(definition::local_index(index, &kinds, &key)?);
    }
    for index in global.into_iter().flatten() {
        indexes.push(definition::global_index(index, &kinds, capacity.mode)?);
    }
    definition::check_together(&indexes)?;
    let stream = stream_setting::wanted(input.stream_specification.as_ref())?;
    let name = input.table_name.unwrap_or_default();
    let mut settings = Settings {
        capacity,
        table_class: known(&input.table_class).map(|class| (class, core.now_ms())),
        deletion_protection: input.deletion_protection_enabled.unwrap_or(false),
        tags: tags::check(input.tags.as_deref().unwrap_or_default())?,
        encryption_key: encryption_key(core, input.sse_specification.as_ref())?,
        ..Settings::default()
    };
    if let Some(policy) = input.resource_policy {
        policy_document::check(&policy)?;
        let revision = policy_document::revision(core.now_ms(), None);
        let policy = Policy::new(policy, revision);
        settings.policies.insert(String::new(), policy);
    }
    let table = Table {
        id: TableId(0),
        name,
        uuid: String::new(),
        creation_epoch_ms: 0,
        status: TableStatus::Active,
        key,
        indexes,
        settings,
    };
    Ok((table, stream.flatten()))
}

/// Refuses warm throughput below that of every new on-demand table.
fn check_warm(capacity: &Capacity) -> Result<(), ApiError> {
    let Some((read, write)) = capacity
        .warm
        .filter(|_| capacity.mode == BillingMode::PayPerRequest)
    else {
        return Ok(());
    };
    let (least_read, least_write) = WARM_ON_DEMAND;
    for (member, asked, least) in [("Read", read, least_read), ("Write", write, least_write)] {
        if asked != 0 && asked < least {
            return wrong(format!(
                "Requested {member}UnitsPerSecond for WarmThroughput for table is lower than initial throughput for OnDemand: {least}"
            ));
        }
    }
    Ok(())
}

/// Refuses members that Keyfold does not support.
fn refuse(input: &CreateTableInput) -> Result<(), ApiError> {
    let absent = [
        (input.global_table_source_arn, "GlobalTableSourceArn"),
        (
            input.global_table_settings_replication_mode,
            "GlobalTableSettingsReplicationMode",
        ),
        (input.vector_indexes, "VectorIndexes"),
    ];
    match absent.into_iter().find(|(given, _)| given.is_some()) {
        Some((_, member)) => Err(Validation::Unsupported {
            member,
            operation: Operation::CreateTable.name(),
        }
        .into()),
        None => Ok(()),
    }
}

/// The full name of the encryption key, if the request names one.
pub(crate) fn encryption_key(
    core: &Core,
    given: Option<&SseSpecification>,
) -> Result<Option<String>, ApiError> {
    let Some(given) = given else { return Ok(None) };
    let kind = known(&given.sse_type);
    if given.enabled != Some(true) {
        if kind.is_some() {
            return wrong("SSEType can not be specified if Enabled is false");
        }
        return Ok(None);
    }
    if kind == Some(SseType::Aes256) {
        return wrong("SSEType AES256 is not supported; KMS is");
    }
    if given.kms_master_key_id.is_some() && kind.is_none() {
        return wrong("KMSMasterKeyId can be specified only if SSEType is KMS");
    }
    let key = given
        .kms_master_key_id
        .as_deref()
        .unwrap_or("alias/aws/dynamodb");
    if key.starts_with("arn:") {
        return Ok(Some(key.to_owned()));
    }
    let path = if key.starts_with("alias/") {
        key.to_owned()
    } else {
        format!("key/{key}")
    };
    Ok(Some(format!(
        "arn:aws:kms:{}:{}:{path}",
        core.region(),
        core.options().account
    )))
}

pub(crate) fn units(
    given: Option<&ProvisionedThroughput>,
    mode: Option<BillingMode>,
) -> Result<(u64, u64), ApiError> {
    match (mode, given) {
        (Some(BillingMode::PayPerRequest), None) => Ok((0, 0)),
        (Some(BillingMode::PayPerRequest), Some(_)) => wrong(definition::UNITS_ON_DEMAND),
        (_, Some(given)) => Ok(definition::units(given)),
        (None, None) => sentence("No provisioned throughput specified for the table"),
        (Some(BillingMode::Provisioned), None) => wrong(
            "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED",
        ),
    }
}

/// Refuses empty lists of indexes, and more indexes than a table may have.
pub(crate) fn check_counts(
    local: Option<&[SecondaryIndex]>,
    global: Option<&[SecondaryIndex]>,
) -> Result<(), ApiError> {
    match local {
        Some([]) => return wrong("List of LocalSecondaryIndexes is empty"),
        Some(many) if many.len() > LOCAL_INDEXES_MAX => {
            return wrong(format!(
                "Number of LocalSecondaryIndexes exceeds per-table limit of {LOCAL_INDEXES_MAX}"
            ));
        }
        Some(_) | None => {}
    }
    match global {
        Some([]) => wrong("List of GlobalSecondaryIndexes is empty"),
        Some(many) if many.len() > GLOBAL_INDEXES_MAX => wrong(format!(
            "GlobalSecondaryIndex count exceeds the per-table limit of {GLOBAL_INDEXES_MAX}"
        )),
        Some(_) | None => Ok(()),
    }
}

fn check_constraints(input: &CreateTableInput) -> Result<(), ApiError> {
    let mut constraints = Constraints::default();
    match &input.table_name {
        None => return Err(missing_table()),
        Some(name) => constraints.name("tableName", name, name),
    }
    constraints.required("attributeDefinitions", &input.attribute_definitions);
    constraints.required("keySchema", &input.key_schema);
    definition::check_definition_constraints(
        &mut constraints,
        input.attribute_definitions.as_deref(),
    );
    definition::check_key_constraints(
        &mut constraints,
        "keySchema",
        input.key_schema.as_deref(),
        definition::KEY_ELEMENTS_MAX,
    );
    constraints.word("billingMode", &input.billing_mode);
    constraints.word("tableClass", &input.table_class);
    definition::check_throughput_constraints(
        &mut constraints,
        "provisionedThroughput",
        input.provisioned_throughput.as_ref(),
    );
    stream_setting::constrain(&mut constraints, input.stream_specification.as_ref());
    if let Some(sse) = &input.sse_specification {
        constraints.word("sSESpecification.sSEType", &sse.sse_type);
    }
    let indexes = [
        (
            "localSecondaryIndexes",
            &input.local_secondary_indexes,
            definition::KEY_ELEMENTS_MAX,
        ),
        (
            "globalSecondaryIndexes",
            &input.global_secondary_indexes,
            definition::INDEX_KEY_ELEMENTS_MAX,
        ),
    ];
    for (member, indexes, most) in indexes {
        for (at, index) in indexes.iter().flatten().enumerate() {
            let path = format!("{member}.{}.member", at + 1);
            definition::check_index_constraints(&mut constraints, &path, index, most);
        }
    }
    constraints.finish()
}
