//! The backend of a command: an embedded engine over a data folder, or an endpoint.

use crate::failure::Failure;
use crate::terminal;
use clap::Args;
use keyfold_client::{Backend, Endpoint, tables};
use keyfold_engine::{Durability, Engine, EngineOptions, FolderOptions, OpenError, StoreOptions};
use keyfold_model::Model;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The default data folder.
pub(crate) const DATA_DEFAULT: &str = ".keyfold/data";

/// The choice of the backend.
#[derive(Args)]
pub(crate) struct BackendArguments {
    /// Use a server with DynamoDB's API instead of a data folder [default: the server of
    /// AWS_ENDPOINT_URL_DYNAMODB or AWS_ENDPOINT_URL, if one is set]. Region and keys come from
    /// AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
    #[arg(long, value_name = "URL", conflicts_with = "data")]
    endpoint: Option<String>,
    /// The data folder of the embedded engine [default: .keyfold/data].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

/// The use of the data by a command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// The command reads: a missing data folder is not created.
    Read,
    /// The command writes: a missing data folder is created.
    Write,
}

impl BackendArguments {
    /// The endpoint, if it is not a data folder.
    fn url(&self) -> Option<String> {
        let configured = || {
            let names = ["AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"];
            names
                .iter()
                .find_map(|name| std::env::var(name).ok())
                .filter(|url| !url.is_empty())
        };
        match (&self.endpoint, &self.data) {
            (Some(url), _) => Some(url.clone()),
            (None, Some(_)) => None,
            (None, None) => configured(),
        }
    }

    fn folder(&self) -> PathBuf {
        let folder = self.data.as_deref();
        folder.unwrap_or(Path::new(DATA_DEFAULT)).to_owned()
    }

    /// What is opened, as text: the endpoint or the whole path of the data folder.
    pub(crate) fn place(&self) -> String {
        let whole = |folder: PathBuf| std::fs::canonicalize(&folder).unwrap_or(folder);
        self.url()
            .unwrap_or_else(|| whole(self.folder()).display().to_string())
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
        if let Some(url) = self.url() {
            return endpoint(&url);
        }
        let folder = self.folder();
        let exists = std::fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some());
        match (exists, usage, &self.data) {
            // A named folder must exist. The default folder is absent until the first write.
            (false, Use::Read, Some(_)) => {
                return Err(Failure::backend(format!(
                    "there is no data folder {}: `keyfold put` makes one, `--endpoint URL` names a server",
                    folder.display()
                ))
                .in_folder(&folder));
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
            (false, Use::Write, None) | (true, Use::Read | Use::Write, _) => {}
        }
        Ok(Backend::Embedded(engine(Some(&folder))?))
    }
}

/// A server, with the region and keys of the environment.
pub(crate) fn endpoint(url: &str) -> Result<Backend, Failure> {
    Backend::at(settings_of(url)).map_err(|error| Failure::backend(error.to_string()))
}

/// An endpoint with the region and keys of the environment.
pub(crate) fn settings_of(url: &str) -> Endpoint {
    let environment =
        |name: &str, default: &str| std::env::var(name).unwrap_or_else(|_| default.to_owned());
    let region = std::env::var("AWS_REGION")
        .unwrap_or_else(|_| environment("AWS_DEFAULT_REGION", "us-east-1"));
    let (key, secret) = (
        environment("AWS_ACCESS_KEY_ID", "local"),
        environment("AWS_SECRET_ACCESS_KEY", "local"),
    );
    Endpoint {
        region,
        access_key: key,
        secret,
        session_token: std::env::var("AWS_SESSION_TOKEN")
            .ok()
            .filter(|token| !token.is_empty()),
        ..Endpoint::new(url)
    }
}

/// An engine over a data folder, or in memory without one.
pub(crate) fn engine(data: Option<&Path>) -> Result<Arc<Engine>, Failure> {
    engine_with(data, |_| {})
}

/// An engine over a data folder, or in memory without one. `change` sets its options.
pub(crate) fn engine_with(
    data: Option<&Path>,
    change: impl FnOnce(&mut EngineOptions),
) -> Result<Arc<Engine>, Failure> {
    let store = match data {
        None => StoreOptions::Memory,
        Some(folder) => StoreOptions::folder(folder, Durability::Synced),
    };
    let mut options = EngineOptions::new(store);
    change(&mut options);
    opened(options, data)
}

/// An engine that only examines a data folder, and writes nothing to it.
pub(crate) fn examined(folder: &Path) -> Result<Arc<Engine>, Failure> {
    let store = FolderOptions {
        is_examined: true,
        ..FolderOptions::new(folder)
    };
    let options = EngineOptions {
        background: false,
        ..EngineOptions::new(StoreOptions::Folder(store))
    };
    opened(options, Some(folder))
}

fn opened(options: EngineOptions, data: Option<&Path>) -> Result<Arc<Engine>, Failure> {
    Engine::open(options).map(Arc::new).map_err(|error| {
        let folder = data.map(|folder| folder.display().to_string()).unwrap_or_default();
        let advice = if matches!(error, OpenError::InUse) {
            ". Stop the process that has it open, or use that server with `--endpoint URL` (run, put, update, delete, verify, infer \
             and backup take it)"
        } else {
            ""
        };
        let failure = Failure::backend(format!("cannot open the data folder {folder}: {error}{advice}"));
        match data {
            Some(folder) => failure.in_folder(folder),
            None => failure,
        }
    })
}
