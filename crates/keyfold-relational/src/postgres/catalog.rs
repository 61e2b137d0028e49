//! What PostgreSQL's catalog says of tables: their columns, and whether its log tells enough of them.

use super::quoting::{literal, quoted};
use super::session::Session;
use crate::source::{Column, SourceError, Watched};
use keyfold_model::schema::origin::SqlTable;
use std::collections::BTreeMap;

/// A table by the names that the log gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) schema: String,
    pub(super) name: String,
}

impl Table {
    /// As SQL names it.
    pub(super) fn quoted(&self) -> String {
        format!("{}.{}", quoted(&self.schema), quoted(&self.name))
    }
}

/// A table as the catalog has it.
struct Found {
    number: String,
    table: Table,
    kind: String,
    persistence: String,
    has_children: bool,
}

/// The table that a name means in this session.
fn find(
    session: &mut Session,
    schema: Option<&String>,
    name: &str,
) -> Result<Option<Found>, SourceError> {
    let place = match schema {
        Some(schema) => format!("{}.{}", quoted(schema), quoted(name)),
        None => quoted(name),
    };
    let rows = session.simple(&format!(
        "SELECT c.oid, n.nspname, c.relname, c.relkind, c.relpersistence, EXISTS (SELECT FROM pg_inherits h WHERE \
         h.inhparent = c.oid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = \
         to_regclass({})",
        literal(&place)
    ))?;
    let Some(row) = rows.first() else {
        return Ok(None);
    };
    let text = |at: usize| row.get(at).unwrap_or_default().to_owned();
    Ok(Some(Found {
        number: text(0),
        table: Table {
            schema: text(1),
            name: text(2),
        },
        kind: text(3),
        persistence: text(4),
        has_children: text(5) == "t",
    }))
}

/// Why the log tells nothing of a table.
fn untold(found: &Found) -> Option<&'static str> {
    match (found.kind.as_str(), found.persistence.as_str()) {
        ("v" | "m", _) => {
            Some("is a view: nothing says when its rows change; map its tables instead")
        }
        ("f", _) => Some("is a foreign table: migrate it from where its rows are"),
        ("r", "u") => {
            Some("is unlogged, and the log tells nothing of it: ALTER TABLE ... SET LOGGED")
        }
        ("r", "t") => Some("is a temporary table"),
        ("r", _) if found.has_children => Some(
            "has tables that inherit from it, whose rows are its rows in part: map each of them",
        ),
        ("r" | "p", _) => None,
        _ => Some("is no table"),
    }
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
    let rows = session.simple(&format!(
        "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = {} AND attnum > 0 AND \
         NOT attisdropped ORDER BY attnum",
        found.number
    ))?;
    let column = rows.iter().map(|row| Column {
        name: row.get(0).unwrap_or_default().to_owned(),
        kind: row.get(1).unwrap_or_default().to_owned(),
    });
    Ok(Some(column.collect()))
}

/// The tables that are watched, if the log tells the watched columns of rows that are gone.
///
/// # Errors
/// When it does not of one, with the statement that mends it.
pub(super) fn tables(
    session: &mut Session,
    watched: &[Watched],
) -> Result<Vec<Table>, SourceError> {
    let (mut tables, mut faults) = (Vec::new(), Vec::new());
    for one in watched {
        let Some(found) = find(session, one.schema.as_ref(), &one.table)? else {
            faults.push(format!("the database has no table `{}`", one.table));
            continue;
        };
        match untold(&found) {
            Some(why) => faults.push(format!("`{}` {why}", one.table)),
            None => faults.extend(untold_columns(session, &found, one)?),
        }
        tables.push(found.table);
    }
    match faults.is_empty() {
        true => Ok(tables),
        false => Err(SourceError::lasting(faults.join("\n"))),
    }
}

/// What is wrong with the columns by which rows of a table, or of its partitions, are told.
fn untold_columns(
    session: &mut Session,
    found: &Found,
    watched: &Watched,
) -> Result<Vec<String>, SourceError> {
    let number = &found.number;
    let rows = session.simple(&format!(
        "WITH leaf AS (SELECT relid::oid FROM pg_partition_tree({number}) WHERE isleaf UNION SELECT {number}::oid \
         WHERE {is_plain}) SELECT c.oid::regclass, a.attname, a.attgenerated <> '', c.relreplident = 'f' OR EXISTS \
         (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND a.attnum = ANY (i.indkey) AND i.indimmediate AND \
         ((c.relreplident = 'd' AND i.indisprimary) OR (c.relreplident = 'i' AND i.indisreplident))) FROM leaf JOIN \
         pg_class c ON c.oid = leaf.relid JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT \
         a.attisdropped",
        is_plain = found.kind == "r",
    ))?;
    let mut faults = Vec::new();
    let mut missing: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in &rows {
        let text = |at: usize| row.get(at).unwrap_or_default();
        let (leaf, name) = (text(0).to_owned(), text(1).to_owned());
        if !watched.columns.contains(&name) {
            continue;
        }
        if text(2) == "t" {
            faults.push(format!(
                "`{name}` of `{leaf}` is a generated column, and the log does not hold those: take a column that is \
                 stored"
            ));
        } else if text(3) != "t" {
            missing.entry(leaf).or_default().push(format!("`{name}`"));
        }
    }
    for (leaf, names) in missing {
        faults.push(format!(
            "the log does not tell {} of a row of `{leaf}` that was changed or deleted, and the items depend on it: \
             ALTER TABLE {leaf} REPLICA IDENTITY FULL",
            names.join(" and ")
        ));
    }
    Ok(faults)
}
