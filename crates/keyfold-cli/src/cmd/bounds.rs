//! How much memory a server takes at the most, and how patient it is with clients.

use clap::Args;
use clap::value_parser;
use keyfold_engine::FolderOptions;
use keyfold_server::ServerConfig;
use std::time::Duration;

const MEGABYTE: usize = 1024 * 1024;

/// What `serve` holds and waits for at the most. `docs/safety.md` tells what happens beyond.
#[derive(Debug, Args)]
pub(super) struct Bounds {
    /// Megabytes of stored blocks kept in memory for reading.
    #[arg(long, default_value_t = 256, value_name = "MEGABYTES", value_parser = value_parser!(u32).range(1..=1_000_000))]
    cache: u32,
    /// Megabytes for the large request bodies of all clients together, and as many for large answers.
    #[arg(long, default_value_t = 512, value_name = "MEGABYTES", value_parser = value_parser!(u32).range(1..=1_000_000))]
    bodies: u32,
    /// Connections at a time; more wait until one is closed.
    #[arg(long, default_value_t = 10_000, value_name = "NUMBER", value_parser = value_parser!(u32).range(1..))]
    connections: u32,
    /// Seconds that a client may say nothing: between requests, and in the middle of one.
    #[arg(long, default_value_t = 60, value_name = "SECONDS", value_parser = value_parser!(u16).range(1..))]
    receive_timeout: u16,
    /// Seconds that a client may read nothing of its answer.
    #[arg(long, default_value_t = 30, value_name = "SECONDS", value_parser = value_parser!(u16).range(1..))]
    send_timeout: u16,
}

impl Bounds {
    /// Tells a store.
    pub(super) fn of_store(&self, folder: &mut FolderOptions) {
        folder.cache_bytes = (self.cache as usize * MEGABYTE) as u64;
    }

    /// Tells a server.
    pub(super) fn of_server(&self, config: &mut ServerConfig) {
        config.bodies_bytes_max = self.bodies as usize * MEGABYTE;
        config.connections_max = self.connections as usize;
        config.receive_timeout = Duration::from_secs(self.receive_timeout.into());
        config.send_timeout = Duration::from_secs(self.send_timeout.into());
    }
}
