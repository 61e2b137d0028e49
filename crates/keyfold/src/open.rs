//! The database: an engine inside the program, or an endpoint.

use crate::database::Database;
use crate::error::Error;
use crate::handle::Shared;
use crate::options::{Endpoint, Options};
use crate::sent::{Sent, observer};
use keyfold_api::{Input, Response};
use keyfold_client::{Backend, Connection, Observer, Terms, drive_on, model_file, origin};
use keyfold_engine::Engine;
use keyfold_lower::tables;
use keyfold_model::Sources;
use std::path::Path;
use std::sync::Arc;

/// A database: tables in a folder, in memory, or behind an endpoint with Amazon DynamoDB's API.
///
/// Cloning shares it.
#[derive(Clone)]
pub struct Keyfold {
    shared: Shared,
    observer: Option<Observer>,
}

impl Keyfold {
    /// Opens a data folder, made if it is absent. One program at a time has it open; what a call
    /// has written is on the device when the call returns.
    ///
    /// # Errors
    /// `Open` when the folder is in use, holds something else, has another format, is corrupt or
    /// cannot be read.
    pub fn open(folder: impl AsRef<Path>) -> Result<Keyfold, Error> {
        Keyfold::open_with(folder, Options::new())
    }

    /// Opens a data folder with settings.
    ///
    /// # Errors
    /// As [`Keyfold::open`].
    pub fn open_with(folder: impl AsRef<Path>, options: Options) -> Result<Keyfold, Error> {
        Keyfold::embedded(options, Some(folder.as_ref()))
    }

    /// A database in memory, which is gone when the last clone is.
    ///
    /// # Errors
    /// `Open` when threads cannot be started.
    pub fn memory() -> Result<Keyfold, Error> {
        Keyfold::memory_with(Options::new())
    }

    /// A database in memory with settings; those of files mean nothing here.
    ///
    /// # Errors
    /// As [`Keyfold::memory`].
    pub fn memory_with(options: Options) -> Result<Keyfold, Error> {
        Keyfold::embedded(options, None)
    }

    /// Opens what a connection text names, so that a program's tables move without a change of its
    /// code:
    ///
    /// | text | database |
    /// |---|---|
    /// | `memory:` | in memory: [`Keyfold::memory`] |
    /// | `keyfold:./data` | a data folder: [`Keyfold::open`] |
    /// | `http://127.0.0.1:8000`, `https://…` | a Keyfold server, or another engine with the API |
    /// | `dynamodb://eu-west-1` | Amazon DynamoDB in a region |
    ///
    /// The last two take `?profile=NAME`, `?region=NAME` and, for TLS, `?ca=FILE`: the certificate
    /// authorities that are trusted, instead of those of AWS_CA_BUNDLE or the public ones. The region is the text's, that of
    /// AWS_REGION or AWS_DEFAULT_REGION, or the profile's. Credentials are those of the profile that
    /// the text names; else those of [`Credentials::from_env`](crate::Credentials::from_env); else,
    /// where the address has TLS, those of AWS_PROFILE or of the default profile of the shared AWS
    /// files. Servers that are not Amazon's get `local` where there are none. Nothing is sent yet.
    ///
    /// With the feature `aws`, profiles may get credentials by single sign-on, a role or a process,
    /// and Amazon's endpoints also ask web identities, containers and instances. They are fetched when
    /// the first request is sent, and again before they expire. Without it, the error says so.
    ///
    /// # Errors
    /// `Invalid` when the text is no connection, or region or credentials are missing or incomplete;
    /// `Open` as [`Keyfold::open`].
    pub fn connect(text: &str) -> Result<Keyfold, Error> {
        match text.parse()? {
            Connection::Memory => Keyfold::memory(),
            Connection::Folder(folder) => Keyfold::open(folder),
            Connection::Endpoint { .. } | Connection::Amazon(_) => {
                Keyfold::connect_with(Endpoint::from_env(text)?)
            }
        }
    }

    /// Connects to an endpoint with settings.
    ///
    /// # Errors
    /// `Invalid` when its text is no address.
    pub fn connect_with(endpoint: Endpoint) -> Result<Keyfold, Error> {
        let calls = endpoint.calls();
        let backend = Backend::at(endpoint.into_client())?;
        Ok(Keyfold::new(Shared::new(backend, calls)))
    }

    fn embedded(options: Options, folder: Option<&Path>) -> Result<Keyfold, Error> {
        let calls = options.calls();
        let engine = Engine::open(options.engine(folder)).map_err(|error| Error::Open {
            folder: folder.map(Path::to_owned),
            error,
        })?;
        let backend = Backend::Embedded(Arc::new(engine));
        Ok(Keyfold::new(Shared::new(backend, calls)))
    }

    fn new(shared: Shared) -> Keyfold {
        Keyfold {
            shared,
            observer: None,
        }
    }

    /// The same database, and a function that is called after each request of its calls and of those
    /// of models on it. See [`Database::on_request`].
    pub fn on_request(&self, hook: impl Fn(&Sent<'_>) + Send + Sync + 'static) -> Keyfold {
        Keyfold {
            observer: Some(observer(hook)),
            ..self.clone()
        }
    }

    /// The terms of a request outside a model's calls.
    pub(crate) fn terms(&self) -> Terms {
        Terms::default().observed(self.observer.clone())
    }

    /// Closes the database for all clones of it and all models on it: waits for calls under way,
    /// syncs, and lets go of the data folder, which can be opened again. Later calls are refused with
    /// `Closed`. Closing again does nothing.
    ///
    /// A database whose last clone is dropped closes, too, but its errors are not seen.
    ///
    /// # Errors
    /// `Service` when the last sync fails: writes of [`Durability::Buffered`](crate::Durability) may
    /// be lost. The database is closed nevertheless.
    pub fn close(&self) -> Result<(), Error> {
        self.shared.close()
    }

    /// Compiles a model and makes its tables, or finds that they are as it says. A text has no
    /// other files: one that uses some is refused; see [`Keyfold::model_file`] and
    /// [`Keyfold::model_of`].
    ///
    /// # Errors
    /// `Model` with every error of the model; `TableDiffers` when a table is not as the model says,
    /// which is left as it is.
    pub fn model(&self, source: &str) -> Result<Database, Error> {
        self.model_of(&Sources::of_text("model", source))
    }

    /// Compiles the model of a file and of those that it uses.
    ///
    /// # Errors
    /// As [`Keyfold::model`]; `Invalid` when the file cannot be read. A used file that cannot be
    /// read is an error of the model.
    pub fn model_file(&self, path: impl AsRef<Path>) -> Result<Database, Error> {
        let path = path.as_ref();
        let sources = model_file::read(path).map_err(|error| {
            Error::invalid(format!("cannot read the file {}: {error}", path.display()))
        })?;
        self.model_of(&sources)
    }

    /// Compiles a model of several texts: those that are part of the program.
    ///
    /// ```
    /// use keyfold::{Keyfold, Sources};
    ///
    /// // With files, each text is an `include_str!`.
    /// let shop = "model shop 1\nowner platform\nuse \"orders.keyfold\"\nshared table Shop (PK, SK)\n";
    /// let orders = "owner orders\nentity Order\n  id: string\n  key \"ORDER#{id}\" \"META\"\n";
    /// let db = Keyfold::memory()?;
    /// let sources = Sources::of_texts(&[("shop.keyfold", shop), ("orders.keyfold", orders)]);
    /// db.model_of(&sources)?;
    /// # Ok::<(), keyfold::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Keyfold::model`].
    pub fn model_of(&self, sources: &Sources) -> Result<Database, Error> {
        let compiled = keyfold_model::compile_sources(sources);
        let Some(model) = compiled.model else {
            return Err(Error::of_model(sources, &compiled.diagnostics));
        };
        let lease = self.shared.lease()?;
        drive_on(&lease, &self.terms(), tables::ensure(origin(), &model))?;
        let observer = self.observer.clone();
        Ok(Database::new(self.shared.clone(), model, observer))
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
        let lease = self.shared.lease()?;
        output::<I>(lease.call_on(input.into(), &self.terms())?)
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// The same for tasks of a runtime.
    pub(crate) fn of_tasks(self) -> Keyfold {
        Keyfold {
            shared: self.shared.of_tasks(),
            observer: self.observer,
        }
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
