//! Another engine with DynamoDB's API, which some applications are tested on: moto, from the packages of
//! the end-to-end tests. What runs there runs by its connection string alone.

use crate::install::python;
use crate::running::{address, soon};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The time in which the engine takes connections.
const STARTS_WITHIN: Duration = Duration::from_secs(60);

/// Opens a proxy of the engine that is its argument.
const IN_TURN: &str = "import(process.argv[1]).then(async ({ inTurn }) => console.log((await inTurn(process.argv[2])).address))";

/// An engine in memory, which ends with this value.
pub(crate) struct Engine {
    process: Child,
    port: u16,
    proxy: Option<Proxy>,
}

/// A proxy before an engine.
struct Proxy {
    process: Child,
    address: String,
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
        let mut engine = Self {
            process,
            port,
            proxy: None,
        };
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

    /// Opens a proxy from which the engine gets one request after another: it does not keep transactions of the
    /// same moment apart.
    pub(crate) fn in_turn(mut self, root: &Path) -> Result<Self, String> {
        let module = root.join("examples/web/test/in_turn.mjs");
        let mut node = Command::new("node");
        node.args(["--eval", IN_TURN])
            .arg(module)
            .arg(self.connection())
            .stdout(Stdio::piped());
        let process = node
            .spawn()
            .map_err(|error| format!("cannot run node: {error}"))?;
        // It ends with this value, also where it does not open.
        let proxy = self.proxy.insert(Proxy {
            process,
            address: String::new(),
        });
        let output = proxy.process.stdout.take();
        let output = output.ok_or("the proxy has no output")?;
        proxy.address = soon(move || address(output))?;
        Ok(self)
    }

    /// Its connection string.
    pub(crate) fn connection(&self) -> String {
        match &self.proxy {
            Some(Proxy { address, .. }) => format!("http://{address}"),
            None => format!("http://127.0.0.1:{}", self.port),
        }
    }

    /// Names the engine to a command that tests an application, with keys and a region that it takes.
    pub(crate) fn named_to<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env("EXAMPLE_CONNECTION", self.connection())
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
        if let Some(Proxy { process, .. }) = &mut self.proxy {
            let _gone = process.kill().and_then(|()| process.wait());
        }
    }
}
