//! `keyfold serve [FILE...]`: serves tables with Amazon DynamoDB's API over HTTP.

use crate::backend;
use crate::cmd::beside::{self, Beside, Page};
use crate::cmd::bounds::Bounds;
use crate::cmd::listen::Listen;
use crate::cmd::on_stream::{Mappings, OnStream, Served};
use crate::cmd::realism::Realism;
use crate::cmd::signal::Signals;
use crate::cmd::views;
use crate::failure::Failure;
use crate::model_file;
use crate::output::Output;
use crate::project::Project;
use crate::terminal::{self, FAINT, GOOD, STRONG};
use clap::{Args, ValueEnum};
use keyfold_client::Backend;
use keyfold_client::tables::{self, Outcome};
use keyfold_engine::{Durability, Engine, StoreOptions};
use keyfold_model::Model;
use keyfold_server::{Counters, Server, ServerConfig};
use keyfold_stream::views::{ViewOptions, ViewWorker};
use keyfold_threads::ask_for_slice;
use serde_json::{Value as Json, json};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The time slice of the threads that answer: several requests, and a part of a flush.
const SLICE: Duration = Duration::from_micros(500);

#[derive(Args)]
pub(crate) struct Arguments {
    /// Models whose tables are created if they are absent [default: that of keyfold.toml].
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The data folder, which is created if it is absent [default: that of keyfold.toml, or
    /// .keyfold/data].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Keep all data in memory; nothing remains when the server stops.
    #[arg(long, conflicts_with = "data")]
    memory: bool,
    /// Read no keyfold.toml: no table is created that no FILE declares, and the data folder is the named
    /// one. The clients' packages start their servers so, since a program has a model of its own.
    #[arg(long)]
    no_project: bool,
    /// When a write is acknowledged: a `synced` write survives a crash of the machine, a `buffered`
    /// write only a crash of the process, and is faster.
    #[arg(long, value_enum, default_value_t = Acknowledged::Synced, value_name = "WHEN", conflicts_with = "memory")]
    durability: Acknowledged,
    /// The folder whose subfolders are the buckets of exports and imports.
    #[arg(long, value_name = "DIR")]
    buckets: Option<PathBuf>,
    /// The folder in which `keyfold backup --endpoint` makes copies of the data folder.
    #[arg(long, value_name = "DIR", conflicts_with = "memory")]
    backups: Option<PathBuf>,
    /// The region in ARNs, for requests whose signature names none.
    #[arg(long, default_value = "us-east-1")]
    region: String,
    /// Let a write wait for a transaction under way on its item, instead of refusing it with
    /// TransactionConflictException as the service does.
    #[arg(long)]
    wait_for_transactions: bool,
    #[command(flatten)]
    bounds: Bounds,
    #[command(flatten)]
    realism: Realism,
    #[command(flatten)]
    on_stream: OnStream,
    /// Keep the rows of the models' views.
    #[arg(long)]
    views: bool,
    /// Rebuild views whose definition has changed.
    #[arg(long, requires = "views")]
    rebuild: bool,
    #[command(flatten)]
    beside: Beside,
    #[command(flatten)]
    listen: Listen,
}

/// What is there when requests are answered.
struct Outcomes<'o> {
    tables: &'o [(String, Outcome)],
    notes: &'o [String],
    page: Option<&'o Page>,
}

/// When a write is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Acknowledged {
    /// When it is on the disk.
    Synced,
    /// When the operating system has it.
    Buffered,
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    let config = arguments.config()?;
    let prepared = arguments.on_stream.prepare()?;
    let project = arguments.project()?;
    let of_project = match (arguments.files.as_slice(), &project) {
        ([], Some(project)) => project.model()?,
        _ => None,
    };
    let credential = arguments.beside.credential(&config.credentials)?;
    let files: Vec<PathBuf> = arguments.files.iter().cloned().chain(of_project).collect();
    let models = files
        .iter()
        .map(|file| model_file::load(file, output))
        .collect::<Result<Vec<_>, _>>()?;
    arguments.listen.start_log();
    let data = arguments.data_folder(project.as_ref())?;
    let place = place(data.as_deref());
    let engine = arguments.engine(data.as_deref())?;
    let embedded = Backend::Embedded(Arc::clone(&engine));
    let (mut tables, mut notes) = (Vec::new(), Vec::new());
    for model in &models {
        let outcomes = tables::ensure(&embedded, model)?;
        notes.extend(tables::notes(model, &outcomes));
        tables.extend(outcomes);
    }
    notes.extend(arguments.unkept(&models));
    drop(embedded);
    let streams = Arc::clone(&engine);
    start(engine, &arguments.listen, config, |(address, counters)| {
        let served = Served {
            endpoint: format!("{}://{address}", scheme(&arguments.listen)),
            region: arguments.region.clone(),
        };
        let mappings = Mappings::start(prepared, &streams, &served)?;
        let kept = arguments.kept(models, &streams)?;
        let of = beside::Of {
            engine: &streams,
            endpoint: served.endpoint.clone(),
            counters,
            region: &served.region,
            files,
        };
        let page = arguments.beside.start(of, credential)?;
        let outcome = Outcomes {
            tables: &tables,
            notes: &notes,
            page: page.as_ref(),
        };
        output.result(
            || report(&arguments.listen, (address, &place), &outcome),
            || arguments.show((address, &place), &outcome),
        );
        Ok((page, mappings, kept))
    })
}

impl Arguments {
    /// A note about the views that nobody keeps here.
    fn unkept(&self, models: &[Model]) -> Option<String> {
        let names: Vec<&str> = models.iter().flat_map(views::names).collect();
        let [_, ..] = names.as_slice() else {
            return None;
        };
        (!self.views).then(|| {
            format!(
                "the rows of {} are not kept: serve with --views, or run `keyfold views run`",
                names.join(", ")
            )
        })
    }

    /// The workers that keep the models' views.
    fn kept(&self, models: Vec<Model>, engine: &Arc<Engine>) -> Result<Vec<ViewWorker>, Failure> {
        if !self.views {
            return Ok(Vec::new());
        }
        let models: Vec<Model> = models
            .into_iter()
            .filter(|model| !views::names(model).is_empty())
            .collect();
        if models.is_empty() {
            return Err(Failure::usage(
                "--views: no model that is served has views (`view NAME of ENTITY`)",
            ));
        }
        let backend = Arc::new(Backend::Embedded(Arc::clone(engine)));
        let send = keyfold_stream::sends(backend);
        let workers = models.into_iter().map(|model| {
            let options = ViewOptions {
                waits: true,
                ..views::options(self.rebuild)
            };
            let worker = ViewWorker::start(Arc::clone(&send), &Arc::new(model), &options);
            worker.map_err(Failure::from)
        });
        workers.collect()
    }

    /// The server's options.
    fn config(&self) -> Result<ServerConfig, Failure> {
        let mut config = self.listen.config()?;
        self.bounds.set_server(&mut config);
        self.realism.set_server(&mut config);
        for (option, folder) in [("--buckets", &self.buckets), ("--backups", &self.backups)] {
            if let Some(folder) = folder.as_ref().filter(|folder| !folder.is_dir()) {
                let message = format!(
                    "{option} {}: there is no such folder; make it first",
                    folder.display()
                );
                return Err(Failure::usage(message).in_folder(folder));
            }
        }
        config.backups.clone_from(&self.backups);
        Ok(config)
    }

    /// The project, where it is read.
    fn project(&self) -> Result<Option<Project>, Failure> {
        if self.no_project {
            return Ok(None);
        }
        Project::find()
    }

    /// The data folder; none for memory.
    fn data_folder(&self, project: Option<&Project>) -> Result<Option<PathBuf>, Failure> {
        if self.memory {
            return Ok(None);
        }
        backend::data_folder_of(project, self.data.as_deref()).map(Some)
    }

    fn engine(&self, data: Option<&Path>) -> Result<Arc<Engine>, Failure> {
        backend::engine_with(data, "", |options| {
            if let StoreOptions::Folder(folder) = &mut options.store {
                self.bounds.set_store(folder);
                if self.durability == Acknowledged::Buffered {
                    folder.durability = Durability::Buffered;
                }
            }
            options.report = Some(self.listen.report());
            options.buckets.clone_from(&self.buckets);
            options.region.clone_from(&self.region);
            options.transaction_conflicts = !self.wait_for_transactions;
            self.realism.set_engine(options);
        })
    }

    fn show(&self, (address, place): (SocketAddr, &str), outcomes: &Outcomes<'_>) {
        let Outcomes {
            tables,
            notes,
            page,
        } = outcomes;
        for (table, outcome) in *tables {
            let outcome = match outcome {
                Outcome::Created => "created",
                Outcome::Existing => "as the model says",
            };
            terminal::line(&format!("table {STRONG}{table}{STRONG:#}: {outcome}"));
        }
        for note in *notes {
            terminal::line(&format!("note: {note}"));
        }
        how_to_connect(&self.listen, &self.region, address, place);
        if let Some(page) = page {
            terminal::line(&format!(
                "{GOOD}workbench{GOOD:#} at {STRONG}{}{STRONG:#}  {FAINT}the address works once, in one browser{FAINT:#}",
                page.url
            ));
        }
    }
}

/// The place of the data: a folder, or memory.
fn place(data: Option<&Path>) -> String {
    data.map_or_else(
        || "memory".to_owned(),
        |folder| folder.display().to_string(),
    )
}

fn report(listen: &Listen, (address, place): (SocketAddr, &str), outcomes: &Outcomes<'_>) -> Json {
    let Outcomes {
        tables,
        notes,
        page,
    } = outcomes;
    let names: Vec<&str> = tables.iter().map(|(name, _)| name.as_str()).collect();
    let endpoint = format!("{}://{address}", scheme(listen));
    let mut report =
        json!({ "endpoint": endpoint, "data": place, "tables": names, "notes": notes });
    if let Some(page) = page {
        report["workbench"] = page.url.as_str().into();
    }
    report
}

/// `http` or `https`.
pub(super) fn scheme(listen: &Listen) -> &'static str {
    if listen.is_secure() { "https" } else { "http" }
}

/// Prints the address of the server, and how clients connect.
pub(super) fn how_to_connect(listen: &Listen, region: &str, address: SocketAddr, place: &str) {
    let scheme = scheme(listen);
    let (key, secret) = if listen.has_credentials() {
        ("<access key>", "<its secret>")
    } else {
        ("local", "local")
    };
    terminal::line(&format!(
        "{GOOD}serving{GOOD:#} the DynamoDB API at {STRONG}{scheme}://{address}{STRONG:#}  {FAINT}data: {place}; stop with Ctrl-C{FAINT:#}"
    ));
    terminal::line(&format!(
        "{FAINT}  any AWS SDK:  AWS_ENDPOINT_URL={scheme}://{address} AWS_REGION={region} AWS_ACCESS_KEY_ID={key} AWS_SECRET_ACCESS_KEY={secret}{FAINT:#}"
    ));
    terminal::line(&format!(
        "{FAINT}  boto3:        boto3.client(\"dynamodb\", endpoint_url=\"{scheme}://{address}\"){FAINT:#}"
    ));
    terminal::line(&format!(
        "{FAINT}  JavaScript:   new DynamoDBClient({{ endpoint: \"{scheme}://{address}\" }}){FAINT:#}"
    ));
}

/// Listens, calls `ready` with the address and the counters, and serves until Ctrl-C or SIGTERM, or until standard input
/// ends where the options say so. A signal after that ends the process at once. What `ready` returns is
/// dropped when the last request is answered.
pub(super) fn start<T>(
    engine: Arc<Engine>,
    listen: &Listen,
    config: ServerConfig,
    ready: impl FnOnce((SocketAddr, Counters)) -> Result<T, Failure>,
) -> Result<(), Failure> {
    listen.start_log();
    // Each connection takes a file descriptor. If the limit cannot be raised, the present one
    // applies.
    drop(rlimit::increase_nofile_limit(u64::MAX));
    // Requests run on these threads. More than the cores would only take turns; with one, a read
    // that waits for the disk would block all requests.
    let threads = std::thread::available_parallelism()
        .map_or(2, usize::from)
        .max(2);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .on_thread_start(|| {
            ask_for_slice(SLICE);
        })
        .enable_all()
        .build()
        .map_err(|error| Failure::backend(format!("cannot start threads: {error}")))?;
    let port = listen.port;
    let (served, stopped) = (Arc::clone(&engine), Arc::clone(&engine));
    let server = runtime
        .block_on(Server::bind(engine, config))
        .map_err(|error| {
            Failure::backend(format!(
                "{error}; another server may be running, try `--port {}`",
                port.wrapping_add(1).max(1)
            ))
        })?;
    let (address, counters) = (server.address(), server.counters());
    let input_ended = input_end(listen)?;
    let mut signals = runtime.block_on(async { Signals::take() })?;
    let serving = runtime.spawn(server.run(async move {
        tokio::select! {
            () = signals.next() => {}
            () = input_ended => {}
        }
        terminal::error_line(
            "stopping: requests under way are answered first; a second signal stops at once",
        );
        tokio::spawn(async move {
            signals.next().await;
            // Acknowledged writes are on the disk; with `--durability buffered`, after this sync.
            let code = if stopped.sync().is_ok() { 130 } else { 5 };
            std::process::exit(code);
        });
    }));
    let beside = ready((address, counters))?;
    let ended = runtime.block_on(serving);
    drop(beside);
    let synced = served.sync();
    // The process ends without waiting for the background. Compactions, new indexes, backups and
    // restores continue at the next start; exports, imports and copies of the data folder fail.
    std::mem::forget(served);
    runtime.shutdown_background();
    terminal::error_line("stopped");
    synced.map_err(|error| {
        Failure::backend(format!(
            "the store failed: {error}; all acknowledged writes are on the disk, except for the last ones with `--durability buffered`"
        ))
    })?;
    ended.map_err(|error| Failure::backend(format!("the server failed: {error}")))
}

/// The end of standard input; never, where the server does not stop by it.
fn input_end(listen: &Listen) -> Result<impl Future<Output = ()> + Send + use<>, Failure> {
    let (sender, ended) = tokio::sync::oneshot::channel::<()>();
    // Dropping the sender ends the wait, too, so it is kept where nobody reads.
    let mut kept = Some(sender);
    if listen.until_stdin_closes {
        let sender = kept.take();
        std::thread::Builder::new()
            .name("standard input".to_owned())
            .spawn(move || {
                // What the input says is of no interest. An input that cannot be read has ended.
                drop(std::io::copy(&mut std::io::stdin(), &mut std::io::sink()));
                drop(sender);
            })
            .map_err(|error| Failure::backend(format!("cannot start a thread: {error}")))?;
    }
    Ok(async move {
        drop(ended.await);
        drop(kept);
    })
}
