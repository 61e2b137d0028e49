//! Stored items as DynamoDB JSON, directly from their bytes: most of the time of a Query.

use super::writer::{Writer, append_base64, append_plain, append_quoted};
use keyfold_codec::{Entries, RawItem, RawValue, number};
use keyfold_types::ValueKind;

/// Appends a stored item.
pub fn encode_raw_item(out: &mut Vec<u8>, item: &RawItem) {
    // Two instances of the same code, so that the check for escapes is not repeated for each text.
    if item.is_plain() {
        entries(out, item.attributes(), append_plain);
    } else {
        entries(out, item.attributes(), append_quoted);
    }
}

pub(crate) fn raw_item(writer: &mut Writer<'_>, item: &RawItem) {
    encode_raw_item(writer.value(), item);
}

fn entries(out: &mut Vec<u8>, entries: Entries<'_>, text: impl Fn(&mut Vec<u8>, &[u8]) + Copy) {
    out.push(b'{');
    separated(out, entries.unchecked(), |out, (name, entry)| {
        text(out, name);
        out.push(b':');
        value(out, entry, text);
    });
    out.push(b'}');
}

fn array<T>(
    out: &mut Vec<u8>,
    elements: impl Iterator<Item = T>,
    append: impl Fn(&mut Vec<u8>, T),
) {
    out.push(b'[');
    separated(out, elements, append);
    out.push(b']');
}

fn separated<T>(
    out: &mut Vec<u8>,
    elements: impl Iterator<Item = T>,
    append: impl Fn(&mut Vec<u8>, T),
) {
    for (at, element) in elements.enumerate() {
        if at > 0 {
            out.push(b',');
        }
        append(out, element);
    }
}

/// Appends a value; `text` appends a text in quotes.
fn value(out: &mut Vec<u8>, raw: RawValue<'_>, text: impl Fn(&mut Vec<u8>, &[u8]) + Copy) {
    let bytes = raw.scalar_bytes();
    match raw.kind() {
        ValueKind::S => {
            out.extend_from_slice(br#"{"S":"#);
            text(out, bytes);
        }
        ValueKind::N => {
            out.extend_from_slice(br#"{"N":"#);
            number_text(out, bytes);
        }
        ValueKind::B => {
            out.extend_from_slice(br#"{"B":"#);
            append_base64(out, bytes);
        }
        ValueKind::Bool => {
            out.extend_from_slice(br#"{"BOOL":"#);
            out.extend_from_slice(if raw.is_true() { b"true" } else { b"false" });
        }
        ValueKind::Null => out.extend_from_slice(br#"{"NULL":true"#),
        ValueKind::L => {
            out.extend_from_slice(br#"{"L":"#);
            array(out, raw.elements(), |out, element| {
                value(out, element, text)
            });
        }
        ValueKind::M => {
            out.extend_from_slice(br#"{"M":"#);
            entries(out, raw.entries(), text);
        }
        ValueKind::Ss => {
            out.extend_from_slice(br#"{"SS":"#);
            array(out, raw.members(), text);
        }
        ValueKind::Ns => {
            out.extend_from_slice(br#"{"NS":"#);
            array(out, raw.members(), number_text);
        }
        ValueKind::Bs => {
            out.extend_from_slice(br#"{"BS":"#);
            array(out, raw.members(), append_base64);
        }
    }
    out.push(b'}');
}

/// Appends a number as digits in quotes.
fn number_text(out: &mut Vec<u8>, bytes: &[u8]) {
    out.push(b'"');
    if !number::append_text(out, bytes) {
        out.push(b'0');
    }
    out.push(b'"');
}
