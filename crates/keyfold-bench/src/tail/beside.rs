//! What a Keyfold server does beside the requests that are measured.

use super::arrivals::{self, Arrivals};
use crate::load::{self, Window};
use keyfold_workload::request::Protocol;
use keyfold_workload::workload::{Operation, Workload};
use serde_json::{Value, json};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Work of a server beside its requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Beside {
    /// Flushes and compactions alone.
    Nothing,
    /// An index of the table is filled, again and again.
    Index,
    /// A backup of the table is made, again and again.
    Backup,
    /// Items are written that expire a second later, some thousand a second, which the server deletes.
    Expiry,
    /// Items are put in the open loop, five thousand a second.
    Writes,
}

/// The work; it ends when this is dropped.
pub(super) struct Work {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

const ADD_INDEX: &str = r#"{"TableName":"Bench","AttributeDefinitions":[{"AttributeName":"name","AttributeType":"S"}],"GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"ByName","KeySchema":[{"AttributeName":"name","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}}]}"#;
const REMOVE_INDEX: &str =
    r#"{"TableName":"Bench","GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"ByName"}}]}"#;
const PAUSE: Duration = Duration::from_millis(100);
const ADD_EXPIRY: &str =
    r#"{"TableName":"Bench","TimeToLiveSpecification":{"AttributeName":"expires","Enabled":true}}"#;
/// Items that are written together and expire.
const EXPIRING: u64 = 25;
/// Puts a second beside the requests.
const WRITES: f64 = 5_000.0;
/// Connections of these.
const WRITERS: u64 = 16;

impl Beside {
    /// Starts the work.
    ///
    /// # Errors
    /// When the server refuses it.
    pub(super) fn start(self, address: SocketAddr) -> io::Result<Work> {
        let is_over = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&is_over);
        let round = match self {
            Beside::Nothing => None,
            Beside::Index => Some(fill as fn(SocketAddr) -> io::Result<()>),
            Beside::Backup => Some(back_up as fn(SocketAddr) -> io::Result<()>),
            Beside::Expiry => {
                expect_expiry(address)?;
                Some(write_expiring as fn(SocketAddr) -> io::Result<()>)
            }
            Beside::Writes => Some(write as fn(SocketAddr) -> io::Result<()>),
        };
        // The first round shows whether the server does it.
        if let Some(round) = round {
            round(address)?;
        }
        let thread =
            round.map(|round| {
                std::thread::spawn(move || {
                    while !ended.load(Ordering::Relaxed) && round(address).is_ok() {}
                })
            });
        Ok(Work { is_over, thread })
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn ask(address: SocketAddr, operation: &str, body: &str) -> io::Result<String> {
    match load::ask(address, operation, body)? {
        (true, answer) => Ok(answer),
        (false, answer) => Err(io::Error::other(format!("{operation}: {answer}"))),
    }
}

/// Fills an index, and takes it away.
fn fill(address: SocketAddr) -> io::Result<()> {
    ask(address, "UpdateTable", ADD_INDEX)?;
    wait(address, |table| table.contains(r#""IndexStatus":"ACTIVE""#))?;
    ask(address, "UpdateTable", REMOVE_INDEX)?;
    wait(address, |table| !table.contains("IndexStatus"))
}

/// Waits until the description of the table is as it should be.
fn wait(address: SocketAddr, is_done: impl Fn(&str) -> bool) -> io::Result<()> {
    while !is_done(&ask(address, "DescribeTable", r#"{"TableName":"Bench"}"#)?) {
        std::thread::sleep(PAUSE);
    }
    Ok(())
}

/// Makes a backup, and deletes it.
fn back_up(address: SocketAddr) -> io::Result<()> {
    let made = ask(
        address,
        "CreateBackup",
        r#"{"TableName":"Bench","BackupName":"tail"}"#,
    )?;
    let made: Value = serde_json::from_str(&made).map_err(io::Error::other)?;
    let backup = &made["BackupDetails"]["BackupArn"];
    let named = json!({ "BackupArn": backup }).to_string();
    while !ask(address, "DescribeBackup", &named)?.contains("AVAILABLE") {
        std::thread::sleep(PAUSE);
    }
    ask(address, "DeleteBackup", &named).map(drop)
}

/// Switches on that items expire; it may be so from an earlier measurement.
fn expect_expiry(address: SocketAddr) -> io::Result<()> {
    let description = ask(address, "DescribeTimeToLive", r#"{"TableName":"Bench"}"#)?;
    if description.contains("ENABLED") {
        return Ok(());
    }
    ask(address, "UpdateTimeToLive", ADD_EXPIRY).map(drop)
}

/// Writes some items that expire a second from now.
fn write_expiring(address: SocketAddr) -> io::Result<()> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_err(io::Error::other)?;
    let put = |number: u64| {
        let key = format!("{}-{number}", now.as_nanos());
        let expires = (now.as_secs() + 1).to_string();
        let padding = "x".repeat(200);
        json!({ "PutRequest": { "Item": {
            "pk": { "S": "expiring" }, "sk": { "S": key }, "expires": { "N": expires }, "padding": { "S": padding },
        } } })
    };
    let items: Vec<Value> = (0..EXPIRING).map(put).collect();
    let body = json!({ "RequestItems": { "Bench": items } }).to_string();
    ask(address, "BatchWriteItem", &body)?;
    std::thread::sleep(PAUSE / 10);
    Ok(())
}

/// Puts items for a second.
fn write(address: SocketAddr) -> io::Result<()> {
    let workload = Workload {
        operation: Operation::Put,
        items: 100_000,
        protocol: Protocol::Http,
    };
    let window = Window {
        warm_up: Duration::ZERO,
        measured: Duration::from_secs(1),
    };
    let arrivals = Arrivals::Open { rate: WRITES };
    arrivals::run(address, workload, WRITERS, arrivals, window).map(drop)
}
