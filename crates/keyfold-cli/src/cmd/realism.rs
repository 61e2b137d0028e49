//! Options that let a server behave as the service in ways that are less convenient: throttling,
//! late indexes, latency.

use clap::{Args, ValueEnum};
use keyfold_engine::{EngineOptions, IndexLag};
use keyfold_server::{LatencyProfile, ServerConfig};
use std::time::Duration;

/// How a server behaves as the service.
#[derive(Debug, Args)]
pub(super) struct Realism {
    /// The treatment of capacity: only count it, or enforce it by refusing requests beyond it with
    /// ProvisionedThroughputExceededException or ThrottlingException as the service does.
    #[arg(long, value_enum, default_value_t = Capacity::Count, value_name = "MODE")]
    capacity: Capacity,
    /// Update global indexes with this delay ("200ms", "2s"), and let every second eventually
    /// consistent read miss the writes since.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    gsi_lag: Option<Duration>,
    /// Delay answers as the service does: `same-region`, `cross-region`, or a constant DURATION
    /// ("25ms").
    #[arg(long, value_name = "PROFILE", value_parser = latency)]
    latency: Option<LatencyProfile>,
    /// The seed of --gsi-lag and --latency: the same requests get the same delays.
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    seed: u64,
}

/// The treatment of capacity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Capacity {
    /// Count it only.
    Count,
    /// Refuse requests beyond it.
    Enforce,
}

impl Realism {
    /// Sets the options of an engine.
    pub(super) fn set_engine(&self, options: &mut EngineOptions) {
        options.enforce_capacity = self.capacity == Capacity::Enforce;
        options.index_lag = self.gsi_lag.map(|delay| IndexLag {
            delay,
            seed: self.seed,
        });
    }

    /// Sets the options of a server.
    pub(super) fn set_server(&self, config: &mut ServerConfig) {
        config.latency = self.latency.map(|profile| (profile, self.seed));
    }
}

/// The longest delay.
const DELAY_MAX: Duration = Duration::from_secs(3600);

fn duration(text: &str) -> Result<Duration, String> {
    let hint = || "write a duration such as 200ms or 2s".to_owned();
    let parsed: jiff::SignedDuration = text.parse().map_err(|_| hint())?;
    let parsed = Duration::try_from(parsed).map_err(|_| hint())?;
    if parsed > DELAY_MAX {
        Err("an hour is the most".to_owned())
    } else {
        Ok(parsed)
    }
}

fn latency(text: &str) -> Result<LatencyProfile, String> {
    match text {
        "same-region" => Ok(LatencyProfile::SameRegion),
        "cross-region" => Ok(LatencyProfile::CrossRegion),
        other => duration(other).map(LatencyProfile::Fixed).map_err(|why| {
            format!("write same-region, cross-region, or a duration such as 25ms ({why})")
        }),
    }
}
