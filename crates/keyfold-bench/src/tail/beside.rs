//! What a Keyfold server does beside the requests that are measured.

use crate::load;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Work of a server beside its requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Beside {
    /// Flushes and compactions alone.
    Nothing,
    /// An index of the table is filled, again and again.
    Index,
    /// A backup of the table is made, again and again.
    Backup,
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
    let made: serde_json::Value = serde_json::from_str(&made).map_err(io::Error::other)?;
    let backup = &made["BackupDetails"]["BackupArn"];
    let named = serde_json::json!({ "BackupArn": backup }).to_string();
    while !ask(address, "DescribeBackup", &named)?.contains("AVAILABLE") {
        std::thread::sleep(PAUSE);
    }
    ask(address, "DeleteBackup", &named).map(drop)
}
