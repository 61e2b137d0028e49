//! What a command of a migration is about: the model, the database, the tables.

use crate::cmd::database;
use crate::failure::Failure;
use crate::model_file::{self, Checked, Shown};
use crate::output::Output;
use clap::Args;
use keyfold_client::Backend;
use keyfold_relational::{MapError, Mapping, Migration, Progress, Source};
use std::path::PathBuf;

/// The model, and the database.
#[derive(Args)]
pub(super) struct Origin {
    /// The model, whose entities have `from` lines.
    model: PathBuf,
    /// The database: sqlite:FILE, postgres://USER@HOST/DATABASE (its password in PGPASSWORD), or
    /// mysql://USER@HOST/DATABASE, a MariaDB (its password in MYSQL_PWD).
    #[arg(long, value_name = "DATABASE")]
    from: String,
}

/// The model, the database and the tables.
#[derive(Args)]
pub(super) struct Both {
    #[command(flatten)]
    pub(super) origin: Origin,
    /// Where the tables are: http://127.0.0.1:8000, dynamodb://eu-west-1?profile=NAME, keyfold:./data, or the
    /// name of a connection of keyfold.toml.
    #[arg(long, value_name = "CONNECTION")]
    pub(super) at: String,
}

/// A model that was read, and a database that was opened.
pub(super) struct Opened {
    pub(super) checked: Checked,
    pub(super) source: Box<dyn Source + Send>,
}

impl Origin {
    pub(super) fn open(&self, output: Output) -> Result<Opened, Failure> {
        let checked = model_file::load_checked(&self.model, output, Shown::Errors)?;
        if checked
            .model
            .entities
            .iter()
            .all(|one| one.origin.is_none())
        {
            return Err(Failure::refused(
                "no entity of the model has a `from` line, which says what rows it is made of",
            ));
        }
        let source = database::open(&self.from)?;
        Ok(Opened { checked, source })
    }
}

/// The mapping of the model, or its faults at their places.
pub(super) fn mapping<'m>(
    checked: &'m Checked,
    source: &mut dyn Source,
    output: Output,
) -> Result<Mapping<'m>, Failure> {
    Mapping::of(&checked.model, source).map_err(|error| unmapped(error, checked, output))
}

/// Refuses a migration of which columns are gone that the model takes values from, with their lines.
pub(super) fn check_columns(
    mapping: &Mapping<'_>,
    backend: &Backend,
    opened: (&Checked, &mut dyn Source),
    output: Output,
) -> Result<(), Failure> {
    let (checked, source) = opened;
    let progress = Progress::default();
    let state = Migration::new(mapping, source, backend, &progress).state()?;
    let lost = state.map_or_else(Vec::new, |state| mapping.lost(&state));
    match lost.is_empty() {
        true => Ok(()),
        false => Err(model_file::refused(&lost, &checked.sources, output)),
    }
}

/// Why a model does not fit a database, with the places of its faults.
pub(super) fn unmapped(error: MapError, checked: &Checked, output: Output) -> Failure {
    match error {
        MapError::Source(error) => database::failure(error),
        MapError::Model(faults) => model_file::refused(&faults, &checked.sources, output),
    }
}
