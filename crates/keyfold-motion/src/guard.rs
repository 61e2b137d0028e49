//! Watches that both tables, and the stream that is followed, are those of the move.

use crate::crew::{Crew, Patience, Stop};
use crate::refusal::is_closed;
use crate::tables::{Followable, followable, identity};
use crate::world::Place;
use keyfold_api::TableDescription;
use keyfold_client::ClientError;
use keyfold_stream::described;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// A stream keeps records for a day; this is an hour less, in milliseconds.
pub(crate) const KEPT_MS: i64 = 23 * 3_600_000;

/// Looks whether this process stood still for so long that records may have gone unread: a note of it
/// would say that none has.
///
/// # Errors
/// `Failed` when it did.
pub(crate) fn check_kept(crew: &Crew) -> Result<(), Stop> {
    let since_ms = crew
        .world
        .epoch_ms()
        .saturating_sub(crew.noted_ms.load(Ordering::SeqCst));
    if crew.run.stream.is_none() || since_ms <= KEPT_MS {
        return Ok(());
    }
    Err(Stop::Failed(ClientError::refused(format!(
        "changes of {} are lost: this process stood still for a day, and the source keeps changes for 24 \
         hours; abort the move and begin it again",
        crew.options.table
    ))))
}

/// Looks at both tables. `since` is the time that passed since the last look which found them as they
/// are to be.
///
/// # Errors
/// `Failed` when one of them is another one, or when its stream is another one or off.
pub(crate) async fn check_tables(crew: &Crew, since: Duration) -> Result<(), Stop> {
    let source = look(crew, Place::Source).await?;
    if let Err(problem) = check_source(crew, source.as_ref()) {
        let table = &crew.options.table;
        return Err(Stop::Failed(ClientError::refused(format!(
            "the move of {table} cannot go on: {problem}. What was written to the source since the last \
             look, up to {} seconds ago, is lost for the target: abort the move and begin it again",
            since.as_secs() + 1
        ))));
    }
    let target = look(crew, Place::Target).await?;
    let is_made = target.as_ref().map(identity) == crew.run.target;
    match is_made {
        true => Ok(()),
        false => Err(Stop::Failed(ClientError::refused(format!(
            "the move of {} cannot go on: the table that it has made in the target was deleted meanwhile; \
             abort the move and begin it again",
            crew.options.table
        )))),
    }
}

/// Looks whether the side that does not lead refuses writes still: what programs wrote there would be passed over.
///
/// # Errors
/// `Failed` when somebody has changed its policy; `Lost` when a switch has.
pub(crate) async fn check_refused(crew: &Crew) -> Result<(), Stop> {
    let turn = &crew.run.turn;
    if crew.options.is_turning || !turn.is_refused() || !turn.applies() {
        return Ok(());
    }
    let mut patience = Patience::new();
    loop {
        crew.check()?;
        let error = match is_closed(&*crew.world, &crew.options, Place::Target, None).await {
            Ok(true) => return Ok(()),
            Ok(false) => break,
            Err(error) => error,
        };
        crew.wait_out(&mut patience, Place::Target, error).await?;
    }
    let row = crew.ledger.run(&crew.at(Place::Target)).await?;
    if row.is_none_or(|row| row.fence != crew.run.fence) {
        return Err(Stop::Lost);
    }
    let side = match crew.run.is_back {
        true => Place::Source,
        false => Place::Target,
    };
    Err(Stop::Failed(ClientError::refused(format!(
        "the {} takes writes of the table {}, since somebody has taken the statement `KeyfoldMove..` out of its \
         policy: what is written there is carried nowhere. `keyfold move resume` puts it in again and goes on, and \
         `keyfold move verify` names what differs then",
        side.word(),
        crew.options.table
    ))))
}

async fn look(crew: &Crew, place: Place) -> Result<Option<TableDescription>, Stop> {
    let mut patience = Patience::new();
    loop {
        crew.check()?;
        match described(&crew.at(place), &crew.options.table).await {
            Ok(found) => return Ok(found),
            Err(error) => crew.wait_out(&mut patience, place, error).await?,
        }
    }
}

fn check_source(crew: &Crew, found: Option<&TableDescription>) -> Result<(), &'static str> {
    let Some(found) = found else {
        return Err("its table was deleted in the source");
    };
    if identity(found) != crew.run.source {
        return Err("its table was deleted in the source, and made anew");
    }
    match (&crew.run.stream, followable(found)) {
        (None, _) => Ok(()),
        (Some(followed), Followable::Yes(stream)) if *followed == stream => Ok(()),
        (Some(_), Followable::Yes(_) | Followable::NoImages) => {
            Err("the stream of its table was switched off and on again, and is another one now")
        }
        (Some(_), Followable::NoStream) => Err("the stream of its table was switched off"),
    }
}
