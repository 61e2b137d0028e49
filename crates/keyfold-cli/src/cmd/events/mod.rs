//! `keyfold events`: what became of the events of `keyfold serve --on-stream`.
//!
//! `failures` lists the batches that a mapping has given up, with the records that the stream still holds; `replay`
//! sends them again. `batches` is the file of them, and `found` one of them with its records. `status` shows how far
//! the mappings are.

mod age;
mod batches;
mod failures;
mod found;
mod names;
mod replay;
mod status;

use crate::backend::BackendArguments;
use crate::failure::Failure;
use crate::output::Output;
use clap::{Args, Subcommand};
use keyfold_stream::mapping::Settings;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Show how far each mapping is: its shards, the records behind its position, their age, and the last error of the
    /// function.
    Status {
        /// The table [default: all of them].
        #[arg(value_name = "TABLE")]
        table: Option<String>,
        #[command(flatten)]
        backend: BackendArguments,
    },
    /// List the batches that were discarded, each with the cause, its age and the keys of its items, read from the
    /// stream anew.
    Failures {
        /// The file that `on-failure=FILE` of `serve --on-stream` names.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        #[command(flatten)]
        backend: BackendArguments,
    },
    /// Send the records of batches that were discarded to a function again, each batch as one event. A batch that the
    /// function has handled is noted in FILE.replayed, and not sent again.
    Replay {
        /// The file that `on-failure=FILE` of `serve --on-stream` names.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// The mapping, as `serve --on-stream` takes it: batches of this table are sent to this URL or command. Of its
        /// settings filter, parallel, report-failures and timeout count.
        #[arg(long, value_name = "TABLE=TARGET", value_parser = parsed)]
        to: Box<Settings>,
        /// The mapping that has discarded the batches, as `failures` names it: needed where the file has batches of
        /// several mappings of the table.
        #[arg(long, value_name = "NAME")]
        of: Option<String>,
        /// The batch, by the number that `failures` shows [default: all of the table].
        #[arg(long, value_name = "N")]
        batch: Option<usize>,
        #[command(flatten)]
        backend: BackendArguments,
    },
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    match &arguments.action {
        Action::Status { table, backend } => status::show(table.as_deref(), backend, output),
        Action::Failures { file, backend } => failures::list(file, backend, output),
        Action::Replay {
            file,
            to,
            of,
            batch,
            backend,
        } => {
            let chosen = replay::Chosen {
                file,
                number: *batch,
                of: of.as_deref(),
            };
            replay::replay(&chosen, to, backend, output)
        }
    }
}

fn parsed(text: &str) -> Result<Box<Settings>, String> {
    Settings::parse(text).map(Box::new)
}
