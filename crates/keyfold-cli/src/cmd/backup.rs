//! `keyfold backup`: copies a data folder while a server uses it.

use crate::backend::{self, DATA_DEFAULT};
use crate::failure::Failure;
use crate::terminal::{self, GOOD};
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The new folder; it must be empty or absent. With --endpoint it is a name in the folder that the server was started with
    /// for copies (`serve --backups DIR`).
    #[arg(value_name = "TO")]
    to: PathBuf,
    /// Let the server at this address copy the folder that it uses.
    #[arg(long, value_name = "URL", conflicts_with = "data")]
    endpoint: Option<String>,
    /// The data folder; no server may have it open.
    #[arg(long, value_name = "DIR", default_value = DATA_DEFAULT)]
    data: PathBuf,
}

pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<(), Failure> {
    let mut to = arguments.to.clone();
    let keys = match &arguments.endpoint {
        Some(url) => backend::endpoint(url)?.copy_data_folder(&to.display().to_string())?,
        None => {
            to = std::path::absolute(&to)
                .map_err(|error| Failure::Usage(format!("{}: {error}", arguments.to.display())))?;
            if !arguments.data.is_dir() {
                return Err(Failure::Usage(format!("{} is no folder", arguments.data.display())));
            }
            let engine = backend::engine_with(Some(&arguments.data), |options| options.background = false)?;
            engine.copy_to(&to).map_err(Failure::from)?
        }
    };
    if json {
        let report = serde_json::json!({ "ok": true, "folder": to.display().to_string(), "keys": keys });
        terminal::line(&report.to_string());
    } else {
        terminal::line(&format!("{GOOD}copied{GOOD:#} {keys} keys to {}", to.display()));
    }
    Ok(())
}
