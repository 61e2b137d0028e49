//! The note of exports that are being written: a file in the folder of them, until all are whole.
//!
//! The note is on the disk before anything of the exports, and is removed when each has its summary. So a folder
//! with some of the tables is not taken for one with all, and the same command knows which ones are its own.

use super::refused;
use keyfold_client::ClientError;
use keyfold_transfer::TransferError;
use keyfold_transfer::exported::{BASE, has_ended, read_file, sync_folder};
use serde_json::{Value as Json, json};
use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// The file of the note.
const NOTE: &str = "keyfold-move.json";
/// The version of the note, and the most bytes of it.
const VERSION: u64 = 1;
const NOTE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Exports that were begun, of which one at least may not be whole.
#[derive(Debug)]
pub struct Unfinished {
    /// The folder of all exports, which is called `AWSDynamoDB`.
    base: PathBuf,
    /// What the place of their tables is known by; `None` in a note of an earlier version.
    source: Option<String>,
    tables: Vec<Noted>,
}

/// A table whose export was begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Noted {
    pub(super) table: String,
    /// What distinguishes the table from another one of its name.
    pub(super) identity: String,
    /// The id of its export.
    pub(super) id: String,
}

/// The lock of a folder of exports: one process writes there at once.
#[derive(Debug)]
pub(super) struct Lock {
    /// Not every system locks folders.
    _file: Option<File>,
}

/// The folder of all exports of a place.
pub(super) fn base_of(folder: &Path) -> PathBuf {
    match folder.file_name().is_some_and(|name| name == BASE) {
        true => folder.to_owned(),
        false => folder.join(BASE),
    }
}

pub(super) fn failed(path: &Path) -> impl FnOnce(std::io::Error) -> ClientError + '_ {
    move |source| {
        refused(TransferError::File {
            path: path.to_owned(),
            source,
        })
    }
}

impl Lock {
    pub(super) fn take(base: &Path) -> Result<Lock, ClientError> {
        if !cfg!(unix) {
            return Ok(Lock { _file: None });
        }
        let file = File::open(base).map_err(failed(base))?;
        match file.try_lock() {
            Ok(()) => Ok(Lock { _file: Some(file) }),
            Err(TryLockError::WouldBlock) => Err(ClientError::refused(format!(
                "another process is writing exports to {}",
                base.display()
            ))),
            // So answer file systems of the network that have no locks.
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {
                Ok(Lock { _file: None })
            }
            Err(TryLockError::Error(error)) => Err(failed(base)(error)),
        }
    }
}

impl Unfinished {
    pub(super) fn new(base: PathBuf, source: &str, tables: Vec<Noted>) -> Unfinished {
        Unfinished {
            base,
            source: Some(source.to_owned()),
            tables,
        }
    }

    /// Reads the note of a folder; `None` when all exports there are whole, or there are none.
    ///
    /// # Errors
    /// `Refused` when it cannot be read.
    pub fn of(folder: &Path) -> Result<Option<Unfinished>, ClientError> {
        let base = base_of(folder);
        let path = base.join(NOTE);
        match path.symlink_metadata() {
            Err(error)
                if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) =>
            {
                return Ok(None);
            }
            Err(error) => return Err(failed(&path)(error)),
            Ok(_) => {}
        }
        let bytes = read_file(&path, NOTE_BYTES_MAX).map_err(refused)?;
        let json = serde_json::from_slice::<Json>(&bytes).ok();
        let tables = json.as_ref().and_then(noted).ok_or_else(|| {
            ClientError::refused(format!(
                "{} is not as this version of `keyfold move` writes it: if no other version is writing exports there, \
                 remove it with the exports that have no manifest-summary.json",
                path.display()
            ))
        })?;
        let source = json.as_ref().and_then(|json| json.get("source")?.as_str());
        Ok(Some(Unfinished {
            base,
            source: source.map(str::to_owned),
            tables,
        }))
    }

    pub(super) fn tables(&self) -> &[Noted] {
        &self.tables
    }

    /// The folder that has the folder of all exports in it.
    pub(super) fn root_folder(&self) -> &Path {
        match self.base.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            Some(_) | None => Path::new("."),
        }
    }

    /// The folder of the export of a table.
    pub(super) fn root(&self, noted: &Noted) -> PathBuf {
        self.base.join(&noted.id)
    }

    /// The tables, each with whether its export is whole.
    pub fn states(&self) -> Vec<(String, bool)> {
        let state = |noted: &Noted| (noted.table.clone(), has_ended(&self.root(noted)));
        self.tables.iter().map(state).collect()
    }

    /// The names of the tables, for a sentence.
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.tables.iter().map(|one| one.table.as_str()).collect();
        names.join(", ")
    }

    /// Refuses to read the folder as if it were whole: those of its tables that are named, or all.
    pub(super) fn check_none(folder: &Path, named: &[String]) -> Result<(), ClientError> {
        let Some(found) = Unfinished::of(folder)? else {
            return Ok(());
        };
        let is_read = |(table, is_whole): &(String, bool)| {
            named.is_empty() || (named.contains(table) && !is_whole)
        };
        let read: Vec<String> = found
            .states()
            .into_iter()
            .filter(is_read)
            .map(|(table, _)| table)
            .collect();
        match read.is_empty() {
            true => Ok(()),
            false => Err(ClientError::refused(format!(
                "the exports of {} are not all written, of these tables: {}. The `keyfold move` that began them goes on \
                 when it is called again; --table names one that is whole",
                folder.display(),
                read.join(", ")
            ))),
        }
    }

    /// Refuses to give the exports up for a place that is not the one whose tables they are of.
    ///
    /// # Errors
    /// `Refused`, with the place that is.
    pub fn check_of(&self, source: &str) -> Result<(), ClientError> {
        let whose = match &self.source {
            Some(own) if own == source => return Ok(()),
            Some(own) => format!("are of {own}, and not of {source}: name that place"),
            None => "do not say where their tables are, since an earlier version began them: look at them".to_owned(),
        };
        Err(ClientError::refused(format!(
            "nothing was deleted: the exports in {} {whose}, or pass --foreign, which deletes them whatever they are of. \
             They are of these tables: {}",
            self.base.display(),
            self.names()
        )))
    }

    /// Puts the note on the disk.
    pub(super) fn write(&self) -> Result<(), ClientError> {
        let tables = self
            .tables
            .iter()
            .map(|one| json!({ "table": one.table, "identity": one.identity, "export": one.id }));
        let tables = tables.collect::<Vec<_>>();
        let json = json!({ "version": VERSION, "source": self.source, "tables": tables });
        let path = self.base.join(NOTE);
        let part = path.with_extension("part");
        let written = File::create(&part).and_then(|mut file| {
            file.write_all(format!("{json:#}\n").as_bytes())?;
            file.sync_all()
        });
        written.map_err(failed(&part))?;
        std::fs::rename(&part, &path).map_err(failed(&path))?;
        sync_folder(&self.base).map_err(refused)
    }

    /// Removes the export of a table, whole or not.
    pub(super) fn remove(&self, noted: &Noted) -> Result<(), ClientError> {
        let root = self.root(noted);
        match std::fs::remove_dir_all(&root) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            removed => removed.map_err(failed(&root)),
        }
    }

    /// Removes the note, after all that was removed or written before.
    pub(super) fn end(&self) -> Result<(), ClientError> {
        sync_folder(&self.base).map_err(refused)?;
        let path = self.base.join(NOTE);
        std::fs::remove_file(&path).map_err(failed(&path))?;
        sync_folder(&self.base).map_err(refused)
    }

    /// Removes all exports of the note, and the note.
    ///
    /// # Errors
    /// `Refused` when another process is writing them, or has done so since the note was read; or when one cannot be
    /// removed: the same call goes on.
    pub fn abort(&self) -> Result<(), ClientError> {
        let _lock = Lock::take(&self.base)?;
        let now = Unfinished::of(&self.base)?;
        if now.is_none_or(|now| now.tables != self.tables) {
            return Err(ClientError::refused(format!(
                "another process has written exports to {} meanwhile: nothing was deleted",
                self.base.display()
            )));
        }
        for noted in &self.tables {
            self.remove(noted)?;
        }
        self.end()
    }
}

/// The tables of a note.
fn noted(json: &Json) -> Option<Vec<Noted>> {
    if json.get("version")?.as_u64()? != VERSION {
        return None;
    }
    let tables = json.get("tables")?.as_array()?.iter();
    let of = |one: &Json| {
        let text = |name: &str| one.get(name).and_then(Json::as_str).map(str::to_owned);
        let is_part = |sign: char| sign.is_ascii_alphanumeric() || sign == '-';
        Some(Noted {
            table: text("table")?,
            identity: text("identity")?,
            // The folder of this name may be removed.
            id: text("export").filter(|id| !id.is_empty() && id.chars().all(is_part))?,
        })
    };
    tables.map(of).collect()
}
