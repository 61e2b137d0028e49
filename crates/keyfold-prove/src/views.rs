//! The rows of views: SQL's GROUP BY says which items make a row and what their numbers come to; the
//! exact values are those of decimal arithmetic. Nothing here is shared with the upkeep of views.

use crate::condition::Asked;
use crate::leftover::same;
use crate::order::order;
use crate::report::{Failure, Report};
use crate::rows::{Rows, quoted};
use crate::seen::Sight;
use crate::show;
use crate::sql_value::{json, sql};
use crate::{ProveError, kept};
use keyfold_client::arguments::Values;
use keyfold_model::schema::view::{Column, From, View};
use keyfold_model::{Entity, Model, Pattern, Type, Unit, value};
use keyfold_types::{Number, Value};
use rusqlite::types::Value as Sql;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// The most digits of a number.
const DIGITS_MAX: usize = 38;

/// The number of entities that are written; views are behind them.
pub(crate) fn written(model: &Model) -> usize {
    let mut entities = model.entities.iter();
    entities
        .position(|one| one.view.is_some())
        .unwrap_or(model.entities.len())
}

/// Whether a pattern returns rows of a view.
pub(crate) fn reads_one(model: &Model, pattern: &Pattern) -> bool {
    let first = written(model);
    pattern.returned.iter().any(|one| one.entity >= first)
}

/// A key of an entity, as a row has it: a view's times are the beginnings of their periods.
pub(crate) fn in_row(rows: &Rows<'_>, entity: &Entity, mut key: Values) -> Values {
    let Some(view) = &entity.view else { return key };
    for column in &view.columns {
        if let From::Group { of, cut } = &column.from
            && let Some(held) = key.get_mut(&column.attribute)
        {
            *held = beginning(rows, view, of, held, *cut);
        }
    }
    key
}

/// Puts the rows that follow from their sources now into all views, and compares SQL's numbers with
/// those of decimal arithmetic.
pub(crate) fn fill(rows: &mut Rows<'_>, report: &mut Report) -> Result<(), ProveError> {
    let model = rows.model;
    if written(model) == model.entities.len() {
        return Ok(());
    }
    // Sources may have counts and sums themselves.
    kept::fill(rows)?;
    for (at, entity) in model.entities.iter().enumerate() {
        if let Some(view) = &entity.view {
            let all = groups(rows, entity, view, report)?;
            if !all.is_empty() {
                rows.seen.show(Sight::View(at));
                rows.seen.keep();
            }
            rows.refill(at, all)?;
        }
    }
    Ok(())
}

/// The rows of a view.
fn groups(
    rows: &Rows<'_>,
    entity: &Entity,
    view: &View,
    report: &mut Report,
) -> Result<Vec<Values>, ProveError> {
    let mut parameters = Vec::new();
    let asked = Asked {
        rows,
        entity: view.source,
        kinds: &[],
        arguments: &Values::new(),
    };
    let conditions = view.when.iter();
    let conditions = conditions.filter_map(|one| asked.sql(one, &mut parameters));
    let conditions: Vec<String> = std::iter::once("1".to_owned()).chain(conditions).collect();
    let groups: Vec<String> = match view.is_grouped {
        true => view.columns.iter().filter_map(grouped).collect(),
        false => vec!["\":row\"".to_owned()],
    };
    let by = if groups.is_empty() {
        String::new()
    } else {
        format!(" GROUP BY {}", groups.join(", "))
    };
    let functions = view.columns.iter().map(function);
    let functions: String = functions.map(|one| format!(", {one}")).collect();
    let text = format!(
        "SELECT group_concat(\":row\"){functions} FROM {} WHERE {}{by}",
        crate::rows::table(view.source),
        conditions.join(" AND ")
    );
    let mut made = Vec::new();
    for line in rows.query(&text, parameters, view.columns.len() + 1)? {
        let Some((Sql::Text(members), by_sql)) = line.split_first() else {
            continue;
        };
        let numbers = members.split(',').filter_map(|one| one.parse().ok());
        let items = numbers.filter_map(|row| rows.get_complete(view.source, row));
        let items: Vec<&Values> = items.collect();
        let row = row(rows, view, &items)?;
        report.aggregates += by_sql.len();
        compare((entity, view), &row, by_sql, report);
        made.push(row);
    }
    Ok(made)
}

/// What SQL groups by for a column.
fn grouped(column: &Column) -> Option<String> {
    match &column.from {
        From::Group { of, cut: None } => Some(quoted(of)),
        From::Group {
            of,
            cut: Some(unit),
        } => Some(format!("substr({}, 1, {})", quoted(of), width(*unit))),
        From::Copied { .. }
        | From::Count
        | From::Sum { .. }
        | From::Min { .. }
        | From::Max { .. }
        | From::Average { .. }
        | From::Distinct { .. }
        | From::Top { .. }
        | From::Joined { .. } => None,
    }
}

/// The length of a period's text.
fn width(unit: Unit) -> usize {
    match unit {
        Unit::Hour => "2024-01-15T10".len(),
        Unit::Day => "2024-01-15".len(),
        Unit::Month => "2024-01".len(),
        Unit::Year => "2024".len(),
    }
}

/// SQL's value of a column; NULL where SQL has none of its own.
fn function(column: &Column) -> String {
    match &column.from {
        From::Count => "count(*)".to_owned(),
        From::Sum { of } => format!("sum({})", quoted(of)),
        From::Min { of } => format!("min({})", quoted(of)),
        From::Max { of } => format!("max({})", quoted(of)),
        From::Average { of } => format!("avg({})", quoted(of)),
        From::Distinct { of } => format!("count(DISTINCT {})", quoted(of)),
        From::Group { .. } | From::Copied { .. } | From::Top { .. } | From::Joined { .. } => {
            "NULL".to_owned()
        }
    }
}

/// Reports where SQL's numbers are others.
fn compare((entity, view): (&Entity, &View), row: &Values, by_sql: &[Sql], report: &mut Report) {
    for (column, by_sql) in view.columns.iter().zip(by_sql) {
        let has_number = match column.from {
            From::Count
            | From::Sum { .. }
            | From::Min { .. }
            | From::Max { .. }
            | From::Average { .. }
            | From::Distinct { .. } => true,
            From::Group { .. } | From::Copied { .. } | From::Top { .. } | From::Joined { .. } => {
                false
            }
        };
        let exact = row.get(&column.attribute);
        if has_number && !same(exact, by_sql) {
            report.failures.push(Failure {
                what: format!("{}.{}", entity.name, column.attribute),
                expected: format!("{by_sql:?} by SQL"),
                found: exact.map_or("nothing".to_owned(), show::value),
            });
        }
    }
}

/// The row of these items.
fn row(rows: &Rows<'_>, view: &View, items: &[&Values]) -> Result<Values, ProveError> {
    let mut row = Values::new();
    for Column {
        attribute, from, ..
    } in &view.columns
    {
        let made = match from {
            From::Joined { entity, link, of } => joined(rows, *entity, (link, of), items)?,
            From::Group { of, cut } => {
                let first = items.first().and_then(|one| one.get(of));
                first.map(|held| beginning(rows, view, of, held, *cut))
            }
            From::Copied { of } => items.first().and_then(|one| one.get(of)).cloned(),
            From::Count => Some(number(items.len())),
            From::Sum { of } => Some(Value::N(sum(&held(items, of)))),
            From::Min { of } => held(items, of)
                .into_iter()
                .min_by(|a, b| order(a, b))
                .cloned(),
            From::Max { of } => held(items, of)
                .into_iter()
                .max_by(|a, b| order(a, b))
                .cloned(),
            From::Average { of } => average(&held(items, of)),
            From::Distinct { of } => {
                let all = held(items, of).into_iter().map(json);
                Some(number(all.collect::<BTreeSet<String>>().len()))
            }
            From::Top {
                number,
                by,
                descending,
                fields,
            } => {
                let source = rows.model.entities.get(view.source);
                let least_first = !descending;
                source.map(|source| top(source, items, (*number, by, least_first), fields))
            }
        };
        row.extend(made.map(|made| (attribute.clone(), made)));
    }
    Ok(row)
}

/// The values that items have of an attribute.
fn held<'i>(items: &[&'i Values], of: &str) -> Vec<&'i Value> {
    items.iter().filter_map(|one| one.get(of)).collect()
}

fn number(count: usize) -> Value {
    Value::from(i64::try_from(count).unwrap_or(i64::MAX))
}

/// The beginning of a time's period.
fn beginning(rows: &Rows<'_>, view: &View, of: &str, held: &Value, cut: Option<Unit>) -> Value {
    let (Some(unit), Value::S(time)) = (cut, held) else {
        return held.clone();
    };
    let source = rows.model.entities.get(view.source);
    let is_date = source
        .and_then(|source| source.attribute(of))
        .is_some_and(|one| one.kind == Type::Date);
    let rest = if is_date {
        "0000-01-01"
    } else {
        "0000-01-01T00:00:00.000000000"
    };
    let period = time.get(..width(unit)).unwrap_or(time);
    let mut text = format!("{period}{}", rest.get(period.len()..).unwrap_or_default());
    if !is_date {
        text.truncate(time.len() - 1);
        text.push('Z');
    }
    Value::S(text)
}

fn sum(values: &[&Value]) -> Number {
    let mut sum = Number::from(0_i64);
    for value in values {
        if let Value::N(number) = value {
            sum = sum.checked_add(number).unwrap_or(sum);
        }
    }
    sum
}

/// The average: digit by digit, as on paper.
fn average(values: &[&Value]) -> Option<Value> {
    let count = u128::try_from(values.len())
        .ok()
        .filter(|count| *count > 0)?;
    let text = sum(values).to_string();
    let digits = text.trim_start_matches('-');
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut given = whole
        .bytes()
        .chain(fraction.bytes())
        .map(|digit| u128::from(digit - b'0'));
    let mut point = whole.len();
    let (mut quotient, mut rest, mut at) = (Vec::new(), 0_u128, 0_usize);
    loop {
        let next = given.next();
        if next.is_none() && rest == 0 && at >= point {
            break;
        }
        rest = rest * 10 + next.unwrap_or(0);
        at += 1;
        let digit = u8::try_from(rest / count).unwrap_or(9);
        rest %= count;
        if quotient.is_empty() && digit == 0 {
            continue;
        }
        quotient.push((at, digit));
        if quotient.len() > DIGITS_MAX {
            break;
        }
    }
    if quotient.is_empty() {
        return Some(Value::from(0));
    }
    let mut kept: Vec<u8> = quotient.iter().map(|(_, digit)| *digit).collect();
    let first = quotient.first().map_or(0, |(at, _)| *at);
    if kept.len() > DIGITS_MAX {
        let last = kept.pop().unwrap_or(0);
        if last >= 5 {
            let mut place = kept.len();
            loop {
                let Some(before) = place.checked_sub(1) else {
                    kept.insert(0, 1);
                    point += 1;
                    break;
                };
                place = before;
                let Some(digit) = kept.get_mut(place) else {
                    break;
                };
                if *digit < 9 {
                    *digit += 1;
                    break;
                }
                *digit = 0;
            }
        }
    }
    let digits: String = kept.iter().map(|digit| char::from(b'0' + digit)).collect();
    // The first digit stands `first - point` places behind the point; before it, if that is negative.
    let exponent = i64::try_from(point).ok()? - i64::try_from(first).ok()? + 1
        - i64::try_from(digits.len()).ok()?;
    let sign = if text.starts_with('-') { "-" } else { "" };
    let text = format!("{sign}{digits}E{exponent}");
    text.parse().ok().map(Value::N)
}

/// The first items in an order, as records.
fn top(
    source: &Entity,
    items: &[&Values],
    (number, by, least_first): (u32, &str, bool),
    fields: &[String],
) -> Value {
    let identity = |one: &Values| -> Vec<String> {
        let names = crate::rows::identity(source).into_iter();
        names
            .map(|name| one.get(name).map_or(String::new(), value::display))
            .collect()
    };
    let mut all: Vec<&Values> = items.to_vec();
    all.retain(|one| one.contains_key(by));
    all.sort_by(|one, two| {
        let (Some(first), Some(second)) = (one.get(by), two.get(by)) else {
            return Ordering::Equal;
        };
        let by_value = match least_first {
            true => order(first, second),
            false => order(second, first),
        };
        by_value.then_with(|| identity(one).cmp(&identity(two)))
    });
    let records = all.into_iter().take(number as usize).map(|one| {
        let held = fields.iter().filter_map(|name| {
            let held = one.get(name)?;
            Some((name.clone(), held.clone()))
        });
        Value::M(held.collect())
    });
    Value::L(records.collect())
}

/// An attribute of the row of another entity that the items refer to, as SQL finds it.
fn joined(
    rows: &Rows<'_>,
    entity: usize,
    (link, of): (&[(String, String)], &str),
    items: &[&Values],
) -> Result<Option<Value>, ProveError> {
    let Some(first) = items.first() else {
        return Ok(None);
    };
    let mut parameters = Vec::new();
    let mut conditions = vec!["1".to_owned()];
    for (field, own) in link {
        conditions.push(format!("{} = ?", quoted(field)));
        parameters.push(sql(first.get(own)));
    }
    let found = rows.select(entity, &conditions.join(" AND "), None, parameters)?;
    let found = found
        .first()
        .and_then(|row| rows.get_complete(entity, *row));
    Ok(found.and_then(|found| found.get(of)).cloned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_average_has_38_digits_and_is_rounded_from_half_up() {
        let cases = [
            (&["1", "2"][..], "1.5"),
            (&["1", "1", "2"], "1.3333333333333333333333333333333333333"),
            (
                &["-1", "-1", "-3"],
                "-1.6666666666666666666666666666666666667",
            ),
            (&["0.002", "0.001"], "0.0015"),
            (&["100", "300"], "200"),
            (&["0", "0", "0"], "0"),
            (
                &["0.02", "0", "0"],
                "0.0066666666666666666666666666666666666667",
            ),
        ];
        for (given, wanted) in cases {
            let values: Vec<Value> = given
                .iter()
                .map(|one| Value::N(one.parse().unwrap()))
                .collect();
            let values: Vec<&Value> = values.iter().collect();
            let found = average(&values).unwrap();
            assert_eq!(found, Value::N(wanted.parse().unwrap()), "{given:?}");
        }
    }
}
