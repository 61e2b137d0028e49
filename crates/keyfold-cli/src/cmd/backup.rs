//! `keyfold backup`: copies a data folder while a server uses it.

use crate::backend::{self, DATA_DEFAULT};
use crate::failure::Failure;
use crate::json;
use crate::terminal::{self, GOOD};
use clap::Args;
use keyfold_api::ApiError;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The new folder; it must be empty or absent. With --endpoint it is a name in the folder that
    /// the server was started with for copies (`serve --backups DIR`).
    #[arg(value_name = "TO")]
    to: PathBuf,
    /// Let the server at this address copy the folder that it uses.
    #[arg(long, value_name = "URL", conflicts_with = "data")]
    endpoint: Option<String>,
    /// The data folder; no server may have it open.
    #[arg(long, value_name = "DIR", default_value = DATA_DEFAULT)]
    data: PathBuf,
}

pub(crate) fn run(arguments: &Arguments, as_json: bool) -> Result<(), Failure> {
    let mut to = arguments.to.clone();
    let keys = match &arguments.endpoint {
        Some(url) => backend::endpoint(url)?.copy_data_folder(&to.display().to_string())?,
        None => {
            to = std::path::absolute(&to)
                .map_err(|error| Failure::usage(format!("{}: {error}", arguments.to.display())))?;
            if !arguments.data.is_dir() {
                let message = format!("{} is no folder", arguments.data.display());
                return Err(Failure::usage(message).in_folder(&arguments.data));
            }
            let engine =
                backend::engine_with(Some(&arguments.data), |options| options.background = false)?;
            engine.copy_to(&to).map_err(|error| match error {
                ApiError::Validation(why) => Failure::usage(why.to_string()).in_folder(&to),
                other => other.into(),
            })?
        }
    };
    if as_json {
        json::print(&serde_json::json!({ "folder": to.display().to_string(), "keys": keys }));
    } else {
        terminal::line(&format!(
            "{GOOD}copied{GOOD:#} {keys} keys to {}",
            to.display()
        ));
    }
    Ok(())
}
