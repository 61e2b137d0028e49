//! Proposed models: of random tables and files of NoSQL Workbench with hostile names, each compiles,
//! or no table of it can be declared.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold_codegen::infer::{IndexDefinition, Projection, TableDefinition, propose};
use keyfold_codegen::workbench::{self, WorkbenchError};
use keyfold_model::compile;
use keyfold_types::{Item, KeyKind, Number, Value};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// Names of attributes, tables and indexes: plain, odd, and such that no model can say.
const NAMES: [&str; 40] = [
    "PK",
    "SK",
    "pk-id",
    "State#Date",
    "GSI1-PK",
    "GSI1 SK",
    "a.b",
    "user id",
    "key",
    "copy",
    "entity",
    "type",
    "exists",
    "only",
    "now",
    "day",
    "in",
    "list",
    "select",
    "1",
    "9lives",
    "a}b",
    "a{b",
    "{x}",
    "#",
    "é",
    "名前",
    " lead",
    "a,b",
    "a=b",
    "a|b",
    "a'b",
    "a\\b",
    "total:items",
    "quo\"te",
    "line\nbreak",
    "",
    "\t",
    "orderId",
    "createdAt",
];

fn name(rng: &mut fastrand::Rng) -> String {
    match rng.u8(..40) {
        0 => "n".repeat(rng.usize(200..400)),
        1 => (0..rng.usize(1..5)).map(|_| rng.char(..)).collect(),
        _ => NAMES[rng.usize(..NAMES.len())].to_owned(),
    }
}

/// A name that a table or an index has in DynamoDB, mostly.
fn title(rng: &mut fastrand::Rng) -> String {
    let usual = [
        "Shop",
        "app-prod.main",
        "key",
        "copy",
        "GSI1",
        "by.state",
        "123",
    ];
    if rng.u8(..8) == 0 {
        name(rng)
    } else {
        usual[rng.usize(..usual.len())].to_owned()
    }
}

fn kind(rng: &mut fastrand::Rng) -> KeyKind {
    [KeyKind::S, KeyKind::S, KeyKind::S, KeyKind::N, KeyKind::B][rng.usize(..5)]
}

fn columns(rng: &mut fastrand::Rng, counts: std::ops::Range<usize>) -> Vec<(String, KeyKind)> {
    (0..rng.usize(counts))
        .map(|_| (name(rng), kind(rng)))
        .collect()
}

fn index(rng: &mut fastrand::Rng, table: &[(String, KeyKind)]) -> IndexDefinition {
    let is_local = rng.u8(..4) == 0;
    IndexDefinition {
        name: title(rng),
        is_local,
        partition: if is_local {
            table.iter().take(1).cloned().collect()
        } else {
            columns(rng, 0..3)
        },
        sort: columns(rng, 0..3),
        projection: match rng.u8(..4) {
            0 => Projection::Keys,
            1 => Projection::Only((0..rng.usize(0..4)).map(|_| name(rng)).collect()),
            _ => Projection::All,
        },
    }
}

fn definition(rng: &mut fastrand::Rng) -> TableDefinition {
    let key = columns(rng, 1..3);
    TableDefinition {
        name: title(rng),
        indexes: (0..rng.usize(0..4)).map(|_| index(rng, &key)).collect(),
        ttl: (rng.u8(..4) == 0).then(|| name(rng)),
        key,
    }
}

fn text(rng: &mut fastrand::Rng) -> String {
    let texts = [
        "USER#u1",
        "ORDER#2024-01-01#7",
        "2024-01-01T10:00:00.000Z",
        "a#b",
        "{x}",
        "\"",
        "1#x",
        "PROFILE",
        "",
        "user-1",
        "x\ny",
        "ORDER_ITEM#",
        "A:B:C",
    ];
    texts[rng.usize(..texts.len())].to_owned()
}

fn value(rng: &mut fastrand::Rng, depth: usize) -> Value {
    match rng.u8(..if depth > 3 { 5 } else { 8 }) {
        0..=2 => text(rng).into(),
        3 => Value::N(
            ["1", "2.5", "-7", "1e10"][rng.usize(..4)]
                .parse::<Number>()
                .unwrap(),
        ),
        4 => [Value::Null, true.into(), Value::B(vec![1, 2])][rng.usize(..3)].clone(),
        5 => Value::L(
            (0..rng.usize(0..3))
                .map(|_| value(rng, depth + 1))
                .collect(),
        ),
        6 => {
            let mut nested: Value = 1.into();
            for _ in 0..rng.usize(1..31) {
                nested = Value::L(vec![nested]);
            }
            nested
        }
        _ => {
            let fields = (0..rng.usize(0..3)).map(|_| (name(rng), value(rng, depth + 1)));
            Value::M(fields.collect::<BTreeMap<_, _>>())
        }
    }
}

fn key_value(rng: &mut fastrand::Rng, kind: KeyKind) -> Value {
    match kind {
        KeyKind::S => text(rng).into(),
        KeyKind::N => rng.i64(-5..500).into(),
        KeyKind::B => Value::B(vec![rng.u8(..)]),
    }
}

fn items(rng: &mut fastrand::Rng, table: &TableDefinition) -> Vec<Item> {
    let shared: Vec<String> = (0..4).map(|_| name(rng)).collect();
    let one = |rng: &mut fastrand::Rng| {
        let mut item = Item::new();
        for name in &shared {
            if rng.u8(..4) > 0 {
                item.insert(name.as_str(), value(rng, 0));
            }
        }
        if rng.bool() {
            item.insert("type", ["Order", "User", "my type", "a\nb"][rng.usize(..4)]);
        }
        let of_indexes = table
            .indexes
            .iter()
            .flat_map(|index| index.partition.iter().chain(&index.sort));
        for (name, kind) in of_indexes {
            if rng.u8(..3) > 0 {
                item.insert(name.as_str(), key_value(rng, *kind));
            }
        }
        for (name, kind) in &table.key {
            item.insert(name.as_str(), key_value(rng, *kind));
        }
        item
    };
    (0..rng.usize(0..8)).map(|_| one(rng)).collect()
}

/// Checks a proposal: it compiles, and formatting leaves it as it is.
fn check(text: &str, about: &str) {
    let compiled = compile(text);
    let errors: Vec<_> = compiled
        .diagnostics
        .iter()
        .filter(|one| one.severity == keyfold_model::Severity::Error)
        .map(|one| one.render(text, "proposed", false))
        .collect();
    assert!(errors.is_empty(), "{about}\n{text}\n{}", errors.join("\n"));
    assert_eq!(keyfold_model::format(text), text, "{about}");
}

#[test]
fn what_is_inferred_of_hostile_tables_compiles() {
    let (mut declared, mut with_quotes) = (0, 0);
    for seed in 0..1500 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let tables: Vec<(TableDefinition, Vec<Item>)> = (0..rng.usize(1..4))
            .map(|_| {
                let table = definition(&mut rng);
                let items = items(&mut rng, &table);
                (table, items)
            })
            .collect();
        match propose(&name(&mut rng), &tables) {
            Ok(text) => {
                check(&text, &format!("seed {seed}"));
                declared += 1;
                let declarations = text.lines().filter(|line| !line.starts_with('#'));
                with_quotes += usize::from(
                    declarations
                        .into_iter()
                        .any(|line| line.contains("\" \"") || line.contains("-id\"")),
                );
            }
            Err(none) => assert!(!none.reasons.is_empty(), "seed {seed}"),
        }
    }
    assert!(
        declared > 900 && with_quotes > 100,
        "only {declared} were declared, {with_quotes} with quotes"
    );
}

fn json_key((name, kind): &(String, KeyKind)) -> Json {
    json!({ "AttributeName": name, "AttributeType": kind.descriptor() })
}

fn json_item(item: &Item) -> Json {
    let mut out = Vec::new();
    keyfold_wire::encode::encode_item(&mut out, item);
    serde_json::from_slice(&out).unwrap()
}

fn json_index(rng: &mut fastrand::Rng, index: &IndexDefinition) -> Json {
    let group = |columns: &[(String, KeyKind)]| match columns {
        [one] => json_key(one),
        several => several.iter().map(json_key).collect(),
    };
    let projection = match &index.projection {
        Projection::All if rng.bool() => Json::Null,
        Projection::All => json!({ "ProjectionType": "ALL" }),
        Projection::Keys => json!({ "ProjectionType": "KEYS_ONLY" }),
        Projection::Only(names) => {
            json!({ "ProjectionType": "INCLUDE", "NonKeyAttributes": names })
        }
    };
    json!({
        "IndexName": index.name,
        "KeyAttributes": { "PartitionKey": group(&index.partition), "SortKey": group(&index.sort) },
        "Projection": projection,
    })
}

fn json_table(rng: &mut fastrand::Rng, table: &TableDefinition, items: &[Item]) -> Json {
    let mut key = json!({ "PartitionKey": json_key(&table.key[0]) });
    if let Some(sort) = table.key.get(1) {
        key["SortKey"] = json_key(sort);
    }
    let of = |rng: &mut fastrand::Rng, is_local| -> Json {
        let indexes = table
            .indexes
            .iter()
            .filter(|index| index.is_local == is_local);
        indexes.map(|index| json_index(rng, index)).collect()
    };
    let samples: Json = items.iter().map(json_item).collect();
    let mut out = json!({
        "TableName": table.name,
        "KeyAttributes": key,
        "GlobalSecondaryIndexes": of(rng, false),
        "LocalSecondaryIndexes": of(rng, true),
    });
    let member = if rng.bool() {
        "TableData"
    } else {
        "TableFacets"
    };
    out[member] = if member == "TableData" {
        samples
    } else {
        json!([{ "FacetName": "x", "TableData": samples }])
    };
    out
}

#[test]
fn what_is_imported_of_hostile_files_compiles() {
    let mut declared = 0;
    for seed in 0..1000 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let tables: Vec<Json> = (0..rng.usize(0..4))
            .map(|_| {
                let table = definition(&mut rng);
                let items = items(&mut rng, &table);
                json_table(&mut rng, &table, &items)
            })
            .collect();
        let version = ["1.0", "2.0", "3.0"][rng.usize(..3)];
        let file = json!({
            "ModelName": name(&mut rng),
            "ModelMetadata": {
                "Version": version,
                "Description": text(&mut rng),
            },
            "DataModel": tables,
        });
        match workbench::read(&file.to_string()) {
            Ok(text) => {
                check(&text, &format!("seed {seed}"));
                declared += 1;
            }
            Err(WorkbenchError::NoTable(_)) => {}
            Err(other) => panic!("seed {seed}: {other}"),
        }
    }
    assert!(declared > 400, "only {declared} were declared");
}
