//! Effects and the checkpoint behind them, in one transaction.
//!
//! Its first action moves the checkpoint. That action fails when another run has the move, and when the
//! checkpoint has moved. So a transaction that is sent twice, late, or by a run that stood still happens
//! once or not at all. When an answer was lost it is sent again, and the stored row shows what happened.

use crate::cancelled::failed;
use crate::crew::{Crew, Patience, Stop};
use crate::rows::Checkpoint;
use crate::world::Place;
use keyfold_api::{TransactWriteItem, TransactWriteItemsInput};
use keyfold_lower::capacity;
use keyfold_stream::world::ask;
use keyfold_types::CapacityHalves;

/// The most actions beside the checkpoint: a transaction has 100.
pub(crate) const ACTIONS_MAX: usize = 99;
/// The most bytes of the items of a transaction, which takes 4 MB with all that is around them.
pub(crate) const BYTES_MAX: u64 = 3_000_000;

/// What became of effects.
#[derive(Debug)]
pub(crate) enum Committed {
    /// They have happened, and this is the checkpoint now.
    Yes(Checkpoint),
    /// They have not: the conditions of these actions failed.
    Refused(Vec<usize>),
    /// They have not: the checkpoint is another than the task thought.
    Moved(Checkpoint),
}

/// Lets effects happen, and moves a checkpoint to the next one.
///
/// # Errors
/// `Lost` when another run has the move; `Failed` when the effects cannot happen; `Asked` when the run
/// is to end, and they have not been sent.
pub(crate) async fn commit(
    crew: &Crew,
    row: &Checkpoint,
    next: Checkpoint,
    effects: &[TransactWriteItem],
) -> Result<Committed, Stop> {
    let mut actions = vec![crew.ledger.advance(row, &next)];
    actions.extend_from_slice(effects);
    let mut patience = Patience::new();
    loop {
        crew.check()?;
        let input = TransactWriteItemsInput {
            transact_items: Some(actions.clone()),
            returns: capacity::requested(),
            ..TransactWriteItemsInput::default()
        };
        let target = crew.at(Place::Target);
        let error = match ask(&target, input).await {
            Ok(output) => {
                let used = output.consumed_capacity.unwrap_or_default();
                wait_for_rate(crew, capacity::total(used)).await;
                return Ok(Committed::Yes(next));
            }
            Err(error) => error,
        };
        let refused = failed(&error);
        match refused.first() {
            Some(0) => return after(crew, next).await,
            Some(_) => {
                let effects = refused.into_iter().map(|at| at - 1);
                return Ok(Committed::Refused(effects.collect()));
            }
            None => crew.wait_out(&mut patience, Place::Target, error).await?,
        }
    }
}

async fn wait_for_rate(crew: &Crew, halves: CapacityHalves) {
    let time = crew.writes.after(crew.world.now(), halves);
    if !time.is_zero() {
        crew.world.pause(time).await;
    }
}

/// What became of effects whose checkpoint is not as the task has seen it.
async fn after(crew: &Crew, next: Checkpoint) -> Result<Committed, Stop> {
    let mut patience = Patience::new();
    let stored = loop {
        crew.check()?;
        let target = crew.at(Place::Target);
        match crew.ledger.checkpoint(&target, &next.part).await {
            Ok(stored) => break stored,
            Err(error) => crew.wait_out(&mut patience, Place::Target, error).await?,
        }
    };
    match stored {
        Some(stored) if stored.fence != next.fence => Err(Stop::Lost),
        None => Err(Stop::Lost),
        Some(stored) if stored == next => Ok(Committed::Yes(stored)),
        Some(stored) => Ok(Committed::Moved(stored)),
    }
}
