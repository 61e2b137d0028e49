//! The server of all contenders, in a process of its own.

use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_server::{Server, ServerConfig};
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

/// A server that ends with this value.
pub struct Served {
    process: Child,
    endpoint: String,
}

impl Served {
    /// Starts this program as a server.
    pub fn start() -> Result<Served, Box<dyn Error>> {
        let mut command = Command::new(std::env::current_exe()?);
        let mut process = command.arg("serve").stdout(Stdio::piped()).spawn()?;
        let output = process.stdout.take().ok_or("its output is piped")?;
        let mut endpoint = String::new();
        BufReader::new(output).read_line(&mut endpoint)?;
        let endpoint = endpoint.trim().to_owned();
        Ok(Served { process, endpoint })
    }

    pub fn endpoint(&self) -> String {
        self.endpoint.clone()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Serves a database in memory, and prints its address, until it is killed.
pub fn serve() -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let engine = Engine::open(EngineOptions::new(StoreOptions::Memory))?;
        let config = ServerConfig::new("127.0.0.1:0".parse()?);
        let server = Server::bind(Arc::new(engine), config).await?;
        println!("http://{}", server.address());
        std::io::stdout().flush()?;
        server.run(std::future::pending()).await;
        Ok(())
    })
}
