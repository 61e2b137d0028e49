//! The folder that keeps how far a comparison is: a file for each table.
//!
//! It is on this machine, so that a comparison needs no right to write to either place. A file is written
//! beside its place and renamed, so that an interruption leaves a whole one.

use crate::failure::Failure;
use keyfold_client::ClientError;
use keyfold_model::value;
use keyfold_motion::verify::{Saved, Unusable};
use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// The file of a table in the folder.
pub(super) struct Kept {
    folder: PathBuf,
    path: PathBuf,
    /// What is compared: both places, and the tables by their ids.
    subject: String,
}

impl Kept {
    /// The file of a table. The folder is made if there is none.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub(super) fn of(folder: &Path, table: &str, subject: String) -> Result<Kept, Failure> {
        std::fs::create_dir_all(folder).map_err(|error| {
            let why = format!("cannot make the folder {}: {error}", folder.display());
            Failure::of_place(&error, why).in_folder(folder)
        })?;
        // The name of a table may be as long as that of a file.
        Ok(Kept {
            path: folder.join(format!("{}.comparison", value::digest(table))),
            folder: folder.to_owned(),
            subject,
        })
    }

    /// How far an earlier comparison was; the beginning when there was none.
    ///
    /// # Errors
    /// When the file is of another comparison, or of another version, or damaged.
    pub(super) fn saved(&self) -> Result<Saved, Failure> {
        let bytes = match std::fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Saved::default()),
            Err(error) => {
                let why = format!("cannot read {}: {error}", self.path.display());
                return Err(Failure::of_place(&error, why).in_file(&self.path));
            }
        };
        Saved::of_bytes(&bytes, &self.subject).map_err(|unusable| {
            let why = match unusable {
                Unusable::Foreign => "is of another version of Keyfold",
                Unusable::Other => {
                    "is of another comparison: of other places, or of tables that were made anew since"
                }
                Unusable::Damaged => "is not as it was written",
            };
            Failure::refused(format!(
                "the state {} {why}; name another folder than {}, or remove it to begin anew",
                self.path.display(),
                self.folder.display()
            ))
            .in_folder(&self.folder)
        })
    }

    /// Keeps how far a comparison is.
    ///
    /// # Errors
    /// `Transport` when the file cannot be written.
    pub(super) fn keep(&self, saved: &Saved) -> Result<(), ClientError> {
        let beside = self.path.with_extension("new");
        let written = File::create(&beside).and_then(|mut file| {
            file.write_all(&saved.to_bytes(&self.subject))?;
            file.sync_all()?;
            std::fs::rename(&beside, &self.path)
        });
        written.map_err(|error| {
            ClientError::Transport(format!(
                "cannot keep how far the comparison is in {}: {error}",
                self.path.display()
            ))
        })
    }

    /// Removes what was kept, and the folder if that was all: the comparison has ended.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub(super) fn remove(&self) -> Result<(), Failure> {
        match std::fs::remove_file(&self.path) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => {
                let why = format!("cannot remove {}: {error}", self.path.display());
                return Err(Failure::of_place(&error, why).in_file(&self.path));
            }
        }
        // Other tables, and files of others, keep the folder.
        std::fs::remove_dir(&self.folder).ok();
        Ok(())
    }
}
