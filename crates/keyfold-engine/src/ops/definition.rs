//! Checks that CreateTable, UpdateTable and ImportTable share: keys, indexes, projections and
//! throughput.

use crate::check::Constraints;
use crate::table::{Capacity, Index, IndexKind, IndexProjection};
use keyfold_api::{
    ApiError, AttributeDefinition, BillingMode, Constraint, KeySchemaElement, KeyType, Named,
    OnDemandThroughput, Projection, ProjectionType, ProvisionedThroughput, ScalarAttributeType,
    SecondaryIndex, Validation, WarmThroughput, WireName, known,
};
use keyfold_codec::key::IndexId;
use keyfold_types::limits::{
    INDEX_KEY_ATTRIBUTES_MAX, INDEX_PROJECTED_ATTRIBUTES_MAX, KEY_NAME_BYTES_MAX,
    PROJECTED_ATTRIBUTES_MAX,
};
use keyfold_types::{KeyAttribute, KeyKind, KeySchema};
use std::collections::{BTreeMap, BTreeSet};

/// The types of key attributes by name.
pub(crate) type Kinds = BTreeMap<String, KeyKind>;

/// Key attributes of a table or local index at the most.
pub(crate) const KEY_ELEMENTS_MAX: usize = 2;
/// Key attributes of a global index at the most.
pub(crate) const INDEX_KEY_ELEMENTS_MAX: usize = 2 * INDEX_KEY_ATTRIBUTES_MAX;

/// The refusal of units for an on-demand table.
pub(crate) const UNITS_ON_DEMAND: &str = "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST";
/// The refusal of a provisioned table without units.
pub(crate) const NO_UNITS: &str =
    "ProvisionedThroughput must be specified when BillingMode is PROVISIONED";

/// The refusal of a provisioned index without units.
pub(crate) fn no_index_units(index: &str) -> String {
    format!("ProvisionedThroughput must be specified for index: {index}")
}

pub(crate) fn wrong<T>(detail: impl Into<String>) -> Result<T, ApiError> {
    Err(Validation::Parameter(detail.into()).into())
}

pub(crate) fn sentence<T>(text: impl Into<String>) -> Result<T, ApiError> {
    Err(Validation::Sentence(text.into()).into())
}

pub(crate) fn check_definition_constraints(
    constraints: &mut Constraints,
    given: Option<&[AttributeDefinition]>,
) {
    for (at, definition) in given.into_iter().flatten().enumerate() {
        let path = |member: &str| format!("attributeDefinitions.{}.member.{member}", at + 1);
        constraints.required(&path("attributeType"), &definition.attribute_type);
        constraints.word(&path("attributeType"), &definition.attribute_type);
        check_attribute_name(
            constraints,
            &path("attributeName"),
            &definition.attribute_name,
        );
    }
}

pub(crate) fn check_attribute_name(
    constraints: &mut Constraints,
    path: &str,
    name: &Option<String>,
) {
    constraints.required(path, name);
    if let Some(name) = name {
        constraints.count(path, name.len(), name, 1, KEY_NAME_BYTES_MAX);
    }
}

pub(crate) fn check_key_constraints(
    constraints: &mut Constraints,
    path: &str,
    elements: Option<&[KeySchemaElement]>,
    most: usize,
) {
    let Some(elements) = elements else { return };
    if !(1..=most).contains(&elements.len()) {
        let element = |one: &KeySchemaElement| {
            let kind = match &one.key_type {
                None => "null",
                Some(Named::Known(kind)) => kind.word(),
                Some(Named::Unknown(text)) => text.as_str(),
            };
            let name = one.attribute_name.as_deref().unwrap_or("null");
            format!("KeySchemaElement(attributeName={name}, keyType={kind})")
        };
        let printed = elements.iter().map(element).collect::<Vec<_>>().join(", ");
        constraints.count(path, elements.len(), &format!("[{printed}]"), 1, most);
    }
    for (at, element) in elements.iter().enumerate() {
        let path = |member: &str| format!("{path}.{}.member.{member}", at + 1);
        check_attribute_name(constraints, &path("attributeName"), &element.attribute_name);
        constraints.required(&path("keyType"), &element.key_type);
        constraints.word(&path("keyType"), &element.key_type);
    }
}

pub(crate) fn check_throughput_constraints(
    constraints: &mut Constraints,
    path: &str,
    given: Option<&ProvisionedThroughput>,
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

pub(crate) fn check_index_constraints(
    constraints: &mut Constraints,
    path: &str,
    index: &SecondaryIndex,
    key_most: usize,
) {
    let member = |member: &str| format!("{path}.{member}");
    constraints.required(&member("indexName"), &index.index_name);
    if let Some(name) = &index.index_name {
        constraints.name(&member("indexName"), name, name);
    }
    constraints.required(&member("keySchema"), &index.key_schema);
    check_key_constraints(
        constraints,
        &member("keySchema"),
        index.key_schema.as_deref(),
        key_most,
    );
    constraints.required(&member("projection"), &index.projection);
    if let Some(projection) = &index.projection {
        constraints.word(
            &member("projection.projectionType"),
            &projection.projection_type,
        );
        if let Some(names) = &projection.non_key_attributes {
            let max = INDEX_PROJECTED_ATTRIBUTES_MAX;
            constraints.list(&member("projection.nonKeyAttributes"), names.len(), 1, max);
            if names
                .iter()
                .any(|name| !(1..=KEY_NAME_BYTES_MAX).contains(&name.len()))
            {
                let printed = format!("[{}]", names.join(", "));
                let length = Constraint::MemberLength(1, KEY_NAME_BYTES_MAX);
                constraints.breach(Some(printed), member("projection.nonKeyAttributes"), length);
            }
        }
    }
    check_throughput_constraints(
        constraints,
        &member("provisionedThroughput"),
        index.provisioned_throughput.as_ref(),
    );
}

/// The types of the defined attributes. Each must be defined once.
pub(crate) fn definitions(given: &[AttributeDefinition]) -> Result<Kinds, ApiError> {
    let mut kinds = Kinds::new();
    for definition in given {
        let kind = match known(&definition.attribute_type) {
            Some(ScalarAttributeType::N) => KeyKind::N,
            Some(ScalarAttributeType::B) => KeyKind::B,
            Some(ScalarAttributeType::S) | None => KeyKind::S,
        };
        let name = definition.attribute_name.clone().unwrap_or_default();
        if kinds.insert(name.clone(), kind).is_some() {
            return sentence(format!("Attribute Name is duplicated: {name}"));
        }
    }
    Ok(kinds)
}

fn list<'n>(names: impl IntoIterator<Item = &'n String>) -> String {
    names.into_iter().cloned().collect::<Vec<_>>().join(", ")
}

/// The attribute names of a key schema.
pub(crate) fn names(elements: &[KeySchemaElement]) -> Vec<String> {
    elements
        .iter()
        .filter_map(|element| element.attribute_name.clone())
        .collect()
}

/// Refuses a key whose attributes are not defined.
pub(crate) fn check_defined(kinds: &Kinds, keys: &[String]) -> Result<(), ApiError> {
    if keys.iter().all(|name| kinds.contains_key(name)) {
        return Ok(());
    }
    if kinds.len() < keys.len() {
        return Err(Validation::KeyDefinition.into());
    }
    wrong(format!(
        "Some index key attributes are not defined in AttributeDefinitions. Keys: [{}], AttributeDefinitions: [{}]",
        list(keys),
        list(kinds.keys())
    ))
}

/// Refuses definitions and keys that do not name the same attributes.
pub(crate) fn check_definitions(
    kinds: &Kinds,
    key: &[KeySchemaElement],
    indexes: &[&SecondaryIndex],
) -> Result<(), ApiError> {
    let table_keys = names(key);
    check_defined(kinds, &table_keys)?;
    let mut used: BTreeSet<String> = table_keys.into_iter().collect();
    for index in indexes {
        let keys = names(index.key_schema.as_deref().unwrap_or_default());
        check_defined(kinds, &keys)?;
        used.extend(keys);
    }
    if kinds.len() == used.len() {
        return Ok(());
    }
    if indexes.is_empty() {
        return wrong(
            "Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions",
        );
    }
    wrong(format!(
        "Some AttributeDefinitions are not used. AttributeDefinitions: [{}], keys used: [{}]",
        list(kinds.keys()),
        list(&used)
    ))
}

/// The key of a table or local index: one partition and at most one sort attribute.
pub(crate) fn key_schema(
    elements: &[KeySchemaElement],
    kinds: &Kinds,
) -> Result<KeySchema, ApiError> {
    let schema = parts(elements, kinds);
    let is_hash = |element: &KeySchemaElement| known(&element.key_type) == Some(KeyType::Hash);
    if !elements.first().is_some_and(is_hash) {
        return sentence("Invalid KeySchema: The first KeySchemaElement is not a HASH key type");
    }
    if elements.get(1).is_some_and(is_hash) {
        return sentence("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type");
    }
    if schema.partition.first().map(|attribute| &attribute.name)
        == schema.sort.first().map(|attribute| &attribute.name)
    {
        return Err(Validation::KeyDefinition.into());
    }
    Ok(schema)
}

/// The key of a global index: up to four partition attributes, then up to four sort attributes.
fn global_key_schema(elements: &[KeySchemaElement], kinds: &Kinds) -> Result<KeySchema, ApiError> {
    let schema = parts(elements, kinds);
    let is_hash = |element: &KeySchemaElement| known(&element.key_type) == Some(KeyType::Hash);
    if !elements.first().is_some_and(is_hash) {
        return sentence("Invalid KeySchema: The first KeySchemaElement is not a HASH key type");
    }
    if elements
        .iter()
        .skip_while(|element| is_hash(element))
        .any(is_hash)
    {
        return wrong("All HASH key attributes must precede RANGE key attributes in the KeySchema");
    }
    for (attributes, part) in [(&schema.partition, "HASH"), (&schema.sort, "RANGE")] {
        if attributes.len() > INDEX_KEY_ATTRIBUTES_MAX {
            return wrong(format!(
                "The KeySchema exceeds the maximum allowed number of {part} key attributes"
            ));
        }
    }
    let mut seen = BTreeSet::new();
    if !schema
        .attributes()
        .all(|attribute| seen.insert(&attribute.name))
    {
        return wrong("The KeySchema contains multiple key attributes with the same name");
    }
    Ok(schema)
}

fn parts(elements: &[KeySchemaElement], kinds: &Kinds) -> KeySchema {
    let mut schema = KeySchema {
        partition: Vec::new(),
        sort: Vec::new(),
    };
    for element in elements {
        let name = element.attribute_name.clone().unwrap_or_default();
        let kind = kinds.get(&name).copied().unwrap_or(KeyKind::S);
        let part = match known(&element.key_type) {
            Some(KeyType::Hash) => &mut schema.partition,
            Some(KeyType::Range) | None => &mut schema.sort,
        };
        part.push(KeyAttribute { name, kind });
    }
    schema
}

/// The read and write units of a request.
pub(crate) fn units(given: &ProvisionedThroughput) -> (u64, u64) {
    let units = |units: Option<i64>| {
        units
            .and_then(|units| u64::try_from(units).ok())
            .unwrap_or(0)
    };
    (
        units(given.read_capacity_units),
        units(given.write_capacity_units),
    )
}

/// The limits of an on-demand table or index. The value -1 removes a limit.
pub(crate) fn on_demand(
    given: Option<&OnDemandThroughput>,
    mode: BillingMode,
    index: Option<&str>,
) -> Result<(Option<u64>, Option<u64>), ApiError> {
    let Some(given) = given else {
        return Ok((None, None));
    };
    let members = [
        ("MaxReadRequestUnits", given.max_read_request_units),
        ("MaxWriteRequestUnits", given.max_write_request_units),
    ];
    for (member, units) in members {
        let Some(units) = units else { continue };
        if mode == BillingMode::Provisioned {
            return wrong(match index {
                None => {
                    format!(
                        "{member} for OnDemandThroughput cannot be specified when table BillingMode is PROVISIONED."
                    )
                }
                Some(index) => format!(
                    "{member} for OnDemandThroughput for index: {index} cannot be specified when table BillingMode is PROVISIONED."
                ),
            });
        }
        if units < 1 && units != -1 {
            return wrong(match index {
                None => {
                    format!(
                        "Requested {member} for OnDemandThroughput for table is outside of valid range"
                    )
                }
                Some(index) => format!(
                    "Requested {member} for OnDemandThroughput for index : {index} is outside of valid range"
                ),
            });
        }
    }
    let limit = |units: Option<i64>| units.and_then(|units| u64::try_from(units).ok());
    Ok((
        limit(given.max_read_request_units),
        limit(given.max_write_request_units),
    ))
}

/// The requested warm throughput, which has at least one member.
pub(crate) fn warm(
    given: Option<&WarmThroughput>,
    index: Option<&str>,
) -> Result<Option<(u64, u64)>, ApiError> {
    let Some(given) = given else { return Ok(None) };
    if given.read_units_per_second.is_none() && given.write_units_per_second.is_none() {
        let place = index.map_or(String::new(), |index| format!(" for index: {index}"));
        return wrong(format!(
            "WarmThroughput must have at least one of ReadUnitsPerSecond or WriteUnitsPerSecond specified{place}"
        ));
    }
    let units = |units: Option<i64>| {
        units
            .and_then(|units| u64::try_from(units).ok())
            .unwrap_or(0)
    };
    Ok(Some((
        units(given.read_units_per_second),
        units(given.write_units_per_second),
    )))
}

fn projection(given: Option<&Projection>) -> Result<IndexProjection, ApiError> {
    let given = given.cloned().unwrap_or_default();
    match (known(&given.projection_type), given.non_key_attributes) {
        (None, _) => wrong("Unknown ProjectionType: null"),
        (Some(ProjectionType::Include), None) => {
            wrong("ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
        }
        (Some(ProjectionType::Include), Some(names)) => {
            let mut seen = BTreeSet::new();
            match names.iter().find(|name| !seen.insert(name.as_str())) {
                Some(name) => wrong(format!("Duplicate element in NonKeyAttributes: {name}")),
                None => Ok(IndexProjection::Include(names)),
            }
        }
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

/// Checks and makes a local index of a table with this key.
pub(crate) fn local_index(
    given: &SecondaryIndex,
    kinds: &Kinds,
    table: &KeySchema,
) -> Result<Index, ApiError> {
    let name = given.index_name.clone().unwrap_or_default();
    let key = key_schema(given.key_schema.as_deref().unwrap_or_default(), kinds)?;
    if table.sort.is_empty() {
        return wrong(
            "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex",
        );
    }
    if key.partition != table.partition {
        let hash = |schema: &KeySchema| {
            schema
                .partition
                .first()
                .map(|a| a.name.clone())
                .unwrap_or_default()
        };
        return wrong(format!(
            "Index KeySchema does not have the same leading hash key as table KeySchema for index: {name}. index hash key: {}, table hash key: {}",
            hash(&key),
            hash(table)
        ));
    }
    if key.sort.is_empty() {
        return wrong(format!(
            "Index KeySchema does not have a range key for index: {name}"
        ));
    }
    let projection = projection(given.projection.as_ref())?;
    let capacity = Capacity::default();
    Ok(Index {
        id: IndexId(0),
        name,
        kind: IndexKind::Local,
        key,
        projection,
        capacity,
        is_building: false,
    })
}

/// Checks and makes a global index of a table with this billing mode.
pub(crate) fn global_index(
    given: &SecondaryIndex,
    kinds: &Kinds,
    mode: BillingMode,
) -> Result<Index, ApiError> {
    let name = given.index_name.clone().unwrap_or_default();
    let key = global_key_schema(given.key_schema.as_deref().unwrap_or_default(), kinds)?;
    let projection = projection(given.projection.as_ref())?;
    let units = match (mode, &given.provisioned_throughput) {
        (BillingMode::Provisioned, Some(given)) => units(given),
        (BillingMode::PayPerRequest, None) => (0, 0),
        (BillingMode::Provisioned, None) => {
            return wrong(format!(
                "ProvisionedThroughput is not specified for index: {name}"
            ));
        }
        (BillingMode::PayPerRequest, Some(_)) => {
            return wrong(format!(
                "ProvisionedThroughput should not be specified for index: {name} when BillingMode is PAY_PER_REQUEST"
            ));
        }
    };
    let capacity = Capacity {
        mode,
        units,
        on_demand_max: on_demand(given.on_demand_throughput.as_ref(), mode, Some(&name))?,
        warm: warm(given.warm_throughput.as_ref(), Some(&name))?,
        ..Capacity::default()
    };
    Ok(Index {
        id: IndexId(0),
        name,
        kind: IndexKind::Global,
        key,
        projection,
        capacity,
        is_building: false,
    })
}

/// Checks the indexes together: their names differ, and the number of projected attributes is
/// limited.
pub(crate) fn check_together(indexes: &[Index]) -> Result<(), ApiError> {
    let mut names = BTreeSet::new();
    if let Some(index) = indexes.iter().find(|index| !names.insert(&index.name)) {
        return wrong(format!("Duplicate index name: {}", index.name));
    }
    let projected = indexes.iter().map(|index| match &index.projection {
        IndexProjection::Include(names) => names.len(),
        IndexProjection::All | IndexProjection::KeysOnly => 0,
    });
    if projected.sum::<usize>() > PROJECTED_ATTRIBUTES_MAX {
        return wrong(format!(
            "Number of projected attributes over all indexes exceeds the limit of {PROJECTED_ATTRIBUTES_MAX}"
        ));
    }
    Ok(())
}
