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

/// Whether a row is another one than it was, whatever collations its columns have.
fn differ(watched: &Watched) -> String {
    let all = watched.columns.iter().map(|column| {
        let column = quoted(column);
        format!("OLD.{column} IS NOT NEW.{column} COLLATE BINARY")
    });
    let all: Vec<String> = all.collect();
    all.join(" OR ")
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
        format!(
            "{into} SELECT {old} UNION ALL SELECT {new} WHERE {}",
            differ(watched)
        ),
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

/// A column of a unique index: how a row is compared by it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Compared {
    column: String,
    /// How texts are compared; none where the column itself says it.
    collation: Option<String>,
}

/// For each unique index of a table, which rows a new row would replace.
fn replaced(
    connection: &Connection,
    watched: &Watched,
    key: &[String],
) -> Result<Vec<String>, SourceError> {
    let defaults = defaults(connection, watched)?;
    let of_column = |column: &String| Compared {
        column: column.clone(),
        collation: None,
    };
    let mut groups: Vec<(Vec<Compared>, Option<String>)> =
        vec![(key.iter().map(of_column).collect(), None)];
    let arguments = [watched.table.as_str(), schema(watched)];
    let mut indexes = connection
        .prepare("SELECT name FROM pragma_index_list(?1, ?2) WHERE \"unique\" = 1 ORDER BY name")?;
    let names = indexes.query_map(arguments, |row| row.get::<_, String>(0))?;
    let names: Vec<String> = names.collect::<Result<_, _>>()?;
    for name in names {
        let mut members = connection.prepare(
            "SELECT name, coll FROM pragma_index_xinfo(?1, ?2) WHERE key = 1 ORDER BY seqno",
        )?;
        let arguments = [name.as_str(), schema(watched)];
        let columns = members.query_map(arguments, |row| {
            let column: Option<String> = row.get(0)?;
            let collation = row.get(1)?;
            Ok(column.map(|column| Compared { column, collation }))
        })?;
        let columns: Option<Vec<Compared>> = columns.collect::<Result<_, _>>()?;
        let only = text_of(connection, watched, &name)?.and_then(|sql| condition(&sql));
        // An index on an expression: rows are told by the other columns of the table alone.
        groups.extend(columns.map(|columns| (columns, only)));
    }
    groups.retain(|(group, _)| !group.is_empty());
    groups.sort();
    groups.dedup();
    let table = quoted(&watched.table);
    let equal = |one: &Compared| {
        let column = quoted(&one.column);
        let new = match defaults.iter().find(|(name, _)| *name == one.column) {
            // REPLACE puts the default where a NULL may not be.
            Some((_, default)) => format!("coalesce(NEW.{column}, {default})"),
            None => format!("NEW.{column}"),
        };
        let collation = one.collation.as_ref();
        let collation = collation.map_or(String::new(), |one| format!(" COLLATE {}", quoted(one)));
        format!("{table}.{column} = {new}{collation}")
    };
    let condition = |(group, only): &(Vec<Compared>, Option<String>)| {
        let mut all: Vec<String> = group.iter().map(equal).collect();
        all.extend(only.as_ref().map(|only| format!("({only})")));
        format!("({})", all.join(" AND "))
    };
    let mut all: Vec<String> = groups.iter().map(condition).collect();
    if has_rowid(connection, watched)? {
        all.push(format!("({table}.rowid = NEW.rowid)"));
    }
    Ok(all)
}

/// The columns that may not be NULL and have a default, with its SQL.
fn defaults(
    connection: &Connection,
    watched: &Watched,
) -> Result<Vec<(String, String)>, SourceError> {
    let mut columns = connection.prepare(
        "SELECT name, dflt_value FROM pragma_table_xinfo(?1, ?2) WHERE \"notnull\" = 1 AND dflt_value IS NOT NULL",
    )?;
    let arguments = [watched.table.as_str(), schema(watched)];
    let found = columns.query_map(arguments, |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// Whether rows of a table have numbers that are none of its columns.
fn has_rowid(connection: &Connection, watched: &Watched) -> Result<bool, SourceError> {
    let mut lists = connection.prepare(
        "SELECT NOT wr AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(?1, ?2) WHERE lower(name) = 'rowid' OR (pk = 1 \
         AND lower(type) = 'integer' AND (SELECT max(pk) FROM pragma_table_xinfo(?1, ?2)) = 1)) FROM \
         pragma_table_list WHERE name = ?1 COLLATE NOCASE AND schema = ?2 COLLATE NOCASE",
    )?;
    let arguments = [watched.table.as_str(), schema(watched)];
    let mut rows = lists.query(arguments)?;
    Ok(match rows.next()? {
        Some(row) => row.get(0)?,
        None => false,
    })
}

/// The condition of a partial index: what follows the last `WHERE` outside of quotes and parentheses.
fn condition(sql: &str) -> Option<String> {
    let (mut depth, mut quote, mut found) = (0_i32, None, None);
    for (at, letter) in sql.char_indices() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(letter),
            (None, '[') => quote = Some(']'),
            (None, '(') => depth += 1,
            (None, ')') => depth -= 1,
            (None, 'w' | 'W') if depth == 0 && is_word(sql, at, "where") => found = Some(at + 5),
            (None, _) => {}
        }
    }
    sql.get(found?..).map(|text| text.trim().to_owned())
}

/// Whether a word stands at a place of a text.
fn is_word(sql: &str, at: usize, word: &str) -> bool {
    let is_of_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let before = sql.get(..at).and_then(|text| text.chars().next_back());
    let after = sql
        .get(at + word.len()..)
        .and_then(|text| text.chars().next());
    sql.get(at..at + word.len())
        .is_some_and(|text| text.eq_ignore_ascii_case(word))
        && !before.is_some_and(is_of_word)
        && !after.is_some_and(is_of_word)
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

/// The table that says which migration keeps changes, and what was made for it.
pub(super) const MARK: &str = "keyfold_migration";

/// The migration that keeps changes in this database.
pub(super) fn owner(connection: &Connection) -> Result<Option<String>, SourceError> {
    let sql = "SELECT 1 FROM main.sqlite_schema WHERE name = ?1 AND type = 'table'";
    if !connection.prepare_cached(sql)?.exists([MARK])? {
        return Ok(None);
    }
    let mut statement = connection.prepare(&format!(
        "SELECT id FROM main.{MARK} WHERE kind = 'migration'"
    ))?;
    let mut rows = statement.query([])?;
    Ok(match rows.next()? {
        Some(row) => Some(row.get(0)?),
        None => None,
    })
}

/// Creates what is absent, for a migration, in one transaction.
pub(super) fn create(
    connection: &mut Connection,
    watched: &[Watched],
    id: &str,
) -> Result<(), SourceError> {
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    transaction.execute_batch(&format!(
        "CREATE TABLE IF NOT EXISTS main.{MARK} (kind TEXT NOT NULL, id TEXT NOT NULL, place TEXT NOT NULL)"
    ))?;
    match owner(&transaction)? {
        Some(other) if other != id => {
            return Err(SourceError::lasting(
                "the database is being migrated to other tables",
            ));
        }
        Some(_) => {}
        None => note(&transaction, "migration", id, "")?,
    }
    for one in watched {
        for (name, sql) in statements(&transaction, one)? {
            match text_of(&transaction, one, &name)? {
                None => {
                    transaction.execute_batch(&sql)?;
                    let kind = if name == kept_table(one) {
                        "TABLE"
                    } else {
                        "TRIGGER"
                    };
                    let place = format!("{}.{}", quoted(schema(one)), quoted(&name));
                    note(&transaction, kind, id, &place)?;
                }
                Some(text) if is_made_by(&text, &sql, one) => {}
                Some(_) => return Err(other(&name)),
            }
        }
    }
    transaction.commit()?;
    Ok(())
}

/// Notes what was made.
pub(super) fn note(
    connection: &Connection,
    kind: &str,
    id: &str,
    place: &str,
) -> Result<(), SourceError> {
    let mut statement =
        connection.prepare_cached(&format!("INSERT INTO main.{MARK} VALUES (?1, ?2, ?3)"))?;
    statement.execute([kind, id, place])?;
    Ok(())
}

fn other(name: &str) -> SourceError {
    SourceError::lasting(format!(
        "`{name}` in the database is of another model or of an earlier form of its table: give that migration up \
         with `keyfold migrate abort`, and begin again"
    ))
}

/// Checks that everything is there as it was made: otherwise changes were passed over. Triggers follow the
/// unique indexes of their table, so they are made anew when somebody makes or drops one.
pub(super) fn check(connection: &mut Connection, watched: &[Watched]) -> Result<(), SourceError> {
    let mut stale = Vec::new();
    for one in watched {
        for (name, sql) in statements(connection, one)? {
            match text_of(connection, one, &name)? {
                Some(text) if is_made_by(&text, &sql, one) => {}
                Some(_) if name != kept_table(one) => stale.push((one, name, sql)),
                Some(_) => return Err(other(&name)),
                None => {
                    return Err(SourceError::lasting(format!(
                        "`{name}` is gone from the database, so changes of `{}` were not kept: somebody dropped it, or \
                         made the table anew; give the migration up with `keyfold migrate abort`, begin again, \
                         and `keyfold migrate verify --mend` at the end",
                        one.table
                    )));
                }
            }
        }
    }
    if !stale.is_empty() {
        let transaction =
            connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        for (one, name, sql) in stale {
            let place = format!("{}.{}", quoted(schema(one)), quoted(&name));
            transaction.execute_batch(&format!("DROP TRIGGER IF EXISTS {place}; {sql}"))?;
        }
        transaction.commit()?;
    }
    Ok(())
}

/// Drops what was made.
pub(super) fn drop_all(connection: &mut Connection) -> Result<(), SourceError> {
    if owner(connection)?.is_none() {
        return Ok(());
    }
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let made: Vec<(String, String)> = {
        let mut statement = transaction.prepare(&format!(
            "SELECT kind, place FROM main.{MARK} WHERE place <> '' ORDER BY kind DESC"
        ))?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect::<Result<_, _>>()?
    };
    for (kind, place) in made {
        transaction.execute_batch(&format!("DROP {kind} IF EXISTS {place}"))?;
    }
    transaction.execute_batch(&format!("DROP TABLE main.{MARK}"))?;
    transaction.commit()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::condition;

    #[test]
    fn the_condition_of_a_partial_index_is_found() {
        let of = |sql: &str| condition(sql);
        assert_eq!(of("CREATE UNIQUE INDEX i ON t (a)"), None);
        assert_eq!(
            of("CREATE UNIQUE INDEX i ON t(a) where a > 1").as_deref(),
            Some("a > 1")
        );
        assert_eq!(
            of("CREATE UNIQUE INDEX \"x WHERE\" ON t(a)WHERE b = ' WHERE '").as_deref(),
            Some("b = ' WHERE '")
        );
        assert_eq!(of("CREATE UNIQUE INDEX somewhere ON [t where] (a)"), None);
    }
}
