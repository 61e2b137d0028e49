//! Items and values as DynamoDB JSON, from trees or straight from stored bytes.

use super::Writer;
use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;
use keyfold_codec::{RawItem, RawValue, number};
use keyfold_types::{Item, Number, Value, ValueKind};

/// Appends a stored item.
pub fn encode_raw_item(out: &mut Vec<u8>, item: &RawItem) {
    raw_item(&mut Writer::new(out), item);
}

/// Appends an item.
pub fn encode_item(out: &mut Vec<u8>, item: &Item) {
    tree(&mut Writer::new(out), item);
}

/// Appends one value.
pub fn encode_value(out: &mut Vec<u8>, item: &Value) {
    value(&mut Writer::new(out), item);
}

pub(crate) fn raw_item(writer: &mut Writer<'_>, item: &RawItem) {
    writer.object(|writer| {
        for (name, value) in item.attributes().unchecked() {
            writer.stored_name(name);
            raw_value(writer, value);
        }
    });
}

fn base64(writer: &mut Writer<'_>, bytes: &[u8]) {
    writer.quoted_plain(Base64Display::new(bytes, &STANDARD));
}

fn raw_number(bytes: &[u8]) -> Number {
    number::decode(bytes).unwrap_or(Number::ZERO)
}

fn raw_value(writer: &mut Writer<'_>, raw: RawValue<'_>) {
    writer.tagged(raw.kind().descriptor(), |writer| match raw.kind() {
        ValueKind::S => writer.stored_string(raw.scalar_bytes()),
        ValueKind::N => writer.number(&raw_number(raw.scalar_bytes())),
        ValueKind::B => base64(writer, raw.scalar_bytes()),
        ValueKind::Bool => writer.plain(raw.is_true()),
        ValueKind::Null => writer.plain(true),
        ValueKind::L => writer.array(|writer| raw.elements().for_each(|element| raw_value(writer, element))),
        ValueKind::M => writer.object(|writer| {
            for (name, entry) in raw.entries().unchecked() {
                writer.stored_name(name);
                raw_value(writer, entry);
            }
        }),
        ValueKind::Ss => writer.array(|writer| {
            raw.members().for_each(|text| writer.stored_string(text));
        }),
        ValueKind::Ns => writer.array(|writer| {
            raw.members().for_each(|bytes| writer.number(&raw_number(bytes)));
        }),
        ValueKind::Bs => writer.array(|writer| raw.members().for_each(|bytes| base64(writer, bytes))),
    });
}

pub(crate) fn tree(writer: &mut Writer<'_>, item: &Item) {
    writer.object(|writer| {
        for (name, attribute) in item {
            writer.name(name);
            value(writer, attribute);
        }
    });
}

pub(crate) fn value(writer: &mut Writer<'_>, value_: &Value) {
    writer.tagged(value_.kind().descriptor(), |writer| match value_ {
        Value::S(text) => writer.string(text),
        Value::N(number) => writer.number(number),
        Value::B(bytes) => base64(writer, bytes),
        Value::Bool(truth) => writer.plain(truth),
        Value::Null => writer.plain(true),
        Value::L(values) => writer.array(|writer| values.iter().for_each(|element| value(writer, element))),
        Value::M(map) => writer.object(|writer| {
            for (name, entry) in map {
                writer.name(name);
                value(writer, entry);
            }
        }),
        Value::Ss(set) => writer.array(|writer| set.members().iter().for_each(|text| writer.string(text))),
        Value::Ns(set) => writer.array(|writer| set.members().iter().for_each(|n| writer.number(n))),
        Value::Bs(set) => writer.array(|writer| set.members().iter().for_each(|bytes| base64(writer, bytes))),
    });
}
