//! Pauses a move: takes it from its run, and keeps it.
//!
//! The move gets a fence of its own, and so do all checkpoints, one after the other. Nothing is written
//! for the move from then on, not even by a run that stood still. A run looks once in a while whether it
//! has the move still, and ends; the next run takes the move, and goes on where it was.

use crate::begin::may_go_on;
use crate::guard::KEPT_MS;
use crate::ledger::{Changed, Ledger};
use crate::options::Options;
use crate::rows::RunRow;
use crate::tables::at;
use crate::turn::lost;
use crate::world::{Place, World};
use keyfold_client::ClientError;
use keyfold_stream::described;
use std::time::Duration;

/// Pauses the move of a table, until a run goes on with it. When it returns, nothing of the move writes to
/// the target any more. A move that is paused already stays so.
///
/// # Errors
/// `NotFound` when there is no move; `Refused` when it is ending, or when another process goes on with it
/// at the same time; the backend's otherwise. Then the same call goes on.
pub async fn pause(world: &dyn World, options: &Options) -> Result<RunRow, ClientError> {
    let target = at(world, Place::Target);
    let ledger = Ledger::of(options);
    let table = &options.table;
    let no_move = || no_move(table);
    if described(&target, &options.rows).await?.is_none() {
        return Err(no_move());
    }
    let mine = loop {
        let seen = ledger.run(&target).await?.ok_or_else(no_move)?;
        may_go_on(&seen, table)?;
        seen.turn.is_quiet(table)?;
        if let Some(mine) = ledger.pause(&target, &seen, world.epoch_ms()).await? {
            break mine;
        }
    };
    match hold_rows(world, options, &mine).await? {
        Changed::Yes => Ok(mine),
        Changed::No => Err(ClientError::refused(format!(
            "another process has taken the move of {table} meanwhile: pause it again if it is to stand still"
        ))),
    }
}

/// Takes a move from its run, and keeps it: nothing writes for it when this returns, but for a run that
/// takes it later. `may` says whether its row allows that.
///
/// # Errors
/// As [`pause`]; those of `may`.
pub(crate) async fn hold(
    world: &dyn World,
    options: &Options,
    may: impl Fn(&RunRow) -> Result<(), ClientError>,
) -> Result<RunRow, ClientError> {
    let target = at(world, Place::Target);
    let ledger = Ledger::of(options);
    let mine = loop {
        let seen = ledger
            .run(&target)
            .await?
            .ok_or_else(|| no_move(&options.table))?;
        may_go_on(&seen, &options.table)?;
        may(&seen)?;
        if let Some(mine) = ledger.take(&target, &seen).await? {
            break mine;
        }
    };
    match hold_rows(world, options, &mine).await? {
        Changed::Yes => Ok(mine),
        Changed::No => Err(lost(&options.table)),
    }
}

fn no_move(table: &str) -> ClientError {
    ClientError::not_found(format!("the target knows of no move of the table {table}"))
}

/// Takes all checkpoints for the run that has taken the move, as long as it has it.
async fn hold_rows(
    world: &dyn World,
    options: &Options,
    mine: &RunRow,
) -> Result<Changed, ClientError> {
    let target = at(world, Place::Target);
    let ledger = Ledger::of(options);
    // Runs make no checkpoint from now on, since their fence is another.
    for row in ledger.checkpoints(&target).await? {
        if ledger.take_row(&target, &row.part, mine.fence).await? == Changed::No {
            return Ok(Changed::No);
        }
    }
    Ok(Changed::Yes)
}

/// How long a move may stand still yet: as long as the stream keeps what it has not read. `None` when it
/// follows no changes.
pub fn time_left(run: &RunRow, now_ms: i64) -> Option<Duration> {
    run.stream.as_ref()?;
    let stood_ms = now_ms.saturating_sub(run.seen_ms);
    let left_ms = u64::try_from(KEPT_MS.saturating_sub(stood_ms)).unwrap_or(0);
    Some(Duration::from_millis(left_ms))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::Phase;

    #[test]
    fn a_followed_move_may_stand_still_for_less_than_a_day() {
        let run = RunRow {
            id: 1,
            fence: 1,
            segments: 1,
            stream: Some("arn".to_owned()),
            source: String::new(),
            target: None,
            seen_ms: 1_000,
            phase: Phase::Following,
            paused_ms: None,
            turn: crate::rows::Turn::default(),
            is_back: false,
        };
        let hour = Duration::from_secs(3_600);
        assert_eq!(time_left(&run, 1_000 + 3_600_000), Some(hour * 22));
        assert_eq!(
            time_left(&run, 1_000 + 30 * 3_600_000),
            Some(Duration::ZERO)
        );
        let copied = RunRow {
            stream: None,
            ..run
        };
        assert_eq!(time_left(&copied, 1_000), None);
    }
}
