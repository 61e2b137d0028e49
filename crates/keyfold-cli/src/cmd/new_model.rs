//! The file of a proposed model. A model that is there is somebody's work: it is replaced only by
//! `--force`.

use crate::failure::Failure;
use crate::output::Output;
use clap::Args;
use serde_json::Value as Json;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(crate) struct ModelOutput {
    /// The file to write the model to, instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long, requires = "output")]
    force: bool,
}

impl ModelOutput {
    /// Checks that the file may be written, before any work is done for it.
    ///
    /// # Errors
    /// When the file exists, without `--force`.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        match &self.output {
            Some(path) if !self.force && path.is_file() => Err(exists(path)),
            Some(_) | None => Ok(()),
        }
    }

    /// Writes the model.
    ///
    /// # Errors
    /// When the file exists, without `--force`, or cannot be written.
    pub(crate) fn write(&self, output: Output, model: &str) -> Result<(), Failure> {
        self.check()?;
        output.replacing(self.output.as_deref(), model)
    }

    /// Writes the model, and for programs a report beside it.
    ///
    /// # Errors
    /// When the file exists, without `--force`, or cannot be written.
    pub(crate) fn write_with(
        &self,
        output: Output,
        model: &str,
        report: Json,
    ) -> Result<(), Failure> {
        self.check()?;
        output.replacing_with(self.output.as_deref(), model, Some(report))
    }
}

fn exists(path: &Path) -> Failure {
    Failure::usage(format!(
        "{} exists, and may have been edited; --force replaces it",
        path.display()
    ))
    .in_file(path)
}
