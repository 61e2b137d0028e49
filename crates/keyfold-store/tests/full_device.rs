//! The device is full for some time: at each call of a short history that takes space. Writes are refused, and
//! taken again when there is room, without another opening. What was acknowledged before and after is there
//! when the folder is opened again, and what was refused is not.
#![cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold_faults::{Fault, Machine};
use keyfold_store::{Batch, Durability, FolderOptions, Store, StoreError, StoreOptions};
use std::collections::BTreeSet;
use std::path::Path;

const WRITES: u32 = 24;
const COUNTER: &[u8] = b"written";

fn open(folder: &Path, durability: Durability) -> Store {
    // Small, so that there are some segments of the log.
    open_with(folder, durability, 8_000).unwrap()
}

fn open_with(
    folder: &Path,
    durability: Durability,
    memtable_bytes: u64,
) -> Result<Store, StoreError> {
    Store::open(StoreOptions::Folder(FolderOptions {
        durability,
        memtable_bytes,
        ..FolderOptions::new(folder)
    }))
}

fn write(store: &Store, n: u32) -> Result<(), StoreError> {
    let mut batch = Batch::new();
    batch.put(n.to_be_bytes().to_vec(), vec![n as u8; 1_000]);
    batch.append(b"events".to_vec(), vec![n as u8]);
    batch.add(COUNTER.to_vec(), 1);
    store.stage(batch)?.wait()
}

/// What is stored: the writes, and how many the counter and the numbers of entries say.
fn stored(store: &Store) -> (BTreeSet<u32>, i64, u64) {
    let snapshot = store.snapshot();
    let is_there = |n: &u32| snapshot.get(&n.to_be_bytes()).unwrap().is_some();
    let there = (0..WRITES * 2).filter(is_there).collect();
    (
        there,
        store.counter(COUNTER).unwrap(),
        store.sequence().unwrap(),
    )
}

/// Writes, with a full device from a call on until a write is refused. Returns whether one was.
fn survives(at: u64, durability: Durability) -> bool {
    let place = keyfold_testkit::folder::in_memory().unwrap();
    let folder = place.path().join("store");
    std::fs::create_dir(&folder).unwrap();
    let store = open(&folder, durability);
    let machine = Machine::watch(&folder).unwrap();
    machine.inject(at, Fault::Full);
    let mut acknowledged = BTreeSet::new();
    let mut is_refused = false;
    for n in 0..WRITES {
        let Err(error) = write(&store, n) else {
            acknowledged.insert(n);
            continue;
        };
        is_refused = true;
        assert!(matches!(error, StoreError::Full(_)), "call {at}: {error}");
        assert!(store.has_failed(), "call {at}");
        let later = write(&store, WRITES).unwrap_err();
        assert!(matches!(later, StoreError::Full(_)), "call {at}: {later}");
        let failures = store.failures();
        assert!(failures > 0, "call {at}");
        machine.clear_faults();
        store.take_writes_again().unwrap();
        assert!(!store.has_failed(), "call {at}");
        assert!(store.barrier_since(failures - 1).wait().is_err());
        assert!(store.barrier_since(failures).wait().is_ok());
    }
    let expected = |(there, count, sequence): (BTreeSet<u32>, i64, u64), when: &str| {
        assert_eq!(there, acknowledged, "call {at}, {when}");
        assert_eq!(count, acknowledged.len() as i64, "call {at}, {when}");
        assert_eq!(sequence, acknowledged.len() as u64, "call {at}, {when}");
    };
    expected(stored(&store), "before it is closed");
    drop(store);
    machine.clear_faults();
    for when in ["opened once", "opened twice"] {
        expected(stored(&open(&folder, durability)), when);
    }
    is_refused
}

#[test]
fn a_full_device_refuses_writes_for_as_long_as_it_is_full() {
    for durability in [Durability::Synced, Durability::Buffered] {
        let refused = (1..120).filter(|at| survives(*at, durability)).count();
        assert!(refused > 20, "{durability:?}: {refused} refused");
    }
}

/// How an opening on a full device went.
#[derive(Debug, PartialEq, Eq)]
enum Opened {
    /// It was refused.
    Refused,
    /// It was read, and took no writes until there was room.
    Full,
    /// The device was full later.
    Sound,
}

/// Opens a store whose log has some segments, while the device is full from a call on.
fn opened_full(at: u64) -> Opened {
    let place = keyfold_testkit::folder::in_memory().unwrap();
    let folder = place.path().join("store");
    std::fs::create_dir(&folder).unwrap();
    let open = || open_with(&folder, Durability::Synced, 1_000_000);
    let mut there = BTreeSet::new();
    for n in 0..4 {
        // Each life leaves a segment, and flushes nothing.
        write(&open().unwrap(), n).unwrap();
        there.insert(n);
    }
    let machine = Machine::watch(&folder).unwrap();
    machine.inject(at, Fault::Full);
    let expected = |store: &Store, there: &BTreeSet<u32>, when: &str| {
        let count = there.len() as u64;
        let expected = (there.clone(), count as i64, count);
        assert_eq!(stored(store), expected, "call {at}, {when}");
    };
    let opened = match open() {
        Err(error) => {
            let said = error.to_string();
            assert!(
                said.contains("No space left on device"),
                "call {at}: {said}"
            );
            assert!(
                said.contains(&*folder.to_string_lossy()),
                "call {at}: {said}"
            );
            let room = "MB of the disk are free, and a data folder is opened with 1 MB";
            assert!(said.contains(room), "call {at}: {said}");
            machine.clear_faults();
            Opened::Refused
        }
        Ok(store) => {
            expected(&store, &there, "while it is full");
            let is_full = store.has_failed();
            if let Err(error) = write(&store, 10) {
                assert!(matches!(error, StoreError::Full(_)), "call {at}: {error}");
                let said = error.to_string();
                assert!(
                    said.contains("until 8 MB of it are free"),
                    "call {at}: {said}"
                );
                assert!(
                    said.contains(" MB of the disk are free"),
                    "call {at}: {said}"
                );
                expected(&store, &there, "when it has refused a write");
                machine.clear_faults();
                store.take_writes_again().unwrap();
            } else {
                assert!(!is_full, "call {at}");
                there.insert(10);
            }
            machine.clear_faults();
            write(&store, 11).unwrap();
            there.insert(11);
            expected(&store, &there, "when there is room");
            match is_full {
                true => Opened::Full,
                false => Opened::Sound,
            }
        }
    };
    for when in ["opened once", "opened twice", "opened again"] {
        expected(&open().unwrap(), &there, when);
    }
    opened
}

/// A store is opened on a device without room, or with too little for what the opening writes: what it holds is
/// read all the same. Here a write in place may find no room, either, as on a file system that writes each block anew:
/// then the opening is refused.
#[test]
fn a_store_is_read_on_a_device_that_is_full() {
    let all: Vec<Opened> = (1..60).map(opened_full).collect();
    let count = |one: &Opened| all.iter().filter(|other| *other == one).count();
    let counts = [Opened::Refused, Opened::Full, Opened::Sound].map(|one| count(&one));
    let [refused, full, sound] = counts;
    assert!(full > 3 && sound > 3 && refused > 0, "{counts:?}: {all:?}");
}

/// Nothing is promised of a folder that no store was made in.
#[test]
fn a_new_store_on_a_full_device_says_what_is_missing() {
    let mut refused = 0;
    for at in 1..30 {
        let place = keyfold_testkit::folder::in_memory().unwrap();
        let folder = place.path().join("store");
        std::fs::create_dir(&folder).unwrap();
        let machine = Machine::watch(&folder).unwrap();
        machine.inject(at, Fault::Full);
        let Err(error) = open_with(&folder, Durability::Synced, 8_000) else {
            continue;
        };
        refused += 1;
        let said = error.to_string();
        let room = "MB of the disk are free, and a data folder is opened with 1 MB";
        let has_all = said.contains(room) && said.contains(&*folder.to_string_lossy());
        assert!(has_all, "call {at}: {said}");
        machine.clear_faults();
        write(&open(&folder, Durability::Synced), 1).unwrap();
    }
    assert!(refused > 5, "{refused}");
}

/// Adds one to a number that it reads: whether the write is durable.
fn add_one(store: &Store, key: &[u8]) -> bool {
    let staged = {
        let _locks = store.lock([key]);
        let before = store.latest(key).unwrap();
        let before = before.map_or(0, |bytes| u64::from_be_bytes(bytes[..].try_into().unwrap()));
        // What was read may be lost meanwhile.
        std::thread::sleep(std::time::Duration::from_micros(300));
        let mut batch = Batch::new();
        batch.put(key.to_vec(), (before + 1).to_be_bytes().to_vec());
        batch.append(b"events".to_vec(), key.to_vec());
        batch.add(COUNTER.to_vec(), 1);
        store.stage(batch)
    };
    staged.is_ok_and(|ticket| ticket.wait().is_ok())
}

/// Writers that read what they change go on beside each other while the device is full now and then, and somebody
/// lets the store take writes again: none of them writes on what was lost.
#[test]
fn writers_beside_each_other_build_on_nothing_that_was_lost() {
    const WRITERS: usize = 4;
    const EACH: usize = 120;
    for at in (5..200).step_by(13) {
        let place = keyfold_testkit::folder::in_memory().unwrap();
        let folder = place.path().join("store");
        std::fs::create_dir(&folder).unwrap();
        let store = open(&folder, Durability::Synced);
        let machine = Machine::watch(&folder).unwrap();
        machine.inject(at, Fault::Full);
        let keys: [&[u8]; 2] = [b"one", b"other"];
        let done = std::sync::Mutex::new([0_u64; 2]);
        std::thread::scope(|scope| {
            for writer in 0..WRITERS {
                let (store, machine, done) = (&store, &machine, &done);
                scope.spawn(move || {
                    for turn in 0..EACH {
                        let at = (writer + turn) % keys.len();
                        if add_one(store, keys[at]) {
                            done.lock().unwrap()[at] += 1;
                        } else if store.has_failed() {
                            machine.clear_faults();
                            // Another writer may have been first, or the device be full again.
                            drop(store.take_writes_again());
                        }
                    }
                });
            }
        });
        let done = done.into_inner().unwrap();
        let expected = |store: &Store, when: &str| {
            for (key, done) in keys.iter().zip(done) {
                let held = store.latest(key).unwrap();
                let held =
                    held.map_or(0, |bytes| u64::from_be_bytes(bytes[..].try_into().unwrap()));
                assert_eq!(held, done, "call {at}, {when}");
            }
            let all = done.iter().sum::<u64>();
            assert_eq!(
                store.counter(COUNTER).unwrap(),
                all as i64,
                "call {at}, {when}"
            );
            assert_eq!(store.sequence().unwrap(), all, "call {at}, {when}");
        };
        expected(&store, "before it is closed");
        drop(store);
        expected(&open(&folder, Durability::Synced), "opened again");
    }
}

/// The device fails otherwise: what it holds is not known, and nothing is taken until the folder is opened
/// again.
#[test]
fn a_device_that_fails_refuses_writes_for_good() {
    let mut failed = 0;
    for at in 1..40 {
        let place = keyfold_testkit::folder::in_memory().unwrap();
        let folder = place.path().join("store");
        std::fs::create_dir(&folder).unwrap();
        let store = open(&folder, Durability::Synced);
        let machine = Machine::watch(&folder).unwrap();
        machine.inject(at, Fault::Error);
        if let Some(Err(_)) = (0..WRITES).map(|n| write(&store, n)).find(Result::is_err) {
            failed += 1;
            assert!(store.take_writes_again().is_err(), "call {at}");
            assert!(!store.may_take_writes_again(), "call {at}");
            assert!(write(&store, WRITES).is_err(), "call {at}");
        }
    }
    assert!(failed > 5, "{failed}");
}
