//! Records: what a scan found out about one key. Records of a key are compared when all items have
//! been read.

use crate::kinds::Role;
use keyfold_codec::RawItem;
use keyfold_types::Item;
use std::cmp::Ordering;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128, xxh3_128_with_seed};

/// The kinds of records. Their order is the order within a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RecordKind {
    /// The state of a group at which an earlier scan found something wrong.
    Suspect,
    /// A copy or guard that is stored.
    Stored,
    /// A copy or guard that an entity must have.
    Claimed,
    /// An entity that keeps aggregates.
    Parent,
    /// Items that an aggregate counts.
    Share,
}

impl RecordKind {
    const ALL: [RecordKind; 5] = [
        RecordKind::Suspect,
        RecordKind::Stored,
        RecordKind::Claimed,
        RecordKind::Parent,
        RecordKind::Share,
    ];
}

/// A copy or a guard of the model: the position of its entity, and its slot there.
pub(super) type Relation = (u32, u32);

/// The slot of a copy or a guard in an entity.
pub(super) fn slot(role: Role) -> u32 {
    match role {
        Role::Main => 0,
        Role::Copy(at) => 2 * u32::try_from(at).unwrap_or(0),
        Role::Guard(at) => 2 * u32::try_from(at).unwrap_or(0) + 1,
    }
}

/// The role of a slot.
pub(super) fn role(slot: u32) -> Role {
    let at = usize::try_from(slot / 2).unwrap_or(0);
    if slot.is_multiple_of(2) {
        Role::Copy(at)
    } else {
        Role::Guard(at)
    }
}

/// A record about the item with a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Record {
    /// The hash of the table and the key: records of a group lie side by side.
    pub(super) group: u128,
    pub(super) kind: RecordKind,
    /// The position of the entity whose item it is; of a share, that of the parent.
    pub(super) entity: u32,
    /// Of a copy or guard its slot in the entity; of a share the position of the aggregate.
    pub(super) slot: u32,
    /// A digest: of a copy's attributes, of a share's items, of a suspect group.
    pub(super) digest: u128,
    pub(super) table: String,
    /// The key, as a stored item.
    pub(super) key: Vec<u8>,
    /// Of a claim the owner's key as a stored item, of a parent the stored aggregates as a stored item, of a
    /// share the fold of its items.
    pub(super) more: Vec<u8>,
}

/// The digest that fits every other: the attributes that it would be made of are not all good.
pub(super) const ANY_DIGEST: u128 = 0;

/// The bytes of a key as a stored item, the same for equal keys.
pub(super) fn key_bytes(item: &Item) -> Vec<u8> {
    stored_bytes(&RawItem::encode(item))
}

/// The bytes of a stored item.
pub(super) fn stored_bytes(item: &RawItem) -> Vec<u8> {
    item.bytes().to_vec()
}

/// The item of [`stored_bytes`].
pub(super) fn item(bytes: &[u8]) -> Item {
    let stored = RawItem::open(bytes.to_vec().into());
    stored.map_or_else(|_| Item::new(), |stored| stored.to_item())
}

/// The hash of a table and an encoded key.
pub(super) fn group(table: &str, key: &[u8]) -> u128 {
    xxh3_128_with_seed(key, xxh3_64(table.as_bytes()))
}

/// The digest of bytes; never [`ANY_DIGEST`].
pub(super) fn digest(bytes: &[u8]) -> u128 {
    xxh3_128(bytes).max(1)
}

/// The members of a record that have a fixed size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    pub(super) group: u128,
    pub(super) kind: RecordKind,
    pub(super) entity: u32,
    pub(super) slot: u32,
    pub(super) digest: u128,
}

impl Head {
    /// Appends the bytes of a temporary file: a length, then the members, and the bytes of the
    /// table, the key and the rest.
    pub(super) fn encode(self, texts: [&[u8]; 3], out: &mut Vec<u8>) {
        let lengths = texts.map(|bytes| u32::try_from(bytes.len()).unwrap_or(0));
        let bytes: usize = texts.iter().map(|bytes| bytes.len()).sum();
        let length = HEAD_BYTES + LENGTHS_BYTES + bytes;
        out.reserve(LENGTH_BYTES + length);
        out.extend_from_slice(&u32::try_from(length).unwrap_or(0).to_be_bytes());
        out.extend_from_slice(&self.group.to_be_bytes());
        let kind = RecordKind::ALL.iter().position(|one| *one == self.kind);
        out.push(kind.and_then(|at| u8::try_from(at).ok()).unwrap_or(0));
        out.extend_from_slice(&self.entity.to_be_bytes());
        out.extend_from_slice(&self.slot.to_be_bytes());
        out.extend_from_slice(&self.digest.to_be_bytes());
        for length in lengths {
            out.extend_from_slice(&length.to_be_bytes());
        }
        for bytes in texts {
            out.extend_from_slice(bytes);
        }
    }
}

impl Record {
    /// The members of a fixed size, and the bytes of the others.
    pub(super) fn parts(&self) -> (Head, [&[u8]; 3]) {
        let head = Head {
            group: self.group,
            kind: self.kind,
            entity: self.entity,
            slot: self.slot,
            digest: self.digest,
        };
        (head, [self.table.as_bytes(), &self.key, &self.more])
    }

    /// The record of bytes without their length; `None` when they are not whole.
    pub(super) fn decode(bytes: &[u8]) -> Option<Record> {
        let mut rest = bytes;
        let group = u128::from_be_bytes(take(&mut rest)?);
        let [kind] = take::<1>(&mut rest)?;
        let entity = u32::from_be_bytes(take(&mut rest)?);
        let slot = u32::from_be_bytes(take(&mut rest)?);
        let digest = u128::from_be_bytes(take(&mut rest)?);
        let lengths: [[u8; LENGTH_BYTES]; 3] =
            [take(&mut rest)?, take(&mut rest)?, take(&mut rest)?];
        let mut text = |bytes| {
            let (text, behind) = rest.split_at_checked(length(bytes))?;
            rest = behind;
            Some(text.to_vec())
        };
        let [table, key, more] = lengths;
        let table = String::from_utf8(text(table)?).ok()?;
        let (key, more) = (text(key)?, text(more)?);
        Some(Record {
            group,
            kind: *RecordKind::ALL.get(usize::from(kind))?,
            entity,
            slot,
            digest,
            table,
            key,
            more,
        })
    }
}

/// The bytes of the members that decide the order first: group, kind, entity, slot, digest.
const HEAD_BYTES: usize = 16 + 1 + 4 + 4 + 16;
/// The bytes of the lengths of table, key and the rest.
const LENGTHS_BYTES: usize = 3 * 4;
/// The bytes in front of a record.
pub(super) const LENGTH_BYTES: usize = 4;

/// The length of the record behind these bytes.
pub(super) fn length(bytes: [u8; LENGTH_BYTES]) -> usize {
    usize::try_from(u32::from_be_bytes(bytes)).unwrap_or(0)
}

/// The encoded record at an offset, without its length.
pub(super) fn payload(bytes: &[u8], at: usize) -> &[u8] {
    let rest = bytes.get(at..).unwrap_or_default();
    let Some((first, rest)) = rest.split_first_chunk() else {
        return &[];
    };
    rest.get(..length(*first)).unwrap_or_default()
}

/// The order of two encoded records: that of the records.
pub(super) fn order(one: &[u8], other: &[u8]) -> Ordering {
    compared(one).cmp(&compared(other))
}

/// The bytes of an encoded record that decide the order.
fn compared(bytes: &[u8]) -> (&[u8], &[u8]) {
    let (head, rest) = bytes.split_at_checked(HEAD_BYTES).unwrap_or((bytes, &[]));
    (head, rest.get(LENGTHS_BYTES..).unwrap_or_default())
}

/// The group of an encoded record.
pub(super) fn group_of(bytes: &[u8]) -> Option<u128> {
    Some(u128::from_be_bytes(*bytes.first_chunk()?))
}

/// Whether two encoded records of a group are a copy or guard that is stored, and the item that
/// asks for it, and they fit: most groups.
pub(super) fn is_pair(one: &[u8], other: &[u8]) -> bool {
    let members = |bytes: &[u8]| {
        let mut rest = bytes.get(16..)?;
        let [kind] = take::<1>(&mut rest)?;
        let slot: [u8; 8] = take(&mut rest)?;
        let digest = u128::from_be_bytes(take(&mut rest)?);
        Some((*RecordKind::ALL.get(usize::from(kind))?, slot, digest))
    };
    match (members(one), members(other)) {
        (
            Some((RecordKind::Stored, stored_slot, stored)),
            Some((RecordKind::Claimed, slot, claimed)),
        ) => stored_slot == slot && is_same_digest(stored, claimed),
        (_, _) => false,
    }
}

/// Whether a copy or guard has the digest that an item asks for.
pub(super) fn is_same_digest(stored: u128, claimed: u128) -> bool {
    claimed == ANY_DIGEST || stored == claimed
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (first, behind) = rest.split_first_chunk::<N>()?;
    *rest = behind;
    Some(*first)
}
