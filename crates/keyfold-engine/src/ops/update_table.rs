//! UpdateTable: changes settings, and creates and deletes indexes while clients read and write.
//!
//! A new index has the entries of all later writes at once. The background adds those of earlier
//! items (`jobs/backfill.rs`), and until then the index cannot be read.

use crate::base::error::{being_created, internal};
use crate::base::layout;
use crate::base::pending::Pending;
use crate::base::time::DAY_MS;
use crate::catalog;
use crate::check::{Constraints, TableName};
use crate::core::Core;
use crate::ops::create_table::encryption_key;
use crate::ops::definition::{self, sentence, wrong};
use crate::ops::{describe_table, stream_setting};
use crate::table::stream::Stream;
use crate::table::{Capacity, Index, IndexKind, Table};
use keyfold_api::{
    ApiError, BillingMode, GlobalSecondaryIndexUpdate, Operation, ProvisionedThroughput,
    ProvisionedThroughputDescription, SecondaryIndex, StreamViewType, TableDescription,
    TableStatus, UpdateTableInput, Validation, known,
};
use keyfold_store::Batch;
use keyfold_types::limits::GLOBAL_INDEXES_MAX;
use keyfold_types::{KeyAttribute, KeyKind};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The possible changes, in the order of the message.
const CHOICES: [&str; 13] = [
    "ProvisionedThroughput",
    "BillingMode",
    "UpdateStreamEnabled",
    "GlobalSecondaryIndexUpdates",
    "SSESpecification",
    "ReplicaUpdates",
    "MultiAccountReplicaReady",
    "ReplicaTransitRoleArn",
    "MultiRegionConsistency",
    "DeletionProtectionEnabled",
    "OnDemandThroughput",
    "WarmThroughput",
    "TableClass",
];

pub(crate) fn run(core: &Core, input: UpdateTableInput) -> Pending<TableDescription> {
    check(&input)
        .and_then(|()| update(core, &input))
        .unwrap_or_else(|error| Pending::ready(Err(error)))
}

fn check(input: &UpdateTableInput) -> Result<(), ApiError> {
    check_constraints(input)?;
    refuse(input)?;
    check_combination(input)?;
    let updates = input
        .global_secondary_index_updates
        .as_deref()
        .unwrap_or_default();
    let mut seen = BTreeSet::new();
    for update in updates {
        let name = match (&update.create, &update.update, &update.delete) {
            (Some(create), None, None) => &create.index_name,
            (None, Some(update), None) => &update.index_name,
            (None, None, Some(delete)) => &delete.index_name,
            (None, None, None) => {
                return wrong(
                    "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null",
                );
            }
            (Some(_), Some(_), _) | (Some(_), _, Some(_)) | (_, Some(_), Some(_)) => {
                return wrong(
                    "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object",
                );
            }
        };
        let name = name.clone().unwrap_or_default();
        if !seen.insert(name.clone()) {
            return wrong(format!(
                "Only one global secondary index update per index is allowed simultaneously. Index: {name}"
            ));
        }
        if update.create.is_some() && input.attribute_definitions.is_none() {
            return wrong(format!(
                "AttributeDefinitions is not specified for index: {name}"
            ));
        }
    }
    if updates
        .iter()
        .filter(|update| changes_indexes(update))
        .count()
        > 1
    {
        return Err(one_index_at_a_time());
    }
    stream_setting::wanted(input.stream_specification.as_ref()).map(|_| ())
}

fn changes_indexes(update: &GlobalSecondaryIndexUpdate) -> bool {
    update.create.is_some() || update.delete.is_some()
}

fn one_index_at_a_time() -> ApiError {
    ApiError::LimitExceeded(
        "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"
            .into(),
    )
}

fn check_constraints(input: &UpdateTableInput) -> Result<(), ApiError> {
    let mut constraints = Constraints::default();
    constraints.control_table(&input.table_name)?;
    definition::check_definition_constraints(
        &mut constraints,
        input.attribute_definitions.as_deref(),
    );
    constraints.word("billingMode", &input.billing_mode);
    constraints.word("tableClass", &input.table_class);
    let throughput = input.provisioned_throughput.as_ref();
    definition::check_throughput_constraints(&mut constraints, "provisionedThroughput", throughput);
    stream_setting::constrain(&mut constraints, input.stream_specification.as_ref());
    for (at, update) in input
        .global_secondary_index_updates
        .iter()
        .flatten()
        .enumerate()
    {
        let path = |member: &str| format!("globalSecondaryIndexUpdates.{}.member.{member}", at + 1);
        if let Some(create) = &update.create {
            let most = definition::INDEX_KEY_ELEMENTS_MAX;
            definition::check_index_constraints(&mut constraints, &path("create"), create, most);
        }
        let named = [
            (
                update.update.as_ref().map(|update| &update.index_name),
                "update.indexName",
            ),
            (
                update.delete.as_ref().map(|delete| &delete.index_name),
                "delete.indexName",
            ),
        ];
        for (name, member) in named {
            let Some(name) = name else { continue };
            constraints.required(&path(member), name);
            if let Some(name) = name {
                constraints.name(&path(member), name, name);
            }
        }
        if let Some(update) = &update.update {
            let throughput = update.provisioned_throughput.as_ref();
            definition::check_throughput_constraints(
                &mut constraints,
                &path("update.provisionedThroughput"),
                throughput,
            );
        }
    }
    constraints.finish()
}

/// Refuses members that Keyfold does not support.
fn refuse(input: &UpdateTableInput) -> Result<(), ApiError> {
    let absent = [
        (input.replica_updates.is_some(), "ReplicaUpdates"),
        (
            input.multi_region_consistency.is_some(),
            "MultiRegionConsistency",
        ),
        (
            input.global_table_witness_updates.is_some(),
            "GlobalTableWitnessUpdates",
        ),
        (
            input.global_table_settings_replication_mode.is_some(),
            "GlobalTableSettingsReplicationMode",
        ),
        (
            input.disassociation_protection_enabled.is_some(),
            "DisassociationProtectionEnabled",
        ),
        (input.vector_index_updates.is_some(), "VectorIndexUpdates"),
    ];
    match absent.into_iter().find(|(given, _)| *given) {
        Some((_, member)) => Err(Validation::Unsupported {
            member,
            operation: Operation::UpdateTable.name(),
        }
        .into()),
        None => Ok(()),
    }
}

/// Checks required members, and members that exclude each other.
fn check_combination(input: &UpdateTableInput) -> Result<(), ApiError> {
    let updates = input.global_secondary_index_updates.as_deref();
    let throughput = input.provisioned_throughput.is_some() || input.billing_mode.is_some();
    let given = [
        throughput,
        input.stream_specification.is_some(),
        updates.is_some_and(|updates| !updates.is_empty()),
        input.sse_specification.is_some(),
        input.deletion_protection_enabled.is_some(),
        input.on_demand_throughput.is_some(),
        input.warm_throughput.is_some(),
        input.table_class.is_some(),
    ];
    let count = given.into_iter().filter(|given| *given).count();
    if count == 0 {
        let (last, others) = CHOICES.split_last().unwrap_or((&"", &[]));
        return sentence(format!(
            "At least one of {} or {last} is required",
            others.join(", ")
        ));
    }
    if updates.is_some_and(<[_]>::is_empty) {
        return wrong("List of GlobalSecondaryIndexUpdates is empty");
    }
    let alone = [
        (input.sse_specification.is_some(), "Server-Side Encryption"),
        (input.table_class.is_some(), "TableClass"),
        (
            input.deletion_protection_enabled.is_some(),
            "DeletionProtection",
        ),
    ];
    if let Some((_, what)) = alone.into_iter().find(|(given, _)| *given && count > 1) {
        return wrong(format!(
            "{what} modification must be the only operation in the request"
        ));
    }
    let indexes = updates.into_iter().flatten().any(changes_indexes);
    if indexes && input.warm_throughput.is_some() {
        return wrong(
            "Create global secondary index cannot be specified when updating WarmThroughput",
        );
    }
    if indexes && input.provisioned_throughput.is_some() {
        return wrong("You cannot create or delete index while updating table IOPS");
    }
    if indexes && input.stream_specification.is_some() {
        return wrong("You cannot create or delete index while changing stream status");
    }
    if input.provisioned_throughput.is_some() && input.stream_specification.is_some() {
        return wrong("You cannot modify stream status while updating table IOPS");
    }
    Ok(())
}

fn update(core: &Core, input: &UpdateTableInput) -> Result<Pending<TableDescription>, ApiError> {
    let given = TableName::new(input.table_name.clone());
    let mut tables = core.catalog().write();
    let before = tables
        .get(given.name())
        .cloned()
        .ok_or_else(|| ApiError::named_table_not_found(given.name()))?;
    if !before.is_ready() {
        return Err(being_created(&before.name));
    }
    check_redefined(&before, input)?;
    let mut table = Table::clone(&before);
    let mut batch = Batch::new();
    change_capacity(core, input, &mut table)?;
    for update in input.global_secondary_index_updates.iter().flatten() {
        change_index(core, input, update, &mut table, &mut batch)?;
    }
    if let Some(sse) = &input.sse_specification {
        let key = encryption_key(core, Some(sse))?;
        if key.is_none() && table.settings.encryption_key.is_none() {
            return wrong("Table is already encrypted by default");
        }
        table.settings.encryption_key = key;
    }
    if let Some(class) = known(&input.table_class) {
        let is_default =
            class == keyfold_api::TableClass::Standard && table.settings.table_class.is_none();
        if !is_default {
            table.settings.table_class = Some((class, core.now_ms()));
        }
    }
    if let Some(protected) = input.deletion_protection_enabled {
        table.settings.deletion_protection = protected;
    }
    let stream = match stream_setting::wanted(input.stream_specification.as_ref())? {
        Some(view) => change_stream(core, &mut batch, &mut table, view)?,
        None => None,
    };
    catalog::put_record(&mut batch, &table);
    let description = describe(core, &before, &table)?;
    // The catalog changes with the staging: nothing may fail in between.
    let ticket = core.store().stage(batch).map_err(internal)?;
    core.catalog().put_stream(stream);
    tables.insert(table.name.clone(), Arc::new(table));
    drop(tables);
    core.signal().wake();
    Ok(Pending::after(ticket, Ok(description)))
}

/// Refuses definitions that change the type of a key attribute.
fn check_redefined(table: &Table, input: &UpdateTableInput) -> Result<(), ApiError> {
    let given =
        definition::definitions(input.attribute_definitions.as_deref().unwrap_or_default())?;
    let new_kind = |one: &KeyAttribute| given.get(&one.name).copied().unwrap_or(one.kind);
    let keys = std::iter::once(&table.key).chain(table.indexes.iter().map(|index| &index.key));
    let mut redefined = keys.filter(|key| key.attributes().any(|one| new_kind(one) != one.kind));
    let Some(key) = redefined.next() else {
        return Ok(());
    };
    let shown = |kind: &dyn Fn(&KeyAttribute) -> KeyKind| {
        let part = |attributes: &[KeyAttribute], part: &str| -> Vec<String> {
            let text =
                |one: &KeyAttribute| format!("{}:{}:{part}", one.name, kind(one).descriptor());
            attributes.iter().map(text).collect()
        };
        let all = [part(&key.partition, "HASH"), part(&key.sort, "RANGE")]
            .concat()
            .join(":");
        format!("Schema:[SchemaElement: key{{{all}}}]")
    };
    wrong(format!(
        "Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. Existing schema: {} New schema: {}",
        shown(&|one| one.kind),
        shown(&new_kind)
    ))
}

/// The description of a table that is changing: it has the units from before, and deleted indexes.
fn describe(core: &Core, before: &Table, after: &Table) -> Result<TableDescription, ApiError> {
    let mut description = describe_table::describe(core, after, TableStatus::Updating)?;
    let old = describe_table::describe(core, before, TableStatus::Updating)?;
    let mode = |table: &Table| table.settings.capacity.mode;
    let is_provisioned_now =
        mode(before) == BillingMode::PayPerRequest && mode(after) == BillingMode::Provisioned;
    if !is_provisioned_now
        && let (Some(new), Some(old)) = (
            &mut description.provisioned_throughput,
            &old.provisioned_throughput,
        )
    {
        *new = ProvisionedThroughputDescription {
            read_capacity_units: old.read_capacity_units,
            write_capacity_units: old.write_capacity_units,
            ..new.clone()
        };
    }
    for shown in description.global_secondary_indexes.iter_mut().flatten() {
        let name = shown.index_name.as_deref().unwrap_or_default();
        let units = |table: &Table| table.index(name).map(|index| index.capacity.units);
        if units(before).is_some_and(|before| units(after) != Some(before)) && is_provisioned_now {
            shown.index_status = Some(TableStatus::Updating.into());
        }
    }
    let gone = old
        .global_secondary_indexes
        .unwrap_or_default()
        .into_iter()
        .filter(|index| {
            index
                .index_name
                .as_ref()
                .is_some_and(|name| after.index(name).is_none())
        });
    for mut index in gone {
        index.index_status = Some(TableStatus::Deleting.into());
        description
            .global_secondary_indexes
            .get_or_insert_default()
            .push(index);
    }
    Ok(description)
}

fn change_stream(
    core: &Core,
    batch: &mut Batch,
    table: &mut Table,
    view: Option<StreamViewType>,
) -> Result<Option<Stream>, ApiError> {
    match (view, &table.settings.stream) {
        (Some(_), Some(_)) => sentence(format!(
            "Table already has an enabled stream: TableName: {}",
            table.name
        )),
        (None, None) => sentence("Table has no stream to disable"),
        (Some(view), None) => stream_setting::open(core, batch, table, view).map(Some),
        (None, Some(_)) => stream_setting::close(core, batch, table),
    }
}

fn change_capacity(
    core: &Core,
    input: &UpdateTableInput,
    table: &mut Table,
) -> Result<(), ApiError> {
    let mode_before = table.settings.capacity.mode;
    let mode = known(&input.billing_mode).unwrap_or(mode_before);
    let now = core.now_ms();
    change_units(input, table, mode, now)?;
    match (mode_before, mode) {
        (BillingMode::PayPerRequest, BillingMode::Provisioned) => {
            check_index_units(input, table)?;
            table.settings.capacity.on_demand_max = (None, None);
        }
        (BillingMode::Provisioned, BillingMode::PayPerRequest) => {
            table.settings.capacity.on_demand_since = Some(now);
            table.settings.capacity.units = (0, 0);
            for index in &mut table.indexes {
                index.capacity.units = (0, 0);
            }
        }
        (BillingMode::Provisioned, BillingMode::Provisioned)
        | (BillingMode::PayPerRequest, BillingMode::PayPerRequest) => {}
    }
    table.settings.capacity.mode = mode;
    for index in &mut table.indexes {
        index.capacity.mode = mode;
    }
    if let Some(given) = &input.on_demand_throughput {
        table.settings.capacity.on_demand_max = limits(
            table.settings.capacity.on_demand_max,
            definition::on_demand(Some(given), mode, None)?,
            given,
        );
    }
    if let Some(warm) = definition::warm(input.warm_throughput.as_ref(), None)? {
        raise_warm(&mut table.settings.capacity, warm, "table")?;
    }
    Ok(())
}

/// Sets the table's provisioned units for its mode from now on.
fn change_units(
    input: &UpdateTableInput,
    table: &mut Table,
    mode: BillingMode,
    now: u64,
) -> Result<(), ApiError> {
    let capacity = &mut table.settings.capacity;
    match (mode, &input.provisioned_throughput) {
        (BillingMode::PayPerRequest, None) => Ok(()),
        (BillingMode::PayPerRequest, Some(_)) => wrong(definition::UNITS_ON_DEMAND),
        (BillingMode::Provisioned, None) if capacity.mode == BillingMode::PayPerRequest => {
            wrong(definition::NO_UNITS)
        }
        (BillingMode::Provisioned, None) => Ok(()),
        (BillingMode::Provisioned, Some(given)) => {
            let units = definition::units(given);
            if capacity.mode == mode && units == capacity.units {
                return unchanged("the table", given, units);
            }
            set_units(capacity, units, now);
            Ok(())
        }
    }
}

/// Refuses a change to provisioned capacity that leaves a global index without units.
fn check_index_units(input: &UpdateTableInput, table: &Table) -> Result<(), ApiError> {
    let is_given = |index: &Index| {
        let updates = input.global_secondary_index_updates.iter().flatten();
        let mut updates = updates.filter_map(|update| update.update.as_ref());
        updates.any(|update| {
            update.index_name.as_ref() == Some(&index.name)
                && update.provisioned_throughput.is_some()
        })
    };
    let mut globals = table
        .indexes
        .iter()
        .filter(|index| index.kind == IndexKind::Global);
    match globals.find(|index| !is_given(index)) {
        Some(index) => wrong(definition::no_index_units(&index.name)),
        None => Ok(()),
    }
}

/// The limits after a change of some.
fn limits(
    before: (Option<u64>, Option<u64>),
    new: (Option<u64>, Option<u64>),
    given: &keyfold_api::OnDemandThroughput,
) -> (Option<u64>, Option<u64>) {
    (
        if given.max_read_request_units.is_some() {
            new.0
        } else {
            before.0
        },
        if given.max_write_request_units.is_some() {
            new.1
        } else {
            before.1
        },
    )
}

fn raise_warm(
    capacity: &mut Capacity,
    (read, write): (u64, u64),
    place: &str,
) -> Result<(), ApiError> {
    let before = describe_table::warm(capacity, capacity.mode);
    for (member, asked, is) in [("Read", read, before.0), ("Write", write, before.1)] {
        if asked != 0 && asked < is {
            return wrong(format!(
                "Requested {member}UnitsPerSecond for WarmThroughput for {place} is lower than current WarmThroughput, decreasing WarmThroughput is not supported"
            ));
        }
    }
    capacity.warm = Some((read.max(before.0), write.max(before.1)));
    Ok(())
}

fn set_units(capacity: &mut Capacity, units: (u64, u64), now: u64) {
    let before = capacity.units;
    if units.0 > before.0 || units.1 > before.1 {
        capacity.last_increase = Some(now);
    }
    if units.0 < before.0 || units.1 < before.1 {
        capacity.last_decrease = Some(now);
        let (day, count) = capacity.decreases;
        let today = now / DAY_MS;
        capacity.decreases = (today, if day == today { count + 1 } else { 1 });
    }
    capacity.units = units;
}

fn unchanged<T>(
    place: &str,
    given: &ProvisionedThroughput,
    units: (u64, u64),
) -> Result<T, ApiError> {
    let asked = definition::units(given);
    sentence(format!(
        "The provisioned throughput for {place} will not change. The requested value equals the current value. Current ReadCapacityUnits provisioned for {place}: {}. Requested ReadCapacityUnits: {}. Current WriteCapacityUnits provisioned for {place}: {}. Requested WriteCapacityUnits: {}. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
        units.0, asked.0, units.1, asked.1
    ))
}

fn change_index(
    core: &Core,
    input: &UpdateTableInput,
    update: &GlobalSecondaryIndexUpdate,
    table: &mut Table,
    batch: &mut Batch,
) -> Result<(), ApiError> {
    if let Some(create) = &update.create {
        return create_index(core, input, create, table);
    }
    let missing = |name: &str, table: &Table| {
        ApiError::ResourceNotFound(format!(
            "Requested resource not found: Index {name} for table {}",
            table.name
        ))
    };
    if let Some(delete) = &update.delete {
        let name = delete.index_name.clone().unwrap_or_default();
        let is_it = |index: &Index| index.kind == IndexKind::Global && index.name == name;
        let Some(at) = table.indexes.iter().position(is_it) else {
            return Err(missing(&name, table));
        };
        let index = table.indexes.remove(at);
        batch.put(layout::dropped_index(table.id, index.id), Vec::new());
        return Ok(());
    }
    let Some(given) = &update.update else {
        return Ok(());
    };
    let name = given.index_name.clone().unwrap_or_default();
    let mode = table.settings.capacity.mode;
    let was_on_demand = mode == BillingMode::PayPerRequest;
    let error = missing(&name, table);
    let is_it = |index: &&mut Index| index.kind == IndexKind::Global && index.name == name;
    let Some(index) = table.indexes.iter_mut().find(is_it) else {
        return Err(error);
    };
    if let Some(throughput) = &given.provisioned_throughput {
        if was_on_demand {
            return wrong(format!(
                "The only Updates for index: {name} when TableThroughputMode is PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput"
            ));
        }
        let units = definition::units(throughput);
        if units == index.capacity.units {
            return unchanged(&format!("the index {name}"), throughput, units);
        }
        set_units(&mut index.capacity, units, core.now_ms());
    } else if given.on_demand_throughput.is_none() && given.warm_throughput.is_none() {
        return wrong(definition::no_index_units(&name));
    }
    if let Some(on_demand) = &given.on_demand_throughput {
        let new = definition::on_demand(Some(on_demand), mode, Some(&name))?;
        index.capacity.on_demand_max = limits(index.capacity.on_demand_max, new, on_demand);
    }
    if let Some(warm) = definition::warm(given.warm_throughput.as_ref(), Some(&name))? {
        raise_warm(&mut index.capacity, warm, &format!("index: {name}"))?;
    }
    Ok(())
}

fn create_index(
    core: &Core,
    input: &UpdateTableInput,
    create: &SecondaryIndex,
    table: &mut Table,
) -> Result<(), ApiError> {
    let name = create.index_name.clone().unwrap_or_default();
    if table.index(&name).is_some() {
        return sentence(format!(
            "Attempting to create an index which already exists: {name}"
        ));
    }
    if table.indexes.iter().any(|index| index.is_building) {
        return Err(one_index_at_a_time());
    }
    if table
        .indexes
        .iter()
        .filter(|index| index.kind == IndexKind::Global)
        .count()
        >= GLOBAL_INDEXES_MAX
    {
        return Err(ApiError::LimitExceeded(format!(
            "Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of {GLOBAL_INDEXES_MAX}"
        )));
    }
    // Attributes of existing keys keep their types. Other definitions count only for the new key.
    let mut kinds =
        definition::definitions(input.attribute_definitions.as_deref().unwrap_or_default())?;
    let keys = std::iter::once(&table.key).chain(table.indexes.iter().map(|index| &index.key));
    kinds.extend(
        keys.flat_map(|key| key.attributes())
            .map(|known| (known.name.clone(), known.kind)),
    );
    let wanted = definition::names(create.key_schema.as_deref().unwrap_or_default());
    definition::check_defined(&kinds, &wanted)?;
    let mut index = definition::global_index(create, &kinds, table.settings.capacity.mode)?;
    index.id = catalog::free_index_id(core.store(), table)?;
    index.is_building = true;
    table.indexes.push(index);
    definition::check_together(&table.indexes)
}
