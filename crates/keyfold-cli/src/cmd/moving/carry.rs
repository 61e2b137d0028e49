//! Copies tables and follows their changes.

use super::exporting::{self, Wish};
use super::exports::folder_of;
use super::places::{Opened, Places};
use super::report::{File, Report};
use super::switching::{carried as carry_switched, directions, end_switch};
use super::told::{Told, not_carried, report, told};
use super::watch::{Moved, Until, show, watched};
use crate::failure::Failure;
use crate::output::Output;
use crate::terminal;
use clap::{Args, value_parser};
use keyfold_client::blocked;
use keyfold_motion::tables::{self, Followable, Found};
use keyfold_motion::world::{Place, World};
use keyfold_motion::{Options, Status, prepare};
use serde_json::json;
use std::path::{Path, PathBuf};

/// The bytes of a strongly consistent read unit, and of a write unit.
const READ_UNIT_BYTES: u64 = 4_096;
const WRITE_UNIT_BYTES: u64 = 1_024;

#[derive(Args)]
pub(super) struct Run {
    /// Where the tables are: http://127.0.0.1:8000, dynamodb://eu-west-1?profile=NAME,
    /// keyfold:./data, export:./folder, or the name of a connection of keyfold.toml.
    #[arg(value_name = "FROM", required = true)]
    from: Option<String>,
    /// Where they go.
    #[arg(value_name = "TO", required = true)]
    to: Option<String>,
    /// A table; may be given several times [default: all tables of the source].
    #[arg(long, value_name = "TABLE")]
    table: Vec<String>,
    /// The segments of a table that are copied at once. A move that was begun keeps its own.
    #[arg(long, default_value_t = 4, value_name = "N", value_parser = value_parser!(u32).range(1..=1_000))]
    segments: u32,
    /// The most read units of the source a second, and the most write units of the target; of each
    /// table.
    #[arg(long, value_name = "UNITS", value_parser = value_parser!(u32).range(1..))]
    rate: Option<u32>,
    /// Nothing writes to the source meanwhile: copy without following. A data folder has no other
    /// writers anyway.
    #[arg(long)]
    writers_stopped: bool,
    /// Follow the changes of a data folder, too: so its move can be switched.
    #[arg(long)]
    follow: bool,
    /// End when all is carried that was written before the last table was copied, however steadily programs
    /// write.
    #[arg(long)]
    stop_when_even: bool,
    /// Begin at once, and switch streams on where they are off.
    #[arg(long)]
    yes: bool,
    /// Write a report of the move to this file at the end: Markdown (.md) or an HTML page (.html).
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

/// Copies and follows until all is even, or until Ctrl-C.
pub(super) fn carry(run: &Run, output: Output) -> Result<(), Failure> {
    carried(run, &run.places(), output)
}

/// Goes on with the moves of the target: those of the tables that are named, or all.
pub(super) fn resume(run: &Run, output: Output) -> Result<(), Failure> {
    let mut named = run.places();
    if let Some(folder) = folder_of(&named.to) {
        named.table = exporting::names(&folder)?;
        return carried(run, &named, output);
    }
    // A data folder is opened once at a time.
    let moves = named.moves(&*named.open_target()?.world())?;
    if moves.iter().any(|(_, one)| one.run.turn.has_begun()) {
        return resume_switched(run, &named, &moves, output);
    }
    if moves.is_empty() {
        return Err(Failure::not_found(
            "the target knows of no move of these tables: `keyfold move` begins one",
        ));
    }
    named.table = moves.into_iter().map(|(table, _)| table).collect();
    carried(run, &named, output)
}

/// Goes on with moves of which one was switched: ends its switch, and carries what changes to the other side.
fn resume_switched(
    run: &Run,
    named: &Places,
    moves: &[(String, Status)],
    output: Output,
) -> Result<(), Failure> {
    if let Some((table, _)) = moves.iter().find(|(_, one)| !one.run.turn.has_begun()) {
        return Err(Failure::refused(format!(
            "some of these moves were switched, and that of {table} was not: name the tables of one kind by --table"
        )));
    }
    let opened = named.open()?;
    for one in moves {
        end_switch(&opened, one, output)?;
    }
    let names: Vec<&str> = moves.iter().map(|(table, _)| table.as_str()).collect();
    let both = directions(&opened, &names)?;
    let until = match run.stop_when_even {
        true => Until::AllEven,
        false => Until::Stopped,
    };
    let is_even = carry_switched(&opened, &both, until, output)?;
    let document = json!({
        "tables": both.applying.iter().map(Moved::view).collect::<Vec<_>>(),
        "isEven": is_even,
    });
    output.result(|| document, || show(&both.applying, is_even));
    Ok(())
}

impl Run {
    fn places(&self) -> Places {
        Places {
            from: self.from.clone().unwrap_or_default(),
            to: self.to.clone().unwrap_or_default(),
            table: self.table.clone(),
        }
    }
}

fn carried(run: &Run, named: &Places, output: Output) -> Result<(), Failure> {
    let file = run.report.as_deref().map(File::of).transpose()?;
    match folder_of(&named.to) {
        Some(folder) => exported(run, (&folder, file), named, output),
        None => to_tables(run, file, named, output),
    }
}

/// Copies and follows, to tables.
fn to_tables(run: &Run, file: Option<File>, named: &Places, output: Output) -> Result<(), Failure> {
    if run.follow && named.is_from_export() {
        let why = "--follow: an export has no changes to follow, it is a stopped copy";
        return Err(Failure::usage(why));
    }
    let source = named.open_source()?;
    let world = source.world();
    let follows = (source.is_shared || run.follow) && !run.writers_stopped;
    let mut found = Vec::new();
    for table in named.tables(&*world)? {
        found.push(blocked(tables::look(&*world, &table))?);
    }
    let is_agreed = run.yes
        || (output == Output::Text
            && announce(
                &found,
                if follows {
                    Shown::Followed
                } else {
                    Shown::Stopped
                },
            )?);
    let mut streams = Vec::new();
    for found in found {
        let stream = match follows {
            true => Some(stream_of(&*world, &found, is_agreed)?),
            false => None,
        };
        streams.push((found, stream));
    }
    let places = source.with_target(named)?;
    let moved = begun(&places, run, streams)?;
    let until = match run.stop_when_even {
        true => Until::AllEven,
        false => Until::Stopped,
    };
    let ended = watched(&moved, until, output);
    let synced = places.target.sync();
    let written = match &file {
        Some(file) => file.write(&report_of(&places, named, &moved, &ended)),
        None => Ok(()),
    };
    // The error of a run says more than that of a store which it has left.
    let is_even = ended?;
    synced?;
    written?;
    if run.stop_when_even && !is_even {
        let how = match moved.iter().any(Moved::is_paused) {
            true => "paused",
            false => "stopped",
        };
        return Err(Failure::refused(format!(
            "it was {how} before the target was even with the source: the same command goes on from there"
        )));
    }
    let document = json!({
        "tables": moved.iter().map(Moved::view).collect::<Vec<_>>(),
        "isEven": is_even,
    });
    output.result(|| document, || show(&moved, is_even));
    Ok(())
}

/// Writes exports of the tables, once somebody has agreed.
fn exported(
    run: &Run,
    (folder, file): (&Path, Option<File>),
    named: &Places,
    output: Output,
) -> Result<(), Failure> {
    let wish = &Wish {
        folder,
        rate: run.rate,
        writers_stopped: run.writers_stopped,
        follow: run.follow,
        file,
    };
    let source = named.open_source()?;
    wish.check(named, &source)?;
    let world = source.world();
    let mut found = Vec::new();
    for table in named.tables(&*world)? {
        found.push(blocked(tables::look(&*world, &table))?);
    }
    wish.look(&found)?;
    if !run.yes && output == Output::Text {
        announce(&found, Shown::Export)?;
    }
    exporting::export(wish, (named, &source), found, output)
}

/// What the moves have done, of all their runs.
fn report_of(
    places: &Opened,
    named: &Places,
    moved: &[Moved],
    ended: &Result<bool, Failure>,
) -> Report {
    let is_paused = moved.iter().any(Moved::is_paused);
    let verdict = match (ended, is_paused) {
        (Err(failure), _) => format!("The move cannot go on: {}", failure.message()),
        (Ok(_), true) => "Paused: `keyfold move resume` goes on from here.".to_owned(),
        (Ok(true), false) => "The target is even with the source.".to_owned(),
        (Ok(false), false) => "Stopped: the same command goes on from here.".to_owned(),
    };
    let tables: Vec<Told> = moved
        .iter()
        .map(|one| {
            let mut told = told(places, &one.found.table, one.state());
            told.notes.extend(not_carried(&one.found));
            told
        })
        .collect();
    let both = [named.from.as_str(), named.to.as_str()];
    report("A move of tables", both, verdict, (&tables, places.priced))
}

/// Begins the moves of tables, or goes on with what is missing of them.
fn begun(
    places: &Opened,
    run: &Run,
    tables: Vec<(Found, Option<String>)>,
) -> Result<Vec<Moved>, Failure> {
    let mut moved = Vec::new();
    for (found, stream) in tables {
        let options = Options {
            segments: run.segments,
            rate: run.rate,
            settle_time: places.settle_time,
            ..Options::new(&found.table)
        };
        moved.push(one_begun(places, options, found, stream)?);
    }
    Ok(moved)
}

/// Begins the move of a table, or goes on with what is missing of it.
pub(super) fn one_begun(
    places: &Opened,
    options: Options,
    found: Found,
    stream: Option<String>,
) -> Result<Moved, Failure> {
    let one = Moved::of(places, options, (found, stream), Place::Source);
    blocked(prepare(
        &*one.threads,
        &one.options,
        &one.found,
        one.stream.clone(),
    ))?;
    Ok(one)
}

/// The stream of a table; it is switched on where it is off.
fn stream_of(world: &dyn World, found: &Found, is_agreed: bool) -> Result<String, Failure> {
    let table = &found.table;
    match found.followable() {
        Followable::Yes(stream) => Ok(stream),
        Followable::NoStream if is_agreed => {
            let otherwise = tables::Streamless {
                place: "the source",
                advice: "where an engine has none, stop its writers, and pass --writers-stopped",
            };
            Ok(blocked(tables::switch_stream_on(world, table, otherwise))?)
        }
        Followable::NoStream => Err(Failure::refused(format!(
            "the table {table} of the source has no stream: --yes switches it on, --writers-stopped \
             copies without following"
        ))),
        Followable::NoImages => Err(Failure::refused(format!(
            "the stream of {table} has no new images, and a stream cannot be changed: switch it off and \
             on with NEW_AND_OLD_IMAGES, or copy with --writers-stopped"
        ))),
    }
}

/// What becomes of the tables that are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Followed,
    Stopped,
    Export,
}

/// Shows what is read and written, and asks on a terminal. Returns whether somebody has agreed.
fn announce(found: &[Found], shown: Shown) -> Result<bool, Failure> {
    let heading = [
        "table",
        "items",
        "bytes",
        "read units",
        "write units",
        "changes",
    ];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    rows.extend(found.iter().map(|found| {
        // A transaction writes each item for two; its tombstone is looked up for two more.
        let writes = match shown {
            Shown::Followed | Shown::Stopped => {
                (found.bytes() / WRITE_UNIT_BYTES + found.items()) * 2
            }
            Shown::Export => 0,
        };
        let follows = shown == Shown::Followed;
        let checks = if follows { found.items() * 2 } else { 0 };
        let changes = match (follows, found.followable()) {
            (false, _) => "not followed",
            (true, Followable::Yes(_)) => "followed",
            (true, Followable::NoStream) => "followed; its stream is switched on",
            (true, Followable::NoImages) => "its stream has no new images",
        };
        vec![
            found.table.clone(),
            found.items().to_string(),
            found.bytes().to_string(),
            found.bytes().div_ceil(READ_UNIT_BYTES).to_string(),
            (writes + checks).to_string(),
            changes.to_owned(),
        ]
    }));
    terminal::table("", &rows);
    match terminal::is_confirmed() {
        Some(false) => Err(Failure::refused(
            "nothing was written; --yes begins at once",
        )),
        agreed => Ok(agreed.is_some()),
    }
}
