//! The reasons for which an engine is not opened, each distinguished by its variant.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod common;

use common::{create_table, durable};
use keyfold_engine::{Durability, Engine, EngineOptions, OpenError, StoreOptions};
use std::path::Path;

fn refusal(folder: &Path) -> OpenError {
    let store = StoreOptions::folder(folder, Durability::Synced);
    match Engine::open(EngineOptions::new(store)) {
        Ok(_) => panic!("{} was opened", folder.display()),
        Err(error) => error,
    }
}

/// A data folder that was closed.
fn data(place: &Path) -> std::path::PathBuf {
    let folder = place.join("data");
    create_table(&durable(&folder), "Tab");
    folder
}

#[test]
fn a_folder_in_use_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let folder = data(place.path());
    let _engine = durable(&folder);
    assert!(matches!(refusal(&folder), OpenError::InUse));
}

#[test]
fn a_folder_of_something_else_is_refused() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("letter.txt"), "Dear Ada").unwrap();
    let error = refusal(place.path());
    assert!(matches!(error, OpenError::NotKeyfold(_)), "{error:?}");
    assert!(
        error.to_string().contains("holds something else"),
        "{error}"
    );
}

#[test]
fn a_folder_of_another_format_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let folder = data(place.path());
    let marker = std::fs::read_dir(&folder).unwrap().find_map(|entry| {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        text.starts_with("keyfold store").then_some(path)
    });
    std::fs::write(marker.unwrap(), "keyfold store 1\n").unwrap();
    let error = refusal(&folder);
    assert!(matches!(error, OpenError::OtherFormat(_)), "{error:?}");
    assert!(error.to_string().contains("keyfold store 1"), "{error}");
}

#[test]
fn a_corrupt_folder_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let folder = data(place.path());
    std::fs::write(folder.join("checkpoint"), "no checkpoint").unwrap();
    let error = refusal(&folder);
    assert!(matches!(error, OpenError::Corrupt(_)), "{error:?}");
}

#[test]
fn a_folder_that_cannot_be_made_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = refusal(&file.join("data"));
    assert!(matches!(error, OpenError::Io(_)), "{error:?}");
}
