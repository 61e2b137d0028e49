//! A table with a local index has a counter for each item collection: what they take of memory does
//! not grow with their number.
//!
//! `KEYFOLD_COLLECTIONS=10000000 cargo test --release -p keyfold-engine --test collections_memory`
//! makes ten million.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{ask, create_table};
use keyfold_engine::{Durability, Engine, EngineOptions, FolderOptions, StoreOptions};
use serde_json::json;

const COLLECTIONS: usize = 120_000;
/// Bytes that may be resident more after all of them than after the first part: memtables that are
/// being written, and blocks in the cache: 20 MB were seen, and 52 MB with the counters of all
/// collections.
const MORE_MAX: usize = 48 * 1024 * 1024;
const MEGABYTE: u64 = 1024 * 1024;

/// Bytes of this process that are in memory.
fn resident() -> usize {
    let told = std::fs::read_to_string("/proc/self/statm").unwrap();
    told.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

#[test]
fn collections_take_no_memory_each() {
    let told = std::env::var("KEYFOLD_COLLECTIONS")
        .ok()
        .and_then(|text| text.parse::<usize>().ok());
    // Names so long that few are as telling as many; the index of the tables' blocks holds some of
    // them, too.
    let (count, width) = told.map_or((COLLECTIONS, 300), |count| (count, 30));
    assert!(count >= COLLECTIONS, "fewer tell nothing");
    let folder = tempfile::tempdir().unwrap();
    let store = FolderOptions {
        durability: Durability::Buffered,
        memtable_bytes: 4 * MEGABYTE,
        cache_bytes: 8 * MEGABYTE,
        ..FolderOptions::new(folder.path().join("data"))
    };
    let engine = Engine::open(EngineOptions::new(StoreOptions::Folder(store))).unwrap();
    create_table(&engine, "Tab");
    let mut begun_with = 0;
    for first in (0..count).step_by(25) {
        let put = |n: usize| {
            let pk = format!("{n:0>width$}");
            json!({"PutRequest": {"Item": {"pk": {"S": pk}, "sk": {"S": "x"}, "n": {"N": "1"}}}})
        };
        let puts: Vec<_> = (first..(first + 25).min(count)).map(put).collect();
        assert_eq!(
            ask(
                &engine,
                "BatchWriteItem",
                &json!({"RequestItems": {"Tab": puts}})
            ),
            json!({"UnprocessedItems": {}})
        );
        if first >= COLLECTIONS / 4 && begun_with == 0 {
            begun_with = resident();
        }
    }
    let more = resident().saturating_sub(begun_with);
    println!("{count} collections: {begun_with} bytes resident, and {more} more at the end");
    assert!(more < MORE_MAX, "{more} bytes more are resident");
}
