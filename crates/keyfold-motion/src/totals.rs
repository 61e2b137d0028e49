//! What a move has done so far, of all its runs: it stands in rows of the target, and so outlives them.
//!
//! What was copied and applied is the sum of the checkpoints, whose counts move in the transactions of the
//! items: it is exact. Units, repeated requests and times are noted by each run in a row of its own, some
//! seconds late, so that a run that was killed has done at least that. The checkpoints are deleted before
//! the move is complete; their sum stands in a row until then.

use crate::crew::Crew;
use crate::ledger::{Changed, Ledger};
use crate::meter::Units;
use crate::options::Options;
use crate::rows::{
    Checkpoint, Counts, FENCE, PART, RunRow, number, segment_prefix, segments_done, spent_part,
    spent_prefix, sum_part, whole,
};
use crate::tables::at;
use crate::world::{Place, World};
use keyfold_client::ClientError;
use keyfold_stream::described;
use keyfold_stream::world::Io;
use keyfold_types::Item;
use std::time::Duration;

const BEGAN: &str = "began";
const COPIED: &str = "copied";
const NOTED: &str = "noted";
const READ: &str = "read";
const RETRIES: &str = "retries";
const THROTTLES: &str = "throttles";
const APPLIED: &str = "applied";
const UNITS: [[&str; 2]; 2] = [["sourceRead", "sourceWrite"], ["targetRead", "targetWrite"]];

/// What a run has consumed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// When it began, milliseconds since 1970.
    pub began_ms: i64,
    /// When it had copied the table; `None` when it did not, or when an earlier run did.
    pub copied_ms: Option<i64>,
    /// When this was noted last.
    pub noted_ms: i64,
    /// The moment up to which it had read the stream then, once the table was copied.
    pub read_ms: Option<i64>,
    /// The units of the source and of the target.
    pub units: [Units; 2],
    /// The requests that failed and were sent again.
    pub retries: u64,
    /// Those of them that were throttled.
    pub throttles: u64,
}

/// What a move has done so far, of all its runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Totals {
    /// The row of the move.
    pub run: RunRow,
    /// The segments that are copied.
    pub segments_done: u32,
    /// The items of the source that were read, and those of them that were put.
    pub copied: Counts,
    /// The records of the source's stream that were read, and the writes that they came to.
    pub applied: Counts,
    /// The same of the target's stream, whose changes are applied to the source while the target leads.
    pub applied_back: Counts,
    /// What each run has consumed at least, the first one first.
    pub runs: Vec<Spent>,
}

impl Totals {
    /// The units of both places, of all runs.
    pub fn units(&self) -> [Units; 2] {
        let mut sum = [Units::default(); 2];
        for run in &self.runs {
            for (sum, one) in sum.iter_mut().zip(run.units) {
                *sum += one;
            }
        }
        sum
    }
}

impl Spent {
    /// How far it was behind the stream when it noted that: the time since the oldest change that it had not
    /// applied, about; `None` while it copied.
    pub fn behind(&self) -> Option<Duration> {
        let behind_ms = self.noted_ms.saturating_sub(self.read_ms?);
        Some(Duration::from_millis(u64::try_from(behind_ms).unwrap_or(0)))
    }

    fn to_item(self, part: &str, fence: u64) -> Item {
        let mut item = Item::from_iter([(PART, part)]);
        item.insert(FENCE, whole(fence));
        item.insert(BEGAN, self.began_ms);
        if let Some(copied_ms) = self.copied_ms {
            item.insert(COPIED, copied_ms);
        }
        item.insert(NOTED, self.noted_ms);
        if let Some(read_ms) = self.read_ms {
            item.insert(READ, read_ms);
        }
        item.insert(RETRIES, whole(self.retries));
        item.insert(THROTTLES, whole(self.throttles));
        for (names, units) in UNITS.iter().zip(self.units) {
            let halves = [units.read_halves, units.write_halves];
            for (name, halves) in names.iter().zip(halves) {
                item.insert(*name, whole(halves));
            }
        }
        item
    }

    /// # Errors
    /// The name of an attribute that is absent or wrong.
    fn of_item(item: &Item) -> Result<Spent, &'static str> {
        let ms = |name| number(item, name).and_then(|ms| i64::try_from(ms).ok());
        let mut units = [Units::default(); 2];
        for (units, [reads, writes]) in units.iter_mut().zip(UNITS) {
            units.read_halves = number(item, reads).ok_or(reads)?;
            units.write_halves = number(item, writes).ok_or(writes)?;
        }
        Ok(Spent {
            began_ms: ms(BEGAN).ok_or(BEGAN)?,
            copied_ms: ms(COPIED),
            noted_ms: ms(NOTED).ok_or(NOTED)?,
            read_ms: ms(READ),
            units,
            retries: number(item, RETRIES).ok_or(RETRIES)?,
            throttles: number(item, THROTTLES).ok_or(THROTTLES)?,
        })
    }
}

/// What a run notes of itself.
pub(crate) struct Spending {
    began_ms: i64,
    pub(crate) copied_ms: Option<i64>,
}

impl Spending {
    pub(crate) fn begun(world: &dyn World) -> Spending {
        Spending {
            began_ms: world.epoch_ms(),
            copied_ms: None,
        }
    }

    /// Notes what the run has consumed, as long as it has the move. A failure is left to the tasks, which
    /// meet it, too.
    pub(crate) async fn note(&self, crew: &Crew) {
        if crew.options.look_time.is_none() {
            return;
        }
        let figures = crew.progress.figures();
        let spent = Spent {
            began_ms: self.began_ms,
            copied_ms: self.copied_ms,
            noted_ms: crew.world.epoch_ms(),
            read_ms: figures.read_ms.and_then(|ms| i64::try_from(ms).ok()),
            units: figures.units,
            retries: figures.troubles,
            throttles: figures.throttles,
        };
        let fence = crew.run.fence;
        let row = spent.to_item(&spent_part(&crew.options.table, fence), fence);
        let target = crew.at(Place::Target);
        crew.ledger.put_as_mine(&target, fence, row).await.ok();
    }
}

/// Keeps the sum of the checkpoints, before they are deleted. A sum that stands was made of all of them.
///
/// # Errors
/// The backend's.
pub(crate) async fn keep_sum(
    io: &dyn Io,
    ledger: &Ledger,
    fence: u64,
) -> Result<Changed, ClientError> {
    if sum(io, ledger).await?.is_some() {
        return Ok(Changed::Yes);
    }
    let [copied, applied] = sums(&ledger.table, &ledger.checkpoints(io).await?);
    let mut row = Item::from_iter([(PART, sum_part(&ledger.table))]);
    row.insert(FENCE, whole(fence));
    row.insert(COPIED, copied.to_value());
    row.insert(APPLIED, applied.to_value());
    ledger.put_as_mine(io, fence, row).await
}

/// The sum that was kept.
async fn sum(io: &dyn Io, ledger: &Ledger) -> Result<Option<[Counts; 2]>, ClientError> {
    let Some(row) = ledger.get(io, &sum_part(&ledger.table)).await? else {
        return Ok(None);
    };
    let counts = |name| row.get(name).and_then(Counts::of);
    let both = counts(COPIED).zip(counts(APPLIED));
    Ok(both.map(|(copied, applied)| [copied, applied]))
}

/// What the checkpoints of segments count, and those of shards.
fn sums(table: &str, rows: &[Checkpoint]) -> [Counts; 2] {
    let prefix = segment_prefix(table);
    let (segments, shards): (Vec<_>, Vec<_>) =
        rows.iter().partition(|row| row.part.starts_with(&prefix));
    [segments, shards].map(|rows| rows.into_iter().map(|row| row.counts).sum())
}

/// What the runs of a direction have consumed.
async fn runs_of(io: &dyn Io, ledger: &Ledger) -> Result<Vec<Spent>, ClientError> {
    let mut runs = Vec::new();
    for row in ledger.all(io, &spent_prefix(&ledger.table)).await? {
        let run = Spent::of_item(&row);
        runs.push(run.map_err(|name| ledger.foreign(&ledger.table, name))?);
    }
    Ok(runs)
}

/// What the move of a table has done so far; `None` when there is none. Of a move that was switched, the
/// source is asked, too.
///
/// # Errors
/// The backend's; `Refused` when a row is none of this crate.
pub async fn totals(world: &dyn World, options: &Options) -> Result<Option<Totals>, ClientError> {
    let target = at(world, Place::Target);
    if described(&target, &options.rows).await?.is_none() {
        return Ok(None);
    }
    let ledger = Ledger::of(options);
    let Some(run) = ledger.run(&target).await? else {
        return Ok(None);
    };
    let rows = ledger.checkpoints(&target).await?;
    let kept = sum(&target, &ledger).await?;
    let [copied, applied] = kept.unwrap_or_else(|| sums(&options.table, &rows));
    let mut runs = runs_of(&target, &ledger).await?;
    let mut applied_back = Counts::default();
    if run.turn.has_begun() {
        let source = at(world, Place::Source);
        if described(&source, &options.rows).await?.is_some() {
            [_, applied_back] = sums(&options.table, &ledger.checkpoints(&source).await?);
            // In the terms of these runs, the target is the source.
            let back = runs_of(&source, &ledger).await?;
            runs.extend(back.into_iter().map(|run| {
                let [of_target, of_source] = run.units;
                Spent {
                    units: [of_source, of_target],
                    ..run
                }
            }));
        }
    }
    runs.sort_unstable_by_key(|run| (run.began_ms, run.noted_ms));
    Ok(Some(Totals {
        segments_done: segments_done(&rows),
        run,
        copied,
        applied,
        applied_back,
        runs,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_read_back() {
        let units = Units {
            read_halves: 1,
            write_halves: 2,
        };
        let spent = Spent {
            began_ms: 3,
            copied_ms: Some(4),
            noted_ms: 5,
            read_ms: Some(8),
            units: [units, units + units],
            retries: 6,
            throttles: 7,
        };
        assert_eq!(Spent::of_item(&spent.to_item("T spent 1", 1)), Ok(spent));
        let absent = Item::from_iter([(PART, "T spent 1")]);
        assert_eq!(Spent::of_item(&absent), Err("sourceRead"));
    }
}
