//! `keyfold evolve`: how a running design changes.
//!
//! - `plan`: each change with its class, who may run beside whom, and the phases with what they cost.
//! - `carried`: `run`, `status`, `pause`, `abort` and `complete`: the phases, carried out on data.
//! - `told`: what is shown of them; `report`: the file about a run.

mod carried;
mod plan;
mod report;
mod told;

use crate::failure::Failure;
use crate::output::Output;
use carried::{Both, Run};
use clap::{Args, Subcommand};
use plan::Plan;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Show the changes, which versions may run together, and the phases with their costs. Nothing is
    /// written.
    Plan(Plan),
    /// Carry the phases out on the data, up to one in which programs are stopped or deployed. The same command
    /// goes on from there.
    Run(Run),
    /// Show how far the evolution is.
    Status(Both),
    /// Make the evolution stand still: a run that is under way ends.
    Pause(Both),
    /// Give the evolution up, where the old version reads all that was written. What was made stays.
    Abort {
        #[command(flatten)]
        both: Both,
        /// Begin at once.
        #[arg(long)]
        yes: bool,
    },
    /// Delete what only the old version had, and end the evolution.
    Complete {
        #[command(flatten)]
        both: Both,
        /// Begin at once.
        #[arg(long)]
        yes: bool,
        /// End it where the data differs from the new model, too, as it was accepted of the run.
        #[arg(long)]
        accept: bool,
        /// Write a report to this file: Markdown (.md) or an HTML page (.html).
        #[arg(long, value_name = "FILE")]
        report: Option<PathBuf>,
    },
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    match &arguments.action {
        Action::Plan(plan) => plan::run(plan, output),
        Action::Run(run) => carried::run(run, output),
        Action::Status(both) => carried::status(both, output),
        Action::Pause(both) => carried::pause(both, output),
        Action::Abort { both, yes } => carried::abort(both, *yes, output),
        Action::Complete {
            both,
            yes,
            accept,
            report,
        } => carried::complete(both, (*yes, *accept), report.as_deref(), output),
    }
}
