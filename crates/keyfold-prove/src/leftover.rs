//! The stored items compared with those that follow from the rows: every item, copy, guard, part,
//! index attribute and aggregate, and nothing else.

use crate::ProveError;
use crate::expect::{self, Attributes};
use crate::kept::complete_all;
use crate::own_tables;
use crate::report::{Failure, Report};
use crate::rows::Rows;
use crate::show;
use flate2::read::GzDecoder;
use keyfold_api::{Response, ScanInput};
use keyfold_client::verify::{self, Finding, Observer};
use keyfold_client::{Backend, ClientError};
use keyfold_model::schema::AggregateKind;
use keyfold_types::{Item, Value};
use rusqlite::types::Value as Sql;
use std::collections::BTreeMap;
use std::io::Read as _;

/// The tables of workers that keep views.
const UPKEEP: [&str; 3] = ["keyfold_views", "keyfold_leases", "keyfold_failures"];
/// The attribute that only rows of views have.
const GENERATION: &str = "view:generation";

/// What is compared.
pub(crate) struct Scope<'s> {
    /// What the names of the tables begin with.
    pub(crate) prefix: &'s str,
    /// Whether the rows of views are compared, too.
    pub(crate) with_views: bool,
}

/// Compares everything that is stored in the tables of a scope with the rows, and reports the
/// differences.
pub(crate) fn check(
    backend: &Backend,
    rows: &Rows<'_>,
    scope: &Scope<'_>,
    report: &mut Report,
) -> Result<(), ProveError> {
    check_aggregates(rows, report)?;
    let mut expected = expected_items(rows, report);
    expected.retain(|_, one| scope.with_views || !one.is_row_of_view);
    let names = own_tables::names(backend, scope.prefix)?.into_iter();
    for table in names.filter(|name| !UPKEEP.contains(&name.as_str())) {
        for item in scan(backend, &table)? {
            let found = item.into_map();
            if !scope.with_views && found.contains_key(GENERATION) {
                continue;
            }
            report.stored_items += 1;
            let key = key_of(rows, &table, &found);
            let place = format!("{table} {}", show(&key));
            match expected.remove(&(table.clone(), exact(&key))) {
                Some(expected) => report.failures.extend(expected.compare(found, &place)),
                None => report.failures.push(Failure {
                    what: format!("an item at {place}"),
                    expected: "nothing: it follows from no row".to_owned(),
                    found: show(&found),
                }),
            }
        }
    }
    for ((table, _), expected) in expected {
        report.failures.push(Failure {
            what: format!("{} at {table}", expected.kind),
            expected: show(&expected.item),
            found: "nothing".to_owned(),
        });
    }
    verify(backend, rows, scope, report)
}

/// Verifies the tables as `keyfold verify` does: it must find nothing.
fn verify(
    backend: &Backend,
    rows: &Rows<'_>,
    scope: &Scope<'_>,
    report: &mut Report,
) -> Result<(), ProveError> {
    let tables = verify::sizes(backend, rows.model)?;
    let options = verify::Options::default();
    let views = rows.model.entities.iter();
    let views = views.filter(|entity| entity.view.is_some() && !scope.with_views);
    let mut found = Found {
        all: Vec::new(),
        unkept: views.map(|entity| entity.name.clone()).collect(),
    };
    verify::run(backend, rows.model, &tables, &options, &mut found)?;
    report.failures.extend(found.all.iter().map(|one| Failure {
        what: format!(
            "{} at {} {}",
            one.kind.text(),
            one.table,
            show(one.key.as_map())
        ),
        expected: "nothing: the item follows from the rows".to_owned(),
        found: one.message.clone(),
    }));
    Ok(())
}

/// The findings of a verification.
struct Found {
    all: Vec<Finding>,
    /// The views whose rows nobody keeps.
    unkept: Vec<String>,
}

impl Observer for Found {
    fn progress(&mut self, _scan: u32, _items: u64) {}

    fn finding(&mut self, finding: &Finding) -> Result<(), ClientError> {
        self.all.push(finding.clone());
        Ok(())
    }

    fn lagging(&mut self) -> Result<Vec<String>, ClientError> {
        Ok(self.unkept.clone())
    }
}

/// An item that must be stored.
struct ExpectedItem {
    item: Attributes,
    kind: String,
    /// Attributes that are stored compressed.
    compressed: Vec<String>,
    /// The counters of changes beside maxima.
    changes: Vec<String>,
    /// The numbers of items beside sums and maxima.
    counters: Vec<String>,
    /// Whether it is a row of a view, beside whose attributes upkeep has its own.
    is_row_of_view: bool,
}

impl ExpectedItem {
    /// The failure when a stored item is another one.
    fn compare(self, mut found: Attributes, place: &str) -> Option<Failure> {
        let mut expected = self.item;
        // The counter of changes depends on the history of writes.
        for name in &self.changes {
            found.remove(name);
        }
        if self.is_row_of_view {
            found.retain(|name, _| !name.contains(':'));
        }
        // Compressed bytes may differ for one value, which is compared unpacked.
        for name in &self.compressed {
            let packed = expected.get(name).map(expect::packed);
            if packed.is_some() && packed == found.get(name).and_then(unpacked) {
                found.remove(name);
                expected.remove(name);
            }
        }
        // A number of items that has never changed is not stored.
        for name in self.counters {
            found.entry(name).or_insert(Value::from(0));
        }
        (expected != found).then(|| Failure {
            what: format!("{} at {place}", self.kind),
            expected: show(&expected),
            found: show(&found),
        })
    }
}

/// The text inside a compressed attribute; `None` when it is not compressed.
fn unpacked(stored: &Value) -> Option<String> {
    let Value::B(bytes) = stored else { return None };
    let mut text = String::new();
    GzDecoder::new(&bytes[..]).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Everything that follows from the rows, by table and key.
fn expected_items(
    rows: &Rows<'_>,
    report: &mut Report,
) -> BTreeMap<(String, String), ExpectedItem> {
    let mut all = BTreeMap::new();
    for (at, entity) in rows.model.entities.iter().enumerate() {
        for row in complete_all(rows, at).into_values() {
            let items = match expect::items(rows.model, entity, &row.values) {
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
                let mut expected = ExpectedItem {
                    item: one.item,
                    kind: one.kind,
                    compressed: entity.compressed.clone(),
                    changes: Vec::new(),
                    counters: Vec::new(),
                    is_row_of_view: entity.view.is_some(),
                };
                let kept = entity.aggregates.iter().zip(&row.counts);
                let with_counters =
                    kept.filter(|(one, _)| number == 0 && one.kind != AggregateKind::Count);
                for (aggregate, count) in with_counters {
                    let name = format!("{}:items", aggregate.attribute);
                    expected.item.insert(name.clone(), Value::from(*count));
                    expected.counters.push(name);
                    let changes = format!("{}:changes", aggregate.attribute);
                    expected.changes.push(changes);
                }
                all.insert((one.table, exact(&one.key)), expected);
            }
        }
    }
    all
}

/// The items that follow from the rows, as texts by their table and key.
pub(crate) fn stored(rows: &Rows<'_>) -> BTreeMap<String, String> {
    let all = expected_items(rows, &mut Report::default()).into_iter();
    all.map(|((table, key), one)| (format!("{table} {key}"), exact(&one.item)))
        .collect()
}

/// Compares SQL's aggregates with those of decimal arithmetic.
fn check_aggregates(rows: &Rows<'_>, report: &mut Report) -> Result<(), ProveError> {
    for (at, entity) in rows
        .model
        .entities
        .iter()
        .enumerate()
        .filter(|(_, one)| !one.aggregates.is_empty())
    {
        for row in complete_all(rows, at).into_values() {
            for aggregate in &entity.aggregates {
                report.aggregates += 1;
                let (exact, by_sql) = (
                    row.values.get(&aggregate.attribute),
                    rows.aggregate(entity, aggregate, &row.values)?,
                );
                if !same(exact, &by_sql) {
                    report.failures.push(Failure {
                        what: format!("{}.{}", entity.name, aggregate.attribute),
                        expected: format!("{by_sql:?} by SQL"),
                        found: exact.map_or("nothing".to_owned(), show::value),
                    });
                }
            }
        }
    }
    Ok(())
}

/// Whether SQL's aggregate is the exact one, as far as SQLite's numbers are.
pub(crate) fn same(exact: Option<&Value>, by_sql: &Sql) -> bool {
    let float = |value: &Value| {
        let Value::N(number) = value else { return None };
        number.to_string().parse::<f64>().ok()
    };
    match (exact, by_sql) {
        (None, Sql::Null) => true,
        (Some(Value::S(one)), Sql::Text(two)) => one == two,
        // The sum of no rows is 0 in the model and NULL in SQL.
        (Some(value), Sql::Null) => float(value) == Some(0.0),
        (Some(value), Sql::Integer(number)) => float(value) == Some(*number as f64),
        // SQLite adds in binary: its sum is close, not exact.
        (Some(value), Sql::Real(number)) => {
            float(value).is_some_and(|one| (one - number).abs() < 0.001)
        }
        _ => false,
    }
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
            return Err(own_tables::unexpected());
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
    show::values(item).trim_start().to_owned()
}

/// A key as a text that is unique to it.
fn exact(key: &Attributes) -> String {
    format!("{key:?}")
}
