//! A server of ours in a process of its own, over a data folder.

use crate::contender::{keyfold, send_signal, told_address};
use crate::load;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// More than the merges of the largest table take.
const MERGES_TAKE_MAX: Duration = Duration::from_secs(600);

/// A running server; killed when it is dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Server {
    /// Starts one and waits until it listens. `cache`: megabytes of blocks that it keeps, if not as
    /// many as usual.
    pub(crate) fn start(data: &Path, cache: Option<u32>) -> io::Result<Server> {
        let mut command = keyfold()?;
        command
            .args(["serve", "--port", "0", "--json", "--data"])
            .arg(data);
        command.args(cache.map(|cache| format!("--cache={cache}")));
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let stdout = child
            .stdout
            .take()
            .ok_or_else(|| io::Error::other("the server has no output"))?;
        let mut server = Server {
            child,
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
        };
        server.address = told_address(stdout)?;
        Ok(server)
    }

    /// Asks for something that must succeed.
    pub(crate) fn ask(&self, operation: &str, body: &str) -> io::Result<String> {
        let (is_ok, answer) = load::ask(self.address, operation, body)?;
        if is_ok {
            Ok(answer)
        } else {
            Err(io::Error::other(format!("{operation}: {answer}")))
        }
    }

    /// Stops it as an operator does.
    pub(crate) fn stop(mut self) -> io::Result<()> {
        send_signal(&self.child, "-TERM")?;
        self.child.wait().map(drop)
    }

    /// Lets it stand still.
    pub(crate) fn pause(&self) -> io::Result<()> {
        send_signal(&self.child, "-STOP")
    }

    /// Lets it go on after [`Server::pause`].
    pub(crate) fn go_on(&self) -> io::Result<()> {
        send_signal(&self.child, "-CONT")
    }

    pub(crate) fn kill(mut self) -> io::Result<()> {
        self.child.kill()?;
        self.child.wait().map(drop)
    }

    /// Bytes of memory that it holds.
    pub(crate) fn memory(&self) -> io::Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
        kib.map(|kib| kib * 1024)
            .ok_or_else(|| io::Error::other("the system does not tell its memory"))
    }

    /// Waits until the store has merged what was written, so that the next numbers are those of
    /// tables at rest.
    pub(crate) fn await_upkeep(&self) -> io::Result<()> {
        let deadline = Instant::now() + MERGES_TAKE_MAX;
        while Instant::now() < deadline {
            let mut stream = TcpStream::connect(self.address)?;
            stream.write_all(
                b"GET /metrics HTTP/1.1\r\nhost: keyfold\r\nconnection: close\r\n\r\n",
            )?;
            let mut told = String::new();
            stream.read_to_string(&mut told)?;
            if told.lines().any(|line| line == "keyfold_store_upkeep 0") {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the merges did not end",
        ))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // One that has ended already is no fault.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
