//! The backend of a command: an embedded engine over a data folder, or an endpoint.

use crate::failure::Failure;
use crate::project::{self, Project};
use crate::terminal;
use clap::Args;
use keyfold_client::connection::Surroundings;
use keyfold_client::{Backend, Connection, Endpoint, tables};
use keyfold_engine::{Durability, Engine, EngineOptions, FolderOptions, OpenError, StoreOptions};
use keyfold_model::Model;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The default data folder.
const DATA_DEFAULT: &str = ".keyfold/data";

/// The file that keeps git from the folder of the default data folder.
const IGNORED: &str = ".gitignore";

/// What helps where a command on the items of a model has no data folder.
const OF_ITEMS: &str = "`keyfold put` and `keyfold tables` make one, `--data DIR` names another one, and \
                        `--endpoint URL` a server";

/// How the commands of [`BackendArguments`] use the server of a data folder that is in use.
const BY_ENDPOINT: &str =
    "; this command takes it by `--endpoint URL`, or by `--connection NAME` of keyfold.toml";

/// How the commands that take a connection's text use the server of a data folder that is in use.
pub(crate) const BY_TEXT: &str = "; this command takes it as a connection";

/// What a wrong text of a server is answered with.
const SERVERS: &str = "write http://127.0.0.1:8000, https://HOST or dynamodb://eu-west-1?profile=NAME; \
                       a data folder is named by `--data DIR`";

/// The choice of the backend.
#[derive(Args)]
pub(crate) struct BackendArguments {
    /// Use a server with DynamoDB's API instead of a data folder: http://127.0.0.1:8000, or
    /// dynamodb://eu-west-1?profile=NAME for Amazon's [default: the server of
    /// AWS_ENDPOINT_URL_DYNAMODB or AWS_ENDPOINT_URL, if one is set]. Region and keys come from the
    /// AWS variables and the shared AWS files.
    #[arg(long, value_name = "URL", conflicts_with = "data")]
    endpoint: Option<String>,
    /// The data folder of the embedded engine [default: .keyfold/data].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Use a connection of keyfold.toml, by its name [default: its `connection`].
    #[arg(long, value_name = "NAME", conflicts_with_all = ["data", "endpoint"])]
    connection: Option<String>,
}

/// The use of the data by a command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// The command reads: a missing data folder is not created.
    Read,
    /// The command works on what is stored: a missing data folder is refused.
    Work,
    /// The command writes: a missing data folder is created.
    Write,
}

impl BackendArguments {
    /// The endpoint or data folder: the named one, that of the environment, that of keyfold.toml, or
    /// the default.
    fn place(&self) -> Result<Connection, Failure> {
        if let Some(text) = &self.endpoint {
            return server_of(text);
        }
        if let Some(folder) = &self.data {
            return Ok(Connection::Folder(folder.clone()));
        }
        if let Some(name) = &self.connection {
            let project = Project::find()?.ok_or_else(|| {
                Failure::usage(format!(
                    "--connection {name} is a name of {file}, and there is none: name the place by --endpoint URL or --data DIR, or make a project with `keyfold init`",
                    file = project::FILE
                ))
            })?;
            return project.connection(name);
        }
        let names = ["AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"];
        let configured = names.iter().find_map(|name| std::env::var(name).ok());
        if let Some(url) = configured.filter(|url| !url.is_empty()) {
            return server_of(&url);
        }
        let project = Project::find()?;
        let place = project.map_or(Ok(None), |project| project.default_connection())?;
        Ok(place.unwrap_or_else(|| Connection::Folder(PathBuf::from(DATA_DEFAULT))))
    }

    /// What is opened, as text: the endpoint or the whole path of the data folder.
    pub(crate) fn shown(&self) -> String {
        match self.place() {
            Ok(Connection::Folder(folder)) => {
                let whole = std::fs::canonicalize(&folder).unwrap_or(folder);
                whole.display().to_string()
            }
            Ok(Connection::Endpoint { url, asked: _ }) => url,
            Ok(Connection::Amazon(asked)) => {
                format!("Amazon DynamoDB {}", asked.region.unwrap_or_default())
            }
            Ok(Connection::Memory) => "memory".to_owned(),
            Err(_) => String::new(),
        }
    }

    /// The server, with its region; `None` for a data folder.
    pub(crate) fn server(&self) -> Result<Option<Endpoint>, Failure> {
        match self.place()? {
            Connection::Folder(_) | Connection::Memory => Ok(None),
            place @ (Connection::Endpoint { .. } | Connection::Amazon(_)) => {
                settled(&place).map(Some)
            }
        }
    }

    /// Opens the backend. An embedded engine gets the model's tables.
    pub(crate) fn open(&self, model: &Model, usage: Use) -> Result<Backend, Failure> {
        let backend = self.open_as_it_is(usage)?;
        if let Backend::Embedded(_) = &backend {
            let outcomes = tables::ensure(&backend, model)?;
            for note in tables::notes(model, &outcomes) {
                terminal::error_line(&format!("note: {note}"));
            }
        }
        Ok(backend)
    }

    /// Opens the backend with its existing tables.
    pub(crate) fn open_as_it_is(&self, usage: Use) -> Result<Backend, Failure> {
        let place = self.place()?;
        let Connection::Folder(folder) = place else {
            return server(&place);
        };
        match (holds_data(&folder), usage, &self.data) {
            // A named folder must exist. The default folder is absent until the first write.
            (false, Use::Read, Some(_)) | (false, Use::Work, _) => {
                return Err(missing(&folder, OF_ITEMS));
            }
            (false, Use::Read, None) => {
                terminal::error_line(&format!(
                    "nothing has been written to {} yet",
                    folder.display()
                ));
                return Ok(Backend::Embedded(engine(None)?));
            }
            (false, Use::Write, Some(_)) => {
                terminal::error_line(&format!("a new data folder: {}", folder.display()));
            }
            (false, Use::Write, None) | (true, Use::Read | Use::Work | Use::Write, _) => {}
        }
        let options = EngineOptions::new(StoreOptions::folder(&folder, Durability::Synced));
        Ok(Backend::Embedded(opened(
            options,
            Some(&folder),
            BY_ENDPOINT,
        )?))
    }
}

/// Refuses a data folder that is not there: what its data is used for would find nothing in it. `advice` says
/// what helps whoever gave the command.
///
/// # Errors
/// `backend`, as of every command that needs the data of a folder.
pub(crate) fn check_folder(folder: &Path, advice: &str) -> Result<(), Failure> {
    if holds_data(folder) {
        Ok(())
    } else {
        Err(missing(folder, advice))
    }
}

fn holds_data(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}

fn missing(folder: &Path, advice: &str) -> Failure {
    Failure::backend(format!(
        "there is no data folder {}: {advice}",
        folder.display()
    ))
    .in_folder(folder)
}

/// The data folder of a command that works on files: the named one, that of the connection which
/// keyfold.toml makes the default, or `.keyfold/data`.
pub(crate) fn data_folder(named: Option<&Path>) -> Result<PathBuf, Failure> {
    data_folder_of(Project::find()?.as_ref(), named)
}

/// The data folder of a command that works on files in a project, or in none: the named one, that of the
/// project's connection, or `.keyfold/data`.
pub(crate) fn data_folder_of(
    project: Option<&Project>,
    named: Option<&Path>,
) -> Result<PathBuf, Failure> {
    if let Some(folder) = named {
        return Ok(folder.to_owned());
    }
    let place = project.map_or(Ok(None), Project::default_connection)?;
    Ok(match place {
        Some(Connection::Folder(folder)) => folder,
        Some(Connection::Memory | Connection::Endpoint { .. } | Connection::Amazon(_)) | None => {
            PathBuf::from(DATA_DEFAULT)
        }
    })
}

/// A server, with the region and keys of the environment.
pub(crate) fn endpoint(text: &str) -> Result<Backend, Failure> {
    server(&server_of(text)?)
}

/// The server of a connection, with the region and keys of the environment.
pub(crate) fn server(connection: &Connection) -> Result<Backend, Failure> {
    Ok(Backend::at(settled(connection)?)?)
}

/// As [`server`], whose requests have a `User-Agent`.
pub(crate) fn server_as(connection: &Connection, agent: &str) -> Result<Backend, Failure> {
    Ok(Backend::at(Endpoint {
        agent: Some(agent.to_owned()),
        ..settled(connection)?
    })?)
}

/// The endpoint of a text, with its region and keys.
pub(crate) fn settings_of(text: &str) -> Result<Endpoint, Failure> {
    settled(&server_of(text)?)
}

fn settled(connection: &Connection) -> Result<Endpoint, Failure> {
    let endpoint = connection.endpoint(&Surroundings::of_process())?;
    endpoint.ok_or_else(|| Failure::usage("the connection names no server"))
}

/// The connection of a text that names a server.
fn server_of(text: &str) -> Result<Connection, Failure> {
    let connection = Connection::among(text, SERVERS)?;
    match connection {
        Connection::Endpoint { .. } | Connection::Amazon(_) => Ok(connection),
        Connection::Folder(_) | Connection::Memory => Err(Failure::usage(format!(
            "`{text}` names no server; {SERVERS}"
        ))),
    }
}

/// An engine over a data folder, or in memory without one, for a command that is the server itself.
pub(crate) fn engine(data: Option<&Path>) -> Result<Arc<Engine>, Failure> {
    engine_with(data, "", |_| {})
}

/// An engine over a data folder, or in memory without one. `in_use` ends the sentence that a folder in use
/// is refused with: how this command uses the folder's server. `change` sets the engine's options.
pub(crate) fn engine_with(
    data: Option<&Path>,
    in_use: &str,
    change: impl FnOnce(&mut EngineOptions),
) -> Result<Arc<Engine>, Failure> {
    let store = match data {
        None => StoreOptions::Memory,
        Some(folder) => StoreOptions::folder(folder, Durability::Synced),
    };
    let mut options = EngineOptions::new(store);
    change(&mut options);
    opened(options, data, in_use)
}

/// An engine that only examines a data folder, and writes nothing to it. `in_use` as in [`engine_with`].
pub(crate) fn examined(folder: &Path, in_use: &str) -> Result<Arc<Engine>, Failure> {
    let store = FolderOptions {
        is_examined: true,
        ..FolderOptions::new(folder)
    };
    let options = EngineOptions {
        background: false,
        ..EngineOptions::new(StoreOptions::Folder(store))
    };
    opened(options, Some(folder), in_use)
}

/// Keeps git from a new data folder in `.keyfold`, where a project has its data: it holds no sources. A
/// file that is there stays; one that cannot be written is missed by nobody.
fn ignore(data: &Path) {
    let parent = data.parent().filter(|parent| parent.ends_with(".keyfold"));
    if let Some(parent) = parent.filter(|_| holds_data(data))
        && let Ok(mut file) = std::fs::File::create_new(parent.join(IGNORED))
    {
        drop(file.write_all(b"*\n"));
    }
}

fn opened(
    options: EngineOptions,
    data: Option<&Path>,
    in_use: &str,
) -> Result<Arc<Engine>, Failure> {
    let new = data.filter(|folder| !holds_data(folder));
    let engine = opened_as_it_is(options, data, in_use)?;
    new.iter().copied().for_each(ignore);
    Ok(engine)
}

fn opened_as_it_is(
    options: EngineOptions,
    data: Option<&Path>,
    in_use: &str,
) -> Result<Arc<Engine>, Failure> {
    Engine::open(options).map(Arc::new).map_err(|error| {
        let Some(folder) = data else {
            return Failure::backend(format!("cannot open the engine in memory: {error}"));
        };
        let is_in_use = matches!(error, OpenError::InUse);
        let advice = if is_in_use { in_use } else { "" };
        let shown = folder.display();
        Failure::backend(format!(
            "cannot open the data folder {shown}: {error}{advice}"
        ))
        .in_folder(folder)
    })
}
