//! Tables per period: the period's tables that a pattern reads.

use super::bind::is_given;
use crate::period::Unit;
use crate::schema::{Entity, Fan, Limit, Pattern, Table, TablePeriod, Type};

/// Adds the table's periods to the partitions that a pattern reads. A pattern on such a table must
/// give one time, one period, or a range of times with a lower end; `Err` is the reason why it
/// does not serve.
pub(super) fn table_period(
    pattern: &Pattern,
    entity: &Entity,
    table: &Table,
    partitions: Fan,
) -> Result<(Fan, Option<TablePeriod>), String> {
    let (Some(unit), Some(attribute)) = (table.period, &entity.period_attribute) else {
        return Ok((partitions, None));
    };
    let period = |from: &str| {
        Some(TablePeriod {
            unit,
            from: from.to_owned(),
        })
    };
    if let Some(from) = one_period(pattern, attribute, unit) {
        return Ok((partitions, period(from)));
    }
    let limit = |is_end: fn(Limit) -> bool| {
        pattern
            .parameters
            .iter()
            .find(|p| p.attribute == *attribute && is_end(p.limit))
    };
    let Some(low) = limit(Limit::is_lower) else {
        return Err(format!(
            "there is a table per {unit}, and the pattern does not say which: give `{attribute}`, `{unit} of {attribute}`, or a range with a lower end"
        ));
    };
    let high = limit(Limit::is_upper);
    if let Some(end) = [Some(low), high]
        .into_iter()
        .flatten()
        .find(|end| end.period().is_some())
    {
        return Err(format!(
            "there is a table per {unit}, and a range over tables has times as ends: `{attribute}` is limited by `{}`, which is a {}",
            end.name, end.kind
        ));
    }
    let tables = Fan::Periods {
        unit,
        attribute: attribute.clone(),
        kind: entity
            .attribute(attribute)
            .map_or(Type::Date, |found| found.kind.clone()),
        low: low.name.clone(),
        high: high.map(|parameter| parameter.name.clone()),
        shards: None,
    };
    Ok((combined(partitions, tables)?, period(attribute)))
}

/// The attribute or parameter that gives a single table period; `None` if the pattern has none.
fn one_period<'p>(pattern: &'p Pattern, attribute: &'p str, unit: Unit) -> Option<&'p str> {
    if is_given(pattern, attribute) {
        return Some(attribute);
    }
    pattern
        .parameters
        .iter()
        .find(|p| p.attribute == *attribute && matches!(p.limit, Limit::In(of) if of <= unit))
        .map(|parameter| parameter.name.as_str())
}

/// Combines the partitions of a read with its tables: both can be periods of one attribute only,
/// and the finer of the two units is read. The shards of each are merged.
fn combined(partitions: Fan, mut tables: Fan) -> Result<Fan, String> {
    let Fan::Periods {
        unit: table_unit,
        attribute: table_attribute,
        shards: merged,
        ..
    } = &mut tables
    else {
        return Ok(partitions);
    };
    match partitions {
        Fan::One => Ok(tables),
        Fan::Shards(count) => {
            *merged = Some(count);
            Ok(tables)
        }
        Fan::Periods { attribute, .. } if attribute != *table_attribute => Err(format!(
            "periods of `{attribute}` are not read together with a table per {table_unit} of `{table_attribute}`"
        )),
        Fan::Periods {
            unit,
            attribute,
            kind,
            low,
            high,
            shards,
        } => Ok(Fan::Periods {
            unit: unit.min(*table_unit),
            attribute,
            kind,
            low,
            high,
            shards,
        }),
    }
}
