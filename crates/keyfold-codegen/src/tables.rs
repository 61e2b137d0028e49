//! Table definitions for other tools: CloudFormation and Terraform.

use crate::projection;
use crate::scaling::{self, scaled};
use crate::settings;
use crate::terraform::{assignments, block, quoted};
use keyfold_model::schema::{Capacity, Column, Projection};
use keyfold_model::{Index, IndexKind, Model, Table, value};
use keyfold_types::KeyKind;
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Every table that a model needs, with its name. A table with periods appears once for each given
/// period of its unit.
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

/// The key attributes of a table and its indexes, with their types.
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
        let logical = logical_name(&name);
        for one in scaled(&name, table) {
            resources.extend(scaling::resources(&logical, &one));
        }
        resources.insert(
            logical,
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

/// The name of a table's resource in a template: its letters and digits. When other characters are
/// left out, a digest of the name distinguishes tables whose names differ only in these. It depends
/// on the name alone, so that it stays when tables are added.
fn logical_name(table: &str) -> String {
    let kept: String = table.chars().filter(char::is_ascii_alphanumeric).collect();
    // A logical name has at most 255 characters.
    match kept.get(..KEPT_MAX) {
        None if kept.len() == table.len() => format!("{kept}Table"),
        start => format!("{}{}Table", start.unwrap_or(&kept), digest(table)),
    }
}

/// The most letters and digits of a table's name that its resource's name keeps.
const KEPT_MAX: usize = 200;

/// Sixteen hexadecimal digits that distinguish a name from others.
fn digest(name: &str) -> String {
    value::digest(name).chars().take(16).collect()
}

/// The label of a table's resource: its name if Terraform takes it; otherwise the name with `_` for
/// the characters that Terraform does not take, and a digest.
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
    let Table {
        // The parameter is the name, with the period if there is one.
        name: _,
        span: _,
        end: _,
        is_shared: _,
        partition,
        sort,
        // Not part of a table's definition.
        type_attribute: _,
        ttl_attribute,
        // The name contains it.
        period: _,
        capacity,
        // It is for tables of past periods.
        cooled: _,
        settings,
        indexes,
        delimiters: _,
    } = table;
    let definitions: Vec<Json> = attributes(table)
        .into_iter()
        .map(|(name, kind)| json!({ "AttributeName": name, "AttributeType": kind.descriptor() }))
        .collect();
    let mut properties = Map::new();
    let mut insert = |name: &str, value: Json| properties.insert(name.to_owned(), value);
    insert("TableName", json!(name));
    insert("AttributeDefinitions", json!(definitions));
    insert("KeySchema", key_schema([partition], sort));
    match throughput(*capacity) {
        Some(throughput) => {
            insert("BillingMode", json!("PROVISIONED"));
            insert("ProvisionedThroughput", throughput);
        }
        None => drop(insert("BillingMode", json!("PAY_PER_REQUEST"))),
    }
    for (kind, member) in [
        (IndexKind::Global, "GlobalSecondaryIndexes"),
        (IndexKind::Local, "LocalSecondaryIndexes"),
    ] {
        let of_kind = indexes.iter().filter(|index| index.kind == kind);
        let of_kind: Vec<Json> = of_kind.map(|one| index_json(one, *capacity)).collect();
        if !of_kind.is_empty() {
            insert(member, Json::Array(of_kind));
        }
    }
    if let Some(ttl) = ttl_attribute {
        insert(
            "TimeToLiveSpecification",
            json!({ "AttributeName": ttl, "Enabled": true }),
        );
    }
    properties.extend(settings::properties(settings));
    Json::Object(properties)
}

/// The body of the CreateTable request of a table, without the table's name. The table of a past
/// period has another capacity.
pub(crate) fn creation(table: &Table, cooled: Option<Capacity>) -> Json {
    let cooled = Table {
        capacity: cooled.unwrap_or(table.capacity),
        ..table.clone()
    };
    let mut body = properties("", &cooled);
    if let Some(members) = body.as_object_mut() {
        members.remove("TableName");
        // Requests of their own switch these on.
        members.remove("TimeToLiveSpecification");
        members.remove("PointInTimeRecoverySpecification");
        if let Some(Json::Object(stream)) = members.get_mut("StreamSpecification") {
            stream.insert("StreamEnabled".to_owned(), json!(true));
        }
    }
    body
}

/// The throughput of provisioned units. Units that scale start at their least.
fn throughput(capacity: Capacity) -> Option<Json> {
    match capacity {
        Capacity::OnDemand => None,
        Capacity::Provisioned {
            reads,
            writes,
            // `scaling` has it.
            target: _,
        } => Some(json!({ "ReadCapacityUnits": reads.least, "WriteCapacityUnits": writes.least })),
    }
}

fn index_json(index: &Index, of_table: Capacity) -> Json {
    let Index {
        name,
        span: _,
        kind,
        partition,
        sort,
        projection,
        projection_span: _,
        // `capacity_in` returns it.
        capacity: _,
    } = index;
    let throughput = match kind {
        IndexKind::Global => throughput(index.capacity_in(of_table)),
        // A local index shares the throughput of its table.
        IndexKind::Local => None,
    };
    let mut made = json!({
        "IndexName": name,
        "KeySchema": key_schema(partition, sort),
        "Projection": projection::json(projection),
    });
    if let (Some(throughput), Some(object)) = (throughput, made.as_object_mut()) {
        object.insert("ProvisionedThroughput".to_owned(), throughput);
    }
    made
}

/// The oldest provider that takes the keys of indexes as `key_schema` blocks.
const PROVIDER: &str = r#"terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.30"
    }
  }
}
"#;

/// Terraform's configuration of the tables. Tables with periods are made for the periods given,
/// like `2024-01`.
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
        for one in scaled(&name, table) {
            scaling::write(&mut out, &label(&name), &one);
        }
    }
    out
}

/// The body of a table's resource.
fn body(out: &mut String, name: &str, table: &Table) {
    let Table {
        // The parameter is the name, with the period if there is one.
        name: _,
        span: _,
        end: _,
        is_shared: _,
        partition,
        sort,
        // Not part of a table's definition.
        type_attribute: _,
        ttl_attribute,
        // The name contains it.
        period: _,
        capacity,
        // It is for tables of past periods.
        cooled: _,
        settings,
        indexes,
        delimiters: _,
    } = table;
    let mut pairs = vec![("name", quoted(name))];
    let mode = match capacity {
        Capacity::OnDemand => "PAY_PER_REQUEST",
        Capacity::Provisioned { .. } => "PROVISIONED",
    };
    pairs.push(("billing_mode", quoted(mode)));
    pairs.extend(units(*capacity));
    pairs.push(("hash_key", quoted(&partition.name)));
    pairs.extend(sort.iter().map(|sort| ("range_key", quoted(&sort.name))));
    pairs.extend(settings::arguments(settings));
    assignments(out, "  ", &pairs);
    for (name, kind) in attributes(table) {
        block(
            out,
            "attribute",
            &[("name", quoted(name)), ("type", quoted(kind.descriptor()))],
        );
    }
    for index in indexes {
        index_block(out, index, *capacity);
    }
    if let Some(ttl) = ttl_attribute {
        block(
            out,
            "ttl",
            &[
                ("attribute_name", quoted(ttl)),
                ("enabled", "true".to_owned()),
            ],
        );
    }
    settings::blocks(out, settings);
    scaling::ignored(out, table);
}

/// The units of a capacity. Units that scale start at their least.
fn units(capacity: Capacity) -> Vec<(&'static str, String)> {
    match capacity {
        Capacity::OnDemand => Vec::new(),
        Capacity::Provisioned {
            reads,
            writes,
            // `scaling` has it.
            target: _,
        } => vec![
            ("read_capacity", reads.least.to_string()),
            ("write_capacity", writes.least.to_string()),
        ],
    }
}

fn index_block(out: &mut String, index: &Index, of_table: Capacity) {
    let Index {
        name,
        span: _,
        kind,
        partition,
        sort,
        projection,
        projection_span: _,
        // `capacity_in` returns it.
        capacity: _,
    } = index;
    let mut pairs = vec![("name", quoted(name))];
    let mut keys = String::new();
    let word = match kind {
        IndexKind::Global => {
            let partition = partition.iter().map(|column| (column, "HASH"));
            let sort = sort.iter().map(|column| (column, "RANGE"));
            for (column, kind) in partition.chain(sort) {
                let _infallible = write!(
                    keys,
                    "\n    key_schema {{\n      attribute_name = {}\n      key_type       = \"{kind}\"\n    }}\n",
                    quoted(&column.name)
                );
            }
            pairs.extend(units(index.capacity_in(of_table)));
            "global_secondary_index"
        }
        IndexKind::Local => {
            let sort = sort.first();
            pairs.extend(sort.map(|column| ("range_key", quoted(&column.name))));
            "local_secondary_index"
        }
    };
    match projection {
        Projection::All => pairs.push(("projection_type", quoted("ALL"))),
        Projection::Keys => pairs.push(("projection_type", quoted("KEYS_ONLY"))),
        Projection::Only(names) => {
            let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
            pairs.push(("projection_type", quoted("INCLUDE")));
            pairs.push(("non_key_attributes", format!("[{}]", names.join(", "))));
        }
    }
    let _infallible = write!(out, "\n  {word} {{\n");
    assignments(out, "    ", &pairs);
    out.push_str(&keys);
    out.push_str("  }\n");
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
