//! The tail: how late the slowest requests are, in closed and in open loop, while the server flushes
//! and compacts, and while an index is filled or a backup is made.
//!
//! In a closed loop each connection sends its next request when it has the answer to the last, so a
//! server that stalls is asked less. In an open loop requests are due at fixed times, whether the
//! server keeps up or not, and latency counts from the time at which a request was due.

mod arrivals;
mod beside;
mod marks;
mod measured;
mod picture;
mod report;

use crate::compare::{self, Plan};
use crate::contender::{Contender, Durability, Running};
use crate::load::Window;
use crate::print;
use crate::program::Program;
use arrivals::Arrivals;
use beside::Beside;
use keyfold_workload::workload::{Operation, Workload};
use marks::Watch;
use measured::Tail;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Measure how late the slowest requests are.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Measure only the servers whose name contains this text, such as "keyfold, synced" (may be repeated).
    #[arg(long)]
    only: Vec<String>,
    /// Measure these operations.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Operation::Put, Operation::Update, Operation::Transact, Operation::Get])]
    operations: Vec<Operation>,
    /// Numbers of connections of the closed loop; each is measured.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 16, 64, 256])]
    connections: Vec<u64>,
    /// Rates of the open loop, in per cent of the highest rate of the closed loop.
    #[arg(long, value_delimiter = ',', default_values_t = [50, 80], value_parser = clap::value_parser!(u64).range(1..=200))]
    open: Vec<u64>,
    /// Seconds of each measurement, after a quarter of that time to warm up.
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
    /// Items in the table.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1000..))]
    items: u64,
    /// What a Keyfold server does beside the requests.
    #[arg(long, value_enum, default_value_t = Beside::Nothing)]
    beside: Beside,
    /// The folder that the alternatives are installed in.
    #[arg(long, default_value = "target/bench", value_name = "DIR")]
    tools: PathBuf,
    /// The folder that tail.json and the pictures are written to.
    #[arg(long, default_value = "target/bench", value_name = "DIR")]
    out: PathBuf,
    /// Print the results as JSON instead of a table.
    #[arg(long)]
    json: bool,
}

/// The connections of the open loop: more than are busy at any time while the server keeps up.
const OPEN_CONNECTIONS: u64 = 256;

/// Measures all servers, one after the other, and prints the result.
pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    let tools = std::path::absolute(&arguments.tools).map_err(|error| error.to_string())?;
    std::fs::create_dir_all(&tools).map_err(|error| error.to_string())?;
    std::fs::create_dir_all(&arguments.out).map_err(|error| error.to_string())?;
    let contenders = crate::installed(chosen(&arguments.only), &tools)?;
    let mut tails = Vec::new();
    for contender in contenders {
        let plan = Plan {
            contenders: vec![contender.clone()],
            operations: arguments.operations.clone(),
            connections: arguments.connections.clone(),
            items: arguments.items,
            seconds: arguments.seconds,
            rounds: 1,
            tools: tools.clone(),
        };
        let measured = of_server(arguments, &contender, &plan);
        tails.extend(measured.map_err(|error| format!("{}: {error}", contender.title()))?);
    }
    let json = report::json(&tails);
    std::fs::write(arguments.out.join("tail.json"), format!("{json:#}\n"))
        .map_err(|error| error.to_string())?;
    for tail in tails.iter().filter(|tail| tail.program == Program::Keyfold) {
        picture::draw(tail, &arguments.out)?;
    }
    print::line(&if arguments.json {
        json.to_string()
    } else {
        report::text(&tails)
    });
    Ok(())
}

/// Keyfold in all its forms, and the others that sync; of these, those whose titles contain one of the texts.
fn chosen(only: &[String]) -> Vec<Contender> {
    let mut all = Contender::all();
    all.retain(|one| match one.program {
        Program::Keyfold => true,
        Program::Redis | Program::Dynoxide => one.durability == Durability::Synced,
        Program::Ceiling | Program::Dynalite | Program::Moto | Program::Endpoint => false,
    });
    all.retain(|one| one.is_among(only));
    all
}

/// Measures one server with all loads.
fn of_server(arguments: &Arguments, contender: &Contender, plan: &Plan) -> io::Result<Vec<Tail>> {
    let title = contender.title();
    print::progress(&format!("{title}: starting and loading"));
    let running = contender.start(&plan.tools, 0)?;
    compare::fill(contender, &running, plan)?;
    let mut tails = Vec::new();
    for &operation in &arguments.operations {
        if !compare::supports(contender, operation) {
            continue;
        }
        let mut highest = 0.0_f64;
        for &connections in &arguments.connections {
            let load = (operation, Arrivals::Closed, connections);
            let tail = measure(arguments, contender, &running, load)?;
            highest = highest.max(tail.answers.rate());
            tails.push(tail);
        }
        for &percent in &arguments.open {
            let rate = highest * percent as f64 / 100.0;
            let load = (operation, Arrivals::Open { rate }, OPEN_CONNECTIONS);
            tails.push(measure(arguments, contender, &running, load)?);
        }
    }
    Ok(tails)
}

fn measure(
    arguments: &Arguments,
    contender: &Contender,
    running: &Running,
    (operation, arrivals, connections): (Operation, Arrivals, u64),
) -> io::Result<Tail> {
    let server = contender.title();
    print::progress(&format!(
        "{server}: {}, {}",
        operation.name(),
        arrivals.words(connections)
    ));
    let workload = Workload {
        operation,
        items: arguments.items,
        protocol: contender.protocol(),
    };
    let window = Window {
        warm_up: Duration::from_secs_f64(arguments.seconds / 4.0),
        measured: Duration::from_secs_f64(arguments.seconds),
    };
    let is_keyfold = contender.program == Program::Keyfold;
    let watch = is_keyfold.then(|| Watch::start(running.address));
    let beside = is_keyfold
        .then(|| arguments.beside.start(running.address))
        .transpose()?;
    let before = running.written();
    let answers = arrivals::run(running.address, workload, connections, arrivals, window)?;
    let written = running.written().zip(before);
    drop(beside);
    let marks = watch
        .map(|watch| watch.finish(answers.began))
        .unwrap_or_default();
    let given = answers.all * workload.written_bytes();
    Ok(Tail {
        server,
        program: contender.program,
        operation,
        arrivals,
        connections,
        answers,
        marks,
        amplification: written
            .filter(|_| given > 0)
            .map(|(after, before)| (after - before) as f64 / given as f64),
    })
}
