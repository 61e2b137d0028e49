//! The engine inside a program, beside the storage engine it stands on, and where a request's time
//! goes.
//!
//! One thread, nothing over the network. "raw" is fjall, the same trees with a log of its own, with
//! the same keys and values: what any database over them has to pay.

use crate::report::{rounded, table};
use crate::workload::{self, Operation, Workload};
use keyfold_api::{Operation as ApiOperation, Request};
use keyfold_engine::{Durability, Engine, EngineOptions, StoreOptions};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Measures the engine without a server.
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

/// A step and how long it takes once, in nanoseconds.
struct Step {
    name: String,
    nanos: f64,
}

type Failed = Box<dyn std::error::Error>;

/// Measures and tells.
pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    let steps = measure(arguments).map_err(|error| error.to_string())?;
    if arguments.json {
        let steps: serde_json::Map<String, serde_json::Value> = steps
            .into_iter()
            .map(|step| (step.name, step.nanos.into()))
            .collect();
        crate::line(
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
    crate::line(&table(&rows));
    Ok(())
}

/// How long one call takes, on average over the time given.
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

/// Decodes, carries out and encodes one request.
pub(crate) fn ask(
    engine: &Engine,
    operation: ApiOperation,
    body: &[u8],
) -> Result<Vec<u8>, Failed> {
    let request = keyfold_wire::decode(operation, body).map_err(|error| format!("{error:?}"))?;
    let response = engine.execute(request).wait()?;
    let mut out = Vec::with_capacity(256);
    keyfold_wire::encode_response(&mut out, &response);
    Ok(out)
}

/// An engine with the table `Bench` of so many items.
pub(crate) fn filled(store: StoreOptions, items: u64) -> Result<Engine, Failed> {
    let engine = Engine::open(EngineOptions::new(store))?;
    ask(
        &engine,
        ApiOperation::CreateTable,
        workload::TABLES[0].as_bytes(),
    )?;
    for from in (0..items).step_by(25) {
        ask(
            &engine,
            ApiOperation::BatchWriteItem,
            &workload::load_batch(from, items),
        )?;
    }
    Ok(engine)
}

fn measure(arguments: &Arguments) -> Result<Vec<Step>, Failed> {
    let time = Duration::from_secs_f64(arguments.seconds);
    let folder = tempfile::tempdir()?;
    let mut steps = Vec::new();
    raw(
        &folder.path().join("raw"),
        arguments.items,
        time,
        &mut steps,
    )?;
    let stores = [
        (
            "on disk",
            StoreOptions::folder(folder.path().join("engine"), Durability::Buffered),
        ),
        ("in memory", StoreOptions::Memory),
    ];
    for (place, store) in stores {
        let engine = filled(store, arguments.items)?;
        for (operation, api) in [
            (Operation::Get, ApiOperation::GetItem),
            (Operation::Put, ApiOperation::PutItem),
            (Operation::Update, ApiOperation::UpdateItem),
            (Operation::Query, ApiOperation::Query),
            (Operation::Transact, ApiOperation::TransactWriteItems),
        ] {
            parts(
                &engine,
                place,
                operation,
                api,
                arguments.items,
                time,
                &mut steps,
            )?;
        }
    }
    Ok(steps)
}

/// The storage engine alone: point reads and writes of values as long as an item.
fn raw(
    path: &std::path::Path,
    items: u64,
    time: Duration,
    steps: &mut Vec<Step>,
) -> Result<(), Failed> {
    let database = fjall::Database::builder(path)
        .cache_size(64 * 1024 * 1024)
        .max_journaling_size(64 * 1024 * 1024)
        .worker_threads(2)
        .open()?;
    let keyspace = database.keyspace("raw", || {
        // As the engine's store opens it.
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
    steps.push(timed("raw store: get", time, || {
        black_box(keyspace.get(key(random.u64(..items)))?);
        Ok(())
    })?);
    steps.push(timed("raw store: insert, not synced", time, || {
        Ok(keyspace.insert(key(random.u64(..items)), [b'w'; 290])?)
    })?);
    Ok(())
}

/// A request's parts: decoding, carrying out, encoding.
fn parts(
    engine: &Engine,
    place: &str,
    operation: Operation,
    api: ApiOperation,
    items: u64,
    time: Duration,
    steps: &mut Vec<Step>,
) -> Result<(), Failed> {
    let workload = Workload {
        operation,
        items,
        protocol: crate::request::Protocol::Http,
    };
    let bodies = workload.bodies(4096);
    let requests: Vec<Request> = bodies
        .iter()
        .map(|body| keyfold_wire::decode(api, body).map_err(|error| format!("{error:?}")))
        .collect::<Result<_, _>>()?;
    let name = |part: &str| format!("{}, {place}: {part}", operation.name());
    let mut at = 0;
    let mut next = move || {
        at = (at + 1) % 4096;
        at
    };
    let decode = timed("", time / 4, || {
        black_box(
            keyfold_wire::decode(api, &bodies[next()]).map_err(|error| format!("{error:?}"))?,
        );
        Ok(())
    })?;
    let clone = timed("", time / 4, || {
        black_box(requests[next()].clone());
        Ok(())
    })?;
    let execute = timed("", time, || {
        black_box(engine.execute(requests[next()].clone()).wait()?);
        Ok(())
    })?;
    let response = engine.execute(requests[0].clone()).wait()?;
    let mut out = Vec::new();
    let encode = timed("", time / 4, || {
        out.clear();
        keyfold_wire::encode_response(&mut out, black_box(&response));
        Ok(())
    })?;
    steps.push(Step {
        name: name("decode"),
        ..decode
    });
    steps.push(Step {
        name: name("carry out"),
        nanos: execute.nanos - clone.nanos,
    });
    steps.push(Step {
        name: name("encode"),
        ..encode
    });
    Ok(())
}
