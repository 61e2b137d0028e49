//! The rows that a run holds: it takes checkpoints, makes those that are absent, and notes how far the
//! move is.

use crate::crew::{Crew, Patience, Stop};
use crate::guard::check_kept;
use crate::ledger::Changed;
use crate::rows::{Checkpoint, Phase};
use crate::world::Place;
use keyfold_client::ClientError;
use std::sync::atomic::Ordering;

/// The checkpoint of a part, taken by this run; it is made if it is absent.
pub(crate) async fn create(crew: &Crew, wanted: Checkpoint) -> Result<Checkpoint, Stop> {
    let mine = crew.run.fence;
    let mut patience = Patience::new();
    loop {
        crew.check()?;
        let error = match create_once(crew, &wanted).await {
            Ok(Some(row)) if row.fence == mine => return Ok(row),
            // Neither taken nor made: the row of the move has another fence.
            Ok(Some(_) | None) => return Err(Stop::Lost),
            Err(error) => error,
        };
        crew.wait_out(&mut patience, Place::Target, error).await?;
    }
}

async fn create_once(crew: &Crew, wanted: &Checkpoint) -> Result<Option<Checkpoint>, ClientError> {
    let target = crew.at(Place::Target);
    let mine = crew.run.fence;
    let wanted = Checkpoint {
        fence: mine,
        ..wanted.clone()
    };
    let ledger = &crew.ledger;
    if ledger.take_row(&target, &wanted.part, mine).await? == Changed::No {
        ledger.create(&target, &wanted).await?;
    }
    crew.ledger.checkpoint(&target, &wanted.part).await
}

/// Notes how far the move is, and that no change was missed up to now.
pub(crate) async fn note(crew: &Crew) -> Result<Changed, Stop> {
    let phase = match crew.is_past_copy.load(Ordering::SeqCst) {
        true => Phase::Following,
        false => Phase::Copying,
    };
    let now_ms = crew.world.epoch_ms();
    check_kept(crew)?;
    let mut patience = Patience::new();
    loop {
        crew.check()?;
        let target = crew.at(Place::Target);
        let now = (now_ms, phase);
        match crew.ledger.note(&target, &crew.run, now).await {
            Ok(changed) => {
                crew.noted_ms.fetch_max(now_ms, Ordering::SeqCst);
                return Ok(changed);
            }
            Err(error) => crew.wait_out(&mut patience, Place::Target, error).await?,
        }
    }
}
