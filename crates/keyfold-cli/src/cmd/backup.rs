//! `keyfold backup`: copies a data folder, also while a server uses it.

use crate::backend;
use crate::failure::Failure;
use crate::output::Output;
use crate::terminal::{self, GOOD};
use clap::Args;
use keyfold_api::ApiError;
use serde_json::json;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The new folder, which must be empty or absent. With --endpoint, the name of a folder in the
    /// server's folder for copies (`serve --backups DIR`).
    #[arg(value_name = "TO")]
    to: PathBuf,
    /// Let the server at this address copy its data folder.
    #[arg(long, value_name = "URL", conflicts_with = "data")]
    endpoint: Option<String>,
    /// The data folder, which no server may have open [default: that of keyfold.toml, or
    /// .keyfold/data].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

/// How a data folder that is in use is copied.
const BY_ENDPOINT: &str = "; this command takes it by `--endpoint URL`";

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    let mut to = arguments.to.clone();
    let keys = match &arguments.endpoint {
        Some(url) => backend::endpoint(url)?.copy_data_folder(&to.display().to_string())?,
        None => {
            to = std::path::absolute(&to)
                .map_err(|error| Failure::usage(format!("{}: {error}", arguments.to.display())))?;
            let data = backend::data_folder(arguments.data.as_deref())?;
            let advice = "`--data DIR` names the one that is to be copied, and `--endpoint URL` the server that has it";
            backend::check_folder(&data, advice)?;
            let engine = backend::engine_with(Some(&data), BY_ENDPOINT, |options| {
                options.background = false;
            })?;
            engine.copy_to(&to).map_err(|error| {
                if let ApiError::Validation(reason) = error {
                    Failure::usage(reason.to_string()).in_folder(&to)
                } else {
                    error.into()
                }
            })?
        }
    };
    let folder = to.display().to_string();
    output.result(
        || json!({ "folder": folder, "keys": keys }),
        || terminal::line(&format!("{GOOD}copied{GOOD:#} {keys} keys to {folder}")),
    );
    Ok(())
}
