//! Another engine with DynamoDB's API, which some applications are tested on: moto, from the packages of
//! the end-to-end tests. What runs there runs by its connection string alone.

use crate::install::python;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The time in which the engine takes connections.
const STARTS_WITHIN: Duration = Duration::from_secs(60);

/// An engine in memory, which ends with this value.
pub(crate) struct Engine {
    process: Child,
    port: u16,
}

impl Engine {
    /// Starts one on a free port of this machine.
    pub(crate) fn start(root: &Path) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("moto_server does not start: {error}");
        let program = python(&root.join("e2e"))?.with_file_name("moto_server");
        let port = TcpListener::bind(("127.0.0.1", 0))
            .and_then(|free| free.local_addr())
            .map_err(failed)?
            .port();
        let process = Command::new(program)
            .args(["-H", "127.0.0.1", "-p", &port.to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let mut engine = Self { process, port };
        engine.wait().map(|()| engine)
    }

    fn wait(&mut self) -> Result<(), String> {
        let until = Instant::now() + STARTS_WITHIN;
        while let Err(error) = TcpStream::connect(("127.0.0.1", self.port)) {
            let is_gone = !matches!(self.process.try_wait(), Ok(None));
            if is_gone || Instant::now() > until {
                return Err(format!("moto_server takes no connection: {error}"));
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(())
    }

    /// Names the engine to a command that tests an application, with keys and a region that it takes.
    pub(crate) fn named_to<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env(
                "EXAMPLE_CONNECTION",
                format!("http://127.0.0.1:{}", self.port),
            )
            .env("AWS_ACCESS_KEY_ID", "local")
            .env("AWS_SECRET_ACCESS_KEY", "local")
            .env("AWS_REGION", "us-east-1")
            .env("AWS_DEFAULT_REGION", "us-east-1")
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // A process that has ended already cannot be ended.
        let _gone = self.process.kill().and_then(|()| self.process.wait());
    }
}
