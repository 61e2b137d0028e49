//! `keyfold move`: carries tables from one place to another while their writers go on.
//!
//! - `places`: opens both; `exports`: an export as a place; `exporting`: writes some; `carry`: copies and follows, and says what it costs
//!   first; `watch`: stops the runs on Ctrl-C; `screen`, `line`, `left`, `cost`: shows how far they are, how long they take yet and what they
//!   cost; `pausing`: makes them stand still; `switching`: lets programs write to the
//!   other side; `compare`, `comparing`, `kept`: verifies, and
//!   goes on with that; `status`: how far it is; `ending`: abort, complete; `consent`: asks before;
//!   `told` and `report`: what a report says, and how it is written.
//!
//! Each table has a run of its own (`keyfold_motion`), on threads of its own.

mod carry;
mod compare;
mod comparing;
mod consent;
mod cost;
mod ending;
mod exporting;
mod exports;
mod kept;
mod left;
mod line;
mod moved;
mod pausing;
mod places;
pub(super) mod report;
mod screen;
mod status;
mod switching;
mod told;
mod watch;

use crate::failure::Failure;
use crate::output::Output;
use carry::Run;
use clap::{Args, Subcommand};
use compare::Verify;
pub(super) use consent::{asked, can_ask};
use keyfold_motion::world::Place;
use places::Places;
pub(super) use places::{is_slow, looked_at, made_at, written_at};
use std::path::PathBuf;
use std::time::Duration;
use switching::Turned;
pub(super) use switching::force;
pub(super) use watch::{ENDED_BY_SIGNAL, listen};

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    run: Run,
}

#[derive(Subcommand)]
enum Action {
    /// Show how far the moves of the target are.
    Status {
        #[command(flatten)]
        places: Places,
        /// Write a report to this file: Markdown (.md) or an HTML page (.html).
        #[arg(long, value_name = "FILE")]
        report: Option<PathBuf>,
    },
    /// Make the moves of the target stand still: their runs end, and nothing writes for them.
    Pause {
        #[command(flatten)]
        places: Places,
    },
    /// Go on with moves that were paused, stopped or killed.
    Resume {
        #[command(flatten)]
        run: Run,
    },
    /// Compare the tables of both places, and name each item that differs.
    Verify(Verify),
    /// Let programs write to the target: the source refuses writes, what is left is carried, and what changes
    /// in the target is carried to the source from then on.
    Switch(Turned),
    /// Let programs write to the source again, as `switch` does for the target.
    Reverse(Turned),
    /// Delete the target's tables of moves that are not complete, with all that was noted.
    Abort {
        #[command(flatten)]
        places: Places,
        /// Begin at once.
        #[arg(long)]
        yes: bool,
        /// Delete the exports of TO that are not all written though they are of another place than FROM.
        #[arg(long)]
        foreign: bool,
    },
    /// End the moves: what is left is applied, the target's tables get expiry and protection, and nothing
    /// is followed any more.
    Complete {
        #[command(flatten)]
        places: Places,
        /// Begin at once.
        #[arg(long)]
        yes: bool,
        /// Do not look whether changes of the source are left.
        #[arg(long)]
        unchecked: bool,
        /// The seconds that the source may take until it is quiet.
        #[arg(long, default_value_t = 60, value_name = "SECONDS")]
        wait: u64,
        /// Write a report to this file: Markdown (.md) or an HTML page (.html).
        #[arg(long, value_name = "FILE")]
        report: Option<PathBuf>,
    },
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    match &arguments.action {
        Some(Action::Status { places, report }) => {
            status::status(places, report.as_deref(), output)
        }
        Some(Action::Pause { places }) => pausing::pause(places, output),
        Some(Action::Resume { run }) => carry::resume(run, output),
        Some(Action::Switch(turned)) => switching::turn(turned, Place::Target, output),
        Some(Action::Reverse(turned)) => switching::turn(turned, Place::Source, output),
        Some(Action::Verify(arguments)) => compare::verify(arguments, output),
        Some(Action::Abort {
            places,
            yes,
            foreign,
        }) => ending::abort(places, (*yes, *foreign), output),
        Some(Action::Complete {
            places,
            yes,
            unchecked,
            wait,
            report,
        }) => {
            let wait = (!unchecked).then(|| Duration::from_secs(*wait));
            ending::complete(places, (*yes, wait), report.as_deref(), output)
        }
        None => carry::carry(&arguments.run, output),
    }
}
