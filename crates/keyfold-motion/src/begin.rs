//! Begins a move: notes it in the target, and makes the table there.
//!
//! The row of the move keeps what distinguishes both tables from others of their name. The table that
//! the move makes has its tag ([`MADE_BY`]) until the move is complete: when its making was not
//! answered, or its run was killed before it was noted, the tag shows whose it is.

use crate::indexes;
use crate::ledger::{Changed, Ledger};
use crate::options::Options;
use crate::rows::{Phase, RunRow, Turn};
use crate::tables::{ACTIVE_PAUSE, Found, active, at, definition, delete, identity, tags};
use crate::world::{At, Place, World};
use keyfold_api::{ErrorKind, TableDescription, Tag};
use keyfold_client::ClientError;
use keyfold_stream::world::ask;
use keyfold_stream::{check_transactions, described};

/// The tag of a table that a move has made: the number of the move.
pub const MADE_BY: &str = "keyfold:move";
/// How often the row and the table are looked at, when others change them meanwhile or when a
/// description is late.
const TRIES: u32 = 12;

/// Begins a move: notes it in the target, and makes the table there. Of a move that was begun, what is
/// missing is made.
///
/// # Errors
/// `Refused` when the target has a table of this name that the move has not made, or when the move was
/// begun with another table of the source; the backend's otherwise.
pub async fn prepare(
    world: &dyn World,
    options: &Options,
    found: &Found,
    stream: Option<String>,
) -> Result<(), ClientError> {
    let target = at(world, Place::Target);
    let ledger = Ledger::of(options);
    let mut problem = None;
    for tried in 0..TRIES {
        if tried > 0 {
            world.pause(ACTIVE_PAUSE).await;
        }
        // The row comes first: what it says was made is there when it is looked for.
        let row = row_if_any(&target, &ledger).await?;
        let existing = described(&target, &found.table).await?;
        problem = match (row, existing) {
            // Another process may have begun the move between the two looks.
            (None, Some(_)) if tried > 0 => return Err(not_made(&found.table)),
            (None, Some(_)) => None,
            (None, None) => {
                check_transactions(&target).await?;
                ledger.ensure(&target).await?;
                let row = begin_row(world, options, found, stream.clone());
                ledger.begin(&target, &row).await?;
                None
            }
            (Some(row), existing) => {
                row.is_forth(&found.table)?;
                may_go_on(&row, &found.table)?;
                check_source(&row, found)?;
                match settle(world, &ledger, (&row, existing), found).await? {
                    Settled::Made => return indexes::add(world, found).await,
                    Settled::Again => None,
                    Settled::Refused(problem) => Some(problem),
                }
            }
        };
    }
    Err(problem.unwrap_or_else(|| {
        ClientError::refused(format!(
            "the table {} could not be made in the target, which others change meanwhile: run the same \
             command again",
            found.table
        ))
    }))
}

/// The row of the move. The table of rows is not made for it: a move that is refused leaves nothing.
async fn row_if_any(target: &At<'_>, ledger: &Ledger) -> Result<Option<RunRow>, ClientError> {
    if described(target, &ledger.rows).await?.is_none() {
        return Ok(None);
    }
    // Another process may have begun to make it.
    ledger.ensure(target).await?;
    ledger.run(target).await
}

/// What became of the target's table.
enum Settled {
    /// It is that of the move.
    Made,
    /// It is to be looked at again.
    Again,
    /// It is none of the move, unless that shows later.
    Refused(ClientError),
}

async fn settle(
    world: &dyn World,
    ledger: &Ledger,
    (row, existing): (&RunRow, Option<TableDescription>),
    found: &Found,
) -> Result<Settled, ClientError> {
    let target = at(world, Place::Target);
    let table = &found.table;
    match (&row.target, existing) {
        (Some(made), Some(existing)) if *made == identity(&existing) => Ok(Settled::Made),
        (Some(_), Some(_)) => Err(ClientError::refused(format!(
            "the table {table} of the target is not the one that the move has made, which was deleted: \
             nothing was written. `keyfold move abort` ends the move and leaves this table as it is"
        ))),
        (Some(_), None) => Ok(Settled::Refused(ClientError::refused(format!(
            "the table {table} that the move has made in the target is gone: abort the move and begin it \
             again"
        )))),
        (None, Some(_)) => {
            let existing = active(world, Place::Target, table).await?;
            match has_tag(&target, &existing, row.id).await? {
                true => note_made(world, ledger, row, &existing).await,
                false => Err(not_made(table)),
            }
        }
        (None, None) => match ask(&target, definition(found, tag(row.id))).await {
            // A table with all the tags that it may have shows nothing: its making is noted by the answer.
            Ok(made) => note_made(world, ledger, row, &made).await,
            // Another process was faster, or the table shows whether it was made.
            Err(error) if error.kind() == Some(ErrorKind::ResourceInUse) => Ok(Settled::Again),
            Err(ClientError::OutcomeUnknown { .. }) => Ok(Settled::Again),
            Err(error) => Err(error),
        },
    }
}

/// Notes that the move has made a table. When the move was aborted meanwhile, the table goes. It stays when
/// it has the tag of this move no more: another process has completed the move, or begun a later one.
async fn note_made(
    world: &dyn World,
    ledger: &Ledger,
    row: &RunRow,
    existing: &TableDescription,
) -> Result<Settled, ClientError> {
    let target = at(world, Place::Target);
    if ledger.made(&target, row.id, &identity(existing)).await? == Changed::Yes {
        return Ok(Settled::Again);
    }
    let now = ledger.run(&target).await?;
    if now.is_some_and(|now| now.id == row.id && now.phase != Phase::Aborting) {
        return Ok(Settled::Again);
    }
    let aborted = ClientError::refused(format!(
        "the move of {} was aborted meanwhile, or completed",
        ledger.table
    ));
    let is_left = match described(&target, &ledger.table).await? {
        Some(stands) => has_tag(&target, &stands, row.id).await?,
        None => false,
    };
    if !is_left {
        return Err(aborted);
    }
    delete(&target, &ledger.table).await?;
    Err(aborted)
}

fn not_made(table: &str) -> ClientError {
    ClientError::refused(format!(
        "the target has a table {table} already, which no move has made: nothing was written"
    ))
}

fn tag(id: u64) -> Tag {
    Tag {
        key: Some(MADE_BY.to_owned()),
        value: Some(format!("{id:016x}")),
    }
}

async fn has_tag(
    target: &At<'_>,
    existing: &TableDescription,
    id: u64,
) -> Result<bool, ClientError> {
    Ok(tags(target, existing).await?.contains(&tag(id)))
}

/// Whether a table of the target is the one that a move has made.
///
/// # Errors
/// The backend's.
pub(crate) async fn is_made_by(
    target: &At<'_>,
    row: &RunRow,
    existing: &TableDescription,
) -> Result<bool, ClientError> {
    match &row.target {
        Some(made) => Ok(*made == identity(existing)),
        None => has_tag(target, existing, row.id).await,
    }
}

/// The row of a move that begins now.
fn begin_row(
    world: &dyn World,
    options: &Options,
    found: &Found,
    stream: Option<String>,
) -> RunRow {
    RunRow {
        id: world.random(),
        // The fences of a later move of the table are others.
        fence: world.random() >> 1,
        segments: options.segments.max(1),
        stream,
        source: found.identity(),
        target: None,
        seen_ms: world.epoch_ms(),
        phase: Phase::Copying,
        paused_ms: None,
        turn: Turn::default(),
        is_back: false,
    }
}

/// Refuses a move that is ending.
///
/// # Errors
/// `Refused`.
pub(crate) fn may_go_on(row: &RunRow, table: &str) -> Result<(), ClientError> {
    match row.phase {
        Phase::Copying | Phase::Following => Ok(()),
        Phase::Aborting => Err(ClientError::refused(format!(
            "the move of {table} is being aborted: abort it again to end that"
        ))),
        Phase::Completing => Err(ClientError::refused(format!(
            "the move of {table} is being completed: complete it again to end that"
        ))),
    }
}

fn check_source(row: &RunRow, found: &Found) -> Result<(), ClientError> {
    if row.source == found.identity() {
        return Ok(());
    }
    Err(ClientError::refused(format!(
        "the move of {} was begun from another table of this name ({}; that of the source now is {}): name \
         the source that it began with, or abort the move and begin it again",
        found.table,
        row.source,
        found.identity()
    )))
}
