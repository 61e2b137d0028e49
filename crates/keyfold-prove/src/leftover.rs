//! What lies in the tables against what follows from the rows: every item, every copy, guard, part, index
//! attribute and aggregate; and nothing else.

use crate::ProveError;
use crate::report::{Failure, Report};
use crate::rows::Rows;
use keyfold_api::{ListTablesInput, Response, ScanInput};
use keyfold_client::arguments::Values;
use keyfold_client::derive::derive;
use keyfold_client::{Backend, ClientError};
use keyfold_model::schema::{Aggregate, AggregateKind};
use keyfold_model::{Entity, value};
use keyfold_types::{Item, Number, Value};
use rusqlite::types::Value as Sql;
use std::collections::BTreeMap;

/// A row's values, with what the model keeps in it.
pub(crate) fn complete(rows: &Rows<'_>, entity: &Entity, row: i64) -> Option<Values> {
    let mut values = rows.get(rows.place(entity), row)?.clone();
    for aggregate in &entity.aggregates {
        match aggregated(rows, aggregate, &values) {
            Some(value) => values.insert(aggregate.attribute.clone(), value),
            None => values.remove(&aggregate.attribute),
        };
    }
    Some(values)
}

/// Whether other rows are counted in this one.
pub(crate) fn has_children(rows: &Rows<'_>, entity: &Entity, values: &Values) -> bool {
    entity.aggregates.iter().any(|aggregate| {
        let counts = Aggregate { kind: AggregateKind::Count, ..aggregate.clone() };
        aggregated(rows, &counts, values) != Some(Value::from(0))
    })
}

/// What an aggregate must be, exactly: by decimal arithmetic over the rows.
fn aggregated(rows: &Rows<'_>, aggregate: &Aggregate, parent: &Values) -> Option<Value> {
    let belongs = |child: &&Values| {
        aggregate.link.iter().all(|(field, name)| parent.get(field) == child.get(name))
            && aggregate
                .condition
                .as_ref()
                .is_none_or(|(name, text)| child.get(name).map(value::display).as_ref() == Some(text))
    };
    let counted = |child: &&Values| aggregate.of.as_ref().is_none_or(|of| child.contains_key(of));
    let children = rows.of(aggregate.entity).map(|(_, values)| values).filter(belongs).filter(counted);
    let of = aggregate.of.as_deref().unwrap_or_default();
    match aggregate.kind {
        AggregateKind::Count => Some(Value::from(i64::try_from(children.count()).unwrap_or(i64::MAX))),
        AggregateKind::Sum => {
            let sum = children.filter_map(|child| match child.get(of) {
                Some(Value::N(number)) => Some(*number),
                _ => None,
            });
            let zero = Number::from(0_i64);
            Some(Value::N(sum.fold(zero, |sum, one| sum.checked_add(&one).unwrap_or(sum))))
        }
        AggregateKind::Max => children
            .filter_map(|child| child.get(of))
            .max_by(|one, two| crate::compare::order(one, two))
            .cloned(),
    }
}

/// Compares everything that is stored.
pub(crate) fn check(backend: &Backend, rows: &Rows<'_>, report: &mut Report) -> Result<(), ProveError> {
    check_aggregates(rows, report)?;
    let mut wanted: BTreeMap<(String, String), (Item, String)> = BTreeMap::new();
    for (at, entity) in rows.model.entities.iter().enumerate() {
        for (row, _) in rows.of(at) {
            let Some(values) = complete(rows, entity, row) else { continue };
            for derived in derive(rows.model, entity, &values)? {
                let what = format!("{:?} of {}", derived.role, entity.name);
                wanted.insert((derived.table.clone(), exact(&derived.key)), (derived.item, what));
            }
        }
    }
    let hidden: Vec<String> = rows
        .model
        .entities
        .iter()
        .flat_map(|entity| &entity.aggregates)
        .filter(|aggregate| aggregate.kind != AggregateKind::Count)
        .flat_map(|aggregate| [aggregate.changes_attribute(), aggregate.items_attribute()])
        .collect();
    for table in tables(backend)? {
        for mut item in scan(backend, &table)? {
            report.stored_items += 1;
            hidden.iter().for_each(|name| {
                item.remove(name);
            });
            let key = key_of(rows, &table, &item);
            let place = format!("{table} {}", show(&key));
            match wanted.remove(&(table.clone(), exact(&key))) {
                Some((expected, _)) if expected == item => {}
                Some((expected, what)) => report.failures.push(Failure {
                    what: format!("{what} at {place}"),
                    expected: show(&expected),
                    found: show(&item),
                }),
                None => report.failures.push(Failure {
                    what: format!("an item at {place}"),
                    expected: "nothing: it follows from no row".to_owned(),
                    found: show(&item),
                }),
            }
        }
    }
    for ((table, key), (item, what)) in wanted {
        report.failures.push(Failure {
            what: format!("{what} at {table} {key}"),
            expected: show(&item),
            found: "nothing".to_owned(),
        });
    }
    Ok(())
}

/// SQL's aggregates against those of decimal arithmetic.
fn check_aggregates(rows: &Rows<'_>, report: &mut Report) -> Result<(), ProveError> {
    for (at, entity) in rows.model.entities.iter().enumerate() {
        for aggregate in &entity.aggregates {
            for (_, values) in rows.of(at) {
                report.aggregates += 1;
                let (exact, by_sql) =
                    (aggregated(rows, aggregate, values), rows.aggregate(aggregate, values)?);
                if !same(exact.as_ref(), &by_sql) {
                    report.failures.push(Failure {
                        what: format!("{}.{}", entity.name, aggregate.attribute),
                        expected: format!("{by_sql:?} by SQL"),
                        found: exact.as_ref().map_or("nothing".to_owned(), value::display),
                    });
                }
            }
        }
    }
    Ok(())
}

fn same(exact: Option<&Value>, by_sql: &Sql) -> bool {
    let float = |value: &Value| value::display(value).parse::<f64>().ok();
    match (exact, by_sql) {
        (None, Sql::Null) => true,
        (Some(Value::S(one)), Sql::Text(two)) => one == two,
        // The sum of nothing is 0 here and nothing there.
        (Some(value), Sql::Null) => float(value) == Some(0.0),
        (Some(value), Sql::Integer(number)) => float(value) == Some(*number as f64),
        // SQLite adds in binary, so its sum is near.
        (Some(value), Sql::Real(number)) => float(value).is_some_and(|one| (one - number).abs() < 0.001),
        _ => false,
    }
}

fn tables(backend: &Backend) -> Result<Vec<String>, ProveError> {
    match backend.call(ListTablesInput::default().into())? {
        Response::ListTables(output) => Ok(output.table_names.unwrap_or_default()),
        _ => Err(unexpected()),
    }
}

fn unexpected() -> ProveError {
    ProveError::Client(ClientError::Transport("the engine answered another operation".to_owned()))
}

fn scan(backend: &Backend, table: &str) -> Result<Vec<Item>, ProveError> {
    let (mut items, mut after) = (Vec::new(), None);
    loop {
        let input = ScanInput {
            table_name: Some(table.to_owned()),
            exclusive_start_key: after.take().map(Ok),
            ..ScanInput::default()
        };
        let Response::Scan(output) = backend.call(input.into())? else { return Err(unexpected()) };
        items.extend(output.items.unwrap_or_default().iter().map(|item| item.to_item()));
        match output.last_evaluated_key {
            Some(key) => after = Some(key),
            None => return Ok(items),
        }
    }
}

fn key_of(rows: &Rows<'_>, table: &str, item: &Item) -> Item {
    let fits = |model: &&keyfold_model::Table| {
        model.name == table || (model.period.is_some() && table.starts_with(&format!("{}_", model.name)))
    };
    let mut key = Item::new();
    if let Some(table) = rows.model.tables.iter().find(fits) {
        for column in std::iter::once(&table.partition).chain(&table.sort) {
            if let Some(value) = item.get(&column.name) {
                key.insert(column.name.as_str(), value.clone());
            }
        }
    }
    key
}

fn show(item: &Item) -> String {
    let all: Vec<String> =
        item.iter().map(|(name, value)| format!("{name}={}", value::display(value))).collect();
    all.join(" ")
}

/// An item as a text that no other item has.
fn exact(item: &Item) -> String {
    format!("{item:?}")
}
