//! The soak: hours of mixed load on one server, with its memory, its files and its latencies minute
//! by minute.
//!
//! The load reads and writes a table with an index and expiring items, at a steady rate far below
//! the server's limit. It also writes a second table, whose stream is followed. Backups are made
//! and deleted meanwhile. At the end the tables are deleted, and their space must be released,
//! except for the stream's records, which stay for a day.

mod report;
mod result;
mod traffic;

use crate::print;
use crate::process;
use crate::server::Server;
use result::{Sample, Soak};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use traffic::Load;

/// Load one server for a long time.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Minutes of load.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    minutes: u64,
    /// Requests a second.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    rate: u64,
    /// Seconds until an item expires.
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    lifetime: u64,
    /// Minutes between backups.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    backup_every: u64,
    /// The folder that soak.md and soak.svg are written to.
    #[arg(long, default_value = "target/bench", value_name = "DIR")]
    out: PathBuf,
}

/// The longest time until the space of a deleted table or backup is released.
const SPACE_TAKES_MAX: Duration = Duration::from_secs(240);

/// Runs a soak, writes its report and judges it.
///
/// # Errors
/// The faults that the soak showed, or the reason for which it ended early.
pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    let soak = soak(arguments).map_err(|error| error.to_string())?;
    std::fs::create_dir_all(&arguments.out).map_err(|error| error.to_string())?;
    let text = report::text(&soak);
    std::fs::write(arguments.out.join("soak.md"), &text).map_err(|error| error.to_string())?;
    report::plot(&soak, &arguments.out.join("soak.svg"))?;
    print::line(&text);
    let faults = report::faults(&soak);
    if faults.is_empty() {
        Ok(())
    } else {
        Err(faults.join("; "))
    }
}

fn soak(arguments: &Arguments) -> io::Result<Soak> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let server = Server::start(&data, None)?;
    for (operation, body) in traffic::SETTING_UP {
        server.ask(operation, body)?;
    }
    let follower = traffic::Follower::start(server.address)?;
    let mut soak = Soak {
        load: Load {
            rate: arguments.rate,
            lifetime_s: arguments.lifetime,
        },
        samples: Vec::new(),
        followed: 0,
        backups: 0,
        disk_after_deletion: 0,
        shrinking_s: 0.0,
    };
    let mut last_backup = None;
    for minute in 0..arguments.minutes {
        let traffic = traffic::minute(server.address, minute, soak.load)?;
        if minute % arguments.backup_every == arguments.backup_every - 1 {
            last_backup = Some(backup(&server, minute, last_backup.take())?);
            soak.backups += 1;
        }
        let sample = Sample {
            traffic,
            memory: server.memory()?,
            disk: process::bytes_below(&data),
        };
        print::progress(&report::line(minute + 1, &sample));
        soak.samples.push(sample);
    }
    soak.followed = follower.stop()?;
    if let Some(arn) = last_backup {
        delete_backup(&server, &arn)?;
    }
    delete_tables(&server, &data, &mut soak)?;
    server.stop()?;
    Ok(soak)
}

/// Deletes the tables, and waits until the files have shrunk.
fn delete_tables(server: &Server, data: &Path, soak: &mut Soak) -> io::Result<()> {
    server.ask("DeleteTable", r#"{"TableName":"Soak"}"#)?;
    server.ask("DeleteTable", r#"{"TableName":"Followed"}"#)?;
    let begun = Instant::now();
    loop {
        soak.disk_after_deletion = process::bytes_below(data);
        soak.shrinking_s = begun.elapsed().as_secs_f64();
        let is_released = soak.disk_after_deletion <= soak.disk_without_tables_max();
        if is_released || begun.elapsed() >= SPACE_TAKES_MAX {
            return Ok(());
        }
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// Makes a backup and deletes the previous one; returns its ARN.
fn backup(server: &Server, minute: u64, last: Option<String>) -> io::Result<String> {
    let body = format!(r#"{{"TableName":"Soak","BackupName":"minute-{minute}"}}"#);
    let answer = server.ask("CreateBackup", &body)?;
    let created: serde_json::Value = serde_json::from_str(&answer)?;
    let arn = created["BackupDetails"]["BackupArn"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    if let Some(last) = last {
        delete_backup(server, &last)?;
    }
    Ok(arn)
}

/// Deletes a backup. While the server is still making it, the call is repeated.
fn delete_backup(server: &Server, arn: &str) -> io::Result<()> {
    let deadline = Instant::now() + SPACE_TAKES_MAX;
    let body = format!(r#"{{"BackupArn":"{arn}"}}"#);
    loop {
        match server.ask("DeleteBackup", &body) {
            Err(error)
                if error.to_string().contains("BackupInUse") && Instant::now() < deadline =>
            {
                std::thread::sleep(Duration::from_millis(200));
            }
            outcome => return outcome.map(drop),
        }
    }
}
