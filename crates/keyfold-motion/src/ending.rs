//! The two ways out of a move, and what the target knows of it.

use crate::begin::{MADE_BY, is_made_by};
use crate::indexes;
use crate::ledger::{Changed, Ledger};
use crate::options::Options;
use crate::rows::{Phase, RunRow, segments_done};
use crate::switch::{Sides, forget_turns};
use crate::tables::{ACTIVE_PAUSE, ACTIVE_TRIES, Found, active, at, delete, is_absent, set_expiry};
use crate::totals::keep_sum;
use crate::world::{Place, World};
use keyfold_api::{ErrorKind, TableStatus, UntagResourceInput, UpdateTableInput, known};
use keyfold_client::ClientError;
use keyfold_stream::described;
use keyfold_stream::world::ask;

/// A move, as the target knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// Its row.
    pub run: RunRow,
    /// The segments that are copied.
    pub segments_done: u32,
}

/// The move of a table; `None` when there is none.
///
/// # Errors
/// The backend's.
pub async fn status(world: &dyn World, options: &Options) -> Result<Option<Status>, ClientError> {
    let target = at(world, Place::Target);
    if described(&target, &options.rows).await?.is_none() {
        return Ok(None);
    }
    let ledger = Ledger::of(options);
    let Some(run) = ledger.run(&target).await? else {
        return Ok(None);
    };
    let rows = ledger.checkpoints(&target).await?;
    Ok(Some(Status {
        segments_done: segments_done(&rows),
        run,
    }))
}

/// What became of the target's table when its move was aborted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aborted {
    /// It was deleted, or was not there.
    Deleted,
    /// The move has not made it: it is as it was.
    Kept,
}

/// A move of a table, or `Refused` where one of its rows is none of this crate.
pub type Listed = (String, Result<Status, ClientError>);

/// All moves of a table of rows, by their tables. One that has an odd row hides no other.
///
/// # Errors
/// The backend's.
pub async fn moves(world: &dyn World, rows: &str) -> Result<Vec<Listed>, ClientError> {
    let target = at(world, Place::Target);
    if described(&target, rows).await?.is_none() {
        return Ok(Vec::new());
    }
    let ledger = Ledger {
        rows: rows.to_owned(),
        table: String::new(),
    };
    let mut moves = Vec::new();
    for table in ledger.tables(&target).await? {
        let options = Options {
            rows: rows.to_owned(),
            ..Options::new(&table)
        };
        match status(world, &options).await {
            Ok(Some(status)) => moves.push((table, Ok(status))),
            Ok(None) => {}
            Err(error @ ClientError::Refused(_)) => moves.push((table, Err(error))),
            // A place that does not answer says nothing of the others either.
            Err(error) => return Err(error),
        }
    }
    Ok(moves)
}

/// Aborts the move of a table: deletes it from the target if the move has made it, with all that the
/// move has noted, also in the source if the move was switched. A run that is under way stops, and changes
/// nothing any more. The source is as it was.
///
/// # Errors
/// `NotFound` when there is no move; the backend's otherwise. Then the same call goes on.
pub async fn abort(world: &dyn World, options: &Options) -> Result<Aborted, ClientError> {
    let target = at(world, Place::Target);
    if take_out(world, options, Phase::Aborting).await? == Phase::Completing {
        return Err(ClientError::refused(format!(
            "the move of {} is being completed: complete it again to end that",
            options.table
        )));
    }
    // Nothing notes another table from now on.
    let Some(row) = Ledger::of(options).run(&target).await? else {
        return Err(no_move(&options.table));
    };
    if row.turn.has_begun() {
        forget_turns(world, options, (row.id, Sides::AsTheyAre)).await?;
    }
    let aborted = delete_made(world, options, &row).await?;
    end(world, options).await?;
    Ok(aborted)
}

/// Refuses to abort a move whose target programs write to.
///
/// # Errors
/// `Refused`.
pub fn may_abort(run: &RunRow, table: &str) -> Result<(), ClientError> {
    may_end(run, table)?;
    match run.turn.lead {
        Place::Source => Ok(()),
        Place::Target => Err(ClientError::refused(format!(
            "programs write to the table {table} of the target, which an abort would delete: \
             `keyfold move reverse` lets them write to the source again"
        ))),
    }
}

/// Refuses to end a move that is being switched, or that is the way back of one.
fn may_end(run: &RunRow, table: &str) -> Result<(), ClientError> {
    run.is_forth(table)?;
    run.turn.is_quiet(table)
}

/// Deletes the table that a move has made, and waits until it is gone.
async fn delete_made(
    world: &dyn World,
    options: &Options,
    row: &RunRow,
) -> Result<Aborted, ClientError> {
    let target = at(world, Place::Target);
    for _ in 0..ACTIVE_TRIES {
        let Some(existing) = described(&target, &options.table).await? else {
            return Ok(Aborted::Deleted);
        };
        if !is_made_by(&target, row, &existing).await? {
            return Ok(Aborted::Kept);
        }
        if known(&existing.table_status) != Some(TableStatus::Deleting) {
            match delete(&target, &options.table).await {
                Ok(_) => continue,
                // It is being made, or changed: later.
                Err(error) if error.kind() == Some(ErrorKind::ResourceInUse) => {}
                Err(error) => return Err(error),
            }
        }
        world.pause(ACTIVE_PAUSE).await;
    }
    Err(ClientError::refused(format!(
        "the table {} of the target is not deleted yet: the same command goes on",
        options.table
    )))
}

/// Takes the move from its run for good, when it may go to a phase, and returns the phase before. Without
/// its checkpoints a run writes nothing, and it makes none, since its fence is another.
async fn take_out(world: &dyn World, options: &Options, to: Phase) -> Result<Phase, ClientError> {
    let target = at(world, Place::Target);
    let ledger = Ledger::of(options);
    loop {
        let Some(status) = status(world, options).await? else {
            return Err(no_move(&options.table));
        };
        // Each time: a switch changes the fence, and so it is not taken as it was.
        match to {
            Phase::Aborting => may_abort(&status.run, &options.table)?,
            Phase::Copying | Phase::Following | Phase::Completing => {
                may_end(&status.run, &options.table)?;
            }
        }
        let before = status.run.phase;
        let may_go = match (before, to) {
            (Phase::Copying | Phase::Following | Phase::Aborting, Phase::Aborting) => true,
            (Phase::Following | Phase::Completing, Phase::Completing) => true,
            (
                Phase::Copying | Phase::Following | Phase::Aborting | Phase::Completing,
                Phase::Copying | Phase::Following | Phase::Aborting | Phase::Completing,
            ) => false,
        };
        if !may_go {
            return Ok(before);
        }
        let Some(mine) = ledger.take(&target, &status.run).await? else {
            continue;
        };
        let now = (mine.seen_ms, to);
        if ledger.note(&target, &mine, now).await? == Changed::Yes {
            if to == Phase::Completing
                && keep_sum(&target, &ledger, mine.fence).await? == Changed::No
            {
                continue;
            }
            ledger.forget_checkpoints(&target).await?;
            return Ok(before);
        }
    }
}

fn no_move(table: &str) -> ClientError {
    ClientError::not_found(format!("the target knows of no move of the table {table}"))
}

/// Refuses to complete the move of a table in a phase in which it cannot be.
///
/// # Errors
/// `Refused`, while the table is copied and when the move is being aborted.
pub fn may_complete(table: &str, phase: Phase) -> Result<(), ClientError> {
    let refused = |why: &str| {
        let why = format!("the move of {table} cannot be completed: {why}");
        Err(ClientError::refused(why))
    };
    match phase {
        Phase::Copying => refused("its table is not copied yet"),
        Phase::Aborting => refused("it is being aborted; abort it again to end that"),
        Phase::Following | Phase::Completing => Ok(()),
    }
}

/// Completes the move of a table: the target's table gets the settings that waited, and what the move
/// has noted is deleted.
///
/// # Errors
/// `NotFound` when there is no move; `Refused` when the table is not copied; the backend's otherwise.
/// Then the same call goes on.
pub async fn complete(
    world: &dyn World,
    options: &Options,
    found: &Found,
) -> Result<(), ClientError> {
    let target = at(world, Place::Target);
    check_indexes(world, options, found).await?;
    let phase = take_out(world, options, Phase::Completing).await?;
    may_complete(&options.table, phase)?;
    set_expiry(&target, found).await?;
    if found.description.deletion_protection_enabled == Some(true) {
        let input = UpdateTableInput {
            table_name: Some(options.table.clone()),
            deletion_protection_enabled: Some(true),
            ..UpdateTableInput::default()
        };
        ask(&target, input).await?;
        active(world, Place::Target, &options.table).await?;
    }
    untag(world, options).await?;
    let row = Ledger::of(options).run(&target).await?;
    if let Some(row) = row.filter(|row| row.turn.has_begun()) {
        forget_turns(world, options, (row.id, Sides::Open)).await?;
    }
    end(world, options).await
}

/// Looks whether the target has the indexes of the source, unless programs write to it already.
async fn check_indexes(
    world: &dyn World,
    options: &Options,
    found: &Found,
) -> Result<(), ClientError> {
    let target = at(world, Place::Target);
    let Some(own) = described(&target, &options.table).await? else {
        return Ok(());
    };
    match status(world, options).await? {
        Some(Status { run, .. })
            if run.turn.lead == Place::Source && run.phase == Phase::Following =>
        {
            indexes::check(&found.description, (&own, Place::Target), &options.table)
        }
        Some(_) | None => Ok(()),
    }
}

/// Removes the tag of the move from the target's table.
async fn untag(world: &dyn World, options: &Options) -> Result<(), ClientError> {
    let target = at(world, Place::Target);
    let found = described(&target, &options.table).await?;
    let Some(arn) = found.and_then(|found| found.table_arn) else {
        return Ok(());
    };
    let input = UntagResourceInput {
        resource_arn: Some(arn),
        tag_keys: Some(vec![MADE_BY.to_owned()]),
    };
    match ask(&target, input).await {
        Ok(()) => Ok(()),
        Err(error) if is_absent(&error) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Deletes the rows of a move, and their table when it has no others.
async fn end(world: &dyn World, options: &Options) -> Result<(), ClientError> {
    let target = at(world, Place::Target);
    let ledger = Ledger::of(options);
    if let Some(run) = ledger.run(&target).await? {
        ledger.forget(&target, &run).await?;
    }
    forget_ledger(world, options).await.map(|_| ())
}

/// Deletes the table of rows when it has none, and returns whether it was there. It stays when a move
/// was ended by a command that was killed before its last request.
///
/// # Errors
/// The backend's.
pub async fn forget_ledger(world: &dyn World, options: &Options) -> Result<bool, ClientError> {
    let target = at(world, Place::Target);
    let ledger = Ledger::of(options);
    if described(&target, &options.rows).await?.is_none() || !ledger.is_empty(&target).await? {
        return Ok(false);
    }
    delete(&target, &options.rows).await
}
