//! Numbers of Rust's types as exact decimals, and back.

use super::fault::Fault;
use keyfold_types::Number;
use std::fmt::Display;

/// The number that a text says. `what` is shown when there is none.
pub(crate) fn parse(text: &str) -> Result<Number, Fault> {
    text.parse()
        .map_err(|error| Fault::new(format!("{text} is no number that can be stored: {error}")))
}

/// The number of a float: the shortest decimal that is this float and no other.
pub(crate) fn of_float(float: impl Display + Into<f64> + Copy) -> Result<Number, Fault> {
    let wide: f64 = float.into();
    if wide.is_finite() {
        return parse(&float.to_string());
    }
    Err(Fault::new(format!(
        "{float} is no number that can be stored; leave the attribute out, or give a finite number"
    )))
}

/// A number as Rust's types have it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Native {
    Signed(i64),
    Unsigned(u64),
    Wide(i128),
    /// A float whose shortest decimal is the number.
    Float(f64),
    /// A number that none of these types holds exactly.
    Text(String),
}

pub(crate) fn native(number: &Number) -> Native {
    let text = number.to_string();
    if let Ok(unsigned) = text.parse() {
        return Native::Unsigned(unsigned);
    }
    if let Ok(signed) = text.parse() {
        return Native::Signed(signed);
    }
    if let Ok(wide) = text.parse() {
        return Native::Wide(wide);
    }
    match text.parse::<f64>() {
        Ok(float) if of_float(float).as_ref() == Ok(number) => Native::Float(float),
        Ok(_) | Err(_) => Native::Text(text),
    }
}
