//! Holds each statement of `diff` against data: items are written with the old model and verified with
//! the new one. Where `diff` says of an entity that its data stays as it is, no item of it has a
//! finding; where it says that its items are to be written, some item has one.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use keyfold_client::verify::{self, Finding, FindingKind, Observer};
use keyfold_client::{Backend, ClientError, arguments, tables, write};
use keyfold_codegen::diff::{Change, Migration, diff};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_model::{Entity, Model};
use std::collections::BTreeMap;
use std::sync::Arc;

const BASE: &str = "\
model m 1
table Shop (PK, SK) ttl expires
  gsi GSI1 (A, B)
  gsi GSI2 (C, D)
table Log (PK, SK) per month
record Line
  sku: string, n: int, note: string?, size: number, kind: low | high
record Shelf
  name: string, lines: list of Line
entity City in Shop
  city: string, people: int = 0
  key \"CITY#{city}\" \"CITY\"
  count visitors of User
entity User in Shop
  id: string, city: City.city, mail: string, state: on | off = on, n: int = 7, score: number = 1, note: string?, path: string
  line: Line, lines: list of Line, numbers: list of int, exact: list of number, texts: list of string, moods: list of good | bad
  by: map of int, shelves: map of Shelf, tags: set of int, words: set of string, days: list of date
  key \"USER#{id}\" \"USER\"
  GSI1 \"CITY#{city}\" \"{id}\"
  copy mail \"MAIL#{mail}\" \"USER#{id}\" only id, mail, lines
  unique mail
entity Visit in Shop
  id: User.id, at: time(s), place: string
  key \"USER#{id}\" \"VISIT#{at}\"
entity Race in Shop
  race: string, points: list of int
  key \"RACE#{race}\" \"P\"
  split points by 2
entity Spread in Shop
  sid: string, at: time(s)
  key \"SPREAD#{sid}\" \"S\"
  GSI2 \"ALL\" \"{at}#{sid}\" shard 4
entity Session in Shop
  token: string, gone: time(s)
  key \"TOKEN#{token}\" \"S\"
  ttl gone
entity Event in Shop
  source: string, at: time(s), what: string = x
  key \"SOURCE#{source}\" \"AT#{at}\" bucket day
entity Cust in Shop
  custId: string, place: string
  key \"CUST#{custId}\" \"META\"
  GSI1 \"AT#{place}\" \"{custId}\"
  unstored custId
entity Entry in Log
  log: string, at: time(s)
  key \"LOG#{log}\" \"{at}\"
pattern user(id) -> User?
pattern city(city) -> City?
write visit(id)
  create Visit
";

/// Entities with attributes that every variant of them has, or that only some have.
const ROWS: &[(&str, &[(&str, &str)])] = &[
    ("City", &[("city", "ulm")]),
    (
        "User",
        &[
            ("id", "a"),
            ("city", "ulm"),
            ("mail", "a@x"),
            ("score", "1.5"),
            ("path", "p/q"),
            ("line", LINE),
            ("lines", LINES),
            ("numbers", "[1,2]"),
            ("exact", "[1.5,2]"),
            ("texts", "[\"2024-01-02\",\"x\"]"),
            ("moods", "[\"good\",\"bad\"]"),
            ("by", "{\"x\":1}"),
            ("shelves", SHELVES),
            ("tags", "[1,2]"),
            ("words", "[\"good\",\"x\"]"),
            ("days", "[\"2024-01-02\"]"),
        ],
    ),
    (
        "User",
        &[
            ("id", "b"),
            ("city", "ulm"),
            ("mail", "b@x"),
            ("state", "off"),
            ("note", "2024-01-02"),
            ("path", "p"),
            ("line", LINE),
            ("lines", "[]"),
            ("numbers", "[]"),
            ("exact", "[]"),
            ("texts", "[]"),
            ("moods", "[]"),
            ("by", "{}"),
            ("shelves", "{}"),
            ("tags", "[3]"),
            ("words", "[\"bad\"]"),
            ("days", "[]"),
        ],
    ),
    (
        "Visit",
        &[("id", "a"), ("at", "2024-01-02T00:00:00Z"), ("place", "x")],
    ),
    ("Race", &[("race", "r"), ("points", "[1,2,3,4,5]")]),
    ("Spread", &[("sid", "s"), ("at", "2024-01-02T00:00:00Z")]),
    (
        "Session",
        &[("token", "t"), ("gone", "2034-01-02T00:00:00Z")],
    ),
    ("Event", &[("source", "s"), ("at", "2024-01-02T00:00:00Z")]),
    ("Cust", &[("custId", "c"), ("place", "x")]),
    ("Entry", &[("log", "l"), ("at", "2024-01-02T00:00:00Z")]),
];

const LINE: &str = "{\"sku\":\"s\",\"n\":1,\"size\":2.5,\"kind\":\"low\"}";
const LINES: &str = "[{\"sku\":\"s\",\"n\":1,\"size\":2.5,\"kind\":\"low\"},{\"sku\":\"t\",\"n\":2,\"note\":\"x\",\"size\":2,\"kind\":\"high\"}]";
const SHELVES: &str =
    "{\"x\":{\"name\":\"n\",\"lines\":[{\"sku\":\"s\",\"n\":1,\"size\":2.5,\"kind\":\"low\"}]}}";

/// Changes of the base, each a piece and what it becomes, with the greatest migration that is right.
const CHANGES: &[(&str, &str, Migration)] = &[
    // Records, and what is inside of them.
    (
        "note: string?, size",
        "note: string?, colour: string?, size",
        Migration::None,
    ),
    (
        "note: string?, size",
        "note: string?, colour: string, size",
        Migration::Backfill,
    ),
    ("note: string?, size", "size", Migration::None),
    (
        "note: string?, size",
        "note: string, size",
        Migration::Backfill,
    ),
    (
        "sku: string, n: int",
        "sku: string?, n: int",
        Migration::None,
    ),
    (
        "sku: string, n: int",
        "sku: string, n: number",
        Migration::None,
    ),
    (
        "sku: string, n: int",
        "sku: string, n: string",
        Migration::Rewrite,
    ),
    ("size: number, kind", "size: int, kind", Migration::Backfill),
    (
        "kind: low | high",
        "kind: low | high | top",
        Migration::None,
    ),
    ("kind: low | high", "kind: high | top", Migration::Backfill),
    ("kind: low | high", "kind: string", Migration::None),
    (
        "  name: string, lines",
        "  name: string?, lines",
        Migration::None,
    ),
    // Lists, maps and sets.
    (
        "numbers: list of int",
        "numbers: list of number",
        Migration::None,
    ),
    (
        "numbers: list of int",
        "numbers: list of string",
        Migration::Rewrite,
    ),
    (
        "numbers: list of int",
        "numbers: set of int?",
        Migration::Rewrite,
    ),
    (
        "exact: list of number",
        "exact: list of int",
        Migration::Backfill,
    ),
    (
        "texts: list of string",
        "texts: list of date",
        Migration::Backfill,
    ),
    (
        "moods: list of good | bad",
        "moods: list of string",
        Migration::None,
    ),
    (
        "moods: list of good | bad",
        "moods: list of good | bad | fair",
        Migration::None,
    ),
    (
        "moods: list of good | bad",
        "moods: list of good | fair",
        Migration::Backfill,
    ),
    ("by: map of int", "by: map of number", Migration::None),
    ("by: map of int", "by: map of string", Migration::Rewrite),
    ("tags: set of int", "tags: set of number", Migration::None),
    (
        "tags: set of int",
        "tags: set of string",
        Migration::Rewrite,
    ),
    (
        "words: set of string",
        "words: set of date",
        Migration::Backfill,
    ),
    (
        "days: list of date",
        "days: list of string",
        Migration::None,
    ),
    // Attributes.
    ("n: int = 7, score", "n: number = 7, score", Migration::None),
    ("n: int = 7, score", "n: int?, score", Migration::None),
    ("n: int = 7, score", "n: int = 8, score", Migration::None),
    (
        "n: int = 7, score",
        "n: string = 7, score",
        Migration::Rewrite,
    ),
    ("score: number = 1", "score: int = 1", Migration::Backfill),
    (
        "note: string?, path",
        "note: string, path",
        Migration::Backfill,
    ),
    ("note: string?, path", "path", Migration::None),
    (
        "note: string?, path",
        "note: string?, age: int?, path",
        Migration::None,
    ),
    (
        "note: string?, path",
        "note: string?, age: int = 3, path",
        Migration::Backfill,
    ),
    (
        "state: on | off = on",
        "state: string = on",
        Migration::None,
    ),
    (
        "state: on | off = on",
        "state: on | off | gone = on",
        Migration::None,
    ),
    (
        "state: on | off = on",
        "state: on | away = on",
        Migration::Backfill,
    ),
    // Copies, guards, aggregates and index keys.
    (
        "  copy mail \"MAIL#{mail}\" \"USER#{id}\" only id, mail, lines\n",
        "",
        Migration::Delete,
    ),
    (
        "only id, mail, lines",
        "only id, mail, lines, n",
        Migration::Backfill,
    ),
    (
        "only id, mail, lines",
        "only id, mail, lines when state = on",
        Migration::Rewrite,
    ),
    ("\"MAIL#{mail}\"", "\"BYMAIL#{mail}\"", Migration::Rewrite),
    ("  unique mail\n", "", Migration::Delete),
    (
        "  unique mail\n",
        "  unique mail\n  unique id\n",
        Migration::Backfill,
    ),
    (
        "  unique mail\n",
        "  unique mail\n  version v\n",
        Migration::Backfill,
    ),
    ("  count visitors of User\n", "", Migration::None),
    (
        "  count visitors of User\n",
        "  count visitors of User where state = on\n",
        Migration::Backfill,
    ),
    (
        "\"CITY#{city}\" \"{id}\"",
        "\"CITY#{city}\" \"{mail}\"",
        Migration::Backfill,
    ),
    (
        "\"CITY#{city}\" \"{id}\"\n",
        "\"CITY#{city}\" \"{id}\" sparse when note\n",
        Migration::Backfill,
    ),
    ("  GSI1 \"CITY#{city}\" \"{id}\"\n", "", Migration::Backfill),
    // Keys, and what is made of them.
    (
        "\"USER#{id}\" \"USER\"",
        "\"USER#{id}\" \"PROFILE\"",
        Migration::Rewrite,
    ),
    (
        "\"VISIT#{at}\"",
        "\"VISIT#{at:day}#{at}\"",
        Migration::Rewrite,
    ),
    ("shard 4", "shard 8", Migration::Backfill),
    ("bucket day", "bucket month", Migration::Rewrite),
    ("split points by 2", "split points by 3", Migration::None),
    ("  split points by 2\n", "", Migration::Rewrite),
    (
        "  split points by 2\n",
        "  compress points\n",
        Migration::Rewrite,
    ),
    ("per month", "per day", Migration::Rewrite),
    ("  ttl gone\n", "", Migration::Backfill),
    (
        "(PK, SK) ttl expires",
        "(PK, SK) type kind ttl expires",
        Migration::Backfill,
    ),
    // Names that no item holds, and names that items hold.
    ("custId", "customerId", Migration::None),
    (
        "entity Cust in Shop
  custId: string, place: string
  key \"CUST#{custId}\" \"META\"
  GSI1 \"AT#{place}\" \"{custId}\"
  unstored custId
",
        "entity Customer in Shop
  customerId: string, place: string
  key \"CUST#{customerId}\" \"META\"
  GSI1 \"AT#{place}\" \"{customerId}\"
  unstored customerId
",
        Migration::None,
    ),
    (
        "custId: string, place",
        "custId: string, spot: string?, place",
        Migration::None,
    ),
    (
        "gone: time(s)\n  key \"TOKEN#{token}\" \"S\"\n  ttl gone",
        "until: time(s)\n  key \"TOKEN#{token}\" \"S\"\n  ttl until",
        Migration::Backfill,
    ),
    // What changes no data.
    ("write visit(id)\n  create Visit\n", "", Migration::None),
    ("  create Visit\n", "  put Visit\n", Migration::None),
    ("pattern user(id) -> User?\n", "", Migration::None),
    (
        "entity Visit in Shop\n  id: User.id",
        "entity Visit in Shop\n  id: string",
        Migration::None,
    ),
];

fn model(text: &str) -> Model {
    let compiled = keyfold_model::compile(text);
    let findings = compiled.diagnostics.iter();
    let findings: Vec<String> = findings
        .map(|one| one.render(text, "model", false))
        .collect();
    compiled
        .model
        .unwrap_or_else(|| panic!("{}", findings.join("\n")))
}

/// The tables of a model with the rows that it has entities for.
fn filled(model: &Model) -> Backend {
    let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
    let backend = Backend::Embedded(Arc::new(engine));
    tables::ensure(&backend, model).unwrap();
    for (name, row) in ROWS {
        let Some(entity) = model.entity(name) else {
            continue;
        };
        let given = row
            .iter()
            .filter(|(name, _)| entity.attribute(name).is_some());
        let given: BTreeMap<String, String> = given
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let values = arguments::of_entity(entity, &given).unwrap();
        write::put(&backend, model, entity, &values).unwrap();
    }
    backend
}

#[derive(Default)]
struct Seen(Vec<Finding>);

impl Observer for Seen {
    fn progress(&mut self, _scan: u32, _items: u64) {}

    fn finding(&mut self, finding: &Finding) -> Result<(), ClientError> {
        self.0.push(finding.clone());
        Ok(())
    }
}

/// What a verification of the items with the new model finds, and how many items it reads.
fn findings(backend: &Backend, new: &Model) -> (Vec<Finding>, u64) {
    let sizes = verify::sizes(backend, new).unwrap();
    let mut seen = Seen::default();
    let report = verify::run(backend, new, &sizes, &verify::Options::default(), &mut seen);
    (seen.0, report.unwrap().items)
}

/// The statements about an entity, and those about its table.
fn about<'c>(changes: &'c [Change], new: &Model, entity: &Entity) -> Vec<&'c Change> {
    let table = &new.tables[entity.table].name;
    let places = [format!("entity {}", entity.name), format!("table {table}")];
    let mut all: Vec<&Change> = changes.iter().collect();
    all.retain(|one| places.contains(&one.what));
    all
}

/// Whether a finding is about items of an entity: its own, its copies and guards, or those that no
/// entity makes now.
fn is_of(finding: &Finding, entity: &str) -> bool {
    match &finding.item {
        // Users alone have guards.
        Some(name) if name == "unique" => entity == "User",
        Some(name) => name.split('.').next() == Some(entity),
        None => finding.kind == FindingKind::UnknownItem,
    }
}

#[test]
fn each_statement_is_that_of_the_data() {
    let old = model(BASE);
    let backend = filled(&old);
    let (found, stored) = findings(&backend, &old);
    assert_eq!(found, []);
    let mut wrong = Vec::new();
    for (from, to, expected) in CHANGES {
        let text = BASE.replace(from, to);
        assert_ne!(text, BASE, "{from} is not there");
        let new = model(&text);
        let changes = diff(&old, &new);
        let (found, items) = findings(&backend, &new);
        let greatest = changes.iter().map(|one| one.migration);
        let greatest = greatest.filter(|one| *one != Migration::Definition).max();
        let greatest = greatest.unwrap_or(Migration::None);
        if changes.is_empty() || greatest != *expected {
            wrong.push(format!(
                "{from} -> {to}: {expected:?} is right: {changes:#?}"
            ));
        }
        for entity in &new.entities {
            let statements = about(&changes, &new, entity);
            let works = |one: &&&Change| one.migration > Migration::Definition;
            let work = statements.iter().filter(works).count();
            let own = found.iter().filter(|one| is_of(one, &entity.name));
            let own: Vec<&Finding> = own.collect();
            // What is unknown now is not counted now.
            let has_unknown = found.iter().any(|one| one.kind == FindingKind::UnknownItem);
            let is_its_own = |one: &&Finding| {
                one.kind != FindingKind::UnknownItem
                    && !(has_unknown && one.kind == FindingKind::Aggregate)
            };
            if work == 0 && own.iter().any(is_its_own) {
                wrong.push(format!(
                    "{from} -> {to}: nothing is to be done with {}, and there is {own:#?}",
                    entity.name
                ));
            }
            // Items in tables that the new model does not have are not read.
            if work > 0 && own.is_empty() && items == stored {
                wrong.push(format!(
                    "{from} -> {to}: every {} is as the new model says, and {statements:#?}",
                    entity.name
                ));
            }
        }
    }
    assert!(CHANGES.len() >= 40);
    assert!(
        wrong.is_empty(),
        "{} are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
