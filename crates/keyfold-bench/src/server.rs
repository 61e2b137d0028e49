//! A Keyfold server in a process of its own, over a data folder.

use crate::load;
use crate::process::{self, Memory, Signal};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// The longest time that the compactions of the largest table take.
const COMPACTIONS_TAKE_MAX: Duration = Duration::from_secs(600);

/// The metrics of a server, in Prometheus' text format.
pub(crate) fn metrics(address: SocketAddr) -> io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.write_all(b"GET /metrics HTTP/1.1\r\nhost: keyfold\r\nconnection: close\r\n\r\n")?;
    let mut metrics = String::new();
    stream.read_to_string(&mut metrics)?;
    Ok(metrics)
}

/// The number of a metric without labels.
pub(crate) fn metric(metrics: &str, name: &str) -> Option<u64> {
    let value = |line: &str| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok();
    metrics.lines().find_map(value)
}

/// A running server. Dropping it kills the process.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Server {
    /// Starts a server, and waits until it listens. `budget` is its budget of memory in
    /// megabytes; none for the default.
    pub(crate) fn start(data: &Path, budget: Option<u32>) -> io::Result<Server> {
        let mut command = process::keyfold()?;
        command
            .args(["serve", "--port", "0", "--json", "--data"])
            .arg(data);
        command.args(budget.map(|budget| format!("--memory-budget={budget}")));
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
        server.address = process::printed_address(stdout)?;
        Ok(server)
    }

    /// Sends a request that must succeed; returns the body of the answer.
    pub(crate) fn ask(&self, operation: &str, body: &str) -> io::Result<String> {
        let (is_ok, answer) = load::ask(self.address, operation, body)?;
        if is_ok {
            Ok(answer)
        } else {
            Err(io::Error::other(format!("{operation}: {answer}")))
        }
    }

    /// Stops the server with SIGTERM.
    pub(crate) fn stop(mut self) -> io::Result<()> {
        process::send(Signal::Terminate, &self.child)?;
        self.child.wait().map(drop)
    }

    /// Suspends the process.
    pub(crate) fn pause(&self) -> io::Result<()> {
        process::send(Signal::Stop, &self.child)
    }

    /// Resumes the process after [`Server::pause`].
    pub(crate) fn resume(&self) -> io::Result<()> {
        process::send(Signal::Continue, &self.child)
    }

    /// Kills the process.
    pub(crate) fn kill(mut self) -> io::Result<()> {
        self.child.kill()?;
        self.child.wait().map(drop)
    }

    /// Bytes of memory that the server holds now.
    pub(crate) fn memory(&self) -> io::Result<u64> {
        process::memory(&self.child, Memory::Now)
    }

    /// Waits until the store has no flush or compaction left to do, so that they do not take time
    /// from the next measurement.
    pub(crate) fn await_compactions(&self) -> io::Result<()> {
        let deadline = Instant::now() + COMPACTIONS_TAKE_MAX;
        while Instant::now() < deadline {
            if metric(&metrics(self.address)?, "keyfold_store_pending_maintenance") == Some(0) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the compactions did not end",
        ))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A process that has ended already is no error.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
