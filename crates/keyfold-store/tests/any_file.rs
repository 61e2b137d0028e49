//! Each file of a data folder is removed, cut or replaced by an older copy, in several states of the
//! folder: opening it is refused with the file's name, or no acknowledged write is missing. And
//! examining a folder changes nothing in it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold_store::{Batch, Direction, Durability, FolderOptions, Store, StoreError, StoreOptions};
use std::collections::BTreeMap;
use std::fs;
use std::ops::Bound;
use std::path::{Path, PathBuf};

type Files = BTreeMap<PathBuf, Vec<u8>>;

/// Every file under a folder, by its path in it.
fn files(folder: &Path) -> Files {
    let mut found = Files::new();
    let mut left = vec![folder.to_owned()];
    while let Some(folder_in_it) = left.pop() {
        for entry in fs::read_dir(folder_in_it).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                left.push(path);
            } else {
                found.insert(
                    path.strip_prefix(folder).unwrap().to_owned(),
                    fs::read(&path).unwrap(),
                );
            }
        }
    }
    found
}

/// Makes a folder of files.
fn write_files(files: &Files, folder: &Path) {
    fs::create_dir_all(folder.join("log")).unwrap();
    fs::create_dir_all(folder.join("tables/tables")).unwrap();
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).unwrap();
    }
}

fn options(folder: &Path) -> FolderOptions {
    FolderOptions {
        durability: Durability::Synced,
        memtable_bytes: 20_000,
        ..FolderOptions::new(folder)
    }
}

fn open(folder: &Path) -> Result<Store, StoreError> {
    Store::open(StoreOptions::Folder(options(folder)))
}

fn examine(folder: &Path) -> Result<Store, StoreError> {
    Store::open(StoreOptions::Folder(FolderOptions {
        is_examined: true,
        ..options(folder)
    }))
}

/// Writes so many keys that start with a byte, each in a synced batch of its own.
fn write(store: &Store, start: u8, count: u32) {
    for n in 0..count {
        let mut batch = Batch::new();
        batch.put([&[start][..], &n.to_be_bytes()].concat(), vec![start; 300]);
        store.stage(batch).unwrap().wait().unwrap();
    }
}

/// The number of keys that can be read.
fn keys(store: &Store) -> usize {
    let snapshot = store.snapshot();
    snapshot
        .range(Bound::Unbounded, Bound::Unbounded, Direction::Forward)
        .filter(|entry| entry.is_ok())
        .count()
}

fn wait_for_maintenance(store: &Store) {
    while store.maintenance().pending > 0 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// A state of a folder: its files, those of an earlier state, and the number of acknowledged keys.
struct State {
    name: &'static str,
    files: Files,
    older: Files,
    keys: usize,
}

/// The files under an open store. Reads them until two readings are equal.
fn stable_files(folder: &Path) -> Files {
    loop {
        let taken = std::panic::catch_unwind(|| (files(folder), files(folder)));
        if let Ok((one, other)) = taken
            && one == other
        {
            return one;
        }
    }
}

fn states(place: &Path) -> Vec<State> {
    let folder = place.join("made");
    let mut states = Vec::new();
    let store = open(&folder).unwrap();
    let fresh = stable_files(&folder);
    states.push(State {
        name: "fresh",
        files: fresh.clone(),
        older: fresh.clone(),
        keys: 0,
    });
    write(&store, 1, 30);
    let little = stable_files(&folder);
    states.push(State {
        name: "killed early",
        files: little.clone(),
        older: fresh.clone(),
        keys: 30,
    });
    write(&store, 2, 400);
    wait_for_maintenance(&store);
    let used = stable_files(&folder);
    states.push(State {
        name: "killed",
        files: used.clone(),
        older: little,
        keys: 430,
    });
    write(&store, 3, 10);
    states.push(State {
        name: "killed later",
        files: stable_files(&folder),
        older: used.clone(),
        keys: 440,
    });
    drop(store);
    let stopped = files(&folder);
    states.push(State {
        name: "stopped",
        files: stopped.clone(),
        older: used,
        keys: 440,
    });
    let store = open(&folder).unwrap();
    write(&store, 4, 300);
    states.push(State {
        name: "killed after reopening",
        files: stable_files(&folder),
        older: stopped.clone(),
        keys: 740,
    });
    drop(store);
    states.push(State {
        name: "stopped again",
        files: files(&folder),
        older: stopped,
        keys: 740,
    });
    states
}

/// Changes of a file: each with its name, and the new content unless the file is removed.
fn changes(bytes: &[u8], older: Option<&Vec<u8>>) -> Vec<(&'static str, Option<Vec<u8>>)> {
    let mut changes = vec![("removed", None), ("emptied", Some(Vec::new()))];
    for cut in [1, 8, bytes.len() / 2, bytes.len().saturating_sub(1)] {
        if cut < bytes.len() {
            changes.push(("cut", Some(bytes[..cut].to_vec())));
        }
    }
    if let Some(older) = older.filter(|older| *older != bytes) {
        changes.push(("replaced by an older copy", Some(older.clone())));
    }
    changes
}

#[test]
fn a_folder_with_one_changed_file_is_refused_or_complete() {
    let place = keyfold_testkit::folder::in_memory().unwrap();
    let (mut refused, mut complete, mut at) = (0, 0, 0);
    for state in states(place.path()) {
        let undisturbed = place.path().join(format!("undisturbed {}", state.name));
        write_files(&state.files, &undisturbed);
        assert_eq!(
            keys(&open(&undisturbed).unwrap()),
            state.keys,
            "{}",
            state.name
        );
        for (file, bytes) in &state.files {
            for (change, content) in changes(bytes, state.older.get(file)) {
                at += 1;
                let folder = place.path().join(at.to_string());
                write_files(&state.files, &folder);
                match &content {
                    None => fs::remove_file(folder.join(file)).unwrap(),
                    Some(bytes) => fs::write(folder.join(file), bytes).unwrap(),
                }
                let what = format!("{}: {} {change}", state.name, file.display());
                let before = files(&folder);
                let examined = examine(&folder).map(|store| keys(&store));
                assert_eq!(files(&folder), before, "{what}: the examination changed it");
                match open(&folder) {
                    Ok(store) => {
                        complete += 1;
                        assert_eq!(keys(&store), state.keys, "{what}");
                        assert_eq!(examined.unwrap(), state.keys, "{what}");
                    }
                    Err(error) => {
                        refused += 1;
                        let error = error.to_string();
                        let examined = examined.unwrap_err().to_string();
                        let name = file.file_name().unwrap().to_string_lossy();
                        let is_named = error.contains(&*name) && examined.contains(&*name);
                        // An older checkpoint names a segment that was retired since.
                        assert!(is_named || name == "checkpoint", "{what}: {error}");
                        assert!(
                            error.contains("copy") && !error.contains("remove"),
                            "{what}: {error}"
                        );
                        assert_eq!(
                            files(&folder).len(),
                            before.len(),
                            "{what}: a refusal removes nothing"
                        );
                    }
                }
                fs::remove_dir_all(&folder).unwrap();
            }
        }
    }
    assert!(
        refused > 30 && complete > 10,
        "{refused} refused, {complete} complete"
    );
}

/// A flush made a manifest current and failed to sync that, and a compaction at the same time began
/// to write a manifest of the same number when the process ended.
#[test]
fn a_manifest_that_was_begun_again_is_not_needed() {
    let place = keyfold_testkit::folder::in_memory().unwrap();
    for (at, state) in states(place.path()).into_iter().enumerate() {
        let current = &state.files[Path::new("tables/current")];
        let next = u64::from_le_bytes(*current.first_chunk().unwrap()) + 1;
        let named = [next.to_le_bytes().as_slice(), &[7; 16], &[0]].concat();
        for (nth, begun) in [&b""[..], b"half of a manifest"].into_iter().enumerate() {
            let folder = place.path().join(format!("{at} {nth}"));
            write_files(&state.files, &folder);
            fs::write(folder.join("tables/current"), &named).unwrap();
            fs::write(folder.join(format!("tables/v{next}")), begun).unwrap();
            let before = files(&folder);
            assert_eq!(
                keys(&examine(&folder).unwrap()),
                state.keys,
                "{}",
                state.name
            );
            assert_eq!(files(&folder), before, "an examination changes nothing");
            for more in [0, 30] {
                let store = open(&folder).unwrap();
                assert_eq!(keys(&store), state.keys + more, "{}", state.name);
                write(&store, 9, 30);
            }
        }
    }
}

/// A device that cannot be read now may be sound: nothing is changed for it.
#[test]
fn a_manifest_that_cannot_be_read_stays_current() {
    let place = keyfold_testkit::folder::in_memory().unwrap();
    let state = states(place.path()).pop().unwrap();
    let current = &state.files[Path::new("tables/current")];
    let next = u64::from_le_bytes(*current.first_chunk().unwrap()) + 1;
    let named = [next.to_le_bytes().as_slice(), &[7; 16], &[0]].concat();
    let folder = place.path().join("unreadable");
    write_files(&state.files, &folder);
    fs::write(folder.join("tables/current"), &named).unwrap();
    // Reading a folder as a file is an error of the system.
    fs::create_dir(folder.join(format!("tables/v{next}"))).unwrap();
    assert!(matches!(open(&folder), Err(StoreError::Io(_))));
    assert_eq!(fs::read(folder.join("tables/current")).unwrap(), named);
}
