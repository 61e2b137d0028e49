//! `keyfold workbench [FILE...]`: a page in the browser to design tables.

use super::lsp::Disk;
use super::signal::Signals;
use crate::failure::Failure;
use crate::output::Output;
use crate::project;
use crate::terminal::{self, FAINT, GOOD, STRONG};
use clap::Args;
use keyfold_workbench::{Options, Workbench};
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
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    let files = match arguments.files.as_slice() {
        [] => vec![project::model()?],
        files => files.to_vec(),
    };
    for file in &files {
        // A file that cannot be read is refused now, and not by the page.
        if let Err(error) = std::fs::read_to_string(file) {
            let message = format!("cannot read {}: {error}", file.display());
            return Err(Failure::usage(message).in_file(file));
        }
    }
    let options = Options {
        port: arguments.port,
        files: files.clone(),
        language_files: Arc::new(|| Box::new(Disk)),
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
        || json!({ "url": url, "files": files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>() }),
        || {
            terminal::line(&format!(
                "{GOOD}workbench{GOOD:#} at {STRONG}{url}{STRONG:#}"
            ));
            terminal::line(&format!(
                "{FAINT}  the address works once, in one browser; stop with Ctrl-C{FAINT:#}"
            ));
        },
    );
    runtime.block_on(workbench.run(async move { signals.next().await }));
    runtime.shutdown_background();
    Ok(())
}
