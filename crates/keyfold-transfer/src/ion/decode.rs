//! Ion to items.

use super::encode::{BINARIES, NUMBERS, STRINGS};
use ion_rs::{Element, IonType, Struct};
use keyfold_types::{Item, Number, Set, Value};
use std::collections::BTreeMap;

/// Converts a struct `{Item: {...}}` to its item; returns the error for people.
pub(super) fn named_item(element: &Element) -> Result<Item, String> {
    let item = element
        .as_struct()
        .and_then(|outer| outer.get("Item"))
        .and_then(Element::as_struct);
    match item.map(map_of) {
        Some(map) => map.map(Item::from),
        None => Err("a value is no struct with an Item".to_owned()),
    }
}

fn map_of(structure: &Struct) -> Result<BTreeMap<String, Value>, String> {
    let entry = |(name, element): (&ion_rs::Symbol, &Element)| {
        let name = name.text().ok_or("a name has no text")?;
        Ok((name.to_owned(), value(element)?))
    };
    structure.fields().map(entry).collect()
}

fn number(element: &Element) -> Result<Number, String> {
    let text = if let Some(decimal) = element.as_decimal() {
        decimal.to_string().replace('d', "e")
    } else if let Some(float) = element.as_float() {
        format!("{float:e}")
    } else {
        element.to_string()
    };
    text.parse()
        .map_err(|error| format!("{text} is no number that can be stored: {error}"))
}

fn value(element: &Element) -> Result<Value, String> {
    if element.is_null() {
        return Ok(Value::Null);
    }
    let wrong = || format!("{} is no value of an item", element.ion_type());
    match element.ion_type() {
        IonType::Bool => element.as_bool().map(Value::Bool).ok_or_else(wrong),
        IonType::Int | IonType::Decimal | IonType::Float => number(element).map(Value::N),
        IonType::String | IonType::Symbol => element.as_text().map(Value::from).ok_or_else(wrong),
        IonType::Blob | IonType::Clob => element
            .as_lob()
            .map(|bytes| Value::B(bytes.to_vec()))
            .ok_or_else(wrong),
        IonType::Struct => Ok(Value::M(map_of(element.as_struct().ok_or_else(wrong)?)?)),
        IonType::List | IonType::SExp => list(element),
        IonType::Null | IonType::Timestamp => Err(wrong()),
    }
}

fn list(element: &Element) -> Result<Value, String> {
    let members: Vec<Value> = element
        .as_sequence()
        .map(|sequence| sequence.elements().map(value).collect::<Result<_, _>>())
        .transpose()?
        .unwrap_or_default();
    match element.annotations().first() {
        Some(STRINGS) => set(members, text_of, Value::Ss),
        Some(NUMBERS) => set(members, number_of, Value::Ns),
        Some(BINARIES) => set(members, bytes_of, Value::Bs),
        Some(_) | None => Ok(Value::L(members)),
    }
}

/// Converts the members of a set.
fn set<T: Ord>(
    members: Vec<Value>,
    member: fn(Value) -> Option<T>,
    wrap: fn(Set<T>) -> Value,
) -> Result<Value, String> {
    let members: Option<Vec<T>> = members.into_iter().map(member).collect();
    let members = members.ok_or("the members of a set are not of its type")?;
    Set::new(members)
        .map(wrap)
        .map_err(|error| error.to_string())
}

fn text_of(value: Value) -> Option<String> {
    if let Value::S(text) = value {
        Some(text)
    } else {
        None
    }
}

fn number_of(value: Value) -> Option<Number> {
    if let Value::N(number) = value {
        Some(number)
    } else {
        None
    }
}

fn bytes_of(value: Value) -> Option<Vec<u8>> {
    if let Value::B(bytes) = value {
        Some(bytes)
    } else {
        None
    }
}
