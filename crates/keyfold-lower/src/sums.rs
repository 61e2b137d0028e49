//! Sums of views: how a row has one that is a number of DynamoDB, and one that is none.

use keyfold_model::Table;
use keyfold_model::schema::hidden;
use keyfold_types::{Item, Sum, Value};

/// The attribute in which a row keeps a sum that is no number of DynamoDB, as a text of all its digits. A
/// row whose sum is a number does not have it.
pub fn exact_attribute(attribute: &str) -> String {
    hidden(attribute, "exact")
}

/// How a row has a sum.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldSum {
    /// The attribute of the sum: the number, or a text that says why it is none, which no reader takes for
    /// a number. `None` where it is the key of an index, which holds numbers only: then the row is not in
    /// the index.
    pub shown: Option<Value>,
    /// [`exact_attribute`].
    pub exact: Option<Value>,
    /// Why it is no number, in words.
    pub why: Option<String>,
}

/// How a row of a table has a sum.
pub fn held_sum(table: &Table, attribute: &str, sum: &Sum) -> HeldSum {
    let why = why_none(attribute, sum);
    let mut indexes = table.indexes.iter();
    let is_key = indexes.any(|index| index.columns().any(|column| column.name == attribute));
    HeldSum {
        shown: (why.is_none() || !is_key).then(|| shown_sum(sum)),
        exact: why.is_some().then(|| Value::S(sum.to_string())),
        why,
    }
}

/// A sum as a value: the number, or a text that says why it is none, which no reader takes for a number.
pub fn shown_sum(sum: &Sum) -> Value {
    match sum.number() {
        Ok(number) => Value::N(number),
        Err(error) => Value::S(format!("{error}: {sum}")),
    }
}

/// Why the sum of a row's items is no number, in words; `None` where it is one.
fn why_none(attribute: &str, sum: &Sum) -> Option<String> {
    let error = sum.number().err()?;
    Some(format!(
        "{attribute}, the sum of its items, is {sum}: {error}"
    ))
}

/// Why a stored row has no number in the attribute of a sum; `None` where its sum is a number, and for
/// attributes and items of other kinds.
pub fn without_sum(row: &Item, attribute: &str) -> Option<String> {
    row.get(&exact_attribute(attribute))?;
    match sum_of(row, attribute) {
        Some(sum) => why_none(attribute, &sum),
        None => Some(format!("{attribute} has no number, and no digits of one")),
    }
}

/// The sum that a row has; 0 for a row without it. `None` where it is neither a number nor the digits that
/// [`held_sum`] writes: something else has written it.
pub fn sum_of(row: &Item, attribute: &str) -> Option<Sum> {
    match (row.get(&exact_attribute(attribute)), row.get(attribute)) {
        (Some(Value::S(text)), _) => text.parse().ok(),
        (None, Some(Value::N(number))) => Some(Sum::from(*number)),
        (None, None) => Some(Sum::default()),
        (Some(_), _) | (None, Some(_)) => None,
    }
}
