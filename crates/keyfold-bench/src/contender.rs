//! The servers of the comparison: how each is started, its durability, and its costs.

use crate::install;
use crate::process::{self, Memory, Signal};
use crate::program::Program;
use keyfold_workload::request::Protocol;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The longest time that a server may take to start.
const START_MAX: Duration = Duration::from_secs(60);

/// The failure that an acknowledged write survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Durability {
    /// A crash of the machine: the write is synced.
    Synced,
    /// A crash of the process: the write is handed to the operating system, or will be soon.
    Written,
    /// None: the write is in memory.
    Memory,
}

impl Durability {
    /// The name in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Durability::Synced => "synced",
            Durability::Written => "on disk, not synced",
            Durability::Memory => "in memory",
        }
    }
}

/// A server that can be measured.
#[derive(Debug, Clone)]
pub(crate) struct Contender {
    pub(crate) program: Program,
    pub(crate) name: String,
    pub(crate) durability: Durability,
    /// The address of a server that the user started.
    pub(crate) address: Option<SocketAddr>,
    /// Megabytes of Keyfold's budget of memory, unless its default.
    pub(crate) memory_budget: Option<u32>,
}

/// A running server. Dropping it ends the process and removes its data.
pub(crate) struct Running {
    child: Option<Child>,
    pub(crate) address: SocketAddr,
    folder: tempfile::TempDir,
}

impl Contender {
    /// All servers that this command can start, in the order of reports.
    pub(crate) fn all() -> Vec<Contender> {
        let one = |program, name: &str, durability| Contender {
            program,
            name: name.to_owned(),
            durability,
            address: None,
            memory_budget: None,
        };
        vec![
            one(Program::Ceiling, "ceiling", Durability::Memory),
            one(Program::Keyfold, "keyfold", Durability::Synced),
            one(Program::Dynoxide, "dynoxide", Durability::Synced),
            one(Program::Redis, "redis", Durability::Synced),
            one(Program::Keyfold, "keyfold", Durability::Written),
            one(Program::Dynalite, "dynalite", Durability::Written),
            one(Program::Keyfold, "keyfold", Durability::Memory),
            one(Program::Dynoxide, "dynoxide", Durability::Memory),
            one(Program::Dynalite, "dynalite", Durability::Memory),
            one(Program::Moto, "moto", Durability::Memory),
            one(Program::Redis, "redis", Durability::Memory),
        ]
    }

    /// A server that the user started, from `NAME=http://HOST:PORT`.
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
            durability: Durability::Written,
            address: Some(address),
            memory_budget: None,
        })
    }

    /// The protocol that the server speaks.
    pub(crate) fn protocol(&self) -> Protocol {
        if self.program == Program::Redis {
            Protocol::Redis
        } else {
            Protocol::Http
        }
    }

    /// The name in reports, with the durability.
    pub(crate) fn title(&self) -> String {
        match self.program {
            Program::Ceiling | Program::Endpoint => self.name.clone(),
            Program::Keyfold
            | Program::Redis
            | Program::Dynoxide
            | Program::Dynalite
            | Program::Moto => format!("{}, {}", self.name, self.durability.name()),
        }
    }

    /// Whether the name in reports contains one of these texts; of no text each server does.
    pub(crate) fn is_among(&self, only: &[String]) -> bool {
        let title = self.title();
        only.is_empty() || only.iter().any(|text| title.contains(text.as_str()))
    }

    /// Starts the server over an empty folder. `answer_bytes` is the length of the ceiling's
    /// answers.
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
        let prints_address = matches!(self.program, Program::Keyfold | Program::Ceiling);
        command.stdin(Stdio::null()).stderr(Stdio::null());
        command.stdout(if prints_address {
            Stdio::piped()
        } else {
            Stdio::null()
        });
        let mut child = command.spawn()?;
        let stdout = child.stdout.take();
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let mut running = Running {
            child: Some(child),
            address,
            folder,
        };
        if let Some(stdout) = stdout {
            running.address = process::printed_address(stdout)?;
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
        let (durability, data_text) = (self.durability, data.display().to_string());
        let mut command;
        match self.program {
            Program::Keyfold => {
                command = process::keyfold()?;
                command.args(["serve", "--port", "0", "--json"]);
                command.args(
                    self.memory_budget
                        .map(|megabytes| format!("--memory-budget={megabytes}")),
                );
                match durability {
                    Durability::Memory => command.arg("--memory"),
                    Durability::Synced => command.args(["--data", &data_text]),
                    Durability::Written => {
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
                if durability == Durability::Synced {
                    command.args(["--appendonly", "yes", "--appendfsync", "always"]);
                }
            }
            Program::Dynoxide => {
                std::fs::create_dir_all(data)?;
                command = Command::new(install::dynoxide(tools));
                command.args(["--port", &port]);
                if durability == Durability::Synced {
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
                if durability == Durability::Written {
                    command.args(["--path", &data_text]);
                }
            }
            Program::Moto => {
                command = Command::new(install::moto(tools));
                command.args(["-p", &port]);
            }
            Program::Endpoint => {
                return Err(io::Error::other("the user's server is not started here"));
            }
        }
        Ok(command)
    }
}

fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
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

    /// Suspends the process, if this program started it.
    pub(crate) fn pause(&self) {
        self.signal(Signal::Stop);
    }

    /// Resumes the process after [`Running::pause`].
    pub(crate) fn resume(&self) {
        self.signal(Signal::Continue);
    }

    fn signal(&self, signal: Signal) {
        if let Some(child) = &self.child {
            // If the process has ended, the next request reports it.
            drop(process::send(signal, child));
        }
    }

    /// The memory that the server holds now, in bytes.
    pub(crate) fn memory_now(&self) -> Option<u64> {
        process::memory(self.child.as_ref()?, Memory::Now).ok()
    }

    /// The most memory that the server has held, in bytes.
    pub(crate) fn memory(&self) -> Option<u64> {
        process::memory(self.child.as_ref()?, Memory::Peak).ok()
    }

    /// The processor time that the server has used, in microseconds.
    pub(crate) fn cpu(&self) -> Option<u64> {
        process::cpu(self.child.as_ref()?)
    }

    /// The bytes that the server has given to the device.
    pub(crate) fn written(&self) -> Option<u64> {
        process::written(self.child.as_ref()?)
    }

    /// The bytes of the server's files.
    pub(crate) fn disk(&self) -> u64 {
        process::bytes_below(self.folder.path())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            // A process that has ended already is no error.
            drop(child.kill());
            drop(child.wait());
        }
    }
}
