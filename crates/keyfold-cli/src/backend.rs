//! The backend a command works on: an embedded engine over a data folder, or an endpoint.

use crate::failure::Failure;
use crate::terminal;
use clap::Args;
use keyfold_api::ApiError;
use keyfold_client::{Backend, tables};
use keyfold_engine::{Durability, Engine, EngineOptions, FolderOptions, StoreError, StoreOptions};
use keyfold_model::Model;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folder used when none is named.
pub(crate) const DATA_DEFAULT: &str = ".keyfold/data";

/// Which backend to use.
#[derive(Args)]
pub(crate) struct BackendArguments {
    /// Work on a server with DynamoDB's API instead of a data folder; without it, that of
    /// AWS_ENDPOINT_URL_DYNAMODB or AWS_ENDPOINT_URL. Region and keys come from AWS_REGION,
    /// AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
    #[arg(long, value_name = "URL", conflicts_with = "data")]
    endpoint: Option<String>,
    /// The data folder of the embedded engine [default: .keyfold/data].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

/// What a command does with the data.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// It looks: nothing is made that is not there.
    Read,
    /// It writes: a data folder that is not there is made.
    Write,
}

impl BackendArguments {
    /// Opens the backend; an embedded one gets the model's tables.
    pub(crate) fn open(&self, model: &Model, what_for: Use) -> Result<Backend, Failure> {
        let backend = self.open_as_it_is(what_for)?;
        if let Backend::Embedded(_) = &backend {
            tables::ensure(&backend, model)?;
        }
        Ok(backend)
    }

    /// Opens the backend with the tables that are there.
    pub(crate) fn open_as_it_is(&self, what_for: Use) -> Result<Backend, Failure> {
        let configured = || {
            let names = ["AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"];
            names
                .iter()
                .find_map(|name| std::env::var(name).ok())
                .filter(|url| !url.is_empty())
        };
        let url = self.endpoint.clone().or_else(|| {
            if self.data.is_none() {
                configured()
            } else {
                None
            }
        });
        if let Some(url) = url {
            return endpoint(&url);
        }
        let folder = self
            .data
            .clone()
            .unwrap_or_else(|| PathBuf::from(DATA_DEFAULT));
        let is_there = std::fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some());
        match (is_there, what_for, &self.data) {
            // A name that was given is wrong; the usual folder is empty as long as nothing has been
            // written.
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
            _ => {}
        }
        Ok(Backend::Embedded(engine(Some(&folder))?))
    }
}

/// A server, with region and keys of the environment.
pub(crate) fn endpoint(url: &str) -> Result<Backend, Failure> {
    let environment =
        |name: &str, default: &str| std::env::var(name).unwrap_or_else(|_| default.to_owned());
    let region = std::env::var("AWS_REGION")
        .unwrap_or_else(|_| environment("AWS_DEFAULT_REGION", "us-east-1"));
    let (key, secret) = (
        environment("AWS_ACCESS_KEY_ID", "local"),
        environment("AWS_SECRET_ACCESS_KEY", "local"),
    );
    Ok(Backend::endpoint(url, &region, &key, &secret)?)
}

/// An engine over a data folder, or in memory.
pub(crate) fn engine(data: Option<&Path>) -> Result<Arc<Engine>, Failure> {
    engine_with(data, |_| {})
}

/// The same with other options.
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

/// An engine over a data folder that is only looked at: nothing in the folder is made or written.
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
        let detail = match error {
            ApiError::Internal(detail) => detail,
            other => other.to_string(),
        };
        let advice = if detail == StoreError::Locked.to_string() {
            ". Stop the process that has it open; or let that server do the work: `--endpoint URL`, which run, put, update, \
             delete, infer and backup take"
        } else {
            ""
        };
        let failure = Failure::backend(format!("cannot open the data folder {folder}: {detail}{advice}"));
        match data {
            Some(folder) => failure.in_folder(folder),
            None => failure,
        }
    })
}
