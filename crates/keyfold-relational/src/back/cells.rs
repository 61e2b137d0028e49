//! Values of attributes as cells of SQL: the other way round of `convert`.

use crate::cell::Cell;
use crate::dialect::Dialect;
use crate::mapping::base_of;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use keyfold_model::Type;
use keyfold_types::{Number, Value};

/// A value as SQL over attributes sees it, and as a column takes it: NULL where there is none.
pub(crate) fn cell(kind: &Type, value: Option<&Value>, dialect: Dialect) -> Cell {
    let Some(value) = value else {
        return Cell::Null;
    };
    match (value, kind) {
        (Value::S(text), Type::Time(_)) => Cell::Text(moment(text)),
        (Value::S(text), _) => Cell::Text(text.clone()),
        (Value::N(number), _) => numeric(number, dialect),
        (Value::Bool(truth), _) if dialect == Dialect::Postgres => Cell::Text(truth.to_string()),
        (Value::Bool(truth), _) => Cell::Integer(i64::from(*truth)),
        (Value::B(bytes), _) => Cell::Bytes(bytes.to_vec()),
        (Value::Null, _) => Cell::Null,
        (Value::L(_) | Value::M(_) | Value::Ss(_) | Value::Ns(_) | Value::Bs(_), _) => {
            let mut text = String::new();
            write_json(value, &mut text);
            Cell::Text(text)
        }
    }
}

/// A value as a column of a type takes it: what is true or false is a number or a word there.
pub(crate) fn in_column(
    (kind, column): (&Type, &str),
    value: Option<&Value>,
    dialect: Dialect,
) -> Cell {
    let Some(Value::Bool(truth)) = value else {
        return cell(kind, value, dialect);
    };
    let base = base_of(column);
    let has = |words: &[&str]| words.iter().any(|word| base.contains(word));
    if has(&["char", "text", "clob", "enum"]) {
        return Cell::Text(truth.to_string());
    }
    match dialect == Dialect::Postgres && !has(&["int", "numeric", "real", "double"]) {
        true => Cell::Text(truth.to_string()),
        false => Cell::Integer(i64::from(*truth)),
    }
}

/// A time in the form in which SQL writes it, in UTC.
fn moment(text: &str) -> String {
    let text = text.strip_suffix('Z').unwrap_or(text);
    text.replacen('T', " ", 1)
}

/// A number with all of its digits: SQLite's own numbers where they hold them.
fn numeric(number: &Number, dialect: Dialect) -> Cell {
    let text = number.to_string();
    if let Ok(whole) = text.parse() {
        return Cell::Integer(whole);
    }
    if dialect == Dialect::Sqlite
        && let Ok(real) = text.parse::<f64>()
        && real.to_string().parse::<Number>().ok().as_ref() == Some(number)
    {
        return Cell::Real(real);
    }
    Cell::Text(text)
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Writes a list, a map or a set as JSON.
fn write_json(value: &Value, out: &mut String) {
    match value {
        Value::S(text) => out.push_str(&quoted(text)),
        Value::N(number) => out.push_str(&number.to_string()),
        Value::Bool(truth) => out.push_str(&truth.to_string()),
        Value::Null => out.push_str("null"),
        Value::B(bytes) => out.push_str(&quoted(&STANDARD.encode(bytes))),
        Value::L(values) => write_list(values.iter().cloned(), out),
        Value::Ss(set) => write_list(set.members().iter().cloned().map(Value::S), out),
        Value::Ns(set) => write_list(set.members().iter().cloned().map(Value::N), out),
        Value::Bs(set) => write_list(set.members().iter().cloned().map(Value::B), out),
        Value::M(map) => {
            out.push('{');
            for (at, (name, value)) in map.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                out.push_str(&quoted(name));
                out.push(':');
                write_json(value, out);
            }
            out.push('}');
        }
    }
}

fn write_list(values: impl Iterator<Item = Value>, out: &mut String) {
    out.push('[');
    for (at, value) in values.enumerate() {
        if at > 0 {
            out.push(',');
        }
        write_json(&value, out);
    }
    out.push(']');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_cells_as_each_database_takes_them() {
        let number = |text: &str| Value::N(text.parse().unwrap());
        let of = |kind: &Type, value: Value, dialect| cell(kind, Some(&value), dialect);
        let sqlite = |value| of(&Type::Number, value, Dialect::Sqlite);
        assert_eq!(sqlite(number("12")), Cell::Integer(12));
        assert_eq!(sqlite(number("12.5")), Cell::Real(12.5));
        let long = "0.12345678901234567890123";
        assert_eq!(sqlite(number(long)), Cell::Text(long.to_owned()));
        let postgres = of(&Type::Number, number("12.5"), Dialect::Postgres);
        assert_eq!(postgres, Cell::Text("12.5".to_owned()));
        let time = Value::from("2026-01-02T03:04:05.678Z");
        let kind = Type::Time(keyfold_model::Precision::Millis);
        let text = Cell::Text("2026-01-02 03:04:05.678".to_owned());
        assert_eq!(of(&kind, time, Dialect::Mariadb), text);
        let list = Value::L(vec![Value::from("a\"b"), number("1.5")]);
        let kind = Type::List(Box::new(Type::String));
        let json = Cell::Text(r#"["a\"b",1.5]"#.to_owned());
        assert_eq!(of(&kind, list, Dialect::Sqlite), json);
        assert_eq!(cell(&kind, None, Dialect::Sqlite), Cell::Null);
    }

    #[test]
    fn what_is_true_is_what_its_column_holds() {
        let of = |column, dialect| in_column((&Type::Bool, column), Some(&true.into()), dialect);
        let word = Cell::Text("true".to_owned());
        assert_eq!(of("INTEGER", Dialect::Sqlite), Cell::Integer(1));
        assert_eq!(of("", Dialect::Sqlite), Cell::Integer(1));
        assert_eq!(of("VARCHAR(5)", Dialect::Sqlite), word);
        assert_eq!(of("boolean", Dialect::Postgres), word);
        assert_eq!(of("smallint", Dialect::Postgres), Cell::Integer(1));
        assert_eq!(of("tinyint(1)", Dialect::Mariadb), Cell::Integer(1));
    }
}
