//! What MariaDB's catalog says of tables: their columns, and whether its log tells enough of them.

use super::ddl;
use super::kind::{self, Kind};
use super::quoting::{literal, quoted};
use super::session::Session;
use super::table::Table;
use crate::source::TableColumn;
use crate::source::{Column, SourceError, Watched};
use keyfold_model::schema::origin::SqlTable;

/// A table as the catalog has it.
pub(super) struct Found {
    schema: String,
    pub(super) name: String,
    kind: String,
    engine: String,
}

impl Found {
    /// Its schema and its name as texts of SQL.
    pub(super) fn literals(&self) -> (String, String) {
        (literal(&self.schema), literal(&self.name))
    }

    /// Its rows in tables of the catalog.
    pub(super) fn condition(&self) -> String {
        let (schema, name) = self.literals();
        format!("TABLE_SCHEMA = {schema} AND TABLE_NAME = {name}")
    }
}

/// A column as the catalog has it.
struct Held {
    name: String,
    kind: String,
    is_virtual: bool,
}

fn find(
    session: &mut Session,
    schema: Option<&String>,
    name: &str,
) -> Result<Option<Found>, SourceError> {
    let schema = schema.map_or(session.database(), String::as_str).to_owned();
    let wanted = Found {
        schema,
        name: name.to_owned(),
        kind: String::new(),
        engine: String::new(),
    };
    let mut found = of_condition(session, &wanted.condition())?;
    let exact = found.iter().position(|one| one.name == name);
    let at = exact.unwrap_or(0);
    Ok((at < found.len()).then(|| found.swap_remove(at)))
}

/// The tables of the session's database, in the order of their names.
pub(super) fn all(session: &mut Session) -> Result<Vec<Found>, SourceError> {
    let schema = literal(session.database());
    of_condition(
        session,
        &format!("TABLE_SCHEMA = {schema} ORDER BY TABLE_NAME"),
    )
}

fn of_condition(session: &mut Session, condition: &str) -> Result<Vec<Found>, SourceError> {
    let rows = session.texts(&format!(
        "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, ENGINE FROM information_schema.TABLES WHERE {condition}"
    ))?;
    let text = |row: &[String], at: usize| row.get(at).cloned().unwrap_or_default();
    let found = rows.iter().map(|row| Found {
        schema: text(row, 0),
        name: text(row, 1),
        kind: text(row, 2),
        engine: text(row, 3),
    });
    Ok(found.collect())
}

/// Why the log tells nothing of a table.
pub(super) fn untold(found: &Found) -> Option<String> {
    match found.kind.as_str() {
        "VIEW" => {
            Some("is a view: nothing says when its rows change; map its tables instead".to_owned())
        }
        "BASE TABLE" | "SYSTEM VERSIONED" if found.engine.eq_ignore_ascii_case("InnoDB") => None,
        "BASE TABLE" | "SYSTEM VERSIONED" => Some(format!(
            "is a table of {}, which has no snapshots: ALTER TABLE {} ENGINE = InnoDB",
            found.engine, found.name
        )),
        _ => Some("is no table".to_owned()),
    }
}

fn held(session: &mut Session, found: &Found) -> Result<Vec<Held>, SourceError> {
    let rows = session.texts(&format!(
        "SELECT COLUMN_NAME, COLUMN_TYPE, CHARACTER_SET_NAME, COLLATION_NAME, EXTRA FROM information_schema.COLUMNS \
         WHERE {} ORDER BY ORDINAL_POSITION",
        found.condition()
    ))?;
    let text = |row: &[String], at: usize| row.get(at).cloned().unwrap_or_default();
    let columns = rows.iter().map(|row| Held {
        name: text(row, 0),
        kind: kind::written(&text(row, 1), &text(row, 2), &text(row, 3)),
        is_virtual: text(row, 4).to_ascii_uppercase().contains("VIRTUAL"),
    });
    Ok(columns.collect())
}

/// The columns of a table; `None` if there is none.
pub(super) fn columns(
    session: &mut Session,
    table: &SqlTable,
) -> Result<Option<Vec<Column>>, SourceError> {
    let Some(found) = find(session, table.schema.as_ref(), &table.name)? else {
        return Ok(None);
    };
    if let Some(why) = untold(&found) {
        return Err(SourceError::lasting(format!("`{}` {why}", table.name)));
    }
    let columns = held(session, &found)?.into_iter().map(|one| Column {
        name: one.name,
        kind: one.kind,
    });
    Ok(Some(columns.collect()))
}

/// The columns of a table as rows are written to it.
pub(super) fn described(
    session: &mut Session,
    table: &SqlTable,
) -> Result<Vec<TableColumn>, SourceError> {
    let Some(found) = find(session, table.schema.as_ref(), &table.name)? else {
        return Ok(Vec::new());
    };
    let rows = session.texts(&format!(
        "SELECT COLUMN_NAME, COLUMN_TYPE, CHARACTER_SET_NAME, COLLATION_NAME, IS_NULLABLE = 'NO', COLUMN_DEFAULT IS NOT \
         NULL OR EXTRA LIKE '%auto_increment%', IS_GENERATED = 'ALWAYS' FROM information_schema.COLUMNS WHERE {} ORDER BY \
         ORDINAL_POSITION",
        found.condition()
    ))?;
    let text = |row: &[String], at: usize| row.get(at).cloned().unwrap_or_default();
    let columns = rows.iter().map(|row| TableColumn {
        name: text(row, 0),
        kind: kind::written(&text(row, 1), &text(row, 2), &text(row, 3)),
        is_required: text(row, 4) == "1",
        default: (text(row, 5) == "1").then(|| "default".to_owned()),
        is_generated: text(row, 6) == "1",
        words: None,
        is_folded: false,
    });
    Ok(columns.collect())
}

/// The columns of the primary key of a table, in its order; none where one of them is not sorted as it is compared,
/// or not found again by its value.
pub(super) fn key(session: &mut Session, table: &SqlTable) -> Result<Vec<String>, SourceError> {
    let Some(found) = find(session, table.schema.as_ref(), &table.name)? else {
        return Ok(Vec::new());
    };
    let rows = session.texts(&format!(
        "SELECT COLUMN_NAME, SUB_PART FROM information_schema.STATISTICS WHERE {} AND INDEX_NAME = 'PRIMARY' ORDER BY \
         SEQ_IN_INDEX",
        found.condition()
    ))?;
    let held = held(session, &found)?;
    let mut names = Vec::new();
    for row in rows {
        let [name, part] = row.as_slice() else {
            return Ok(Vec::new());
        };
        let column = held.iter().find(|one| one.name == *name);
        let kind = column.map(|one| Kind::of(&one.kind));
        let is_sorted =
            kind.is_some_and(|kind| kind.untold().is_none() && !kind.is_sorted_by_number());
        if !part.is_empty() || !is_sorted {
            return Ok(Vec::new());
        }
        names.push(name.clone());
    }
    Ok(names)
}

/// The tables that are watched, if the log tells the watched columns.
///
/// # Errors
/// When it does not of one, with what mends it.
pub(super) fn tables(
    session: &mut Session,
    watched: &[Watched],
) -> Result<Vec<Table>, SourceError> {
    let is_exact = session.text("SELECT @@lower_case_table_names")? == "0";
    let (mut tables, mut faults) = (Vec::new(), Vec::new());
    for one in watched {
        let Some(found) = find(session, one.schema.as_ref(), &one.table)? else {
            faults.push(format!("the database has no table `{}`", one.table));
            continue;
        };
        if let Some(why) = untold(&found) {
            faults.push(format!("`{}` {why}", one.table));
            continue;
        }
        faults.extend(followed(session, &found)?);
        let held = held(session, &found)?;
        let mut columns = Vec::new();
        for name in &one.columns {
            match held.iter().find(|column| column.name == *name) {
                Some(column) => {
                    let kind = Kind::of(&column.kind);
                    faults.extend(untold_column(&found, column, &kind));
                    columns.push((name.clone(), kind));
                }
                None => faults.push(format!("`{}` has no column `{name}`", one.table)),
            }
        }
        tables.push(Table {
            schema: found.schema,
            name: found.name,
            columns,
            is_exact,
        });
    }
    match faults.is_empty() {
        true => Ok(tables),
        false => Err(SourceError::lasting(faults.join("\n"))),
    }
}

/// Why rows cannot be told by a column.
fn untold_column(found: &Found, column: &Held, kind: &Kind) -> Option<String> {
    let why = match column.is_virtual {
        true => Some("is a virtual column, which the log need not hold: make it PERSISTENT"),
        false => kind.untold(),
    };
    let why = why?;
    Some(format!(
        "`{}` of `{}` tells its items apart or joins them, and {why}",
        column.name, found.name
    ))
}

/// The statement that makes a table.
pub(super) fn written(session: &mut Session, found: &Found) -> Result<String, SourceError> {
    let (schema, table) = (quoted(&found.schema), quoted(&found.name));
    let rows = session.texts(&format!("SHOW CREATE TABLE {schema}.{table}"))?;
    let made = rows.first().and_then(|row| row.get(1));
    Ok(made.cloned().unwrap_or_default())
}

/// The foreign keys by which rows are changed or deleted with rows of other tables: the log does not tell that.
/// `information_schema` shows them to some roles alone.
fn followed(session: &mut Session, found: &Found) -> Result<Vec<String>, SourceError> {
    let actions = ddl::actions(&written(session, found)?);
    let faults = actions.into_iter().map(|one| {
        let (table, key, other, rule) = (&found.name, &one.key, &one.other, &one.rule);
        format!(
            "rows of `{table}` change with those of `{other}` by the foreign key `{key}` ({rule}), and the log does \
             not tell that: ALTER TABLE {table} DROP FOREIGN KEY {key}, and add it again without, for as long as the \
             migration runs"
        )
    });
    Ok(faults.collect())
}
