//! A server of the command, for tests that need one.

use keyfold_client::Backend;
use serde_json::Value as Json;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A server in memory; dropping it ends it.
pub struct Server {
    child: Child,
    pub endpoint: String,
}

impl Server {
    /// Starts a server with further arguments.
    pub fn start(arguments: &[&str]) -> Server {
        let child = Command::new(env!("CARGO_BIN_EXE_keyfold"))
            .args(["serve", "--memory", "--port", "0", "--json"])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Server::of(child)
    }

    /// A server that was started with `--json`, when it answers.
    pub fn of(mut child: Child) -> Server {
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let document: Json = serde_json::from_str(&line).unwrap();
        Server {
            child,
            endpoint: document["result"]["endpoint"].as_str().unwrap().to_owned(),
        }
    }

    /// Asks the server to end, and waits until it has.
    #[cfg(unix)]
    pub fn stop(&mut self) {
        let id = self.child.id().to_string();
        Command::new("kill").arg(id).status().unwrap();
        self.child.wait().unwrap();
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// A client of the server with the credentials `local`.
    pub fn backend(&self) -> Backend {
        Backend::endpoint(&self.endpoint, "us-east-1", "local", "local").unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}
