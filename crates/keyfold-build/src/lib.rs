//! Typed clients of Keyfold models, generated in a build script.
//!
//! ```no_run
//! // build.rs
//! fn main() -> Result<(), keyfold_build::Error> {
//!     keyfold_build::generate("shop.keyfold")
//! }
//! ```
//!
//! ```ignore
//! /// The shop.
//! pub mod shop {
//!     keyfold::include_client!("shop");
//! }
//! ```
//!
//! The client is the file that `keyfold generate rust` writes, in the folder of the build. It is made
//! again when a file of the model changes. Errors of the model end the build, with the lines they are
//! in; its warnings are shown by Cargo.

use keyfold_codegen::generate::{Settings, Target};
use keyfold_model::{Diagnostic, Severity, Sources, compile_sources, files};
use std::path::{Path, PathBuf};

/// Generates the client of a model with its defaults. See [`Build`].
///
/// # Errors
/// As [`Build::generate`].
pub fn generate(model: impl AsRef<Path>) -> Result<(), Error> {
    Build::new().generate(model)
}

/// The settings of a generated client.
#[derive(Debug, Clone, Default)]
#[must_use = "a client is written by `generate`"]
pub struct Build {
    settings: Settings,
    folder: Option<PathBuf>,
    hides_warnings: bool,
}

impl Build {
    /// A client with `i64` for the type `int`, in the folder of the build.
    pub fn new() -> Build {
        Build {
            settings: Settings {
                generator: concat!("keyfold ", env!("CARGO_PKG_VERSION")).to_owned(),
                ..Settings::default()
            },
            folder: None,
            hides_warnings: false,
        }
    }

    /// Shows no warnings of the model.
    pub fn without_warnings(mut self) -> Build {
        self.hides_warnings = true;
        self
    }

    /// `i128` for the type `int`, which has all 38 digits.
    pub fn exact_numbers(mut self) -> Build {
        self.settings.exact_numbers = true;
        self
    }

    /// The folder of the client, instead of the `OUT_DIR` of the build. It is created if it is absent.
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Build {
        self.folder = Some(folder.into());
        self
    }

    /// Writes the client of a model to the file with the model's name, such as `shop.rs`. A path is
    /// relative to the package of the build script. A file that is as it should be is left alone.
    ///
    /// # Errors
    /// `Model` when the model has errors; `Read` and `Write` when a file cannot be read or written;
    /// `NoFolder` outside of a build script.
    pub fn generate(&self, model: impl AsRef<Path>) -> Result<(), Error> {
        let path = model.as_ref();
        instruct("rerun-if-changed", &path.display().to_string());
        let sources = files::read(path).map_err(|why| Error::Read {
            path: path.to_owned(),
            why,
        })?;
        for file in sources.files() {
            instruct("rerun-if-changed", &sources.path_of(file));
        }
        let compiled = compile_sources(&sources);
        let of = |severity| {
            let found = compiled.diagnostics.iter();
            found.filter(move |one| one.severity == severity)
        };
        let Some(model) = &compiled.model else {
            let errors = of(Severity::Error).map(|one| one.render_in(&sources, false));
            return Err(Error::Model {
                path: path.to_owned(),
                errors: errors.collect(),
            });
        };
        for warning in of(Severity::Warning).filter(|_| !self.hides_warnings) {
            instruct("warning", &line_of(warning, &sources));
        }
        let folder = match &self.folder {
            Some(folder) => folder.clone(),
            None => std::env::var_os("OUT_DIR").ok_or(Error::NoFolder)?.into(),
        };
        let text = Target::Rust.text(model, &sources, &self.settings);
        // It is included, so that its name hides nothing.
        let place = folder.join(format!("{}.rs", model.name));
        write(&place, &text).map_err(|why| Error::Write { path: place, why })
    }
}

/// Writes a file that differs.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if std::fs::read_to_string(path).is_ok_and(|held| held == text) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text)
}

/// A finding in a line.
fn line_of(found: &Diagnostic, sources: &Sources) -> String {
    let place = sources.place(found.place());
    let (path, line, column) = (place.path, place.line, place.column);
    format!("{path}:{line}:{column}: {}: {}", found.code, found.message)
}

/// An instruction to Cargo, which reads them from the standard output of a build script.
#[expect(clippy::print_stdout, reason = "Cargo reads it")]
fn instruct(name: &str, value: &str) {
    println!("cargo::{name}={}", value.replace(['\n', '\r'], " "));
}

/// The reason why a client was not generated. It is shown in the same way as a result of `main`.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The model has errors, each rendered with the lines that it is in.
    #[error("the model {} has errors:\n\n{}", path.display(), errors.join("\n"))]
    Model {
        /// The file.
        path: PathBuf,
        /// The errors.
        errors: Vec<String>,
    },
    /// A file cannot be read.
    #[error("cannot read {}: {why}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: std::io::Error,
    },
    /// The client cannot be written.
    #[error("cannot write {}: {why}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: std::io::Error,
    },
    /// There is no folder for the client.
    #[error("OUT_DIR is not set: call it in a build script, or name a folder by `Build::folder`")]
    NoFolder,
}

/// A `main` that returns an error shows this form of it.
impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "model notes 1\ntable Notes (PK, SK)\nentity Note\n  id: string\n  key \"NOTE#{id}\" \"A\"\npattern note(id) -> Note?\n";

    #[test]
    fn a_client_is_written_once() {
        let folder = tempfile::tempdir().unwrap();
        let model = folder.path().join("notes.keyfold");
        std::fs::write(&model, MODEL).unwrap();
        let build = Build::new().folder(folder.path().join("made"));
        build.generate(&model).unwrap();
        let client = folder.path().join("made/notes.rs");
        let text = std::fs::read_to_string(&client).unwrap();
        assert!(text.contains("pub struct NotesClient<"), "{text}");
        let first = std::fs::metadata(&client).unwrap().modified().unwrap();
        build.generate(&model).unwrap();
        assert_eq!(
            first,
            std::fs::metadata(&client).unwrap().modified().unwrap()
        );
    }

    #[test]
    fn errors_of_the_model_show_their_lines() {
        let folder = tempfile::tempdir().unwrap();
        let model = folder.path().join("notes.keyfold");
        std::fs::write(&model, MODEL.replace("-> Note?", "-> Nots?")).unwrap();
        let error = Build::new()
            .folder(folder.path())
            .generate(&model)
            .unwrap_err();
        let shown = format!("{error:?}");
        assert!(
            shown.contains("notes.keyfold:6") && shown.contains("-> Nots?"),
            "{shown}"
        );
        let absent = Build::new().generate(folder.path().join("absent.keyfold"));
        assert!(absent.unwrap_err().to_string().starts_with("cannot read "));
    }
}
