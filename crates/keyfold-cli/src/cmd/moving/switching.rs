//! Lets programs write to the other side of a move, and back.

use super::consent::{asked, can_ask};
use super::exports;
use super::places::{Opened, Places};
use super::report::{File, Report};
use super::screen::event;
use super::told::{Told, report, told};
use super::watch::{Moved, Until, watched};
use crate::failure::Failure;
use crate::output::Output;
use crate::terminal::{self, GOOD, STRONG};
use clap::Args;
use keyfold_client::blocked;
use keyfold_motion::switch::{Step, Switched, Switching, settle, switch};
use keyfold_motion::world::{At, Place, World};
use keyfold_motion::{Force, Options, Status, Turning, Way, swapped, tables};
use keyfold_stream::described;
use serde_json::{Value as Json, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// For how long Amazon DynamoDB must refuse each probe. It documents that a policy comes to be applied to
/// all requests after some time, and not after how long: this is a cautious choice, not a known bound.
const STEADY_AT_AMAZON: Duration = Duration::from_secs(30);
/// The longest that the first refusal of Amazon may take: a choice, too.
const MOST_AT_AMAZON: Duration = Duration::from_secs(180);
/// The longest that the first refusal may take elsewhere. A Keyfold server refuses at once.
const MOST_ELSEWHERE: Duration = Duration::from_secs(2);
/// How long a record may take to appear in the stream of an endpoint whose writers are stopped by somebody.
const SETTLE_STOPPED: Duration = Duration::from_secs(1);

/// What is said where nobody agrees.
const NOTHING: &str = "nothing was switched";

#[derive(Args)]
pub(super) struct Turned {
    #[command(flatten)]
    places: Places,
    /// Begin at once.
    #[arg(long)]
    yes: bool,
    /// Nothing writes to either side: change no policy, by which they would refuse writes.
    #[arg(long)]
    writers_stopped: bool,
    /// End when the tables are switched. `keyfold move resume` carries what changes to the other side then.
    #[arg(long)]
    stop_when_switched: bool,
    /// For how many seconds each of two sides must have refused writes, and a record may take to appear in a stream
    /// [default: 30 and 10 at Amazon and at hosts whose tables have the account of somebody; 0 elsewhere].
    #[arg(long, value_name = "SECONDS")]
    settle: Option<u64>,
    /// Write a report of the moves to this file at the end: Markdown (.md) or an HTML page (.html).
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

/// Switches the moves of the target, and goes on carrying what changes to the other side.
pub(super) fn turn(turned: &Turned, to: Place, output: Output) -> Result<(), Failure> {
    let file = turned.report.as_deref().map(File::of).transpose()?;
    exports::check_may_turn(&turned.places.from)?;
    exports::check_may_turn(&turned.places.to)?;
    can_ask(turned.yes, NOTHING)?;
    let opened = turned.places.open()?;
    let moves = turned.places.moves(&*opened.world())?;
    if moves.is_empty() {
        return Err(Failure::not_found(
            "the target knows of no move of these tables",
        ));
    }
    let names: Vec<&str> = moves.iter().map(|(table, _)| table.as_str()).collect();
    if !turned.yes {
        terminal::error_line(&format!(
            "programs write to the {} from now on, and the {} refuses their writes, of these tables: {}",
            to.word(),
            to.other().word(),
            names.join(", ")
        ));
        asked(NOTHING)?;
    }
    let mut done = Vec::new();
    for (table, _) in &moves {
        done.push((
            table.clone(),
            switched(&opened, table, (to, turned), output)?,
        ));
        opened.source.sync()?;
        opened.target.sync()?;
    }
    let connection = opened.name_of(to).to_owned();
    let mut ended = Ok(());
    if !turned.stop_when_switched {
        said(&done, &connection, output);
        let both = directions(&opened, &names)?;
        ended = carried(&opened, &both, Until::Stopped, output).map(drop);
    }
    let written = match &file {
        Some(file) => file.write(&report_of(&opened, &turned.places, &names, to)),
        None => Ok(()),
    };
    // The error of a run says more.
    ended?;
    written?;
    let view = |(table, done): &(String, Switched)| view(table, done, &connection);
    output.result(
        || json!({ "tables": done.iter().map(view).collect::<Vec<_>>() }),
        || {
            if turned.stop_when_switched {
                said(&done, &connection, Output::Text);
            }
        },
    );
    Ok(())
}

/// What the moves have done, and where programs write to.
fn report_of(opened: &Opened, places: &Places, names: &[&str], to: Place) -> Report {
    let state = format!("programs write to the {}", to.word());
    let tables: Vec<Told> = names
        .iter()
        .map(|table| told(opened, table, state.clone()))
        .collect();
    let verdict = format!("Programs write to {}.", opened.name_of(to));
    let both = [places.from.as_str(), places.to.as_str()];
    report(
        "A switch of tables",
        both,
        verdict,
        (&tables, opened.priced),
    )
}

fn view(table: &str, done: &Switched, connection: &str) -> Json {
    json!({
        "table": table,
        "leads": done.turn.lead.word(),
        "turns": done.turn.turns,
        "connection": connection,
        "pausedMs": done.paused.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
    })
}

/// Says where programs write to.
fn said(done: &[(String, Switched)], connection: &str, output: Output) {
    for (table, done) in done {
        let paused = done.paused.map_or_else(String::new, |time| {
            format!("; nobody could write for {} ms", time.as_millis())
        });
        let line = format!(
            "{GOOD}switched{GOOD:#} {STRONG}{table}{STRONG:#}: programs write to {connection}{paused}"
        );
        match output {
            Output::Text => terminal::line(&line),
            Output::Json => terminal::error_line(&format!(
                "switched {table}: programs write to {connection}{paused}"
            )),
        }
    }
}

/// Switches the move of a table.
fn switched(
    opened: &Opened,
    table: &str,
    (to, turned): (Place, &Turned),
    output: Output,
) -> Result<Switched, Failure> {
    let is_by_policy = !turned.writers_stopped;
    let world: Arc<dyn World> = opened.world();
    let mut slow = opened.priced.places;
    for (is_slow, place) in slow.iter_mut().zip([Place::Source, Place::Target]) {
        *is_slow |= has_account(&*world, table, place)?;
    }
    let is_any_slow = slow.contains(&true);
    let given = turned.settle.map(Duration::from_secs);
    let options = Options {
        settle_time: given.unwrap_or_else(|| match (is_any_slow, is_by_policy) {
            (true, _) => opened.settle_time.max(Duration::from_secs(10)),
            // Of other endpoints, a Keyfold server evaluates policies, whose stream shows what it acknowledges.
            (false, true) => Duration::ZERO,
            (false, false) => SETTLE_STOPPED,
        }),
        ..Options::new(table)
    };
    let switching = Switching {
        to,
        connections: connections(opened),
        forces: is_by_policy.then(|| slow.map(|is_slow| force(is_slow, given))),
        counts_are_exact: is_by_policy && !is_any_slow,
    };
    let said = |step: Step| match output {
        Output::Json => event("switching", json!({ "table": table, "step": word(step) })),
        Output::Text => terminal::error_line(&format!("{table}: {}", sentence(step, to))),
    };
    let done = blocked(switch(Arc::clone(&world), &options, &switching, &said));
    if done.is_err() {
        hint(&*world, &options);
    }
    Ok(done?)
}

/// How a refusal comes into force at a place.
pub(in crate::cmd) fn force(is_slow: bool, given: Option<Duration>) -> Force {
    let usual = match is_slow {
        true => STEADY_AT_AMAZON,
        false => Duration::ZERO,
    };
    let steady = given.unwrap_or(usual);
    Force {
        steady,
        most: match is_slow || !steady.is_zero() {
            true => MOST_AT_AMAZON,
            false => MOST_ELSEWHERE,
        },
    }
}

/// Whether the name of a table has the account of somebody, as at Amazon, also behind a host of another name.
/// Other endpoints have the account of nobody, unless they are told another one.
fn has_account(world: &dyn World, table: &str, place: Place) -> Result<bool, Failure> {
    let found = blocked(described(&At { world, place }, table))?;
    let arn = found.and_then(|found| found.table_arn).unwrap_or_default();
    let account = arn.split(':').nth(4).unwrap_or_default();
    Ok(account.bytes().any(|digit| digit != b'0'))
}

/// Says what to do with a switch that stands still while nobody can write.
fn hint(world: &dyn World, options: &Options) {
    let found = blocked(keyfold_motion::status(world, options))
        .ok()
        .flatten();
    if let Some(found) = found
        && found.run.turn.turning == Some(Turning::Closing)
    {
        let back = match found.run.turn.lead {
            Place::Source => "reverse",
            Place::Target => "switch",
        };
        terminal::error_line(&format!(
            "nobody can write to {} now: `keyfold move resume` goes on with the switch, and `keyfold move {back}` \
             gives it up",
            options.table
        ));
    }
}

fn connections(opened: &Opened) -> [String; 2] {
    [Place::Source, Place::Target].map(|place| opened.name_of(place).to_owned())
}

fn word(step: Step) -> &'static str {
    match step {
        Step::Nearing => "nearing",
        Step::Refusing => "refusing",
        Step::Draining => "draining",
        Step::Opening => "opening",
        Step::Switched => "switched",
    }
}

fn sentence(step: Step, to: Place) -> String {
    let (to, from) = (to.word(), to.other().word());
    match step {
        Step::Nearing => "what changed is carried".to_owned(),
        Step::Refusing => format!("the {from} comes to refuse writes"),
        Step::Draining => format!("the last changes are carried to the {to}"),
        Step::Opening => format!("the {to} comes to take writes"),
        Step::Switched => format!("the {to} takes writes"),
    }
}

/// Ends a switch that was killed, of a move that is gone on with.
pub(super) fn end_switch(
    opened: &Opened,
    (table, status): &(String, Status),
    output: Output,
) -> Result<(), Failure> {
    let turn = &status.run.turn;
    let Some(to) = turn.goes_to() else {
        let (options, both) = (Options::new(table), connections(opened));
        if blocked(settle(opened.world(), &options, &both))? {
            terminal::error_line(&format!(
                "{table}: the {} refuses writes again, which somebody had let it take",
                turn.lead.other().word()
            ));
        }
        return Ok(());
    };
    let turned = Turned {
        places: Places {
            from: String::new(),
            to: String::new(),
            table: Vec::new(),
        },
        yes: true,
        writers_stopped: turn.way == Some(Way::Stopped),
        stop_when_switched: true,
        settle: None,
        report: None,
    };
    let done = switched(opened, table, (to, &turned), output)?;
    said(&[(table.clone(), done)], opened.name_of(to), output);
    Ok(())
}

/// The runs of switched moves: those that apply changes, and those that pass over the mover's own.
pub(super) struct Directions {
    pub(super) applying: Vec<Moved>,
    passing: Vec<Moved>,
}

/// The runs of moves that were switched.
pub(super) fn directions(opened: &Opened, names: &[&str]) -> Result<Directions, Failure> {
    let (mut applying, mut passing) = (Vec::new(), Vec::new());
    let world: Arc<dyn World> = opened.world();
    let other = swapped(Arc::clone(&world));
    for table in names {
        let status = blocked(keyfold_motion::status(&*world, &Options::new(table)))?;
        let leads = status.map_or(Place::Source, |status| status.run.turn.lead);
        for (place, direction) in [(Place::Source, &world), (Place::Target, &other)] {
            let found = blocked(tables::look(&**direction, table))?;
            let tables::Followable::Yes(stream) = found.followable() else {
                return Err(Failure::refused(format!(
                    "the stream of the table {table} of the {} is off: its changes are lost for the other side",
                    place.word()
                )));
            };
            let options = Options {
                settle_time: opened.settle_time,
                ..Options::new(table)
            };
            let one = Moved::of(opened, options, (found, Some(stream)), place);
            match place == leads {
                true => applying.push(one),
                false => passing.push(one),
            }
        }
    }
    Ok(Directions { applying, passing })
}

/// Carries both directions on until they are to end. Returns whether the sides are even then.
pub(super) fn carried(
    opened: &Opened,
    directions: &Directions,
    until: Until,
    output: Output,
) -> Result<bool, Failure> {
    let ended = std::thread::scope(|scope| {
        let passing: Vec<_> = directions
            .passing
            .iter()
            .map(|one| {
                scope.spawn(|| {
                    let ended = one.carry_on();
                    // The others would go on alone, and what this one passes over would be left.
                    if ended.is_err() {
                        let others = directions.applying.iter().chain(&directions.passing);
                        others.for_each(|other| other.progress.stop());
                    }
                    ended
                })
            })
            .collect();
        let ended = watched(&directions.applying, until, output);
        directions
            .passing
            .iter()
            .for_each(|one| one.progress.stop());
        for run in passing {
            match run.join() {
                Ok(run) => {
                    run?;
                }
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        ended
    });
    opened.source.sync()?;
    opened.target.sync()?;
    ended
}

/// What is said of the side that programs write to.
pub(super) fn of_side(status: &Status) -> String {
    let turn = &status.run.turn;
    if !turn.has_begun() {
        return String::new();
    }
    match turn.goes_to() {
        Some(to) => format!(
            ", being switched to the {}: `keyfold move resume` goes on",
            to.word()
        ),
        None => format!(", programs write to the {}", turn.lead.word()),
    }
}
