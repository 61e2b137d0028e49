//! `keyfold serve --workbench`: the page beside a server, on the server's own tables.
//!
//! The page asks the engine in this process. On a server with credentials it has the rights of one of
//! them, which are judged for each request as those of a signed one.

use super::learn;
use super::lsp::Disk;
use super::prove;
use super::under_way::{self, Named};
use crate::failure::Failure;
use clap::Args;
use keyfold_client::{Backend, Guarded};
use keyfold_engine::Engine;
use keyfold_server::{Counters, Credential};
use keyfold_workbench::{Options, Place, Workbench};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

/// The page beside a server.
#[derive(Args)]
pub(super) struct Beside {
    /// Open the workbench on the server's tables, too: a page on this machine, whose address is printed
    /// and works once. It reads only, unless --workbench-write is there.
    #[arg(long)]
    workbench: bool,
    /// Let the page write, each write shown before it is made.
    #[arg(long, requires = "workbench")]
    workbench_write: bool,
    /// The port of the page on this machine; 0 takes any free one.
    #[arg(
        long,
        requires = "workbench",
        default_value_t = 8010,
        value_name = "PORT"
    )]
    workbench_port: u16,
    /// The access key whose rights the page has, of a server with several credentials.
    #[arg(long, requires = "workbench", value_name = "ACCESS_KEY")]
    workbench_key: Option<String>,
}

/// The server that the page is beside.
pub(super) struct Of<'s> {
    pub(super) engine: &'s Arc<Engine>,
    pub(super) endpoint: String,
    pub(super) counters: Counters,
    pub(super) region: &'s str,
    /// The models that the page shows, and may save.
    pub(super) files: Vec<PathBuf>,
}

/// A page that is served; it ends when this is dropped.
pub(super) struct Page {
    pub(super) url: String,
    end: Option<oneshot::Sender<()>>,
    /// The files of the designs to learn from.
    _folder: learn::Folder,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Page {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // A page that has failed is closed, too.
            drop(thread.join());
        }
    }
}

impl Beside {
    /// The credential whose rights the page has; `None` where the server has no credentials.
    ///
    /// # Errors
    /// When it is not said which of several credentials, or another one is named.
    pub(super) fn credential(&self, all: &[Credential]) -> Result<Option<Credential>, Failure> {
        let named = self.workbench_key.as_ref();
        let is_named = |one: &&Credential| named.is_none_or(|named| *named == one.access_key);
        let found: Vec<&Credential> = all.iter().filter(is_named).collect();
        match (found.as_slice(), named) {
            _ if !self.workbench => Ok(None),
            ([], None) => Ok(None),
            ([one], _) => Ok(Some((*one).clone())),
            ([], Some(named)) => Err(Failure::usage(format!(
                "--workbench-key {named}: the server has no such access key"
            ))),
            ([_, _, ..], None) => Err(Failure::usage(
                "the server has several credentials: name the access key whose rights the page has by --workbench-key",
            )),
            ([_, _, ..], Some(named)) => Err(Failure::usage(format!(
                "--workbench-key {named}: several session tokens have this access key; give the page one of its own"
            ))),
        }
    }

    /// Serves the page, where it is asked for.
    pub(super) fn start(
        &self,
        of: Of<'_>,
        credential: Option<Credential>,
    ) -> Result<Option<Page>, Failure> {
        if !self.workbench {
            return Ok(None);
        }
        let engine = Arc::clone(of.engine);
        let shown = match &credential {
            None => of.endpoint.clone(),
            Some(one) => format!("{} as {}", of.endpoint, one.access_key),
        };
        let named = Named::server(&of.endpoint);
        let place = Place {
            backend: Arc::new(backend(engine, credential)),
            shown,
            url: Some(of.endpoint),
            region: Some(of.region.to_owned()),
            is_here: true,
            may_write: self.workbench_write,
            under_way: under_way::reader(named),
            counters: Arc::new(move || Ok(of.counters.text())),
        };
        let folder = learn::Folder::new();
        let options = Options {
            port: self.workbench_port,
            files: of.files,
            language_files: Arc::new(|| Box::new(Disk)),
            prove: Arc::new(prove::for_page),
            samples: learn::samples(&folder),
            place: Some(place),
        };
        let runtime = runtime()
            .map_err(|error| Failure::backend(format!("cannot start threads: {error}")))?;
        let port = self.workbench_port;
        let page = runtime
            .block_on(Workbench::bind(options))
            .map_err(|error| {
                Failure::backend(format!(
                    "the workbench cannot listen on port {port}: {error}; try `--workbench-port 0`"
                ))
            })?;
        let url = page.url().to_owned();
        let (end, ended) = oneshot::channel::<()>();
        let serve = move || {
            // The sender is dropped, and sends nothing.
            runtime.block_on(page.run(async move { drop(ended.await) }));
            runtime.shutdown_background();
        };
        let thread = std::thread::Builder::new().name("workbench".to_owned());
        let thread = thread
            .spawn(serve)
            .map_err(|error| Failure::backend(format!("cannot start a thread: {error}")))?;
        Ok(Some(Page {
            url,
            end: Some(end),
            _folder: folder,
            thread: Some(thread),
        }))
    }
}

/// A runtime for one page.
fn runtime() -> std::io::Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
}

/// The engine, with the rights of a credential where there is one.
fn backend(engine: Arc<Engine>, credential: Option<Credential>) -> Backend {
    let Some(credential) = credential else {
        return Backend::Embedded(engine);
    };
    let (user, judge) = (credential.access_key.clone(), Arc::clone(&engine));
    let rights = Box::new(move |request: &_| {
        let request: &keyfold_api::Request = request;
        credential.check(request.operation(), &judge.resources(request))
    });
    Backend::Guarded(Arc::new(Guarded::new(engine, user, rights)))
}
