//! Enforcement of capacity, where the options ask for it: requests above the capacity of a table,
//! an index or a partition key are refused until time has passed.
//!
//! Each table, index and partition key has a token bucket for reads and one for writes. Time fills
//! it up to its size: five minutes of provisioned capacity, otherwise one second. A request is
//! admitted while its bucket is not empty, and may leave it in debt, since its cost is known only
//! when it is done. Source: "Burst and adaptive capacity", "On-demand capacity mode".

use crate::base::bill::Bill;
use crate::table::arn::Part;
use crate::table::{Index, Table, WARM_ON_DEMAND};
use keyfold_api::{BillingMode, Throttling, ThrottlingReason};
use keyfold_codec::key::{IndexId, TableId};
use keyfold_types::CapacityHalves;
use keyfold_types::limits::{PARTITION_READ_UNITS_S, PARTITION_WRITE_UNITS_S};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The size of a bucket of provisioned capacity, in seconds of its rate.
const BURST_S: i64 = 300;
/// Capacity of one partition key.
const PARTITION: (u64, u64) = (PARTITION_READ_UNITS_S, PARTITION_WRITE_UNITS_S);
/// The time after which capacity is twice an earlier peak.
const PEAK_MS: u64 = 30 * 60 * 1000;
/// Buckets above which those of idle partition keys are removed.
const PRUNE_AT: usize = 1 << 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Use {
    Read,
    Write,
}

/// The hash of a partition key inside an encoded key.
pub(crate) type Partition = [u8; 4];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    table: TableId,
    index: IndexId,
    used: Use,
    partition: Option<Partition>,
}

/// The partition in an encoded key, behind table and index.
pub(crate) fn partition_of(key: &[u8]) -> Option<Partition> {
    key.get(5..9)?.try_into().ok()
}

/// The rate at which a bucket is filled, and its size in seconds of the rate.
#[derive(Debug, Clone, Copy)]
struct Rate {
    units_s: u64,
    burst_s: i64,
}

impl Rate {
    /// A rate whose bucket holds the units of one second.
    fn of_a_second(units_s: u64) -> Rate {
        Rate {
            units_s,
            burst_s: 1,
        }
    }
}

/// The level of a bucket in thousandths of half units: half a unit a second adds one in a
/// millisecond.
type Level = i64;

fn level(units: u64, seconds: i64) -> Level {
    i64::try_from(units)
        .unwrap_or(i64::MAX)
        .saturating_mul(2 * 1000)
        .saturating_mul(seconds)
}

#[derive(Debug, Default)]
struct Bucket {
    level: Level,
    filled_epoch_ms: Option<u64>,
    peak: Peak,
}

impl Bucket {
    fn fill(&mut self, rate: Rate, now_ms: u64) {
        let full = level(rate.units_s, rate.burst_s);
        let filled = self.filled_epoch_ms.replace(now_ms);
        self.level = match filled {
            None => full,
            Some(filled) => {
                let elapsed_ms = i64::try_from(now_ms.saturating_sub(filled)).unwrap_or(i64::MAX);
                let gained = level(rate.units_s, 1).saturating_mul(elapsed_ms) / 1000;
                self.level.saturating_add(gained).min(full)
            }
        };
    }
}

/// The peak use in a second, for on-demand tables.
#[derive(Debug, Default)]
struct Peak {
    second: u64,
    used: u64,
    since_epoch_ms: u64,
    /// The peak of the last half hour, and of the time before.
    current: u64,
    previous: u64,
}

impl Peak {
    fn note(&mut self, halves: u64, now_ms: u64) {
        self.roll(now_ms);
        if self.second != now_ms / 1000 {
            self.second = now_ms / 1000;
            self.used = 0;
        }
        self.used += halves;
        self.current = self.current.max(self.used / 2);
    }

    fn roll(&mut self, now_ms: u64) {
        if now_ms.saturating_sub(self.since_epoch_ms) >= PEAK_MS {
            self.since_epoch_ms = now_ms;
            self.previous = self.previous.max(self.current);
            self.current = 0;
        }
    }
}

/// All buckets. They are not stored.
#[derive(Default)]
pub(crate) struct Throttle {
    buckets: Mutex<HashMap<Place, Bucket>>,
}

/// The time of a request, and the full name of its table.
pub(crate) struct Asked {
    pub(crate) now_ms: u64,
    pub(crate) table_arn: String,
}

/// The kind of limit that a request exceeds.
enum Limit {
    Provisioned,
    OnDemand,
    OnDemandMax,
    Partition,
}

impl Limit {
    fn word(&self) -> &'static str {
        match self {
            Limit::Provisioned => "ProvisionedThroughputExceeded",
            Limit::OnDemand | Limit::Partition => "KeyRangeThroughputExceeded",
            Limit::OnDemandMax => "MaxOnDemandThroughputExceeded",
        }
    }
}

fn chosen<T>(used: Use, pair: (T, T)) -> T {
    match used {
        Use::Read => pair.0,
        Use::Write => pair.1,
    }
}

/// The rate of a table or index, from its settings and its peak.
fn rate_of(table: &Table, index: Option<&Index>, used: Use, peak: &Peak) -> (Limit, Rate) {
    let capacity = index.map_or(&table.settings.capacity, |index| &index.capacity);
    if table.settings.capacity.mode == BillingMode::Provisioned {
        return (
            Limit::Provisioned,
            Rate {
                units_s: chosen(used, capacity.units),
                burst_s: BURST_S,
            },
        );
    }
    let base = chosen(used, capacity.warm.unwrap_or(WARM_ON_DEMAND));
    let units_s = base.max(2 * peak.previous);
    match chosen(used, capacity.on_demand_max).filter(|max| *max < units_s) {
        Some(max) => (Limit::OnDemandMax, Rate::of_a_second(max)),
        None => (Limit::OnDemand, Rate::of_a_second(units_s)),
    }
}

/// The use of a table or index, and of a partition key if there is one.
pub(crate) struct Spent<'t> {
    pub(crate) index: Option<&'t Index>,
    pub(crate) partition: Option<Partition>,
    pub(crate) units: CapacityHalves,
}

impl Throttle {
    fn lock(&self) -> MutexGuard<'_, HashMap<Place, Bucket>> {
        self.buckets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The exhausted limits among those of a request; none when it is admitted.
    pub(crate) fn exhausted(
        &self,
        asked: &Asked,
        table: &Table,
        used: Use,
        spent: &[Spent<'_>],
    ) -> Option<Throttling> {
        let now_ms = asked.now_ms;
        let mut buckets = self.lock();
        if buckets.len() > PRUNE_AT {
            let is_idle = |bucket: &Bucket| {
                bucket.level > 0
                    && bucket
                        .filled_epoch_ms
                        .is_none_or(|filled| now_ms > filled + 1000)
            };
            buckets.retain(|place, bucket| place.partition.is_none() || !is_idle(bucket));
        }
        let mut reasons = Vec::new();
        let mut is_index = true;
        for one in spent {
            for partition in [None].into_iter().chain(one.partition.map(Some)) {
                let bucket = buckets
                    .entry(place(table, one.index, used, partition))
                    .or_default();
                bucket.peak.roll(now_ms);
                let (limit, rate) = match partition {
                    None => rate_of(table, one.index, used, &bucket.peak),
                    Some(_) => {
                        let rate = Rate::of_a_second(chosen(used, PARTITION));
                        (Limit::Partition, rate)
                    }
                };
                bucket.fill(rate, now_ms);
                if bucket.level <= 0 {
                    is_index &= one.index.is_some();
                    reasons.push(reason(asked, one.index, used, &limit));
                }
            }
        }
        let is_on_demand = table.settings.capacity.mode == BillingMode::PayPerRequest;
        (!reasons.is_empty()).then_some(Throttling {
            is_on_demand,
            is_index,
            reasons,
        })
    }

    /// Subtracts the cost of a request.
    pub(crate) fn charge(&self, asked: &Asked, table: &Table, used: Use, spent: &[Spent<'_>]) {
        let now_ms = asked.now_ms;
        let mut buckets = self.lock();
        for one in spent {
            for partition in [None].into_iter().chain(one.partition.map(Some)) {
                let bucket = buckets
                    .entry(place(table, one.index, used, partition))
                    .or_default();
                bucket.level -= i64::try_from(one.units.0)
                    .unwrap_or(i64::MAX)
                    .saturating_mul(1000);
                if partition.is_none() {
                    bucket.peak.note(one.units.0, now_ms);
                }
            }
        }
    }

    /// Charges a write, or refuses it.
    ///
    /// # Errors
    /// The exhausted limits.
    pub(crate) fn write(
        &self,
        asked: &Asked,
        table: &Table,
        key: &[u8],
        bill: &Bill,
    ) -> Result<(), Box<Throttling>> {
        // Local indexes use the table's capacity.
        let local = bill
            .local
            .values()
            .fold(CapacityHalves::ZERO, |sum, units| sum + *units);
        let on_table = Spent {
            index: None,
            partition: partition_of(key),
            units: bill.table + local,
        };
        let global = bill.global.iter().filter_map(|(name, units)| {
            let index = table.indexes.iter().find(|index| index.name == *name)?;
            let partition = bill.partitions.get(&index.id).copied();
            Some(Spent {
                index: Some(index),
                partition,
                units: *units,
            })
        });
        let spent: Vec<Spent<'_>> = std::iter::once(on_table).chain(global).collect();
        if let Some(throttling) = self.exhausted(asked, table, Use::Write, &spent) {
            return Err(Box::new(throttling));
        }
        self.charge(asked, table, Use::Write, &spent);
        Ok(())
    }

    /// Charges a write whose condition failed: the cost of writing the existing item.
    ///
    /// # Errors
    /// The exhausted limits.
    pub(crate) fn failed(
        &self,
        asked: &Asked,
        table: &Table,
        key: &[u8],
        before_bytes: u64,
    ) -> Result<(), Box<Throttling>> {
        let bill = Bill {
            table: CapacityHalves::write(before_bytes),
            ..Bill::default()
        };
        self.write(asked, table, key, &bill)
    }
}

fn place(table: &Table, index: Option<&Index>, used: Use, partition: Option<Partition>) -> Place {
    Place {
        table: table.id,
        index: index.map_or(IndexId::BASE, |index| index.id),
        used,
        partition,
    }
}

fn reason(asked: &Asked, index: Option<&Index>, used: Use, limit: &Limit) -> ThrottlingReason {
    let arn = asked.table_arn.as_str();
    let (kind, resource) = match index {
        None => ("Table", arn.to_owned()),
        Some(index) => ("Index", format!("{arn}{}", Part::Index(&index.name))),
    };
    let used = chosen(used, ("Read", "Write"));
    ThrottlingReason {
        reason: format!("{kind}{used}{}", limit.word()),
        resource,
    }
}
