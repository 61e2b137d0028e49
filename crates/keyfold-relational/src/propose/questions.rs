//! A SELECT is taken apart: its tables, the columns that it compares, their order and number. What no pattern
//! could answer is a reason.

use super::conditions::{bare, is_given};
use super::draft::{Compares, Range};
use crate::catalog::{Catalog, Table};
use sqlparser::ast::{
    BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, InTarget,
    JoinConstraint, JoinOperator, LimitClause, ObjectName, OrderByKind, OrderBySort, Query, Select,
    SelectItem, SetExpr, Statement, TableFactor, UnaryOperator, Value,
};
use sqlparser::dialect::Dialect;
use sqlparser::parser::Parser;

/// Functions of many rows.
const AGGREGATES: [&str; 17] = [
    "count",
    "sum",
    "avg",
    "min",
    "max",
    "total",
    "group_concat",
    "string_agg",
    "array_agg",
    "json_agg",
    "jsonb_agg",
    "bool_and",
    "bool_or",
    "every",
    "stddev",
    "variance",
    "percentile_cont",
];

/// A column of a query: the position of its table among those of the query, and of the column.
pub(super) type Column = (usize, usize);

/// What a query asks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Question {
    /// The tables, by their positions in the catalog.
    pub(super) tables: Vec<usize>,
    /// Columns that are equal to each other.
    pub(super) joins: Vec<(Column, Column)>,
    /// Columns that have a given value.
    pub(super) equal: Vec<Column>,
    /// Columns that have a given value, without regard to capitals.
    pub(super) folded: Vec<Column>,
    /// Columns that have one of several values.
    pub(super) several: Vec<Column>,
    pub(super) ranges: Vec<(Column, Range)>,
    pub(super) filters: Vec<(Column, Compares)>,
    /// The order, and whether it is descending.
    pub(super) order: Vec<(Column, bool)>,
    /// The number of rows.
    pub(super) page: Option<u64>,
}

/// What a statement is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Read {
    /// A question.
    Question(Box<Question>),
    /// A question that no pattern answers, and why.
    None(String),
    /// No question.
    Other,
}

/// What a statement asks.
pub(super) fn read(sql: &str, catalog: &Catalog, dialect: &dyn Dialect) -> Read {
    let statements = match Parser::parse_sql(dialect, sql) {
        Ok(statements) => statements,
        Err(_) => return Read::None("its SQL is not understood here".to_owned()),
    };
    let mut queries = statements.into_iter().filter_map(|one| match one {
        Statement::Query(query) => Some(query),
        _ => None,
    });
    let Some(query) = queries.next() else {
        return Read::Other;
    };
    let mut reader = Reader {
        catalog,
        names: Vec::new(),
        question: Question::default(),
    };
    match reader.query(&query) {
        Ok(()) if reader.question.tables.is_empty() => Read::Other,
        Ok(()) => Read::Question(Box::new(reader.question)),
        Err(why) => Read::None(why),
    }
}

struct Reader<'c> {
    catalog: &'c Catalog,
    /// The names of the tables of the query.
    names: Vec<String>,
    question: Question,
}

fn refused<T>(why: impl Into<String>) -> Result<T, String> {
    Err(why.into())
}

/// An expression as a part of a reason.
fn shown(expression: &Expr) -> String {
    super::entities::one_line(&expression.to_string())
}

impl Reader<'_> {
    fn query(&mut self, query: &Query) -> Result<(), String> {
        if query.with.is_some() {
            return refused("WITH makes tables of its own");
        }
        let SetExpr::Select(select) = query.body.as_ref() else {
            return refused("UNION, VALUES and the like make one answer of several");
        };
        self.select(select)?;
        if let Some(order) = &query.order_by {
            let OrderByKind::Expressions(all) = &order.kind else {
                return refused("ORDER BY ALL names no column");
            };
            for one in all {
                let Some(column) = self.column(&one.expr)? else {
                    return refused(format!(
                        "ORDER BY {}: no column of a table",
                        shown(&one.expr)
                    ));
                };
                let is_descending = match &one.options.sort {
                    Some(OrderBySort::Desc) => true,
                    Some(OrderBySort::Asc) | None => false,
                    Some(OrderBySort::Using(_)) => return refused("ORDER BY ... USING"),
                };
                self.question.order.push((column, is_descending));
            }
        }
        let limit = match &query.limit_clause {
            Some(LimitClause::LimitOffset { limit, .. }) => limit.as_ref(),
            Some(LimitClause::OffsetCommaLimit { limit, .. }) => Some(limit),
            None => query.fetch.as_ref().and_then(|one| one.quantity.as_ref()),
        };
        self.question.page = limit.and_then(number);
        Ok(())
    }

    fn select(&mut self, select: &Select) -> Result<(), String> {
        let is_grouped = match &select.group_by {
            GroupByExpr::All(_) => true,
            GroupByExpr::Expressions(all, _) => !all.is_empty(),
        };
        if is_grouped || select.having.is_some() {
            return refused(
                "GROUP BY makes one row of many: a `view` of the model keeps such rows",
            );
        }
        for item in &select.projection {
            match item {
                SelectItem::UnnamedExpr(one) | SelectItem::ExprWithAlias { expr: one, .. } => {
                    computed(one)?
                }
                _ => {}
            }
        }
        if select.distinct.is_some() {
            return refused("DISTINCT compares all rows of the answer");
        }
        let mut conditions = Vec::new();
        for from in &select.from {
            self.table(&from.relation)?;
            for join in &from.joins {
                self.table(&join.relation)?;
                let constraint = match &join.join_operator {
                    JoinOperator::Join(on)
                    | JoinOperator::Inner(on)
                    | JoinOperator::Left(on)
                    | JoinOperator::LeftOuter(on)
                    | JoinOperator::CrossJoin(on) => on,
                    _ => return refused("a join other than JOIN and LEFT JOIN"),
                };
                match constraint {
                    JoinConstraint::On(on) => conditions.push(on),
                    JoinConstraint::Using(names) => self.using(names)?,
                    JoinConstraint::None => {}
                    _ => return refused("NATURAL JOIN names no columns"),
                }
            }
        }
        conditions.extend(&select.selection);
        for condition in conditions {
            self.condition(condition)?;
        }
        Ok(())
    }

    fn table(&mut self, factor: &TableFactor) -> Result<(), String> {
        let TableFactor::Table {
            name,
            alias,
            args: None,
            ..
        } = factor
        else {
            return refused("FROM has a query or a function");
        };
        let parts = parts(name);
        let Some(last) = parts.last() else {
            return refused("FROM has no table");
        };
        let schema = parts.iter().rev().nth(1);
        let is_it = |one: &&Table, is_exact: bool| {
            let is_named = match is_exact {
                true => one.name == *last,
                false => one.name.eq_ignore_ascii_case(last),
            };
            is_named && (schema.is_none() || one.schema.is_none() || one.schema.as_ref() == schema)
        };
        let tables = self.catalog.tables.iter();
        let found = tables.clone().position(|one| is_it(&one, true));
        let found = found.or_else(|| tables.clone().position(|one| is_it(&one, false)));
        let Some(at) = found else {
            return refused(format!("{last} is no table here"));
        };
        self.question.tables.push(at);
        self.names.push(match alias {
            Some(alias) => alias.name.value.clone(),
            None => last.clone(),
        });
        Ok(())
    }

    fn using(&mut self, names: &[ObjectName]) -> Result<(), String> {
        let last = self.names.len().saturating_sub(1);
        for name in names {
            let parts = parts(name);
            let name = parts.last().map_or("", String::as_str);
            let own = self.position(last, name).map(|at| (last, at));
            let mut others =
                (0..last).filter_map(|table| Some((table, self.position(table, name)?)));
            match (own, others.next()) {
                (Some(own), Some(other)) => self.question.joins.push((other, own)),
                _ => return refused("USING names a column that is not in both tables"),
            }
        }
        Ok(())
    }

    /// The position of a column of a table of the query.
    fn position(&self, table: usize, name: &str) -> Option<usize> {
        let table = self.catalog.tables.get(*self.question.tables.get(table)?)?;
        table.position(name)
    }

    /// The column that an expression is; `None` if it is none. With a cast or another collation it has other values, or
    /// other ones that are equal.
    fn column(&self, expression: &Expr) -> Result<Option<Column>, String> {
        let (table, name) = match plain(expression) {
            Expr::Identifier(name) => (None, &name.value),
            Expr::CompoundIdentifier(names) => match names.as_slice() {
                [.., table, name] => (Some(&table.value), &name.value),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let tables = self.names.iter().enumerate();
        let mut found =
            tables.filter(|(_, one)| table.is_none_or(|table| one.eq_ignore_ascii_case(table)));
        let column = found.find_map(|(at, _)| Some((at, self.position(at, name)?)));
        match column {
            Some(column) => Ok(Some(column)),
            None => refused(format!("{name} is no column of its tables")),
        }
    }

    fn condition(&mut self, condition: &Expr) -> Result<(), String> {
        match condition {
            Expr::Nested(inner) => self.condition(inner),
            Expr::BinaryOp {
                left,
                op: BinaryOperator::And,
                right,
            } => {
                self.condition(left)?;
                self.condition(right)
            }
            Expr::BinaryOp {
                left,
                op: BinaryOperator::Or,
                right,
            } => self.either(left, right),
            Expr::BinaryOp { left, op, right } => self.comparison(left, op, right),
            Expr::Between {
                expr,
                negated: false,
                low,
                high,
            } if is_given(low) && is_given(high) => {
                let column = self.compared(expr)?;
                self.question.ranges.push((column, Range::Between));
                Ok(())
            }
            Expr::In {
                expr,
                target,
                negated: false,
                ..
            } => self.one_of(expr, target),
            Expr::AnyOp {
                left,
                compare_op: BinaryOperator::Eq,
                right,
                ..
            } if is_given(right) => {
                let column = self.compared(left)?;
                self.question.several.push(column);
                Ok(())
            }
            Expr::Like {
                negated: false,
                expr,
                pattern,
                ..
            } => self.like(expr, pattern),
            Expr::IsNull(inner) => self.filter(inner, Compares::Missing),
            Expr::IsNotNull(inner) => self.filter(inner, Compares::Exists),
            Expr::IsTrue(inner) | Expr::IsFalse(inner) => self.flag(inner),
            Expr::UnaryOp {
                op: UnaryOperator::Not,
                expr,
            } => self.flag(expr),
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => self.flag(condition),
            Expr::Exists { .. } | Expr::Subquery(_) => refused("a query inside of the query"),
            other => refused(format!(
                "`{}` is no comparison of a column with a value",
                shown(other)
            )),
        }
    }

    /// A column that is compared; an error if an expression is none.
    fn compared(&self, expression: &Expr) -> Result<Column, String> {
        if let Some(column) = self.column(expression)? {
            return Ok(column);
        }
        let what = match plain(expression) {
            Expr::Function(function) => {
                format!("the function {} is computed for each row", function.name)
            }
            Expr::Subquery(_) => "a query inside of the query".to_owned(),
            other => format!("`{}` is computed for each row", shown(other)),
        };
        refused(what)
    }

    fn comparison(&mut self, left: &Expr, op: &BinaryOperator, right: &Expr) -> Result<(), String> {
        if is_given(left) && !is_given(right) {
            let op = match op {
                BinaryOperator::Lt => BinaryOperator::Gt,
                BinaryOperator::LtEq => BinaryOperator::GtEq,
                BinaryOperator::Gt => BinaryOperator::Lt,
                BinaryOperator::GtEq => BinaryOperator::LtEq,
                other => other.clone(),
            };
            return self.comparison(right, &op, left);
        }
        if *op == BinaryOperator::Eq
            && let (Some(own), Some(other)) = (self.maybe(left)?, self.maybe(right)?)
        {
            if own.0 == other.0 {
                return refused(format!("`{left} = {right}` compares two columns of a row"));
            }
            self.question.joins.push((own, other));
            return Ok(());
        }
        if *op == BinaryOperator::Eq
            && let Some(inner) = lowered(left)
            && (is_given(right) || lowered(right).is_some_and(is_given))
        {
            let column = self.compared(inner)?;
            self.question.folded.push(column);
            return Ok(());
        }
        if !is_given(right) {
            self.compared(right)?;
            return refused(format!("`{left} {op} {right}` compares two columns"));
        }
        let column = self.compared(left)?;
        let range = match op {
            BinaryOperator::Eq => {
                self.question.equal.push(column);
                return Ok(());
            }
            BinaryOperator::NotEq => {
                self.question.filters.push((column, Compares::Unequal));
                return Ok(());
            }
            BinaryOperator::Lt => Range::Before,
            BinaryOperator::LtEq => Range::To,
            BinaryOperator::Gt => Range::After,
            BinaryOperator::GtEq => Range::From,
            other => return refused(format!("the operator {other}")),
        };
        self.question.ranges.push((column, range));
        Ok(())
    }

    /// The column that an expression is, where anything else is no error.
    fn maybe(&self, expression: &Expr) -> Result<Option<Column>, String> {
        match plain(expression) {
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => self.column(expression),
            _ => Ok(None),
        }
    }

    /// `a = 1 OR a = 2` asks for one of several.
    fn either(&mut self, left: &Expr, right: &Expr) -> Result<(), String> {
        let known = self.question.clone();
        let mut columns = Vec::new();
        for side in [left, right] {
            self.question = Question {
                tables: known.tables.clone(),
                ..Question::default()
            };
            let read = self.condition(side);
            let side = std::mem::take(&mut self.question);
            let only = side.joins.is_empty()
                && side.ranges.is_empty()
                && side.filters.is_empty()
                && side.folded.is_empty();
            let all: Vec<Column> = side.equal.into_iter().chain(side.several).collect();
            match (read, all.as_slice()) {
                (Ok(()), [one]) if only => columns.push(*one),
                (Ok(()) | Err(_), _) => columns.clear(),
            }
        }
        self.question = known;
        match columns.as_slice() {
            [one, other] if one == other => {
                self.question.several.push(*one);
                Ok(())
            }
            _ => refused("OR asks two questions"),
        }
    }

    fn one_of(&mut self, expression: &Expr, target: &InTarget) -> Result<(), String> {
        let InTarget::List(list) = target else {
            return refused("IN has a query or a table");
        };
        let column = self.compared(expression)?;
        match list.as_slice() {
            all if !all.iter().all(is_given) => refused("IN has what is no value"),
            [_] => {
                self.question.equal.push(column);
                Ok(())
            }
            _ => {
                self.question.several.push(column);
                Ok(())
            }
        }
    }

    fn like(&mut self, expression: &Expr, pattern: &Expr) -> Result<(), String> {
        let column = self.compared(expression)?;
        let Some(text) = text(pattern) else {
            return refused(
                "LIKE has a pattern that is given when it runs: only a beginning could be a range",
            );
        };
        let wild = |text: &str| text.contains(['%', '_']);
        match text.strip_suffix('%') {
            Some(beginning) if !beginning.is_empty() && !wild(beginning) => {
                self.question.ranges.push((column, Range::Starts));
                Ok(())
            }
            None if !wild(&text) => {
                self.question.equal.push(column);
                Ok(())
            }
            _ => refused(format!(
                "LIKE '{text}' looks into every row: a key has a beginning, and no middle"
            )),
        }
    }

    fn filter(&mut self, expression: &Expr, compares: Compares) -> Result<(), String> {
        let column = self.compared(expression)?;
        self.question.filters.push((column, compares));
        Ok(())
    }

    /// A column of true and false that is asked for by itself.
    fn flag(&mut self, expression: &Expr) -> Result<(), String> {
        let Some(column) = self.maybe(expression)? else {
            return refused(format!(
                "`{}` is no comparison of a column with a value",
                shown(expression)
            ));
        };
        self.question.equal.push(column);
        Ok(())
    }
}

/// The parts of a name: schema and table.
fn parts(name: &ObjectName) -> Vec<String> {
    let parts = name.0.iter();
    parts
        .filter_map(|one| one.as_ident().map(|one| one.value.clone()))
        .collect()
}

/// A literal number.
fn number(expression: &Expr) -> Option<u64> {
    match bare(expression) {
        Expr::Value(value) => match &value.value {
            Value::Number(text, _) => text.parse().ok().filter(|one| (1..=1_000).contains(one)),
            _ => None,
        },
        _ => None,
    }
}

/// A literal text.
fn text(expression: &Expr) -> Option<String> {
    match bare(expression) {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) => Some(text.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// An expression without parentheses around it.
fn plain(expression: &Expr) -> &Expr {
    match expression {
        Expr::Nested(inner) => plain(inner),
        other => other,
    }
}

/// What is inside of `lower(...)`.
fn lowered(expression: &Expr) -> Option<&Expr> {
    let Expr::Function(function) = plain(expression) else {
        return None;
    };
    if !function.name.to_string().eq_ignore_ascii_case("lower") {
        return None;
    }
    match &function.args {
        FunctionArguments::List(list) => match list.args.as_slice() {
            [FunctionArg::Unnamed(FunctionArgExpr::Expr(inner))] => Some(inner),
            _ => None,
        },
        _ => None,
    }
}

/// Refuses what an item of the answer is made of, where that is several rows.
fn computed(expression: &Expr) -> Result<(), String> {
    match bare(expression) {
        Expr::Function(function) => {
            let name = function.name.to_string().to_ascii_lowercase();
            if function.over.is_some() {
                return refused(format!("{name} OVER compares rows of the answer"));
            }
            if AGGREGATES.contains(&name.as_str()) {
                return refused(format!(
                    "{name} is made of many rows: `count`, `sum` and `max` of an entity, or a `view`, keep such a value"
                ));
            }
            let FunctionArguments::List(list) = &function.args else {
                return Ok(());
            };
            for argument in &list.args {
                if let FunctionArg::Unnamed(FunctionArgExpr::Expr(inner)) = argument {
                    computed(inner)?;
                }
            }
            Ok(())
        }
        Expr::BinaryOp { left, right, .. } => {
            computed(left)?;
            computed(right)
        }
        Expr::Subquery(_) | Expr::Exists { .. } => refused("a query inside of the query"),
        _ => Ok(()),
    }
}
