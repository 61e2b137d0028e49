//! Options that make a server behave as the cloud where that is less pleasant: throttling, late
//! indexes, latency.

use clap::{Args, ValueEnum};
use keyfold_engine::{EngineOptions, IndexLag};
use keyfold_server::{LatencyProfile, ServerConfig};
use std::time::Duration;

#[derive(Debug, Args)]
pub(super) struct Realism {
    /// What happens when a table's capacity is exceeded: it is only counted, or enforced by
    /// refusing with ProvisionedThroughputExceededException or ThrottlingException as the service
    /// does.
    #[arg(long, value_enum, default_value_t = Capacity::Count, value_name = "MODE")]
    capacity: Capacity,
    /// Let global indexes follow their table this much later ("200ms", "2s"), and every second
    /// eventually consistent read miss what was written since.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    gsi_lag: Option<Duration>,
    /// Answer as late as the cloud: `same-region`, `cross-region`, or always the same DURATION
    /// ("25ms").
    #[arg(long, value_name = "PROFILE", value_parser = latency)]
    latency: Option<LatencyProfile>,
    /// The seed of --gsi-lag and --latency: the same requests meet the same chance.
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    seed: u64,
}

/// What becomes of capacity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Capacity {
    /// Count it.
    Count,
    /// Refuse more.
    Enforce,
}

impl Realism {
    /// Tells an engine.
    pub(super) fn of_engine(&self, options: &mut EngineOptions) {
        options.enforce_capacity = self.capacity == Capacity::Enforce;
        options.index_lag = self.gsi_lag.map(|delay| IndexLag {
            delay,
            seed: self.seed,
        });
    }

    /// Tells a server.
    pub(super) fn of_server(&self, config: &mut ServerConfig) {
        config.latency = self.latency.map(|profile| (profile, self.seed));
    }
}

/// No cloud is later than this.
const LONGEST: Duration = Duration::from_secs(3600);

fn duration(text: &str) -> Result<Duration, String> {
    let hint = || "write a duration such as 200ms or 2s".to_owned();
    let parsed: jiff::SignedDuration = text.parse().map_err(|_| hint())?;
    let parsed = Duration::try_from(parsed).map_err(|_| hint())?;
    if parsed > LONGEST {
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
