//! `keyfold workbench [FILE...] [--at CONNECTION]`: a page in the browser to design tables and to explore
//! their data.

use super::learn;
use super::lsp::Disk;
use super::prove;
use super::signal::Signals;
use super::under_way::{self, Named};
use crate::backend;
use crate::failure::Failure;
use crate::output::Output;
use crate::project::{self, Project};
use crate::terminal::{self, FAINT, GOOD, STRONG};
use clap::Args;
use keyfold_client::connection::Surroundings;
use keyfold_client::{Backend, Connection};
use keyfold_workbench::{Options, Place, Workbench};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The models to edit; none where keyfold.toml names one. The page saves these files, and no
    /// others.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The port on this machine; 0 takes any free one.
    #[arg(long, default_value_t = 8010)]
    port: u16,
    /// Show the data of this place, too: http://127.0.0.1:8000,
    /// dynamodb://eu-west-1?profile=NAME, keyfold:./data, or the name of a connection of keyfold.toml.
    #[arg(long, value_name = "CONNECTION")]
    at: Option<String>,
    /// Let the page write to that place: entities through the model, each write shown before it is made.
    #[arg(long, requires = "at")]
    write: bool,
}

/// What helps where the folder is not there.
const NO_FOLDER: &str = "`--at` names the place whose data the page shows";

/// Opens the place whose data the page shows. A data folder to which nothing is written is only
/// examined.
fn place(text: &str, may_write: bool) -> Result<Place, Failure> {
    let connection = project::connection_of(text)?;
    let is_here = connection.is_here();
    let folder = match &connection {
        Connection::Memory => {
            return Err(Failure::usage(
                "`memory:` holds nothing that the page could show",
            ));
        }
        Connection::Folder(folder) => Some(folder),
        Connection::Endpoint { .. } | Connection::Amazon(_) => None,
    };
    if let Some(folder) = folder {
        backend::check_folder(folder, NO_FOLDER)?;
        let engine = match may_write {
            true => backend::engine_with(Some(folder), backend::BY_TEXT, |_| {})?,
            false => backend::examined(folder, backend::BY_TEXT)?,
        };
        return Ok(Place {
            backend: Arc::new(Backend::Embedded(engine)),
            shown: folder.display().to_string(),
            url: None,
            region: None,
            is_here,
            may_write,
            under_way: under_way::reader(named(text, Named::folder(folder))),
            counters: Arc::new(|| Ok(None)),
        });
    }
    let endpoint = connection.endpoint(&Surroundings::of_process())?;
    let endpoint = endpoint.ok_or_else(|| Failure::usage("the connection names no server"))?;
    let (url, region) = (endpoint.url.clone(), endpoint.region.clone());
    let is_amazon = connection.is_amazon();
    let backend = Arc::new(Backend::at(endpoint)?);
    let asked = Arc::clone(&backend);
    Ok(Place {
        backend,
        shown: match is_amazon {
            true => format!("Amazon DynamoDB, {region}"),
            false => url.clone(),
        },
        url: (!is_amazon).then_some(url),
        region: Some(region),
        is_here,
        may_write,
        under_way: under_way::reader(named(text, Named::server(text))),
        counters: Arc::new(move || match is_amazon {
            true => Ok(None),
            false => asked.counters().map_err(|error| error.to_string()),
        }),
    })
}

/// How commands name the place: by its name in `keyfold.toml`, where the text is one.
fn named(text: &str, other: Named) -> Named {
    match text.contains(':') {
        true => other,
        false => Named::connection(text),
    }
}

/// The models that the page shows. Data can be explored without one.
fn files(arguments: &Arguments) -> Result<Vec<PathBuf>, Failure> {
    match (arguments.files.as_slice(), &arguments.at) {
        ([], None) => Ok(vec![project::model()?]),
        ([], Some(_)) => {
            let model = Project::find()?.map_or(Ok(None), |project| project.model())?;
            Ok(model.into_iter().collect())
        }
        (files, _) => Ok(files.to_vec()),
    }
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    let files = files(arguments)?;
    for file in &files {
        // A file that cannot be read is refused now, and not by the page.
        if let Err(error) = std::fs::read_to_string(file) {
            let message = format!("cannot read {}: {error}", file.display());
            return Err(Failure::usage(message).in_file(file));
        }
    }
    let place = arguments.at.as_deref();
    let place = place
        .map(|text| self::place(text, arguments.write))
        .transpose()?;
    let at = place.as_ref().map(|place| place.shown.clone());
    let folder = learn::Folder::new();
    let options = Options {
        port: arguments.port,
        files: files.clone(),
        language_files: Arc::new(|| Box::new(Disk)),
        prove: Arc::new(prove::for_page),
        samples: learn::samples(&folder),
        place,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::backend(format!("cannot start threads: {error}")))?;
    let workbench = runtime
        .block_on(Workbench::bind(options))
        .map_err(|error| {
            Failure::backend(format!(
                "cannot listen on port {}: {error}; try `--port 0`",
                arguments.port
            ))
        })?;
    let mut signals = runtime.block_on(async { Signals::take() })?;
    let url = workbench.url();
    output.result(
        || {
            let files = files.iter().map(|file| file.display().to_string());
            json!({ "url": url, "files": files.collect::<Vec<_>>(), "at": at })
        },
        || {
            terminal::line(&format!(
                "{GOOD}workbench{GOOD:#} at {STRONG}{url}{STRONG:#}"
            ));
            if let Some(at) = &at {
                terminal::line(&format!("{FAINT}  with the data of {at}{FAINT:#}"));
            }
            terminal::line(&format!(
                "{FAINT}  the address works once, in one browser; stop with Ctrl-C{FAINT:#}"
            ));
        },
    );
    runtime.block_on(workbench.run(async move { signals.next().await }));
    runtime.shutdown_background();
    Ok(())
}
