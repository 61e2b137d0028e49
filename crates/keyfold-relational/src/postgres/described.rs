//! What PostgreSQL's catalog says of all tables of a database, and which queries it has run.

use super::Postgres;
use super::catalog::why_untold;
use super::quoting::quoted;
use super::session::Session;
use crate::catalog::{Asked, Catalog, Describe, Reference, Table, TableColumn, Unique};
use crate::source::SourceError;
use std::collections::BTreeMap;
use tokio_postgres::SimpleQueryRow;

/// The most queries that are looked at.
const ASKED_MAX: usize = 2_000;

/// The types under domains, with the lengths that they are declared with.
const BASES: &str = "RECURSIVE base (id, type, length) AS (SELECT oid, oid, -1 FROM pg_type WHERE typtype <> 'd' UNION ALL \
     SELECT t.oid, base.type, CASE WHEN t.typtypmod >= 0 THEN t.typtypmod ELSE base.length END FROM pg_type t JOIN base \
     ON t.typtype = 'd' AND t.typbasetype = base.id)";

/// A table whose parts are being read.
struct Draft {
    table: Table,
    /// The numbers of its columns.
    numbers: Vec<i64>,
    /// Which columns the log tells: `d`, `i`, `f` or `n`.
    identity: String,
}

impl Draft {
    /// The positions of columns by their numbers; `None` if one is no column.
    fn positions(&self, numbers: &[i64]) -> Option<Vec<usize>> {
        let position = |number: &i64| self.numbers.iter().position(|one| one == number);
        numbers.iter().map(position).collect()
    }
}

fn text(row: &SimpleQueryRow, at: usize) -> &str {
    row.get(at).unwrap_or_default()
}

/// The numbers of a text such as `{1,2}` or `1 2`.
fn numbers(text: &str) -> Vec<i64> {
    let parts = text.split(|c: char| !c.is_ascii_digit() && c != '-');
    parts.filter_map(|one| one.parse().ok()).collect()
}

/// The tables of a database by their numbers, without columns.
fn tables(
    session: &mut Session,
    catalog: &mut Catalog,
) -> Result<BTreeMap<i64, Draft>, SourceError> {
    let rows = session.simple(
        "SELECT c.oid, n.nspname, c.relname, c.relkind, c.relpersistence, EXISTS (SELECT FROM pg_inherits h WHERE h.inhparent = \
         c.oid), pg_table_is_visible(c.oid), c.relreplident FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE \
         c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND n.nspname !~ '^pg_' AND n.nspname <> \
         'information_schema' AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid \
         AND d.deptype = 'e') ORDER BY c.relname, n.nspname",
    )?;
    let mut tables = BTreeMap::new();
    for row in &rows {
        let table = Table {
            schema: (text(row, 6) != "t").then(|| text(row, 1).to_owned()),
            name: text(row, 2).to_owned(),
            ..Table::default()
        };
        match why_untold(text(row, 3), text(row, 4), text(row, 5) == "t") {
            Some(why) => catalog.passed.push((table.shown(), why.to_owned())),
            None => {
                let draft = Draft {
                    table,
                    numbers: Vec::new(),
                    identity: text(row, 7).to_owned(),
                };
                tables.insert(text(row, 0).parse().unwrap_or(0), draft);
            }
        }
    }
    Ok(tables)
}

fn add_columns(
    session: &mut Session,
    tables: &mut BTreeMap<i64, Draft>,
) -> Result<(), SourceError> {
    let rows = session.simple(&format!(
        "WITH {BASES} SELECT a.attrelid, a.attnum, a.attname, format_type(b.type, CASE WHEN a.atttypmod >= 0 THEN a.atttypmod ELSE \
         b.length END), a.attnotnull OR t.typnotnull, pg_get_expr(d.adbin, d.adrelid), a.attgenerated <> '', b.type FROM \
         pg_attribute a JOIN pg_type t ON t.oid = a.atttypid JOIN base b ON b.id = a.atttypid LEFT JOIN pg_attrdef d ON d.adrelid \
         = a.attrelid AND d.adnum = a.attnum WHERE a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attrelid, a.attnum"
    ))?;
    let labels = session
        .simple("SELECT enumtypid, enumlabel FROM pg_enum ORDER BY enumtypid, enumsortorder")?;
    let mut words: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for row in &labels {
        let of_type = words.entry(text(row, 0)).or_default();
        of_type.push(text(row, 1).to_owned());
    }
    for row in &rows {
        let number: i64 = text(row, 0).parse().unwrap_or(0);
        let Some(draft) = tables.get_mut(&number) else {
            continue;
        };
        let is_generated = text(row, 6) == "t";
        draft.numbers.push(text(row, 1).parse().unwrap_or(0));
        draft.table.columns.push(TableColumn {
            name: text(row, 2).to_owned(),
            kind: text(row, 3).to_owned(),
            is_required: text(row, 4) == "t",
            default: row.get(5).filter(|_| !is_generated).map(str::to_owned),
            is_generated,
            words: words.get(text(row, 7)).cloned(),
            is_folded: text(row, 3) == "citext",
        });
    }
    Ok(())
}

/// Adds keys, references and conditions.
fn add_constraints(
    session: &mut Session,
    tables: &mut BTreeMap<i64, Draft>,
    order: &[i64],
) -> Result<(), SourceError> {
    let rows = session.simple(
        "SELECT conrelid, contype, conkey::text, confrelid, confkey::text, confdeltype, convalidated, pg_get_constraintdef(oid), \
         conname FROM pg_constraint WHERE contype IN ('p', 'u', 'f', 'c', 'x') AND conrelid <> 0 ORDER BY conrelid, conkey, conname",
    )?;
    for row in &rows {
        let number: i64 = text(row, 0).parse().unwrap_or(0);
        let target: i64 = text(row, 3).parse().unwrap_or(0);
        let at = order.iter().position(|one| *one == target);
        let to = tables
            .get(&target)
            .and_then(|one| one.positions(&numbers(text(row, 4))));
        let Some(draft) = tables.get_mut(&number) else {
            continue;
        };
        let columns = draft.positions(&numbers(text(row, 2)));
        let (says, name) = (text(row, 7), text(row, 8));
        match (text(row, 1), columns, at, to) {
            ("p", Some(columns), ..) => draft.table.key = columns,
            ("u", ..) if says.contains("NULLS NOT DISTINCT") => draft
                .table
                .remarks
                .push(format!("{name} takes NULL for a value: nothing keeps it")),
            ("u", Some(columns), ..) => draft.table.uniques.push(Unique {
                columns,
                is_folded: false,
            }),
            ("f", Some(columns), Some(table), Some(to)) => {
                draft.table.references.push(Reference {
                    columns,
                    table,
                    to,
                    cascades: text(row, 5) == "c",
                });
            }
            ("c", ..) if text(row, 6) == "t" => {
                let condition = says.strip_prefix("CHECK ").unwrap_or(says);
                draft.table.checks.push(condition.to_owned());
            }
            ("x", ..) => draft.table.remarks.push(format!(
                "the exclusion {name} compares rows: nothing keeps it"
            )),
            _ => {}
        }
    }
    Ok(())
}

/// Adds unique indexes that are no constraints.
fn add_indexes(
    session: &mut Session,
    tables: &mut BTreeMap<i64, Draft>,
) -> Result<(), SourceError> {
    let rows = session.simple(
        "SELECT i.indrelid, i.indkey::text, i.indpred IS NOT NULL, pg_get_indexdef(i.indexrelid, 1, true), c.relname, i.indnkeyatts, \
         i.indisreplident FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indisunique AND NOT i.indisprimary AND \
         i.indisvalid ORDER BY i.indrelid, c.relname",
    )?;
    for row in &rows {
        let number: i64 = text(row, 0).parse().unwrap_or(0);
        let Some(draft) = tables.get_mut(&number) else {
            continue;
        };
        let mut parts = numbers(text(row, 1));
        parts.truncate(text(row, 5).parse().unwrap_or(0));
        let (is_partial, name) = (text(row, 2) == "t", text(row, 4));
        if draft.identity == "i" && text(row, 6) == "t" {
            draft.table.told = draft.positions(&parts);
        }
        let unique = match (draft.positions(&parts), parts.as_slice()) {
            _ if is_partial => Err("holds rows of a condition only"),
            (Some(columns), _) => Ok(Unique {
                columns,
                is_folded: false,
            }),
            (None, [0]) => {
                let folded = lowered(text(row, 3)).and_then(|name| draft.table.position(&name));
                folded
                    .map(|at| Unique {
                        columns: vec![at],
                        is_folded: true,
                    })
                    .ok_or("is of an expression")
            }
            (None, _) => Err("is of an expression"),
        };
        match unique {
            Ok(unique) if draft.table.uniques.contains(&unique) => {}
            Ok(unique) => draft.table.uniques.push(unique),
            Err(why) => draft
                .table
                .remarks
                .push(format!("the unique index {name} {why}: nothing keeps it")),
        }
    }
    Ok(())
}

/// The column of `lower(column)` or `lower((column)::text)`.
fn lowered(definition: &str) -> Option<String> {
    let inside = definition.strip_prefix("lower(")?.strip_suffix(')')?;
    let inside = inside.strip_suffix("::text").unwrap_or(inside);
    let inside = inside
        .strip_prefix('(')
        .and_then(|one| one.strip_suffix(')'))
        .unwrap_or(inside);
    let name = inside.trim_matches('"');
    (!name.contains(['(', ' '])).then(|| name.to_owned())
}

impl Describe for Postgres {
    fn catalog(&mut self) -> Result<Catalog, SourceError> {
        let session = &mut self.control;
        let mut catalog = Catalog {
            name: session.text("SELECT current_database()")?,
            ..Catalog::default()
        };
        let mut drafts = tables(session, &mut catalog)?;
        // Tables in the order of their names; numbers come as they were made.
        let mut order: Vec<i64> = drafts.keys().copied().collect();
        order.sort_by_key(|number| drafts.get(number).map(|one| one.table.shown()));
        add_columns(session, &mut drafts)?;
        add_constraints(session, &mut drafts, &order)?;
        add_indexes(session, &mut drafts)?;
        for number in &order {
            let Some(mut draft) = drafts.remove(number) else {
                continue;
            };
            draft.table.told = match draft.identity.as_str() {
                "f" => None,
                "d" => Some(draft.table.key.clone()),
                _ => Some(draft.table.told.take().unwrap_or_default()),
            };
            catalog.tables.push(draft.table);
        }
        Ok(catalog)
    }

    fn asked(&mut self) -> Result<Result<Vec<Asked>, String>, SourceError> {
        let session = &mut self.control;
        let schema = session.text(
            "SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = \
             'pg_stat_statements'",
        )?;
        if schema.is_empty() {
            return Ok(Err("the database has no pg_stat_statements, which keeps the queries that are run: `--queries FILE` \
                           says what is asked"
                .to_owned()));
        }
        let sql = format!(
            "SELECT query, sum(calls), sum(calls * mean_exec_time) / sum(calls) FROM {}.pg_stat_statements WHERE dbid = (SELECT oid \
             FROM pg_database WHERE datname = current_database()) AND query !~* '(\\mpg_|information_schema)' \
             GROUP BY query HAVING sum(calls) > 0 ORDER BY sum(calls * mean_exec_time) DESC, query LIMIT {ASKED_MAX}",
            quoted(&schema)
        );
        let rows = match session.simple(&sql) {
            Ok(rows) => rows,
            Err(error) if error.may_pass => return Err(error),
            // The module need not be loaded, and a role need not see it.
            Err(error) => return Ok(Err(format!("pg_stat_statements: {}", error.message))),
        };
        let asked = rows.iter().map(|row| Asked {
            sql: text(row, 0).to_owned(),
            calls: text(row, 1).parse().ok(),
            mean_ms: text(row, 2).parse().ok(),
        });
        Ok(Ok(asked.collect()))
    }

    fn measures(&self, column: &TableColumn) -> Vec<String> {
        let c = quoted(&column.name);
        let kind = column.kind.as_str();
        let count = |condition: String| format!("count(*) FILTER (WHERE {condition})");
        let is_one_of = |all: &[&str]| all.iter().any(|one| kind.starts_with(one));
        let is_text = is_one_of(&["text", "character", "citext", "name", "bpchar"]);
        let is_whole = is_one_of(&["smallint", "integer", "bigint"]) && !kind.ends_with("[]");
        let is_day = is_one_of(&["date", "timestamp"]) && !kind.ends_with(']');
        let is_real = is_one_of(&["real", "double precision", "numeric"]) && !kind.ends_with(']');
        let none = || "0::bigint".to_owned();
        let no_time = match is_day {
            true => count(format!(
                "NOT isfinite({c}) OR {c} < '0001-01-01' OR {c} >= '10000-01-01'"
            )),
            false => none(),
        };
        let texts = |sql: String| if is_text { sql } else { none() };
        let whole = |sql: String| if is_whole { sql } else { none() };
        vec![
            "count(*)".to_owned(),
            count(format!("{c} IS NULL")),
            none(),
            none(),
            none(),
            none(),
            texts(count(format!("{c}::text = ''"))),
            texts(count(format!("position('#' in {c}::text) > 0"))),
            texts(format!("max(octet_length({c}::text))::bigint")),
            whole(format!("min({c})::bigint")),
            whole(format!("max({c})::bigint")),
            no_time.clone(),
            no_time,
            none(),
            match is_real {
                true => count(format!(
                    "{c}::text IN ('NaN', 'Infinity', '-Infinity') OR abs({c}) > 1e125 OR (abs({c}) < 1e-129 AND {c} <> 0) OR \
                     length(trim(both '0' from regexp_replace({c}::text, '[-.]|e.*$', '', 'g'))) > 38"
                )),
                false => none(),
            },
            none(),
        ]
    }

    fn unquoted(&self, column: &str) -> Option<String> {
        let is_plain = column.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
            && column
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        is_plain.then(|| column.to_owned())
    }

    fn is_typed(&self) -> bool {
        true
    }
}
