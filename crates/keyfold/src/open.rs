//! The database: an engine inside the program, or an endpoint.

use crate::database::Database;
use crate::error::Error;
use keyfold_api::{Input, Response};
use keyfold_client::{Backend, tables};
use keyfold_engine::{Durability, Engine, EngineOptions, StoreOptions};
use std::path::Path;
use std::sync::Arc;

/// A database: tables in a folder, in memory, or behind an endpoint with Amazon DynamoDB's API.
///
/// Cloning shares it.
#[derive(Clone)]
pub struct Keyfold {
    backend: Arc<Backend>,
}

impl Keyfold {
    /// Opens a data folder, made if it is absent. One process at a time has it open; what a call
    /// has written is on the device when the call returns.
    ///
    /// # Errors
    /// `Open` when the folder is in use, holds something else, has another format, is corrupt or
    /// cannot be read.
    pub fn open(folder: impl AsRef<Path>) -> Result<Keyfold, Error> {
        Keyfold::embedded(StoreOptions::folder(folder.as_ref(), Durability::Synced))
    }

    /// A database in memory, which is gone when the last clone is.
    ///
    /// # Errors
    /// `Open` when threads cannot be started.
    pub fn memory() -> Result<Keyfold, Error> {
        Keyfold::embedded(StoreOptions::Memory)
    }

    /// Connects to an endpoint: a Keyfold server, Amazon DynamoDB
    /// (`https://dynamodb.eu-west-1.amazonaws.com`), or another engine with its API. Region and
    /// keys come from AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
    ///
    /// # Errors
    /// `Unavailable` when the text is no address.
    #[expect(
        clippy::disallowed_methods,
        reason = "the AWS variables of the environment are what callers of this function ask for"
    )]
    pub fn connect(url: &str) -> Result<Keyfold, Error> {
        let variable = |name: &str| std::env::var(name).ok().filter(|text| !text.is_empty());
        let region = variable("AWS_REGION").or_else(|| variable("AWS_DEFAULT_REGION"));
        let region = region.unwrap_or_else(|| "us-east-1".to_owned());
        let key = variable("AWS_ACCESS_KEY_ID").unwrap_or_else(|| "local".to_owned());
        let secret = variable("AWS_SECRET_ACCESS_KEY").unwrap_or_else(|| "local".to_owned());
        Keyfold::connect_with(url, &region, &key, &secret)
    }

    /// The same with region and keys.
    ///
    /// # Errors
    /// As [`Keyfold::connect`].
    pub fn connect_with(
        url: &str,
        region: &str,
        access_key: &str,
        secret: &str,
    ) -> Result<Keyfold, Error> {
        let backend = Backend::endpoint(url, region, access_key, secret)?;
        Ok(Keyfold {
            backend: Arc::new(backend),
        })
    }

    fn embedded(store: StoreOptions) -> Result<Keyfold, Error> {
        let engine = Engine::open(EngineOptions::new(store)).map_err(Error::Open)?;
        Ok(Keyfold {
            backend: Arc::new(Backend::Embedded(Arc::new(engine))),
        })
    }

    /// Compiles a model and makes its tables, or finds that they are as it says.
    ///
    /// # Errors
    /// `Model` with every error of the model; `TableDiffers` when a table is not as the model says,
    /// which is left as it is.
    pub fn model(&self, source: &str) -> Result<Database, Error> {
        let compiled = keyfold_model::compile(source);
        let Some(model) = compiled.model else {
            return Err(Error::of_model(source, &compiled.diagnostics));
        };
        tables::ensure(&self.backend, &model)?;
        Ok(Database::new(Arc::clone(&self.backend), model))
    }

    /// Carries out an operation of the API: every one of DynamoDB's that Keyfold has, typed by its
    /// input.
    ///
    /// ```
    /// use keyfold::Keyfold;
    /// use keyfold::api::ListTablesInput;
    ///
    /// let db = Keyfold::memory()?;
    /// assert_eq!(db.send(ListTablesInput::default())?.table_names, Some(vec![]));
    /// # Ok::<(), keyfold::Error>(())
    /// ```
    ///
    /// # Errors
    /// `Service` with the exception's name and sentence; `Unavailable` and `OutcomeUnknown` of an
    /// endpoint.
    pub fn send<I: Input>(&self, input: I) -> Result<I::Output, Error> {
        output::<I>(self.backend.call(input.into())?)
    }

    pub(crate) fn backend(&self) -> &Arc<Backend> {
        &self.backend
    }
}

/// The answer of an operation, of its own type.
pub(crate) fn output<I: Input>(response: Response) -> Result<I::Output, Error> {
    I::output(response)
        .ok_or_else(|| Error::Unavailable("the answer is of another operation".to_owned()))
}

impl std::fmt::Debug for Keyfold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keyfold").finish_non_exhaustive()
    }
}
