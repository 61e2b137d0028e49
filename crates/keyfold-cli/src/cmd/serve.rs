//! `keyfold serve [FILE...]`: tables with Amazon DynamoDB's API over HTTP.

use crate::backend::{self, DATA_DEFAULT};
use crate::cmd::bounds::Bounds;
use crate::cmd::listen::Listen;
use crate::cmd::realism::Realism;
use crate::failure::Failure;
use crate::json;
use crate::model_file;
use crate::terminal::{self, FAINT, GOOD, STRONG};
use clap::{Args, ValueEnum};
use keyfold_client::Backend;
use keyfold_client::tables::{self, Outcome};
use keyfold_engine::{Durability, Engine, StoreOptions};
use keyfold_server::{Server, ServerConfig};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Models whose tables are made if they are absent.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The data folder, made if absent.
    #[arg(long, value_name = "DIR", default_value = DATA_DEFAULT)]
    data: PathBuf,
    /// Keep everything in memory; nothing is left when the server stops.
    #[arg(long, conflicts_with = "data")]
    memory: bool,
    /// When a write is acknowledged: `synced` survives the machine's crash; `buffered` only the
    /// process's, and is faster.
    #[arg(long, value_enum, default_value_t = Acknowledged::Synced, value_name = "WHEN", conflicts_with = "memory")]
    durability: Acknowledged,
    /// The folder whose subfolders stand for buckets of exports and imports.
    #[arg(long, value_name = "DIR")]
    buckets: Option<PathBuf>,
    /// The folder that `keyfold backup --endpoint` makes copies of the data folder in.
    #[arg(long, value_name = "DIR", conflicts_with = "memory")]
    backups: Option<PathBuf>,
    /// The region in ARNs, unless a request's signature says another.
    #[arg(long, default_value = "us-east-1")]
    region: String,
    /// Let writes that meet an item of a transaction under way wait for it, instead of refusing
    /// them with TransactionConflictException as the service does.
    #[arg(long)]
    wait_for_transactions: bool,
    #[command(flatten)]
    bounds: Bounds,
    #[command(flatten)]
    realism: Realism,
    #[command(flatten)]
    listen: Listen,
}

/// When a write is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Acknowledged {
    /// When it is on the device.
    Synced,
    /// When it is handed to the operating system.
    Buffered,
}

pub(crate) fn run(arguments: &Arguments, as_json: bool) -> Result<(), Failure> {
    let mut config = arguments.listen.config()?;
    arguments.bounds.of_server(&mut config);
    arguments.realism.of_server(&mut config);
    for (option, folder) in [
        ("--buckets", &arguments.buckets),
        ("--backups", &arguments.backups),
    ] {
        if let Some(folder) = folder.as_ref().filter(|folder| !folder.is_dir()) {
            let message = format!(
                "{option} {}: there is no such folder; make it first",
                folder.display()
            );
            return Err(Failure::usage(message).in_folder(folder));
        }
    }
    config.backups.clone_from(&arguments.backups);
    let models = arguments
        .files
        .iter()
        .map(|file| model_file::load(file, as_json))
        .collect::<Result<Vec<_>, _>>()?;
    arguments.listen.start_log();
    let engine = backend::engine_with(
        (!arguments.memory).then_some(arguments.data.as_path()),
        |options| {
            if let StoreOptions::Folder(folder) = &mut options.store {
                arguments.bounds.of_store(folder);
                if arguments.durability == Acknowledged::Buffered {
                    folder.durability = Durability::Buffered;
                }
            }
            options.report = Some(arguments.listen.report());
            options.buckets.clone_from(&arguments.buckets);
            options.region.clone_from(&arguments.region);
            options.transaction_conflicts = !arguments.wait_for_transactions;
            arguments.realism.of_engine(options);
        },
    )?;
    let embedded = Backend::Embedded(Arc::clone(&engine));
    let mut made = Vec::new();
    for model in &models {
        made.extend(tables::ensure(&embedded, model)?);
    }
    drop(embedded);
    let place = if arguments.memory {
        "memory".to_owned()
    } else {
        arguments.data.display().to_string()
    };
    let scheme = scheme(&arguments.listen);
    start(engine, &arguments.listen, config, |address| {
        if as_json {
            let tables: Vec<&str> = made.iter().map(|(name, _)| name.as_str()).collect();
            let endpoint = format!("{scheme}://{address}");
            json::print(
                &serde_json::json!({ "endpoint": endpoint, "data": place, "tables": tables }),
            );
            return Ok(());
        }
        for (table, outcome) in &made {
            let what = match outcome {
                Outcome::Created => "created",
                Outcome::Existing => "as the model says",
            };
            terminal::line(&format!("table {STRONG}{table}{STRONG:#}: {what}"));
        }
        how_to_connect(&arguments.listen, &arguments.region, address, &place);
        Ok(())
    })
}

/// `http` or `https`.
pub(super) fn scheme(listen: &Listen) -> &'static str {
    if listen.is_secure() { "https" } else { "http" }
}

/// Says where the server is and how clients reach it.
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

/// Listens, calls `ready` with the address, and serves until Ctrl-C or SIGTERM.
pub(super) fn start(
    engine: Arc<Engine>,
    listen: &Listen,
    config: ServerConfig,
    ready: impl FnOnce(SocketAddr) -> Result<(), Failure>,
) -> Result<(), Failure> {
    listen.start_log();
    // As many connections as the system lets this process have; where that cannot be asked for,
    // what it has must do.
    drop(rlimit::increase_nofile_limit(u64::MAX));
    // Requests are answered on these threads, as many as can run at once: more would only take
    // turns. Two at least, so that a read that waits for the disk holds up only some.
    let threads = std::thread::available_parallelism()
        .map_or(2, usize::from)
        .max(2);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .enable_all()
        .build()
        .map_err(|error| Failure::backend(format!("cannot start threads: {error}")))?;
    let port = listen.port;
    let (served, engine_of_signals) = (Arc::clone(&engine), Arc::clone(&engine));
    let server = runtime
        .block_on(Server::bind(engine, config))
        .map_err(|error| {
            Failure::backend(format!(
                "{error}; another server may be running, try `--port {}`",
                port.wrapping_add(1).max(1)
            ))
        })?;
    let address = server.address();
    let at_once = Arc::clone(&engine_of_signals);
    let serving = runtime.spawn(server.run(async move {
        stop_signal().await;
        terminal::error_line(
            "stopping: requests under way are answered first; once more ends it at once",
        );
        tokio::spawn(async move {
            stop_signal().await;
            // What was acknowledged is on the device; with `--durability buffered`, now.
            let code = if at_once.sync().is_ok() { 130 } else { 5 };
            std::process::exit(code);
        });
    }));
    ready(address)?;
    let ended = runtime.block_on(serving);
    let synced = served.sync();
    // The process ends: what is under way in the background does not hold it up. Merges, new
    // indexes, backups and restores go on at the next start; exports, imports and copies of the
    // data folder have failed.
    std::mem::forget(served);
    runtime.shutdown_background();
    terminal::error_line("stopped");
    synced.map_err(|error| {
        Failure::backend(format!(
            "the store failed: {error}; everything acknowledged is on the device, but for the last writes with `--durability buffered`"
        ))
    })?;
    ended.map_err(|error| Failure::backend(format!("the server failed: {error}")))
}

async fn stop_signal() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                () = interrupt => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    interrupt.await;
}
