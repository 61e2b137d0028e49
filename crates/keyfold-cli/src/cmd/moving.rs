//! `keyfold move`: carries tables from one place to another while their writers go on.
//!
//! Each table has a run of its own (`keyfold_motion`), on threads of its own; this command opens the two
//! places, says what it costs, asks, shows how far the runs are, and stops them on Ctrl-C.

use crate::backend;
use crate::cmd::signal::Signals;
use crate::failure::Failure;
use crate::json;
use crate::output::Output;
use crate::project::Project;
use crate::terminal::{self, FAINT, GOOD, STRONG, counted};
use clap::{Args, Subcommand, value_parser};
use keyfold_client::{Backend, ClientError, Connection, blocked};
use keyfold_motion::tables::{self, Followable, Found, Status};
use keyfold_motion::threads::Threads;
use keyfold_motion::verify::{Compared, Comparison, Difference, compare};
use keyfold_motion::world::{At, Place, World};
use keyfold_motion::{Ended, Figures, LEDGER, Options, Progress, carry_on};
use keyfold_stream::names;
use serde_json::{Value as Json, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The time between two looks at the runs.
const LOOK_TIME: Duration = Duration::from_millis(200);
/// The tables of positions and failures, which belong to the streams of one place.
const LEFT_OUT: [&str; 3] = [LEDGER, "keyfold_leases", "keyfold_failures"];
/// The items that differ of which the text shows the keys.
const SHOWN: usize = 20;
/// The bytes of a strongly consistent read unit, and of a write unit.
const READ_UNIT_BYTES: u64 = 4_096;
const WRITE_UNIT_BYTES: u64 = 1_024;

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
    },
    /// Compare the tables of both places, and name each item that differs.
    Verify {
        #[command(flatten)]
        places: Places,
    },
    /// Delete the target's tables of moves that are not complete, with all that was noted.
    Abort {
        #[command(flatten)]
        places: Places,
        /// Begin at once.
        #[arg(long)]
        yes: bool,
    },
    /// End the moves: the target's tables get expiry and protection, and nothing is followed any more.
    Complete {
        #[command(flatten)]
        places: Places,
        /// Begin at once.
        #[arg(long)]
        yes: bool,
    },
}

/// Where tables come from, and where they go.
#[derive(Args)]
struct Places {
    /// Where the tables are: http://127.0.0.1:8000, dynamodb://eu-west-1?profile=NAME,
    /// keyfold:./data, or the name of a connection of keyfold.toml.
    #[arg(value_name = "FROM")]
    from: String,
    /// Where they go.
    #[arg(value_name = "TO")]
    to: String,
    /// A table; may be given several times [default: all tables of the source].
    #[arg(long, value_name = "TABLE")]
    table: Vec<String>,
}

#[derive(Args)]
struct Run {
    /// Where the tables are: http://127.0.0.1:8000, dynamodb://eu-west-1?profile=NAME,
    /// keyfold:./data, or the name of a connection of keyfold.toml.
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
    /// End when the target is even with the source.
    #[arg(long)]
    stop_when_even: bool,
    /// Begin at once, and switch streams on where they are off.
    #[arg(long)]
    yes: bool,
}

/// The two places of a command, opened.
struct Opened {
    source: Arc<Backend>,
    target: Arc<Backend>,
    /// Whether others may write to the source.
    is_shared: bool,
}

/// A table that is moved.
struct Moved {
    found: Found,
    options: Options,
    stream: Option<String>,
    progress: Arc<Progress>,
    threads: Arc<Threads>,
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    match &arguments.action {
        Some(Action::Status { places }) => status(places, output),
        Some(Action::Verify { places }) => verify(places, output),
        Some(Action::Abort { places, yes }) => abort(places, *yes, output),
        Some(Action::Complete { places, yes }) => complete(places, *yes, output),
        None => carry(&arguments.run, output),
    }
}

impl Places {
    /// Opens both places, of which the target exists.
    fn open(&self) -> Result<Opened, Failure> {
        if let Connection::Folder(folder) = connection(&self.to)? {
            backend::check_folder(&folder)?;
        }
        self.open_or_make()
    }

    /// Opens both places. A data folder that is the target is made.
    fn open_or_make(&self) -> Result<Opened, Failure> {
        let (from, to) = (connection(&self.from)?, connection(&self.to)?);
        if from == to {
            return Err(Failure::usage("FROM and TO are one place"));
        }
        if let Connection::Folder(folder) = &from {
            backend::check_folder(folder)?;
        }
        Ok(Opened {
            is_shared: !matches!(from, Connection::Folder(_)),
            source: Arc::new(opened(&from)?),
            target: Arc::new(opened(&to)?),
        })
    }

    /// The tables that are named, or all.
    fn tables(&self, world: &dyn World) -> Result<Vec<String>, Failure> {
        if !self.table.is_empty() {
            return Ok(self.table.clone());
        }
        let source = At {
            world,
            place: Place::Source,
        };
        let mut all = blocked(names(&source))?;
        all.retain(|name| !LEFT_OUT.contains(&name.as_str()));
        match all.is_empty() {
            true => Err(Failure::not_found("the source has no tables")),
            false => Ok(all),
        }
    }
}

/// The connection of a text, or of a name in keyfold.toml.
fn connection(text: &str) -> Result<Connection, Failure> {
    let connection = match text.contains(':') {
        true => text.parse()?,
        false => match Project::find()? {
            Some(project) => project.connection(text)?,
            None => text.parse()?,
        },
    };
    match connection {
        Connection::Memory => Err(Failure::usage(
            "`memory:` ends with this command: nothing can be moved there or from there",
        )),
        Connection::Folder(_) | Connection::Endpoint { .. } | Connection::Amazon(_) => {
            Ok(connection)
        }
    }
}

fn opened(connection: &Connection) -> Result<Backend, Failure> {
    match connection {
        Connection::Folder(folder) => Ok(Backend::Embedded(backend::engine(Some(folder))?)),
        Connection::Memory | Connection::Endpoint { .. } | Connection::Amazon(_) => {
            backend::server(connection)
        }
    }
}

impl Opened {
    fn threads(&self, progress: &Arc<Progress>) -> Arc<Threads> {
        Threads::new(
            Arc::clone(&self.source),
            Arc::clone(&self.target),
            Arc::clone(progress),
        )
    }

    /// The surroundings of requests that belong to no run.
    fn world(&self) -> Arc<Threads> {
        self.threads(&Arc::default())
    }
}

/// Copies and follows until all is even, or until Ctrl-C.
fn carry(run: &Run, output: Output) -> Result<(), Failure> {
    let named = Places {
        from: run.from.clone().unwrap_or_default(),
        to: run.to.clone().unwrap_or_default(),
        table: run.table.clone(),
    };
    let places = named.open_or_make()?;
    let world = places.world();
    let follows = places.is_shared && !run.writers_stopped;
    let mut found = Vec::new();
    for table in named.tables(&*world)? {
        found.push(blocked(tables::look(&*world, &table))?);
    }
    let is_agreed = run.yes || (output == Output::Text && announce(&found, follows)?);
    let mut moved = Vec::new();
    for found in found {
        let stream = match follows {
            true => Some(stream_of(&*world, &found, is_agreed)?),
            false => None,
        };
        let options = Options {
            segments: run.segments,
            rate: run.rate,
            until_even: run.stop_when_even,
            ..Options::new(&found.table)
        };
        blocked(tables::prepare(&*world, &options, &found, stream.clone()))?;
        let progress = Arc::new(Progress::default());
        moved.push(Moved {
            threads: places.threads(&progress),
            found,
            options,
            stream,
            progress,
        });
    }
    let ended = watched(&moved, output);
    places.target.sync()?;
    let is_even = ended?;
    if run.stop_when_even && !is_even {
        return Err(Failure::refused(
            "it was stopped before the target was even with the source: the same command goes on from there",
        ));
    }
    let document = json!({
        "tables": moved.iter().map(Moved::view).collect::<Vec<_>>(),
        "isEven": is_even,
    });
    output.result(|| document, || show(&moved, is_even));
    Ok(())
}

/// The stream of a table; it is switched on where it is off.
fn stream_of(world: &dyn World, found: &Found, is_agreed: bool) -> Result<String, Failure> {
    let table = &found.table;
    match found.followable() {
        Followable::Yes(stream) => Ok(stream),
        Followable::NoStream if is_agreed => Ok(blocked(tables::switch_stream_on(world, table))?),
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

/// Shows what is read and written, and asks on a terminal. Returns whether somebody has agreed.
fn announce(found: &[Found], follows: bool) -> Result<bool, Failure> {
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
        let writes = (found.bytes() / WRITE_UNIT_BYTES + found.items()) * 2;
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

/// Asks on a terminal. Elsewhere, `--yes` is asked for.
fn asked(otherwise: &str) -> Result<(), Failure> {
    match terminal::is_confirmed() {
        Some(true) => Ok(()),
        Some(false) => Err(Failure::refused(otherwise)),
        None => Err(Failure::refused(format!(
            "{otherwise}; --yes begins at once"
        ))),
    }
}

/// Carries all moves on, each on a thread. Returns whether all are even.
fn watched(moved: &[Moved], output: Output) -> Result<bool, Failure> {
    let stops = Arc::new(AtomicBool::new(false));
    listen(&stops)?;
    let results: Vec<Result<Ended, ClientError>> = std::thread::scope(|scope| {
        let runs: Vec<_> = moved
            .iter()
            .map(|one| scope.spawn(|| one.carry_on()))
            .collect();
        let mut said = String::new();
        while !runs.iter().all(|run| run.is_finished()) {
            let has_failed = moved.iter().any(|one| one.progress.is_stopping());
            if stops.load(Ordering::SeqCst) || (has_failed && !has_ended_well(moved)) {
                moved.iter().for_each(|one| one.progress.stop());
            }
            if output == Output::Text {
                say(moved, &mut said);
            }
            std::thread::sleep(LOOK_TIME);
        }
        let ends = runs.into_iter().map(|run| match run.join() {
            Ok(end) => end,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        ends.collect()
    });
    let mut is_even = true;
    for result in results {
        is_even &= result? == Ended::Even;
    }
    Ok(is_even || moved.iter().all(|one| one.progress.figures().is_even))
}

/// Whether the runs that are ending are even.
fn has_ended_well(moved: &[Moved]) -> bool {
    let mut ending = moved.iter().filter(|one| one.progress.is_stopping());
    ending.all(|one| one.progress.figures().is_even)
}

/// Notes Ctrl-C and SIGTERM.
fn listen(stops: &Arc<AtomicBool>) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::backend(format!("cannot wait for signals: {error}")))?;
    let mut signals = runtime.block_on(async { Signals::take() })?;
    let stops = Arc::clone(stops);
    std::thread::spawn(move || {
        runtime.block_on(signals.next());
        stops.store(true, Ordering::SeqCst);
    });
    Ok(())
}

/// Says on standard error how far the moves are, when that has changed.
fn say(moved: &[Moved], said: &mut String) {
    let mut sum = Figures::default();
    let mut even = 0;
    for one in moved {
        let figures = one.progress.figures();
        sum.items += figures.items + figures.kept;
        sum.records += figures.records;
        sum.segments_done += figures.segments_done;
        sum.segments += figures.segments;
        even += usize::from(figures.is_even);
    }
    // A line for each segment, and when the tables become even; not for each item.
    let now = format!("{}/{even}", sum.segments_done);
    if now == *said || sum.segments == 0 {
        return;
    }
    *said = now;
    terminal::error_line(&format!(
        "{} of {} segments are copied, {} items; {} records are applied; {even} of {} tables are even",
        sum.segments_done,
        sum.segments,
        sum.items,
        sum.records,
        moved.len()
    ));
}

impl Moved {
    fn carry_on(&self) -> Result<Ended, ClientError> {
        let world: Arc<dyn World> = Arc::clone(&self.threads) as Arc<dyn World>;
        let of = (self.found.schema.clone(), self.stream.clone());
        let (options, progress) = (self.options.clone(), Arc::clone(&self.progress));
        let ended = blocked(carry_on(world, options, of, progress));
        self.progress.stop();
        self.threads.join();
        ended
    }

    fn view(&self) -> Json {
        let figures = self.progress.figures();
        json!({
            "table": self.found.table,
            "follows": self.stream.is_some(),
            "items": figures.items,
            "kept": figures.kept,
            "records": figures.records,
            "changes": figures.changes,
            "segments": figures.segments,
            "segmentsDone": figures.segments_done,
            "isEven": figures.is_even,
            "expiry": self.found.expiry,
        })
    }
}

fn show(moved: &[Moved], is_even: bool) {
    for one in moved {
        let figures = one.progress.figures();
        terminal::line(&format!(
            "{STRONG}{}{STRONG:#}  {} items copied, {} changes applied{}",
            one.found.table,
            figures.items,
            figures.changes,
            if figures.is_even { ", even" } else { "" }
        ));
        if let Some(attribute) = &one.found.expiry {
            terminal::line(&format!(
                "  {FAINT}expiry by {attribute} is off in the target until `keyfold move complete`{FAINT:#}"
            ));
        }
    }
    match is_even {
        true => terminal::line(&format!("{GOOD}the target is even with the source{GOOD:#}")),
        false => terminal::line("stopped; the same command goes on from here"),
    }
}

/// The moves of the target.
fn status(places: &Places, output: Output) -> Result<(), Failure> {
    let opened = places.open()?;
    let world = opened.world();
    let mut moves: Vec<(String, Status)> = Vec::new();
    for table in places.tables(&*world)? {
        if let Some(status) = blocked(tables::status(&*world, &Options::new(&table)))? {
            moves.push((table, status));
        }
    }
    let view = |(table, status): &(String, Status)| {
        json!({
            "table": table,
            "phase": status.run.phase.word(),
            "follows": status.run.stream.is_some(),
            "segments": status.run.segments,
            "segmentsDone": status.segments_done,
        })
    };
    output.result(
        || json!({ "tables": moves.iter().map(view).collect::<Vec<_>>() }),
        || {
            for (table, status) in &moves {
                terminal::line(&format!(
                    "{STRONG}{table}{STRONG:#}  {}, {} of {} segments copied",
                    status.run.phase.word(),
                    status.segments_done,
                    status.run.segments
                ));
            }
            if moves.is_empty() {
                terminal::line("the target knows of no move of these tables");
            }
        },
    );
    Ok(())
}

/// Compares the tables of both places.
fn verify(places: &Places, output: Output) -> Result<(), Failure> {
    let opened = places.open()?;
    let world = opened.world();
    let mut compared: Vec<(String, Compared)> = Vec::new();
    for table in places.tables(&*world)? {
        let found = blocked(tables::look(&*world, &table))?;
        let comparison = Comparison {
            table: table.clone(),
            schema: found.schema,
            page: None,
            lag: Duration::from_secs(2),
        };
        let result = blocked(compare(&*world, &comparison, &|_, _| {}))?;
        compared.push((table, result));
    }
    let document = json!({
        "tables": compared.iter().map(compared_view).collect::<Vec<_>>(),
    });
    let count: usize = compared.iter().map(|(_, one)| one.differences.len()).sum();
    let undecided: usize = compared.iter().map(|(_, one)| one.undecided.len()).sum();
    let verdict = match (count, undecided) {
        (0, 0) => Ok(()),
        (count, 0) => Err(Failure::refused(counted(count, "difference"))),
        (count, undecided) => Err(Failure::refused(format!(
            "{}; {} changed at each look",
            counted(count, "difference"),
            counted(undecided, "item")
        ))),
    };
    output.report(document, || show_compared(&compared), verdict)
}

fn compared_view((table, compared): &(String, Compared)) -> Json {
    let difference = |(key, difference): &(keyfold_types::Item, Difference)| {
        let (kind, attributes) = match difference {
            Difference::Missing => ("missing", Vec::new()),
            Difference::Extra => ("extra", Vec::new()),
            Difference::Attributes(names) => ("attributes", names.clone()),
        };
        json!({ "key": json::typed(key), "kind": kind, "attributes": attributes })
    };
    json!({
        "table": table,
        "sourceItems": compared.items[0],
        "targetItems": compared.items[1],
        "differences": compared.differences.iter().map(difference).collect::<Vec<_>>(),
        "undecided": compared.undecided.iter().map(json::typed).collect::<Vec<_>>(),
    })
}

fn show_compared(compared: &[(String, Compared)]) {
    for (table, one) in compared {
        let [source, target] = one.items;
        terminal::line(&format!(
            "{STRONG}{table}{STRONG:#}  {source} items in the source, {target} in the target"
        ));
        for (key, difference) in one.differences.iter().take(SHOWN) {
            let text = match difference {
                Difference::Missing => "is missing in the target".to_owned(),
                Difference::Extra => "is in the target only".to_owned(),
                Difference::Attributes(names) => format!("differs: {}", names.join(", ")),
            };
            terminal::line(&format!("  {}  {text}", terminal::key(key)));
        }
        let more = one.differences.len().saturating_sub(SHOWN);
        if more > 0 {
            terminal::line(&format!(
                "  {FAINT}and {more} more; --json has all{FAINT:#}"
            ));
        }
        if one.is_equal() {
            terminal::line(&format!("  {GOOD}equal{GOOD:#}"));
        }
    }
}

/// The tables of moves that the target knows of.
fn moving(places: &Places, world: &dyn World) -> Result<Vec<String>, Failure> {
    let mut moving = Vec::new();
    for table in places.tables(world)? {
        if blocked(tables::status(world, &Options::new(&table)))?.is_some() {
            moving.push(table);
        }
    }
    match moving.is_empty() {
        true => Err(Failure::not_found(
            "the target knows of no move of these tables",
        )),
        false => Ok(moving),
    }
}

fn abort(places: &Places, yes: bool, output: Output) -> Result<(), Failure> {
    let opened = places.open()?;
    let world = opened.world();
    let tables = moving(places, &*world)?;
    if !yes {
        let list = tables.join(", ");
        terminal::error_line(&format!("these tables of the target are deleted: {list}"));
        asked("nothing was deleted")?;
    }
    for table in &tables {
        blocked(tables::abort(&*world, &Options::new(table)))?;
    }
    opened.target.sync()?;
    ended(&tables, "aborted", output);
    Ok(())
}

fn complete(places: &Places, yes: bool, output: Output) -> Result<(), Failure> {
    let opened = places.open()?;
    let world = opened.world();
    let tables = moving(places, &*world)?;
    if !yes {
        let list = tables.join(", ");
        terminal::error_line(&format!(
            "changes of the source are followed no more, of these tables: {list}"
        ));
        asked("nothing was ended")?;
    }
    for table in &tables {
        let found = blocked(tables::look(&*world, table))?;
        blocked(tables::complete(&*world, &Options::new(table), &found))?;
    }
    opened.target.sync()?;
    ended(&tables, "complete", output);
    Ok(())
}

fn ended(tables: &[String], word: &str, output: Output) {
    let view = |table: &String| json!({ "table": table, "phase": word });
    output.result(
        || json!({ "tables": tables.iter().map(view).collect::<Vec<_>>() }),
        || terminal::line(&format!("{GOOD}{word}{GOOD:#} {}", tables.join(", "))),
    );
}
