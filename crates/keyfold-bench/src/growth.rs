//! Growth: measures the same requests with more and more data side by side, and the time of a start
//! after a stop and after a kill.

use crate::load::{self, Window};
use crate::print;
use crate::report::{rounded, table};
use crate::server::Server;
use keyfold_workload::request::Protocol;
use keyfold_workload::workload::{self, Operation, Workload};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Measure servers with more and more data.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Numbers of items in the table; each has a server.
    #[arg(long, value_delimiter = ',', default_values_t = [10_000, 1_000_000, 10_000_000])]
    items: Vec<u64>,
    /// The number of connections.
    #[arg(long, default_value_t = 16)]
    connections: u64,
    /// Seconds of each measurement, after the same time to warm up.
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Rounds of each measurement; the median counts.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Megabytes of a server's budget of memory [default: the server's own].
    #[arg(long, value_name = "MEGABYTES")]
    memory_budget: Option<u32>,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
}

const OPERATIONS: [Operation; 4] = [
    Operation::Get,
    Operation::Query,
    Operation::Put,
    Operation::Update,
];

/// A server with its data, suspended between measurements.
struct Loaded {
    items: u64,
    data: PathBuf,
    server: Server,
    /// Items a second while loading.
    loading: f64,
}

/// The measurements of one number of items.
struct Size {
    items: u64,
    /// Items a second while loading.
    loading: f64,
    operations: Vec<Took>,
    /// Milliseconds from the start of the process to its first answer, after a stop.
    start_after_stop: f64,
    /// Milliseconds from the start of the process to its first answer, after a kill.
    start_after_kill: f64,
}

/// The measurement of one operation, in the round with the median latency.
struct Took {
    operation: Operation,
    /// Answers a second.
    rate: f64,
    /// Latencies in microseconds.
    p50: f64,
    p99: f64,
    /// The ratio of the median latency to that of the first size: the median over all rounds.
    ratio: f64,
}

/// Measures all sizes and prints the result. Each round measures every size once, one after the
/// other, so that other load on the machine affects all of them. The other servers are suspended
/// meanwhile.
pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    let sizes = measure(arguments).map_err(|error| error.to_string())?;
    print::line(&if arguments.json {
        json(&sizes).to_string()
    } else {
        text(&sizes)
    });
    Ok(())
}

fn measure(arguments: &Arguments) -> io::Result<Vec<Size>> {
    let folder = tempfile::tempdir()?;
    let mut servers = Vec::new();
    for &items in &arguments.items {
        servers.push(load(
            arguments,
            items,
            &folder.path().join(items.to_string()),
        )?);
    }
    let mut sizes: Vec<Vec<Took>> = servers.iter().map(|_| Vec::new()).collect();
    for operation in OPERATIONS {
        print::progress(operation.name());
        let mut rounds: Vec<Vec<Took>> = servers.iter().map(|_| Vec::new()).collect();
        for _ in 0..arguments.rounds {
            let mut first = None;
            for (one, rounds) in servers.iter().zip(&mut rounds) {
                let took = measure_one(arguments, operation, one, first)?;
                first.get_or_insert(took.p50);
                rounds.push(took);
            }
        }
        for (size, rounds) in sizes.iter_mut().zip(rounds) {
            size.extend(median(rounds));
        }
    }
    servers
        .into_iter()
        .zip(sizes)
        .map(|(one, operations)| measure_starts(arguments, one, operations))
        .collect()
}

/// Starts a server, writes its items, and suspends it.
fn load(arguments: &Arguments, items: u64, data: &Path) -> io::Result<Loaded> {
    print::progress(&format!("{} items", rounded(items as f64)));
    let server = Server::start(data, arguments.memory_budget)?;
    server.ask("CreateTable", workload::TABLES[0])?;
    let begun = Instant::now();
    let batches = (0..items)
        .step_by(25)
        .map(move |from| workload::load_batch(from, items));
    let every = (items / 25 / 10).max(1);
    load::send_all(
        server.address,
        Protocol::Http,
        crate::compare::as_requests(batches),
        move |count| {
            if count % every == 0 {
                print::progress(&format!(
                    "  loading: {} %",
                    (count * 25 * 100 / items).min(100)
                ));
            }
        },
    )?;
    let loading = items as f64 / begun.elapsed().as_secs_f64();
    print::progress("  waiting for compactions");
    server.await_compactions()?;
    server.pause()?;
    Ok(Loaded {
        items,
        data: data.to_owned(),
        server,
        loading,
    })
}

/// Measures one server in one round. `first` is the median latency of the first size in this round.
fn measure_one(
    arguments: &Arguments,
    operation: Operation,
    one: &Loaded,
    first: Option<f64>,
) -> io::Result<Took> {
    let time = Duration::from_secs_f64(arguments.seconds);
    let workload = Workload {
        operation,
        items: one.items,
        protocol: Protocol::Http,
    };
    one.server.resume()?;
    let measured = load::run(
        one.server.address,
        workload,
        arguments.connections,
        Window {
            warm_up: time,
            measured: time,
        },
    )?;
    one.server.pause()?;
    if let Some(error) = measured.error {
        return Err(io::Error::other(error));
    }
    let [p50, p99] = [0.5, 0.99].map(|quantile| measured.micros(quantile));
    Ok(Took {
        operation,
        rate: measured.rate(),
        p50,
        p99,
        ratio: p50 / first.unwrap_or(p50),
    })
}

/// The round with the median latency, with the median of the ratios of all rounds.
fn median(mut rounds: Vec<Took>) -> Option<Took> {
    let middle = rounds.len() / 2;
    rounds.sort_by(|one, other| one.ratio.total_cmp(&other.ratio));
    let ratio = rounds.get(middle)?.ratio;
    rounds.sort_by(|one, other| one.p50.total_cmp(&other.p50));
    Some(Took {
        ratio,
        ..rounds.swap_remove(middle)
    })
}

/// Starts a server and reads an item; returns the server, and the milliseconds until the answer.
fn start(arguments: &Arguments, data: &Path) -> io::Result<(Server, f64)> {
    let begun = Instant::now();
    let server = Server::start(data, arguments.memory_budget)?;
    let body = r#"{"TableName":"Bench","Key":{"pk":{"S":"c0000000"},"sk":{"S":"000"}}}"#;
    let answer = server.ask("GetItem", body)?;
    if !answer.contains("\"Item\"") {
        return Err(io::Error::other(format!(
            "after its start the server answered {answer}"
        )));
    }
    Ok((server, begun.elapsed().as_secs_f64() * 1000.0))
}

/// Stops a server, and measures the time of a start after the stop and after a kill.
fn measure_starts(arguments: &Arguments, one: Loaded, operations: Vec<Took>) -> io::Result<Size> {
    let Loaded {
        items,
        data,
        server,
        loading,
    } = one;
    server.resume()?;
    server.stop()?;
    let (server, start_after_stop) = start(arguments, &data)?;
    // A kill right after writes leaves the log as full as it gets.
    let workload = Workload {
        operation: Operation::Put,
        items,
        protocol: Protocol::Http,
    };
    let time = Duration::from_secs_f64(arguments.seconds);
    load::run(
        server.address,
        workload,
        arguments.connections,
        Window {
            warm_up: Duration::ZERO,
            measured: time,
        },
    )?;
    server.kill()?;
    let (server, start_after_kill) = start(arguments, &data)?;
    server.stop()?;
    Ok(Size {
        items,
        loading,
        operations,
        start_after_stop,
        start_after_kill,
    })
}

fn text(sizes: &[Size]) -> String {
    let mut rows = vec![vec!["items".to_owned(), "loaded a second".to_owned()]];
    rows[0].extend(OPERATIONS.map(|operation| format!("{}: p50, p99", operation.name())));
    rows[0].extend(["start after a stop", "after a kill"].map(str::to_owned));
    for size in sizes {
        let mut row = vec![rounded(size.items as f64), rounded(size.loading)];
        let cell =
            |took: &Took| format!("{:.0}, {:.0} µs ({:.2}x)", took.p50, took.p99, took.ratio);
        row.extend(size.operations.iter().map(cell));
        row.extend(
            [size.start_after_stop, size.start_after_kill].map(|millis| format!("{millis:.0} ms")),
        );
        rows.push(row);
    }
    table(&rows)
}

fn json(sizes: &[Size]) -> serde_json::Value {
    let of = |size: &Size| {
        let operations = size.operations.iter().map(|took| {
            serde_json::json!({
                "operation": took.operation.name(), "rate": took.rate, "p50_micros": took.p50,
                "p99_micros": took.p99, "ratio": took.ratio,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_round_and_the_median_ratio_count() {
        let took = |p50, ratio| Took {
            operation: Operation::Get,
            rate: 0.0,
            p50,
            p99: p50,
            ratio,
        };
        let rounds = vec![took(300.0, 1.2), took(900.0, 1.4), took(200.0, 1.3)];
        let middle = median(rounds).unwrap();
        assert_eq!((middle.p50, middle.p99, middle.ratio), (300.0, 300.0, 1.3));
        assert!(median(Vec::new()).is_none());
    }
}
