//! A table with a local index has a counter for each item collection. The memory of the process does
//! not grow with their number.
//!
//! `KEYFOLD_COLLECTIONS=10000000 cargo test --release -p keyfold-engine --test collections_memory`
//! makes ten million.
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod common;

use common::{ask, create_table};
use keyfold_engine::{Durability, Engine, EngineOptions, FolderOptions, StoreOptions};
use serde_json::json;

const COLLECTIONS: usize = 120_000;
/// The growth in resident bytes from the first part to all collections: memtables during a flush,
/// and cached blocks. 20 MB were observed, and 52 MB with the counters of all collections in memory.
const MORE_MAX: usize = 48 * 1024 * 1024;
const MEGABYTE: u64 = 1024 * 1024;

/// The resident bytes of this process.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

#[test]
fn memory_does_not_grow_with_collections() {
    let asked = std::env::var("KEYFOLD_COLLECTIONS")
        .ok()
        .and_then(|text| text.parse::<usize>().ok());
    // With long names few collections suffice. The block indexes of SSTables hold some names too.
    let (count, width) = asked.map_or((COLLECTIONS, 300), |count| (count, 30));
    assert!(count >= COLLECTIONS, "fewer prove nothing");
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
