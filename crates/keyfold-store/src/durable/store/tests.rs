//! The durable store while memtables are flushed and tables are compacted behind it.

use super::*;
use crate::durable::Entry;
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
        .map(|entry| Entry::into_pair(entry).unwrap())
        .map(|(key, value)| (key.to_vec(), value.to_vec()))
        .collect()
}

/// A linear congruential generator of random numbers.
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
fn a_snapshot_does_not_change_while_tables_are_flushed_and_compacted() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(7);
    let mut model = Model::new();
    for opening in 0..3 {
        let store = open(folder.path(), 20_000);
        assert_eq!(contents(&store.snapshot()), model, "opening {opening}");
        let mut live: Vec<(DurableSnapshot, Model)> = Vec::new();
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
                    Durability::Buffered,
                )
                .unwrap();
            for (key, value) in batch {
                match value {
                    Some(value) => model.insert(key, value),
                    None => model.remove(&key),
                };
            }
            if random.below(20) == 0 {
                live.push((store.snapshot(), model.clone()));
            }
            if random.below(10) == 0 && !live.is_empty() {
                let at = random.below(live.len() as u64) as usize;
                let (snapshot, expected) = live.swap_remove(at);
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
        assert!(store.tree.tables() > 0, "no memtable was flushed");
        assert!(store.writer().log.id() > 10, "few segments were begun");
    }
}

/// The table files of a data folder.
fn table_files(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder.join("tables").join("tables")).unwrap();
    files.map(|entry| entry.unwrap().path()).collect()
}

/// Bytes of table files; one may be removed meanwhile.
fn bytes_of(files: &[PathBuf]) -> u64 {
    let bytes = |path: &PathBuf| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    files.iter().map(bytes).sum()
}

fn remove_all(store: &DurableStore, keys: &[[u8; 8]]) {
    store
        .apply(
            keys.iter().map(|key| (&key[..], None)),
            Durability::Buffered,
        )
        .unwrap();
}

#[test]
fn the_space_of_removed_keys_is_freed() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), 100_000);
    let value = [7; 100];
    let keys: Vec<[u8; 8]> = (0..30_000u64).map(u64::to_be_bytes).collect();
    for some in keys.chunks(500) {
        store
            .apply(
                some.iter().map(|key| (&key[..], Some(&value[..]))),
                Durability::Buffered,
            )
            .unwrap();
    }
    wait_for("the memtables are flushed", || {
        store.maintenance().pending == 0 || store.tree.table_bytes() >= 2_000_000
    });
    keys.chunks(500).for_each(|some| remove_all(&store, some));
    wait_for("the tables are compacted", || {
        store.tree.table_bytes() <= 500_000
    });
    assert_eq!(contents(&store.snapshot()), Model::new());
    wait_for("the files of old manifests are removed", || {
        bytes_of(&table_files(folder.path())) < 600_000
    });
    let segments = std::fs::read_dir(folder.path().join("log"))
        .unwrap()
        .count();
    assert!(segments < 10, "{segments} files of the log");
}

/// Writers are never idle, so no compaction runs for the readers' sake.
#[test]
fn the_space_of_removed_keys_is_freed_beside_active_writers() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_a_table(folder.path(), 20_000);
    store
        .maintenance
        .after_idle_compaction(|idle| panic!("an idle compaction after {idle:?}"));
    store.maintenance.restart_idle_time();
    let before = store.tree.table_bytes();
    let keys: Vec<[u8; 8]> = (0..19_000u64).map(u64::to_be_bytes).collect();
    remove_all(&store, &keys);
    store.seal(&mut store.writer()).unwrap();
    wait_for("the space is freed", || {
        store.maintenance.restart_idle_time();
        store.tree.table_bytes() < before / 8
    });
    assert!(!store.maintenance.has_failed());
    assert_eq!(contents(&store.snapshot()).len(), 1_000);
}

/// Waits until a condition holds; fails when it does not in time.
fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(40);
    while !holds() {
        assert!(Instant::now() < deadline, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until there is a table and no flush or compaction is due.
fn wait_for_tables(store: &DurableStore) {
    wait_for("the tables are flushed and compacted", || {
        store.tree.tables() > 0 && store.maintenance().pending == 0
    });
}

/// Writes the keys of a range, each in a batch of its own.
fn fill(store: &DurableStore, from: u64, to: u64) {
    for n in from..to {
        store
            .apply(
                [(&n.to_be_bytes()[..], Some(&[n as u8; 200][..]))].into_iter(),
                Durability::Buffered,
            )
            .unwrap();
    }
}

#[test]
fn new_tables_are_compacted_when_writers_are_idle() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), 100_000);
    // Twice the same keys, so that tables overlap and cannot just be moved to another level.
    fill(&store, 0, 900);
    fill(&store, 0, 900);
    wait_for_tables(&store);
    assert_eq!(store.tree.level_zero_runs(), 0);
    assert_eq!(contents(&store.snapshot()).len(), 900);
}

/// Seals a memtable of so many keys, the same each time, so that tables cannot just be moved to
/// another level.
fn fill_a_table(store: &DurableStore, keys: u64) {
    fill(store, 0, keys);
    store.seal(&mut store.writer()).unwrap();
}

/// A store with one table of so many keys.
fn with_a_table(folder: &Path, keys: u64) -> DurableStore {
    let store = open(folder, 100_000_000);
    fill_a_table(&store, keys);
    wait_for_tables(&store);
    store
}

/// Stops the next idle compaction at its end until the sender is dropped. The receiver gets how long
/// writers had been idle when it began.
fn stop_idle_compaction(store: &DurableStore) -> (mpsc::Receiver<Duration>, mpsc::Sender<()>) {
    let (report, stopped) = mpsc::channel();
    let (resume, resumed) = mpsc::channel();
    store.maintenance.after_idle_compaction(move |idle| {
        report.send(idle).unwrap();
        // An error: the sender is dropped.
        assert!(resumed.recv().is_err());
    });
    (stopped, resume)
}

/// Changes one byte of a file.
fn corrupt(path: &Path, at: impl FnOnce(usize) -> usize) {
    let mut bytes = std::fs::read(path).unwrap();
    let at = at(bytes.len());
    bytes[at] ^= 0xff;
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn an_idle_compaction_waits_for_idle_writers_and_is_followed_by_one_of_a_table_flushed_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    // Eight megabytes, so that writers must be idle for long; then little, which is flushed at once.
    let store = with_a_table(folder.path(), 40_000);
    let (stopped, resume) = stop_idle_compaction(&store);
    fill_a_table(&store, 10);
    let idle = stopped.recv_timeout(Duration::from_secs(40)).unwrap();
    assert!(idle > Duration::from_millis(300), "idle for {idle:?}");
    fill_a_table(&store, 10);
    wait_for("another table is flushed", || {
        store.tree.level_zero_runs() > 0 && store.tree.sealed_memtables() == 0
    });
    drop(resume);
    wait_for("it is compacted, too", || store.maintenance().pending == 0);
    assert_eq!(contents(&store.snapshot()).len(), 40_000);
}

/// A file of the log was taken away, and its changes are in a table by now.
#[test]
fn a_missing_segment_does_not_keep_later_ones_from_being_retired() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), 100_000_000);
    fill(&store, 0, 10);
    std::fs::remove_file(folder.path().join("log").join("000000000001.log")).unwrap();
    for _ in 0..2 {
        fill(&store, 0, 10);
        store.seal(&mut store.writer()).unwrap();
    }
    let is_segment = |name: &std::ffi::OsStr| name.to_string_lossy().ends_with(".log");
    let segments = || {
        let files = std::fs::read_dir(folder.path().join("log")).unwrap();
        files
            .filter(|entry| is_segment(&entry.as_ref().unwrap().file_name()))
            .count()
    };
    wait_for("only the current segment is left", || segments() == 1);
    assert!(!store.maintenance.has_failed());
}

#[test]
fn a_memtable_is_flushed_when_writers_are_idle() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), 100_000_000);
    fill(&store, 0, 1_500);
    wait_for_tables(&store);
    fill(&store, 1_500, 1_510);
    drop(store);
    let store = open(folder.path(), 100_000_000);
    assert_eq!(contents(&store.snapshot()).len(), 1_510);
}

/// A store whose every idle compaction reads a corrupt block and fails.
fn with_a_corrupt_block(folder: &Path) -> DurableStore {
    drop(with_a_table(folder, 5_000));
    corrupt(&table_files(folder)[0], |length| length / 2);
    let store = open(folder, 100_000_000);
    // The same keys, so that a compaction must merge both tables.
    fill_a_table(&store, 5_000);
    store
}

/// The leveled strategy has nothing to do meanwhile, and its success must not hide the failures.
#[test]
fn compactions_that_keep_failing_are_tried_ever_less_often() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_a_corrupt_block(folder.path());
    wait_for("a compaction fails", || store.maintenance.has_failed());
    wait_for("some compactions fail", || {
        assert!(store.maintenance.has_failed(), "the error is forgotten");
        store.maintenance.compaction_pauses().len() >= 3
    });
    // A flush makes the leveled strategy due, which finds too few runs to merge.
    fill_a_table(&store, 10);
    wait_for("another compaction fails", || {
        assert!(store.maintenance.has_failed(), "the error is forgotten");
        store.maintenance.compaction_pauses().len() >= 4
    });
    let pauses = store.maintenance.compaction_pauses();
    let millis: Vec<u128> = pauses.iter().take(4).map(Duration::as_millis).collect();
    assert_eq!(millis, [500, 1_000, 2_000, 4_000]);
}

/// The table files that failed compactions began are removed between the attempts.
#[test]
fn compactions_that_keep_failing_leave_no_table_files() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_a_corrupt_block(folder.path());
    wait_for("some compactions fail", || {
        store.maintenance.compaction_pauses().len() >= 3
    });
    // No sizes are compared: a flush or the next attempt may be under way at any time.
    let leftovers = || {
        let current = store.tree.table_ids();
        let mut files = table_files(folder.path());
        files.retain(|file| !current.iter().any(|id| file.ends_with(id.to_string())));
        files
    };
    wait_for(
        "every table file is in the manifest between attempts",
        || {
            store
                .maintenance
                .between_attempts(leftovers)
                .is_some_and(|files| files.is_empty())
        },
    );
    // Other keys are still read and written.
    fill(&store, 20_000, 20_100);
    assert!(store.get(&20_050u64.to_be_bytes()).unwrap().is_some());
}

/// A corrupt table keeps the space of tombstones in use. It keeps no writer waiting.
#[test]
fn a_failing_major_compaction_does_not_delay_other_compactions() {
    let folder = tempfile::tempdir().unwrap();
    {
        let store = open(folder.path(), 100_000_000);
        fill(&store, 1_000_000, 1_001_000);
        store.seal(&mut store.writer()).unwrap();
        wait_for_tables(&store);
    }
    corrupt(&table_files(folder.path())[0], |_| 100);
    let store = open(folder.path(), 100_000_000);
    let keys: Vec<[u8; 8]> = (0..1_500u64).map(u64::to_be_bytes).collect();
    let mut has_failed = false;
    for _ in 0..100 {
        fill(&store, 0, 10);
        remove_all(&store, &keys);
        store.seal(&mut store.writer()).unwrap();
        std::thread::sleep(Duration::from_millis(40));
        has_failed |= store.maintenance.has_failed();
    }
    assert!(has_failed, "no major compaction was tried");
}

/// A long scan must not keep the versions that are written meanwhile.
#[test]
fn a_long_scan_keeps_only_the_versions_that_it_reads() {
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
    wait_for("the tables are compacted", || {
        store.maintenance().pending == 0
    });
    // The next flush releases the manifests that no reader needs any more.
    fill(&store, 0, 500);
    wait_for("old manifests are released", || {
        store.tree.old_manifests() < 4
    });
    assert_eq!(scan.count(), 499);
}

/// The storage engine holds its lock while the end of a flush or a compaction is written and synced. Who
/// answers a request does not wait for it.
#[test]
fn nobody_who_reads_or_writes_waits_for_the_lock_of_the_storage_engine() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), 20_000);
    fill(&store, 0, 500);
    wait_for("the tables are compacted", || {
        store.maintenance().pending == 0
    });
    fill(&store, 0, 10);
    let (begin, begun) = mpsc::channel();
    let (end, ended) = mpsc::channel();
    let store = &store;
    let answered = std::thread::scope(|scope| {
        scope.spawn(move || {
            let () = begun.recv().unwrap();
            let change = (&b"new"[..], Some(&b"value"[..]));
            store
                .apply([change].into_iter(), Durability::Synced)
                .unwrap();
            assert_eq!(store.get(b"new").unwrap().as_deref(), Some(&b"value"[..]));
            let snapshot = store.snapshot();
            assert_eq!(snapshot.get(b"new").unwrap().as_deref(), change.1);
            assert_eq!(contents(&snapshot).len(), 501);
            end.send(()).unwrap();
        });
        store.tree.with_manifest_locked(|| {
            begin.send(()).unwrap();
            ended.recv_timeout(Duration::from_secs(60))
        })
    });
    assert_eq!(answered, Ok(()));
}

/// Each call of a flush fails in turn, before or after the manifest has changed: the flush is tried
/// again, and every write is there.
#[test]
#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
fn a_flush_that_fails_at_any_of_its_calls_is_tried_again() {
    use keyfold_faults::{Fault, Machine};
    let place = tempfile::tempdir().unwrap();
    let (mut retried, mut at) = (0, 0);
    loop {
        at += 1;
        let folder = place.path().join(at.to_string());
        std::fs::create_dir(&folder).unwrap();
        let store = open(&folder, 100_000_000);
        fill(&store, 0, 100);
        let machine = Machine::watch(&folder).unwrap();
        machine.inject(machine.changes() + at, Fault::Error);
        // A new segment of the log may fail, too: then nothing is flushed.
        if store.seal(&mut store.writer()).is_ok() {
            wait_for("the memtable is flushed, and its segment retired", || {
                store.tree.tables() > 0
                    && store.maintenance().pending == 0
                    && !store.maintenance.has_failed()
            });
            retried += machine.injected();
        }
        let is_over = machine.injected() == 0;
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
    assert!(retried > 5, "{retried} flushes failed");
}

/// A flush fails beside a compaction. The compaction would write over a manifest that is current on
/// the disk and not in memory, so the manifest is restored at once.
#[test]
#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
fn a_manifest_that_a_failed_flush_changed_is_restored_at_once() {
    use keyfold_faults::{Fault, Machine};
    let place = tempfile::tempdir().unwrap();
    let mut failures = 0;
    for at in 1.. {
        let folder = place.path().join(at.to_string());
        std::fs::create_dir(&folder).unwrap();
        // Twice the same keys, so that tables cannot just be moved to another level.
        let store = with_a_table(&folder, 100);
        let (stopped, resume) = stop_idle_compaction(&store);
        fill_a_table(&store, 100);
        stopped.recv_timeout(Duration::from_secs(40)).unwrap();
        fill(&store, 0, 10);
        let machine = Machine::watch(&folder).unwrap();
        machine.inject(machine.changes() + at, Fault::Error);
        if store.seal(&mut store.writer()).is_ok() {
            wait_for("the flush fails or succeeds", || {
                store.maintenance.has_failed() || store.tree.sealed_memtables() == 0
            });
            failures += u64::from(store.maintenance.has_failed());
            let current = std::fs::read(folder.join("tables").join("current")).unwrap();
            let named = u64::from_le_bytes(*current.first_chunk().unwrap());
            assert_eq!(named, store.tree.manifest(), "call {at}");
        }
        drop(resume);
        if machine.injected() == 0 {
            break;
        }
    }
    assert!(failures > 5, "{failures} flushes failed");
}

/// Another process or an older version may have made the data folder.
#[test]
#[cfg(unix)]
fn other_users_cannot_read_the_data() {
    use std::os::unix::fs::PermissionsExt;
    fn reachable(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
        let is_open =
            |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o077 != 0;
        if !is_open(folder) {
            return;
        }
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                reachable(&path, found);
            } else if is_open(&path) {
                found.push(path);
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let open_to_all = std::fs::Permissions::from_mode(0o755);
    for _ in 0..2 {
        std::fs::set_permissions(folder.path(), open_to_all.clone()).unwrap();
        let store = open(folder.path(), 1_000);
        fill(&store, 0, 50);
        wait_for("a memtable is flushed", || store.tree.tables() > 0);
        drop(store);
        let mut found = Vec::new();
        reachable(folder.path(), &mut found);
        found.retain(|path| !path.ends_with("checkpoint"));
        assert_eq!(found, Vec::<std::path::PathBuf>::new());
        // An older version made them so.
        for part in ["log", "tables"] {
            std::fs::set_permissions(folder.path().join(part), open_to_all.clone()).unwrap();
        }
    }
}

#[test]
fn writers_wait_for_flushes_of_large_memtables_however_few_they_are() {
    const BATCH: usize = 4 << 20;
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), 1 << 20);
    let value = vec![7; BATCH];
    let (sender, written) = mpsc::channel();
    std::thread::scope(|scope| {
        let (store, value) = (&store, &value);
        let before = store.tree.without_flushes(|| {
            scope.spawn(move || {
                for number in 0..6_u8 {
                    let change = ([number], Some(&value[..]));
                    let changes = std::iter::once((&change.0[..], change.1));
                    store.apply(changes, Durability::Buffered).unwrap();
                    sender.send(number).unwrap();
                }
            });
            let mut before = 0;
            while written.recv_timeout(Duration::from_secs(5)).is_ok() {
                before += 1;
            }
            before
        });
        assert!(before < 5, "{before} batches are held in memory");
        assert_eq!(before + written.iter().count(), 6);
    });
}
