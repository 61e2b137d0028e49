//! A store crashes, and the opening after it crashes, too: at each of its calls in turn, those of the
//! flush and of the writes that follow included. The opening after that finds what the first crash
//! left, and every write acknowledged since.
//!
//! The first crash is drawn at random. `KEYFOLD_CRASH_SEEDS=100 cargo test -p keyfold-store --test
//! crashes_of_openings` runs longer.
#![cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use fastrand::Rng;
use keyfold_faults::{Fault, Machine, Tail};
use keyfold_store::{Batch, Durability, FolderOptions, Store, StoreError, StoreOptions};
use std::fs::{self, File};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// Writes of the first life of a store.
const WRITES: u32 = 10;
/// Writes of its second life.
const WRITES_AFTER: u32 = 4;
const SEEDS: u64 = 2;

fn open(folder: &Path) -> Result<Store, StoreError> {
    Store::open(StoreOptions::Folder(FolderOptions {
        durability: Durability::Synced,
        // Small, so that there are some segments of the log.
        memtable_bytes: 8_000,
        ..FolderOptions::new(folder.join("data"))
    }))
}

fn write(store: &Store, n: u32) -> Result<(), StoreError> {
    let mut batch = Batch::new();
    batch.put(n.to_be_bytes().to_vec(), vec![n as u8; 3_000]);
    store.stage(batch)?.wait()
}

/// Opens a store and makes so many writes more, until one is refused. Returns the numbers of writes
/// that the store may hold afterwards.
fn live(folder: &Path, held: RangeInclusive<u32>, more: u32) -> RangeInclusive<u32> {
    let Ok(store) = open(folder) else { return held };
    let first = count(&store);
    assert!(held.contains(&first), "{first} writes, not {held:?}");
    let refused = (first..first + more).find(|n| write(&store, *n).is_err());
    refused.map_or(first + more..=first + more, |refused| refused..=refused + 1)
}

/// The number of writes that can be read. They are a prefix of the history.
fn count(store: &Store) -> u32 {
    let snapshot = store.snapshot();
    let is_there = |n: &u32| snapshot.get(&n.to_be_bytes()).unwrap().is_some();
    let most = WRITES + WRITES_AFTER;
    let there = (0..most).take_while(is_there).count() as u32;
    let all = (0..most).filter(is_there).count() as u32;
    assert_eq!(all, there, "write {there} is lost and a later one is there");
    there
}

/// Watches a folder, which is made if it is absent.
fn watch(folder: &Path) -> Machine {
    fs::create_dir_all(folder).unwrap();
    Machine::watch(folder).unwrap()
}

/// A store that crashes twice.
#[derive(Debug, Clone, Copy)]
struct Crashes {
    /// The call of the first life at which the fault happens. The life may go on after it, and ends.
    first: u64,
    fault: Fault,
    /// What the first crash leaves. `Kept`: only the process crashed, and what was not synced may
    /// still be lost.
    tail: Tail,
    /// The call of the second life at which it stops.
    second: u64,
}

impl Crashes {
    /// Runs both lives, and opens the store after them. Returns whether the second life crashed.
    fn run(self, rng: &mut Rng) -> bool {
        let place = keyfold_testkit::folder::in_memory().unwrap();
        let mut folder = place.path().join("first");
        let mut machine = watch(&folder);
        machine.inject(self.first, self.fault);
        let held = live(&folder, 0..=0, WRITES);
        machine.clear_faults();
        if self.tail != Tail::Kept {
            let left = place.path().join("second");
            let mut coin = || rng.bool();
            machine.after_crash(self.tail, &left, &mut coin).unwrap();
            (folder, machine) = (left.clone(), watch(&left));
        }
        let before = machine.injected();
        machine.inject(machine.changes() + self.second, Fault::Stop);
        let held = live(&folder, held, WRITES_AFTER);
        for (nth, tail) in [Tail::Kept, Tail::Lost, Tail::Torn].into_iter().enumerate() {
            let last = place.path().join(format!("last{nth}"));
            machine
                .after_crash(tail, &last, &mut || rng.bool())
                .unwrap();
            let found = open(&last).map(|store| count(&store));
            assert!(
                found.as_ref().is_ok_and(|found| held.contains(found)),
                "{self:?}, {tail:?}: {found:?}, not {held:?} writes"
            );
        }
        machine.injected() > before
    }
}

fn seeds() -> u64 {
    let seeds = std::env::var("KEYFOLD_CRASH_SEEDS").ok();
    seeds.and_then(|text| text.parse().ok()).unwrap_or(SEEDS)
}

#[test]
fn an_opening_that_crashes_at_any_of_its_calls_loses_nothing() {
    let place = keyfold_testkit::folder::in_memory().unwrap();
    let faultless = watch(&place.path().join("first"));
    live(&place.path().join("first"), 0..=0, WRITES);
    for seed in 0..seeds() {
        let mut rng = Rng::with_seed(seed);
        for tail in [Tail::Kept, Tail::Lost, Tail::Torn] {
            let first = rng.u64(1..=faultless.changes());
            let fault = [Fault::Stop, Fault::Stop, Fault::Error, Fault::Full][rng.usize(..4)];
            let second = (1..).take_while(|second| {
                let second = *second;
                let crashes = Crashes {
                    first,
                    fault,
                    tail,
                    second,
                };
                crashes.run(&mut rng)
            });
            assert!(second.count() > 10, "an opening makes more calls");
        }
    }
}

/// The process ends at any call, the next one makes writes, and then the machine crashes: what the
/// second process has built on is synced, although the first one could not.
#[test]
fn what_a_process_left_is_synced_before_writes_are_acknowledged() {
    /// More calls than the second life makes.
    const NEVER: u64 = 1_000_000;
    let mut rng = Rng::with_seed(1);
    let place = keyfold_testkit::folder::in_memory().unwrap();
    let faultless = watch(&place.path().join("first"));
    live(&place.path().join("first"), 0..=0, WRITES);
    for first in 1..=faultless.changes() {
        let crashes = Crashes {
            first,
            fault: Fault::Stop,
            tail: Tail::Kept,
            second: NEVER,
        };
        assert!(!crashes.run(&mut rng), "it came to its end");
    }
}

/// The process ended after a checkpoint was renamed, and before its name was synced. The checkpoint
/// lets a segment go, so the next opening retires it.
#[test]
fn a_segment_is_not_retired_before_the_name_of_the_checkpoint_is_synced() {
    let place = keyfold_testkit::folder::in_memory().unwrap();
    let made = place.path().join("made");
    fs::create_dir(&made).unwrap();
    let store = open(&made).unwrap();
    let older = fs::read(made.join("data/checkpoint")).unwrap();
    (0..WRITES / 2).for_each(|n| write(&store, n).unwrap());
    while store.maintenance().pending > 0 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    drop(store);
    let newer = fs::read(made.join("data/checkpoint")).unwrap();
    let log = made.join("data/log");
    fs::rename(log.join("000000000001.spare"), log.join("000000000001.log")).unwrap();
    fs::write(made.join("data/checkpoint"), older).unwrap();
    for at in 1.. {
        let folder = place.path().join(at.to_string());
        copy(&made, &folder);
        let machine = watch(&folder);
        let [new, checkpoint] =
            ["checkpoint.new", "checkpoint"].map(|name| folder.join("data").join(name));
        fs::write(&new, &newer).unwrap();
        File::open(&new).unwrap().sync_all().unwrap();
        fs::rename(&new, &checkpoint).unwrap();
        let before = machine.injected();
        machine.inject(machine.changes() + at, Fault::Stop);
        drop(open(&folder));
        let last = place.path().join(format!("last{at}"));
        machine
            .after_crash(Tail::Lost, &last, &mut || false)
            .unwrap();
        let found = open(&last).map(|store| count(&store));
        assert!(
            matches!(found, Ok(found) if found == WRITES / 2),
            "call {at}: {found:?}"
        );
        if machine.injected() == before {
            assert!(at > 10, "an opening makes more calls");
            break;
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &to);
        } else {
            fs::copy(&path, &to).unwrap();
        }
    }
}
