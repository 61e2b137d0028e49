//! `keyfold-count`: sends a number of requests, one after another, while `cargo xtask counts` counts
//! the processor's instructions.

use clap::Parser;
use keyfold_engine::{Durability, StoreOptions};
use keyfold_workload::request::Protocol;
use keyfold_workload::workload::{Operation, Workload};
use keyfold_workload::{Failed, ask, filled};
use std::hint::black_box;

/// The allocator of the server: what it does is counted, too.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Items in the table.
const ITEMS: u64 = 2_000;

/// Send requests to an embedded engine.
#[derive(Parser)]
#[command(name = "keyfold-count")]
struct Arguments {
    /// The operation.
    #[arg(value_enum)]
    operation: Operation,
    /// The number of requests. The difference of two runs contains no start and no end.
    times: u64,
    /// Store the table on disk instead of in memory.
    #[arg(long)]
    disk: bool,
}

fn main() -> Result<(), Failed> {
    let arguments = Arguments::parse();
    let folder = tempfile::tempdir()?;
    let store = match arguments.disk {
        true => StoreOptions::folder(folder.path().join("data"), Durability::Buffered),
        false => StoreOptions::Memory,
    };
    let engine = filled(store, ITEMS)?;
    let operation = arguments.operation;
    let api = operation
        .api()
        .ok_or("only requests of a single operation are counted")?;
    let workload = Workload {
        operation,
        items: ITEMS,
        protocol: Protocol::Http,
    };
    let bodies = workload.bodies(100);
    for body in bodies.iter().cycle().take(arguments.times as usize) {
        black_box(ask(&engine, api, body)?);
    }
    Ok(())
}
