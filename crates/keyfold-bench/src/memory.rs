//! Memory: what a server takes under each kind of load, and what it has given back afterwards.

use crate::compare::{self, Plan};
use crate::contender::{Contender, Durability, Running};
use crate::load::{self, Window};
use crate::print;
use crate::program::Program;
use crate::report::{rounded, table};
use keyfold_workload::workload::{Operation, Workload};
use serde_json::{Value, json};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Measure the memory that servers take.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Megabytes of Keyfold's budget.
    #[arg(long, default_value_t = 256, value_name = "MEGABYTES")]
    budget: u32,
    /// Measure only the servers whose name contains this text, such as "keyfold, synced" (may be repeated).
    #[arg(long)]
    only: Vec<String>,
    /// Items of about 300 bytes in the table.
    #[arg(long, default_value_t = 2_000_000, value_parser = clap::value_parser!(u64).range(10_000..))]
    items: u64,
    /// Measure only these loads.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = LOADS)]
    loads: Vec<Operation>,
    /// Seconds of each kind of load.
    #[arg(long, default_value_t = 20.0)]
    seconds: f64,
    /// The number of connections.
    #[arg(long, default_value_t = 64)]
    connections: u64,
    /// The folder that the alternatives are installed in.
    #[arg(long, default_value = "target/bench", value_name = "DIR")]
    tools: PathBuf,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
}

/// The loads, in their order.
const LOADS: [Operation; 9] = [
    Operation::Put,
    Operation::Update,
    Operation::Transact,
    Operation::Batch,
    Operation::Get,
    Operation::Query,
    Operation::Shop,
    Operation::Large,
    Operation::Scan,
];
const MEBIBYTE: f64 = 1024.0 * 1024.0;
/// The time between two looks.
const EVERY: Duration = Duration::from_millis(100);
/// The time after a load in which a server may give memory back.
const RESTS: Duration = Duration::from_secs(10);

/// The memory of one load, in bytes.
struct Load {
    operation: Operation,
    /// Answers a second.
    rate: f64,
    /// The most during the load.
    most: u64,
    /// Afterwards.
    rested: u64,
}

/// The memory of one server, in bytes.
struct Memory {
    contender: Contender,
    idle: u64,
    /// When the items are loaded.
    loaded: u64,
    /// The items' bytes as DynamoDB counts them.
    stored: u64,
    loads: Vec<Load>,
}

/// Measures all servers, one after the other, and prints the result.
pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    let tools = std::path::absolute(&arguments.tools).map_err(|error| error.to_string())?;
    std::fs::create_dir_all(&tools).map_err(|error| error.to_string())?;
    let mut contenders = Contender::all();
    contenders.retain(|one| match one.program {
        Program::Keyfold => one.durability != Durability::Written,
        Program::Redis | Program::Dynoxide => true,
        Program::Ceiling | Program::Dynalite | Program::Moto | Program::Endpoint => false,
    });
    contenders.retain(|one| one.is_among(&arguments.only));
    let mut all = Vec::new();
    for mut contender in crate::installed(contenders, &tools)? {
        contender.memory_budget = Some(arguments.budget);
        let title = contender.title();
        let measured = of_server(arguments, contender, &tools);
        all.push(measured.map_err(|error| format!("{title}: {error}"))?);
    }
    print::line(&if arguments.json {
        json(&all).to_string()
    } else {
        text(&all, arguments.budget)
    });
    Ok(())
}

fn now(running: &Running) -> io::Result<u64> {
    running
        .memory_now()
        .ok_or_else(|| io::Error::other("the server has ended"))
}

fn of_server(
    arguments: &Arguments,
    contender: Contender,
    tools: &std::path::Path,
) -> io::Result<Memory> {
    print::progress(&format!("{}: starting and loading", contender.title()));
    let running = contender.start(tools, 0)?;
    let idle = now(&running)?;
    let plan = Plan {
        contenders: vec![contender.clone()],
        operations: arguments.loads.clone(),
        connections: vec![arguments.connections],
        items: arguments.items,
        seconds: arguments.seconds,
        rounds: 1,
        tools: tools.to_owned(),
    };
    compare::fill(&contender, &running, &plan)?;
    let put = Workload {
        operation: Operation::Put,
        items: arguments.items,
        protocol: contender.protocol(),
    };
    let mut memory = Memory {
        idle,
        loaded: now(&running)?,
        stored: arguments.items * put.written_bytes(),
        loads: Vec::new(),
        contender,
    };
    for &operation in &arguments.loads {
        if compare::supports(&memory.contender, operation) {
            print::progress(&format!("  {}", operation.name()));
            let workload = Workload { operation, ..put };
            memory.loads.push(under(arguments, &running, workload)?);
        }
    }
    Ok(memory)
}

/// Puts a server under a load, and looks at its memory meanwhile.
fn under(arguments: &Arguments, running: &Running, workload: Workload) -> io::Result<Load> {
    let is_over = AtomicBool::new(false);
    let window = Window {
        warm_up: Duration::ZERO,
        measured: Duration::from_secs_f64(arguments.seconds),
    };
    let (measured, most) = std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut most = 0;
            while !is_over.load(Ordering::Relaxed) {
                most = most.max(running.memory_now().unwrap_or(0));
                std::thread::sleep(EVERY);
            }
            most
        });
        let measured = load::run(running.address, workload, arguments.connections, window);
        is_over.store(true, Ordering::Relaxed);
        (measured, watch.join().unwrap_or(0))
    });
    let measured = measured?;
    if let Some(error) = &measured.error {
        print::progress(&format!("  {} errors: {error}", measured.errors));
    }
    std::thread::sleep(RESTS);
    Ok(Load {
        operation: workload.operation,
        rate: measured.rate(),
        most,
        rested: now(running)?,
    })
}

fn mebibytes(bytes: u64) -> String {
    rounded(bytes as f64 / MEBIBYTE)
}

fn text(all: &[Memory], budget: u32) -> String {
    let head = [
        "server",
        "load",
        "a second",
        "most MiB",
        "10 s later",
        "beside the budget",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for memory in all {
        let title = memory.contender.title();
        let is_bounded = memory.contender.program == Program::Keyfold
            && memory.contender.durability != Durability::Memory;
        let mut row = |load: &str, rate: String, most: u64, rested: String| {
            let ratio = most as f64 / MEBIBYTE / f64::from(budget);
            let beside = if is_bounded {
                format!("{ratio:.2}x")
            } else {
                String::new()
            };
            rows.push(vec![
                title.clone(),
                load.to_owned(),
                rate,
                mebibytes(most),
                rested,
                beside,
            ]);
        };
        row("idle", String::new(), memory.idle, String::new());
        let times = (memory.loaded - memory.idle.min(memory.loaded)) as f64 / memory.stored as f64;
        let loaded = format!("{} MiB of items, {times:.2}x", mebibytes(memory.stored));
        row(&loaded, String::new(), memory.loaded, String::new());
        for load in &memory.loads {
            row(
                load.operation.name(),
                rounded(load.rate),
                load.most,
                mebibytes(load.rested),
            );
        }
    }
    table(&rows)
}

fn json(all: &[Memory]) -> Value {
    let load = |load: &Load| {
        json!({
            "operation": load.operation.name(), "rate": load.rate, "most_bytes": load.most,
            "rested_bytes": load.rested,
        })
    };
    let of = |memory: &Memory| {
        json!({
            "server": memory.contender.title(), "idle_bytes": memory.idle,
            "loaded_bytes": memory.loaded, "stored_bytes": memory.stored,
            "loads": memory.loads.iter().map(load).collect::<Vec<_>>(),
        })
    };
    all.iter().map(of).collect()
}
