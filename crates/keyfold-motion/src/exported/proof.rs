//! Proves an exported table before anything of it is written: all files are as they were written, and each item has
//! a key, which no other item has.
//!
//! Memory is bounded: of the keys, digests are kept, and of many keys a part at a time, each with a reading of its
//! own.

use super::Stored;
use keyfold_client::ClientError;
use std::collections::{BTreeMap, BTreeSet};
use xxhash_rust::xxh3::xxh3_128;

/// The most digests of keys that are held at once: a quarter of a gigabyte.
pub(super) const HELD_MAX: u64 = 16 * 1024 * 1024;

/// Proves a table, with at most about `held` digests at once.
pub(super) fn prove(table: &Stored, held: u64) -> Result<(), ClientError> {
    let parts = u128::from(table.exported.items.div_ceil(held).max(1));
    for part in 0..parts {
        let mut digests = Vec::new();
        table.each(&mut |_, key, _| {
            let digest = xxh3_128(&key);
            if digest % parts == part {
                digests.push(digest);
            }
            Ok(true)
        })?;
        digests.sort_unstable();
        let pairs = digests.windows(2);
        let doubled = pairs.filter_map(|pair| match pair {
            [one, other] if one == other => Some(*one),
            _ => None,
        });
        let doubled: BTreeSet<u128> = doubled.collect();
        if !doubled.is_empty() {
            check_once(table, &doubled)?;
        }
    }
    Ok(())
}

/// Names the places of two items with one key, whose digest is one of some.
fn check_once(table: &Stored, doubled: &BTreeSet<u128>) -> Result<(), ClientError> {
    let mut seen: BTreeMap<Vec<u8>, String> = BTreeMap::new();
    table.each(&mut |_, key, at| {
        if !doubled.contains(&xxh3_128(&key)) {
            return Ok(true);
        }
        let place = at.place();
        match seen.get(&key) {
            Some(first) => Err(ClientError::refused(format!(
                "{place}: the item has the key of that of {first}"
            ))),
            None => {
                seen.insert(key, place);
                Ok(true)
            }
        }
    })
}
