//! The triggers that keep changes, and the tables that they write to. For each table that is watched there
//! is `keyfold_changes_TABLE` with a number and the watched columns, without types: what a row held is kept
//! as it is.
//!
//! `INSERT OR REPLACE` deletes rows that have the same unique value, and SQLite runs no triggers for it
//! (unless `recursive_triggers` is on). So a trigger before each insert and update keeps the rows that the
//! new one may replace, by each unique index of the table.

use crate::source::{SourceError, Watched};
use rusqlite::Connection;

/// What the names of the tables and triggers begin with.
const PREFIX: &str = "keyfold_changes_";

/// A name as SQLite quotes it.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn schema(watched: &Watched) -> &str {
    watched.schema.as_deref().unwrap_or("main")
}

fn kept_table(watched: &Watched) -> String {
    format!("{PREFIX}{}", watched.table)
}

/// The table of changes with its schema.
fn place(watched: &Watched) -> String {
    format!(
        "{}.{}",
        quoted(schema(watched)),
        quoted(&kept_table(watched))
    )
}

/// The names of the columns that a change is kept in.
fn columns(watched: &Watched) -> Vec<String> {
    (0..watched.columns.len())
        .map(|at| format!("c{at}"))
        .collect()
}

/// The query of changes in order, at most so many.
pub(super) fn kept(watched: &Watched, most: usize) -> String {
    let columns = columns(watched).join(", ");
    format!(
        "SELECT number, {columns} FROM {} ORDER BY number LIMIT {most}",
        place(watched)
    )
}

/// The deletion of changes up to a number.
pub(super) fn forgotten(watched: &Watched) -> String {
    format!("DELETE FROM {} WHERE number <= ?1", place(watched))
}

/// The columns of a row, as `OLD` or `NEW` or a table's name has them.
fn of_row(watched: &Watched, row: &str) -> String {
    let all = watched.columns.iter();
    let all: Vec<String> = all
        .map(|column| format!("{row}.{}", quoted(column)))
        .collect();
    all.join(", ")
}

/// What creates the table and the triggers of a table, each with its name.
fn statements(
    connection: &Connection,
    watched: &Watched,
) -> Result<Vec<(String, String)>, SourceError> {
    let (name, table) = (kept_table(watched), quoted(&watched.table));
    let own = columns(watched).join(", ");
    let into = format!("INSERT INTO {} ({own})", quoted(&name));
    let in_schema = |name: &str| format!("{}.{}", quoted(schema(watched)), quoted(name));
    let mut all = vec![(
        name.clone(),
        format!(
            "CREATE TABLE {} (number INTEGER PRIMARY KEY AUTOINCREMENT, {own})",
            in_schema(&name)
        ),
    )];
    let mut trigger = |when: &str, body: String| {
        let name = format!("{name}_{}", when.to_lowercase().replace(' ', "_"));
        let sql = format!(
            "CREATE TRIGGER {} {when} ON {table} BEGIN {body}; END",
            in_schema(&name)
        );
        all.push((name, sql));
    };
    let (old, new) = (of_row(watched, "OLD"), of_row(watched, "NEW"));
    trigger("AFTER INSERT", format!("{into} SELECT {new}"));
    trigger(
        "AFTER UPDATE",
        format!("{into} SELECT {old} UNION SELECT {new}"),
    );
    trigger("AFTER DELETE", format!("{into} SELECT {old}"));
    let key = key(connection, watched)?;
    let replaced = replaced(connection, watched, &key)?;
    if !replaced.is_empty() {
        let found = of_row(watched, &table);
        let body = format!(
            "{into} SELECT {found} FROM {table} WHERE {}",
            replaced.join(" OR ")
        );
        trigger("BEFORE INSERT", body);
        let rows = if key.is_empty() {
            vec!["rowid".to_owned()]
        } else {
            key.iter().map(|one| quoted(one)).collect()
        };
        let others = rows
            .iter()
            .map(|one| format!("{table}.{one} IS NOT OLD.{one}"));
        let others: Vec<String> = others.collect();
        let (others, replaced) = (others.join(" OR "), replaced.join(" OR "));
        let body = format!("{into} SELECT {found} FROM {table} WHERE ({others}) AND ({replaced})");
        trigger("BEFORE UPDATE", body);
    }
    Ok(all)
}

/// The columns of a table's primary key, if it has one.
fn key(connection: &Connection, watched: &Watched) -> Result<Vec<String>, SourceError> {
    let mut primary = connection
        .prepare("SELECT name FROM pragma_table_info(?1, ?2) WHERE pk > 0 ORDER BY pk")?;
    let key = primary.query_map([watched.table.as_str(), schema(watched)], |row| row.get(0))?;
    Ok(key.collect::<Result<_, _>>()?)
}

/// For each unique index of a table, which rows a new row would replace.
fn replaced(
    connection: &Connection,
    watched: &Watched,
    key: &[String],
) -> Result<Vec<String>, SourceError> {
    let table = quoted(&watched.table);
    let equal = |column: &str| format!("{table}.{0} = NEW.{0}", quoted(column));
    let mut groups: Vec<Vec<String>> = vec![key.to_vec()];
    let arguments = [watched.table.as_str(), schema(watched)];
    let mut indexes = connection
        .prepare("SELECT name FROM pragma_index_list(?1, ?2) WHERE \"unique\" = 1 ORDER BY name")?;
    let names = indexes.query_map(arguments, |row| row.get::<_, String>(0))?;
    let names: Vec<String> = names.collect::<Result<_, _>>()?;
    for name in names {
        let mut members =
            connection.prepare("SELECT name FROM pragma_index_info(?1, ?2) ORDER BY seqno")?;
        let arguments = [name.as_str(), schema(watched)];
        let columns = members.query_map(arguments, |row| row.get::<_, Option<String>>(0))?;
        let columns: Option<Vec<String>> = columns.collect::<Result<_, _>>()?;
        // An index on an expression: rows are told by the other columns of the table alone.
        groups.extend(columns);
    }
    groups.retain(|group| !group.is_empty());
    groups.sort();
    groups.dedup();
    let condition = |group: &Vec<String>| {
        let all: Vec<String> = group.iter().map(|column| equal(column)).collect();
        format!("({})", all.join(" AND "))
    };
    Ok(groups.iter().map(condition).collect())
}

/// The text of what has a name, if it is there.
fn text_of(
    connection: &Connection,
    watched: &Watched,
    name: &str,
) -> Result<Option<String>, SourceError> {
    let sql = format!(
        "SELECT sql FROM {}.sqlite_schema WHERE name = ?1",
        quoted(schema(watched))
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query([name])?;
    Ok(match rows.next()? {
        Some(row) => row.get(0)?,
        None => None,
    })
}

/// Whether what is there is what a statement makes. SQLite keeps the text without the schema.
fn is_made_by(text: &str, sql: &str, watched: &Watched) -> bool {
    let schema = format!("{}.", quoted(schema(watched)));
    text == sql.replacen(&schema, "", 1)
}

/// Creates what is absent, in one transaction.
pub(super) fn create(connection: &mut Connection, watched: &[Watched]) -> Result<(), SourceError> {
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    for one in watched {
        for (name, sql) in statements(&transaction, one)? {
            match text_of(&transaction, one, &name)? {
                None => transaction.execute_batch(&sql)?,
                Some(text) if is_made_by(&text, &sql, one) => {}
                Some(_) => return Err(other(&name)),
            }
        }
    }
    transaction.commit()?;
    Ok(())
}

fn other(name: &str) -> SourceError {
    SourceError::lasting(format!(
        "`{name}` in the database is of another model or of an earlier form of its table: give that migration up \
         with `keyfold migrate abort`, and begin again"
    ))
}

/// Checks that everything is there as it was made: otherwise changes were passed over.
pub(super) fn check(connection: &Connection, watched: &[Watched]) -> Result<(), SourceError> {
    for one in watched {
        for (name, sql) in statements(connection, one)? {
            match text_of(connection, one, &name)? {
                Some(text) if is_made_by(&text, &sql, one) => {}
                Some(_) => return Err(other(&name)),
                None => {
                    return Err(SourceError::lasting(format!(
                        "`{name}` is gone from the database, so changes of `{}` were not kept: somebody dropped it, or \
                         made the table anew; give the migration up with `keyfold migrate abort`, and begin again",
                        one.table
                    )));
                }
            }
        }
    }
    Ok(())
}

/// Drops everything of this kind.
pub(super) fn drop_all(connection: &mut Connection) -> Result<(), SourceError> {
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let schemas: Vec<String> = {
        let mut statement = transaction.prepare("SELECT name FROM pragma_database_list")?;
        let names = statement.query_map([], |row| row.get(0))?;
        names.collect::<Result<_, _>>()?
    };
    for schema in schemas {
        let sql = format!(
            "SELECT type, name FROM {}.sqlite_schema WHERE substr(name, 1, {}) = '{PREFIX}' \
             AND type IN ('table', 'trigger') ORDER BY type DESC",
            quoted(&schema),
            PREFIX.len()
        );
        let made: Vec<(String, String)> = {
            let mut statement = transaction.prepare(&sql)?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<Result<_, _>>()?
        };
        for (kind, name) in made {
            let place = format!("{}.{}", quoted(&schema), quoted(&name));
            transaction.execute_batch(&format!("DROP {kind} {place}"))?;
        }
    }
    transaction.commit()?;
    Ok(())
}
