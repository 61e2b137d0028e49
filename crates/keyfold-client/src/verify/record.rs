//! Records: what a scan found out about one key. Records of a key are compared when all items have
//! been read.

use keyfold_types::Item;
use xxhash_rust::xxh3::xxh3_128;

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
    /// The key, as JSON.
    pub(super) key: Vec<u8>,
    /// Of a claim the owner's key, of a parent the stored aggregates, of a share the fold of
    /// its items, as JSON of an item.
    pub(super) more: Vec<u8>,
}

/// The digest that fits every other: the attributes that it would be made of are not all good.
pub(super) const ANY_DIGEST: u128 = 0;

/// The JSON of an item, the same for equal items.
pub(super) fn json(item: &Item) -> Vec<u8> {
    let mut out = Vec::new();
    keyfold_wire::encode::encode_item(&mut out, item);
    out
}

/// The item of a JSON.
pub(super) fn item(json: &[u8]) -> Item {
    keyfold_wire::client::decode_item(json).unwrap_or_default()
}

/// The hash of a table and a key as JSON.
pub(super) fn group(table: &str, key: &[u8]) -> u128 {
    let mut text = table.as_bytes().to_vec();
    text.push(0);
    text.extend_from_slice(key);
    xxh3_128(&text)
}

/// The digest of an item's JSON; never [`ANY_DIGEST`].
pub(super) fn digest(bytes: &[u8]) -> u128 {
    xxh3_128(bytes).max(1)
}

impl Record {
    /// The bytes in a temporary file: a length, then the members.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(&self.group.to_be_bytes());
        let kind = RecordKind::ALL.iter().position(|one| *one == self.kind);
        out.push(kind.and_then(|at| u8::try_from(at).ok()).unwrap_or(0));
        out.extend_from_slice(&self.entity.to_be_bytes());
        out.extend_from_slice(&self.slot.to_be_bytes());
        out.extend_from_slice(&self.digest.to_be_bytes());
        for bytes in [self.table.as_bytes(), &self.key, &self.more] {
            out.extend_from_slice(&u32::try_from(bytes.len()).unwrap_or(0).to_be_bytes());
            out.extend_from_slice(bytes);
        }
        let length = u32::try_from(out.len() - start - 4).unwrap_or(0);
        if let Some(place) = out.get_mut(start..start + 4) {
            place.copy_from_slice(&length.to_be_bytes());
        }
    }

    /// The record of bytes without their length; `None` when they are not whole.
    pub(super) fn decode(bytes: &[u8]) -> Option<Record> {
        let mut rest = bytes;
        let group = u128::from_be_bytes(take(&mut rest)?);
        let [kind] = take::<1>(&mut rest)?;
        let entity = u32::from_be_bytes(take(&mut rest)?);
        let slot = u32::from_be_bytes(take(&mut rest)?);
        let digest = u128::from_be_bytes(take(&mut rest)?);
        let table = String::from_utf8(take_text(&mut rest)?).ok()?;
        let key = take_text(&mut rest)?;
        let more = take_text(&mut rest)?;
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

    /// The bytes that it takes in memory.
    pub(super) fn size_bytes(&self) -> usize {
        size_of::<Record>() + self.table.len() + self.key.len() + self.more.len()
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (first, behind) = rest.split_first_chunk::<N>()?;
    *rest = behind;
    Some(*first)
}

fn take_text(rest: &mut &[u8]) -> Option<Vec<u8>> {
    let length = u32::from_be_bytes(take(rest)?);
    let (text, behind) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    *rest = behind;
    Some(text.to_vec())
}
