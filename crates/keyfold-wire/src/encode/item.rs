//! Items and values as DynamoDB JSON, from trees; `stored` encodes stored items.

use super::writer::{Writer, append_base64};
use keyfold_types::{Item, Value};

/// Appends an item.
pub fn encode_item(out: &mut Vec<u8>, item: &Item) {
    tree(&mut Writer::new(out), item);
}

/// Appends one value.
pub fn encode_value(out: &mut Vec<u8>, item: &Value) {
    value(&mut Writer::new(out), item);
}

fn base64(writer: &mut Writer<'_>, bytes: &[u8]) {
    append_base64(writer.value(), bytes);
}

/// Writes an item.
pub(crate) fn tree(writer: &mut Writer<'_>, item: &Item) {
    writer.object(|writer| {
        for (name, attribute) in item {
            writer.name(name);
            value(writer, attribute);
        }
    });
}

/// Writes one value.
pub(crate) fn value(writer: &mut Writer<'_>, value_: &Value) {
    writer.tagged(value_.kind().descriptor(), |writer| match value_ {
        Value::S(text) => writer.string(text),
        Value::N(number) => writer.number(number),
        Value::B(bytes) => base64(writer, bytes),
        Value::Bool(truth) => writer.plain(truth),
        Value::Null => writer.plain(true),
        Value::L(values) => {
            writer.array(|writer| values.iter().for_each(|element| value(writer, element)))
        }
        Value::M(map) => writer.object(|writer| {
            for (name, entry) in map {
                writer.name(name);
                value(writer, entry);
            }
        }),
        Value::Ss(set) => {
            writer.array(|writer| set.members().iter().for_each(|text| writer.string(text)))
        }
        Value::Ns(set) => {
            writer.array(|writer| set.members().iter().for_each(|n| writer.number(n)))
        }
        Value::Bs(set) => {
            writer.array(|writer| set.members().iter().for_each(|bytes| base64(writer, bytes)))
        }
    });
}
