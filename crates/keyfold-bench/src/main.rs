//! `keyfold-bench`: measures Keyfold beside the alternatives, beside its storage engine, with more
//! data, and with databases that come in.
//!
//! One load generator sends the same requests over the same data to every server. Reports show
//! ratios of two numbers from one run on one machine. Nothing here is a test: tests count
//! instructions and allocations instead.

mod ceiling;
mod compare;
mod contender;
mod embedded;
mod growth;
mod install;
mod load;
mod memory;
mod migrate;
mod plot;
mod print;
mod process;
mod program;
mod report;
mod server;
mod soak;
mod tail;

use clap::builder::RangedU64ValueParser;
use clap::{Args, Parser, Subcommand};
use compare::Plan;
use contender::Contender;
use keyfold_workload::workload::Operation;
use program::Program;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The allocator of the server, so that embedded measurements use it, too.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measure Keyfold beside the alternatives.
#[derive(Parser)]
#[command(name = "keyfold-bench", bin_name = "cargo xtask bench")]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    compare: Compare,
}

#[derive(Subcommand)]
enum Command {
    /// Measure the same requests at ten thousand, a million and ten million items, and the time of
    /// a start.
    Growth(growth::Arguments),
    /// Measure the engine inside a program beside the storage engine that it uses.
    Embedded(embedded::Arguments),
    /// Measure how many rows a second a relational database comes in, and how late its changes are.
    Migrate(migrate::Arguments),
    /// Measure how late the slowest requests are, in closed and open loop, and what the server does meanwhile.
    Tail(tail::Arguments),
    /// Measure the memory that servers take under each kind of load, and what they give back.
    Memory(memory::Arguments),
    /// Load a server for a long time, and report memory, files and latencies minute by minute.
    Soak(soak::Arguments),
    /// Serve as the bare HTTP server that the comparison starts.
    #[command(hide = true)]
    Ceiling {
        /// The length of the answer's body.
        #[arg(long)]
        body_bytes: usize,
    },
}

#[derive(Args)]
struct Compare {
    /// Measure only these operations.
    #[arg(long, value_enum, value_delimiter = ',')]
    operations: Vec<Operation>,
    /// Measure only servers whose name contains one of these words.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Numbers of connections; each is measured.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 16, 64])]
    connections: Vec<u64>,
    /// Seconds of each round of a measurement, after a quarter of that time to warm up.
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Rounds of each measurement. In each round every server is measured once; the round with the
    /// median rate counts.
    #[arg(long, default_value_t = 5, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1000))]
    rounds: usize,
    /// Items in each table.
    #[arg(long, default_value_t = 10_000)]
    items: u64,
    /// Measure also a running server, such as local=http://localhost:8001 (may be repeated). The
    /// tables Bench and Shop are created and filled there.
    #[arg(long, value_name = "NAME=URL", value_parser = Contender::endpoint)]
    endpoint: Vec<Contender>,
    /// The folder that the alternatives are installed in.
    #[arg(long, default_value = "target/bench", value_name = "DIR")]
    tools: PathBuf,
    /// The folder that results.json and throughput.svg are written to.
    #[arg(long, default_value = "target/bench", value_name = "DIR")]
    out: PathBuf,
    /// Print the results as JSON instead of tables.
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match &arguments.command {
        Some(Command::Growth(growth)) => growth::run(growth),
        Some(Command::Embedded(embedded)) => embedded::run(embedded),
        Some(Command::Migrate(migrate)) => migrate::run(migrate),
        Some(Command::Tail(tail)) => tail::run(tail),
        Some(Command::Memory(memory)) => memory::run(memory),
        Some(Command::Soak(soak)) => soak::run(soak),
        Some(Command::Ceiling { body_bytes }) => {
            ceiling::serve(*body_bytes).map_err(|error| error.to_string())
        }
        None => compare(&arguments.compare),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            print::progress(&format!("error: {reason}"));
            ExitCode::FAILURE
        }
    }
}

fn compare(arguments: &Compare) -> Result<(), String> {
    let most = arguments.connections.iter().copied().max().unwrap_or(1);
    let items_min = 25.max(3 * most);
    if arguments.items < items_min {
        return Err(format!("--items must be at least {items_min}"));
    }
    let tools = std::path::absolute(&arguments.tools).map_err(|error| error.to_string())?;
    std::fs::create_dir_all(&tools).map_err(|error| error.to_string())?;
    let plan = Plan {
        contenders: installed(contenders(arguments), &tools)?,
        operations: if arguments.operations.is_empty() {
            Operation::ALL.to_vec()
        } else {
            arguments.operations.clone()
        },
        connections: arguments.connections.clone(),
        items: arguments.items,
        seconds: arguments.seconds,
        rounds: arguments.rounds,
        tools,
    };
    let rows = compare::rows(&plan, &print::progress).map_err(|error| error.to_string())?;
    let report = report::Report {
        plan: &plan,
        rows: &rows,
    };
    std::fs::create_dir_all(&arguments.out).map_err(|error| error.to_string())?;
    let json = report.json();
    std::fs::write(arguments.out.join("results.json"), format!("{json:#}\n"))
        .map_err(|error| error.to_string())?;
    plot::throughput(&rows, &plan, &arguments.out.join("throughput.svg"))?;
    print::line(&if arguments.json {
        json.to_string()
    } else {
        report.text()
    });
    Ok(())
}

/// The servers that the arguments name.
fn contenders(arguments: &Compare) -> Vec<Contender> {
    let mut contenders = Contender::all();
    contenders.retain(|contender| contender.is_among(&arguments.only));
    contenders.extend(arguments.endpoint.iter().cloned());
    contenders
}

/// The servers whose programs are installed, or could be installed now. The others are reported.
fn installed(mut contenders: Vec<Contender>, tools: &Path) -> Result<Vec<Contender>, String> {
    let mut outcomes: BTreeMap<Program, Result<(), String>> = BTreeMap::new();
    contenders.retain(|contender| {
        let outcome = outcomes
            .entry(contender.program)
            .or_insert_with(|| install::ensure(contender.program, tools));
        if let Err(reason) = outcome {
            print::progress(&format!("{}: left out: {reason}", contender.title()));
        }
        outcome.is_ok()
    });
    if contenders.is_empty() {
        let names: Vec<String> = Contender::all().iter().map(Contender::title).collect();
        return Err(format!(
            "no server to measure; --only takes a part of one of these names: {}",
            names.join("; ")
        ));
    }
    Ok(contenders)
}
