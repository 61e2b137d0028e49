//! What PostgreSQL's catalog says of tables: their columns, and whether its log tells enough of them.

use super::quoting::{literal, quoted};
use super::session::Session;
use crate::cell::Cell;
use crate::source::TableColumn;
use crate::source::{Column, SourceError, Watched};
use keyfold_model::schema::origin::SqlTable;
use std::collections::BTreeMap;
use tokio_postgres::SimpleQueryRow;

/// A table by its names, and by the number that the log gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) number: u32,
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
        table: Table {
            number: text(0).parse().unwrap_or(0),
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
    why_untold(&found.kind, &found.persistence, found.has_children)
}

/// Why the log tells nothing of a table of a kind and a persistence.
pub(super) fn why_untold(
    kind: &str,
    persistence: &str,
    has_children: bool,
) -> Option<&'static str> {
    match (kind, persistence) {
        ("v" | "m", _) => {
            Some("is a view: nothing says when its rows change; map its tables instead")
        }
        ("f", _) => Some("is a foreign table: migrate it from where its rows are"),
        ("r", "u") => {
            Some("is unlogged, and the log tells nothing of it: ALTER TABLE ... SET LOGGED")
        }
        ("r", "t") => Some("is a temporary table"),
        ("r", _) if has_children => Some(
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
        found.table.number
    ))?;
    let column = rows.iter().map(|row| Column {
        name: row.get(0).unwrap_or_default().to_owned(),
        kind: row.get(1).unwrap_or_default().to_owned(),
    });
    Ok(Some(column.collect()))
}

/// The columns of a table as rows are written to it.
pub(super) fn described(
    session: &mut Session,
    table: &SqlTable,
) -> Result<Vec<TableColumn>, SourceError> {
    let Some(found) = find(session, table.schema.as_ref(), &table.name)? else {
        return Ok(Vec::new());
    };
    let rows = session.simple(&format!(
        "SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull OR t.typnotnull, CASE WHEN a.attidentity <> \
         '' THEN 'identity' ELSE coalesce(pg_get_expr(d.adbin, d.adrelid), t.typdefault) END, a.attgenerated <> '' FROM \
         pg_attribute a JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = \
         a.attnum WHERE a.attrelid = {} AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum",
        found.table.number
    ))?;
    let text = |row: &SimpleQueryRow, at: usize| row.get(at).unwrap_or_default().to_owned();
    let column = rows.iter().map(|row| TableColumn {
        name: text(row, 0),
        kind: text(row, 1),
        is_required: text(row, 2) == "t",
        default: row.get(3).map(str::to_owned),
        is_generated: text(row, 4) == "t",
        words: None,
        is_folded: false,
    });
    Ok(column.collect())
}

/// The columns of the primary key of a table, in its order.
pub(super) fn key(session: &mut Session, table: &SqlTable) -> Result<Vec<String>, SourceError> {
    let Some(found) = find(session, table.schema.as_ref(), &table.name)? else {
        return Ok(Vec::new());
    };
    let rows = session.simple(&format!(
        "SELECT a.attname FROM pg_index i, unnest(i.indkey) WITH ORDINALITY AS k (number, place) JOIN pg_attribute a \
         ON a.attnum = k.number WHERE i.indrelid = {0} AND a.attrelid = {0} AND i.indisprimary AND i.indisvalid AND \
         i.indimmediate AND k.place <= i.indnkeyatts ORDER BY k.place",
        found.table.number
    ))?;
    let names = rows
        .iter()
        .map(|row| row.get(0).unwrap_or_default().to_owned());
    Ok(names.collect())
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
    let number = found.table.number;
    let rows = session.simple(&format!(
        "WITH leaf AS (SELECT relid::oid FROM pg_partition_tree({number}) UNION SELECT {number}::oid) SELECT c.oid::regclass, a.attname, a.attgenerated <> '', c.relreplident = 'f' OR EXISTS \
         (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND a.attnum = ANY (i.indkey) AND i.indimmediate AND \
         ((c.relreplident = 'd' AND i.indisprimary) OR (c.relreplident = 'i' AND i.indisreplident))) FROM leaf JOIN \
         pg_class c ON c.oid = leaf.relid JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT \
         a.attisdropped"
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

/// What the rows of tables rest on that can change without a word in the log, a line for each: the files of tables
/// and partitions, and the columns with their types.
pub(super) fn structure(
    session: &mut Session,
    tables: &[Table],
) -> Result<Vec<String>, SourceError> {
    let mut numbers: Vec<String> = tables.iter().map(|one| one.number.to_string()).collect();
    numbers.sort();
    numbers.dedup();
    let rows = session.simple(&format!(
        "WITH root AS (SELECT unnest(ARRAY[{}])::oid AS number), leaf AS (SELECT relid::oid AS number, root.number AS root \
         FROM root, pg_partition_tree(root.number::regclass) UNION SELECT number, number FROM root) SELECT 'file ' || \
         c.oid || ' ' || c.relfilenode || ' ' || leaf.root AS line FROM leaf JOIN pg_class c ON c.oid = leaf.number UNION ALL SELECT 'column ' || \
         a.attrelid || ' ' || a.attnum || ' ' || a.atttypid || ' ' || a.attname FROM root JOIN pg_attribute a ON \
         a.attrelid = root.number AND a.attnum > 0 AND NOT a.attisdropped ORDER BY line",
        numbers.join(", ")
    ))?;
    let lines = rows
        .iter()
        .map(|row| row.get(0).unwrap_or_default().to_owned());
    Ok(lines.collect())
}

/// A partition that was made or attached, by its number and that of its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Come {
    pub(super) number: u32,
    pub(super) table: u32,
}

/// The partitions that have come to tables, if all files and columns are there as they were; `None` if they are
/// not. A column that was added is no matter.
pub(super) fn come(then: &[String], now: &[String]) -> Option<Vec<Come>> {
    if !then.iter().all(|line| now.contains(line)) {
        return None;
    }
    let new = now.iter().filter(|line| !then.contains(line));
    let come = new.filter_map(|line| {
        let mut words = line.strip_prefix("file ")?.split(' ');
        let mut number = || words.next()?.parse().ok();
        let (of, _, table): (_, Option<u32>, _) = (number()?, number(), number()?);
        Some(Come { number: of, table })
    });
    Some(come.collect())
}

/// The rows of a partition, by the watched columns of its table.
pub(super) fn rows_of(
    session: &mut Session,
    partition: u32,
    watched: &Watched,
) -> Result<Vec<Vec<Cell>>, SourceError> {
    let name = session.text(&format!("SELECT {partition}::regclass"))?;
    // One that went again meanwhile is a number.
    if name.parse::<u32>().is_ok() {
        return Ok(Vec::new());
    }
    let columns: Vec<String> = watched.columns.iter().map(|one| quoted(one)).collect();
    session.rows(&format!("SELECT {} FROM {name}", columns.join(", ")), &[])
}

/// The types under domains, which the log does not name.
pub(super) fn domains(session: &mut Session) -> Result<BTreeMap<u32, u32>, SourceError> {
    let rows = session.simple(
        "WITH RECURSIVE base AS (SELECT oid, typbasetype AS under FROM pg_type WHERE typtype = 'd' UNION ALL SELECT base.oid, \
         t.typbasetype FROM base JOIN pg_type t ON t.oid = base.under AND t.typtype = 'd') SELECT base.oid, \
         base.under FROM base JOIN pg_type t ON t.oid = base.under AND t.typtype <> 'd'",
    )?;
    let number = |text: Option<&str>| text.and_then(|text| text.parse::<u32>().ok());
    let pairs = rows
        .iter()
        .filter_map(|row| Some((number(row.get(0))?, number(row.get(1))?)));
    Ok(pairs.collect())
}

#[cfg(test)]
mod tests {
    use super::{Come, come};

    #[test]
    fn columns_and_partitions_may_come_and_nothing_may_go() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<String>>();
        let then = lines("column 1 1 23 id\nfile 1 7 1");
        let seen = |now: &str| come(&then, &lines(now));
        assert_eq!(seen("column 1 1 23 id\nfile 1 7 1"), Some(Vec::new()));
        assert_eq!(
            seen("column 1 1 23 id\ncolumn 1 2 25 v\nfile 1 7 1"),
            Some(Vec::new())
        );
        assert_eq!(seen("column 1 1 25 id\nfile 1 7 1"), None);
        assert_eq!(seen("column 1 1 23 id\nfile 1 8 1"), None);
        let two = Come {
            number: 2,
            table: 1,
        };
        assert_eq!(
            seen("column 1 1 23 id\nfile 1 7 1\nfile 2 9 1"),
            Some(vec![two])
        );
        assert_eq!(seen("file 1 7 1"), None);
    }
}
