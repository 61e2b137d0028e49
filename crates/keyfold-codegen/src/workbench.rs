//! Models of NoSQL Workbench: read (versions 1.0, 2.0 and 3.0) as a proposed model, and written
//! with sample items, facets for each kind, and indexes.
//!
//! Later versions add members (capacity, several facets) and move none, so one reader takes all
//! three. Samples are in DynamoDB's JSON, which `keyfold-wire` reads and writes.

use crate::infer::{
    IndexDefinition, KeyColumn, NoTable, Projection, TableDefinition, identifier, propose, shown,
};
use crate::view::view_line;
use crate::words::{aggregates, key_columns, promise, sparse_text, templates};
use crate::{projection, sample};
use keyfold_model::schema::{Capacity, Column, KeyPair, conjunction};
use keyfold_model::template::{Format, KeyTemplate, Part};
use keyfold_model::{Attribute, Copy, Entity, Index, IndexKind, Model, Table, value};
use keyfold_types::{Item, KeyKind, Value};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;

/// The reason that a text is no model of NoSQL Workbench.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkbenchError {
    /// The text is no JSON.
    #[error("this is no JSON: {0}")]
    Json(String),
    /// A member that every model has is missing.
    #[error("{place}: {missing} is missing; a model of NoSQL Workbench has it")]
    Missing {
        /// The part of the file: a table or index by name.
        place: String,
        /// The member.
        missing: &'static str,
    },
    /// A version that is not known.
    #[error("the version {0} is not known; known are 1.0, 2.0 and 3.0")]
    Version(String),
    /// A key attribute of a type that keys do not have.
    #[error("the key attribute {name} has the type {kind}; keys are S, N or B")]
    KeyType {
        /// The attribute.
        name: String,
        /// Its type.
        kind: String,
    },
    /// No table of the file can be declared.
    #[error(transparent)]
    NoTable(#[from] NoTable),
}

/// The version of files that are written.
const VERSION: &str = "3.0";
/// The versions that are read.
const VERSIONS: [&str; 3] = ["1.0", "2.0", "3.0"];

/// Reads a file of NoSQL Workbench, and proposes the text of a model for it. The text compiles.
///
/// # Errors
/// When the text is no such file: one variant of [`WorkbenchError`] for each reason.
pub fn read(text: &str) -> Result<String, WorkbenchError> {
    let json: Json =
        serde_json::from_str(text).map_err(|error| WorkbenchError::Json(error.to_string()))?;
    let version = json["ModelMetadata"]["Version"].as_str().unwrap_or(VERSION);
    if !VERSIONS.contains(&version) {
        return Err(WorkbenchError::Version(version.to_owned()));
    }
    let tables = json["DataModel"]
        .as_array()
        .ok_or_else(|| missing("the file", "DataModel"))?;
    let mut left_out = Vec::new();
    let read = |table| read_table(table, &mut left_out);
    let found: Vec<_> = tables.iter().map(read).collect::<Result<_, _>>()?;
    let name = json["ModelName"].as_str().unwrap_or("imported");
    let about = json["ModelMetadata"]["Description"]
        .as_str()
        .unwrap_or_default();
    let mut text = propose(&identifier(name), &found)?;
    // The file's description becomes comments behind the first line, as do the samples that are none.
    let about = about.lines().filter(|line| !line.is_empty());
    let about = about.map(str::to_owned).chain(left_out);
    let comments: String = about.map(|line| format!("# {line}\n")).collect();
    if let (Some(end), false) = (text.find('\n'), comments.is_empty()) {
        text.insert_str(end + 1, &format!("\n{comments}"));
    }
    Ok(keyfold_model::format(&text))
}

fn missing(place: &str, missing: &'static str) -> WorkbenchError {
    WorkbenchError::Missing {
        place: place.to_owned(),
        missing,
    }
}

/// A table's definition and its samples. Those that are none become lines of `left_out`.
fn read_table(
    table: &Json,
    left_out: &mut Vec<String>,
) -> Result<(TableDefinition, Vec<Item>), WorkbenchError> {
    let name = table["TableName"]
        .as_str()
        .ok_or_else(|| missing("a table", "TableName"))?;
    let key = key_columns_of(&table["KeyAttributes"], name)?;
    let mut indexes = Vec::new();
    for (member, is_local) in [
        ("GlobalSecondaryIndexes", false),
        ("LocalSecondaryIndexes", true),
    ] {
        for index in table[member].as_array().into_iter().flatten() {
            indexes.push(read_index(index, is_local, name)?);
        }
    }
    let samples = samples(table, name, &key, left_out);
    let definition = TableDefinition {
        name: name.to_owned(),
        key,
        indexes,
        ttl: None,
    };
    Ok((definition, samples))
}

fn column(json: &Json, place: &str) -> Result<KeyColumn, WorkbenchError> {
    let name = json["AttributeName"]
        .as_str()
        .ok_or_else(|| missing(place, "AttributeName"))?;
    let kind = match json["AttributeType"].as_str() {
        Some("N") => KeyKind::N,
        Some("B") => KeyKind::B,
        Some("S") | None => KeyKind::S,
        Some(other) => {
            return Err(WorkbenchError::KeyType {
                name: name.to_owned(),
                kind: other.to_owned(),
            });
        }
    };
    Ok((name.to_owned(), kind))
}

fn key_columns_of(json: &Json, place: &str) -> Result<Vec<KeyColumn>, WorkbenchError> {
    let mut columns = vec![column(&json["PartitionKey"], place)?];
    if json["SortKey"].is_object() {
        columns.push(column(&json["SortKey"], place)?);
    }
    Ok(columns)
}

/// A key part: one attribute, or a list of them.
fn group(json: &Json, place: &str) -> Result<Vec<KeyColumn>, WorkbenchError> {
    match json {
        Json::Array(all) => all.iter().map(|one| column(one, place)).collect(),
        Json::Object(_) => Ok(vec![column(json, place)?]),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => Ok(Vec::new()),
    }
}

fn read_index(json: &Json, is_local: bool, table: &str) -> Result<IndexDefinition, WorkbenchError> {
    let name = json["IndexName"]
        .as_str()
        .ok_or_else(|| missing(table, "IndexName"))?;
    let names = |json: &Json| {
        json.as_array()
            .into_iter()
            .flatten()
            .filter_map(Json::as_str)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let projection = match json["Projection"]["ProjectionType"].as_str() {
        Some("KEYS_ONLY") => Projection::Keys,
        Some("INCLUDE") => Projection::Only(names(&json["Projection"]["NonKeyAttributes"])),
        _ => Projection::All,
    };
    Ok(IndexDefinition {
        name: name.to_owned(),
        is_local,
        partition: group(&json["KeyAttributes"]["PartitionKey"], name)?,
        sort: group(&json["KeyAttributes"]["SortKey"], name)?,
        projection,
    })
}

/// The sample items of a table and of its facets. Each that is none becomes a line of `left_out`,
/// with its place and the reason.
fn samples(table: &Json, name: &str, key: &[KeyColumn], left_out: &mut Vec<String>) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut add = |place: &str, samples: &Json| {
        for (at, sample) in (1..).zip(samples.as_array().into_iter().flatten()) {
            match sample_item(sample, key) {
                Ok(item) if items.contains(&item) => {}
                Ok(item) => items.push(item),
                Err(why) => left_out.push(shown(&format!(
                    "left out: sample {at} of {place} is no item of the table: {why}"
                ))),
            }
        }
    };
    add(&format!("the table `{name}`"), &table["TableData"]);
    for facet in table["TableFacets"].as_array().into_iter().flatten() {
        let of = facet["FacetName"].as_str().unwrap_or_default();
        let place = format!("the facet `{of}` of the table `{name}`");
        add(&place, &facet["TableData"]);
    }
    items
}

/// An item with the table's key, or the reason why a sample is none.
fn sample_item(sample: &Json, key: &[KeyColumn]) -> Result<Item, String> {
    let item = keyfold_wire::client::decode_item(sample.to_string().as_bytes())
        .map_err(|_| "it is no item in DynamoDB's JSON".to_owned())?;
    for (name, kind) in key {
        let (wanted, found) = (kind.descriptor(), item.get(name));
        match found.map(|value| value.kind().descriptor()) {
            // DynamoDB would refuse a sample without its key.
            None => return Err(format!("its key attribute `{name}` is missing")),
            Some(found) if found != wanted => {
                return Err(format!(
                    "its key attribute `{name}` is {found}, not {wanted}"
                ));
            }
            Some(_) => {}
        }
    }
    Ok(item)
}

/// Writes a model as a file of NoSQL Workbench, with a sample of each kind of item.
pub fn write(model: &Model) -> Json {
    let Model {
        name,
        // The description names it.
        version: _,
        // A file of NoSQL Workbench has no others.
        files: _,
        tables,
        // The tables hold their samples.
        entities: _,
        // It follows from the entities.
        counted: _,
        // The description names them.
        patterns: _,
        writes: _,
    } = model;
    let tables: Vec<Json> = tables
        .iter()
        .enumerate()
        .map(|(at, table)| write_table(model, at, table))
        .collect();
    json!({
        "ModelName": name,
        "ModelMetadata": {
            "Author": "Keyfold",
            "DateCreated": "",
            "DateLastModified": "",
            "Description": description(model),
            "AWSService": "Amazon DynamoDB",
            "Version": VERSION,
        },
        "DataModel": tables,
    })
}

/// The model's name, and the declarations that NoSQL Workbench cannot hold, a line each.
fn description(model: &Model) -> String {
    let mut lines = vec![format!("The model {} {}", model.name, model.version)];
    for entity in &model.entities {
        let described = describe_entity(model, entity).into_iter();
        lines.extend(described.map(|line| format!("{}: {line}", entity.name)));
    }
    lines.extend(
        model
            .patterns
            .iter()
            .map(|pattern| format!("pattern {} -> {}", pattern.name, promise(model, pattern))),
    );
    lines.extend(
        model
            .writes
            .iter()
            .map(|write| format!("write {}", write.name)),
    );
    lines.join("\n")
}

/// The declarations of an entity that NoSQL Workbench cannot hold.
fn describe_entity(model: &Model, entity: &Entity) -> Vec<String> {
    let Entity {
        name,
        was: _,
        part: _,
        span: _,
        end: _,
        is_shared: _,
        table: _,
        attributes,
        by_name: _,
        touched: _,
        key,
        // The guard of it is among `uniques`.
        id: _,
        indexes,
        copies,
        uniques,
        // The file has no member for expiry; the attribute is in the samples.
        ttl: _,
        // The attribute is in the samples.
        version: _,
        // They are described below.
        aggregates: _,
        // The samples are items as the application sees them.
        split: _,
        unstored: _,
        compressed: _,
        // It changes no item.
        expected: _,
        // It follows from the key.
        period_attribute: _,
        excluded: _,
        origin: _,
        view: _,
    } = entity;
    let mut lines: Vec<String> = uniques
        .iter()
        .map(|unique| {
            let word = entity.word_of(unique);
            format!("{word} ({})", unique.joined(", "))
        })
        .collect();
    lines.extend(copies.iter().map(|copy| {
        let Copy {
            name: copy,
            span: _,
            // The sample of the copy shows both.
            key: _,
            attributes: _,
            when,
        } = copy;
        let when = if when.is_empty() {
            String::new()
        } else {
            format!(", when {}", conjunction(when))
        };
        format!("the kind {name}.{copy} is its copy {copy}{when}")
    }));
    lines.extend(attributes.iter().filter_map(reference));
    lines.extend(view_line(model, entity));
    let aggregates = aggregates(model, entity).into_iter();
    lines.extend(aggregates.map(|one| format!("keeps {one}")));
    let sparse = indexes.iter().filter_map(|index| index.sparse.as_ref());
    lines.extend(sparse.map(|one| format!("in an index only when {}", sparse_text(one))));
    let keys = std::iter::once(key).chain(indexes.iter().map(|index| &index.key));
    let computed = keys.flat_map(templates).filter(|one| is_computed(one));
    lines.extend(computed.map(|template| format!("a key is made as {template}")));
    lines
}

/// The reference of an attribute, in words.
fn reference(attribute: &Attribute) -> Option<String> {
    let Attribute {
        name,
        span: _,
        mark: _,
        // The samples show the type.
        kind: _,
        // The file has no member for these.
        optional: _,
        default: _,
        refers,
        is_kept: _,
        was: _,
        former: _,
    } = attribute;
    let (to, of) = refers.as_ref()?;
    Some(format!("{name} refers to {to}.{of}"))
}

/// Whether a sample cannot show how a key is made.
fn is_computed(template: &KeyTemplate) -> bool {
    template.parts.iter().any(|part| match part {
        Part::Shard { .. } | Part::Chunk => true,
        Part::Field { format, .. } => match format {
            Format::Hash | Format::Lower | Format::Escaped | Format::Truncated(_) => true,
            Format::Plain | Format::Bare | Format::Padded { .. } | Format::Reversed => false,
        },
        Part::Text(_) | Part::Break => false,
    })
}

fn attribute(column: &Column) -> Json {
    json!({ "AttributeName": column.name, "AttributeType": column.kind.descriptor() })
}

fn key_attributes(partition: &[Column], sort: &[Column]) -> Json {
    let one = |columns: &[Column]| match columns {
        [column] => attribute(column),
        several => several.iter().map(attribute).collect(),
    };
    let mut key = Map::new();
    key.insert("PartitionKey".to_owned(), one(partition));
    if !sort.is_empty() {
        key.insert("SortKey".to_owned(), one(sort));
    }
    Json::Object(key)
}

fn write_table(model: &Model, at: usize, table: &Table) -> Json {
    let Table {
        name,
        span: _,
        end: _,
        is_shared: _,
        partition,
        sort,
        // The samples have it.
        type_attribute: _,
        capacity,
        // The file has no member for these.
        ttl_attribute: _,
        period: _,
        cooled: _,
        settings: _,
        indexes,
        // They follow from the keys.
        delimiters: _,
    } = table;
    let entities = model.entities.iter().enumerate();
    let entities = entities.filter(|(_, entity)| entity.table == at);
    let items: Vec<(String, Item)> = entities
        .flat_map(|(at, entity)| sample_items(table, entity, &sample::counted(model, at, entity)))
        .collect();
    let keys: Vec<&str> = std::iter::once(partition)
        .chain(sort)
        .map(|column| column.name.as_str())
        .collect();
    let of_kind = |kind: IndexKind| -> Vec<Json> {
        let indexes = indexes.iter().filter(|index| index.kind == kind);
        indexes.map(write_index).collect()
    };
    let facets: Vec<Json> = items
        .iter()
        .map(|(kind, item)| facet(kind, item, table, &keys))
        .collect();
    let mut made = json!({
        "TableName": name,
        "KeyAttributes": key_attributes(std::slice::from_ref(partition), sort.as_slice()),
        "NonKeyAttributes": other_attributes(&items, &keys),
        "TableFacets": facets,
        "GlobalSecondaryIndexes": of_kind(IndexKind::Global),
        "LocalSecondaryIndexes": of_kind(IndexKind::Local),
        "TableData": items.iter().map(|(_, item)| typed(item)).collect::<Vec<_>>(),
        "DataAccess": { "MySql": {} },
        "SampleDataFormats": {},
        "BillingMode": "PAY_PER_REQUEST",
    });
    if let (Capacity::Provisioned { reads, writes, .. }, Some(object)) =
        (capacity, made.as_object_mut())
    {
        object.insert("BillingMode".to_owned(), json!("PROVISIONED"));
        object.insert(
            "ProvisionedCapacitySettings".to_owned(),
            json!({ "ProvisionedThroughput": { "ReadCapacityUnits": reads.least, "WriteCapacityUnits": writes.least } }),
        );
    }
    made
}

/// The attributes of samples besides the key, each once with the type of its first value.
fn other_attributes(items: &[(String, Item)], keys: &[&str]) -> Vec<Json> {
    let mut others: Vec<(&str, &'static str)> = Vec::new();
    for (name, value) in items.iter().flat_map(|(_, item)| item.iter()) {
        if !keys.contains(&name.as_str()) && !others.iter().any(|(known, _)| known == name) {
            others.push((name, value.kind().descriptor()));
        }
    }
    let one = |(name, kind)| json!({ "AttributeName": name, "AttributeType": kind });
    others.into_iter().map(one).collect()
}

fn write_index(index: &Index) -> Json {
    let Index {
        name,
        span: _,
        // Each kind has a list of its own.
        kind: _,
        partition,
        sort,
        projection,
        projection_span: _,
        // The file has no member for it.
        capacity: _,
    } = index;
    json!({
        "IndexName": name,
        "KeyAttributes": key_attributes(partition, sort),
        "Projection": projection::json(projection),
    })
}

/// A sample of a kind of item, with the names of its attributes.
fn facet(kind: &str, item: &Item, table: &Table, keys: &[&str]) -> Json {
    let mut alias = Map::new();
    alias.insert("PartitionKeyAlias".to_owned(), json!(table.partition.name));
    if let Some(sort) = &table.sort {
        alias.insert("SortKeyAlias".to_owned(), json!(sort.name));
    }
    let others = item
        .iter()
        .map(|(name, _)| name.as_str())
        .filter(|name| !keys.contains(name));
    json!({
        "FacetName": kind,
        "KeyAttributeAlias": alias,
        "TableData": [typed(item)],
        "NonKeyAttributes": others.collect::<Vec<_>>(),
        "DataAccess": { "MySql": {} },
    })
}

fn typed(item: &Item) -> Json {
    let mut out = Vec::new();
    keyfold_wire::encode::encode_item(&mut out, item);
    serde_json::from_slice(&out).unwrap_or(Json::Null)
}

/// A sample of an entity and of each of its copies, as they are stored in the table, each with the
/// name of its kind.
fn sample_items(
    table: &Table,
    entity: &Entity,
    values: &BTreeMap<String, Value>,
) -> Vec<(String, Item)> {
    let mut found = Vec::new();
    if let Some(mut item) = key_of(table, &entity.key, values) {
        for (name, value) in values {
            item.insert(name.as_str(), value.clone());
        }
        for index_key in &entity.indexes {
            let Some(index) = table.indexes.get(index_key.index) else {
                continue;
            };
            for (column, parts) in key_columns(index, &index_key.key) {
                if let (None, Ok(made)) = (item.get(&column.name), value::column(parts, values)) {
                    item.insert(column.name.as_str(), made);
                }
            }
        }
        found.push((entity.name.clone(), item));
    }
    for copy in &entity.copies {
        let values = sample::of_copy(entity, copy, values);
        let Some(mut item) = key_of(table, &copy.key, &values) else {
            continue;
        };
        for name in &copy.attributes {
            if let Some(value) = values.get(name) {
                item.insert(name.as_str(), value.clone());
            }
        }
        found.push((format!("{}.{}", entity.name, copy.name), item));
    }
    if let Some(attribute) = &table.type_attribute {
        for (kind, item) in &mut found {
            item.insert(attribute.as_str(), kind.as_str());
        }
    }
    found
}

/// An item with the key that these values make; `None` if they make no key.
fn key_of(table: &Table, key: &KeyPair, values: &BTreeMap<String, Value>) -> Option<Item> {
    let made = |template: &KeyTemplate| value::key(template, values).ok();
    let mut item = Item::new();
    item.insert(table.partition.name.as_str(), made(&key.partition)?);
    if let (Some(column), Some(template)) = (&table.sort, &key.sort) {
        item.insert(column.name.as_str(), made(template)?);
    }
    Some(item)
}
