//! The durable store while tables are written and merged behind it.

use super::*;
use crate::store::FolderOptions;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::mpsc;
use std::time::{Duration, Instant};

fn open(folder: &Path, memtable_bytes: u64) -> DurableStore {
    DurableStore::open(&FolderOptions {
        memtable_bytes,
        ..FolderOptions::new(folder)
    })
    .unwrap()
}

type Model = BTreeMap<Vec<u8>, Vec<u8>>;

fn contents(snapshot: &DurableSnapshot) -> Model {
    let entries = snapshot.range(Bound::Unbounded, Bound::Unbounded);
    entries
        .map(|guard| entry(guard).unwrap())
        .map(|(key, value)| (key.to_vec(), value.to_vec()))
        .collect()
}

/// Random numbers that need no crate.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

#[test]
fn a_snapshot_stays_what_it_was_while_tables_are_written_and_merged() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(7);
    let mut model = Model::new();
    for opening in 0..3 {
        let store = open(folder.path(), 20_000);
        assert_eq!(contents(&store.snapshot()), model, "opening {opening}");
        let mut held: Vec<(DurableSnapshot, Model)> = Vec::new();
        for turn in 0..600 {
            let batch: Vec<(Vec<u8>, Option<Vec<u8>>)> = (0..random.below(20) + 1)
                .map(|n| (n * 31 + random.below(200), random.below(4)))
                .collect::<BTreeMap<_, _>>()
                .into_iter()
                .map(|(key, kind)| {
                    let value = vec![turn as u8; random.below(300) as usize];
                    (key.to_be_bytes().to_vec(), (kind > 0).then_some(value))
                })
                .collect();
            store
                .apply(
                    batch
                        .iter()
                        .map(|(key, value)| (&key[..], value.as_deref())),
                    false,
                )
                .unwrap();
            for (key, value) in batch {
                match value {
                    Some(value) => model.insert(key, value),
                    None => model.remove(&key),
                };
            }
            if random.below(20) == 0 {
                held.push((store.snapshot(), model.clone()));
            }
            if random.below(10) == 0 && !held.is_empty() {
                let at = random.below(held.len() as u64) as usize;
                let (snapshot, expected) = held.swap_remove(at);
                assert_eq!(
                    contents(&snapshot),
                    expected,
                    "opening {opening}, turn {turn}"
                );
                for key in 0..40u64 {
                    let key = key.to_be_bytes();
                    let found = snapshot.get(&key).unwrap().map(|value| value.to_vec());
                    assert_eq!(found.as_ref(), expected.get(&key[..]));
                }
            }
        }
        assert!(store.tree.table_count() > 0, "tables were written");
        assert!(
            store.log.lock().unwrap().log_id() > 10,
            "and segments of the log begun"
        );
    }
}

#[test]
fn the_space_of_what_was_removed_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), 100_000);
    let value = [7; 100];
    let keys: Vec<[u8; 8]> = (0..30_000u64).map(u64::to_be_bytes).collect();
    for some in keys.chunks(500) {
        store
            .apply(some.iter().map(|key| (&key[..], Some(&value[..]))), false)
            .unwrap();
    }
    let deadline = Instant::now() + Duration::from_secs(30);
    while store.upkeep() > 0 && store.tree.disk_space() < 2_000_000 {
        assert!(Instant::now() < deadline, "the tables were not written");
        std::thread::sleep(Duration::from_millis(20));
    }
    for some in keys.chunks(500) {
        store
            .apply(some.iter().map(|key| (&key[..], None)), false)
            .unwrap();
    }
    while store.tree.disk_space() > 500_000 {
        assert!(
            Instant::now() < deadline,
            "{} bytes of tables are left",
            store.tree.disk_space()
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(contents(&store.snapshot()), Model::new());
    let tables = folder.path().join("tables").join("tables");
    let on_disk = || {
        std::fs::read_dir(&tables)
            .unwrap()
            .map(|entry| entry.unwrap().metadata().map_or(0, |m| m.len()))
            .sum::<u64>()
    };
    wait_for("the files of old versions are removed", || {
        on_disk() < 600_000
    });
    let segments = std::fs::read_dir(folder.path().join("log"))
        .unwrap()
        .count();
    assert!(segments < 8, "{segments} files of the log");
}

/// There is no time at which tables are merged for the readers' sake.
#[test]
fn the_space_of_what_was_removed_comes_back_beside_writers_who_never_rest() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_a_table(folder.path(), 20_000);
    store
        .upkeep
        .meanwhile(|rested| panic!("a merge after a rest of {rested:?}"));
    store.upkeep.sealed_just_now();
    let before = store.tree.disk_space();
    let keys: Vec<[u8; 8]> = (0..19_000u64).map(u64::to_be_bytes).collect();
    store
        .apply(keys.iter().map(|key| (&key[..], None)), false)
        .unwrap();
    store.seal(&mut store.writing()).unwrap();
    wait_for("the space comes back", || {
        store.upkeep.sealed_just_now();
        store.tree.disk_space() < before / 8
    });
    assert!(!store.upkeep.has_failed());
    assert_eq!(contents(&store.snapshot()).len(), 1_000);
}

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(40);
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn fill(store: &DurableStore, from: u64, to: u64) {
    for n in from..to {
        store
            .apply(
                [(&n.to_be_bytes()[..], Some(&[n as u8; 200][..]))].into_iter(),
                false,
            )
            .unwrap();
    }
}

#[test]
fn new_tables_are_merged_when_nobody_writes() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), 100_000);
    // Twice the same keys, so that tables overlap and cannot just be moved.
    fill(&store, 0, 900);
    fill(&store, 0, 900);
    wait_for("the tables are written and merged", || {
        store.tree.table_count() > 0 && store.upkeep() == 0
    });
    assert_eq!(store.tree.l0_run_count(), 0);
    assert_eq!(contents(&store.snapshot()).len(), 900);
}

/// Writes a table of so many keys, the same each time, so that tables cannot just be moved.
fn fill_a_table(store: &DurableStore, keys: u64) {
    fill(store, 0, keys);
    store.seal(&mut store.writing()).unwrap();
}

/// A store with one table of so many keys.
fn with_a_table(folder: &Path, keys: u64) -> DurableStore {
    let store = open(folder, 100_000_000);
    fill_a_table(&store, keys);
    wait_for("it is written", || {
        store.tree.table_count() > 0 && store.upkeep() == 0
    });
    store
}

/// Holds the next quiet merge at its end: tells how long writers had rested, and lets it go when
/// the other is dropped.
fn hold_a_merge(store: &DurableStore) -> (mpsc::Receiver<Duration>, mpsc::Sender<()>) {
    let (tell, told) = mpsc::channel();
    let (go_on, wait) = mpsc::channel();
    store.upkeep.meanwhile(move |rested| {
        tell.send(rested).unwrap();
        // Until the other end is dropped.
        assert!(wait.recv().is_err());
    });
    (told, go_on)
}

/// Changes one byte of a file.
fn damage(path: &Path, at: impl FnOnce(usize) -> usize) {
    let mut bytes = std::fs::read(path).unwrap();
    let at = at(bytes.len());
    bytes[at] ^= 0xff;
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn a_quiet_merge_waits_until_writers_rest_and_a_table_that_comes_during_it_is_merged_too() {
    let folder = tempfile::tempdir().unwrap();
    // Eight megabytes, so that writers must rest for long, and then little, which is written at
    // once.
    let store = with_a_table(folder.path(), 40_000);
    let (told, go_on) = hold_a_merge(&store);
    fill_a_table(&store, 10);
    let rested = told.recv_timeout(Duration::from_secs(40)).unwrap();
    assert!(
        rested > Duration::from_millis(300),
        "they rested for {rested:?}"
    );
    fill_a_table(&store, 10);
    wait_for("a table came", || {
        store.tree.l0_run_count() > 0 && store.tree.sealed_memtable_count() == 0
    });
    drop(go_on);
    wait_for("it is merged too", || store.upkeep() == 0);
    assert_eq!(contents(&store.snapshot()).len(), 40_000);
}

/// Somebody took away a file of the log whose changes are in a table by now.
#[test]
fn a_missing_segment_of_the_log_does_not_keep_those_behind_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), 100_000_000);
    fill(&store, 0, 10);
    std::fs::remove_file(folder.path().join("log").join("000000000001.log")).unwrap();
    for _ in 0..2 {
        fill(&store, 0, 10);
        store.seal(&mut store.writing()).unwrap();
    }
    let is_segment = |name: &std::ffi::OsStr| name.to_string_lossy().ends_with(".log");
    let segments = || {
        let files = std::fs::read_dir(folder.path().join("log")).unwrap();
        files
            .filter(|entry| is_segment(&entry.as_ref().unwrap().file_name()))
            .count()
    };
    wait_for("only the segment that is written is there", || {
        segments() == 1
    });
    assert!(!store.upkeep.has_failed());
}

#[test]
fn a_memtable_is_written_when_nobody_writes() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), 100_000_000);
    fill(&store, 0, 1_500);
    wait_for("the memtable is written", || {
        store.tree.table_count() > 0 && store.upkeep() == 0
    });
    fill(&store, 1_500, 1_510);
    drop(store);
    let store = open(folder.path(), 100_000_000);
    assert_eq!(contents(&store.snapshot()).len(), 1_510);
}

/// A damaged block: reads of it and merges fail, and what the failed merges wrote does not fill the
/// disk.
#[test]
fn a_merge_that_fails_again_and_again_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let tables = folder.path().join("tables").join("tables");
    {
        let store = open(folder.path(), 1_000_000);
        fill(&store, 0, 12_000);
        wait_for("tables are written", || store.tree.table_count() > 2);
    }
    let files = || {
        std::fs::read_dir(&tables)
            .unwrap()
            .map(|entry| entry.unwrap().path())
    };
    let largest = files()
        .max_by_key(|path| std::fs::metadata(path).unwrap().len())
        .unwrap();
    damage(&largest, |length| length / 2);
    let store = open(folder.path(), 1_000_000);
    fill(&store, 0, 12_000);
    let is_written = || store.tree.sealed_memtable_count() == 0;
    wait_for("a merge fails, and nothing else is written", || {
        store.upkeep.has_failed() && is_written()
    });
    let size = || {
        files()
            .map(|path| std::fs::metadata(path).map_or(0, |found| found.len()))
            .sum::<u64>()
    };
    let before = size();
    std::thread::sleep(Duration::from_secs(4));
    assert!(
        size() < before + 1_000_000,
        "{} bytes of tables became {}",
        before,
        size()
    );
    // Others are read and written on.
    fill(&store, 20_000, 20_100);
    assert!(store.get(&20_050u64.to_be_bytes()).unwrap().is_some());
}

/// A damaged block keeps the space of others' removals, and no writer waiting.
#[test]
fn writing_all_tables_anew_that_fails_keeps_no_other_merge_waiting() {
    let folder = tempfile::tempdir().unwrap();
    {
        let store = open(folder.path(), 100_000_000);
        fill(&store, 1_000_000, 1_001_000);
        store.seal(&mut store.writing()).unwrap();
        wait_for("it is written", || {
            store.tree.table_count() > 0 && store.upkeep() == 0
        });
    }
    let tables = folder.path().join("tables").join("tables");
    let only = std::fs::read_dir(tables)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    damage(&only, |_| 100);
    let store = open(folder.path(), 100_000_000);
    let keys: Vec<[u8; 8]> = (0..1_500u64).map(u64::to_be_bytes).collect();
    let mut has_failed = false;
    for _ in 0..100 {
        fill(&store, 0, 10);
        store
            .apply(keys.iter().map(|key| (&key[..], None)), false)
            .unwrap();
        store.seal(&mut store.writing()).unwrap();
        std::thread::sleep(Duration::from_millis(40));
        has_failed |= store.upkeep.has_failed();
    }
    assert!(has_failed, "all tables were to be written anew");
}

/// A scan that takes long must not keep everything that is written meanwhile.
#[test]
fn a_long_scan_holds_only_what_it_reads() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), 50_000);
    fill(&store, 0, 500);
    let mut scan = store
        .snapshot()
        .into_range(Bound::Unbounded, Bound::Unbounded);
    assert!(scan.next().is_some());
    for _ in 0..40 {
        fill(&store, 0, 500);
    }
    wait_for("the tables are written", || store.upkeep() == 0);
    // The next flush lets the versions go that nobody can read any more.
    fill(&store, 0, 500);
    wait_for("old versions are let go", || {
        store.tree.version_free_list_len() < 4
    });
    assert_eq!(scan.count(), 499);
}

/// A flush meets one failing call: whichever it is, and whatever the manifest is by then, the flush
/// is done again, and what was written is there.
#[test]
#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
fn a_flush_that_fails_at_any_of_its_calls_is_done_again() {
    use keyfold_faults::{Fault, Machine};
    let place = tempfile::tempdir().unwrap();
    let (mut done_again, mut at) = (0, 0);
    loop {
        at += 1;
        let folder = place.path().join(at.to_string());
        std::fs::create_dir(&folder).unwrap();
        let store = open(&folder, 100_000_000);
        fill(&store, 0, 100);
        let machine = Machine::watch(&folder).unwrap();
        machine.strike(machine.asked() + at, Fault::Error);
        // A new segment of the log may fail, too: then nothing is flushed.
        if store.seal(&mut store.writing()).is_ok() {
            let is_done = || {
                store.tree.table_count() > 0 && store.upkeep() == 0 && !store.upkeep.has_failed()
            };
            wait_for(
                "the table is written, and its segment of the log given up",
                is_done,
            );
            done_again += machine.strikes();
        }
        let is_over = machine.strikes() == 0;
        drop(machine);
        assert_eq!(contents(&store.snapshot()).len(), 100);
        drop(store);
        assert_eq!(
            contents(&open(&folder, 100_000_000).snapshot()).len(),
            100,
            "call {at}"
        );
        if is_over {
            break;
        }
    }
    assert!(done_again > 5, "{done_again} flushes failed");
}

/// The same beside a merge, which is not waited for: it would write over a list that is named and
/// not known.
#[test]
#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
fn a_list_that_a_failed_flush_changed_is_put_back_at_once() {
    use keyfold_faults::{Fault, Machine};
    let place = tempfile::tempdir().unwrap();
    let mut failures = 0;
    for at in 1.. {
        let folder = place.path().join(at.to_string());
        std::fs::create_dir(&folder).unwrap();
        // Twice, so that tables cannot just be moved.
        let store = with_a_table(&folder, 100);
        let (told, go_on) = hold_a_merge(&store);
        fill_a_table(&store, 100);
        told.recv_timeout(Duration::from_secs(40)).unwrap();
        fill(&store, 0, 10);
        let machine = Machine::watch(&folder).unwrap();
        machine.strike(machine.asked() + at, Fault::Error);
        if store.seal(&mut store.writing()).is_ok() {
            wait_for("the flush fails, or nothing does", || {
                store.upkeep.has_failed() || store.tree.sealed_memtable_count() == 0
            });
            failures += u64::from(store.upkeep.has_failed());
            let current = std::fs::read(folder.join("tables").join("current")).unwrap();
            let named = u64::from_le_bytes(*current.first_chunk().unwrap());
            assert_eq!(named, store.tree.current_version().id(), "call {at}");
        }
        drop(go_on);
        if machine.strikes() == 0 {
            break;
        }
    }
    assert!(failures > 5, "{failures} flushes failed");
}

/// Any process and any version may have made the data folder.
#[test]
#[cfg(unix)]
fn nobody_else_can_read_what_clients_wrote() {
    use std::os::unix::fs::PermissionsExt;
    fn reachable(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
        let is_open =
            |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o077 != 0;
        if !is_open(folder) {
            return;
        }
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => reachable(&path, found),
                false if is_open(&path) => found.push(path),
                false => {}
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let open_to_all = std::fs::Permissions::from_mode(0o755);
    for _ in 0..2 {
        std::fs::set_permissions(folder.path(), open_to_all.clone()).unwrap();
        let store = open(folder.path(), 1_000);
        fill(&store, 0, 50);
        wait_for("a table is written", || store.tree.table_count() > 0);
        drop(store);
        let mut found = Vec::new();
        reachable(folder.path(), &mut found);
        found.retain(|path| !path.ends_with("checkpoint"));
        assert_eq!(found, Vec::<std::path::PathBuf>::new());
        // As a version before made them.
        for part in ["log", "tables"] {
            std::fs::set_permissions(folder.path().join(part), open_to_all.clone()).unwrap();
        }
    }
}
