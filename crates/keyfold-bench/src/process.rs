//! Server processes: their address, signals, memory and files.

use std::io::{self, BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

/// A command of the server to measure, which is built in release form beside this program.
pub(crate) fn keyfold() -> io::Result<Command> {
    let path = std::env::current_exe()?.with_file_name("keyfold");
    if !path.exists() {
        return Err(io::Error::other(
            "build it first: cargo build --release --package keyfold-cli",
        ));
    }
    Ok(Command::new(path))
}

/// Reads the address from the first line of a server's output: plain, or as the endpoint of a JSON
/// document.
pub(crate) fn printed_address(stdout: impl io::Read) -> io::Result<SocketAddr> {
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line)?;
    let place = match serde_json::from_str::<serde_json::Value>(&line) {
        Ok(document) => document["result"]["endpoint"]
            .as_str()
            .unwrap_or_default()
            .trim_start_matches("http://")
            .to_owned(),
        Err(_) => line.trim().to_owned(),
    };
    place.parse().map_err(|_| {
        io::Error::other(format!(
            "the server printed {line:?} instead of its address"
        ))
    })
}

/// A signal that suspends, resumes or ends a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    Stop,
    Continue,
    Terminate,
}

/// Sends a signal to a child process.
pub(crate) fn send(signal: Signal, child: &Child) -> io::Result<()> {
    let name = match signal {
        Signal::Stop => "-STOP",
        Signal::Continue => "-CONT",
        Signal::Terminate => "-TERM",
    };
    Command::new("kill")
        .args([name, &child.id().to_string()])
        .status()
        .map(drop)
}

/// A measure of a process's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Memory {
    /// The memory that the process holds now.
    Now,
    /// The most memory that the process has held.
    Peak,
}

/// A process's memory in bytes, as the kernel reports it.
pub(crate) fn memory(child: &Child, measure: Memory) -> io::Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()))?;
    let name = match measure {
        Memory::Now => "VmRSS:",
        Memory::Peak => "VmHWM:",
    };
    let line = status.lines().find(|line| line.starts_with(name));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kib.map(|kib| kib * 1024)
        .ok_or_else(|| io::Error::other("the system does not report the server's memory"))
}

/// The processor time that a process has used, in microseconds. The kernel counts it in steps of ten
/// milliseconds.
pub(crate) fn cpu(child: &Child) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).ok()?;
    // The name of the program, in parentheses, may contain any character.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some((ticks()? + ticks()?) * 10_000)
}

/// The bytes that a process has caused to be written to the device.
pub(crate) fn written(child: &Child) -> Option<u64> {
    let io = std::fs::read_to_string(format!("/proc/{}/io", child.id())).ok()?;
    let line = |line: &str| line.strip_prefix("write_bytes: ")?.parse().ok();
    io.lines().find_map(line)
}

/// The bytes of all files below a folder. Files may appear and disappear meanwhile.
pub(crate) fn bytes_below(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return 0;
    };
    let of = |path: PathBuf| match path.symlink_metadata() {
        Ok(about) if about.is_dir() => bytes_below(&path),
        Ok(about) => about.len(),
        Err(_) => 0,
    };
    entries.flatten().map(|entry| of(entry.path())).sum()
}
