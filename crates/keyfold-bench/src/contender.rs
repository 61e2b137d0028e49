//! The servers that are measured: how each is started, what it keeps, and what it costs.

use crate::install;
use crate::program::Program;
use crate::request::Protocol;
use std::io::{self, BufRead, BufReader};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a server may take to answer at first.
const START_MAX: Duration = Duration::from_secs(60);

/// What an acknowledged write has survived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Keeps {
    /// The machine's end: it is synced.
    Synced,
    /// The process's end: it is handed to the operating system, or will be soon.
    Written,
    /// Nothing: it is in memory.
    Memory,
}

impl Keeps {
    /// Its name in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Keeps::Synced => "synced",
            Keeps::Written => "on disk, not synced",
            Keeps::Memory => "in memory",
        }
    }
}

/// A server that can be measured.
#[derive(Debug, Clone)]
pub(crate) struct Contender {
    pub(crate) program: Program,
    pub(crate) name: String,
    pub(crate) keeps: Keeps,
    /// Where a server of the user's listens.
    pub(crate) address: Option<SocketAddr>,
}

/// A server that is running. It is ended, and its data removed, when this is dropped.
pub(crate) struct Running {
    child: Option<Child>,
    pub(crate) address: SocketAddr,
    folder: tempfile::TempDir,
}

impl Contender {
    /// All that this command knows, in the order of reports.
    pub(crate) fn all() -> Vec<Contender> {
        let one = |program, name: &str, keeps| Contender {
            program,
            name: name.to_owned(),
            keeps,
            address: None,
        };
        vec![
            one(Program::Ceiling, "ceiling", Keeps::Memory),
            one(Program::Keyfold, "keyfold", Keeps::Synced),
            one(Program::Dynoxide, "dynoxide", Keeps::Synced),
            one(Program::Redis, "redis", Keeps::Synced),
            one(Program::Keyfold, "keyfold", Keeps::Written),
            one(Program::Dynalite, "dynalite", Keeps::Written),
            one(Program::Keyfold, "keyfold", Keeps::Memory),
            one(Program::Dynoxide, "dynoxide", Keeps::Memory),
            one(Program::Dynalite, "dynalite", Keeps::Memory),
            one(Program::Moto, "moto", Keeps::Memory),
            one(Program::Redis, "redis", Keeps::Memory),
        ]
    }

    /// A server of the user's, as `NAME=http://HOST:PORT`.
    pub(crate) fn endpoint(text: &str) -> Result<Contender, String> {
        let (name, url) = text.split_once('=').ok_or("an endpoint is NAME=URL")?;
        let place = url
            .strip_prefix("http://")
            .ok_or("the URL must begin with http://")?
            .trim_end_matches('/');
        let place = place.replace("localhost", "127.0.0.1");
        let address = place
            .parse()
            .map_err(|_| format!("{place} is no address with a port"))?;
        Ok(Contender {
            program: Program::Endpoint,
            name: name.to_owned(),
            keeps: Keeps::Written,
            address: Some(address),
        })
    }

    /// Which language it speaks.
    pub(crate) fn protocol(&self) -> Protocol {
        if self.program == Program::Redis {
            Protocol::Redis
        } else {
            Protocol::Http
        }
    }

    /// Its name with what it keeps.
    pub(crate) fn title(&self) -> String {
        match self.program {
            Program::Ceiling | Program::Endpoint => self.name.clone(),
            _ => format!("{}, {}", self.name, self.keeps.name()),
        }
    }

    /// Starts it over an empty folder; `answer_bytes` is the size of the ceiling's answer.
    pub(crate) fn start(&self, tools: &Path, answer_bytes: usize) -> io::Result<Running> {
        let folder = tempfile::tempdir()?;
        if let Some(address) = self.address {
            return Ok(Running {
                child: None,
                address,
                folder,
            });
        }
        let data = folder.path().join("data");
        let port = free_port()?;
        let mut command = self.command(tools, &data, port, answer_bytes)?;
        let tells = matches!(self.program, Program::Keyfold | Program::Ceiling);
        command.stdin(Stdio::null()).stderr(Stdio::null());
        command.stdout(if tells { Stdio::piped() } else { Stdio::null() });
        let mut child = command.spawn()?;
        let stdout = child.stdout.take();
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let mut running = Running {
            child: Some(child),
            address,
            folder,
        };
        if let Some(stdout) = stdout {
            running.address = told_address(stdout)?;
        }
        running.wait_until_it_answers()?;
        Ok(running)
    }

    fn command(
        &self,
        tools: &Path,
        data: &Path,
        port: u16,
        answer_bytes: usize,
    ) -> io::Result<Command> {
        let port = port.to_string();
        let (keeps, data_text) = (self.keeps, data.display().to_string());
        let mut command;
        match self.program {
            Program::Keyfold => {
                command = keyfold()?;
                command.args(["serve", "--port", "0", "--json"]);
                match keeps {
                    Keeps::Memory => command.arg("--memory"),
                    Keeps::Synced => command.args(["--data", &data_text]),
                    Keeps::Written => {
                        command.args(["--data", &data_text, "--durability", "buffered"])
                    }
                };
            }
            Program::Ceiling => {
                command = Command::new(std::env::current_exe()?);
                command.args(["ceiling", "--body-bytes", &answer_bytes.to_string()]);
            }
            Program::Redis => {
                std::fs::create_dir_all(data)?;
                command = Command::new("redis-server");
                command.args(["--port", &port, "--save", "", "--dir", &data_text]);
                if keeps == Keeps::Synced {
                    command.args(["--appendonly", "yes", "--appendfsync", "always"]);
                }
            }
            Program::Dynoxide => {
                std::fs::create_dir_all(data)?;
                command = Command::new(install::dynoxide(tools));
                command.args(["--port", &port]);
                if keeps == Keeps::Synced {
                    command.args(["--db-path", &data.join("data.db").display().to_string()]);
                }
            }
            Program::Dynalite => {
                command = Command::new("node");
                command.arg(install::dynalite(tools)).args([
                    "--port",
                    &port,
                    "--createTableMs",
                    "0",
                ]);
                if keeps == Keeps::Written {
                    command.args(["--path", &data_text]);
                }
            }
            Program::Moto => {
                command = Command::new(install::moto(tools));
                command.args(["-p", &port]);
            }
            Program::Endpoint => {
                return Err(io::Error::other(
                    "a server of the user's is not started here",
                ));
            }
        }
        Ok(command)
    }
}

/// The server to measure: built in release form beside this program.
pub(crate) fn keyfold() -> io::Result<Command> {
    let path = std::env::current_exe()?.with_file_name("keyfold");
    if !path.exists() {
        return Err(io::Error::other(
            "build it first: cargo build --release --package keyfold-cli",
        ));
    }
    Ok(Command::new(path))
}

fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

/// The address in the first line of a server's output: plain, or as the endpoint of a JSON object.
pub(crate) fn told_address(stdout: impl io::Read) -> io::Result<SocketAddr> {
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line)?;
    let place = match serde_json::from_str::<serde_json::Value>(&line) {
        Ok(told) => told["result"]["endpoint"]
            .as_str()
            .unwrap_or_default()
            .trim_start_matches("http://")
            .to_owned(),
        Err(_) => line.trim().to_owned(),
    };
    place
        .parse()
        .map_err(|_| io::Error::other(format!("the server said {line:?} instead of its address")))
}

impl Running {
    fn wait_until_it_answers(&mut self) -> io::Result<()> {
        let deadline = Instant::now() + START_MAX;
        while TcpStream::connect(self.address).is_err() {
            if let Some(status) = self
                .child
                .as_mut()
                .map(Child::try_wait)
                .transpose()?
                .flatten()
            {
                return Err(io::Error::other(format!(
                    "the server ended at once: {status}"
                )));
            }
            if Instant::now() > deadline {
                return Err(io::Error::other("the server did not listen in time"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Lets it stand still, if it is a process of ours.
    pub(crate) fn pause(&self) {
        self.signal("-STOP");
    }

    /// Lets it go on after [`Running::pause`].
    pub(crate) fn go_on(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        if let Some(child) = &self.child {
            // One that has ended is found out when it is asked.
            drop(send_signal(child, signal));
        }
    }

    /// The most memory that it has held, in bytes.
    pub(crate) fn memory(&self) -> Option<u64> {
        let id = self.child.as_ref()?.id();
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
        line.split_whitespace()
            .nth(1)?
            .parse::<u64>()
            .ok()
            .map(|kib| kib * 1024)
    }

    /// The processor time it has used, in microseconds; in steps of the kernel's clock, ten
    /// milliseconds.
    pub(crate) fn cpu(&self) -> Option<u64> {
        let id = self.child.as_ref()?.id();
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The program's name, in parentheses, may hold anything.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
        let mut ticks = || fields.next()?.parse::<u64>().ok();
        Some((ticks()? + ticks()?) * 10_000)
    }

    /// The bytes of its files.
    pub(crate) fn disk(&self) -> u64 {
        size(self.folder.path())
    }
}

/// Sends a signal, as `kill` names it, to a process of ours.
pub(crate) fn send_signal(child: &Child, signal: &str) -> io::Result<()> {
    Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status()
        .map(drop)
}

fn size(path: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(path) else {
        return 0;
    };
    let of = |path: PathBuf| match path.symlink_metadata() {
        Ok(about) if about.is_dir() => size(&path),
        Ok(about) => about.len(),
        Err(_) => 0,
    };
    entries.flatten().map(|entry| of(entry.path())).sum()
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            // What is measured is over; a server that has ended already is no fault.
            drop(child.kill());
            drop(child.wait());
        }
    }
}
