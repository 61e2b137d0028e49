//! Growth: the same requests with more and more data side by side, and how long a start takes,
//! after a stop and after a kill.

use crate::load;
use crate::report::{rounded, table};
use crate::request::Protocol;
use crate::server::Server;
use crate::workload::{self, Operation, Workload};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Measures servers with ever more data.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Items in the table, one server each.
    #[arg(long, value_delimiter = ',', default_values_t = [10_000, 1_000_000, 10_000_000])]
    items: Vec<u64>,
    /// Connections.
    #[arg(long, default_value_t = 16)]
    connections: u64,
    /// Seconds of each measurement, after as long to warm up.
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Times that each is measured; the median counts.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Megabytes of stored blocks that a server keeps in memory, if not as many as usual.
    #[arg(long, value_name = "MEGABYTES")]
    cache: Option<u32>,
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

/// A server with its data, which stands still until it is asked.
struct Loaded {
    items: u64,
    data: PathBuf,
    server: Server,
    /// Items a second while loading.
    loading: f64,
}

/// One size's numbers.
struct Size {
    items: u64,
    /// Items a second while loading.
    loading: f64,
    operations: Vec<Took>,
    /// Milliseconds from starting the process to its first answer.
    start_after_stop: f64,
    start_after_kill: f64,
}

/// What one operation took, in the round with the median latency.
struct Took {
    operation: Operation,
    /// Answers a second.
    rate: f64,
    /// Latency in microseconds.
    p50: f64,
    p99: f64,
    /// How many times as long as with the first size: the median of what it was in each round.
    ratio: f64,
}

/// Measures and tells. In each round all sizes get their turn one after the other, so that a
/// machine that is busy with something else for a while is so for all of them; the others stand
/// still meanwhile.
pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    let sizes = measure(arguments).map_err(|error| error.to_string())?;
    crate::line(&if arguments.json {
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
        crate::say(operation.name());
        let mut rounds: Vec<Vec<Took>> = servers.iter().map(|_| Vec::new()).collect();
        for _ in 0..arguments.rounds {
            let mut first = None;
            for (one, rounds) in servers.iter().zip(&mut rounds) {
                let took = turn(arguments, operation, one, first)?;
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
        .map(|(one, operations)| end(arguments, one, operations))
        .collect()
}

/// Starts a server and writes its items.
fn load(arguments: &Arguments, items: u64, data: &Path) -> io::Result<Loaded> {
    crate::say(&format!("{} items", rounded(items as f64)));
    let server = Server::start(data, arguments.cache)?;
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
                crate::say(&format!(
                    "  loading: {} %",
                    (count * 25 * 100 / items).min(100)
                ));
            }
        },
    )?;
    let loading = items as f64 / begun.elapsed().as_secs_f64();
    crate::say("  waiting for the merges");
    server.await_upkeep()?;
    server.pause()?;
    Ok(Loaded {
        items,
        data: data.to_owned(),
        server,
        loading,
    })
}

/// One server's turn. `first`: the median latency of the first size in the same round.
fn turn(
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
    one.server.go_on()?;
    let measured = load::run(
        one.server.address,
        workload,
        arguments.connections,
        (time, time),
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

/// The round with the median latency, and the median of the ratios.
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

/// Starts a server and asks it for an item: how many milliseconds until the answer.
fn start(arguments: &Arguments, data: &Path) -> io::Result<(Server, f64)> {
    let begun = Instant::now();
    let server = Server::start(data, arguments.cache)?;
    let body = r#"{"TableName":"Bench","Key":{"pk":{"S":"c0000000"},"sk":{"S":"000"}}}"#;
    let answer = server.ask("GetItem", body)?;
    if !answer.contains("\"Item\"") {
        return Err(io::Error::other(format!(
            "after its start the server answered {answer}"
        )));
    }
    Ok((server, begun.elapsed().as_secs_f64() * 1000.0))
}

/// Stops a server and measures how long it takes to start.
fn end(arguments: &Arguments, one: Loaded, operations: Vec<Took>) -> io::Result<Size> {
    let Loaded {
        items,
        data,
        server,
        loading,
    } = one;
    server.go_on()?;
    server.stop()?;
    let (server, start_after_stop) = start(arguments, &data)?;
    // The log is as full as it becomes: a kill right after writes.
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
        (Duration::ZERO, time),
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
        let told =
            |took: &Took| format!("{:.0}, {:.0} µs ({:.2}x)", took.p50, took.p99, took.ratio);
        row.extend(size.operations.iter().map(told));
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
    fn the_median_round_counts_and_the_median_of_the_ratios() {
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
