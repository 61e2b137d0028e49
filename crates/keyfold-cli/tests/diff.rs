//! Compares the migrations that `diff` reports with data: the same rows are written with both
//! models, and the items of the old one are compared with those of the new one.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use keyfold_api::{Response, ScanInput};
use keyfold_client::{Backend, PageRequest, arguments, read, tables, write};
use keyfold_codegen::diff::{Migration, diff};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_model::Model;
use keyfold_types::{Item, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const BASE: &str = "\
model m 1
table Shop (PK, SK)
  gsi GSI1 (A, B)
  gsi GSI2 (C, D)
entity City
  city: string, people: int = 0
  key \"CITY#{city}\" \"CITY\"
entity User
  id: string, city: City.city, state: on | off = on, mail: string, n: int = 7, note: string?, path: string = p
  key \"USER#{id}\" \"USER\"
  GSI1 \"IN#{city}\" \"{id}\"
  copy mail \"MAIL#{mail}\" \"USER#{id}\" only id, mail
  unique mail
entity Visit
  id: User.id, day: date, place: string = x
  key \"USER#{id}\" \"VISIT#{day}\"
pattern user(id) -> User?
pattern users_in(city) -> User[]
pattern visits(id) -> Visit[]
pattern with_visits(id) -> User + Visit[]
pattern city(city) -> City?
";

/// Entities with the attributes that every variant of them has.
const ROWS: &[(&str, &[(&str, &str)])] = &[
    ("City", &[("city", "ulm")]),
    ("City", &[("city", "bonn")]),
    (
        "User",
        &[
            ("id", "a-1"),
            ("city", "ulm"),
            ("mail", "a@x"),
            ("path", "p/q"),
            ("n", "1"),
        ],
    ),
    (
        "User",
        &[
            ("id", "b2"),
            ("city", "ulm"),
            ("mail", "b@x"),
            ("state", "off"),
            ("note", "hm"),
            ("n", "2"),
        ],
    ),
    ("Visit", &[("id", "b2"), ("day", "2024-01-02")]),
    ("Visit", &[("id", "b2"), ("day", "2024-01-03")]),
];

fn model(text: &str) -> Model {
    let compiled = keyfold_model::compile(text);
    let findings: Vec<String> = compiled
        .diagnostics
        .iter()
        .map(|one| one.render(text, "model", false))
        .collect();
    compiled
        .model
        .unwrap_or_else(|| panic!("{}", findings.join("\n")))
}

fn text_of(item: &Item, name: &str) -> String {
    item.get(name)
        .map(keyfold_model::value::display)
        .unwrap_or_default()
}

/// A model's table with the rows that the model accepts.
struct Place {
    model: Model,
    backend: Backend,
    /// The number of rows that the model refuses, because their keys are those of other rows.
    refused: usize,
}

impl Place {
    fn filled(model: Model) -> Place {
        let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
        let backend = Backend::Embedded(Arc::new(engine));
        tables::ensure(&backend, &model).unwrap();
        let mut refused = 0;
        for (name, row) in ROWS {
            let Some(entity) = model
                .entity(name)
                .or_else(|| model.entity("Person").filter(|_| *name == "User"))
            else {
                continue;
            };
            let given = row
                .iter()
                .filter(|(name, _)| entity.attribute(name).is_some_and(|one| !one.is_kept));
            let given = given
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect();
            let written = arguments::of_entity(entity, &given)
                .and_then(|values| write::put(&backend, &model, entity, &values));
            refused += usize::from(written.is_err());
        }
        Place {
            model,
            backend,
            refused,
        }
    }

    /// The stored items by key.
    fn stored(&self) -> BTreeMap<(String, String), Item> {
        let table = self.model.tables.first().unwrap();
        let input = ScanInput {
            table_name: Some(table.name.clone()),
            ..ScanInput::default()
        };
        let Ok(Response::Scan(output)) = self.backend.call(input.into()) else {
            panic!("a scan is answered")
        };
        let sort = table.sort.as_ref().unwrap();
        let key = |item: &Item| {
            (
                text_of(item, &table.partition.name),
                text_of(item, &sort.name),
            )
        };
        output
            .items
            .unwrap()
            .iter()
            .map(|item| item.to_item())
            .map(|item| (key(&item), item))
            .collect()
    }

    /// The names of the key attributes of indexes.
    fn index_columns(&self) -> BTreeSet<String> {
        let indexes = self.model.tables.iter().flat_map(|table| &table.indexes);
        indexes
            .flat_map(|index| index.columns().map(|column| column.name.clone()))
            .collect()
    }

    /// The answers of each pattern of `model` about the rows.
    fn answers(&self, model: &Model) -> Vec<String> {
        let mut all = Vec::new();
        for pattern in &model.patterns {
            for row in ROWS.iter().flat_map(|(_, row)| row.iter()) {
                if pattern
                    .parameters
                    .first()
                    .is_none_or(|first| first.name != row.0)
                {
                    continue;
                }
                let given = BTreeMap::from([(row.0.to_owned(), row.1.to_owned())]);
                let Ok(values) = arguments::of_pattern(pattern, &given) else {
                    continue;
                };
                let found = read::run(
                    &self.backend,
                    model,
                    pattern,
                    &values,
                    &PageRequest::default(),
                    read::Pages::All,
                );
                let answer = match found {
                    Ok(found) => found
                        .items
                        .iter()
                        .map(|one| format!("{one:?}"))
                        .collect::<Vec<_>>()
                        .join("\n"),
                    Err(error) => format!("{error}"),
                };
                all.push(format!("{}({}={}): {answer}", pattern.name, row.0, row.1));
            }
        }
        all
    }
}

/// The migration that the items of the old model need to become those of the new one.
fn needed(old: &Place, new: &Place) -> Migration {
    let (before, after) = (old.stored(), new.stored());
    let gone = before.keys().any(|key| !after.contains_key(key));
    let missing = after.keys().any(|key| !before.contains_key(key));
    let columns = new.index_columns();
    let is_same = |one: &Item, two: &Item| {
        let stale = one
            .iter()
            .any(|(name, _)| columns.contains(name) && two.get(name).is_none());
        !stale
            && two
                .iter()
                .all(|(name, value): (&String, &Value)| one.get(name) == Some(value))
    };
    let differs = before
        .iter()
        .any(|(key, one)| after.get(key).is_some_and(|two| !is_same(one, two)));
    if new.refused > old.refused {
        return Migration::Rewrite;
    }
    match (gone, missing, differs) {
        (true, true, _) => Migration::Rewrite,
        (true, false, _) => Migration::Delete,
        (false, _, true) | (false, true, _) => Migration::Backfill,
        (false, false, false) => Migration::None,
    }
}

fn change(from: &str, to: &str) -> (String, String, String) {
    let new = BASE.replace(from, to);
    assert_ne!(new, BASE, "{from} is not there");
    (format!("{from} -> {to}"), BASE.to_owned(), new)
}

/// The opposite change.
fn back(from: &str, to: &str) -> (String, String, String) {
    let (label, old, new) = change(from, to);
    (format!("{label}, back"), new, old)
}

#[test]
fn diff_reports_the_migration_that_data_needs() {
    let wider = BASE.replace("  key \"CITY#", "  count visitors of User\n  key \"CITY#");
    assert_ne!(wider, BASE);
    let placed = BASE.replace("\"VISIT#{day}\"", "\"VISIT#{place}#{day}\"");
    let moving = |id: &str| {
        let key = "\"VISIT#{place}#{day}\"\n";
        placed.replace(key, &format!("{key}  id {id}\n"))
    };
    let cases = [
        // Identity.
        (
            String::from("an id added"),
            placed.clone(),
            moving("id, day"),
        ),
        (
            String::from("an id removed"),
            moving("id, day"),
            placed.clone(),
        ),
        (
            String::from("another id"),
            moving("id, day"),
            moving("day, id"),
        ),
        // Keys.
        change("\"USER#{id}\" \"USER\"", "\"USER#{id}\" \"PROFILE\""),
        change("\"VISIT#{day}\"", "\"VISIT#{day:month}#{day}\""),
        change("\"CITY#{city}\" \"CITY\"", "\"CITY-{city}\" \"CITY\""),
        change("\"IN#{city}\" \"{id}\"", "\"IN#{city}\" \"{mail}#{id}\""),
        change(
            "\"{id}\"\n  copy",
            "\"{id}\"\n  GSI2 \"ALL\" \"{mail}\"\n  copy",
        ),
        (
            String::from("a sparse index"),
            BASE.to_owned(),
            BASE.replace("\"{id}\"\n  copy", "\"{id}\"  sparse when note\n  copy")
                .replace(
                    "pattern users_in(city) -> User[]",
                    "pattern users_in(city) -> User[] where note",
                ),
        ),
        // What follows.
        change(
            "  copy mail \"MAIL#{mail}\" \"USER#{id}\" only id, mail\n",
            "",
        ),
        change("only id, mail", "only id, mail, city"),
        change(
            "\"MAIL#{mail}\" \"USER#{id}\"",
            "\"BYMAIL#{mail}\" \"USER#{id}\"",
        ),
        change("  unique mail\n", ""),
        change("  unique mail\n", "  unique mail\n  unique id\n"),
        change("  unique mail\n", "  unique mail\n  version v\n"),
        (
            String::from("an aggregate added"),
            BASE.to_owned(),
            wider.clone(),
        ),
        (
            String::from("an aggregate removed"),
            wider.clone(),
            BASE.to_owned(),
        ),
        (
            String::from("an aggregate of others"),
            wider.clone(),
            wider.replace("of User\n", "of User where state = on\n"),
        ),
        back("  unique mail\n", "  unique mail\n  version v\n"),
        back("path: string = p\n", "path: string = p\n  compress path\n"),
        back("table Shop (PK, SK)\n", "table Shop (PK, SK) type kind\n"),
        change("n: int = 7", "n: int?"),
        back("  unique mail\n", "  unique mail\n  unique id\n"),
        back(
            "\"{id}\"\n  copy",
            "\"{id}\"\n  GSI2 \"ALL\" \"{mail}\"\n  copy",
        ),
        // Attributes.
        change(", path: string = p", ""),
        change(", path: string = p", ", path: string = p, age: int = 3"),
        change(", path: string = p", ", path: string = p, age: int?"),
        change("state: on | off = on", "state: string = on"),
        change("state: on | off = on", "state: on | off | gone = on"),
        change("n: int = 7", "n: number = 7"),
        change("n: int = 7", "n: string = 7"),
        change("n: int = 7", "n: int = 8"),
        change("note: string?", "note: string = none"),
        change("path: string = p\n", "path: string = p\n  compress path\n"),
        change("place: string = x\n", "place: string = x\n  unstored day\n"),
        back("place: string = x\n", "place: string = x\n  unstored day\n"),
        // Entities.
        change("table Shop (PK, SK)\n", "table Shop (PK, SK) type kind\n"),
        change(
            "entity Visit\n  id: User.id, day: date, place: string = x\n  key \"USER#{id}\" \"VISIT#{day}\"\npattern user(id) -> User?\npattern users_in(city) -> User[]\npattern visits(id) -> Visit[]\npattern with_visits(id) -> User + Visit[]",
            "pattern user(id) -> User?\npattern users_in(city) -> User[]",
        ),
        change(
            "pattern city(city)",
            "entity Dog\n  dog: string\n  key \"DOG#{dog}\" \"DOG\"\npattern city(city)",
        ),
        (
            String::from("renamed"),
            BASE.to_owned(),
            BASE.replace("User", "Person"),
        ),
        // Words.
        change("pattern user(id) -> User?", "pattern someone(id) -> User?"),
        change("-> User[]", "-> User[] page 7"),
    ];
    let mut wrong = Vec::new();
    for (label, old, new) in cases {
        let (old, new) = (Place::filled(model(&old)), Place::filled(model(&new)));
        let changes = diff(&old.model, &new.model);
        assert!(!changes.is_empty(), "{label}: a difference is seen");
        let said = changes
            .iter()
            .map(|one| one.migration)
            .filter(|one| *one != Migration::Definition)
            .max();
        let said = said.unwrap_or(Migration::None);
        let needed = needed(&old, &new);
        // Values of another form, and copies of another shape, are written again without a new key.
        let is_said = said == needed || (said, needed) == (Migration::Rewrite, Migration::Backfill);
        if !is_said {
            wrong.push(format!(
                "{label}: {needed:?} is needed, and diff says {said:?}: {changes:#?}"
            ));
        }
        if said == Migration::None && old.answers(&new.model) != new.answers(&new.model) {
            wrong.push(format!(
                "{label}: nothing is to be done, and the answers differ"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
