//! Attribute values: `{"S": "text"}`.

use super::reader::{DecodeError, Decoded, Reader, null_in_list};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use keyfold_api::{Attributes, ValueError};
use keyfold_types::{Item, Number, Set, Value, ValueKind};
use std::collections::BTreeMap;

/// The deepest nesting that is decoded; the engine's own limit is far below.
const DEPTH_MAX: usize = 64;

const TYPES: &[&str] = &["S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"];

/// Reads an item or key.
pub(crate) fn attributes(reader: &mut Reader<'_>) -> Decoded<Option<Attributes>> {
    let map = value_map(reader, 0)?;
    let error = reader.value_error.take();
    Ok(map.map(|map| error.map_or_else(|| Ok(Item::from(map)), Err)))
}

fn value_map(reader: &mut Reader<'_>, depth: usize) -> Decoded<Option<BTreeMap<String, Value>>> {
    let mut map = BTreeMap::new();
    let found = reader.map(|reader, name| {
        let value =
            attribute_value(reader, depth)?.unwrap_or_else(|| wrong(reader, ValueError::NoType));
        map.insert(name, value);
        Ok(())
    })?;
    Ok(found.then_some(map))
}

type ExpressionValues = Result<BTreeMap<String, Value>, (String, ValueError)>;

/// Reads ExpressionAttributeValues, or the first placeholder whose value is wrong with its error.
pub(crate) fn expression_values(reader: &mut Reader<'_>) -> Decoded<Option<ExpressionValues>> {
    let mut map = BTreeMap::new();
    let mut first_wrong = None;
    let found = reader.map(|reader, name| {
        let value = attribute_value(reader, 0)?;
        if value.is_none() {
            wrong(reader, ValueError::NoType);
        }
        if let Some(error) = reader.value_error.take() {
            first_wrong.get_or_insert((name, error));
        } else if let Some(value) = value {
            map.insert(name, value);
        }
        Ok(())
    })?;
    Ok(found.then(|| first_wrong.map_or(Ok(map), Err)))
}

/// Reads one value. If it is wrong, its error is left in the reader, and the value is null.
pub(crate) fn attribute_value(reader: &mut Reader<'_>, depth: usize) -> Decoded<Option<Value>> {
    let mut value = None;
    let mut types = 0;
    let found = reader.object(TYPES, |reader, kind| {
        if let Some(read) = typed_value(reader, kind, depth)? {
            types += 1;
            value = Some(read);
        }
        Ok(())
    })?;
    if !found {
        return Ok(None);
    }
    match types {
        1 => Ok(value),
        0 => Ok(Some(wrong(reader, ValueError::NoType))),
        _ => Ok(Some(wrong(reader, ValueError::ManyTypes))),
    }
}

/// Leaves an error in the reader and returns a value in place of the wrong one.
fn wrong(reader: &mut Reader<'_>, error: ValueError) -> Value {
    reader.value_error.get_or_insert(error);
    Value::Null
}

fn typed_value(reader: &mut Reader<'_>, kind: &str, depth: usize) -> Decoded<Option<Value>> {
    if depth >= DEPTH_MAX {
        reader.skip_value()?;
        return Ok(Some(wrong(reader, ValueError::TooDeep)));
    }
    Ok(match kind {
        "S" => reader.string()?.map(Value::S),
        "N" => match reader.string_with(parse_number)? {
            None => None,
            Some(Ok(number)) => Some(Value::N(number)),
            Some(Err(error)) => Some(wrong(reader, error)),
        },
        "B" => binary(reader)?.map(Value::B),
        "BOOL" => reader.bool()?.map(Value::Bool),
        "NULL" => match reader.bool()? {
            None => None,
            Some(true) => Some(Value::Null),
            Some(false) => Some(wrong(reader, ValueError::NullFalse)),
        },
        "L" => {
            let mut values = Vec::new();
            let found = reader.list(|reader| {
                let value = attribute_value(reader, depth + 1)?;
                values.push(value.unwrap_or_else(|| wrong(reader, ValueError::NoType)));
                Ok(())
            })?;
            found.then_some(Value::L(values))
        }
        "M" => value_map(reader, depth + 1)?.map(Value::M),
        "SS" => {
            let members = reader.strings()?;
            members.map(|members| {
                set(
                    reader,
                    ValueKind::Ss,
                    members.join(", "),
                    members,
                    Value::Ss,
                )
            })
        }
        "NS" => number_set(reader)?,
        _ => binary_set(reader)?,
    })
}

fn parse_number(text: &str) -> Result<Number, ValueError> {
    text.parse().map_err(|error| ValueError::Number {
        text: text.to_owned(),
        error,
    })
}

fn binary(reader: &mut Reader<'_>) -> Decoded<Option<Vec<u8>>> {
    let decoded = reader.string_with(|text| STANDARD.decode(text))?;
    decoded
        .transpose()
        .map_err(|error| DecodeError::Shape(format!("A binary value is not valid base64: {error}")))
}

/// Makes a set; `printed` are its members in messages.
fn set<T: Ord>(
    reader: &mut Reader<'_>,
    kind: ValueKind,
    printed: String,
    members: Vec<T>,
    wrap: fn(Set<T>) -> Value,
) -> Value {
    match Set::new(members) {
        Ok(set) => wrap(set),
        Err(error) => wrong(
            reader,
            ValueError::Set {
                kind,
                error,
                members: printed,
            },
        ),
    }
}

fn number_set(reader: &mut Reader<'_>) -> Decoded<Option<Value>> {
    let Some(texts) = reader.strings()? else {
        return Ok(None);
    };
    let printed = texts.join(", ");
    match texts
        .iter()
        .map(|text| parse_number(text))
        .collect::<Result<Vec<_>, _>>()
    {
        Ok(numbers) => Ok(Some(set(
            reader,
            ValueKind::Ns,
            printed,
            numbers,
            Value::Ns,
        ))),
        Err(error) => Ok(Some(wrong(reader, error))),
    }
}

fn binary_set(reader: &mut Reader<'_>) -> Decoded<Option<Value>> {
    let mut members = Vec::new();
    let found = reader.list(|reader| {
        members.push(binary(reader)?.ok_or_else(null_in_list)?);
        Ok(())
    })?;
    let printed = format!("{} binary values", members.len());
    Ok(found.then(|| set(reader, ValueKind::Bs, printed, members, Value::Bs)))
}
