//! Sends a number of requests, one after another, while `cargo xtask counts` counts the processor's
//! instructions.

use crate::embedded::{ask, filled};
use crate::request::Protocol;
use crate::workload::{Operation, Workload};
use keyfold_engine::{Durability, StoreOptions};
use std::hint::black_box;

/// Items in the table.
const ITEMS: u64 = 2_000;

/// Send requests to an embedded engine.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The operation.
    #[arg(value_enum)]
    operation: Operation,
    /// The number of requests. The difference of two runs contains no start and no end.
    times: u64,
    /// Store the table on disk instead of in memory.
    #[arg(long)]
    disk: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    send(arguments).map_err(|error| error.to_string())
}

fn send(arguments: &Arguments) -> Result<(), Box<dyn std::error::Error>> {
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
    for body in workload
        .bodies(100)
        .iter()
        .cycle()
        .take(arguments.times as usize)
    {
        black_box(ask(&engine, api, body)?);
    }
    Ok(())
}
