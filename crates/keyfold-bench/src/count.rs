//! A number of requests, one after another, for who counts the processor's instructions:
//! `cargo xtask counts`.

use crate::embedded::{ask, filled};
use crate::request::Protocol;
use crate::workload::{Operation, Workload};
use keyfold_api::Operation as ApiOperation;
use keyfold_engine::{Durability, StoreOptions};
use std::hint::black_box;

/// Items in the table.
const ITEMS: u64 = 2_000;

/// What is counted, and how often.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The operation.
    #[arg(value_enum)]
    operation: Operation,
    /// How often; the difference of two runs is free of what comes before and after.
    times: u64,
    /// On disk instead of in memory.
    #[arg(long)]
    disk: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    carry_out(arguments).map_err(|error| error.to_string())
}

fn carry_out(arguments: &Arguments) -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let store = match arguments.disk {
        true => StoreOptions::folder(folder.path().join("data"), Durability::Buffered),
        false => StoreOptions::Memory,
    };
    let engine = filled(store, ITEMS)?;
    let api = match arguments.operation {
        Operation::Get => ApiOperation::GetItem,
        Operation::Put => ApiOperation::PutItem,
        Operation::Query => ApiOperation::Query,
        Operation::Update => ApiOperation::UpdateItem,
        Operation::Transact => ApiOperation::TransactWriteItems,
        _ => return Err("only single operations are counted".into()),
    };
    let workload = Workload {
        operation: arguments.operation,
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
