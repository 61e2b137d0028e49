//! A server that keeps its data in a folder, and comes again at its port when it was killed.
#![allow(
    clippy::unwrap_used,
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "shared by test files, each of which uses some of it"
)]

use crate::workplace::server::Server;
use keyfold_client::Backend;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

pub struct Kept {
    server: Option<Server>,
    arguments: Vec<String>,
    pub endpoint: String,
}

fn started(arguments: &[String], port: &str) -> Server {
    let child = Command::new(env!("CARGO_BIN_EXE_keyfold"))
        .args(["serve", "--port", port, "--json"])
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    Server::of(child)
}

impl Kept {
    /// Starts a server of a folder, with further arguments.
    pub fn start(folder: &Path, more: &[&str]) -> Kept {
        let folder = folder.display().to_string();
        let arguments = ["--data", &folder].into_iter().chain(more.iter().copied());
        let arguments: Vec<String> = arguments.map(str::to_owned).collect();
        let server = started(&arguments, "0");
        Kept {
            endpoint: server.endpoint.clone(),
            server: Some(server),
            arguments,
        }
    }

    /// Kills it.
    pub fn kill(&mut self) {
        drop(self.server.take());
    }

    /// Starts it at the same port.
    pub fn again(&mut self) {
        let port = self.endpoint.rsplit(':').next().unwrap();
        self.server = Some(started(&self.arguments, port));
    }

    /// Kills it, and starts it after a time.
    pub fn restart(&mut self, away: Duration) {
        self.kill();
        std::thread::sleep(away);
        self.again();
    }

    /// A client of the server, also when it comes again.
    pub fn backend(&self) -> Backend {
        Backend::endpoint(&self.endpoint, "us-east-1", "local", "local").unwrap()
    }
}
