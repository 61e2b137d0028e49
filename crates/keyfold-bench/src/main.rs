//! `keyfold-bench`: Keyfold beside the alternatives, beside its storage engine, and beside itself
//! with more data.
//!
//! One run, one load generator, the same data for every server. What is told are ratios: two
//! numbers of one run on one machine. Nothing here is a test; tests count instructions and
//! allocations instead.

mod ceiling;
mod compare;
mod contender;
mod count;
mod embedded;
mod growth;
mod install;
mod load;
mod plot;
mod program;
mod report;
mod request;
mod server;
mod soak;
mod workload;

use anstream::{eprintln, println};
use clap::builder::RangedU64ValueParser;
use clap::{Args, Parser, Subcommand};
use compare::Plan;
use contender::Contender;
use program::Program;
use std::path::PathBuf;
use std::process::ExitCode;
use workload::Operation;

/// The same as the server's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures Keyfold beside the alternatives.
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
    /// The same requests at ten thousand, a million and ten million items, and how long a start
    /// takes.
    Growth(growth::Arguments),
    /// The engine inside a program beside the storage engine it stands on.
    Embedded(embedded::Arguments),
    /// A long time of mixed load: memory, files and latencies minute by minute.
    Soak(soak::Arguments),
    /// Requests for who counts instructions.
    #[command(hide = true)]
    Count(count::Arguments),
    /// The bare HTTP server that the comparison starts.
    #[command(hide = true)]
    Ceiling {
        /// The answer's length.
        #[arg(long)]
        body_bytes: usize,
    },
}

#[derive(Args)]
struct Compare {
    /// Only these operations.
    #[arg(long, value_enum, value_delimiter = ',')]
    operations: Vec<Operation>,
    /// Only servers whose name holds one of these words.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// How many connections, one measurement each.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 16, 64])]
    connections: Vec<u64>,
    /// Seconds of each round of a measurement, after a quarter of it to warm up.
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Rounds of each measurement, in which all servers get their turn; the one with the median
    /// rate counts.
    #[arg(long, default_value_t = 5, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1000))]
    rounds: usize,
    /// Items in each table.
    #[arg(long, default_value_t = 10_000)]
    items: u64,
    /// Measure a server of yours too, such as local=http://localhost:8001 (may be repeated). Its
    /// tables Bench and Shop are made and filled.
    #[arg(long, value_name = "NAME=URL", value_parser = Contender::endpoint)]
    endpoint: Vec<Contender>,
    /// Where the alternatives are installed.
    #[arg(long, default_value = "target/bench", value_name = "DIR")]
    tools: PathBuf,
    /// Write results.json and throughput.svg there.
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
        Some(Command::Count(count)) => count::run(count),
        Some(Command::Soak(soak)) => soak::run(soak),
        Some(Command::Ceiling { body_bytes }) => {
            ceiling::serve(*body_bytes).map_err(|error| error.to_string())
        }
        None => compare(&arguments.compare),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            say(&format!("error: {reason}"));
            ExitCode::FAILURE
        }
    }
}

/// A line for the reader.
pub(crate) fn line(text: &str) {
    println!("{text}");
}

/// A line beside the results.
pub(crate) fn say(text: &str) {
    eprintln!("{text}");
}

fn compare(arguments: &Compare) -> Result<(), String> {
    let wanted = |contender: &Contender| {
        arguments.only.is_empty()
            || arguments
                .only
                .iter()
                .any(|word| contender.title().contains(word.as_str()))
    };
    let mut contenders: Vec<Contender> = Contender::all().into_iter().filter(wanted).collect();
    contenders.extend(arguments.endpoint.iter().cloned());
    let tools = std::path::absolute(&arguments.tools).map_err(|error| error.to_string())?;
    std::fs::create_dir_all(&tools).map_err(|error| error.to_string())?;
    let operations = if arguments.operations.is_empty() {
        Operation::ALL.to_vec()
    } else {
        arguments.operations.clone()
    };
    let most = arguments.connections.iter().copied().max().unwrap_or(1);
    if arguments.items < 25.max(3 * most) {
        return Err(format!("--items must be at least {}", 25.max(3 * most)));
    }
    let mut absent: Vec<(Program, String)> = Vec::new();
    contenders.retain(|contender| {
        if !absent
            .iter()
            .any(|(program, _)| *program == contender.program)
            && let Err(reason) = install::ensure(contender.program, &tools)
        {
            absent.push((contender.program, reason));
        }
        let reason = absent
            .iter()
            .find(|(program, _)| *program == contender.program);
        if let Some((_, reason)) = reason {
            say(&format!("{}: left out: {reason}", contender.title()));
        }
        reason.is_none()
    });
    if contenders.is_empty() {
        let names: Vec<String> = Contender::all().iter().map(Contender::title).collect();
        return Err(format!(
            "no server to measure; --only takes a part of one of these names: {}",
            names.join("; ")
        ));
    }
    let plan = Plan {
        contenders,
        operations,
        connections: arguments.connections.clone(),
        items: arguments.items,
        seconds: arguments.seconds,
        rounds: arguments.rounds,
        tools,
    };
    let rows = compare::rows(&plan, &say).map_err(|error| error.to_string())?;
    let report = report::Report {
        plan: &plan,
        rows: &rows,
    };
    std::fs::create_dir_all(&arguments.out).map_err(|error| error.to_string())?;
    let json = report.json();
    std::fs::write(arguments.out.join("results.json"), format!("{json:#}\n"))
        .map_err(|error| error.to_string())?;
    plot::throughput(&rows, &plan, &arguments.out.join("throughput.svg"))?;
    line(&if arguments.json {
        json.to_string()
    } else {
        report.text()
    });
    Ok(())
}
