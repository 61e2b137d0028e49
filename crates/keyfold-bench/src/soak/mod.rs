//! The soak: hours of mixed load on one server, and what becomes of its memory, its files and its
//! latencies.
//!
//! A table with an index and expiring items is read and written at a steady rate, far below what
//! the server could do, and another one whose stream is followed; backups are made and deleted
//! meanwhile. Each minute's numbers are kept. At the end the tables are deleted, and their space
//! must come back, but for the stream's records, which stay a day.

mod report;
mod traffic;

use crate::server::Server;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use traffic::Minute;

/// Loads one server for a long time.
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
    /// Write soak.md and soak.svg there.
    #[arg(long, default_value = "target/bench", value_name = "DIR")]
    out: PathBuf,
}

/// How long the space of a deleted table may take to come back.
const SPACE_TAKES_MAX: Duration = Duration::from_secs(240);
const LANES: u64 = 8;

/// One minute's numbers.
struct Sample {
    traffic: Minute,
    memory: u64,
    disk: u64,
}

/// What a soak showed.
struct Soak {
    samples: Vec<Sample>,
    /// Stream records that were read.
    followed: u64,
    backups: u64,
    disk_after_deletion: u64,
    seconds_until_then: f64,
}

impl Soak {
    /// Bytes of files that may be left without tables: the log with its spare segments, and the
    /// stream's records.
    fn may_stay(&self) -> u64 {
        20 * 1024 * 1024 + self.followed * 300
    }
}

/// Runs a soak, writes its report and judges it.
pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    let soak = soak(arguments).map_err(|error| error.to_string())?;
    std::fs::create_dir_all(&arguments.out).map_err(|error| error.to_string())?;
    let text = report::text(&soak, arguments);
    std::fs::write(arguments.out.join("soak.md"), &text).map_err(|error| error.to_string())?;
    report::plot(&soak, &arguments.out.join("soak.svg"))?;
    crate::line(&text);
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
        samples: Vec::new(),
        followed: 0,
        backups: 0,
        disk_after_deletion: 0,
        seconds_until_then: 0.0,
    };
    let mut last_backup = None;
    for minute in 0..arguments.minutes {
        let traffic = traffic::minute(
            server.address,
            minute,
            (arguments.rate, LANES),
            arguments.lifetime,
        )?;
        if minute % arguments.backup_every == arguments.backup_every - 1 {
            last_backup = Some(backup(&server, minute, last_backup.take())?);
            soak.backups += 1;
        }
        let sample = Sample {
            traffic,
            memory: server.memory()?,
            disk: size_of(&data)?,
        };
        crate::say(&report::line(minute + 1, &sample));
        soak.samples.push(sample);
    }
    soak.followed = follower.stop()?;
    if let Some(arn) = last_backup {
        delete_backup(&server, &arn)?;
    }
    server.ask("DeleteTable", r#"{"TableName":"Soak"}"#)?;
    server.ask("DeleteTable", r#"{"TableName":"Followed"}"#)?;
    let begun = Instant::now();
    soak.disk_after_deletion = size_of(&data)?;
    while begun.elapsed() < SPACE_TAKES_MAX && soak.disk_after_deletion > soak.may_stay() {
        std::thread::sleep(Duration::from_secs(1));
        soak.disk_after_deletion = size_of(&data)?;
    }
    soak.seconds_until_then = begun.elapsed().as_secs_f64();
    server.stop()?;
    Ok(soak)
}

/// Makes a backup and deletes the one before.
fn backup(server: &Server, minute: u64, last: Option<String>) -> io::Result<String> {
    let body = format!(r#"{{"TableName":"Soak","BackupName":"minute-{minute}"}}"#);
    let answer = server.ask("CreateBackup", &body)?;
    let told: serde_json::Value = serde_json::from_str(&answer)?;
    let arn = told["BackupDetails"]["BackupArn"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    if let Some(last) = last {
        delete_backup(server, &last)?;
    }
    Ok(arn)
}

/// Deletes a backup, which may have to become one first.
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

/// Bytes of all files below a folder. Files may come and go meanwhile.
fn size_of(folder: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        bytes += match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => size_of(&entry.path())?,
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        };
    }
    Ok(bytes)
}
