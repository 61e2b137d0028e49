//! Options that let a server behave as the service in ways that are less convenient: throttling,
//! late indexes, latency, streams of several shards.

use clap::{Args, ValueEnum};
use keyfold_engine::{EngineOptions, IndexLag, StreamShards};
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
    /// The open shards of a new stream. With a range ("2..8") a shard is split in two at the end of its
    /// lifetime, until so many are open.
    #[arg(long, default_value = "1", value_name = "NUMBER", value_parser = shards)]
    stream_shards: (u32, u32),
    /// Close a stream's shards after this time ("4h"), as the service does. A child follows each.
    #[arg(long, value_name = "DURATION", value_parser = above_zero)]
    shard_lifetime: Option<Duration>,
    /// The time after which the records of streams are trimmed.
    #[arg(long, default_value = "24h", value_name = "DURATION", value_parser = above_zero)]
    stream_retention: Duration,
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
        options.shards = StreamShards {
            open_min: self.stream_shards.0,
            open_max: self.stream_shards.1,
            lifetime: self.shard_lifetime,
            retention: self.stream_retention,
        };
    }

    /// Sets the options of a server.
    pub(super) fn set_server(&self, config: &mut ServerConfig) {
        config.latency = self.latency.map(|profile| (profile, self.seed));
    }
}

/// The longest delay.
const DELAY_MAX: Duration = Duration::from_secs(3600);
/// The most open shards of a stream.
const SHARDS_MAX: u32 = 1000;

pub(super) fn any_duration(text: &str) -> Result<Duration, String> {
    let hint = || "write a duration such as 200ms or 2s".to_owned();
    let parsed: jiff::SignedDuration = text.parse().map_err(|_| hint())?;
    Duration::try_from(parsed).map_err(|_| hint())
}

fn above_zero(text: &str) -> Result<Duration, String> {
    let parsed = any_duration(text)?;
    if parsed.is_zero() {
        Err("a millisecond is the least".to_owned())
    } else {
        Ok(parsed)
    }
}

/// The open shards of a stream at its beginning, and at the most: `4`, or `2..8`.
fn shards(text: &str) -> Result<(u32, u32), String> {
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    let range = least.parse().ok().zip(most.parse().ok());
    range
        .filter(|(least, most)| {
            (1..=SHARDS_MAX).contains(least) && (*least..=SHARDS_MAX).contains(most)
        })
        .ok_or_else(|| {
            format!("write a number from 1 to {SHARDS_MAX} such as 4, or a range such as 2..8")
        })
}

fn duration(text: &str) -> Result<Duration, String> {
    let parsed = any_duration(text)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_a_number_or_a_range() {
        assert_eq!(shards("4"), Ok((4, 4)));
        assert_eq!(shards("2..8"), Ok((2, 8)));
        for wrong in ["", "0", "8..2", "1001", "2..", "2-8", "a"] {
            assert!(shards(wrong).is_err(), "{wrong}");
        }
        assert!(above_zero("0s").is_err());
        assert_eq!(above_zero("4h"), Ok(Duration::from_secs(4 * 3600)));
    }
}
