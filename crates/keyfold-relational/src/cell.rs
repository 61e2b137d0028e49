//! A value of an SQL database, as its driver gives it.

use keyfold_types::Value;

/// A value in a column of a row.
#[derive(Debug, Clone, PartialEq, PartialOrd)]
pub enum Cell {
    /// NULL.
    Null,
    /// A whole number of 64 bits.
    Integer(i64),
    /// A floating-point number of 64 bits.
    Real(f64),
    /// A text. Numbers of more digits than the above are texts, too.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

impl Cell {
    /// Whether it is NULL.
    pub fn is_null(&self) -> bool {
        matches!(self, Cell::Null)
    }

    /// The value as it is kept in a table of DynamoDB: a list of its kind and its text, because a number of
    /// SQL need not be one of DynamoDB.
    pub(crate) fn saved(&self) -> Value {
        let pair =
            |kind: &str, text: String| Value::L(vec![Value::S(kind.to_owned()), Value::S(text)]);
        match self {
            Cell::Null => Value::Null,
            Cell::Integer(number) => pair("integer", number.to_string()),
            Cell::Real(number) => pair("real", number.to_bits().to_string()),
            Cell::Text(text) => pair("text", text.clone()),
            Cell::Bytes(bytes) => Value::B(bytes.clone()),
        }
    }

    /// The value that [`Cell::saved`] made; `None` for anything else.
    pub(crate) fn of_saved(value: &Value) -> Option<Cell> {
        match value {
            Value::Null => Some(Cell::Null),
            Value::B(bytes) => Some(Cell::Bytes(bytes.to_vec())),
            Value::L(pair) => {
                let [Value::S(kind), Value::S(text)] = pair.as_slice() else {
                    return None;
                };
                match kind.as_str() {
                    "integer" => text.parse().ok().map(Cell::Integer),
                    "real" => text.parse().ok().map(f64::from_bits).map(Cell::Real),
                    "text" => Some(Cell::Text(text.clone())),
                    _ => None,
                }
            }
            Value::S(_)
            | Value::N(_)
            | Value::Bool(_)
            | Value::M(_)
            | Value::Ss(_)
            | Value::Ns(_)
            | Value::Bs(_) => None,
        }
    }

    /// The value in words, for messages: a long one is cut.
    pub fn shown(&self) -> String {
        const SHOWN_MAX: usize = 40;
        match self {
            Cell::Null => "NULL".to_owned(),
            Cell::Integer(number) => number.to_string(),
            Cell::Real(number) => number.to_string(),
            Cell::Text(text) => match text.char_indices().nth(SHOWN_MAX) {
                Some((end, _)) => format!("{:?}...", &text[..end]),
                None => format!("{text:?}"),
            },
            Cell::Bytes(bytes) => format!("{} bytes", bytes.len()),
        }
    }
}
