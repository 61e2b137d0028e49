//! Growth: the same requests with more and more data, and how long a start takes, after a stop and after a kill.

use crate::load;
use crate::report::{rounded, table};
use crate::request::Protocol;
use crate::server::Server;
use crate::workload::{self, Operation, Workload};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// Measures one server with growing data.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Items in the table, one measurement each.
    #[arg(long, value_delimiter = ',', default_values_t = [10_000, 1_000_000, 10_000_000])]
    items: Vec<u64>,
    /// Connections.
    #[arg(long, default_value_t = 16)]
    connections: u64,
    /// Seconds of each measurement, after as long to warm up.
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    /// Megabytes of stored blocks that the server keeps in memory, if not as many as usual.
    #[arg(long, value_name = "MEGABYTES")]
    cache: Option<u32>,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
}

const OPERATIONS: [Operation; 4] = [Operation::Get, Operation::Query, Operation::Put, Operation::Update];

/// One size's numbers.
struct Size {
    items: u64,
    /// Items a second while loading.
    loading: f64,
    /// Answers a second, and the median and the 99th percentile in microseconds, for each operation.
    operations: Vec<(Operation, f64, [f64; 2])>,
    /// Milliseconds from starting the process to its first answer.
    start_after_stop: f64,
    start_after_kill: f64,
}

/// Measures and tells.
pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    let mut sizes = Vec::new();
    for &items in &arguments.items {
        crate::say(&format!("{} items", rounded(items as f64)));
        sizes.push(size(arguments, items).map_err(|error| error.to_string())?);
    }
    crate::line(&if arguments.json { json(&sizes).to_string() } else { text(&sizes) });
    Ok(())
}

/// Starts a server and asks it for an item: how many milliseconds until the answer.
fn start(arguments: &Arguments, data: &Path) -> io::Result<(Server, f64)> {
    let begun = Instant::now();
    let server = Server::start(data, arguments.cache)?;
    let body = r#"{"TableName":"Bench","Key":{"pk":{"S":"c0000000"},"sk":{"S":"000"}}}"#;
    let answer = server.ask("GetItem", body)?;
    if !answer.contains("\"Item\"") {
        return Err(io::Error::other(format!("after its start the server answered {answer}")));
    }
    Ok((server, begun.elapsed().as_secs_f64() * 1000.0))
}

fn size(arguments: &Arguments, items: u64) -> io::Result<Size> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let server = Server::start(&data, arguments.cache)?;
    server.ask("CreateTable", workload::TABLES[0])?;
    let begun = Instant::now();
    let batches = (0..items).step_by(25).map(move |from| workload::load_batch(from, items));
    let every = (items / 25 / 10).max(1);
    load::send_all(server.address, Protocol::Http, crate::compare::as_requests(batches), move |count| {
        if count % every == 0 {
            crate::say(&format!("  loading: {} %", (count * 25 * 100 / items).min(100)));
        }
    })?;
    let loading = items as f64 / begun.elapsed().as_secs_f64();
    crate::say("  waiting for the merges");
    server.await_upkeep()?;
    let time = Duration::from_secs_f64(arguments.seconds);
    let mut operations = Vec::new();
    for operation in OPERATIONS {
        crate::say(&format!("  {}", operation.name()));
        let workload = Workload { operation, items, protocol: Protocol::Http };
        let measured = load::run(server.address, workload, arguments.connections, (time, time))?;
        if let Some(error) = measured.error {
            return Err(io::Error::other(error));
        }
        operations.push((operation, measured.rate(), [0.5, 0.99].map(|quantile| measured.micros(quantile))));
    }
    server.stop()?;
    let (server, start_after_stop) = start(arguments, &data)?;
    // The log is as full as it becomes: a kill right after writes.
    let workload = Workload { operation: Operation::Put, items, protocol: Protocol::Http };
    load::run(server.address, workload, arguments.connections, (Duration::ZERO, time))?;
    server.kill()?;
    let (server, start_after_kill) = start(arguments, &data)?;
    server.stop()?;
    Ok(Size { items, loading, operations, start_after_stop, start_after_kill })
}

fn text(sizes: &[Size]) -> String {
    let mut rows = vec![vec!["items".to_owned(), "loaded a second".to_owned()]];
    rows[0].extend(OPERATIONS.map(|operation| format!("{}: p50, p99", operation.name())));
    rows[0].extend(["start after a stop", "after a kill"].map(str::to_owned));
    for size in sizes {
        let mut row = vec![rounded(size.items as f64), rounded(size.loading)];
        row.extend(size.operations.iter().map(|(_, _, [p50, p99])| format!("{p50:.0}, {p99:.0} µs")));
        row.extend([size.start_after_stop, size.start_after_kill].map(|millis| format!("{millis:.0} ms")));
        rows.push(row);
    }
    table(&rows)
}

fn json(sizes: &[Size]) -> serde_json::Value {
    let of = |size: &Size| {
        let operations = size.operations.iter().map(|(operation, rate, [p50, p99])| {
            serde_json::json!({
                "operation": operation.name(), "rate": rate, "p50_micros": p50, "p99_micros": p99
            })
        });
        serde_json::json!({
            "items": size.items, "loaded_a_second": size.loading,
            "operations": operations.collect::<Vec<_>>(),
            "start_after_stop_ms": size.start_after_stop, "start_after_kill_ms": size.start_after_kill,
        })
    };
    sizes.iter().map(of).collect()
}
