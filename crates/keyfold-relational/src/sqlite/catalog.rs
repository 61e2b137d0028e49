//! What an SQLite database says of its tables. Its types bind no value, so values are measured beside them.

#![allow(
    clippy::wildcard_enum_match_arm,
    clippy::match_wildcard_for_single_variants,
    reason = "what SQL can say has hundreds of forms, of which a proposal understands some"
)]

use super::Sqlite;
use super::triggers::quoted;
use crate::catalog::{Asked, Catalog, Describe, Reference, Table, TableColumn, Unique};
use crate::source::SourceError;
use sqlparser::ast::{ColumnOption, Statement, TableConstraint};
use sqlparser::dialect::SQLiteDialect;
use sqlparser::parser::Parser;

/// The greatest and the least number other than 0 that an attribute holds.
const NUMBER_MAX: &str = "1e125";
const NUMBER_MIN: &str = "1e-129";

/// A foreign key as the pragma tells it.
struct Told {
    id: i64,
    table: String,
    from: String,
    to: Option<String>,
    cascades: bool,
}

impl Sqlite {
    fn table(&self, name: &str, sql: &str) -> Result<Table, SourceError> {
        let mut table = Table {
            name: name.to_owned(),
            ..Table::default()
        };
        let mut statement = self.connection.prepare(
            "SELECT name, type, \"notnull\", dflt_value, pk, hidden FROM pragma_table_xinfo(?1, 'main') WHERE hidden <> 1 \
             ORDER BY cid",
        )?;
        let mut rows = statement.query([name])?;
        let mut key: Vec<(i64, usize)> = Vec::new();
        while let Some(row) = rows.next()? {
            let in_key: i64 = row.get(4)?;
            if in_key > 0 {
                key.push((in_key, table.columns.len()));
            }
            table.columns.push(TableColumn {
                name: row.get(0)?,
                kind: row.get(1)?,
                is_required: row.get::<_, i64>(2)? != 0 || in_key > 0,
                default: row.get(3)?,
                is_generated: row.get::<_, i64>(5)? > 1,
                words: None,
                is_folded: false,
            });
        }
        for name in without_case(sql) {
            let column = table.position(&name);
            if let Some(column) = column.and_then(|at| table.columns.get_mut(at)) {
                column.is_folded = true;
            }
        }
        key.sort_unstable();
        table.key = key.into_iter().map(|(_, at)| at).collect();
        self.add_uniques(&mut table)?;
        match checks(sql) {
            Some(checks) => table.checks = checks,
            None if sql.to_ascii_lowercase().contains("check") => {
                let remark = "its CHECK constraints could not be read";
                table.remarks.push(remark.to_owned());
            }
            None => {}
        }
        Ok(table)
    }

    fn add_uniques(&self, table: &mut Table) -> Result<(), SourceError> {
        let mut statement = self.connection.prepare(
            "SELECT name, partial FROM pragma_index_list(?1, 'main') WHERE \"unique\" = 1 AND origin <> 'pk' ORDER BY name",
        )?;
        let list = statement.query_map([&table.name], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let list: Vec<(String, bool)> = list.collect::<Result<_, _>>()?;
        for (index, is_partial) in list {
            let mut statement = self.connection.prepare(
                "SELECT name, coll FROM pragma_index_xinfo(?1, 'main') WHERE key = 1 ORDER BY seqno",
            )?;
            let parts = statement.query_map([&index], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let parts: Vec<(Option<String>, String)> = parts.collect::<Result<_, _>>()?;
            let names: Option<Vec<&str>> = parts.iter().map(|(name, _)| name.as_deref()).collect();
            let columns = names.and_then(|names| table.positions(names));
            match columns {
                Some(columns) if !is_partial => {
                    let is_folded = parts.iter().any(|(_, collation)| collation == "NOCASE");
                    let unique = Unique { columns, is_folded };
                    if !table.uniques.contains(&unique) {
                        table.uniques.push(unique);
                    }
                }
                Some(_) => table.remarks.push(format!(
                    "the unique index {index} holds rows of a condition only: nothing keeps it"
                )),
                None => table.remarks.push(format!(
                    "the unique index {index} is of an expression: nothing keeps it"
                )),
            }
        }
        Ok(())
    }

    fn references(&self, name: &str) -> Result<Vec<Told>, SourceError> {
        let mut statement = self.connection.prepare(
            "SELECT id, \"table\", \"from\", \"to\", on_delete FROM pragma_foreign_key_list(?1, 'main') ORDER BY id, seq",
        )?;
        let rows = statement.query_map([name], |row| {
            Ok(Told {
                id: row.get(0)?,
                table: row.get(1)?,
                from: row.get(2)?,
                to: row.get(3)?,
                cascades: row.get::<_, String>(4)? == "CASCADE",
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// The foreign keys of a table, as far as what they refer to is there.
fn resolved(told: &[Told], own: &Table, tables: &[Table]) -> Vec<Reference> {
    let mut references: Vec<Reference> = Vec::new();
    let mut ids: Vec<i64> = told.iter().map(|one| one.id).collect();
    ids.dedup();
    for id in ids {
        let parts: Vec<&Told> = told.iter().filter(|one| one.id == id).collect();
        let Some(first) = parts.first() else {
            continue;
        };
        let is_it = |one: &Table| one.name.eq_ignore_ascii_case(&first.table);
        let Some(at) = tables.iter().position(is_it) else {
            continue;
        };
        let Some(target) = tables.get(at) else {
            continue;
        };
        let named: Option<Vec<&str>> = parts.iter().map(|one| one.to.as_deref()).collect();
        let to = match named {
            Some(names) => target.positions(names),
            None => Some(target.key.clone()),
        };
        let columns = own.positions(parts.iter().map(|one| one.from.as_str()));
        let (Some(columns), Some(to)) = (columns, to) else {
            continue;
        };
        if columns.len() == to.len() {
            references.push(Reference {
                columns,
                table: at,
                to,
                cascades: first.cascades,
            });
        }
    }
    references.sort_by(|one, other| one.columns.cmp(&other.columns));
    references
}

/// The conditions in the text of a table; `None` if the text is not understood.
fn checks(sql: &str) -> Option<Vec<String>> {
    let statements = Parser::parse_sql(&SQLiteDialect {}, sql).ok()?;
    let Some(Statement::CreateTable(table)) = statements.into_iter().next() else {
        return None;
    };
    let of_columns = table.columns.into_iter().flat_map(|one| one.options);
    let of_columns = of_columns.filter_map(|one| match one.option {
        ColumnOption::Check(check) => Some(check.expr.to_string()),
        _ => None,
    });
    let of_table = table.constraints.into_iter().filter_map(|one| match one {
        TableConstraint::Check(check) => Some(check.expr.to_string()),
        _ => None,
    });
    Some(of_columns.chain(of_table).collect())
}

/// The columns that the text of a table gives the collation NOCASE.
fn without_case(sql: &str) -> Vec<String> {
    let statements = Parser::parse_sql(&SQLiteDialect {}, sql).unwrap_or_default();
    let Some(Statement::CreateTable(table)) = statements.into_iter().next() else {
        return Vec::new();
    };
    let is_folded = |option: &ColumnOption| match option {
        ColumnOption::Collation(name) => name.to_string().eq_ignore_ascii_case("nocase"),
        _ => false,
    };
    let columns = table.columns.into_iter();
    let columns = columns.filter(|one| one.options.iter().any(|one| is_folded(&one.option)));
    columns.map(|one| one.name.value).collect()
}

impl Describe for Sqlite {
    fn catalog(&mut self) -> Result<Catalog, SourceError> {
        let mut statement = self.connection.prepare(
            "SELECT l.name, l.type, coalesce(s.sql, '') FROM pragma_table_list AS l JOIN main.sqlite_schema AS s ON s.name = l.name \
             WHERE l.schema = 'main' AND l.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND l.name NOT LIKE 'keyfold\\_%' ESCAPE '\\' \
             AND s.type IN ('table', 'view') ORDER BY l.name",
        )?;
        let found = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let found: Vec<(String, String, String)> = found.collect::<Result<_, _>>()?;
        let mut catalog = Catalog {
            name: self
                .path
                .file_stem()
                .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned()),
            ..Catalog::default()
        };
        for (name, kind, sql) in found {
            match kind.as_str() {
                "table" => {
                    let table = self.table(&name, &sql)?;
                    catalog.tables.push(table);
                }
                "view" => {
                    let why = "is a view: nothing says when its rows change";
                    catalog.passed.push((name, why.to_owned()));
                }
                "virtual" => {
                    let why = "is a virtual table, whose changes no trigger sees";
                    catalog.passed.push((name, why.to_owned()));
                }
                _ => {}
            }
        }
        let mut all = Vec::new();
        for table in &catalog.tables {
            let told = self.references(&table.name)?;
            all.push(resolved(&told, table, &catalog.tables));
        }
        for (table, references) in catalog.tables.iter_mut().zip(all) {
            table.references = references;
        }
        Ok(catalog)
    }

    fn asked(&mut self) -> Result<Result<Vec<Asked>, String>, SourceError> {
        Ok(Err(
            "SQLite keeps no statistics of queries: `--queries FILE` says what is asked".to_owned(),
        ))
    }

    fn measures(&self, column: &TableColumn) -> Vec<String> {
        let c = quoted(&column.name);
        let of_type = |kind: &str| format!("sum(typeof({c}) = '{kind}')");
        let digit = "[0-9]";
        let day = format!("{0}{0}{0}{0}-{0}{0}-{0}{0}", digit);
        let moment = format!("{day}[ T]{0}{0}:{0}{0}:{0}{0}*", digit);
        // What stands behind the point of a moment, without the digits that it begins with.
        let rest = format!("substr({c}, 21)");
        let fraction = format!(
            "CASE WHEN substr({c}, 20, 1) = '.' THEN length({rest}) - length(ltrim({rest}, '0123456789')) ELSE 0 END"
        );
        vec![
            "count(*)".to_owned(),
            of_type("null"),
            of_type("integer"),
            of_type("real"),
            of_type("text"),
            of_type("blob"),
            format!("sum({c} = '')"),
            format!("sum(typeof({c}) = 'text' AND instr({c}, '#') > 0)"),
            format!(
                "max(CASE WHEN typeof({c}) IN ('text', 'blob') THEN length(CAST({c} AS BLOB)) ELSE 0 END)"
            ),
            format!("min(CASE WHEN typeof({c}) = 'integer' THEN {c} END)"),
            format!("max(CASE WHEN typeof({c}) = 'integer' THEN {c} END)"),
            format!(
                "sum({c} IS NOT NULL AND NOT (typeof({c}) = 'text' AND {c} GLOB '{day}' AND date({c}) IS {c} AND {c} >= '0001'))"
            ),
            format!(
                "sum({c} IS NOT NULL AND NOT (typeof({c}) = 'text' AND {c} GLOB '{moment}' AND date(substr({c}, 1, 10)) IS substr({c}, 1, 10) AND datetime({c}) IS NOT NULL AND {c} >= '0001'))"
            ),
            format!("max({fraction})"),
            format!(
                "sum(typeof({c}) = 'real' AND ({c} NOT BETWEEN -{NUMBER_MAX} AND {NUMBER_MAX} OR ({c} BETWEEN -{NUMBER_MIN} AND \
                 {NUMBER_MIN} AND {c} NOT IN (0, {NUMBER_MIN}, -{NUMBER_MIN}))))"
            ),
            format!(
                "sum({c} IS NOT NULL AND NOT ({c} IN (0, 1) OR (typeof({c}) = 'text' AND lower({c}) IN ('t', 'f', 'true', 'false'))))"
            ),
        ]
    }

    fn unquoted(&self, column: &str) -> Option<String> {
        (!column.contains(['"', ']', '\n', '\r', '\0'])).then(|| format!("[{column}]"))
    }

    fn is_typed(&self) -> bool {
        false
    }
}
