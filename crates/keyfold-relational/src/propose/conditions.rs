//! CHECK constraints: those that list the values of a column make words of them.

use sqlparser::ast::{BinaryOperator, Expr, InTarget, UnaryOperator, Value};
use sqlparser::dialect::Dialect;
use sqlparser::parser::Parser;

/// What a condition says.
pub(super) enum Condition {
    /// A column has one of these texts.
    Words(String, Vec<String>),
    /// A column has a value.
    Present(String),
    /// Anything else.
    Other,
}

/// What a condition in SQL says.
pub(super) fn of(sql: &str, dialect: &dyn Dialect) -> Condition {
    let parsed = Parser::new(dialect)
        .try_with_sql(sql)
        .and_then(|mut parser| parser.parse_expr());
    let Ok(expression) = parsed else {
        return Condition::Other;
    };
    if let Expr::IsNotNull(inner) = bare(&expression)
        && let Some(name) = column(inner)
    {
        return Condition::Present(name);
    }
    match words(&expression) {
        Some((name, words)) => Condition::Words(name, words),
        None => Condition::Other,
    }
}

/// An expression without parentheses and casts around it.
pub(super) fn bare(expression: &Expr) -> &Expr {
    match expression {
        Expr::Nested(inner) => bare(inner),
        Expr::Cast { expr, .. } => bare(expr),
        Expr::Collate { expr, .. } => bare(expr),
        _ => expression,
    }
}

/// The column that an expression is.
pub(super) fn column(expression: &Expr) -> Option<String> {
    match bare(expression) {
        Expr::Identifier(name) => Some(name.value.clone()),
        Expr::CompoundIdentifier(names) => names.last().map(|one| one.value.clone()),
        _ => None,
    }
}

fn literal(expression: &Expr) -> Option<String> {
    let Expr::Value(value) = bare(expression) else {
        return None;
    };
    match &value.value {
        Value::SingleQuotedString(text) => Some(text.clone()),
        _ => None,
    }
}

fn literals(expressions: &[Expr]) -> Option<Vec<String>> {
    expressions.iter().map(literal).collect()
}

/// The column and its words, of `a IN ('x', 'y')`, `a = 'x' OR a = 'y'` and `a = ANY (ARRAY['x', 'y'])`.
fn words(expression: &Expr) -> Option<(String, Vec<String>)> {
    match bare(expression) {
        Expr::In {
            expr,
            target: InTarget::List(list),
            negated: false,
            ..
        } => Some((column(expr)?, literals(list)?)),
        Expr::BinaryOp {
            left,
            op: BinaryOperator::Eq,
            right,
        } => Some((column(left)?, vec![literal(right)?])),
        Expr::BinaryOp {
            left,
            op: BinaryOperator::Or,
            right,
        } => {
            // NULL passes a CHECK, said or not.
            if let Some(found) = beside_null(left, right).or_else(|| beside_null(right, left)) {
                return Some(found);
            }
            let ((one, mut words), (other, more)) = (self::words(left)?, self::words(right)?);
            words.extend(more);
            (one == other).then_some((one, words))
        }
        Expr::AnyOp {
            left,
            compare_op: BinaryOperator::Eq,
            right,
            ..
        } => match bare(right) {
            Expr::Array(array) => Some((column(left)?, literals(&array.elem)?)),
            _ => None,
        },
        _ => None,
    }
}

fn beside_null(null: &Expr, other: &Expr) -> Option<(String, Vec<String>)> {
    let Expr::IsNull(inner) = bare(null) else {
        return None;
    };
    let (name, words) = words(other)?;
    (column(inner)? == name).then_some((name, words))
}

/// Whether an expression is a value that a caller gives: a literal or the place of an argument.
pub(super) fn is_given(expression: &Expr) -> bool {
    match bare(expression) {
        Expr::Value(_) | Expr::TypedString(_) | Expr::Interval(_) => true,
        Expr::UnaryOp {
            op: UnaryOperator::Minus | UnaryOperator::Plus,
            expr,
        } => is_given(expr),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{Condition, of};
    use sqlparser::dialect::{Dialect, PostgreSqlDialect, SQLiteDialect};

    #[test]
    fn lists_of_values_are_words() {
        let (sqlite, postgres) = (SQLiteDialect {}, PostgreSqlDialect {});
        let cases: [(&dyn Dialect, &str); 5] = [
            (&sqlite, "state IN ('open', 'paid')"),
            (&sqlite, "(state = 'open' OR state = 'paid')"),
            (&sqlite, "state IS NULL OR \"state\" in ('open','paid')"),
            (
                &postgres,
                "((state)::text = ANY ((ARRAY['open'::character varying, 'paid'::character varying])::text[]))",
            ),
            (
                &postgres,
                "(state = ANY (ARRAY['open'::text, 'paid'::text]))",
            ),
        ];
        for (dialect, sql) in cases {
            let Condition::Words(column, words) = of(sql, dialect) else {
                panic!("{sql}");
            };
            assert_eq!(
                (column.as_str(), words.join(" ")),
                ("state", "open paid".to_owned())
            );
        }
        for sql in ["total > 0", "a IN (1, 2)", "lower(state) IN ('a')", "((("] {
            assert!(matches!(of(sql, &sqlite), Condition::Other), "{sql}");
        }
    }
}
