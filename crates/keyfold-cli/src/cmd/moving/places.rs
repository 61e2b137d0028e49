//! The two places of a move, and the tables of the source.

use crate::backend;
use crate::failure::Failure;
use crate::project::Project;
use clap::Args;
use keyfold_client::{Backend, Connection, blocked};
use keyfold_motion::threads::Threads;
use keyfold_motion::world::{At, Place, World};
use keyfold_motion::{LEDGER, Progress};
use keyfold_stream::names;
use std::path::Path;
use std::sync::Arc;

/// The tables of positions and failures, which belong to the streams of one place.
const LEFT_OUT: [&str; 3] = [LEDGER, "keyfold_leases", "keyfold_failures"];

/// Where tables come from, and where they go.
#[derive(Args)]
pub(super) struct Places {
    /// Where the tables are: http://127.0.0.1:8000, dynamodb://eu-west-1?profile=NAME,
    /// keyfold:./data, or the name of a connection of keyfold.toml.
    #[arg(value_name = "FROM")]
    pub(super) from: String,
    /// Where they go.
    #[arg(value_name = "TO")]
    pub(super) to: String,
    /// A table; may be given several times [default: all tables of the source].
    #[arg(long, value_name = "TABLE")]
    pub(super) table: Vec<String>,
}

/// The two places of a command, opened.
pub(super) struct Opened {
    pub(super) source: Arc<Backend>,
    pub(super) target: Arc<Backend>,
    /// Whether others may write to the source.
    pub(super) is_shared: bool,
}

impl Places {
    /// Opens both places, of which the target exists.
    pub(super) fn open(&self) -> Result<Opened, Failure> {
        if let Connection::Folder(folder) = connection(&self.to)? {
            check_folder(&folder)?;
        }
        self.open_or_make()
    }

    /// Opens both places. A data folder that is the target is made.
    pub(super) fn open_or_make(&self) -> Result<Opened, Failure> {
        let (from, to) = (connection(&self.from)?, connection(&self.to)?);
        if from == to {
            return Err(Failure::usage("FROM and TO are one place"));
        }
        if let Connection::Folder(folder) = &from {
            check_folder(folder)?;
        }
        Ok(Opened {
            is_shared: !matches!(from, Connection::Folder(_)),
            source: Arc::new(opened(&from)?),
            target: Arc::new(opened(&to)?),
        })
    }

    /// The tables that are named, or all.
    pub(super) fn tables(&self, world: &dyn World) -> Result<Vec<String>, Failure> {
        if !self.table.is_empty() {
            return Ok(self.table.clone());
        }
        let source = At {
            world,
            place: Place::Source,
        };
        let mut all = blocked(names(&source))?;
        all.retain(|name| !LEFT_OUT.contains(&name.as_str()));
        match all.is_empty() {
            true => Err(Failure::not_found("the source has no tables")),
            false => Ok(all),
        }
    }
}

/// Refuses a data folder that is not there.
fn check_folder(folder: &Path) -> Result<(), Failure> {
    if std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        return Ok(());
    }
    let shown = folder.display();
    Err(Failure::backend(format!("there is no data folder {shown}")).in_folder(folder))
}

/// The connection of a text, or of a name in keyfold.toml.
fn connection(text: &str) -> Result<Connection, Failure> {
    let connection = match text.contains(':') {
        true => text.parse()?,
        false => match Project::find()? {
            Some(project) => project.connection(text)?,
            None => text.parse()?,
        },
    };
    match connection {
        Connection::Memory => Err(Failure::usage(
            "`memory:` ends with this command: nothing can be moved there or from there",
        )),
        Connection::Folder(_) | Connection::Endpoint { .. } | Connection::Amazon(_) => {
            Ok(connection)
        }
    }
}

fn opened(connection: &Connection) -> Result<Backend, Failure> {
    match connection {
        Connection::Folder(folder) => Ok(Backend::Embedded(backend::engine(Some(folder))?)),
        Connection::Memory | Connection::Endpoint { .. } | Connection::Amazon(_) => {
            backend::server(connection)
        }
    }
}

impl Opened {
    pub(super) fn threads(&self, progress: &Arc<Progress>) -> Arc<Threads> {
        Threads::new(
            Arc::clone(&self.source),
            Arc::clone(&self.target),
            Arc::clone(progress),
        )
    }

    /// The surroundings of requests that belong to no run.
    pub(super) fn world(&self) -> Arc<Threads> {
        self.threads(&Arc::default())
    }
}
