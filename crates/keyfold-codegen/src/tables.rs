//! Table definitions for others to make: CloudFormation and Terraform.

use keyfold_model::schema::{Capacity, Column, Projection};
use keyfold_model::{Index, IndexKind, Model, Table, value};
use keyfold_types::KeyKind;
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Every table that a model needs, by name: with periods, one for each that is named.
fn physical<'m>(model: &'m Model, periods: &[String]) -> Vec<(String, &'m Table)> {
    let mut all = Vec::new();
    for table in &model.tables {
        match table.period {
            None => all.push((table.name.clone(), table)),
            Some(unit) => {
                let fits = periods.iter().filter(|period| unit.is_period(period));
                all.extend(fits.map(|period| (table.physical_name(period), table)));
            }
        }
    }
    all
}

fn letter(kind: KeyKind) -> &'static str {
    kind.descriptor()
}

/// The key attributes of a table and its indexes.
fn attributes(table: &Table) -> BTreeMap<&str, KeyKind> {
    let own = std::iter::once(&table.partition).chain(&table.sort);
    own.chain(table.indexes.iter().flat_map(Index::columns))
        .map(|c| (c.name.as_str(), c.kind))
        .collect()
}

fn key_schema<'c>(
    partition: impl IntoIterator<Item = &'c Column>,
    sort: impl IntoIterator<Item = &'c Column>,
) -> Json {
    let element =
        |column: &Column, kind: &str| json!({ "AttributeName": column.name, "KeyType": kind });
    let mut all: Vec<Json> = partition
        .into_iter()
        .map(|column| element(column, "HASH"))
        .collect();
    all.extend(sort.into_iter().map(|column| element(column, "RANGE")));
    Json::Array(all)
}

/// A CloudFormation template in JSON. Tables with periods are made for the periods given, like
/// `2024-01`.
pub fn cloudformation(model: &Model, periods: &[String]) -> Json {
    let mut resources = Map::new();
    for (name, table) in physical(model, periods) {
        resources.insert(
            logical_name(&name),
            json!({
                "Type": "AWS::DynamoDB::Table",
                "DeletionPolicy": "Retain",
                "UpdateReplacePolicy": "Retain",
                "Properties": properties(&name, table),
            }),
        );
    }
    json!({
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": format!("Tables of the model {} {}", model.name, model.version),
        "Resources": resources,
    })
}

/// The name of a table's resource in a template: its letters and digits. Where others were left
/// out, a digest of the name tells tables apart whose names differ in them only; it rests on the
/// name alone, so that it stays when tables are added.
fn logical_name(table: &str) -> String {
    let kept: String = table.chars().filter(char::is_ascii_alphanumeric).collect();
    // A logical name has at most 255 characters.
    match kept.get(..KEPT_MAX) {
        None if kept.len() == table.len() => format!("{kept}Table"),
        start => format!("{}{}Table", start.unwrap_or(&kept), digest(table)),
    }
}

/// Letters and digits of a table's name that its resource's name keeps.
const KEPT_MAX: usize = 200;

/// Sixteen hexadecimal digits that are those of no other name.
fn digest(name: &str) -> String {
    value::digest(name).chars().take(16).collect()
}

/// The label of a table's resource: its name, where Terraform takes it; otherwise with `_` for what
/// it does not take, and a digest.
fn label(table: &str) -> String {
    let is_taken = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let starts = table.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if starts && table.chars().all(is_taken) {
        return table.to_owned();
    }
    let kept: String = table
        .chars()
        .map(|c| if is_taken(c) { c } else { '_' })
        .collect();
    format!("table_{kept}_{}", digest(table))
}

fn properties(name: &str, table: &Table) -> Json {
    let mut properties = json!({
        "TableName": name,
        "AttributeDefinitions": attributes(table)
            .into_iter()
            .map(|(name, kind)| json!({ "AttributeName": name, "AttributeType": letter(kind) }))
            .collect::<Vec<_>>(),
        "KeySchema": key_schema([&table.partition], &table.sort),
    });
    let throughput = match table.capacity {
        Capacity::OnDemand => None,
        Capacity::Provisioned { reads, writes } => {
            Some(json!({ "ReadCapacityUnits": reads, "WriteCapacityUnits": writes }))
        }
    };
    let Some(object) = properties.as_object_mut() else {
        return properties;
    };
    let mode = if throughput.is_some() {
        "PROVISIONED"
    } else {
        "PAY_PER_REQUEST"
    };
    object.insert("BillingMode".to_owned(), json!(mode));
    if let Some(throughput) = &throughput {
        object.insert("ProvisionedThroughput".to_owned(), throughput.clone());
    }
    for (kind, member) in [
        (IndexKind::Global, "GlobalSecondaryIndexes"),
        (IndexKind::Local, "LocalSecondaryIndexes"),
    ] {
        let indexes: Vec<Json> = table
            .indexes
            .iter()
            .filter(|index| index.kind == kind)
            .map(|index| {
                let mut made = json!({
                    "IndexName": index.name,
                    "KeySchema": key_schema(&index.partition, &index.sort),
                    "Projection": projection(&index.projection),
                });
                if let (IndexKind::Global, Some(throughput), Some(object)) =
                    (kind, &throughput, made.as_object_mut())
                {
                    object.insert("ProvisionedThroughput".to_owned(), throughput.clone());
                }
                made
            })
            .collect();
        if !indexes.is_empty() {
            object.insert(member.to_owned(), Json::Array(indexes));
        }
    }
    if let Some(ttl) = &table.ttl_attribute {
        object.insert(
            "TimeToLiveSpecification".to_owned(),
            json!({ "AttributeName": ttl, "Enabled": true }),
        );
    }
    properties
}

fn projection(projection: &Projection) -> Json {
    match projection {
        Projection::All => json!({ "ProjectionType": "ALL" }),
        Projection::Keys => json!({ "ProjectionType": "KEYS_ONLY" }),
        Projection::Only(names) => {
            json!({ "ProjectionType": "INCLUDE", "NonKeyAttributes": names })
        }
    }
}

/// The provider that knows what is written here: keys of indexes are `key_schema` blocks.
const PROVIDER: &str = r#"terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.30"
    }
  }
}
"#;

/// Terraform's configuration of the tables. Tables with periods are made for the periods given.
pub fn terraform(model: &Model, periods: &[String]) -> String {
    let mut out = format!(
        "# Tables of the model {} {}\n\n{PROVIDER}",
        model.name, model.version
    );
    for (name, table) in physical(model, periods) {
        let _infallible = write!(
            out,
            "\nresource \"aws_dynamodb_table\" \"{}\" {{\n",
            label(&name)
        );
        body(&mut out, &name, table);
        out.push_str("}\n");
    }
    out
}

fn body(out: &mut String, name: &str, table: &Table) {
    let mut pairs = vec![("name", format!("\"{name}\""))];
    let capacity = match table.capacity {
        Capacity::OnDemand => {
            pairs.push(("billing_mode", "\"PAY_PER_REQUEST\"".to_owned()));
            Vec::new()
        }
        Capacity::Provisioned { reads, writes } => {
            pairs.push(("billing_mode", "\"PROVISIONED\"".to_owned()));
            vec![
                ("read_capacity", reads.to_string()),
                ("write_capacity", writes.to_string()),
            ]
        }
    };
    pairs.extend(capacity.iter().cloned());
    pairs.push(("hash_key", format!("\"{}\"", table.partition.name)));
    pairs.extend(
        table
            .sort
            .iter()
            .map(|sort| ("range_key", format!("\"{}\"", sort.name))),
    );
    assignments(out, "  ", &pairs);
    for (name, kind) in attributes(table) {
        block(
            out,
            "attribute",
            &[
                ("name", format!("\"{name}\"")),
                ("type", format!("\"{}\"", letter(kind))),
            ],
        );
    }
    for index in &table.indexes {
        index_block(out, index, &capacity);
    }
    if let Some(ttl) = &table.ttl_attribute {
        block(
            out,
            "ttl",
            &[
                ("attribute_name", format!("\"{ttl}\"")),
                ("enabled", "true".to_owned()),
            ],
        );
    }
}

fn index_block(out: &mut String, index: &Index, capacity: &[(&'static str, String)]) {
    let quoted = |names: &[String]| {
        names
            .iter()
            .map(|name| format!("\"{name}\""))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut pairs = vec![("name", format!("\"{}\"", index.name))];
    let is_global = index.kind == IndexKind::Global;
    let mut keys = String::new();
    if is_global {
        let each = index
            .partition
            .iter()
            .map(|c| (c, "HASH"))
            .chain(index.sort.iter().map(|c| (c, "RANGE")));
        for (column, kind) in each {
            let _infallible = write!(
                keys,
                "\n    key_schema {{\n      attribute_name = \"{}\"\n      key_type       = \"{kind}\"\n    }}\n",
                column.name
            );
        }
    } else {
        pairs.extend(
            index
                .sort
                .first()
                .map(|column| ("range_key", format!("\"{}\"", column.name))),
        );
    }
    if is_global {
        pairs.extend(capacity.iter().cloned());
    }
    match &index.projection {
        Projection::All => pairs.push(("projection_type", "\"ALL\"".to_owned())),
        Projection::Keys => pairs.push(("projection_type", "\"KEYS_ONLY\"".to_owned())),
        Projection::Only(names) => {
            pairs.push(("projection_type", "\"INCLUDE\"".to_owned()));
            pairs.push(("non_key_attributes", format!("[{}]", quoted(names))));
        }
    }
    let word = if is_global {
        "global_secondary_index"
    } else {
        "local_secondary_index"
    };
    let _infallible = write!(out, "\n  {word} {{\n");
    assignments(out, "    ", &pairs);
    out.push_str(&keys);
    out.push_str("  }\n");
}

fn block(out: &mut String, word: &str, pairs: &[(&str, String)]) {
    let _infallible = write!(out, "\n  {word} {{\n");
    assignments(out, "    ", pairs);
    out.push_str("  }\n");
}

/// Aligned as Terraform's own formatter does.
fn assignments(out: &mut String, indent: &str, pairs: &[(&str, String)]) {
    let width = pairs.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, value) in pairs {
        let _infallible = writeln!(out, "{indent}{name:<width$} = {value}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_that_differ_make_resources_that_differ() {
        let names = [
            "Orders", "orders", "Or-ders", "Or_ders", "Or.ders", "Orders-", "1Orders", "1-Orders",
            "_", "table_1",
        ];
        let logical: BTreeSet<String> = names.iter().map(|name| logical_name(name)).collect();
        let labels: BTreeSet<String> = names.iter().map(|name| label(name)).collect();
        assert_eq!(
            (logical.len(), labels.len()),
            (names.len(), names.len()),
            "{logical:?} {labels:?}"
        );
        assert!(
            logical
                .iter()
                .all(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        );
        assert!(
            labels
                .iter()
                .all(|name| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
        );
        assert_eq!(
            (logical_name("Orders").as_str(), label("Or-ders").as_str()),
            ("OrdersTable", "Or-ders")
        );
        let (one, two) = ("a".repeat(255), format!("{}b", "a".repeat(254)));
        assert!(logical_name(&one) != logical_name(&two) && logical_name(&one).len() <= 255);
    }
}
