//! Optional members of requests. A value that was wrong when it was decoded is left out: the
//! service would have refused it.

use super::item::{tree, value};
use super::writer::Writer;
use keyfold_api::{Attributes, ExpressionAttributes, Named, WireName};

/// A text member, if it is present.
pub(crate) fn string(writer: &mut Writer<'_>, name: &str, text: &Option<String>) {
    if let Some(text) = text {
        writer.string_member(name, text);
    }
}

/// A number or boolean member, if it is present.
pub(crate) fn plain(writer: &mut Writer<'_>, name: &str, given: Option<impl std::fmt::Display>) {
    if let Some(given) = given {
        writer.plain_member(name, given);
    }
}

/// A word of the API, if it is present.
pub(crate) fn word<T: WireName>(writer: &mut Writer<'_>, name: &str, given: &Option<Named<T>>) {
    match given {
        None => {}
        Some(Named::Known(word)) => writer.string_member(name, word.word()),
        Some(Named::Unknown(text)) => writer.string_member(name, text),
    }
}

/// An item or key, if it is present and right.
pub(crate) fn attributes(writer: &mut Writer<'_>, name: &str, given: &Option<Attributes>) {
    if let Some(Ok(item)) = given {
        writer.name(name);
        tree(writer, item);
    }
}

/// The names and values of expressions.
pub(crate) fn placeholders(writer: &mut Writer<'_>, given: &ExpressionAttributes) {
    if let Some(names) = &given.names {
        writer.name("ExpressionAttributeNames");
        writer.object(|writer| {
            names
                .iter()
                .for_each(|(key, name)| writer.string_member(key, name))
        });
    }
    if let Some(Ok(values)) = &given.values {
        writer.name("ExpressionAttributeValues");
        writer.object(|writer| {
            for (key, given) in values {
                writer.name(key);
                value(writer, given);
            }
        });
    }
}
