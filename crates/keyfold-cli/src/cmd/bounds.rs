//! Limits of a server: memory, connections and timeouts.

use clap::Args;
use clap::value_parser;
use keyfold_engine::FolderOptions;
use keyfold_server::ServerConfig;
use std::time::Duration;

const MEGABYTE: u64 = 1024 * 1024;
/// The least default for the connections of one address.
const OF_ADDRESS_MIN: u32 = 64;

/// The limits of `serve`. `docs/safety.md` describes what happens beyond them.
#[derive(Debug, Args)]
pub(super) struct Bounds {
    /// Megabytes of memory that the server may take: blocks of stored data, new data until it is flushed,
    /// large requests and answers. Tables of --memory come on top.
    #[arg(long, default_value_t = 256, value_name = "MEGABYTES", value_parser = value_parser!(u32).range(32..=1_000_000))]
    memory_budget: u32,
    /// Megabytes of the cache of stored blocks [default: half of the budget].
    #[arg(long, value_name = "MEGABYTES", value_parser = value_parser!(u32).range(1..=1_000_000), conflicts_with = "memory")]
    cache: Option<u32>,
    /// Megabytes for large request bodies of all clients together, and as many for large answers
    /// [default: a quarter of the budget].
    #[arg(long, value_name = "MEGABYTES", value_parser = value_parser!(u32).range(1..=1_000_000))]
    bodies: Option<u32>,
    /// Concurrent connections; further ones wait until one is closed.
    #[arg(long, default_value_t = 10_000, value_name = "NUMBER", value_parser = value_parser!(u32).range(1..))]
    connections: u32,
    /// Concurrent connections of one address (of one /64 network of IPv6); further ones are closed
    /// at once [default: half of --connections, or 64 if that is more].
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u32).range(1..))]
    connections_of_address: Option<u32>,
    /// Seconds that a client may send nothing: between requests, and within one.
    #[arg(long, default_value_t = 60, value_name = "SECONDS", value_parser = value_parser!(u16).range(1..))]
    receive_timeout: u16,
    /// Seconds that a client may receive nothing of its answer.
    #[arg(long, default_value_t = 30, value_name = "SECONDS", value_parser = value_parser!(u16).range(1..))]
    send_timeout: u16,
}

fn bytes(megabytes: u32) -> u64 {
    u64::from(megabytes) * MEGABYTE
}

impl Bounds {
    /// Sets the limits of a store.
    pub(super) fn set_store(&self, folder: &mut FolderOptions) {
        *folder = folder.clone().within(bytes(self.memory_budget));
        if let Some(cache) = self.cache {
            folder.cache_bytes = bytes(cache);
        }
    }

    /// Sets the limits of a server.
    pub(super) fn set_server(&self, config: &mut ServerConfig) {
        let bodies = self.bodies.unwrap_or(self.memory_budget / 4);
        config.bodies_bytes_max = usize::try_from(bytes(bodies)).unwrap_or(usize::MAX);
        config.connections_max = self.connections as usize;
        let of_address = self
            .connections_of_address
            .unwrap_or((self.connections / 2).max(OF_ADDRESS_MIN));
        config.connections_of_address_max = of_address as usize;
        config.receive_timeout = Duration::from_secs(self.receive_timeout.into());
        config.send_timeout = Duration::from_secs(self.send_timeout.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use std::net::SocketAddr;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        bounds: Bounds,
        #[arg(long)]
        memory: bool,
    }

    fn limits(arguments: &[&str]) -> (u64, usize, [usize; 2], Duration, Duration) {
        let line = Line::parse_from(arguments.iter().copied());
        assert!(!line.memory);
        let mut folder = FolderOptions::new("data");
        let mut config = ServerConfig::new(SocketAddr::from(([127, 0, 0, 1], 0)));
        line.bounds.set_store(&mut folder);
        line.bounds.set_server(&mut config);
        numbers(&folder, &config)
    }

    fn numbers(
        folder: &FolderOptions,
        config: &ServerConfig,
    ) -> (u64, usize, [usize; 2], Duration, Duration) {
        let connections = [config.connections_max, config.connections_of_address_max];
        let timeouts = (config.receive_timeout, config.send_timeout);
        (
            folder.cache_bytes,
            config.bodies_bytes_max,
            connections,
            timeouts.0,
            timeouts.1,
        )
    }

    #[test]
    fn each_option_sets_its_limit() {
        let folder = FolderOptions::new("data");
        let config = ServerConfig::new(SocketAddr::from(([127, 0, 0, 1], 0)));
        assert_eq!(limits(&["serve"]), numbers(&folder, &config));
        let line = [
            "serve",
            "--cache=1",
            "--bodies=2",
            "--connections=3",
            "--receive-timeout=4",
            "--send-timeout=5",
        ];
        let seconds = Duration::from_secs;
        assert_eq!(
            limits(&line),
            (1 << 20, 2 << 20, [3, 64], seconds(4), seconds(5))
        );
        assert_eq!(limits(&["serve", "--connections=300"]).2, [300, 150]);
        assert_eq!(
            limits(&["serve", "--connections-of-address=7"]).2,
            [10_000, 7]
        );
        let within = limits(&["serve", "--memory-budget=512"]);
        assert_eq!((within.0, within.1), (256 << 20, 128 << 20));
        let within = limits(&["serve", "--memory-budget=64", "--cache=20", "--bodies=3"]);
        assert_eq!((within.0, within.1), (20 << 20, 3 << 20));
        assert!(Line::try_parse_from(["serve", "--memory-budget=8"]).is_err());
        assert!(Line::try_parse_from(["serve", "--memory", "--cache=1"]).is_err());
        assert!(Line::try_parse_from(["serve", "--connections=0"]).is_err());
    }
}
