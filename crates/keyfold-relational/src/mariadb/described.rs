//! What MariaDB's catalog says of all tables of a database, and which queries it has run.

use super::Mariadb;
use super::catalog::{self, Found};
use super::ddl;
use super::kind::Kind;
use super::quoting::quoted;
use super::session::Session;
use crate::catalog::{Asked, Catalog, Describe, Reference, Table, TableColumn, Unique};
use crate::source::SourceError;

/// The most queries that are looked at.
const ASKED_MAX: usize = 2_000;

/// A table, and where its rows of other tables are.
struct Draft {
    table: Table,
    keys: Vec<ddl::ForeignKey>,
}

fn text(row: &[String], at: usize) -> &str {
    row.get(at).map_or("", String::as_str)
}

/// The tables of the database, in the order of their names.
fn tables(session: &mut Session, catalog: &mut Catalog) -> Result<Vec<Draft>, SourceError> {
    let mut drafts = Vec::new();
    for found in catalog::all(session)? {
        if let Some(why) = catalog::untold(&found) {
            catalog.passed.push((found.name, why));
            continue;
        }
        let mut table = Table {
            name: found.name.clone(),
            columns: columns(session, &found)?,
            ..Table::default()
        };
        add_indexes(session, &found, &mut table)?;
        table.checks = checks(session, &found)?;
        let keys = ddl::foreign_keys(&catalog::written(session, &found)?);
        drafts.push(Draft { table, keys });
    }
    Ok(drafts)
}

fn columns(session: &mut Session, found: &Found) -> Result<Vec<TableColumn>, SourceError> {
    let rows = session.texts(&format!(
        "SELECT COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_DEFAULT, EXTRA, IS_GENERATED, COLLATION_NAME FROM information_schema.COLUMNS \
         WHERE {} ORDER BY ORDINAL_POSITION",
        found.condition()
    ))?;
    let columns = rows.iter().map(|row| {
        let kind = text(row, 1);
        let is_enum = Kind::of(kind).base == "enum";
        let is_computed = text(row, 5) == "ALWAYS";
        let default = Some(text(row, 3)).filter(|one| !one.is_empty() && !is_computed);
        TableColumn {
            name: text(row, 0).to_owned(),
            kind: kind.to_owned(),
            is_required: text(row, 2) == "NO",
            default: default.map(str::to_owned),
            // The log holds what is stored.
            is_generated: text(row, 4).to_ascii_uppercase().contains("VIRTUAL"),
            words: is_enum.then(|| Kind::of(kind).labels()),
            is_folded: text(row, 6).ends_with("_ci"),
        }
    });
    Ok(columns.collect())
}

/// Adds the primary key and what is unique.
fn add_indexes(session: &mut Session, found: &Found, table: &mut Table) -> Result<(), SourceError> {
    let rows = session.texts(&format!(
        "SELECT INDEX_NAME, COLUMN_NAME, SUB_PART, COALESCE((SELECT c.COLLATION_NAME FROM information_schema.COLUMNS c WHERE \
         c.TABLE_SCHEMA = s.TABLE_SCHEMA AND c.TABLE_NAME = s.TABLE_NAME AND c.COLUMN_NAME = s.COLUMN_NAME), '') FROM \
         information_schema.STATISTICS s WHERE {} AND NON_UNIQUE = 0 ORDER BY INDEX_NAME, SEQ_IN_INDEX",
        found.condition()
    ))?;
    for own in rows.chunk_by(|one, other| one.first() == other.first()) {
        let name = own.first().map_or("", |row| text(row, 0));
        let columns = own.iter().map(|row| table.position(text(row, 1)));
        let Some(columns) = columns.collect::<Option<Vec<usize>>>() else {
            continue;
        };
        // Rows that differ in the beginning of a column differ in the column.
        if name == "PRIMARY" {
            table.key = columns;
            continue;
        }
        if own.iter().any(|row| !text(row, 2).is_empty()) {
            table.remarks.push(format!(
                "the unique index {name} is of the beginning of a column: nothing keeps it"
            ));
            continue;
        }
        let is_folded = matches!(own, [row] if text(row, 3).ends_with("_ci"));
        let unique = Unique { columns, is_folded };
        if !table.uniques.contains(&unique) {
            table.uniques.push(unique);
        }
    }
    Ok(())
}

/// The conditions of rows, without those that a column of JSON brings.
fn checks(session: &mut Session, found: &Found) -> Result<Vec<String>, SourceError> {
    let (schema, name) = found.literals();
    let rows = session.texts(&format!(
        "SELECT CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = {schema} AND TABLE_NAME = \
         {name} ORDER BY CONSTRAINT_NAME"
    ))?;
    let clauses = rows.iter().map(|row| text(row, 0).to_owned());
    Ok(clauses
        .filter(|one| !one.starts_with("json_valid("))
        .collect())
}

/// The references of a table to others of the catalog.
fn references(database: &str, draft: &Draft, all: &[Draft]) -> Vec<Reference> {
    let reference = |key: &ddl::ForeignKey| {
        let is_own = key.schema.as_deref().is_none_or(|one| one == database);
        let mut tables = all.iter().filter(|_| is_own);
        let at = tables.position(|one| one.table.name.eq_ignore_ascii_case(&key.other))?;
        let to = &all.get(at)?.table;
        Some(Reference {
            columns: draft
                .table
                .positions(key.columns.iter().map(String::as_str))?,
            table: at,
            to: to.positions(key.to.iter().map(String::as_str))?,
            cascades: key.cascades,
        })
    };
    draft.keys.iter().filter_map(reference).collect()
}

/// Queries as the server keeps them: each value is a question mark.
fn asked(session: &mut Session) -> Result<Result<Vec<Asked>, String>, SourceError> {
    let none = "this MariaDB keeps no queries that are run (performance_schema is off): `--queries FILE` says what is asked";
    if session.text("SELECT @@performance_schema")? != "1" {
        return Ok(Err(none.to_owned()));
    }
    let sql = format!(
        "SELECT DIGEST_TEXT, COUNT_STAR, AVG_TIMER_WAIT / 1000000000 FROM \
         performance_schema.events_statements_summary_by_digest WHERE SCHEMA_NAME = DATABASE() AND DIGEST_TEXT LIKE 'SELECT% FROM %' AND \
         DIGEST_TEXT NOT REGEXP 'information_schema|performance_schema' ORDER BY SUM_TIMER_WAIT DESC, DIGEST_TEXT LIMIT \
         {ASKED_MAX}"
    );
    let rows = match session.texts(&sql) {
        Ok(rows) => rows,
        Err(error) if error.may_pass => return Err(error),
        // A role need not see it.
        Err(error) => return Ok(Err(format!("performance_schema: {}", error.message))),
    };
    let asked = rows.iter().map(|row| Asked {
        // A list of values, of which no number is kept.
        sql: text(row, 0).replace("(...)", "(?, ?)"),
        calls: text(row, 1).parse().ok(),
        mean_ms: text(row, 2).parse().ok(),
    });
    Ok(Ok(asked.collect()))
}

/// The number of values for which a condition holds, of some types.
fn count(condition: &str, is_due: bool) -> String {
    match is_due {
        true => format!("count(CASE WHEN {condition} THEN 1 END)"),
        false => "0".to_owned(),
    }
}

/// What is measured of the values of a column of a type.
struct Measures {
    column: String,
    kind: Kind,
}

impl Measures {
    fn is_one_of(&self, all: &[&str]) -> bool {
        all.contains(&self.kind.base.as_str())
    }

    fn all(&self) -> Vec<String> {
        let c = &self.column;
        let none = || "0".to_owned();
        let is_text = self.kind.is_text();
        let is_whole = self.kind.base.ends_with("int");
        let is_day = self.is_one_of(&["date", "datetime", "timestamp"]);
        let is_real = self.is_one_of(&["float", "double", "decimal"]);
        let day = format!("{c} < '0001-01-01' OR month({c}) = 0 OR dayofmonth({c}) = 0");
        let digits = format!(
            "char_length(trim(BOTH '0' FROM replace(replace(CAST({c} AS CHAR), '-', ''), '.', '')))"
        );
        let odd = format!(
            "abs({c}) > 1e125 OR (abs({c}) < 1e-129 AND {c} <> 0) OR (CAST({c} AS CHAR) NOT LIKE '%e%' AND {digits} > 38)"
        );
        let bound = |which: &str| match is_whole {
            true => format!("{which}({c})"),
            false => none(),
        };
        vec![
            "count(*)".to_owned(),
            count(&format!("{c} <=> NULL"), true),
            none(),
            none(),
            none(),
            none(),
            count(&format!("{c} = ''"), is_text),
            count(&format!("locate('#', {c}) > 0"), is_text),
            match is_text {
                true => format!("max(octet_length(CONVERT({c} USING utf8mb4)))"),
                false => none(),
            },
            bound("min"),
            bound("max"),
            count(&day, is_day),
            count(&day, is_day),
            none(),
            count(&odd, is_real),
            count(
                &format!("{c} NOT IN (0, 1)"),
                self.is_one_of(&["tinyint", "bit"]),
            ),
        ]
    }
}

impl Describe for Mariadb {
    fn catalog(&mut self) -> Result<Catalog, SourceError> {
        let session = &mut self.control;
        let mut catalog = Catalog {
            name: session.database().to_owned(),
            ..Catalog::default()
        };
        let drafts = tables(session, &mut catalog)?;
        for draft in &drafts {
            catalog.tables.push(Table {
                references: references(&catalog.name, draft, &drafts),
                ..draft.table.clone()
            });
        }
        Ok(catalog)
    }

    fn asked(&mut self) -> Result<Result<Vec<Asked>, String>, SourceError> {
        asked(&mut self.control)
    }

    fn measures(&self, column: &TableColumn) -> Vec<String> {
        let measures = Measures {
            column: quoted(&column.name),
            kind: Kind::of(&column.kind),
        };
        measures.all()
    }

    fn unquoted(&self, column: &str) -> Option<String> {
        (!column.contains(['"', '\n', '\r', '\0'])).then(|| quoted(column))
    }

    fn is_typed(&self) -> bool {
        true
    }
}
