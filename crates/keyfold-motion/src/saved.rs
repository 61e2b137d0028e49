//! How far a comparison is, as bytes: another process goes on with it.
//!
//! ```text
//! magic | digest of the rest, 16 bytes | an item: the subject, the position, the buckets, what was found
//! ```
//!
//! The pages that were read stand in the sums of their buckets. A position and its sums are taken together,
//! between two pages, so that a comparison which goes on reads no page twice and misses none. Of the items
//! that are compared one by one, a part is done or is compared again.

use crate::difference::{Compared, Difference};
use crate::rows::{number, whole};
use keyfold_codec::RawItem;
use keyfold_types::{Item, Value};
use std::collections::BTreeMap;
use xxhash_rust::xxh3::xxh3_128;

/// The number of buckets.
pub(crate) const BUCKETS: usize = 65_536;
/// The beginning of a saved comparison of this form.
const MAGIC: &[u8] = b"keyfold move verify 1\n";
const DIGEST_BYTES: usize = 16;
/// Two sums and a count.
const BUCKET_BYTES: usize = 40;

/// The items of a bucket.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Bucket {
    /// The sums of the digests of both sides.
    pub(crate) sums: [u128; 2],
    /// The items of both sides together.
    pub(crate) items: u64,
}

/// How far a comparison is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    /// The places whose scan into buckets is done.
    pub(crate) sides_done: usize,
    /// The last key that was read of the next one.
    pub(crate) after: Option<Item>,
    pub(crate) buckets: Vec<Bucket>,
    /// The parts whose items are compared one by one.
    pub(crate) parts_done: usize,
    pub(crate) compared: Compared,
    /// The differences and the undecided items of these parts.
    pub(crate) settled: [usize; 2],
}

/// Why a saved comparison is not gone on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unusable {
    /// It has another form, of another version of Keyfold, or is none at all.
    Foreign,
    /// It is of other places or tables.
    Other,
    /// It is not as it was written.
    Damaged,
}

impl Default for Saved {
    fn default() -> Saved {
        Saved {
            sides_done: 0,
            after: None,
            buckets: vec![Bucket::default(); BUCKETS],
            parts_done: 0,
            compared: Compared::default(),
            settled: [0; 2],
        }
    }
}

impl Saved {
    /// The items of both sides that were read.
    pub fn items(&self) -> [u64; 2] {
        self.compared.items
    }

    /// Forgets what was found in a part that is not done.
    pub(crate) fn settle(&mut self) {
        let [differences, undecided] = self.settled;
        self.compared.differences.truncate(differences);
        self.compared.undecided.truncate(undecided);
    }

    /// As bytes. `subject` says which tables are compared.
    pub fn to_bytes(&self, subject: &str) -> Vec<u8> {
        let mut item = Item::from_iter([("subject", subject)]);
        if let Some(after) = &self.after {
            item.insert("after", Value::M(after.as_map().clone()));
        }
        let [source, target] = self.compared.items;
        let counts = [
            ("sides", self.sides_done as u64),
            ("parts", self.parts_done as u64),
            ("source", source),
            ("target", target),
            ("halves", self.compared.halves),
        ];
        for (name, count) in counts {
            item.insert(name, whole(count));
        }
        item.insert("cut", self.compared.is_cut);
        let [differences, undecided] = self.settled;
        let differences = self.compared.differences.iter().take(differences);
        item.insert(
            "differences",
            Value::L(differences.map(of_difference).collect()),
        );
        let undecided = self.compared.undecided.iter().take(undecided);
        let undecided = undecided.map(|key| Value::M(key.as_map().clone()));
        item.insert("undecided", Value::L(undecided.collect()));
        let mut bytes = Vec::with_capacity(self.buckets.len() * BUCKET_BYTES);
        for bucket in &self.buckets {
            for sum in bucket.sums {
                bytes.extend_from_slice(&sum.to_le_bytes());
            }
            bytes.extend_from_slice(&bucket.items.to_le_bytes());
        }
        item.insert("buckets", Value::B(bytes));
        let body = RawItem::encode(&item);
        let mut out = MAGIC.to_vec();
        out.extend_from_slice(&xxh3_128(body.bytes()).to_le_bytes());
        out.extend_from_slice(body.bytes());
        out
    }

    /// Reads bytes that [`Saved::to_bytes`] has made for the same subject.
    ///
    /// # Errors
    /// Why they are not used.
    pub fn of_bytes(bytes: &[u8], subject: &str) -> Result<Saved, Unusable> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(Unusable::Foreign)?;
        let (digest, body) = rest
            .split_at_checked(DIGEST_BYTES)
            .ok_or(Unusable::Damaged)?;
        if xxh3_128(body).to_le_bytes() != digest {
            return Err(Unusable::Damaged);
        }
        let item = RawItem::open(body.to_vec().into()).map_err(|_| Unusable::Damaged)?;
        let item = item.to_item();
        if item.get("subject") != Some(&Value::from(subject)) {
            return Err(Unusable::Other);
        }
        of_item(&item).ok_or(Unusable::Damaged)
    }
}

fn of_item(item: &Item) -> Option<Saved> {
    let count = |name| number(item, name).and_then(|count| usize::try_from(count).ok());
    let after = match item.get("after") {
        Some(Value::M(key)) => Some(Item::from(key.clone())),
        Some(_) => return None,
        None => None,
    };
    let differences: Option<Vec<_>> = list(item, "differences")?.iter().map(difference).collect();
    let undecided: Option<Vec<_>> = list(item, "undecided")?.iter().map(key).collect();
    let compared = Compared {
        items: [number(item, "source")?, number(item, "target")?],
        differences: differences?,
        undecided: undecided?,
        is_cut: item.get("cut") == Some(&Value::Bool(true)),
        halves: number(item, "halves")?,
    };
    let Some(Value::B(bytes)) = item.get("buckets") else {
        return None;
    };
    let buckets: Option<Vec<Bucket>> = bytes.chunks(BUCKET_BYTES).map(bucket).collect();
    Some(Saved {
        sides_done: count("sides")?,
        after,
        buckets: buckets.filter(|buckets| buckets.len() == BUCKETS)?,
        parts_done: count("parts")?,
        settled: [compared.differences.len(), compared.undecided.len()],
        compared,
    })
}

fn bucket(bytes: &[u8]) -> Option<Bucket> {
    let (source, rest) = bytes.split_first_chunk()?;
    let (target, items) = rest.split_first_chunk()?;
    Some(Bucket {
        sums: [u128::from_le_bytes(*source), u128::from_le_bytes(*target)],
        items: u64::from_le_bytes(items.try_into().ok()?),
    })
}

fn list<'i>(item: &'i Item, name: &str) -> Option<&'i [Value]> {
    match item.get(name) {
        Some(Value::L(all)) => Some(all),
        Some(_) | None => None,
    }
}

fn key(value: &Value) -> Option<Item> {
    match value {
        Value::M(key) => Some(Item::from(key.clone())),
        Value::S(_)
        | Value::N(_)
        | Value::B(_)
        | Value::Bool(_)
        | Value::Null
        | Value::L(_)
        | Value::Ss(_)
        | Value::Ns(_)
        | Value::Bs(_) => None,
    }
}

const MISSING: &str = "missing";
const EXTRA: &str = "extra";
const ATTRIBUTES: &str = "attributes";

fn of_difference((key, difference): &(Item, Difference)) -> Value {
    let (kind, names): (&str, &[String]) = match difference {
        Difference::Missing => (MISSING, &[]),
        Difference::Extra => (EXTRA, &[]),
        Difference::Attributes(names) => (ATTRIBUTES, names),
    };
    let names = names.iter().map(|name| Value::from(name.as_str()));
    Value::M(BTreeMap::from([
        ("key".to_owned(), Value::M(key.as_map().clone())),
        ("kind".to_owned(), Value::from(kind)),
        ("names".to_owned(), Value::L(names.collect())),
    ]))
}

fn difference(value: &Value) -> Option<(Item, Difference)> {
    let all = key(value)?;
    let names = list(&all, "names")?.iter().map(|name| match name {
        Value::S(name) => Some(name.clone()),
        Value::N(_)
        | Value::B(_)
        | Value::Bool(_)
        | Value::Null
        | Value::L(_)
        | Value::M(_)
        | Value::Ss(_)
        | Value::Ns(_)
        | Value::Bs(_) => None,
    });
    let names: Option<Vec<String>> = names.collect();
    let difference = match all.get("kind") {
        Some(Value::S(kind)) if kind == MISSING => Difference::Missing,
        Some(Value::S(kind)) if kind == EXTRA => Difference::Extra,
        Some(Value::S(kind)) if kind == ATTRIBUTES => Difference::Attributes(names?),
        Some(_) | None => return None,
    };
    Some((key(all.get("key")?)?, difference))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved() -> Saved {
        let item = |text: &str| Item::from_iter([("id", text)]);
        let mut saved = Saved {
            sides_done: 1,
            after: Some(item("a")),
            parts_done: 2,
            compared: Compared {
                items: [3, 4],
                differences: vec![
                    (item("b"), Difference::Missing),
                    (item("c"), Difference::Attributes(vec!["n".to_owned()])),
                    (item("d"), Difference::Extra),
                ],
                undecided: vec![item("e")],
                is_cut: true,
                halves: 5,
            },
            settled: [3, 1],
            ..Saved::default()
        };
        saved.buckets[7] = Bucket {
            sums: [u128::MAX, 6],
            items: 8,
        };
        saved
    }

    #[test]
    fn bytes_are_read_back() {
        let saved = saved();
        assert_eq!(Saved::of_bytes(&saved.to_bytes("T"), "T"), Ok(saved));
    }

    #[test]
    fn what_was_found_in_a_part_that_is_not_done_is_found_again() {
        let mut saved = saved();
        saved.settled = [1, 0];
        let read = Saved::of_bytes(&saved.to_bytes("T"), "T").unwrap();
        assert_eq!(read.compared.differences.len(), 1);
        assert!(read.compared.undecided.is_empty());
    }

    #[test]
    fn other_subjects_other_forms_and_damage_are_refused() {
        let bytes = saved().to_bytes("T");
        let of = |bytes: &[u8]| Saved::of_bytes(bytes, "T").unwrap_err();
        assert_eq!(Saved::of_bytes(&bytes, "U"), Err(Unusable::Other));
        assert_eq!(of(b"keyfold move verify 2\n"), Unusable::Foreign);
        assert_eq!(of(b""), Unusable::Foreign);
        assert_eq!(of(&bytes[..MAGIC.len() + 3]), Unusable::Damaged);
        for at in [MAGIC.len(), MAGIC.len() + 20, bytes.len() - 1] {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert_eq!(of(&damaged), Unusable::Damaged, "{at}");
        }
        assert_eq!(of(&bytes[..bytes.len() - 1]), Unusable::Damaged);
    }
}
