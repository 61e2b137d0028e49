//! The stored items compared with those that follow from the rows: every item, every copy, guard,
//! part, index attribute and aggregate; and nothing else.

use crate::ProveError;
use crate::expect::{self, Attributes};
use crate::order::order;
use crate::report::{Failure, Report};
use crate::rows::Rows;
use keyfold_api::{ListTablesInput, Response, ScanInput};
use keyfold_client::arguments::Values;
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
        let children: Vec<&Values> = children(rows, entity, aggregate, &values).collect();
        let kept = aggregated(aggregate, &children);
        set(&mut values, aggregate, kept);
    }
    Some(values)
}

/// All rows of an entity with what the model keeps in them, and how many rows are in each of its
/// aggregates.
pub(crate) fn complete_all(rows: &Rows<'_>, at: usize) -> BTreeMap<i64, (Values, Vec<i64>)> {
    let Some(entity) = rows.model.entities.get(at) else {
        return BTreeMap::new();
    };
    let mut all: BTreeMap<i64, (Values, Vec<i64>)> = rows
        .of(at)
        .map(|(row, values)| (row, (values.clone(), Vec::new())))
        .collect();
    for aggregate in &entity.aggregates {
        let by_parent = by_parent(rows, entity, aggregate);
        for (row, values) in rows.of(at) {
            let own: Vec<Option<&Value>> =
                entity.key.fields().map(|field| values.get(field)).collect();
            let children = by_parent
                .get(&format!("{own:?}"))
                .map_or(&[][..], Vec::as_slice);
            if let Some((values, counts)) = all.get_mut(&row) {
                set(values, aggregate, aggregated(aggregate, children));
                counts.push(i64::try_from(children.len()).unwrap_or(i64::MAX));
            }
        }
    }
    all
}

fn set(values: &mut Values, aggregate: &Aggregate, kept: Option<Value>) {
    match kept {
        Some(value) => values.insert(aggregate.attribute.clone(), value),
        None => values.remove(&aggregate.attribute),
    };
}

/// Whether other rows are counted in this one.
pub(crate) fn has_children(rows: &Rows<'_>, entity: &Entity, values: &Values) -> bool {
    entity.aggregates.iter().any(|aggregate| {
        // One that is counted in itself goes with itself.
        let is_own = rows
            .model
            .entities
            .get(aggregate.entity)
            .is_some_and(|child| child.name == entity.name);
        let other = |child: &&Values| {
            !is_own
                || entity
                    .key
                    .fields()
                    .any(|field| child.get(field) != values.get(field))
        };
        children(rows, entity, aggregate, values).any(|child| other(&child))
    })
}

/// Whether a row is in an aggregate of its parent.
fn counts(aggregate: &Aggregate, child: &Values) -> bool {
    let has = |(name, text): &(String, String)| {
        child.get(name).map(value::display).as_ref() == Some(text)
    };
    aggregate.condition.as_ref().is_none_or(has)
        && aggregate
            .of
            .as_ref()
            .is_none_or(|of| child.contains_key(of))
}

/// The rows that are in an aggregate of this one.
fn children<'r>(
    rows: &'r Rows<'_>,
    entity: &Entity,
    aggregate: &'r Aggregate,
    parent: &'r Values,
) -> impl Iterator<Item = &'r Values> {
    let child = rows.model.entities.get(aggregate.entity);
    let link = child
        .map(|child| rows.link(entity, child, aggregate))
        .unwrap_or_default();
    let belongs = move |child: &&Values| {
        link.iter()
            .all(|(field, name)| parent.get(field) == child.get(name))
            && counts(aggregate, child)
    };
    rows.of(aggregate.entity)
        .map(|(_, values)| values)
        .filter(belongs)
}

/// The rows that are in an aggregate, by the key of what they are counted in.
fn by_parent<'r>(
    rows: &'r Rows<'_>,
    entity: &Entity,
    aggregate: &Aggregate,
) -> BTreeMap<String, Vec<&'r Values>> {
    let Some(child) = rows.model.entities.get(aggregate.entity) else {
        return BTreeMap::new();
    };
    let link = rows.link(entity, child, aggregate);
    let mut all: BTreeMap<String, Vec<&Values>> = BTreeMap::new();
    for (_, values) in rows
        .of(aggregate.entity)
        .filter(|(_, values)| counts(aggregate, values))
    {
        let parent: Vec<Option<&Value>> = link.iter().map(|(_, name)| values.get(name)).collect();
        all.entry(format!("{parent:?}")).or_default().push(values);
    }
    all
}

/// What an aggregate must be, exactly: by decimal arithmetic over the rows.
fn aggregated(aggregate: &Aggregate, children: &[&Values]) -> Option<Value> {
    let of = aggregate.of.as_deref().unwrap_or_default();
    let held = children.iter().filter_map(|child| child.get(of));
    match aggregate.kind {
        AggregateKind::Count => Some(Value::from(
            i64::try_from(children.len()).unwrap_or(i64::MAX),
        )),
        AggregateKind::Sum => {
            let numbers = held.filter_map(|value| match value {
                Value::N(number) => Some(*number),
                _ => None,
            });
            let zero = Number::from(0_i64);
            Some(Value::N(
                numbers.fold(zero, |sum, one| sum.checked_add(&one).unwrap_or(sum)),
            ))
        }
        AggregateKind::Max => held.max_by(|one, two| order(one, two)).cloned(),
    }
}

/// Compares everything that is stored.
pub(crate) fn check(
    backend: &Backend,
    rows: &Rows<'_>,
    report: &mut Report,
) -> Result<(), ProveError> {
    check_aggregates(rows, report)?;
    let mut wanted = wanted(rows, report);
    for table in tables(backend)? {
        for item in scan(backend, &table)? {
            report.stored_items += 1;
            let mut found: Attributes = item.into_map();
            let key = key_of(rows, &table, &found);
            let place = format!("{table} {}", show(&key));
            let Some(expected) = wanted.remove(&(table.clone(), exact(&key))) else {
                report.failures.push(Failure {
                    what: format!("an item at {place}"),
                    expected: "nothing: it follows from no row".to_owned(),
                    found: show(&found),
                });
                continue;
            };
            let MustBe {
                item: mut must,
                what,
                compressed,
                changes,
                counters,
            } = expected;
            // How often a maximum was looked at depends on the way there; what is compressed is
            // read by the patterns.
            for name in &changes {
                found.remove(name);
            }
            for name in &compressed {
                let is_packed = matches!(found.get(name), Some(Value::B(_)));
                if is_packed == must.contains_key(name) {
                    found.remove(name);
                    must.remove(name);
                }
            }
            // A number of items that has never changed is not written.
            for name in counters {
                found.entry(name).or_insert(Value::from(0));
            }
            if must != found {
                report.failures.push(Failure {
                    what: format!("{what} at {place}"),
                    expected: show(&must),
                    found: show(&found),
                });
            }
        }
    }
    for ((table, _), expected) in wanted {
        report.failures.push(Failure {
            what: format!("{} at {table}", expected.what),
            expected: show(&expected.item),
            found: "nothing".to_owned(),
        });
    }
    Ok(())
}

/// An item that must be there.
struct MustBe {
    item: Attributes,
    what: String,
    /// Attributes that are stored compressed.
    compressed: Vec<String>,
    /// Counters of changes that are kept beside maxima.
    changes: Vec<String>,
    /// The numbers of items that are kept beside sums and maxima.
    counters: Vec<String>,
}

/// Everything that follows from the rows, by table and key.
fn wanted(rows: &Rows<'_>, report: &mut Report) -> BTreeMap<(String, String), MustBe> {
    let mut wanted = BTreeMap::new();
    for (at, entity) in rows.model.entities.iter().enumerate() {
        for (complete, counts) in complete_all(rows, at).into_values() {
            let items = match expect::items(rows.model, entity, &complete) {
                Ok(items) => items,
                Err(error) => {
                    report.failures.push(Failure {
                        what: format!(
                            "a row of {} that cannot be stored: {}",
                            entity.name, error.0
                        ),
                        expected: "refused".to_owned(),
                        found: "written".to_owned(),
                    });
                    continue;
                }
            };
            for (number, one) in items.into_iter().enumerate() {
                let mut must = MustBe {
                    item: one.item,
                    what: one.what,
                    compressed: entity.compressed.clone(),
                    changes: Vec::new(),
                    counters: Vec::new(),
                };
                let kept = entity.aggregates.iter().zip(&counts);
                let of_items =
                    kept.filter(|(one, _)| number == 0 && one.kind != AggregateKind::Count);
                for (aggregate, count) in of_items {
                    let name = format!("{}:items", aggregate.attribute);
                    must.item.insert(name.clone(), Value::from(*count));
                    must.counters.push(name);
                    must.changes
                        .push(format!("{}:changes", aggregate.attribute));
                }
                wanted.insert((one.table, exact(&one.key)), must);
            }
        }
    }
    wanted
}

/// SQL's aggregates against those of decimal arithmetic.
fn check_aggregates(rows: &Rows<'_>, report: &mut Report) -> Result<(), ProveError> {
    for (at, entity) in rows
        .model
        .entities
        .iter()
        .enumerate()
        .filter(|(_, one)| !one.aggregates.is_empty())
    {
        for (values, _) in complete_all(rows, at).into_values() {
            for aggregate in &entity.aggregates {
                report.aggregates += 1;
                let (exact, by_sql) = (
                    values.get(&aggregate.attribute),
                    rows.aggregate(entity, aggregate, &values)?,
                );
                if !same(exact, &by_sql) {
                    report.failures.push(Failure {
                        what: format!("{}.{}", entity.name, aggregate.attribute),
                        expected: format!("{by_sql:?} by SQL"),
                        found: exact.map_or("nothing".to_owned(), value::display),
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
        (Some(value), Sql::Real(number)) => {
            float(value).is_some_and(|one| (one - number).abs() < 0.001)
        }
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
    ProveError::Client(ClientError::Transport(
        "the engine answered another operation".to_owned(),
    ))
}

fn scan(backend: &Backend, table: &str) -> Result<Vec<Item>, ProveError> {
    let (mut items, mut after) = (Vec::new(), None);
    loop {
        let input = ScanInput {
            table_name: Some(table.to_owned()),
            exclusive_start_key: after.take().map(Ok),
            ..ScanInput::default()
        };
        let Response::Scan(output) = backend.call(input.into())? else {
            return Err(unexpected());
        };
        items.extend(
            output
                .items
                .unwrap_or_default()
                .iter()
                .map(|item| item.to_item()),
        );
        match output.last_evaluated_key {
            Some(key) => after = Some(key),
            None => return Ok(items),
        }
    }
}

fn key_of(rows: &Rows<'_>, table: &str, item: &Attributes) -> Attributes {
    let fits = |model: &&keyfold_model::Table| {
        model.name == table
            || (model.period.is_some() && table.starts_with(&format!("{}_", model.name)))
    };
    let mut key = Attributes::new();
    if let Some(table) = rows.model.tables.iter().find(fits) {
        for column in std::iter::once(&table.partition).chain(&table.sort) {
            if let Some(value) = item.get(&column.name) {
                key.insert(column.name.clone(), value.clone());
            }
        }
    }
    key
}

fn show(item: &Attributes) -> String {
    let all: Vec<String> = item
        .iter()
        .map(|(name, value)| format!("{name}={}", value::display(value)))
        .collect();
    all.join(" ")
}

/// A key as a text that no other key has.
fn exact(key: &Attributes) -> String {
    format!("{key:?}")
}
