//! A run of a move: it takes the move, starts its tasks, and ends the copy.
//!
//! ```text
//! take the move and its rows ─┬─ copy segment 0 ─┐
//!                             ├─ copy segment 1 ─┴─ all copied: forget tombstones
//!                             └─ follow the stream ──────────────────────────────── even
//! ```
//!
//! The move is begun, and its table made, before ([`crate::begin`]). What a run has written when it ends,
//! whatever the reason, is where the next one goes on.

use crate::begin::may_go_on;
use crate::copy::copy;
use crate::crew::{Crew, Patience, Stop};
use crate::follow::follow;
use crate::guard::{KEPT_MS, check_tables};
use crate::held::{create, note};
use crate::ledger::{Changed, Ledger};
use crate::options::Options;
use crate::progress::Progress;
use crate::rows::{Checkpoint, Counts, Mark, Phase, RunRow, segment_part};
use crate::totals::Spending;
use crate::turn::lost;
use crate::world::{At, Place, World};
use keyfold_client::ClientError;
use keyfold_types::KeySchema;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The looks whether the run has the move still, of which each last one notes what it has consumed.
const LOOKS_A_NOTE: u32 = 15;

/// How a run ended without an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It was to stop. The next run goes on where it was.
    Stopped,
    /// The move was paused. The next run goes on where it was.
    Paused,
    /// The table is copied, and no change of the source is left.
    Even,
}

/// Carries a move on that [`crate::prepare`] has begun: takes it from the run that has it.
///
/// # Errors
/// The backend's; `Refused` when another run takes the move, or when changes of the source are lost.
pub async fn carry_on(
    world: Arc<dyn World>,
    options: Options,
    (schema, stream): (KeySchema, Option<String>),
    progress: Arc<Progress>,
) -> Result<Ended, ClientError> {
    let table = options.table.clone();
    let (place, ledger) = (Arc::clone(&world), Ledger::of(&options));
    let ended = carried(world, options, (schema, stream), Arc::clone(&progress)).await;
    if ended.is_err() {
        progress.set_even(None);
    }
    match ended {
        Ok(ended) => Ok(ended),
        Err(Stop::Asked) => Ok(Ended::Stopped),
        Err(Stop::Failed(error)) => Err(error),
        Err(Stop::Lost) => match row_of(&*place, &ledger).await {
            Some(row) if row.paused_ms.is_some() => Ok(Ended::Paused),
            Some(_) | None => Err(lost(&table)),
        },
    }
}

/// The row of a move that the run has lost; `None` when it is gone, or is not to be had now.
async fn row_of(world: &dyn World, ledger: &Ledger) -> Option<RunRow> {
    let place = Place::Target;
    ledger.run(&At { world, place }).await.ok().flatten()
}

async fn carried(
    world: Arc<dyn World>,
    options: Options,
    (schema, stream): (KeySchema, Option<String>),
    progress: Arc<Progress>,
) -> Result<Ended, Stop> {
    let ledger = Ledger::of(&options);
    let run = take_patiently(&*world, (&ledger, &options), stream, &progress).await?;
    let crew = Crew::new((world, options), (ledger, run), schema, progress);
    let crew = Arc::new(crew);
    let mut spending = Spending::begun(&*crew.world);
    let ended = watched(&crew, &mut spending).await;
    // The other tasks see it, too.
    crew.progress.stop();
    spending.note(&crew).await;
    match ended {
        Err(Stop::Asked) => Err(crew.take_end().unwrap_or(Stop::Asked)),
        ended => ended,
    }
}

/// Starts the tasks, and waits until one of them ends the run or all is done.
async fn watched(crew: &Arc<Crew>, spending: &mut Spending) -> Result<Ended, Stop> {
    let began = crew.world.now();
    let rows = take_rows(crew).await?;
    begin(crew, rows);
    // A run that is killed soon counts, too.
    spending.note(crew).await;
    let (mut looked, mut looks) = (crew.world.now(), 0);
    loop {
        crew.check()?;
        if crew.is_copying() && crew.progress.is_copied() {
            crew.is_copying.store(false, Ordering::SeqCst);
            end_copy(crew).await?;
            spending.copied_ms = Some(crew.world.epoch_ms());
            spending.note(crew).await;
        }
        let now = crew.world.now();
        match (&crew.run.stream, crew.is_copying()) {
            (_, true) => {}
            (None, false) => {
                check_tables(crew, now.saturating_sub(began)).await?;
                crew.progress.set_even(Some(now));
                return Ok(Ended::Even);
            }
            (Some(_), false) if crew.options.until_near && crew.progress.is_near() => {
                return Ok(Ended::Even);
            }
            (Some(_), false) if !crew.options.until_even => {}
            (Some(_), false) if crew.progress.is_at_goal() => return Ok(Ended::Even),
            // A switch wants the last records, too.
            (Some(_), false) if crew.progress.is_past_goal() && !crew.options.is_turning => {
                return Ok(Ended::Even);
            }
            (Some(_), false) if crew.progress.goal().is_none() => crew.progress.set_goal(now),
            (Some(_), false) => {}
        }
        let look_time = crew.options.look_time.unwrap_or(Duration::MAX);
        if now.saturating_sub(looked) >= look_time {
            looked = now;
            check_mine(crew).await?;
            looks += 1;
            if is_note_due(looks) {
                spending.note(crew).await;
            }
        }
        crew.world.pause(crew.options.step_time).await;
    }
}

/// Whether a run notes what it has consumed at a look: often at first, later at each fifteenth.
fn is_note_due(looks: u32) -> bool {
    looks.is_multiple_of(LOOKS_A_NOTE) || (looks < LOOKS_A_NOTE && looks.is_power_of_two())
}

/// Whether the run has the move still. A run that writes nothing would not notice that it was paused.
async fn check_mine(crew: &Crew) -> Result<(), Stop> {
    let target = crew.at(Place::Target);
    match crew.ledger.run(&target).await {
        Ok(Some(row)) if row.fence == crew.run.fence => Ok(()),
        Ok(Some(_) | None) => Err(Stop::Lost),
        // The next look may be answered; the writes of the tasks say what is wrong.
        Err(_) => Ok(()),
    }
}

/// Takes the move for this run, and waits out what passes.
async fn take_patiently(
    world: &dyn World,
    (ledger, options): (&Ledger, &Options),
    stream: Option<String>,
    progress: &Progress,
) -> Result<RunRow, Stop> {
    let mut patience = Patience::new();
    loop {
        let error = match take(world, ledger, options, stream.clone()).await {
            Ok(run) => return Ok(run),
            Err(Stop::Failed(error)) => error,
            Err(stop) => return Err(stop),
        };
        let Some(pause) = patience.after(&error, world.random()) else {
            return Err(Stop::Failed(error));
        };
        if progress.is_stopping() {
            return Err(Stop::Asked);
        }
        progress.troubled(Place::Target, &error);
        world.pause(pause).await;
    }
}

/// Takes the move for this run.
async fn take(
    world: &dyn World,
    ledger: &Ledger,
    options: &Options,
    stream: Option<String>,
) -> Result<RunRow, Stop> {
    let target = At {
        world,
        place: Place::Target,
    };
    let now_ms = world.epoch_ms();
    loop {
        let Some(seen) = ledger.run(&target).await? else {
            let why = format!("the move of {} was aborted meanwhile", options.table);
            return Err(Stop::Failed(ClientError::refused(why)));
        };
        if seen.target.is_none() {
            let why = format!("the move of {} has no table yet", options.table);
            return Err(Stop::Failed(ClientError::refused(why)));
        }
        check(&seen, &options.table, stream.as_ref(), now_ms)?;
        seen.turn.may_take(&options.table, options.owner)?;
        if let Some(mine) = ledger.take(&target, &seen).await? {
            return Ok(mine);
        }
    }
}

/// Whether a run can go on where another was.
fn check(
    seen: &RunRow,
    table: &str,
    stream: Option<&String>,
    now_ms: i64,
) -> Result<(), ClientError> {
    let refused = |why: &str| {
        Err(ClientError::refused(format!(
            "the move of {table} cannot go on: {why}; abort it and begin it again"
        )))
    };
    may_go_on(seen, table)?;
    match (&seen.stream, stream) {
        // What changed since would not be copied, and yet the run would end well.
        (None, None) if seen.phase == Phase::Following => Err(ClientError::refused(format!(
            "{table} is copied, and changes since then are not followed: complete the move, or abort \
             it and begin it again"
        ))),
        (None, None) => Ok(()),
        (Some(followed), Some(stream)) if followed == stream => {
            match now_ms.saturating_sub(seen.seen_ms) > KEPT_MS {
                true => refused("it stood still for a day, and a stream keeps changes no longer"),
                false => Ok(()),
            }
        }
        (Some(_), Some(_)) => refused("the stream of the source is another one than it followed"),
        (Some(_), None) => refused("it follows the changes of the source"),
        (None, Some(_)) => refused("it was begun for a source whose writers are stopped"),
    }
}

/// Takes all checkpoints, and makes those of the segments.
async fn take_rows(crew: &Crew) -> Result<Vec<Checkpoint>, Stop> {
    let target = crew.at(Place::Target);
    let mut patience = Patience::new();
    let taken = loop {
        crew.check()?;
        match crew.ledger.checkpoints(&target).await {
            Ok(rows) => break rows,
            Err(error) => crew.wait_out(&mut patience, Place::Target, error).await?,
        }
    };
    let mut rows = Vec::new();
    for row in taken {
        rows.push(create(crew, row).await?);
    }
    for segment in 0..crew.run.segments {
        let part = segment_part(&crew.options.table, segment);
        if !rows.iter().any(|row| row.part == part) {
            let row = Checkpoint {
                part,
                fence: crew.run.fence,
                step: 0,
                at: Mark::Start.to_value(),
                counts: Counts::default(),
            };
            rows.push(create(crew, row).await?);
        }
    }
    Ok(rows)
}

/// Starts the tasks.
fn begin(crew: &Arc<Crew>, rows: Vec<Checkpoint>) {
    if crew.run.phase == Phase::Following {
        crew.is_copying.store(false, Ordering::SeqCst);
        crew.is_past_copy.store(true, Ordering::SeqCst);
    }
    let segments = 0..crew.run.segments;
    let parts: Vec<(u32, String)> = segments
        .map(|segment| (segment, segment_part(&crew.options.table, segment)))
        .collect();
    let is_segment = |row: &&Checkpoint| parts.iter().any(|(_, part)| *part == row.part);
    let earlier = rows.iter().filter(is_segment).map(|row| row.counts).sum();
    crew.progress.begun(crew.run.segments, earlier);
    let mut shards = Vec::new();
    for row in rows {
        match parts.iter().find(|(_, part)| *part == row.part) {
            Some((segment, _)) => {
                crew.spawn(copy(Arc::clone(crew), *segment, row));
            }
            None => shards.push(row),
        }
    }
    if let Some(stream) = &crew.run.stream {
        crew.spawn(follow(Arc::clone(crew), stream.clone(), shards));
    }
}

/// The table is copied: nothing needs the tombstones any more.
async fn end_copy(crew: &Crew) -> Result<(), Stop> {
    let mut patience = Patience::new();
    loop {
        crew.check()?;
        let target = crew.at(Place::Target);
        match crew.ledger.forget_gone(&target, crew.run.id).await {
            Ok(()) => break,
            Err(error) => crew.wait_out(&mut patience, Place::Target, error).await?,
        }
    }
    crew.is_past_copy.store(true, Ordering::SeqCst);
    match note(crew).await? {
        Changed::Yes => Ok(()),
        Changed::No => Err(Stop::Lost),
    }
}
