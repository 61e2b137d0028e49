//! Keys as bytes whose order is DynamoDB's order.
//!
//! ```text
//! S, B      each 00 byte as 00 ff, the others as they are, then 00 01
//! N         see `number`
//!
//! base key  [table u32][00]      [hash u32][partition value][sort value]
//! index key [table u32][index]   [hash u32][partition values][sort values][base partition][base sort]
//! ```
//!
//! Integers are big-endian. The hash of the partition value's bytes spreads partitions, gives a
//! scan its order and divides it into segments; within a partition the order is that of the sort
//! value. A local index's entry omits the base partition value, which it contains already.

use crate::number;
use keyfold_types::{Item, KeySchema, Value};
use std::ops::Bound;

/// An encoded key. Compares as the values do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyBytes(Vec<u8>);

impl KeyBytes {
    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }

    /// The bytes, owned.
    pub fn into_vec(self) -> Vec<u8> {
        self.0
    }
}

impl From<Vec<u8>> for KeyBytes {
    fn from(bytes: Vec<u8>) -> KeyBytes {
        KeyBytes(bytes)
    }
}

/// A table's identity inside the key space; never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TableId(pub u32);

/// The table's own items (0) or one of its indexes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IndexId(pub u8);

impl IndexId {
    /// The table's own items.
    pub const BASE: IndexId = IndexId(0);
}

/// A value is missing, or is no string, number or binary, and cannot be part of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAKeyValue;

/// Appends one key value.
///
/// # Errors
/// [`NotAKeyValue`] for any type but S, N and B.
pub fn encode_value(out: &mut Vec<u8>, value: &Value) -> Result<(), NotAKeyValue> {
    match value {
        Value::S(text) => encode_bytes(out, text.as_bytes()),
        Value::B(bytes) => encode_bytes(out, bytes),
        Value::N(number) => number::encode(out, number),
        Value::Bool(_) | Value::Null | Value::L(_) | Value::M(_) => return Err(NotAKeyValue),
        Value::Ss(_) | Value::Ns(_) | Value::Bs(_) => return Err(NotAKeyValue),
    }
    Ok(())
}

fn escape(out: &mut Vec<u8>, bytes: &[u8]) {
    for &byte in bytes {
        out.push(byte);
        if byte == 0 {
            out.push(0xff);
        }
    }
}

fn encode_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    escape(out, bytes);
    out.extend_from_slice(&[0x00, 0x01]);
}

/// Appends the bytes that start the encoding of every string or binary that starts with `prefix`.
pub fn encode_prefix(out: &mut Vec<u8>, prefix: &[u8]) {
    escape(out, prefix);
}

/// The first bytes of all keys of one index of one table.
pub fn space_prefix(table: TableId, index: IndexId) -> Vec<u8> {
    let mut out = Vec::with_capacity(64);
    out.extend_from_slice(&table.0.to_be_bytes());
    out.push(index.0);
    out
}

/// The hash of a partition's encoded value, by which partitions are ordered.
fn partition_hash(encoded_partition: &[u8]) -> u32 {
    (xxhash_rust::xxh3::xxh3_64(encoded_partition) >> 32) as u32
}

/// The hash of the partition of an encoded key of an item or index entry; 0 for bytes that are no such
/// key.
pub fn hash_of(key: &[u8]) -> u32 {
    let hash = key.get(5..9).and_then(<[u8]>::first_chunk);
    hash.map_or(0, |bytes| u32::from_be_bytes(*bytes))
}

/// The first bytes of all keys of one partition.
///
/// # Errors
/// [`NotAKeyValue`] if a value is no string, number or binary.
pub fn partition_prefix(
    table: TableId,
    index: IndexId,
    values: &[&Value],
) -> Result<Vec<u8>, NotAKeyValue> {
    let mut out = space_prefix(table, index);
    let hash_at = out.len();
    out.extend_from_slice(&[0; 4]);
    for value in values {
        encode_value(&mut out, value)?;
    }
    let (head, partition) = out.split_at_mut(hash_at + 4);
    if let Some(slot) = head.get_mut(hash_at..) {
        slot.copy_from_slice(&partition_hash(partition).to_be_bytes());
    }
    Ok(out)
}

/// The partition values and the sort values of an item's key.
fn values_of<'a>(
    schema: &'a KeySchema,
    item: &'a Item,
) -> Result<(Vec<&'a Value>, Vec<&'a Value>), NotAKeyValue> {
    let find =
        |attribute: &'a keyfold_types::KeyAttribute| item.get(&attribute.name).ok_or(NotAKeyValue);
    let partition = schema
        .partition
        .iter()
        .map(find)
        .collect::<Result<_, _>>()?;
    let sort = schema.sort.iter().map(find).collect::<Result<_, _>>()?;
    Ok((partition, sort))
}

/// The key of an item in its table.
///
/// # Errors
/// [`NotAKeyValue`] if a key attribute is missing or of no key type.
pub fn base_key(table: TableId, schema: &KeySchema, item: &Item) -> Result<KeyBytes, NotAKeyValue> {
    let (partition, sort) = values_of(schema, item)?;
    let mut out = partition_prefix(table, IndexId::BASE, &partition)?;
    for value in sort {
        encode_value(&mut out, value)?;
    }
    Ok(KeyBytes(out))
}

/// The part of the base key at the end of an index entry's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryTail {
    /// In a global index: the base partition value and the base sort value.
    PartitionAndSort,
    /// In a local index: the base sort value.
    Sort,
}

/// The key of an item's entry in an index.
///
/// # Errors
/// [`NotAKeyValue`] if a key attribute is missing or of no key type.
pub fn entry_key(
    table: TableId,
    index: IndexId,
    schema: &KeySchema,
    base: &KeySchema,
    tail: EntryTail,
    item: &Item,
) -> Result<KeyBytes, NotAKeyValue> {
    let (partition, sort) = values_of(schema, item)?;
    let (base_partition, base_sort) = values_of(base, item)?;
    let mut out = partition_prefix(table, index, &partition)?;
    let base_partition = if tail == EntryTail::PartitionAndSort {
        base_partition
    } else {
        Vec::new()
    };
    for value in sort.into_iter().chain(base_partition).chain(base_sort) {
        encode_value(&mut out, value)?;
    }
    Ok(KeyBytes(out))
}

/// A range of encoded keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRange {
    /// The lower bound.
    pub low: Bound<Vec<u8>>,
    /// The upper bound.
    pub high: Bound<Vec<u8>>,
}

impl KeyRange {
    /// All keys that start with `prefix`.
    pub fn prefix(prefix: Vec<u8>) -> KeyRange {
        let high = successor(&prefix).map_or(Bound::Unbounded, Bound::Excluded);
        KeyRange {
            low: Bound::Included(prefix),
            high,
        }
    }

    /// The bounds, borrowed.
    pub fn bounds(&self) -> (Bound<&[u8]>, Bound<&[u8]>) {
        (
            self.low.as_ref().map(Vec::as_slice),
            self.high.as_ref().map(Vec::as_slice),
        )
    }

    /// Whether `key` is between the bounds.
    pub fn contains(&self, key: &[u8]) -> bool {
        let above = match &self.low {
            Bound::Included(low) => key >= low.as_slice(),
            Bound::Excluded(low) => key > low.as_slice(),
            Bound::Unbounded => true,
        };
        let below = match &self.high {
            Bound::Included(high) => key <= high.as_slice(),
            Bound::Excluded(high) => key < high.as_slice(),
            Bound::Unbounded => true,
        };
        above && below
    }
}

/// The least byte string above all that start with `prefix`; `None` when the prefix is all `ff`.
pub fn successor(prefix: &[u8]) -> Option<Vec<u8>> {
    let kept = prefix.iter().rposition(|byte| *byte != 0xff)?;
    let mut next = prefix.get(..=kept)?.to_vec();
    if let Some(last) = next.last_mut() {
        *last += 1;
    }
    Some(next)
}

/// The keys of one of `total` segments of a scan: an even share of the partition hashes.
pub fn segment_range(table: TableId, index: IndexId, segment: u32, total: u32) -> KeyRange {
    let prefix = space_prefix(table, index);
    let edge = |number: u32| (u64::from(number) << 32).div_ceil(u64::from(total.max(1)));
    let bound = |hash: u64| {
        let mut key = prefix.clone();
        key.extend_from_slice(&(hash as u32).to_be_bytes());
        key
    };
    let high = edge(segment + 1);
    let high = if high > u64::from(u32::MAX) {
        successor(&prefix)
    } else {
        Some(bound(high))
    };
    KeyRange {
        low: Bound::Included(bound(edge(segment))),
        high: high.map_or(Bound::Unbounded, Bound::Excluded),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyfold_types::Number;
    use proptest::prelude::*;

    fn key_value() -> impl Strategy<Value = Value> {
        let byte = prop_oneof![Just(0u8), Just(1), Just(0xfe), Just(0xff), any::<u8>()];
        prop_oneof![
            "[a-cA-C\u{0}é#]{0,6}".prop_map(Value::S),
            proptest::collection::vec(byte, 0..6).prop_map(Value::B),
            (-1000i64..1000).prop_map(|n| Value::N(Number::from(n))),
        ]
    }

    fn encoded(value: &Value) -> Vec<u8> {
        let mut out = Vec::new();
        encode_value(&mut out, value).unwrap();
        out
    }

    fn order(a: &Value, b: &Value) -> Option<std::cmp::Ordering> {
        match (a, b) {
            (Value::S(a), Value::S(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
            (Value::B(a), Value::B(b)) => Some(a.cmp(b)),
            (Value::N(a), Value::N(b)) => Some(a.cmp(b)),
            // Values of two kinds have no order; the strategy makes only these kinds.
            _ => None,
        }
    }

    proptest! {
        #[test]
        fn order_of_bytes_is_order_of_values(a in key_value(), b in key_value(), tail in key_value()) {
            if let Some(expected) = order(&a, &b) {
                prop_assert_eq!(encoded(&a).cmp(&encoded(&b)), expected);
                // A component that follows does not change the order.
                if expected.is_ne() {
                    let with_tail = |value| [encoded(value), encoded(&tail)].concat();
                    prop_assert_eq!(with_tail(&a).cmp(&with_tail(&b)), expected);
                }
            }
        }

        #[test]
        fn a_prefix_range_holds_exactly_the_keys_with_the_prefix(text in "[ab\u{0}é]{0,5}", prefix in "[ab\u{0}é]{0,3}") {
            let mut low = Vec::new();
            encode_prefix(&mut low, prefix.as_bytes());
            let inside = KeyRange::prefix(low).contains(&encoded(&Value::S(text.clone())));
            prop_assert_eq!(inside, text.as_bytes().starts_with(prefix.as_bytes()));
        }
    }

    #[test]
    fn every_key_is_in_one_segment() {
        let (table, total) = (TableId(7), 7);
        for n in 0..2000 {
            let item: Item = [("pk", Value::from(n))].into_iter().collect();
            let schema = KeySchema {
                partition: vec![keyfold_types::KeyAttribute {
                    name: "pk".into(),
                    kind: keyfold_types::KeyKind::N,
                }],
                sort: vec![],
            };
            let key = base_key(table, &schema, &item).unwrap();
            let holders = (0..total).filter(|segment| {
                segment_range(table, IndexId::BASE, *segment, total).contains(key.as_slice())
            });
            assert_eq!(holders.count(), 1);
        }
    }
}
