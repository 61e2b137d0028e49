//! Crashes at every call of the log and the memtables behind it. A seeded workload runs once, and
//! records the state that a client sees after each change. Then it runs again and again on a disk
//! that stops, fails or fills up at one of the store's calls: a write, a sync, a new segment, a
//! retired one. The files after the crash (everything that was written, or torn and missing tails)
//! are opened. They have all acknowledged changes, and at most the change under way, completely:
//! items, index entries, counts, stream records, tokens, backups, the catalog. The background work
//! of an acknowledged change (an index to fill, expired items, a backup to copy) is done after the
//! crash.
//!
//! The first seed crashes at every call, the others at some.
//! `KEYFOLD_CRASH_SEEDS=1000 cargo test -p keyfold-engine --test crash_points` runs longer.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;
#[path = "common/disk.rs"]
mod disk;
#[path = "common/history.rs"]
mod history;

use common::{CountingRandom, ManualClock, ask};
use disk::{Disk, Fault, Tail};
use fastrand::Rng;
use history::{States, seeds, seen, table, work};
use keyfold_engine::{
    Durability, Engine, EngineOptions, Environment, FolderOptions, OpenError, StoreOptions,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Crashes of each seed but the first, which crashes at every call.
const CRASHES: usize = 24;

fn open(folder: &Path, disk: &Disk, durability: Durability) -> Result<Engine, OpenError> {
    let environment = Environment {
        clock: ManualClock::new(),
        random: CountingRandom::new(),
    };
    // Small, so that a workload makes many segments and SSTables.
    let store = FolderOptions {
        durability,
        memtable_bytes: 30_000,
        log_files: Some(Arc::new(disk.clone())),
        ..FolderOptions::new(folder)
    };
    let options = EngineOptions::new(StoreOptions::Folder(store));
    Engine::open(EngineOptions {
        environment,
        background: false,
        ..options
    })
}

/// A crash: its place, its kind, and the files after it.
struct Crash {
    at: u64,
    fault: Fault,
    tail: Tail,
    durability: Durability,
}

impl Crash {
    fn at(at: u64, rng: &mut Rng) -> Crash {
        let fault = [Fault::Stop, Fault::Stop, Fault::Error, Fault::Full][rng.usize(..4)];
        let durability =
            [Durability::Synced, Durability::Synced, Durability::Buffered][rng.usize(..3)];
        // After a failure of the device the process continues, so the machine has not crashed.
        let tails: &[Tail] = if fault == Fault::Stop {
            &[Tail::Kept, Tail::Lost, Tail::Cut, Tail::Torn]
        } else {
            &[Tail::Kept]
        };
        Crash {
            at,
            fault,
            tail: tails[rng.usize(..tails.len())],
            durability,
        }
    }

    /// The files after the next crash.
    fn tail_after(&self) -> Tail {
        if self.at.is_multiple_of(2) {
            Tail::Lost
        } else {
            Tail::Torn
        }
    }

    /// The states that may be found when `done` changes were acknowledged.
    fn may_leave(&self, done: usize, states: usize) -> std::ops::Range<usize> {
        let is_lost = self.durability == Durability::Buffered && self.tail != Tail::Kept;
        let first = if is_lost { 0 } else { done };
        // The change that was not acknowledged may exist.
        first..(done + 2).min(states)
    }
}

/// Crashes at calls of the log. Returns how often each state was found.
fn crashes_of(seed: u64) -> BTreeMap<usize, usize> {
    let work_folder = keyfold_testkit::folder::in_memory().unwrap();
    let disk = Disk::default();
    let engine = open(
        &work_folder.path().join("faultless"),
        &disk,
        Durability::Synced,
    )
    .unwrap();
    let first = disk.calls();
    let states = States::of(&engine, seed);
    drop(engine);
    let mut rng = Rng::with_seed(seed);
    let (mut found, mut strikes) = (BTreeMap::new(), 0);
    let places: Vec<u64> = match seed {
        0 => (first + 1..=disk.calls()).collect(),
        _ => (0..CRASHES)
            .map(|_| rng.u64(first + 1..=disk.calls()))
            .collect(),
    };
    for (turn, at) in places.iter().enumerate() {
        let mut crash = Crash::at(*at, &mut rng);
        if seed == 0 {
            // The same calls as before, up to the last one.
            (crash.fault, crash.durability) = (Fault::Stop, Durability::Synced);
        }
        let context = format!(
            "seed {seed}, turn {turn}: {:?} at {} of {}, tail {:?}, {:?}",
            crash.fault,
            crash.at,
            disk.calls(),
            crash.tail,
            crash.durability
        );
        let folder = work_folder.path().join(format!("crash{turn}"));
        let struck = Disk::default();
        let engine = open(&folder, &struck, crash.durability).unwrap();
        struck.strike(crash.at, crash.fault);
        let progress = work(&engine, seed, |_| {});
        let done = progress.acknowledged;
        strikes += usize::from(struck.has_struck());
        // Readers continue, and see only acknowledged changes.
        if progress.is_settled {
            assert_eq!(
                seen(&engine),
                states.seen[done],
                "{context}, read on after it"
            );
        }
        drop(engine);

        let left = struck.after_crash(crash.tail, &mut rng);
        if rng.u8(..4) == 0 {
            // The log is unreadable: the store does not open, and loses nothing by the attempt.
            left.strike(left.calls() + rng.u64(1..3), Fault::Error);
            let context = open(&folder, &left, crash.durability)
                .map(drop)
                .unwrap_err()
                .to_string();
            assert!(context.contains("the device failed"), "{context}");
            assert!(left.has_struck());
        }
        let engine = open(&folder, &left, crash.durability).unwrap();
        let state = states.check(
            &engine,
            crash.may_leave(done, states.seen.len()),
            &context,
            &mut rng,
        );
        *found.entry(state).or_insert(0) += 1;
        // Later writes are durable, too.
        let after = seen(&engine);
        drop(engine);
        // Where everything is synced, the second crash is one of the machine.
        let tail = if crash.durability == Durability::Synced {
            crash.tail_after()
        } else {
            Tail::Kept
        };
        let again = left.after_crash(tail, &mut rng);
        let engine = open(&folder, &again, crash.durability).unwrap();
        assert_eq!(
            seen(&engine),
            after,
            "{context}, opened again after {tail:?}"
        );
    }
    // Unsynced runs make fewer calls, and segments are retired at any time.
    let least = if seed == 0 {
        places.len() * 9 / 10
    } else {
        places.len() / 2
    };
    assert!(
        strikes > least,
        "seed {seed}: {strikes} crashes of {} happened",
        places.len()
    );
    found
}

const WRITERS: usize = 4;

/// A transaction on two items of a writer, and on an item of all writers.
fn writers_turn(writer: usize, turn: usize) -> Value {
    let item = |part: &str| {
        json!({"Put": {"TableName": "Tab", "Item": {
            "pk": {"S": format!("w{writer}")}, "sk": {"S": part}, "g": {"S": "g"}, "n": {"N": turn.to_string()},
        }}})
    };
    json!({"TransactItems": [item("one"), item("other")]})
}

/// Several writers, so that groups of writes are under way at the crash.
#[test]
fn a_crash_under_several_writers_loses_nothing_that_was_acknowledged() {
    for seed in 0..seeds() * 6 {
        let mut rng = Rng::with_seed(seed);
        let folder = keyfold_testkit::folder::in_memory().unwrap();
        let disk = Disk::default();
        let engine = open(folder.path(), &disk, Durability::Synced).unwrap();
        ask(&engine, "CreateTable", &table("Tab"));
        let crash = Crash::at(disk.calls() + rng.u64(1..120), &mut rng);
        disk.strike(crash.at, crash.fault);
        let acknowledged: Vec<(usize, usize)> = std::thread::scope(|scope| {
            let write = |writer: usize| {
                let engine = &engine;
                move || {
                    let is_done =
                        |answer: Value| !answer.to_string().contains("InternalServerError");
                    let add = json!({
                        "TableName": "Tab", "Key": {"pk": {"S": "all"}, "sk": {"S": "x"}},
                        "UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}},
                    });
                    let turns = (1..=60).take_while(|turn| {
                        is_done(ask(
                            engine,
                            "TransactWriteItems",
                            &writers_turn(writer, *turn),
                        ))
                    });
                    let mut added = 0;
                    let turns = turns
                        .take_while(|_| {
                            let is_done = is_done(ask(engine, "UpdateItem", &add));
                            added += usize::from(is_done);
                            is_done
                        })
                        .count();
                    (turns, added)
                }
            };
            let writers: Vec<_> = (0..WRITERS)
                .map(|writer| scope.spawn(write(writer)))
                .collect();
            writers
                .into_iter()
                .map(|writer| writer.join().unwrap())
                .collect()
        });
        drop(engine);
        let left = disk.after_crash(crash.tail, &mut rng);
        let engine = open(folder.path(), &left, Durability::Synced).unwrap();
        let context = format!(
            "seed {seed}: {:?} at {}, {:?}: {acknowledged:?}",
            crash.fault, crash.at, crash.tail
        );
        let number = |pk: &str, sk: &str| -> usize {
            let get = json!({"TableName": "Tab", "Key": {"pk": {"S": pk}, "sk": {"S": sk}}});
            let n = ask(&engine, "GetItem", &get)["Item"]["n"]["N"].clone();
            n.as_str().map_or(0, |n| n.parse().unwrap())
        };
        for (writer, (turns, _)) in acknowledged.iter().enumerate() {
            let [one, other] = ["one", "other"].map(|sk| number(&format!("w{writer}"), sk));
            assert_eq!(
                one, other,
                "{context}: half a transaction of writer {writer}"
            );
            // The turn that was not acknowledged, and one whose addition was not.
            assert!(
                (*turns..=turns + 1).contains(&one),
                "{context}: writer {writer} has {one}"
            );
        }
        let added: usize = acknowledged.iter().map(|(_, added)| added).sum();
        assert!(
            (added..=added + WRITERS).contains(&number("all", "x")),
            "{context}"
        );
        let examination = engine.examine().unwrap();
        assert!(
            examination.is_well(),
            "{context}: {:?}",
            examination.problems
        );
    }
}

#[test]
fn a_crash_anywhere_loses_nothing_that_was_acknowledged() {
    for seed in 0..seeds() {
        let found = crashes_of(seed);
        assert!(
            found.len() > CRASHES / 4,
            "the crashes of seed {seed} left few states: {found:?}"
        );
    }
}
