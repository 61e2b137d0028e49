//! CreateTable: checks a definition and makes the table, ready at once.
//!
//! The answer says CREATING, as the service's does; the table is ACTIVE when it is next described.

use crate::catalog;
use crate::check::{Constraints, present};
use crate::engine::Engine;
use crate::ops::describe_table;
use crate::pending::{Pending, internal};
use crate::table::{Index, IndexKind, IndexProjection, Table};
use keyfold_api::{
    ApiError, AttributeDefinition, BillingMode, Constraint, CreateTableInput, KeySchemaElement, KeyType,
    Named, Projection, ProjectionType, ProvisionedThroughput, ScalarAttributeType, SecondaryIndex,
    TableClass, TableDescription, TableStatus, Tag, Validation,
};
use keyfold_codec::key::{IndexId, TableId};
use keyfold_store::Batch;
use keyfold_types::limits::{
    GLOBAL_INDEXES_MAX, INDEX_KEY_ATTRIBUTES_MAX, INDEX_PROJECTED_ATTRIBUTES_MAX, KEY_NAME_BYTES_MAX,
    LOCAL_INDEXES_MAX, PROJECTED_ATTRIBUTES_MAX, TAGS_MAX,
};
use keyfold_types::{KeyAttribute, KeyKind, KeySchema};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(crate) fn run(engine: &Engine, input: CreateTableInput) -> Pending<TableDescription> {
    check(input).and_then(|table| create(engine, table)).unwrap_or_else(|error| Pending::ready(Err(error)))
}

fn create(engine: &Engine, mut table: Table) -> Result<Pending<TableDescription>, ApiError> {
    let mut tables = engine.catalog().write();
    if tables.contains_key(&table.name) {
        return Err(ApiError::ResourceInUse(format!("Table already exists: {}", table.name)));
    }
    let mut batch = Batch::new();
    table.id = catalog::take_table_id(engine.store(), &mut batch)?;
    table.uuid = uuid(engine.options().environment.random.next_u128());
    table.creation_epoch_ms = engine.now_ms();
    catalog::put_record(&mut batch, &table);
    let ticket = engine.store().stage(batch).map_err(internal)?;
    let description = describe_table::describe(engine, &table, TableStatus::Creating)?;
    tables.insert(table.name.clone(), Arc::new(table));
    Ok(Pending::after(ticket, Ok(description)))
}

/// A version 4 UUID of random bits.
fn uuid(random: u128) -> String {
    let bits = (random & !(0xf << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62);
    let hex = format!("{bits:032x}");
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    format!("{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32))
}

fn wrong<T>(detail: impl Into<String>) -> Result<T, ApiError> {
    Err(Validation::Parameter(detail.into()).into())
}

fn check(input: CreateTableInput) -> Result<Table, ApiError> {
    check_constraints(&input)?;
    if let Some(member) = input.unsupported.first() {
        return Err(Validation::Unsupported { member, operation: "CreateTable" }.into());
    }
    let kinds = definitions(present(input.attribute_definitions, "attributeDefinitions")?)?;
    let key_elements = present(input.key_schema, "keySchema")?;
    check_table_definitions(
        &kinds,
        &key_elements,
        &input.local_secondary_indexes,
        &input.global_secondary_indexes,
    )?;
    let key = key_schema(&key_elements, &kinds, KeyOf::Table)?;
    let billing_mode = known(&input.billing_mode).unwrap_or(BillingMode::Provisioned);
    let throughput = throughput(input.provisioned_throughput, billing_mode, None)?;
    let mut indexes = Vec::new();
    for index in list(input.local_secondary_indexes, "LocalSecondaryIndexes", LOCAL_INDEXES_MAX)? {
        indexes.push(local_index(index, &kinds, &key)?);
    }
    for index in list(input.global_secondary_indexes, "GlobalSecondaryIndexes", GLOBAL_INDEXES_MAX)? {
        indexes.push(global_index(index, &kinds, billing_mode)?);
    }
    number_indexes(&mut indexes)?;
    Ok(Table {
        id: TableId(0),
        name: input.table_name.unwrap_or_default(),
        uuid: String::new(),
        creation_epoch_ms: 0,
        key,
        indexes,
        billing_mode,
        throughput,
        table_class: known::<TableClass>(&input.table_class),
        deletion_protection: input.deletion_protection_enabled.unwrap_or(false),
        tags: tags(input.tags.unwrap_or_default())?,
    })
}

fn known<T: Copy>(member: &Option<Named<T>>) -> Option<T> {
    match member {
        Some(Named::Known(word)) => Some(*word),
        Some(Named::Unknown(_)) | None => None,
    }
}

fn check_constraints(input: &CreateTableInput) -> Result<(), ApiError> {
    let mut constraints = Constraints::default();
    match &input.table_name {
        None => constraints.breach(None, "tableName", Constraint::NotNull),
        Some(name) => constraints.name("tableName", name, name),
    }
    constraints.required("attributeDefinitions", &input.attribute_definitions);
    constraints.required("keySchema", &input.key_schema);
    for (at, definition) in input.attribute_definitions.iter().flatten().enumerate() {
        let path = |member: &str| format!("attributeDefinitions.{}.member.{member}", at + 1);
        check_attribute_name(&mut constraints, &path("attributeName"), &definition.attribute_name);
        constraints.required(&path("attributeType"), &definition.attribute_type);
        constraints.word(&path("attributeType"), &definition.attribute_type);
    }
    check_key_constraints(&mut constraints, "keySchema", input.key_schema.as_deref());
    constraints.word("billingMode", &input.billing_mode);
    constraints.word("tableClass", &input.table_class);
    check_throughput_constraints(&mut constraints, "provisionedThroughput", input.provisioned_throughput);
    let indexes = [
        ("localSecondaryIndexes", &input.local_secondary_indexes),
        ("globalSecondaryIndexes", &input.global_secondary_indexes),
    ];
    for (member, indexes) in indexes {
        for (at, index) in indexes.iter().flatten().enumerate() {
            check_index_constraints(&mut constraints, &format!("{member}.{}.member", at + 1), index);
        }
    }
    constraints.finish()
}

fn check_attribute_name(constraints: &mut Constraints, path: &str, name: &Option<String>) {
    constraints.required(path, name);
    if let Some(name) = name {
        constraints.count(path, name.len(), name, 1, KEY_NAME_BYTES_MAX);
    }
}

fn check_key_constraints(constraints: &mut Constraints, path: &str, elements: Option<&[KeySchemaElement]>) {
    let Some(elements) = elements else { return };
    constraints.count(path, elements.len(), "[]", 1, usize::MAX);
    for (at, element) in elements.iter().enumerate() {
        let path = |member: &str| format!("{path}.{}.member.{member}", at + 1);
        check_attribute_name(constraints, &path("attributeName"), &element.attribute_name);
        constraints.required(&path("keyType"), &element.key_type);
        constraints.word(&path("keyType"), &element.key_type);
    }
}

fn check_throughput_constraints(
    constraints: &mut Constraints,
    path: &str,
    given: Option<ProvisionedThroughput>,
) {
    let Some(given) = given else { return };
    let members = [
        ("writeCapacityUnits", given.write_capacity_units),
        ("readCapacityUnits", given.read_capacity_units),
    ];
    for (member, units) in members {
        let path = format!("{path}.{member}");
        constraints.required(&path, &units);
        constraints.range(&path, units, 1, i64::MAX);
    }
}

fn check_index_constraints(constraints: &mut Constraints, path: &str, index: &SecondaryIndex) {
    let member = |member: &str| format!("{path}.{member}");
    constraints.required(&member("indexName"), &index.index_name);
    if let Some(name) = &index.index_name {
        constraints.name(&member("indexName"), name, name);
    }
    constraints.required(&member("keySchema"), &index.key_schema);
    check_key_constraints(constraints, &member("keySchema"), index.key_schema.as_deref());
    constraints.required(&member("projection"), &index.projection);
    if let Some(projection) = &index.projection {
        constraints.word(&member("projection.projectionType"), &projection.projection_type);
        if let Some(names) = &projection.non_key_attributes {
            let max = INDEX_PROJECTED_ATTRIBUTES_MAX;
            constraints.list(&member("projection.nonKeyAttributes"), names.len(), 1, max);
        }
    }
    check_throughput_constraints(constraints, &member("provisionedThroughput"), index.provisioned_throughput);
}

fn definitions(given: Vec<AttributeDefinition>) -> Result<BTreeMap<String, KeyKind>, ApiError> {
    let mut kinds = BTreeMap::new();
    for definition in given {
        let kind = match known(&definition.attribute_type) {
            Some(ScalarAttributeType::N) => KeyKind::N,
            Some(ScalarAttributeType::B) => KeyKind::B,
            Some(ScalarAttributeType::S) | None => KeyKind::S,
        };
        let name = definition.attribute_name.unwrap_or_default();
        if kinds.insert(name.clone(), kind).is_some() {
            return wrong(format!("Duplicate AttributeName in AttributeDefinitions: {name}"));
        }
    }
    Ok(kinds)
}

/// Definitions and keys must name the same attributes.
fn check_table_definitions(
    kinds: &BTreeMap<String, KeyKind>,
    key: &[KeySchemaElement],
    local: &Option<Vec<SecondaryIndex>>,
    global: &Option<Vec<SecondaryIndex>>,
) -> Result<(), ApiError> {
    let names = |elements: &[KeySchemaElement]| {
        elements.iter().filter_map(|element| element.attribute_name.clone()).collect::<Vec<_>>()
    };
    let list = |names: &mut dyn Iterator<Item = &String>| names.cloned().collect::<Vec<_>>().join(", ");
    let table_keys = names(key);
    if table_keys.iter().any(|name| !kinds.contains_key(name)) {
        return Err(Validation::KeyDefinition.into());
    }
    let indexes = local.iter().flatten().chain(global.iter().flatten());
    let index_keys: Vec<String> =
        indexes.clone().filter_map(|index| index.key_schema.as_deref()).flat_map(names).collect();
    if let Some(missing) = index_keys.iter().find(|name| !kinds.contains_key(*name)) {
        return wrong(format!(
            "Some index key attributes are not defined in AttributeDefinitions. Keys: [{missing}], AttributeDefinitions: [{}]",
            list(&mut kinds.keys())
        ));
    }
    let used: BTreeSet<&String> = table_keys.iter().chain(&index_keys).collect();
    if kinds.keys().all(|name| used.contains(name)) {
        return Ok(());
    }
    if indexes.count() == 0 {
        return wrong(
            "Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions",
        );
    }
    wrong(format!(
        "Some AttributeDefinitions are not used. AttributeDefinitions: [{}], keys used: [{}]",
        list(&mut kinds.keys()),
        list(&mut used.into_iter())
    ))
}

/// Whose key it is: rules differ.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeyOf {
    Table,
    Local,
    Global,
}

fn key_schema(
    elements: &[KeySchemaElement],
    kinds: &BTreeMap<String, KeyKind>,
    of: KeyOf,
) -> Result<KeySchema, ApiError> {
    let most = if of == KeyOf::Global { INDEX_KEY_ATTRIBUTES_MAX } else { 1 };
    let mut schema = KeySchema { partition: Vec::new(), sort: Vec::new() };
    for element in elements {
        let name = element.attribute_name.clone().unwrap_or_default();
        if schema.contains(&name) {
            return wrong(
                "Both the Hash Key and the Range Key element in the KeySchema have the same name".to_owned(),
            );
        }
        let kind = kinds.get(&name).copied().unwrap_or(KeyKind::S);
        let attribute = KeyAttribute { name, kind };
        match known(&element.key_type) {
            Some(KeyType::Hash) if !schema.sort.is_empty() => {
                return wrong(
                    "Invalid KeySchema: The first KeySchemaElement is not a HASH key type".to_owned(),
                );
            }
            Some(KeyType::Hash) => schema.partition.push(attribute),
            Some(KeyType::Range) | None => schema.sort.push(attribute),
        }
    }
    if schema.partition.is_empty() {
        return wrong("Invalid KeySchema: The first KeySchemaElement is not a HASH key type");
    }
    if schema.partition.len() > most {
        return wrong(match of {
            KeyOf::Global => "Invalid KeySchema: More than 4 HASH key attributes",
            KeyOf::Table | KeyOf::Local => {
                "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"
            }
        });
    }
    if schema.sort.len() > most {
        return wrong(match of {
            KeyOf::Global => "Invalid KeySchema: More than 4 RANGE key attributes",
            KeyOf::Table | KeyOf::Local => "Invalid KeySchema: More than one RANGE key attribute",
        });
    }
    Ok(schema)
}

fn throughput(
    given: Option<ProvisionedThroughput>,
    mode: BillingMode,
    index: Option<&str>,
) -> Result<(u64, u64), ApiError> {
    let units = |units: Option<i64>| units.and_then(|units| u64::try_from(units).ok()).unwrap_or(0);
    match (mode, given, index) {
        (BillingMode::Provisioned, Some(given), _) => {
            Ok((units(given.read_capacity_units), units(given.write_capacity_units)))
        }
        (BillingMode::PayPerRequest, None, _) => Ok((0, 0)),
        (BillingMode::PayPerRequest, Some(_), None) => wrong(
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
        ),
        (BillingMode::PayPerRequest, Some(_), Some(index)) => wrong(format!(
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: {index} when BillingMode is PAY_PER_REQUEST"
        )),
        (BillingMode::Provisioned, None, None) => wrong(
            "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED",
        ),
        (BillingMode::Provisioned, None, Some(index)) => wrong(format!(
            "ReadCapacityUnits and WriteCapacityUnits must both be specified for index: {index} when BillingMode is PROVISIONED"
        )),
    }
}

fn list(
    given: Option<Vec<SecondaryIndex>>,
    member: &str,
    most: usize,
) -> Result<Vec<SecondaryIndex>, ApiError> {
    match given {
        Some(indexes) if indexes.is_empty() => wrong(format!("List of {member} is empty")),
        Some(indexes) if indexes.len() > most => {
            wrong(format!("Number of {member} exceeds per-table limit of {most}"))
        }
        Some(indexes) => Ok(indexes),
        None => Ok(Vec::new()),
    }
}

fn projection(given: Option<Projection>, index: &str) -> Result<IndexProjection, ApiError> {
    let given = given.unwrap_or_default();
    match (known(&given.projection_type), given.non_key_attributes) {
        (None, _) => wrong(format!("Unknown ProjectionType: null for index {index}")),
        (Some(ProjectionType::Include), None) => {
            wrong("NonKeyAttributes must be specified when ProjectionType is INCLUDE")
        }
        (Some(ProjectionType::Include), Some(names)) => Ok(IndexProjection::Include(names)),
        (Some(ProjectionType::All), None) => Ok(IndexProjection::All),
        (Some(ProjectionType::KeysOnly), None) => Ok(IndexProjection::KeysOnly),
        (Some(ProjectionType::All), Some(_)) => {
            wrong("ProjectionType is ALL, but NonKeyAttributes is specified")
        }
        (Some(ProjectionType::KeysOnly), Some(_)) => {
            wrong("ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified")
        }
    }
}

fn local_index(
    given: SecondaryIndex,
    kinds: &BTreeMap<String, KeyKind>,
    table: &KeySchema,
) -> Result<Index, ApiError> {
    let name = given.index_name.unwrap_or_default();
    let key = key_schema(&given.key_schema.unwrap_or_default(), kinds, KeyOf::Local)?;
    if table.sort.is_empty() {
        return wrong(
            "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex",
        );
    }
    if key.partition != table.partition {
        return wrong(format!(
            "Index KeySchema does not have the same leading hash key as table KeySchema for index: {name}"
        ));
    }
    if key.sort.is_empty() {
        return wrong(format!("Index KeySchema does not have a range key for index: {name}"));
    }
    let projection = projection(given.projection, &name)?;
    Ok(Index { id: IndexId(0), name, kind: IndexKind::Local, key, projection, throughput: (0, 0) })
}

fn global_index(
    given: SecondaryIndex,
    kinds: &BTreeMap<String, KeyKind>,
    mode: BillingMode,
) -> Result<Index, ApiError> {
    let name = given.index_name.unwrap_or_default();
    let key = key_schema(&given.key_schema.unwrap_or_default(), kinds, KeyOf::Global)?;
    let projection = projection(given.projection, &name)?;
    let throughput = throughput(given.provisioned_throughput, mode, Some(&name))?;
    Ok(Index { id: IndexId(0), name, kind: IndexKind::Global, key, projection, throughput })
}

/// Gives each index its id; names must differ, and projections together have a limit.
fn number_indexes(indexes: &mut [Index]) -> Result<(), ApiError> {
    let mut names = BTreeSet::new();
    let mut projected = 0;
    for (at, index) in indexes.iter_mut().enumerate() {
        index.id = IndexId(u8::try_from(at + 1).unwrap_or(u8::MAX));
        if !names.insert(index.name.clone()) {
            return wrong(format!("Duplicate index name: {}", index.name));
        }
        if let IndexProjection::Include(names) = &index.projection {
            projected += names.len();
        }
    }
    if projected > PROJECTED_ATTRIBUTES_MAX {
        return wrong(format!(
            "Number of projected attributes over all indexes exceeds the limit of {PROJECTED_ATTRIBUTES_MAX}"
        ));
    }
    Ok(())
}

fn tags(given: Vec<Tag>) -> Result<Vec<(String, String)>, ApiError> {
    if given.len() > TAGS_MAX {
        return wrong(format!("Number of tags exceeds the limit of {TAGS_MAX}"));
    }
    let mut tags = BTreeMap::new();
    for tag in given {
        let (key, value) = (tag.key.unwrap_or_default(), tag.value.unwrap_or_default());
        if key.is_empty() || key.chars().count() > 128 || key.starts_with("aws:") {
            return wrong(format!("Tag keys have 1 to 128 characters and do not start with aws: '{key}'"));
        }
        if value.chars().count() > 256 {
            return wrong(format!("The value of tag '{key}' has more than 256 characters"));
        }
        if tags.insert(key.clone(), value).is_some() {
            return wrong(format!("Duplicate tag key: {key}"));
        }
    }
    Ok(tags.into_iter().collect())
}
