//! An encoded item, as the store keeps it. The wire writes JSON from it without decoding a tree.
//!
//! ```text
//! [version 01 or 81][size in bytes, varint](name length  name  value) ... [crc32 of all before, little-endian]
//! ```
//!
//! The highest bit of the version says that every text in the item is [plain].
//!
//! The size is DynamoDB's, so paging and billing never decode. The checksum is verified once, when
//! the bytes come from the store; afterwards they are trusted.

use crate::number;
use crate::plain;
use crate::raw::{self, Entries, RawValue};
use crate::varint;
use bytes::Bytes;
use keyfold_types::{Item, Value, ValueKind};

const VERSION: u8 = 1;
/// The version of an item whose texts are all plain.
const PLAIN_VERSION: u8 = 0x80 | VERSION;
const CHECKSUM_BYTES: usize = 4;

/// Stored bytes that are not what was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("stored item is corrupt: {reason}")]
pub struct CodecError {
    /// The first defect found.
    pub reason: &'static str,
}

/// An encoded item. Cloning shares the bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawItem {
    bytes: Bytes,
    size_bytes: u64,
    /// The offset of the attributes.
    body_at: usize,
    is_plain: bool,
}

impl RawItem {
    /// Encodes an item.
    pub fn encode(item: &Item) -> RawItem {
        let size_bytes = item.size_bytes();
        let mut builder = RawItemBuilder::new(size_bytes as usize + 16);
        for (name, value) in item {
            builder.push_name(name);
            raw::encode(&mut builder.body, value);
        }
        let is_plain = plain::is_plain_body(&builder.body);
        builder.finish(size_bytes, is_plain)
    }

    /// Reads stored bytes.
    ///
    /// # Errors
    /// When the version is unknown, bytes are missing, or the checksum differs.
    pub fn open(bytes: Bytes) -> Result<RawItem, CodecError> {
        let corrupt = |reason| CodecError { reason };
        let body_end = bytes
            .len()
            .checked_sub(CHECKSUM_BYTES)
            .ok_or(corrupt("shorter than its checksum"))?;
        let (covered, checksum) = bytes
            .split_at_checked(body_end)
            .ok_or(corrupt("shorter than its checksum"))?;
        if crc32fast::hash(covered).to_le_bytes() != checksum {
            return Err(corrupt("checksum differs"));
        }
        let (is_plain, mut rest) = match covered {
            [VERSION, rest @ ..] => (false, rest),
            [PLAIN_VERSION, rest @ ..] => (true, rest),
            _ => return Err(corrupt("unknown version")),
        };
        let size_bytes = varint::take(&mut rest).ok_or(corrupt("size is cut off"))?;
        let body_at = covered.len() - rest.len();
        Ok(RawItem {
            bytes,
            size_bytes,
            body_at,
            is_plain,
        })
    }

    /// Whether every text in it is [plain].
    pub fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// The bytes to store.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// The item's size in bytes as DynamoDB counts it.
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Attributes in name order.
    pub fn attributes(&self) -> Entries<'_> {
        let end = self.bytes.len() - CHECKSUM_BYTES;
        Entries {
            rest: self.bytes.get(self.body_at..end).unwrap_or_default(),
        }
    }

    /// The value of an attribute.
    pub fn get(&self, name: &str) -> Option<RawValue<'_>> {
        self.attributes().find(name)
    }

    /// An upper bound of the bytes of the item's numbers as text: up to thirty times their encoded
    /// bytes.
    pub fn number_text_bytes(&self) -> usize {
        number_text_bytes(self.attributes())
    }

    /// The item as a tree.
    pub fn to_item(&self) -> Item {
        self.attributes()
            .map(|(name, value)| (name, value.to_value()))
            .collect()
    }

    /// The item with only the attributes that `keep` accepts.
    pub fn select(&self, mut keep: impl FnMut(&str) -> bool) -> RawItem {
        let mut builder = RawItemBuilder::new(self.bytes.len());
        let mut size_bytes = 0;
        for (name, value) in self.attributes().filter(|(name, _)| keep(name)) {
            builder.push_name(name);
            builder.body.extend_from_slice(value.bytes());
            size_bytes += name.len() as u64 + raw_size(value);
        }
        // The selection may be plain although the item is not. Equal items must have equal bytes.
        let is_plain = self.is_plain || plain::is_plain_body(&builder.body);
        builder.finish(size_bytes, is_plain)
    }
}

/// Size in bytes as DynamoDB counts it.
fn raw_size(value: RawValue<'_>) -> u64 {
    match value.kind() {
        ValueKind::S | ValueKind::B => value.scalar_bytes().len() as u64,
        ValueKind::Bool | ValueKind::Null => 1,
        ValueKind::N => value.as_number().map_or(1, |number| number.size_bytes()),
        ValueKind::L => {
            3 + value
                .elements()
                .map(|element| raw_size(element) + 1)
                .sum::<u64>()
        }
        ValueKind::M => {
            3 + value
                .entries()
                .map(|(name, entry)| name.len() as u64 + raw_size(entry) + 1)
                .sum::<u64>()
        }
        ValueKind::Ss | ValueKind::Bs => value.members().map(|member| member.len() as u64).sum(),
        ValueKind::Ns => value
            .members()
            .map(|member| number::decode(member).map_or(1, |number| number.size_bytes()))
            .sum(),
    }
}

/// Builds an encoded item. The body is built first: the size in front of it is known at the end.
struct RawItemBuilder {
    body: Vec<u8>,
}

impl RawItemBuilder {
    fn new(capacity: usize) -> RawItemBuilder {
        RawItemBuilder {
            body: Vec::with_capacity(capacity),
        }
    }

    fn push_name(&mut self, name: &str) {
        varint::put(&mut self.body, name.len() as u64);
        self.body.extend_from_slice(name.as_bytes());
    }

    fn finish(self, size_bytes: u64, is_plain: bool) -> RawItem {
        let mut bytes = Vec::with_capacity(self.body.len() + 16);
        bytes.push(if is_plain { PLAIN_VERSION } else { VERSION });
        varint::put(&mut bytes, size_bytes);
        let body_at = bytes.len();
        bytes.extend_from_slice(&self.body);
        let checksum = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        RawItem {
            bytes: Bytes::from(bytes),
            size_bytes,
            body_at,
            is_plain,
        }
    }
}

impl From<&Item> for RawItem {
    fn from(item: &Item) -> RawItem {
        RawItem::encode(item)
    }
}

fn number_text_bytes(entries: Entries<'_>) -> usize {
    entries
        .unchecked()
        .map(|(_, value)| number_text_bytes_of(&value))
        .sum()
}

fn number_text_bytes_of(value: &RawValue<'_>) -> usize {
    match value.kind() {
        ValueKind::N => number::text_bytes(value.scalar_bytes()),
        ValueKind::Ns => value.members().map(number::text_bytes).sum(),
        ValueKind::L => value
            .elements()
            .map(|element| number_text_bytes_of(&element))
            .sum(),
        ValueKind::M => number_text_bytes(value.entries()),
        ValueKind::S
        | ValueKind::B
        | ValueKind::Bool
        | ValueKind::Null
        | ValueKind::Ss
        | ValueKind::Bs => 0,
    }
}

/// Encodes one value on its own, to compare it with values inside items.
pub fn encode_value(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    raw::encode(&mut out, value);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyfold_types::{Number, Set};
    use proptest::prelude::*;

    fn any_value() -> impl Strategy<Value = Value> {
        let number = (any::<bool>(), 0u128..10u128.pow(38), -130i32..=80)
            .prop_filter_map("in range", |(n, c, e)| Number::new(n, c, e).ok());
        let bytes = proptest::collection::vec(any::<u8>(), 0..8);
        let leaf = prop_oneof![
            ".{0,8}".prop_map(Value::S),
            number.clone().prop_map(Value::N),
            bytes.clone().prop_map(Value::B),
            any::<bool>().prop_map(Value::Bool),
            Just(Value::Null),
            proptest::collection::btree_set(".{0,4}", 1..4)
                .prop_map(|set| Value::Ss(Set::new(set.into_iter().collect()).unwrap())),
            proptest::collection::btree_set(number, 1..4)
                .prop_map(|set| Value::Ns(Set::new(set.into_iter().collect()).unwrap())),
            proptest::collection::btree_set(bytes, 1..4)
                .prop_map(|set| Value::Bs(Set::new(set.into_iter().collect()).unwrap())),
        ];
        leaf.prop_recursive(4, 24, 5, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::L),
                proptest::collection::btree_map(".{0,4}", inner, 0..5).prop_map(Value::M),
            ]
        })
    }

    fn any_item() -> impl Strategy<Value = Item> {
        proptest::collection::btree_map(".{1,5}", any_value(), 0..6).prop_map(Item::from)
    }

    fn is_plain_text(text: &str) -> bool {
        !text.contains(|c: char| c < ' ' || c == '"' || c == '\\')
    }

    fn is_plain_value(value: &Value) -> bool {
        match value {
            Value::S(text) => is_plain_text(text),
            Value::L(values) => values.iter().all(is_plain_value),
            Value::M(map) => map
                .iter()
                .all(|(name, value)| is_plain_text(name) && is_plain_value(value)),
            Value::Ss(set) => set.members().iter().all(|text| is_plain_text(text)),
            Value::N(_) | Value::B(_) | Value::Bool(_) | Value::Null => true,
            Value::Ns(_) | Value::Bs(_) => true,
        }
    }

    proptest! {
        #[test]
        fn an_item_and_a_part_of_it_record_whether_they_are_plain(item in any_item(), kept: Vec<bool>) {
            let is_plain = |item: &Item| item.iter().all(|(name, value)| is_plain_text(name) && is_plain_value(value));
            let raw = RawItem::encode(&item);
            prop_assert_eq!(raw.is_plain(), is_plain(&item));
            prop_assert_eq!(RawItem::open(raw.bytes().clone()).unwrap().is_plain(), is_plain(&item));
            let names: Vec<&String> = item.iter().map(|(name, _)| name).collect();
            let keep = |name: &str| names.iter().position(|known| *known == name).is_some_and(|at| kept.get(at) == Some(&true));
            let part: Item = item.iter().filter(|(name, _)| keep(name)).map(|(name, value)| (name.clone(), value.clone())).collect();
            prop_assert_eq!(raw.select(keep), RawItem::encode(&part));
        }

        #[test]
        fn decode_after_encode_is_identity(item in any_item()) {
            let raw = RawItem::encode(&item);
            let opened = RawItem::open(raw.bytes().clone()).unwrap();
            prop_assert_eq!(opened.to_item(), item.clone());
            prop_assert_eq!(opened.size_bytes(), item.size_bytes());
            prop_assert_eq!(opened.select(|_| true), raw);
            for (name, value) in &item {
                prop_assert_eq!(opened.get(name).map(|raw| raw.to_value()), Some(value.clone()));
            }
        }

        #[test]
        fn corruption_is_detected(item in any_item(), at in any::<prop::sample::Index>(), bit in 0u8..8) {
            let encoded = RawItem::encode(&item).bytes().to_vec();
            let mut flipped = encoded.clone();
            let at = at.index(flipped.len());
            flipped[at] ^= 1 << bit;
            prop_assert!(RawItem::open(flipped.into()).is_err());
            prop_assert!(RawItem::open(encoded[..at].to_vec().into()).is_err());
        }

        #[test]
        fn equal_values_have_equal_bytes(a in any_value(), b in any_value()) {
            prop_assert_eq!(encode_value(&a) == encode_value(&b), a == b);
        }

        #[test]
        fn reading_noise_does_not_panic(noise in proptest::collection::vec(any::<u8>(), 0..64)) {
            let value = RawValue::new(&noise);
            let _ = (value.to_value(), value.count(), value.as_str(), raw_size(value));
        }
    }
}
