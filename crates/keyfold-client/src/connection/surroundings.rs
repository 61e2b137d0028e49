//! What surrounds a program: variables of the environment, and files.

use std::io;
use std::path::{Path, PathBuf};

/// Reads a variable: its text, if it is set.
type Variable<'a> = dyn Fn(&str) -> Option<String> + 'a;
/// Reads a file: its text, if it exists.
type File<'a> = dyn Fn(&Path) -> io::Result<Option<String>> + 'a;

/// Where region and credentials come from.
pub struct Surroundings<'a> {
    variable: Box<Variable<'a>>,
    file: Box<File<'a>>,
}

impl<'a> Surroundings<'a> {
    /// Surroundings of a test or of another source of settings.
    pub fn new(
        variable: impl Fn(&str) -> Option<String> + 'a,
        file: impl Fn(&Path) -> io::Result<Option<String>> + 'a,
    ) -> Surroundings<'a> {
        Surroundings {
            variable: Box::new(variable),
            file: Box::new(file),
        }
    }

    /// The environment and the files of this process.
    pub fn of_process() -> Surroundings<'static> {
        Surroundings::new(
            |name| std::env::var(name).ok(),
            |path| match std::fs::read_to_string(path) {
                Ok(text) => Ok(Some(text)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(error),
            },
        )
    }

    /// A variable that is set and not empty.
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        (self.variable)(name).filter(|text| !text.is_empty())
    }

    /// The first of some variables that is set.
    pub(super) fn first_of(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.variable(name))
    }

    /// The certificate authorities of a file, or of that of AWS_CA_BUNDLE.
    ///
    /// # Errors
    /// A sentence when the file cannot be read.
    pub(super) fn authorities(&self, named: Option<&str>) -> Result<Option<Vec<u8>>, String> {
        let named = named.map(str::to_owned);
        let Some(path) = named.or_else(|| self.variable("AWS_CA_BUNDLE")) else {
            return Ok(None);
        };
        match (self.file)(Path::new(&path)) {
            Ok(Some(text)) => Ok(Some(text.into_bytes())),
            Ok(None) => Err(format!(
                "there is no file {path} of certificate authorities"
            )),
            Err(error) => Err(format!("cannot read {path}: {error}")),
        }
    }

    /// The text of a shared AWS file, and its path. Without a text when it does not exist.
    ///
    /// # Errors
    /// A sentence when the file exists and cannot be read.
    pub(super) fn shared_file(&self, shared: Shared) -> Result<(PathBuf, Option<String>), String> {
        let (variable, name) = match shared {
            Shared::Config => ("AWS_CONFIG_FILE", "config"),
            Shared::Credentials => ("AWS_SHARED_CREDENTIALS_FILE", "credentials"),
        };
        let home = || self.first_of(&["HOME", "USERPROFILE"]).unwrap_or_default();
        let path = match self.variable(variable) {
            Some(path) => PathBuf::from(path),
            None => Path::new(&home()).join(".aws").join(name),
        };
        match (self.file)(&path) {
            Ok(text) => Ok((path, text)),
            Err(error) => Err(format!("cannot read {}: {error}", path.display())),
        }
    }
}

/// A shared AWS file.
#[derive(Clone, Copy)]
pub(super) enum Shared {
    /// `~/.aws/config`.
    Config,
    /// `~/.aws/credentials`.
    Credentials,
}
