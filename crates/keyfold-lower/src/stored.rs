//! Attributes as they are stored in items: compressed as GZIP, long lists split over several items.

use crate::arguments::Values;
use crate::error::ClientError;
use crate::kind_name::kind_name;
use crate::printed::print;
use crate::sums::without_sum;
use crate::unknown::{UnknownItem, key_of, shown_key, unwritten};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use keyfold_model::schema::{Attribute, Column, Copy, KeyPair, hidden};
use keyfold_model::{Entity, KeyTemplate, Part, Table, value};
use keyfold_types::{Item, Value};
use std::borrow::Cow;
use std::io::{Read as _, Write as _};

/// The most bytes that a compressed attribute may expand to: it protects memory from a crafted item.
const INFLATED_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// The member that holds a compressed value in its JSON.
const INSIDE: &str = "v";

/// The attribute that holds the number of items that a list is split over.
pub fn parts_attribute(attribute: &str) -> String {
    hidden(attribute, "parts")
}

/// The attribute that holds the digest of a split list, which detects a change of any part.
pub fn digest_attribute(attribute: &str) -> String {
    hidden(attribute, "digest")
}

/// The digest of a list: the first 32 hexadecimal digits of the SHA-256 of its DynamoDB JSON without
/// blanks, which differs wherever the list does.
pub(crate) fn digest(list: &Value) -> Value {
    let mut json = Vec::new();
    keyfold_wire::encode::encode_value(&mut json, list);
    Value::S(value::digest(&String::from_utf8_lossy(&json)))
}

/// Whether a list that was joined from its parts has the stored digest. True where no list is split.
pub fn is_as_written(entity: &Entity, first: &Item, values: &Values) -> bool {
    let Some((split, _)) = &entity.split else {
        return true;
    };
    first.get(&digest_attribute(split)).cloned() == values.get(split).map(digest)
}

/// Returns a value as it is stored: compressed, if the model says so.
///
/// # Errors
/// `Transport` when it cannot be compressed.
pub(crate) fn pack(entity: &Entity, name: &str, value: &Value) -> Result<Value, ClientError> {
    if !entity
        .compressed
        .iter()
        .any(|compressed| compressed == name)
    {
        return Ok(value.clone());
    }
    let mut item = Item::new();
    item.insert(INSIDE, value.clone());
    let mut json = Vec::new();
    keyfold_wire::encode::encode_item(&mut json, &item);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let packed = encoder.write_all(&json).and_then(|()| encoder.finish());
    let packed = packed
        .map_err(|error| ClientError::Transport(format!("{name} cannot be compressed: {error}")))?;
    Ok(Value::B(packed))
}

/// An attribute that is not stored as the model stores it: another program wrote it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{attribute} is stored, but {why}")]
pub struct Unreadable {
    /// The attribute.
    pub attribute: String,
    why: &'static str,
}

impl Unreadable {
    fn new(attribute: &str, why: &'static str) -> Unreadable {
        Unreadable {
            attribute: attribute.to_owned(),
            why,
        }
    }

    /// The error about the attribute of an item of a kind: an entity, or a copy of one.
    pub(crate) fn error(
        &self,
        (table, entity): (&Table, &Entity),
        copy: Option<&Copy>,
        item: &Item,
    ) -> ClientError {
        let kind = kind_name(entity, copy);
        let unknown = UnknownItem::because(format!(
            "{kind} ({}): {self}; it was not written through the model, or by an earlier version of it, and `keyfold verify` finds such items",
            shown_key(table, item)
        ));
        let unknown = unknown.at(key_of(table, item));
        ClientError::unknown(unknown.of(&kind, &self.attribute))
    }
}

/// Returns the value that was stored by [`pack`].
///
/// # Errors
/// When it is not compressed: it was not written through the model.
fn unpack<'i>(entity: &Entity, name: &str, value: &'i Value) -> Result<Cow<'i, Value>, Unreadable> {
    if !entity
        .compressed
        .iter()
        .any(|compressed| compressed == name)
    {
        return Ok(Cow::Borrowed(value));
    }
    let wrong = || Unreadable::new(name, "not as the model compresses it");
    let Value::B(bytes) = value else {
        return Err(wrong());
    };
    let mut json = Vec::new();
    let mut decoder = GzDecoder::new(bytes.as_slice()).take(INFLATED_BYTES_MAX);
    decoder.read_to_end(&mut json).map_err(|_| wrong())?;
    let mut item = keyfold_wire::client::decode_item(&json).map_err(|_| wrong())?;
    item.remove(INSIDE).map(Cow::Owned).ok_or_else(wrong)
}

/// The chunks of the split list, in order; a single `None` where the entity has no list.
pub(crate) fn chunks(entity: &Entity, values: &Values) -> Vec<Option<Value>> {
    let Some((name, count)) = &entity.split else {
        return vec![None];
    };
    match values.get(name) {
        Some(Value::L(elements)) if !elements.is_empty() => {
            let size = usize::try_from(*count).unwrap_or(usize::MAX).max(1);
            elements
                .chunks(size)
                .map(|chunk| Some(Value::L(chunk.to_vec())))
                .collect()
        }
        Some(other) => vec![Some(other.clone())],
        None => vec![None],
    }
}

/// The value of an attribute that an item holds only inside its keys; `None` when no key gives it
/// back.
fn in_keys(
    table: &Table,
    entity: &Entity,
    copy: Option<&Copy>,
    item: &Item,
    name: &str,
) -> Option<Value> {
    let mut keys = holding(table, entity, copy, name);
    keys.find_map(|(column, parts)| value::inverse(parts, item.get(&column.name)?)?.remove(name))
}

/// The keys that give an attribute back: each with its column and its template.
fn holding<'m>(
    table: &'m Table,
    entity: &'m Entity,
    copy: Option<&'m Copy>,
    name: &'m str,
) -> impl Iterator<Item = (&'m Column, &'m [Part])> {
    let own = copy.map_or(&entity.key, |copy| &copy.key);
    let own = table.columns().zip(columns_of(own));
    let in_indexes = entity.indexes.iter().filter(move |_| copy.is_none());
    let in_indexes = in_indexes.filter_map(|key| {
        let index = table.indexes.get(key.index)?;
        Some(index.columns().zip(columns_of(&key.key)))
    });
    own.chain(in_indexes.flatten())
        .filter(move |(_, parts)| value::gives_back(parts, name))
}

/// Says why an attribute that an item does not store cannot be read back: the key that should hold
/// it, and does not hold it as the model writes it. `None` where no key of the item should.
pub fn unread(
    table: &Table,
    entity: &Entity,
    copy: Option<&Copy>,
    name: &str,
    item: &Item,
) -> Option<String> {
    let mut keys = holding(table, entity, copy, name);
    keys.find_map(|(column, _)| {
        let held = print(&column.name, " = ", item.get(&column.name)?);
        Some(format!("{held} does not hold it as the model writes it"))
    })
}

/// The templates of the attributes of a key.
fn columns_of(key: &KeyPair) -> impl Iterator<Item = &[Part]> {
    key.templates().flat_map(KeyTemplate::columns)
}

/// Returns the attributes of an entity or of a copy from its stored items: the main item, then the
/// parts of its list in order. An attribute that is not stored is read back from the keys.
///
/// # Errors
/// `UnknownItem`, with entity and key, when an attribute is not stored as the model stores it.
pub fn values_of<'a>(
    table: &Table,
    entity: &Entity,
    copy: Option<&Copy>,
    names: impl Iterator<Item = &'a str>,
    items: &[Item],
) -> Result<Values, ClientError> {
    let (values, unreadable) = readable_of(table, entity, copy, names, items);
    match (unreadable.first(), items.first()) {
        (Some(wrong), Some(first)) => Err(wrong.error((table, entity), copy, first)),
        (Some(_) | None, _) => Ok(values),
    }
}

/// Refuses attributes that are no values of their types: a word that the model does not have, a text
/// that is no time. `found` makes the begin of the sentence, as in `orders found an item of Order`.
///
/// # Errors
/// `UnknownItem`, with the kind, the key and the attribute.
pub(crate) fn check_types(
    (table, entity): (&Table, &Entity),
    kind: &str,
    values: &Values,
    item: &Item,
    found: impl Fn() -> String,
) -> Result<(), ClientError> {
    let declared = entity.attributes.iter();
    let held = declared.filter_map(|one| Some((one, values.get(&one.name)?)));
    for (attribute, held) in held {
        check_type((attribute, held), (entity, kind), (table, item), &found)?;
    }
    Ok(())
}

/// Refuses one attribute as [`check_types`] does.
///
/// # Errors
/// As [`check_types`].
pub(crate) fn check_type(
    (attribute, held): (&Attribute, &Value),
    (entity, kind): (&Entity, &str),
    (table, item): (&Table, &Item),
    found: impl Fn() -> String,
) -> Result<(), ClientError> {
    value::check(&attribute.name, &attribute.kind, held).map_err(|error| {
        let begin = format!("{} ({})", found(), shown_key(table, item));
        let sentence = match without_sum(item, &attribute.name) {
            Some(why) => format!("{begin}: {why}"),
            None => format!(
                "{begin} with a value that is none of its type: {error}; {}",
                unwritten(entity, item, &attribute.name)
            ),
        };
        let unknown = UnknownItem::because(sentence);
        let unknown = unknown.at(key_of(table, item));
        ClientError::unknown(unknown.of(kind, error.name()))
    })
}

/// Returns the attributes that [`values_of`] returns, without those that cannot be read, and these.
pub(crate) fn readable_of<'a>(
    table: &Table,
    entity: &Entity,
    copy: Option<&Copy>,
    names: impl Iterator<Item = &'a str>,
    items: &[Item],
) -> (Values, Vec<Unreadable>) {
    let (mut values, mut unreadable) = (Values::new(), Vec::new());
    for name in names {
        match value_of(table, entity, copy, name, items) {
            Ok(Some(held)) => drop(values.insert(name.to_owned(), held)),
            Ok(None) => {}
            Err(wrong) => unreadable.push(wrong),
        }
    }
    (values, unreadable)
}

/// Takes the split list, whose parts are not those that the main item describes, out of the values.
pub(crate) fn without_list(entity: &Entity, values: &mut Values, unreadable: &mut Vec<Unreadable>) {
    let Some((split, _)) = &entity.split else {
        return;
    };
    values.remove(split);
    if !unreadable.iter().any(|one| one.attribute == *split) {
        unreadable.push(Unreadable::new(split, "its parts do not belong together"));
    }
}

/// Returns one of the attributes that [`values_of`] returns.
///
/// # Errors
/// When it is not stored as the model stores it.
pub fn value_of(
    table: &Table,
    entity: &Entity,
    copy: Option<&Copy>,
    name: &str,
    items: &[Item],
) -> Result<Option<Value>, Unreadable> {
    let Some(first) = items.first() else {
        return Ok(None);
    };
    let split = entity.split.as_ref();
    if split.is_none_or(|(split, _)| split != name) {
        let held = value_in(table, entity, copy, name, first)?;
        return Ok(held.map(Cow::into_owned));
    }
    let mut list: Option<Vec<Value>> = None;
    for item in items {
        let held = item.get(name);
        match held
            .map(|value| unpack(entity, name, value))
            .transpose()?
            .map(Cow::into_owned)
        {
            Some(Value::L(elements)) => list.get_or_insert_default().extend(elements),
            Some(_) => return Err(Unreadable::new(name, "is no list")),
            None => {}
        }
    }
    Ok(list.map(Value::L))
}

/// Returns an attribute of an entity that is one item: borrowed, where the item holds it as it is.
///
/// # Errors
/// As [`value_of`].
pub(crate) fn value_in<'i>(
    table: &Table,
    entity: &Entity,
    copy: Option<&Copy>,
    name: &str,
    item: &'i Item,
) -> Result<Option<Cow<'i, Value>>, Unreadable> {
    match item.get(name) {
        Some(value) => unpack(entity, name, value).map(Some),
        None => Ok(in_keys(table, entity, copy, item, name).map(Cow::Owned)),
    }
}
