//! A fault of the device that passes: one call fails, each in turn, and the writers go on for as
//! long as they are answered. What was acknowledged before and after it is there when the folder is
//! opened again.
//!
//! Beside it `storage_faults.rs` of the engine draws many faults over long histories; this one
//! meets every call of a short one.
#![cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold_faults::{Fault, Machine};
use keyfold_store::{Batch, Durability, FolderOptions, Store, StoreError, StoreOptions};
use std::path::Path;

const WRITES: u32 = 24;

fn open(folder: &Path) -> Result<Store, StoreError> {
    Store::open(StoreOptions::Folder(FolderOptions {
        durability: Durability::Synced,
        // Some segments of the log.
        memtable_bytes: 8_000,
        ..FolderOptions::new(folder)
    }))
}

fn write(store: &Store, n: u32) -> Result<(), StoreError> {
    let mut batch = Batch::new();
    batch.put(n.to_be_bytes().to_vec(), vec![n as u8; 1_000]);
    store.stage(batch)?.wait()
}

/// Writes until one write is refused; gives back how many were acknowledged.
fn work(folder: &Path) -> u32 {
    let Ok(store) = open(folder) else { return 0 };
    (0..WRITES)
        .find(|n| write(&store, *n).is_err())
        .unwrap_or(WRITES)
}

fn count(store: &Store) -> u32 {
    let snapshot = store.snapshot();
    let is_there = |n: &u32| snapshot.get(&n.to_be_bytes()).unwrap().is_some();
    let there = (0..=WRITES).take_while(is_there).count() as u32;
    assert_eq!(
        (there..=WRITES).filter(is_there).count(),
        0,
        "a later write is there, and {there} is not"
    );
    there
}

/// What fails, counted from the first call: a call that changes something, or so many reads. Other
/// threads call, too, so that the same number may be another call each time.
#[derive(Debug, Clone, Copy)]
enum Passing {
    Change { at: u64 },
    Reads { from: u64, count: u64 },
}

/// Lets something fail during the whole work, and afterwards nothing. Returns whether something
/// failed and all writes were acknowledged all the same.
fn survives(fault: Passing) -> bool {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("store");
    std::fs::create_dir(&folder).unwrap();
    let machine = Machine::watch(&folder).unwrap();
    match fault {
        Passing::Change { at } => machine.strike(at, Fault::Error),
        Passing::Reads { from, count } => machine.fail_reads(from, from + count - 1),
    }
    let done = work(&folder);
    let has_failed = machine.strikes() > 0;
    machine.heal();
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
fn writers_who_go_on_after_a_fault_that_passed_lose_nothing() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("store");
    std::fs::create_dir(&folder).unwrap();
    let machine = Machine::watch(&folder).unwrap();
    assert_eq!(work(&folder), WRITES);
    let (changes, reads) = (machine.asked(), machine.reads());
    drop(machine);
    let after_changes = (1..=changes)
        .filter(|at| survives(Passing::Change { at: *at }))
        .count();
    let faults = |from| [1, 1_000].map(|count| Passing::Reads { from, count });
    let after_reads = (1..=reads)
        .flat_map(faults)
        .filter(|fault| survives(*fault))
        .count();
    assert!(
        after_changes > 10,
        "writers went on after {after_changes} of {changes} changes"
    );
    assert!(
        after_reads > 10,
        "writers went on after {after_reads} of {reads} reads"
    );
}
