//! Models of NoSQL Workbench: read (versions 1.0, 2.0 and 3.0) as a proposed model, and written
//! with sample items, facets for each kind, and indexes.
//!
//! The three versions differ in what may be there (capacity and several facets came later), not in
//! where it stands, so one reader takes them all. Samples are in DynamoDB's JSON, which
//! `keyfold-wire` reads and writes.

use crate::chart::{aggregates, promise};
use crate::infer::{IndexDefinition, KeyColumn, Projected, TableDefinition, identifier, propose};
use crate::sample;
use keyfold_model::schema::{Capacity, Column, Projection};
use keyfold_model::template::{Format, KeyTemplate, Part};
use keyfold_model::{Entity, Index, IndexKind, Model, Table, value};
use keyfold_types::{Item, KeyKind};
use serde_json::{Map, Value as Json, json};

/// Why a text is no model of NoSQL Workbench.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkbenchError {
    /// It is no JSON.
    #[error("this is no JSON: {0}")]
    Json(String),
    /// It lacks what every model has.
    #[error("{place}: {missing} is missing; a model of NoSQL Workbench has it")]
    Missing {
        /// Where.
        place: String,
        /// What.
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
    /// A sample that is no item.
    #[error("{place}: a sample is no item in DynamoDB's JSON with the table's key")]
    Sample {
        /// The table.
        place: String,
    },
}

/// The version written.
const VERSION: &str = "3.0";
const VERSIONS: [&str; 3] = ["1.0", "2.0", "3.0"];

/// The model text that a file of NoSQL Workbench proposes. It compiles.
///
/// # Errors
/// When the text is no such file.
pub fn read(text: &str) -> Result<String, WorkbenchError> {
    let json: Json =
        serde_json::from_str(text).map_err(|error| WorkbenchError::Json(error.to_string()))?;
    let version = json["ModelMetadata"]["Version"].as_str().unwrap_or(VERSION);
    if !VERSIONS.contains(&version) {
        return Err(WorkbenchError::Version(version.to_owned()));
    }
    let missing = |place: &str, missing| WorkbenchError::Missing {
        place: place.to_owned(),
        missing,
    };
    let tables = json["DataModel"]
        .as_array()
        .ok_or_else(|| missing("the file", "DataModel"))?;
    let mut found = Vec::new();
    for table in tables {
        let name = table["TableName"]
            .as_str()
            .ok_or_else(|| missing("a table", "TableName"))?;
        let key = key_columns(&table["KeyAttributes"], name)?;
        let mut indexes = Vec::new();
        for (member, is_local) in [
            ("GlobalSecondaryIndexes", false),
            ("LocalSecondaryIndexes", true),
        ] {
            for index in table[member].as_array().into_iter().flatten() {
                indexes.push(read_index(index, is_local, name)?);
            }
        }
        let definition = TableDefinition {
            name: name.to_owned(),
            key,
            indexes,
            ttl: None,
        };
        found.push((definition, samples(table, name)?));
    }
    let name = json["ModelName"].as_str().unwrap_or("imported");
    let about = json["ModelMetadata"]["Description"]
        .as_str()
        .unwrap_or_default();
    let mut text = propose(&identifier(name), &found);
    // What the file says of itself stands behind the first line.
    let comments: String = about
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| format!("# {line}\n"))
        .collect();
    if let (Some(end), false) = (text.find('\n'), comments.is_empty()) {
        text.insert_str(end + 1, &format!("\n{comments}"));
    }
    Ok(keyfold_model::format(&text))
}

fn column(json: &Json, place: &str) -> Result<KeyColumn, WorkbenchError> {
    let missing = |missing| WorkbenchError::Missing {
        place: place.to_owned(),
        missing,
    };
    let name = json["AttributeName"]
        .as_str()
        .ok_or_else(|| missing("AttributeName"))?;
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

fn key_columns(json: &Json, place: &str) -> Result<Vec<KeyColumn>, WorkbenchError> {
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
        _ => Ok(Vec::new()),
    }
}

fn read_index(json: &Json, is_local: bool, table: &str) -> Result<IndexDefinition, WorkbenchError> {
    let name = json["IndexName"].as_str();
    let name = name.ok_or_else(|| WorkbenchError::Missing {
        place: table.to_owned(),
        missing: "IndexName",
    })?;
    let names = |json: &Json| {
        json.as_array()
            .into_iter()
            .flatten()
            .filter_map(Json::as_str)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let projection = match json["Projection"]["ProjectionType"].as_str() {
        Some("KEYS_ONLY") => Projected::Keys,
        Some("INCLUDE") => Projected::Only(names(&json["Projection"]["NonKeyAttributes"])),
        _ => Projected::All,
    };
    Ok(IndexDefinition {
        name: name.to_owned(),
        is_local,
        partition: group(&json["KeyAttributes"]["PartitionKey"], name)?,
        sort: group(&json["KeyAttributes"]["SortKey"], name)?,
        projection,
    })
}

/// The sample items of a table and of its facets.
fn samples(table: &Json, name: &str) -> Result<Vec<Item>, WorkbenchError> {
    let own = table["TableData"].as_array().into_iter().flatten();
    let of_facets = table["TableFacets"].as_array().into_iter().flatten();
    let of_facets = of_facets.flat_map(|facet| facet["TableData"].as_array().into_iter().flatten());
    let keys = key_columns(&table["KeyAttributes"], name)?;
    let mut items: Vec<Item> = Vec::new();
    for sample in own.chain(of_facets) {
        let wrong = || WorkbenchError::Sample {
            place: name.to_owned(),
        };
        let item = keyfold_wire::client::decode_item(sample.to_string().as_bytes())
            .map_err(|_| wrong())?;
        // A sample without its key tells nothing, and could not be written.
        let has_key = keys.iter().all(|(name, kind)| {
            item.get(name)
                .is_some_and(|value| value.kind().descriptor() == kind.descriptor())
        });
        if !has_key {
            return Err(wrong());
        }
        if !items.contains(&item) {
            items.push(item);
        }
    }
    Ok(items)
}

/// A model as a file of NoSQL Workbench, with a sample of each kind of item.
pub fn write(model: &Model) -> Json {
    let tables: Vec<Json> = model
        .tables
        .iter()
        .enumerate()
        .map(|(at, table)| write_table(model, at, table))
        .collect();
    json!({
        "ModelName": model.name,
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

/// What the model is, and what of it NoSQL Workbench has no place for, a line each.
fn description(model: &Model) -> String {
    let mut lines = vec![format!("The model {} {}", model.name, model.version)];
    for entity in &model.entities {
        let name = &entity.name;
        lines.extend(
            entity
                .uniques
                .iter()
                .map(|unique| format!("{name}: unique ({})", unique.join(", "))),
        );
        lines.extend(
            entity
                .copies
                .iter()
                .map(|copy| format!("{name}: the kind {name}.{0} is its copy {0}", copy.name)),
        );
        lines.extend(entity.attributes.iter().filter_map(|attribute| {
            let (to, of) = attribute.refers.as_ref()?;
            Some(format!("{name}: {} refers to {to}.{of}", attribute.name))
        }));
        lines.extend(
            aggregates(model, entity)
                .into_iter()
                .map(|one| format!("{name}: keeps {one}")),
        );
        lines.extend(entity.indexes.iter().filter_map(|key| {
            let sparse = key.sparse.as_ref()?;
            let value = sparse
                .value
                .as_ref()
                .map_or(String::new(), |value| format!(" = {value}"));
            Some(format!(
                "{name}: in an index only when {}{value}",
                sparse.attribute
            ))
        }));
        let keys =
            std::iter::once(&entity.key).chain(entity.indexes.iter().map(|index| &index.key));
        let templates = keys.flat_map(|key| std::iter::once(&key.partition).chain(&key.sort));
        // A sample shows neither of these.
        let is_formed = |part: &Part| {
            let hides = |format: &Format| {
                matches!(
                    format,
                    Format::Hash | Format::Lower | Format::Escaped | Format::Truncated(_)
                )
            };
            matches!(part, Part::Shard { .. } | Part::Chunk)
                || matches!(part, Part::Field { format, .. } if hides(format))
        };
        let formed = templates.filter(|template| template.parts.iter().any(is_formed));
        lines.extend(formed.map(|template| format!("{name}: a key is made as {template}")));
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
    let entities: Vec<&Entity> = model
        .entities
        .iter()
        .filter(|entity| entity.table == at)
        .collect();
    let items: Vec<(String, Item)> = entities
        .iter()
        .flat_map(|entity| sample_items(table, entity))
        .collect();
    let keys: Vec<&str> = std::iter::once(&table.partition)
        .chain(&table.sort)
        .map(|c| c.name.as_str())
        .collect();
    let mut others: Vec<(String, &'static str)> = Vec::new();
    for (name, value) in items.iter().flat_map(|(_, item)| item.iter()) {
        if !keys.contains(&name.as_str()) && !others.iter().any(|(known, _)| known == name) {
            others.push((name.clone(), value.kind().descriptor()));
        }
    }
    let indexes = |kind: IndexKind| -> Vec<Json> {
        table
            .indexes
            .iter()
            .filter(|index| index.kind == kind)
            .map(write_index)
            .collect()
    };
    let sort: Vec<Column> = table.sort.iter().cloned().collect();
    let facets: Vec<Json> = items
        .iter()
        .map(|(kind, item)| facet(kind, item, table, &keys))
        .collect();
    let mut made = json!({
        "TableName": table.name,
        "KeyAttributes": key_attributes(std::slice::from_ref(&table.partition), &sort),
        "NonKeyAttributes": others
            .iter()
            .map(|(name, kind)| json!({ "AttributeName": name, "AttributeType": kind }))
            .collect::<Vec<_>>(),
        "TableFacets": facets,
        "GlobalSecondaryIndexes": indexes(IndexKind::Global),
        "LocalSecondaryIndexes": indexes(IndexKind::Local),
        "TableData": items.iter().map(|(_, item)| typed(item)).collect::<Vec<_>>(),
        "DataAccess": { "MySql": {} },
        "SampleDataFormats": {},
        "BillingMode": "PAY_PER_REQUEST",
    });
    if let (Capacity::Provisioned { reads, writes }, Some(object)) =
        (table.capacity, made.as_object_mut())
    {
        object.insert("BillingMode".to_owned(), json!("PROVISIONED"));
        object.insert(
            "ProvisionedCapacitySettings".to_owned(),
            json!({ "ProvisionedThroughput": { "ReadCapacityUnits": reads, "WriteCapacityUnits": writes } }),
        );
    }
    made
}

fn write_index(index: &Index) -> Json {
    let projection = match &index.projection {
        Projection::All => json!({ "ProjectionType": "ALL" }),
        Projection::Keys => json!({ "ProjectionType": "KEYS_ONLY" }),
        Projection::Only(names) => {
            json!({ "ProjectionType": "INCLUDE", "NonKeyAttributes": names })
        }
    };
    json!({
        "IndexName": index.name,
        "KeyAttributes": key_attributes(&index.partition, &index.sort),
        "Projection": projection,
    })
}

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

/// A sample of an entity and of each of its copies, as they lie in the table.
fn sample_items(table: &Table, entity: &Entity) -> Vec<(String, Item)> {
    let values = sample::values(entity);
    let key = |partition: &KeyTemplate, sort: Option<&KeyTemplate>| {
        let mut item = Item::new();
        let made = |template: &KeyTemplate| value::key(template, &values, &table.delimiters).ok();
        item.insert(table.partition.name.as_str(), made(partition)?);
        if let (Some(column), Some(template)) = (&table.sort, sort) {
            item.insert(column.name.as_str(), made(template)?);
        }
        Some(item)
    };
    let mut found = Vec::new();
    if let Some(mut item) = key(&entity.key.partition, entity.key.sort.as_ref()) {
        for (name, value) in &values {
            item.insert(name.as_str(), value.clone());
        }
        for index_key in &entity.indexes {
            let Some(index) = table.indexes.get(index_key.index) else {
                continue;
            };
            let templates = std::iter::once(&index_key.key.partition).chain(&index_key.key.sort);
            for (column, parts) in index
                .columns()
                .zip(templates.flat_map(KeyTemplate::columns))
            {
                if let (None, Ok(made)) = (
                    item.get(&column.name),
                    value::column(parts, &values, &table.delimiters),
                ) {
                    item.insert(column.name.as_str(), made);
                }
            }
        }
        mark(table, &mut item, &entity.name);
        found.push((entity.name.clone(), item));
    }
    for copy in &entity.copies {
        let Some(mut item) = key(&copy.key.partition, copy.key.sort.as_ref()) else {
            continue;
        };
        for name in &copy.attributes {
            if let Some(value) = values.get(name) {
                item.insert(name.as_str(), value.clone());
            }
        }
        let kind = format!("{}.{}", entity.name, copy.name);
        mark(table, &mut item, &kind);
        found.push((kind, item));
    }
    found
}

fn mark(table: &Table, item: &mut Item, kind: &str) {
    if let Some(attribute) = &table.type_attribute {
        item.insert(attribute.as_str(), kind);
    }
}
