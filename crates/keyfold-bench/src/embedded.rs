//! Measures the engine inside a program beside the storage engine that it uses, and the parts of a
//! request.
//!
//! All requests run on one thread, and nothing goes over the network. "raw" is fjall: the same
//! trees with a log of its own, with the same keys and values. It shows the least cost of a
//! database over these trees.

use crate::print;
use crate::report::{rounded, table};
use keyfold_api::Request;
use keyfold_engine::{Durability, Engine, StoreOptions};
use keyfold_workload::request::Protocol;
use keyfold_workload::workload::{Operation, Workload};
use keyfold_workload::{Failed, filled};
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

/// Measure the engine without a server.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Items in the table.
    #[arg(long, default_value_t = 100_000)]
    items: u64,
    /// Seconds of each measurement.
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
}

/// The prepared bodies of a measurement, which are sent in turn.
const BODIES: usize = 4096;

/// A step, with its mean time in nanoseconds.
struct Step {
    name: String,
    nanos: f64,
}

/// Measures all steps and prints the result.
pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    let steps = measure(arguments).map_err(|error| error.to_string())?;
    if arguments.json {
        let steps: serde_json::Map<String, serde_json::Value> = steps
            .into_iter()
            .map(|step| (step.name, step.nanos.into()))
            .collect();
        print::line(
            &serde_json::json!({"items": arguments.items, "nanoseconds": steps}).to_string(),
        );
        return Ok(());
    }
    let mut rows = vec![vec![
        "step".to_owned(),
        "time".to_owned(),
        "a second".to_owned(),
    ]];
    for step in steps {
        rows.push(vec![
            step.name,
            format!("{:.0} ns", step.nanos),
            rounded(1e9 / step.nanos),
        ]);
    }
    print::line(&table(&rows));
    Ok(())
}

/// Calls again and again for `time`, and returns the mean time of a call.
fn timed(
    name: &str,
    time: Duration,
    mut call: impl FnMut() -> Result<(), Failed>,
) -> Result<Step, Failed> {
    let begun = Instant::now();
    let mut count = 0u64;
    while begun.elapsed() < time {
        for _ in 0..64 {
            call()?;
        }
        count += 64;
    }
    Ok(Step {
        name: name.to_owned(),
        nanos: begun.elapsed().as_nanos() as f64 / count as f64,
    })
}

fn measure(arguments: &Arguments) -> Result<Vec<Step>, Failed> {
    let time = Duration::from_secs_f64(arguments.seconds);
    let folder = tempfile::tempdir()?;
    let mut steps = raw(&folder.path().join("raw"), arguments.items, time)?;
    let stores = [
        (
            "on disk",
            StoreOptions::folder(folder.path().join("engine"), Durability::Buffered),
        ),
        ("in memory", StoreOptions::Memory),
    ];
    for (place, store) in stores {
        let engine = filled(store, arguments.items)?;
        for operation in [
            Operation::Get,
            Operation::Put,
            Operation::Update,
            Operation::Query,
            Operation::Transact,
        ] {
            let workload = Workload {
                operation,
                items: arguments.items,
                protocol: Protocol::Http,
            };
            let prefix = format!("{}, {place}", operation.name());
            steps.extend(parts(&engine, &workload, &prefix, time)?);
        }
    }
    Ok(steps)
}

/// Measures the storage engine alone: reads and writes of single values as long as an item.
fn raw(path: &Path, items: u64, time: Duration) -> Result<Vec<Step>, Failed> {
    let database = fjall::Database::builder(path)
        .cache_size(64 * 1024 * 1024)
        .max_journaling_size(64 * 1024 * 1024)
        .worker_threads(2)
        .open()?;
    let keyspace = database.keyspace("raw", || {
        // The size of the memtables of the engine's store.
        fjall::KeyspaceCreateOptions::default().max_memtable_size(4 * 1024 * 1024)
    })?;
    let key = |n: u64| {
        [
            &[0, 0, 0, 1, 0],
            n.wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .to_be_bytes()
                .as_slice(),
            b"c0000000#000",
        ]
        .concat()
    };
    for n in 0..items {
        keyspace.insert(key(n), [b'v'; 290])?;
    }
    let mut random = fastrand::Rng::with_seed(1);
    let get = timed("raw store: get", time, || {
        black_box(keyspace.get(key(random.u64(..items)))?);
        Ok(())
    })?;
    let insert = timed("raw store: insert, not synced", time, || {
        Ok(keyspace.insert(key(random.u64(..items)), [b'w'; 290])?)
    })?;
    Ok(vec![get, insert])
}

/// Measures the parts of a request: decoding, execution, encoding.
fn parts(
    engine: &Engine,
    workload: &Workload,
    prefix: &str,
    time: Duration,
) -> Result<Vec<Step>, Failed> {
    let api = workload
        .operation
        .api()
        .ok_or("a mix has no single operation")?;
    let bodies = workload.bodies(BODIES);
    let decoded = |body: &Vec<u8>| {
        keyfold_wire::decode(api, body).map_err(|error| Failed::from(format!("{error:?}")))
    };
    let requests: Vec<Request> = bodies.iter().map(decoded).collect::<Result<_, _>>()?;
    let mut at = 0;
    let mut next = move || {
        at = (at + 1) % BODIES;
        at
    };
    let decode = timed(&format!("{prefix}: decode"), time / 4, || {
        black_box(decoded(&bodies[next()])?);
        Ok(())
    })?;
    let clone = timed("", time / 4, || {
        black_box(requests[next()].clone());
        Ok(())
    })?;
    let execute = timed(&format!("{prefix}: carry out"), time, || {
        black_box(engine.execute(requests[next()].clone()).wait()?);
        Ok(())
    })?;
    let response = engine.execute(requests[0].clone()).wait()?;
    let mut out = Vec::new();
    let encode = timed(&format!("{prefix}: encode"), time / 4, || {
        out.clear();
        keyfold_wire::encode_response(&mut out, black_box(&response));
        Ok(())
    })?;
    // Each execution takes a clone of its request.
    let execute = Step {
        nanos: execute.nanos - clone.nanos,
        ..execute
    };
    Ok(vec![decode, execute, encode])
}
