//! A pull reader over JSON bytes, with the service's messages for wrong shapes.
//!
//! A JSON `null` is an absent member; unknown members are skipped.

use jiter::{Jiter, JiterError, NumberAny, NumberInt, Peek};
use keyfold_api::{ApiError, ValueError};
use std::collections::HashMap;

/// The largest number of structures that a list or map keeps; every limit of the API is far below.
const KEPT_MAX: usize = 10_000;

/// A body cannot be decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecodeError {
    /// The body is not JSON, is truncated, or is nested extremely deeply.
    Malformed,
    /// A value has another type; the text is the message.
    Shape(String),
}

impl From<JiterError> for DecodeError {
    fn from(_: JiterError) -> DecodeError {
        DecodeError::Malformed
    }
}

impl From<DecodeError> for ApiError {
    fn from(error: DecodeError) -> ApiError {
        match error {
            DecodeError::Malformed => ApiError::Serialization(None),
            DecodeError::Shape(message) => ApiError::Serialization(Some(message)),
        }
    }
}

pub(crate) type Decoded<T> = Result<T, DecodeError>;

/// The error for a null as an element of a list: skipping it would move the others.
pub(crate) fn null_in_list() -> DecodeError {
    DecodeError::Shape("NULL_VALUE cannot be converted to an element of a list".to_owned())
}

pub(crate) struct Reader<'j> {
    jiter: Jiter<'j>,
    /// The first error of a value since the last time this was taken.
    pub(crate) value_error: Option<ValueError>,
}

impl<'j> Reader<'j> {
    pub(crate) fn new(body: &'j [u8]) -> Reader<'j> {
        Reader {
            jiter: Jiter::new(body),
            value_error: None,
        }
    }

    pub(crate) fn finish(&mut self) -> Decoded<()> {
        Ok(self.jiter.finish()?)
    }

    /// Returns the kind of the next value; skips a null and returns `None`.
    fn present(&mut self) -> Decoded<Option<Peek>> {
        let peek = self.jiter.peek()?;
        if peek == Peek::Null {
            self.jiter.known_null()?;
            return Ok(None);
        }
        Ok(Some(peek))
    }

    fn unexpected<T>(peek: Peek, wanted: &str) -> Decoded<T> {
        Err(DecodeError::Shape(match (peek, wanted) {
            (Peek::Array, _) => "Start of list found where not expected".to_owned(),
            (Peek::Object, _) => "Start of structure or map found where not expected".to_owned(),
            (_, "List" | "Map") => "Unexpected value type in payload".to_owned(),
            (Peek::String, wanted) => format!("STRING_VALUE cannot be converted to {wanted}"),
            (Peek::True, wanted) => format!("TRUE_VALUE cannot be converted to {wanted}"),
            (Peek::False, wanted) => format!("FALSE_VALUE cannot be converted to {wanted}"),
            (_, wanted) => format!("NUMBER_VALUE cannot be converted to {wanted}"),
        }))
    }

    /// Skips any value; returns whether it was not null.
    pub(crate) fn skip_value(&mut self) -> Decoded<bool> {
        match self.present()? {
            None => Ok(false),
            Some(peek) => {
                self.jiter.known_skip(peek)?;
                Ok(true)
            }
        }
    }

    pub(crate) fn string(&mut self) -> Decoded<Option<String>> {
        self.string_with(str::to_owned)
    }

    /// Reads a string and passes it on without a copy.
    pub(crate) fn string_with<T>(&mut self, take: impl FnOnce(&str) -> T) -> Decoded<Option<T>> {
        match self.present()? {
            None => Ok(None),
            Some(Peek::String) => Ok(Some(take(self.jiter.known_str()?))),
            Some(other) => Self::unexpected(other, "String"),
        }
    }

    pub(crate) fn bool(&mut self) -> Decoded<Option<bool>> {
        match self.present()? {
            None => Ok(None),
            Some(peek @ (Peek::True | Peek::False)) => Ok(Some(self.jiter.known_bool(peek)?)),
            Some(other) => Self::unexpected(other, "Boolean"),
        }
    }

    /// Reads an integer: truncates a fraction, and clamps a number out of range.
    pub(crate) fn int(&mut self) -> Decoded<Option<i64>> {
        match self.present()? {
            None => Ok(None),
            Some(peek) if peek.is_num() => Ok(Some(match self.jiter.known_number(peek)? {
                NumberAny::Int(NumberInt::Int(value)) => value,
                NumberAny::Float(value) => value as i64,
            })),
            Some(other) => Self::unexpected(other, "Integer"),
        }
    }

    /// Reads a number as a double.
    pub(crate) fn double(&mut self) -> Decoded<Option<f64>> {
        match self.present()? {
            None => Ok(None),
            Some(peek) if peek.is_num() => Ok(Some(match self.jiter.known_number(peek)? {
                NumberAny::Int(NumberInt::Int(value)) => value as f64,
                NumberAny::Float(value) => value,
            })),
            Some(other) => Self::unexpected(other, "Double"),
        }
    }

    /// Reads an object with known members and skips others; returns false for null.
    pub(crate) fn object(
        &mut self,
        members: &[&'static str],
        take: impl FnMut(&mut Self, &'static str) -> Decoded<()>,
    ) -> Decoded<bool> {
        self.object_of(&[members], take)
    }

    /// Reads an object whose known members are in several lists; returns false for null.
    pub(crate) fn object_of(
        &mut self,
        members: &[&[&'static str]],
        mut take: impl FnMut(&mut Self, &'static str) -> Decoded<()>,
    ) -> Decoded<bool> {
        match self.present()? {
            None => return Ok(false),
            Some(Peek::Object) => {}
            Some(other) => return Self::unexpected(other, "Map"),
        }
        let known = |key: &str| {
            members
                .iter()
                .copied()
                .flatten()
                .find(|member| **member == key)
                .copied()
        };
        let mut key = self.jiter.known_object()?.map(known);
        while let Some(found) = key {
            match found {
                Some(member) => take(self, member)?,
                None => {
                    self.jiter.next_skip()?;
                }
            }
            key = self.jiter.next_key()?.map(known);
        }
        Ok(true)
    }

    /// Reads an object with any members; returns false for null.
    pub(crate) fn map(
        &mut self,
        mut take: impl FnMut(&mut Self, String) -> Decoded<()>,
    ) -> Decoded<bool> {
        match self.present()? {
            None => return Ok(false),
            Some(Peek::Object) => {}
            Some(other) => return Self::unexpected(other, "Map"),
        }
        let mut key = self.jiter.known_object()?.map(str::to_owned);
        while let Some(name) = key {
            take(self, name)?;
            key = self.jiter.next_key()?.map(str::to_owned);
        }
        Ok(true)
    }

    /// Reads a list; returns false for null.
    pub(crate) fn list(&mut self, mut take: impl FnMut(&mut Self) -> Decoded<()>) -> Decoded<bool> {
        match self.present()? {
            None => return Ok(false),
            Some(Peek::Array) => {}
            Some(other) => return Self::unexpected(other, "List"),
        }
        let mut next = self.jiter.known_array()?;
        while next.is_some() {
            take(self)?;
            next = self.jiter.array_step()?;
        }
        Ok(true)
    }

    /// Reads a list of structures, each of which can take hundreds of times the memory of its JSON.
    /// Elements beyond every limit are skipped: those that are kept suffice to refuse the list.
    pub(crate) fn list_of<T>(
        &mut self,
        mut take: impl FnMut(&mut Self) -> Decoded<T>,
    ) -> Decoded<Option<Vec<T>>> {
        let mut kept = Vec::new();
        let found = self.list(|reader| {
            if kept.len() < KEPT_MAX {
                kept.push(take(reader)?);
            } else {
                reader.skip_value()?;
            }
            Ok(())
        })?;
        Ok(found.then_some(kept))
    }

    /// Reads a map of structures with the same limit. Of repeated members the last one counts.
    pub(crate) fn map_of<T>(
        &mut self,
        mut take: impl FnMut(&mut Self) -> Decoded<T>,
    ) -> Decoded<Option<Vec<(String, T)>>> {
        let mut kept: Vec<(String, T)> = Vec::new();
        let mut positions: HashMap<String, usize> = HashMap::new();
        let found = self.map(|reader, name| {
            if let Some((_, before)) = positions
                .get(&name)
                .and_then(|position| kept.get_mut(*position))
            {
                *before = take(reader)?;
            } else if kept.len() < KEPT_MAX {
                positions.insert(name.clone(), kept.len());
                kept.push((name, take(reader)?));
            } else {
                reader.skip_value()?;
            }
            Ok(())
        })?;
        Ok(found.then_some(kept))
    }

    /// Reads a list of strings, in which a null is an error.
    pub(crate) fn strings(&mut self) -> Decoded<Option<Vec<String>>> {
        let mut texts = Vec::new();
        let found = self.list(|reader| {
            texts.push(reader.string()?.ok_or_else(null_in_list)?);
            Ok(())
        })?;
        Ok(found.then_some(texts))
    }
}
