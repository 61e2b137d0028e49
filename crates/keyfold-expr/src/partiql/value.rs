//! Literals: texts, numbers, lists, `<<sets>>`, maps, and parameters.

use super::error::PartiqlError;
use super::lexer::Token;
use super::parser::{Parsed, Parser};
use keyfold_types::{Set, SetError, Value};
use std::collections::BTreeMap;

impl Parser<'_> {
    pub(super) fn value(&mut self) -> Parsed<Value> {
        self.deeper(Parser::value_here)
    }

    fn value_here(&mut self) -> Parsed<Value> {
        match self.advance() {
            Token::Parameter => self.parameter(),
            Token::Text(text) => Ok(Value::S(text)),
            Token::Number(text) => number(&text),
            Token::Word(word) if word.eq_ignore_ascii_case("true") => Ok(Value::Bool(true)),
            Token::Word(word) if word.eq_ignore_ascii_case("false") => Ok(Value::Bool(false)),
            Token::Word(word) if word.eq_ignore_ascii_case("null") => Ok(Value::Null),
            Token::Sign("-") => {
                let Token::Number(text) = self.advance() else {
                    return Err(self.last_unexpected());
                };
                number(&format!("-{text}"))
            }
            Token::Sign("[") => self.values("]").map(Value::L),
            Token::Sign("<<") => set(self.values(">>")?),
            Token::Sign("{") => self.map(),
            Token::Sign("`") => Err(PartiqlError::Unsupported(
                "Ion literals are not supported.".to_owned(),
            )),
            Token::Word(_) | Token::Name(_) | Token::Sign(_) | Token::End => {
                Err(self.last_unexpected())
            }
        }
    }

    /// Takes values up to the closing sign.
    fn values(&mut self, close: &str) -> Parsed<Vec<Value>> {
        let mut values = Vec::new();
        if self.take_sign(close) {
            return Ok(values);
        }
        loop {
            values.push(self.value()?);
            if !self.take_sign(",") {
                self.expect_sign(close)?;
                return Ok(values);
            }
        }
    }

    /// Takes the rest of a map.
    fn map(&mut self) -> Parsed<Value> {
        let mut map = BTreeMap::new();
        if self.take_sign("}") {
            return Ok(Value::M(map));
        }
        loop {
            let (Token::Text(name) | Token::Name(name)) = self.advance() else {
                return Err(self.last_unexpected());
            };
            self.expect_sign(":")?;
            let value = self.value()?;
            map.insert(name, value);
            if !self.take_sign(",") {
                self.expect_sign("}")?;
                return Ok(Value::M(map));
            }
        }
    }
}

fn number(text: &str) -> Parsed<Value> {
    text.parse().map(Value::N).map_err(PartiqlError::Number)
}

/// A set of the members, which all have the type of the first.
fn set(values: Vec<Value>) -> Parsed<Value> {
    match values.first() {
        None => Err(PartiqlError::Set(SetError::Empty)),
        Some(Value::S(_)) => set_of(values, Value::Ss, |value| {
            if let Value::S(text) = value {
                Some(text)
            } else {
                None
            }
        }),
        Some(Value::N(_)) => set_of(values, Value::Ns, |value| {
            if let Value::N(number) = value {
                Some(number)
            } else {
                None
            }
        }),
        Some(Value::B(_)) => set_of(values, Value::Bs, |value| {
            if let Value::B(bytes) = value {
                Some(bytes)
            } else {
                None
            }
        }),
        Some(_) => Err(mixed_set()),
    }
}

/// A set of the members, of which `member` gives none for a value of another type.
fn set_of<T: Ord>(
    values: Vec<Value>,
    wrap: fn(Set<T>) -> Value,
    member: fn(Value) -> Option<T>,
) -> Parsed<Value> {
    let members: Option<Vec<T>> = values.into_iter().map(member).collect();
    Set::new(members.ok_or_else(mixed_set)?)
        .map(wrap)
        .map_err(PartiqlError::Set)
}

fn mixed_set() -> PartiqlError {
    PartiqlError::Syntax("the members of a set must be of one type".to_owned())
}
