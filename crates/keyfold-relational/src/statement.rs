//! The SQL of a mapped entity. It is made once; values are arguments of it.

use crate::cell::Cell;
use crate::source::{Side, Sorted, Source};
use keyfold_model::schema::origin::{Origin, SqlTable};

/// The rows that are read at once.
pub(crate) const PAGE: usize = 1_000;

/// The queries of an entity's rows.
#[derive(Debug)]
pub(crate) struct Statements {
    /// The columns of a row and the tables, between SELECT and the condition.
    selected: String,
    /// The condition of the rows, in parentheses; empty where there is none.
    only: String,
    /// The columns that identify an item.
    identity: Vec<String>,
    /// The columns in whose order rows are read.
    order: Vec<Sorted>,
    /// Whether they are a key of the first table, and none is NULL.
    has_key: bool,
    tables: String,
}

/// The order in which rows are read.
pub(crate) struct Order<'o> {
    /// The columns of the first table, with their types.
    pub(crate) columns: Vec<(&'o str, &'o str)>,
    /// Whether they are a key of it; otherwise they are the identity's.
    pub(crate) is_key: bool,
}

/// A column with its table's name in the line.
pub(crate) fn column(source: &dyn Source, alias: &str, column: &str) -> String {
    format!("{}.{}", source.quoted(alias), source.quoted(column))
}

/// A table with its name in the line.
pub(crate) fn table(source: &dyn Source, table: &SqlTable) -> String {
    let name = source.quoted(&table.name);
    let alias = source.quoted(&table.alias);
    match &table.schema {
        Some(schema) => format!("{}.{name} AS {alias}", source.quoted(schema)),
        None => format!("{name} AS {alias}"),
    }
}

/// The tables of a line up to a number of joins.
fn tables(source: &dyn Source, origin: &Origin, joins: usize) -> String {
    let mut text = table(source, &origin.table);
    for join in origin.joins.iter().take(joins) {
        let kind = match join.is_left {
            true => "LEFT JOIN",
            false => "JOIN",
        };
        let on = join.on.iter().map(|(one, other)| {
            let [one, other] = [one, other].map(|one| column(source, &one.alias, &one.column));
            format!("{one} = {other}")
        });
        let on: Vec<String> = on.collect();
        let own = table(source, &join.table);
        text.push_str(&format!(" {kind} {own} ON {}", on.join(" AND ")));
    }
    text
}

/// The query of the identities of the entities to which a row of a joined table belongs, by the conditions that
/// the columns of the others are joined to its values.
pub(crate) fn dependent(
    source: &dyn Source,
    origin: &Origin,
    join: usize,
    conditions: &[String],
    identity: &[(usize, String)],
) -> String {
    let alias = &origin.table.alias;
    let own = identity.iter().map(|(_, name)| column(source, alias, name));
    let own: Vec<String> = own.collect();
    let tables = tables(source, origin, join);
    format!(
        "SELECT DISTINCT {} FROM {tables} WHERE {}",
        own.join(", "),
        conditions.join(" AND ")
    )
}

impl Statements {
    pub(crate) fn of(
        source: &dyn Source,
        origin: &Origin,
        columns: &[&str],
        identity: &[(usize, String)],
        order: Order<'_>,
    ) -> Statements {
        let alias = &origin.table.alias;
        let own = identity.iter().map(|(_, name)| column(source, alias, name));
        let tables = tables(source, origin, origin.joins.len());
        let mut columns: Vec<String> = columns.iter().map(|one| (*one).to_owned()).collect();
        let mut sorted = Vec::new();
        for (name, kind) in order.columns {
            let sql = column(source, alias, name);
            if order.is_key {
                columns.push(sql.clone());
            }
            sorted.push(Sorted {
                sql: source.sorted(sql, kind),
                kind: kind.to_owned(),
            });
        }
        Statements {
            selected: format!("{} FROM {tables}", columns.join(", ")),
            order: sorted,
            has_key: order.is_key,
            only: origin
                .only
                .as_ref()
                .map_or(String::new(), |(only, _)| format!("({only})")),
            identity: own.collect(),
            tables,
        }
    }

    /// A query that reads nothing, and that the database refuses where it refuses an expression of its rows. In
    /// a condition, it refuses what several rows are made into one, too.
    pub(crate) fn tried(source: &dyn Source, origin: &Origin, expression: &str) -> String {
        let tables = tables(source, origin, origin.joins.len());
        format!("SELECT 1 FROM {tables} WHERE ({expression}) IS NULL AND 1 = 0")
    }

    fn with(&self, condition: String) -> String {
        let both = [self.only.clone(), condition];
        let both: Vec<String> = both.into_iter().filter(|one| !one.is_empty()).collect();
        match both.is_empty() {
            true => String::new(),
            false => format!(" WHERE {}", both.join(" AND ")),
        }
    }

    /// The rows in their order, at most so many: from the beginning, or from the place that is its arguments; up
    /// to the place that is the arguments behind those, if there is an end. Without those whose place has a NULL.
    pub(crate) fn page(
        &self,
        source: &dyn Source,
        (has_begin, has_end): (bool, bool),
        most: usize,
    ) -> String {
        let own: Vec<&str> = self.order.iter().map(|one| one.sql.as_str()).collect();
        let own = own.join(", ");
        let mut all = Vec::new();
        if !self.has_key {
            all.extend(self.identity.iter().map(|one| format!("{one} IS NOT NULL")));
        }
        let mut first = 1;
        for (is_given, side) in [(has_begin, Side::Behind), (has_end, Side::Before)] {
            if is_given {
                all.push(source.beside(&self.order, side, first));
                first += self.order.len();
            }
        }
        format!(
            "SELECT {}{}{} ORDER BY {own} LIMIT {most}",
            source.joined_in_order(),
            self.selected,
            self.with(all.join(" AND "))
        )
    }

    /// Rows whose identity has a NULL, at most so many.
    pub(crate) fn nameless(&self, source: &dyn Source, most: usize) -> String {
        let all = self.identity.iter().map(|one| source.is_null(one));
        let all: Vec<String> = all.collect();
        let condition = format!("({})", all.join(" OR "));
        format!(
            "SELECT {}{} LIMIT {most}",
            self.selected,
            self.with(condition)
        )
    }

    /// The rows of some identities: the query and its arguments.
    pub(crate) fn of_identities(
        &self,
        source: &dyn Source,
        identities: &[Vec<Cell>],
    ) -> (String, Vec<Cell>) {
        let mut arguments = Vec::new();
        let mut all = Vec::new();
        for identity in identities {
            let one = self.identity.iter().zip(identity).map(|(column, cell)| {
                if cell.is_null() {
                    return source.is_null(column);
                }
                arguments.push(cell.clone());
                format!("{column} = {}", source.argument(arguments.len()))
            });
            let one: Vec<String> = one.collect();
            all.push(format!("({})", one.join(" AND ")));
        }
        let condition = format!("({})", all.join(" OR "));
        (
            format!("SELECT {}{}", self.selected, self.with(condition)),
            arguments,
        )
    }

    /// The rows for which a condition holds, at most so many.
    pub(crate) fn some(&self, condition: String, most: usize) -> String {
        format!(
            "SELECT {}{} LIMIT {most}",
            self.selected,
            self.with(condition)
        )
    }

    /// The number of the rows.
    pub(crate) fn count(&self) -> String {
        format!(
            "SELECT count(*) FROM {}{}",
            self.tables,
            self.with(String::new())
        )
    }
}
