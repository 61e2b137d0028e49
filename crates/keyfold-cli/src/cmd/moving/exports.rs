//! A folder of exports as a place of a move: `export:FOLDER`.

use crate::failure::Failure;
use crate::terminal::{self, counted_u64};
use keyfold_motion::Exports;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the text of a folder of exports begins with.
const SCHEME: &str = "export:";
/// The number of items from which on it is said that they are read first.
const SAID_ITEMS: u64 = 1_000_000;

/// The folder of exports that a text names; `None` when it names something else.
pub(super) fn folder_of(text: &str) -> Option<PathBuf> {
    let (scheme, folder) = text.split_at_checked(SCHEME.len())?;
    (scheme.eq_ignore_ascii_case(SCHEME) && !folder.is_empty()).then(|| PathBuf::from(folder))
}

/// Whether two folders of exports are one.
pub(super) fn same_place(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    real(one) == real(other)
}

/// What is said of a folder whose exports are all whole.
pub(super) fn none_unfinished(folder: &Path) -> Failure {
    Failure::not_found(format!(
        "{} has no exports that are not whole: an export is complete when `keyfold move` has written it, and \
         `keyfold move verify` compares it",
        folder.display()
    ))
}

/// Refuses a folder of exports where a place is asked for what it has noted, or written to by programs.
pub(super) fn check_none(text: &str) -> Result<(), Failure> {
    if text.eq_ignore_ascii_case(SCHEME) {
        return Err(Failure::usage(format!(
            "`{text}` names no folder of exports: write export:./folder"
        )));
    }
    match folder_of(text) {
        Some(_) => Err(Failure::usage(format!(
            "`{text}` is a folder of exports, in which nothing is paused, completed or changed: `keyfold move` writes \
             them whole, or reads them, and `keyfold move verify` compares them"
        ))),
        None => Ok(()),
    }
}

/// Refuses to let programs write to an export.
pub(super) fn check_may_turn(text: &str) -> Result<(), Failure> {
    match folder_of(text) {
        Some(_) => Err(Failure::refused(format!(
            "`{text}` is a stopped copy, which takes no writes and has no stream: there is nothing to switch"
        ))),
        None => Ok(()),
    }
}

/// Opens the exports of those tables that are named, or all, and proves them: all of their files are read.
pub(super) fn opened(folder: &Path, tables: &[String]) -> Result<Arc<Exports>, Failure> {
    let exports = Exports::open(folder, tables).map_err(Failure::from);
    let exports = exports.map_err(|failure| failure.in_folder(folder))?;
    for note in &exports.notes {
        terminal::error_line(&format!("not read: {note}"));
    }
    let items = exports.items();
    if items >= SAID_ITEMS {
        terminal::error_line(&format!(
            "{} of the export are read once first, to prove them",
            counted_u64(items, "item")
        ));
    }
    let proved = exports.prove().map_err(Failure::from);
    proved.map_err(|failure| failure.in_folder(folder))?;
    Ok(Arc::new(exports))
}
