//! Items as Amazon Ion: strings, decimals, blobs, lists and structs; sets are lists with an annotation.
//!
//! ```text
//! $ion_1_0 {Item:{p:"a",n:103.,s:$dynamodb_SS::["x","y"]}}
//! ```

use ion_rs::{Decimal, Element, IonType, Struct};
use keyfold_types::{Item, Number, Set, Value};
use std::collections::BTreeMap;

const STRINGS: &str = "$dynamodb_SS";
const NUMBERS: &str = "$dynamodb_NS";
const BINARIES: &str = "$dynamodb_BS";

fn decimal(number: &Number) -> Element {
    let coefficient = number.coefficient() as i128;
    let signed = if number.is_negative() { -coefficient } else { coefficient };
    Element::from(Decimal::new(signed, i64::from(number.exponent())))
}

fn element(value: &Value) -> Element {
    let list = |members: Vec<Element>| Element::from(ion_rs::List::from(members));
    match value {
        Value::S(text) => Element::from(text.as_str()),
        Value::N(number) => decimal(number),
        Value::B(bytes) => Element::blob(bytes.as_slice()),
        Value::Bool(flag) => Element::from(*flag),
        Value::Null => Element::null(IonType::Null),
        Value::L(values) => list(values.iter().map(element).collect()),
        Value::M(map) => structure(map.iter()),
        Value::Ss(set) => list(set.members().iter().map(|text| Element::from(text.as_str())).collect())
            .with_annotations([STRINGS]),
        Value::Ns(set) => list(set.members().iter().map(decimal).collect()).with_annotations([NUMBERS]),
        Value::Bs(set) => list(set.members().iter().map(|bytes| Element::blob(bytes.as_slice())).collect())
            .with_annotations([BINARIES]),
    }
}

fn structure<'v>(entries: impl Iterator<Item = (&'v String, &'v Value)>) -> Element {
    let mut builder = Struct::builder();
    for (name, value) in entries {
        builder = builder.with_field(name.as_str(), element(value));
    }
    Element::from(builder.build())
}

/// A line: `$ion_1_0 {Item:{...}}`, or other named items.
pub fn line(parts: &[(&str, Element)]) -> String {
    let mut builder = Struct::builder();
    for (name, part) in parts {
        builder = builder.with_field(*name, part.clone());
    }
    format!("$ion_1_0 {}\n", Element::from(builder.build()))
}

/// An item as a struct.
pub fn item(item: &Item) -> Element {
    structure(item.iter())
}

/// Every item of a text or binary stream; what is no item is told in words.
pub fn read(bytes: &[u8]) -> Vec<Result<Item, String>> {
    match Element::read_all(bytes) {
        Err(error) => vec![Err(format!("the file is no Ion: {error}"))],
        Ok(elements) => elements.iter().map(top).collect(),
    }
}

fn top(element: &Element) -> Result<Item, String> {
    let found = element.as_struct().and_then(|outer| outer.get("Item")).and_then(Element::as_struct);
    match found.map(map_of) {
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
    text.parse().map_err(|error| format!("{text} is no number that can be stored: {error}"))
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
        IonType::Blob | IonType::Clob => {
            element.as_lob().map(|bytes| Value::B(bytes.to_vec())).ok_or_else(wrong)
        }
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
    let annotation = element.annotations().first();
    let mixed = || "the members of a set are not of its type".to_owned();
    let wrong = |error: keyfold_types::SetError| error.to_string();
    match annotation {
        Some(STRINGS) => {
            let texts: Option<Vec<String>> = members
                .into_iter()
                .map(|one| if let Value::S(text) = one { Some(text) } else { None })
                .collect();
            Set::new(texts.ok_or_else(mixed)?).map(Value::Ss).map_err(wrong)
        }
        Some(NUMBERS) => {
            let numbers: Option<Vec<Number>> = members
                .into_iter()
                .map(|one| if let Value::N(number) = one { Some(number) } else { None })
                .collect();
            Set::new(numbers.ok_or_else(mixed)?).map(Value::Ns).map_err(wrong)
        }
        Some(BINARIES) => {
            let bytes: Option<Vec<Vec<u8>>> = members
                .into_iter()
                .map(|one| if let Value::B(bytes) = one { Some(bytes) } else { None })
                .collect();
            Set::new(bytes.ok_or_else(mixed)?).map(Value::Bs).map_err(wrong)
        }
        _ => Ok(Value::L(members)),
    }
}
