//! Events of the log become rows that were touched.

use super::table::Table;
use super::value::{self, Told};
use crate::source::SourceError;
use mysql::Value;
use mysql::binlog::events::{RowsEventData, TableMapEvent};
use mysql::binlog::row::BinlogRow;
use mysql::binlog::value::BinlogValue;

/// A row that was touched, by the position of its table among those that are watched.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) table: usize,
    pub(super) told: Vec<Told>,
}

/// The rows of an event that are of watched tables, as they were and as they are.
pub(super) fn rows(
    event: &RowsEventData<'_>,
    map: &TableMapEvent<'_>,
    tables: &[Table],
) -> Result<Vec<Row>, SourceError> {
    let (schema, name) = (map.database_name(), map.table_name());
    let all = tables.iter().enumerate();
    let own: Vec<(usize, &Table)> = all.filter(|(_, one)| one.is(&schema, &name)).collect();
    let mut rows = Vec::new();
    if own.is_empty() {
        return Ok(rows);
    }
    for pair in event.rows(map) {
        let (old, new) = pair.map_err(|error| {
            SourceError::lasting(format!(
                "the log holds a row of `{name}` in a form that is not read ({error})"
            ))
        })?;
        for (table, one) in &own {
            let mut before: Option<Vec<Told>> = None;
            for row in [&old, &new].into_iter().flatten() {
                let told = told(one, row, before.as_deref())?;
                if before.as_ref() != Some(&told) {
                    rows.push(Row {
                        table: *table,
                        told: told.clone(),
                    });
                }
                before = Some(told);
            }
        }
    }
    Ok(rows)
}

/// The values of the watched columns of a row. What is left out of a row that is there is as it was.
fn told(table: &Table, row: &BinlogRow, before: Option<&[Told]>) -> Result<Vec<Told>, SourceError> {
    let names = row.columns_ref();
    let columns = table.columns.iter().enumerate();
    let told = columns.map(|(at, (name, kind))| {
        let place = names
            .iter()
            .position(|one| one.name_ref() == name.as_bytes());
        let value = place.and_then(|place| row.as_ref(place));
        let told = match (value, before.and_then(|before| before.get(at))) {
            (Some(BinlogValue::Value(value)), _) => value::told(kind, value),
            (None, Some(before)) => before.clone(),
            (Some(BinlogValue::Jsonb(_) | BinlogValue::JsonDiff(_)), _) => Told::Odd,
            (None, None) => return Err(untold(name, table)),
        };
        match (told, value) {
            (Told::Odd, Some(BinlogValue::Value(Value::NULL)) | None) => Err(untold(name, table)),
            (Told::Odd, _) => Err(odd(name, table)),
            (told, _) => Ok(told),
        }
    });
    told.collect()
}

fn untold(column: &str, table: &Table) -> SourceError {
    SourceError::lasting(format!(
        "the log did not tell `{column}` of `{}` for a while (binlog_row_image or binlog_row_metadata was not FULL), so \
         changes were passed over: give the migration up with `keyfold migrate abort`, begin again, and `keyfold \
         migrate verify --mend` at the end",
        table.name
    ))
}

fn odd(column: &str, table: &Table) -> SourceError {
    SourceError::lasting(format!(
        "the log tells `{column}` of `{}` as another type than it has now, so the table was changed: give the \
         migration up with `keyfold migrate abort`, begin again, and `keyfold migrate verify --mend` at the end",
        table.name
    ))
}
