//! Programs of the applications in `examples` while they run: where they are open, and how they are ended.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// The time in which a program that is told to end has ended.
const ENDS_WITHIN: Duration = Duration::from_secs(20);

/// The time in which a program is open.
const OPENS_WITHIN: Duration = Duration::from_secs(300);

/// Opens a program, asks it at its address, and closes it.
pub(crate) fn open(
    program: &mut Command,
    asked: impl FnOnce(&str) -> Result<(), String>,
) -> Result<(), String> {
    let mut running = program
        .spawn()
        .map_err(|error| format!("it cannot be started: {error}"))?;
    let outcome = running
        .stdout
        .take()
        .ok_or_else(|| "it has no output".to_owned())
        .and_then(|output| soon(move || address(output)))
        .and_then(|address| asked(&address));
    let closed = close(&mut running);
    closed.map_err(|error| format!("it cannot be ended: {error}"))?;
    outcome
}

/// Ends a program as people do, so that it leaves its data folder to the next one; by force where it
/// takes long.
fn close(running: &mut Child) -> std::io::Result<()> {
    Command::new("kill")
        .arg(running.id().to_string())
        .status()?;
    let until = Instant::now() + ENDS_WITHIN;
    while Instant::now() < until {
        if running.try_wait()?.is_some() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    running.kill().and_then(|()| running.wait()).map(drop)
}

/// What is found on a thread of its own, if it is in time.
pub(crate) fn soon<T: Send + 'static>(
    find: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    let (found, is_found) = std::sync::mpsc::channel();
    // One that comes too late has nobody who waits for it.
    std::thread::spawn(move || found.send(find()).unwrap_or_default());
    is_found
        .recv_timeout(OPENS_WITHIN)
        .map_err(|_| format!("it is not open after {} s", OPENS_WITHIN.as_secs()))?
}

/// The address that a program prints, behind what it prints before.
pub(crate) fn address(output: impl Read) -> Result<String, String> {
    let mut said = String::new();
    for line in BufReader::new(output).lines() {
        let line = line.map_err(|error| format!("its output cannot be read: {error}"))?;
        let behind = line.split_once("http://").map(|(_, rest)| rest);
        if let Some(address) = behind.and_then(|rest| rest.split_whitespace().next()) {
            return Ok(address.to_owned());
        }
        said += &line;
        said.push('\n');
    }
    Err(format!("it prints no address: {said}"))
}
