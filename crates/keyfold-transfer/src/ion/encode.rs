//! Items to Ion.

use ion_rs::{Decimal, Element, IonType, Struct};
use keyfold_types::{Item, Number, Value};

/// Annotations of lists that are sets.
pub(super) const STRINGS: &str = "$dynamodb_SS";
pub(super) const NUMBERS: &str = "$dynamodb_NS";
pub(super) const BINARIES: &str = "$dynamodb_BS";

fn decimal(number: &Number) -> Element {
    let coefficient = number.coefficient() as i128;
    let signed = if number.is_negative() {
        -coefficient
    } else {
        coefficient
    };
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
        Value::Ss(set) => list(
            set.members()
                .iter()
                .map(|text| Element::from(text.as_str()))
                .collect(),
        )
        .with_annotations([STRINGS]),
        Value::Ns(set) => {
            list(set.members().iter().map(decimal).collect()).with_annotations([NUMBERS])
        }
        Value::Bs(set) => list(
            set.members()
                .iter()
                .map(|bytes| Element::blob(bytes.as_slice()))
                .collect(),
        )
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

/// Returns a line `$ion_1_0 {Item:{...}}`, of one or several named items.
pub(crate) fn line(parts: &[(&str, Element)]) -> String {
    let mut builder = Struct::builder();
    for (name, part) in parts {
        builder = builder.with_field(*name, part.clone());
    }
    format!("$ion_1_0 {}\n", Element::from(builder.build()))
}

/// Converts an item to a struct.
pub(crate) fn item(item: &Item) -> Element {
    structure(item.iter())
}
