//! Values written out: texts, numbers, lists, `<<sets>>`, maps, and parameters.

use super::PartiqlError;
use super::lexer::Token;
use super::parser::{Parsed, Parser};
use keyfold_types::{Number, Set, SetError, Value};
use std::collections::BTreeMap;

impl Parser<'_> {
    pub(super) fn value(&mut self) -> Parsed<Value> {
        self.deeper(Parser::value_here)
    }

    fn value_here(&mut self) -> Parsed<Value> {
        match self.advance() {
            Token::Parameter => {
                let value = self.parameters.get(self.used).cloned();
                self.used += 1;
                value.ok_or(PartiqlError::Parameters)
            }
            Token::Text(text) => Ok(Value::S(text)),
            Token::Number(text) => number(&text),
            Token::Sign("-") => match self.advance() {
                Token::Number(text) => number(&format!("-{text}")),
                _ => Err(self.before_unexpected()),
            },
            Token::Word(word) if word.eq_ignore_ascii_case("true") => Ok(Value::Bool(true)),
            Token::Word(word) if word.eq_ignore_ascii_case("false") => Ok(Value::Bool(false)),
            Token::Word(word) if word.eq_ignore_ascii_case("null") => Ok(Value::Null),
            Token::Sign("[") => self.values("]").map(Value::L),
            Token::Sign("<<") => set(self.values(">>")?),
            Token::Sign("{") => self.map(),
            Token::Sign("`") => Err(PartiqlError::Unsupported(
                "Ion literals are not supported.".to_owned(),
            )),
            _ => Err(self.before_unexpected()),
        }
    }

    /// The token just taken was not expected.
    pub(super) fn before_unexpected(&mut self) -> PartiqlError {
        self.at = self.at.saturating_sub(1);
        self.unexpected()
    }

    pub(super) fn values(&mut self, close: &str) -> Parsed<Vec<Value>> {
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

    pub(super) fn map(&mut self) -> Parsed<Value> {
        let mut map = BTreeMap::new();
        if self.take_sign("}") {
            return Ok(Value::M(map));
        }
        loop {
            let (Token::Text(name) | Token::Name(name)) = self.advance() else {
                return Err(self.before_unexpected());
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

fn set(values: Vec<Value>) -> Parsed<Value> {
    fn all<T>(values: Vec<Value>, of: impl Fn(Value) -> Option<T>) -> Option<Vec<T>> {
        values.into_iter().map(of).collect()
    }
    let mixed = || PartiqlError::Syntax("the members of a set must be of one type".to_owned());
    match values.first() {
        None => Err(PartiqlError::Set(SetError::Empty)),
        Some(Value::S(_)) => {
            let texts = all(values, |value| {
                if let Value::S(text) = value {
                    Some(text)
                } else {
                    None
                }
            });
            Set::new(texts.ok_or_else(mixed)?)
                .map(Value::Ss)
                .map_err(PartiqlError::Set)
        }
        Some(Value::N(_)) => {
            let numbers: Option<Vec<Number>> = all(values, |value| {
                if let Value::N(number) = value {
                    Some(number)
                } else {
                    None
                }
            });
            Set::new(numbers.ok_or_else(mixed)?)
                .map(Value::Ns)
                .map_err(PartiqlError::Set)
        }
        Some(Value::B(_)) => {
            let bytes = all(values, |value| {
                if let Value::B(bytes) = value {
                    Some(bytes)
                } else {
                    None
                }
            });
            Set::new(bytes.ok_or_else(mixed)?)
                .map(Value::Bs)
                .map_err(PartiqlError::Set)
        }
        Some(_) => Err(mixed()),
    }
}
