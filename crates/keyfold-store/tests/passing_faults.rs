//! A transient fault of the device: each call of a short history fails in turn, and the writers go
//! on until a write is refused. Every acknowledged write, before and after the fault, is there when
//! the folder is opened again.
//!
//! `storage_faults.rs` of the engine draws random faults over long histories instead.
#![cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold_faults::{Fault, Machine};
use keyfold_store::{Batch, Durability, FolderOptions, Store, StoreError, StoreOptions};
use std::path::Path;

const WRITES: u32 = 24;

fn open(folder: &Path) -> Result<Store, StoreError> {
    Store::open(StoreOptions::Folder(FolderOptions {
        durability: Durability::Synced,
        // Small, so that there are some segments of the log.
        memtable_bytes: 8_000,
        ..FolderOptions::new(folder)
    }))
}

fn write(store: &Store, n: u32) -> Result<(), StoreError> {
    let mut batch = Batch::new();
    batch.put(n.to_be_bytes().to_vec(), vec![n as u8; 1_000]);
    store.stage(batch)?.wait()
}

/// Writes until a write is refused; returns the number of acknowledged writes.
fn work(folder: &Path) -> u32 {
    let Ok(store) = open(folder) else { return 0 };
    (0..WRITES)
        .find(|n| write(&store, *n).is_err())
        .unwrap_or(WRITES)
}

/// The number of writes that can be read. They are a prefix of the history.
fn count(store: &Store) -> u32 {
    let snapshot = store.snapshot();
    let is_there = |n: &u32| snapshot.get(&n.to_be_bytes()).unwrap().is_some();
    let there = (0..=WRITES).take_while(is_there).count() as u32;
    assert_eq!(
        (there..=WRITES).filter(is_there).count(),
        0,
        "write {there} is lost and a later one is there"
    );
    there
}

/// The calls that fail, counted from the first: one that changes something, or several reads. Other
/// threads call, too, so the same number may be another call each time.
#[derive(Debug, Clone, Copy)]
enum Transient {
    Change { at: u64 },
    Reads { from: u64, count: u64 },
}

/// Runs the history with a fault, and reopens the folder without it. Returns whether a call failed
/// and all writes were acknowledged nevertheless.
fn survives(fault: Transient) -> bool {
    let place = keyfold_testkit::folder::in_memory().unwrap();
    let folder = place.path().join("store");
    std::fs::create_dir(&folder).unwrap();
    let machine = Machine::watch(&folder).unwrap();
    match fault {
        Transient::Change { at } => machine.inject(at, Fault::Error),
        Transient::Reads { from, count } => machine.fail_reads(from, from + count - 1),
    }
    let done = work(&folder);
    let has_failed = machine.injected() > 0;
    machine.clear_faults();
    for opening in 1..=2 {
        let store = match open(&folder) {
            Ok(store) => store,
            Err(error) => panic!("{fault:?}, opening {opening} after {done} writes: {error}"),
        };
        let there = count(&store);
        assert!(
            (done..=done + 1).contains(&there),
            "{fault:?}, opening {opening}: {there} of {done} writes"
        );
    }
    has_failed && done == WRITES
}

#[test]
fn no_acknowledged_write_is_lost_to_a_transient_fault() {
    let place = keyfold_testkit::folder::in_memory().unwrap();
    let folder = place.path().join("store");
    std::fs::create_dir(&folder).unwrap();
    let machine = Machine::watch(&folder).unwrap();
    assert_eq!(work(&folder), WRITES);
    let (changes, reads) = (machine.changes(), machine.reads());
    drop(machine);
    let after_changes = (1..=changes)
        .filter(|at| survives(Transient::Change { at: *at }))
        .count();
    let faults = |from| [1, 1_000].map(|count| Transient::Reads { from, count });
    let after_reads = (1..=reads)
        .flat_map(faults)
        .filter(|fault| survives(*fault))
        .count();
    assert!(
        after_changes > 10,
        "writers went on after {after_changes} of {changes} changes"
    );
    // How many reads there are is up to the threads that compact.
    assert!(
        after_reads > 3,
        "writers went on after {after_reads} of {reads} reads"
    );
}

/// Writers seal memtables faster than they are compacted, and wait for the compaction that failed.
#[test]
fn a_read_that_fails_once_refuses_no_write() {
    const MEMTABLES: u32 = 60;
    let mut failures = 0;
    for from in [1, 2, 5, 14, 50, 200] {
        let place = keyfold_testkit::folder::in_memory().unwrap();
        let folder = place.path().join("store");
        std::fs::create_dir(&folder).unwrap();
        let store = Store::open(StoreOptions::Folder(FolderOptions {
            durability: Durability::Buffered,
            memtable_bytes: 2_000,
            cache_bytes: 1_024,
            ..FolderOptions::new(&folder)
        }))
        .unwrap();
        let machine = Machine::watch(&folder).unwrap();
        machine.fail_reads(from, from);
        for n in 0..MEMTABLES * 3 {
            write(&store, n).unwrap_or_else(|error| panic!("read {from}, write {n}: {error}"));
        }
        failures += machine.injected();
    }
    assert!(failures > 3, "{failures} reads failed");
}
