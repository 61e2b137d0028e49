//! The models that the command was given: read for the page, and written when it saves.
//!
//! A file is named by its place in the list: no request can name another one. A save says what was
//! read, and writes only if the file still holds that: nobody's change is overwritten.

use keyfold_model::files::used;
use keyfold_model::{Loaded, Model, Sources};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The files, in the order of the command line.
pub(crate) struct Files {
    paths: Vec<PathBuf>,
    /// One save at a time.
    saving: Mutex<()>,
}

/// A file as the page gets it.
#[derive(Debug, Serialize)]
pub(crate) struct Shown {
    /// Its name as it was given.
    name: String,
    /// The name of the language server for it.
    uri: String,
    /// What it holds.
    text: String,
}

/// What the page sends to save a file.
#[derive(Debug, Deserialize)]
pub(crate) struct Save {
    /// The place of the file in the list.
    file: usize,
    /// What the page has read.
    before: String,
    /// What the file is to hold.
    text: String,
}

/// The reason that a file is not saved, or not read.
#[derive(Debug)]
pub(crate) enum FileError {
    /// There is no such file in the list.
    Unknown,
    /// Another program has changed it.
    Changed(PathBuf),
    /// The system refuses.
    Io(PathBuf, std::io::Error),
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::Unknown => f.write_str("there is no such file"),
            FileError::Changed(path) => write!(
                f,
                "{} was changed by another program since it was read; nothing was written",
                path.display()
            ),
            FileError::Io(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl Files {
    pub(crate) fn new(paths: Vec<PathBuf>) -> Files {
        Files {
            paths,
            saving: Mutex::new(()),
        }
    }

    /// The path of a file.
    ///
    /// # Errors
    /// `Unknown` for a place beyond the list.
    pub(crate) fn path(&self, at: usize) -> Result<&Path, FileError> {
        let path = self.paths.get(at);
        path.map(PathBuf::as_path).ok_or(FileError::Unknown)
    }

    /// The paths of all files.
    pub(crate) fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// The model of a file with another text in the place of the stored one; the files that it uses are
    /// read as they are stored.
    ///
    /// # Errors
    /// A sentence, where there is no such file, or the text has errors.
    pub(crate) fn compiled(&self, at: usize, text: &str) -> Result<Model, String> {
        let path = self.path(at).map_err(|error| error.to_string())?;
        let own = std::fs::canonicalize(path).map_err(|error| io(path, error).to_string())?;
        let root = Loaded {
            text: text.to_owned(),
            identity: own.display().to_string(),
        };
        let folder = own.parent().unwrap_or(Path::new(""));
        let sources = Sources::load(&path.display().to_string(), root, |name| used(folder, name));
        let model = keyfold_model::compile_sources(&sources).model;
        model.ok_or_else(|| "the model has errors".to_owned())
    }

    /// All files with their texts.
    ///
    /// # Errors
    /// `Io` for a file that cannot be read.
    pub(crate) fn read(&self) -> Result<Vec<Shown>, FileError> {
        let shown = |path: &PathBuf| {
            let whole = std::fs::canonicalize(path).map_err(|error| io(path, error))?;
            Ok(Shown {
                name: path.display().to_string(),
                uri: keyfold_lsp::uri_of(&whole.display().to_string()),
                text: text_of(path)?,
            })
        };
        self.paths.iter().map(shown).collect()
    }

    /// Writes a file, if it holds what the page has read.
    ///
    /// # Errors
    /// `Unknown` for a place beyond the list, `Changed` when it holds something else, `Io` when it
    /// cannot be read or written.
    pub(crate) fn save(&self, save: &Save) -> Result<(), FileError> {
        let Save { file, before, text } = save;
        let path = self.path(*file)?;
        let _one = self.saving.lock().unwrap_or_else(PoisonError::into_inner);
        if text_of(path)? != *before {
            return Err(FileError::Changed(path.to_owned()));
        }
        std::fs::write(path, text).map_err(|error| io(path, error))
    }
}

fn text_of(path: &Path) -> Result<String, FileError> {
    std::fs::read_to_string(path).map_err(|error| io(path, error))
}

fn io(path: &Path, error: std::io::Error) -> FileError {
    FileError::Io(path.to_owned(), error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_saved_only_if_it_holds_what_was_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.keyfold");
        std::fs::write(&path, "one").unwrap();
        let files = Files::new(vec![path.clone()]);
        let save = |file: usize, before: &str, text: &str| {
            files.save(&Save {
                file,
                before: before.to_owned(),
                text: text.to_owned(),
            })
        };
        let held = || std::fs::read_to_string(&path).unwrap();
        assert_eq!(files.read().unwrap()[0].text, "one");
        assert!(save(0, "one", "two").is_ok());
        assert!(matches!(
            save(0, "one", "three"),
            Err(FileError::Changed(_))
        ));
        assert!(matches!(save(1, "two", "three"), Err(FileError::Unknown)));
        assert_eq!(held(), "two");
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(save(0, "two", "three"), Err(FileError::Io(..))));
    }
}
