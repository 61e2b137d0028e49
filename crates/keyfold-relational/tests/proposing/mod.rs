//! A database, its proposal, and the proposal carried out.

#![allow(dead_code, reason = "each test takes what it needs")]

pub(crate) mod random;

use keyfold_api::{Request, Response, ScanInput};
use keyfold_client::read::{self, FoundItem, PageRequest, Pages};
use keyfold_client::{Backend, tables};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_lower::arguments;
use keyfold_model::schema::Limit;
use keyfold_model::{Model, Pattern, Type};
use keyfold_relational::sqlite::Sqlite;
use keyfold_relational::{
    Ended, Mapping, Migration, Progress, Proposal, Source, check, propose, statements, verify,
};
use keyfold_types::{Item, Value};
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::sync::Arc;
use tempfile::TempDir;

pub(crate) struct Database {
    folder: TempDir,
    pub(crate) sql: String,
}

impl Database {
    pub(crate) fn new(sql: &str) -> Database {
        let folder = tempfile::tempdir().unwrap();
        let program = Connection::open(folder.path().join("shop.db")).unwrap();
        program.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
        if let Err(error) = program.execute_batch(sql) {
            panic!("{error}\n{sql}");
        }
        Database {
            folder,
            sql: sql.to_owned(),
        }
    }

    /// A database without the rows that it refuses.
    pub(crate) fn of_rows(sql: &str) -> Database {
        let database = Database::new("");
        let program = Connection::open(database.folder.path().join("shop.db")).unwrap();
        program.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
        for statement in sql.split_inclusive(";\n") {
            let done = program.execute_batch(statement);
            assert!(
                done.is_ok() || statement.contains("INSERT"),
                "{done:?}\n{statement}"
            );
        }
        Database {
            sql: sql.to_owned(),
            ..database
        }
    }

    pub(crate) fn source(&self) -> Sqlite {
        Sqlite::open(&self.folder.path().join("shop.db")).unwrap()
    }

    pub(crate) fn proposal(&self, queries: &str) -> Proposal {
        let proposed = propose(
            &mut self.source(),
            None,
            statements(queries),
            &Progress::default(),
        );
        match proposed {
            Ok(proposal) => proposal,
            Err(error) => panic!("{error}\n{}", self.sql),
        }
    }

    /// Carries a proposal out, and asks each of its patterns.
    pub(crate) fn holds(&self, proposal: &Proposal) {
        let compiled = keyfold_model::compile(&proposal.model);
        let Some(model) = compiled.model else {
            panic!(
                "{:#?}\n{}\n{}",
                compiled.diagnostics, proposal.model, self.sql
            )
        };
        holds(
            &model,
            &mut self.source(),
            &format!("{}\n{}", proposal.model, self.sql),
        );
    }
}

/// Checks, carries, verifies and asks.
pub(crate) fn holds(model: &Model, source: &mut dyn Source, says: &str) {
    let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
    let backend = Backend::Embedded(Arc::new(engine));
    tables::ensure(&backend, model).unwrap();
    let mapping = match Mapping::of(model, source) {
        Ok(mapping) => mapping,
        Err(error) => panic!("{error:?}\n{says}"),
    };
    let checked = check(&mapping, source, &Progress::default()).unwrap();
    assert!(
        checked.problems.is_empty(),
        "{:#?}\n{says}",
        checked.problems
    );
    let progress = Progress::default();
    let ended = Migration::new(&mapping, source, &backend, &progress).run(true);
    assert!(matches!(ended, Ended::Caught), "{ended:?}\n{says}");
    let verified = verify(&mapping, source, &backend, &Progress::default()).unwrap();
    assert!(
        verified.differences.is_empty(),
        "{:#?}\n{says}",
        verified.differences
    );
    asked(model, &backend, says);
}

/// The entities that are stored.
fn items(model: &Model, backend: &Backend) -> Vec<(String, Item)> {
    let table = &model.tables[0];
    let kind = table.type_attribute.clone().unwrap();
    let scan = ScanInput {
        table_name: Some(table.name.clone()),
        ..ScanInput::default()
    };
    let Ok(Response::Scan(answer)) = backend.call(Request::from(scan)) else {
        panic!("no scan")
    };
    assert!(answer.last_evaluated_key.is_none(), "more than a page");
    let items = answer
        .items
        .unwrap_or_default()
        .into_iter()
        .map(|one| one.to_item());
    let named = items.filter_map(|item| match item.get(&kind) {
        Some(Value::S(name)) => Some((name.clone(), item)),
        _ => None,
    });
    named.collect()
}

/// A value as an argument.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::S(text) => Some(text.clone()),
        Value::N(number) => Some(number.to_string()),
        Value::Bool(is) => Some(is.to_string()),
        _ => None,
    }
}

/// Asks each pattern for each stored item that has what it is asked by: the item is in the answer. A pattern
/// whose index is sparse may lack it, and one that filters, too.
fn asked(model: &Model, backend: &Backend, says: &str) {
    let items = items(model, backend);
    for pattern in &model.patterns {
        let mut runs = 0;
        let of = &model.entities[pattern.returned[0].entity];
        let own = items.iter().filter(|(name, _)| *name == of.name);
        for (_, item) in own {
            let texts: BTreeMap<String, String> = pattern
                .parameters
                .iter()
                .filter_map(|one| {
                    let name = if one.attribute.is_empty() {
                        &one.name
                    } else {
                        &one.attribute
                    };
                    let free = || Some(sample(&one.kind));
                    let value = item.get(name).map_or_else(free, text)?;
                    Some((one.name.clone(), value))
                })
                .collect();
            let equal = pattern
                .parameters
                .iter()
                .filter(|one| one.limit == Limit::Equal);
            if equal.clone().any(|one| item.get(&one.attribute).is_none()) {
                continue;
            }
            let values = match arguments::of_pattern(pattern, &texts) {
                Ok(values) => values,
                Err(error) => panic!("{}: {error}\n{says}", pattern.name),
            };
            let start = PageRequest::default();
            let answer = read::run(backend, model, pattern, &values, &start, Pages::All);
            let found = match answer {
                Ok(found) => found,
                Err(error) => panic!("{}: {error}\n{says}", pattern.name),
            };
            runs += 1;
            if pattern.filters.is_empty()
                && pattern
                    .parameters
                    .iter()
                    .all(|one| one.limit == Limit::Equal)
            {
                whole(model, pattern, (&items, item), &found.items, says);
            }
        }
        let is_any = items.iter().any(|(name, _)| *name == of.name);
        assert!(
            runs > 0 || !is_any || !of.attributes.iter().all(|one| !one.optional),
            "{}\n{says}",
            pattern.name
        );
    }
}

/// Checks that an answer holds every item that has what was asked by, and no other, in the order that the pattern
/// says.
fn whole(
    model: &Model,
    pattern: &Pattern,
    (items, item): (&[(String, Item)], &Item),
    found: &[FoundItem],
    says: &str,
) {
    let equal: Vec<&str> = pattern
        .parameters
        .iter()
        .map(|one| one.attribute.as_str())
        .collect();
    for returned in &pattern.returned {
        let name = &model.entities[returned.entity].name;
        let is_equal = |other: &Item| equal.iter().all(|one| other.get(one) == item.get(one));
        let due = items
            .iter()
            .filter(|(of, other)| of == name && is_equal(other))
            .count();
        let is = found.iter().filter(|one| one.kind == *name).count();
        assert_eq!(
            is, due,
            "{} of {name} for {item:?}: {found:?}\n{says}",
            pattern.name
        );
    }
    if let Some(order) = &pattern.order
        && let Some(attribute) = &order.attribute
    {
        let values: Vec<&Value> = found.iter().filter_map(|one| one.get(attribute)).collect();
        let is_sorted = values.windows(2).all(|pair| {
            let (one, other) = if order.order.is_descending() {
                (pair[1], pair[0])
            } else {
                (pair[0], pair[1])
            };
            match (one, other) {
                (Value::N(one), Value::N(other)) => one <= other,
                (one, other) => text(one) <= text(other),
            }
        });
        assert!(is_sorted, "{}: {values:?}\n{says}", pattern.name);
    }
}

/// A value of a type.
fn sample(kind: &Type) -> String {
    match kind {
        Type::Int | Type::Number => "1".to_owned(),
        Type::Bool => "true".to_owned(),
        Type::Date => "2024-01-01".to_owned(),
        Type::Time(_) => "2024-01-01T00:00:00Z".to_owned(),
        Type::Words(words) => words[0].clone(),
        _ => "a".to_owned(),
    }
}

/// What the command says beside the model.
pub(crate) fn report(proposal: &Proposal) -> String {
    let mut text = String::new();
    for one in &proposal.entities {
        text.push_str(&format!("{} of {}: {:?}\n", one.name, one.table, one.rows));
    }
    for one in &proposal.patterns {
        text.push_str(&format!("{}: {}\n", one.name, one.answers.len()));
    }
    for (asked, why) in &proposal.unanswered {
        text.push_str(&format!("unanswered {}: {why}\n", asked.sql));
    }
    for (what, why) in &proposal.left_out {
        text.push_str(&format!("left out {what}: {why}\n"));
    }
    text
}
