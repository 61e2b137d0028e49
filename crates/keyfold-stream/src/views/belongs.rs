//! Whether a generation belongs to the tables and the leases that are there.
//!
//! The state of a view, its rows and the leases of its consumers lie in three tables. Somebody may delete one of them,
//! make it anew, restore it, or carry it to another place without the others. Then nobody knows which records are in the
//! rows: the generation is lost, and another one is built. Readers see the rows as they were left until that one takes
//! their place.
//!
//! The number of a generation that follows no kept one is one that no row and no lease has: else rows that somebody
//! has left would seem to be its own, and stay.

use super::definition::Definition;
use super::lost::Lost;
use super::place::Space;
use super::rows::mark_name;
use super::state::{Generation, Phase, State};
use crate::lease::Row;
use crate::lease_table::LeaseTable;
use crate::tables::{described, identity};
use crate::world::{Io, ask};
use keyfold_api::{ErrorKind, ExpressionAttributes, ScanInput};
use keyfold_lower::ClientError;
use std::collections::BTreeSet;

/// What distinguishes the table of a view's rows from another one of its name; `None` when there is none.
///
/// # Errors
/// The backend's.
pub(crate) async fn place(io: &dyn Io, table: &str) -> Result<Option<String>, ClientError> {
    let found = described(io, table).await?;
    Ok(found.as_ref().map(identity))
}

/// Whether a generation is lost. A worker that slept may ask for one whose leases were deleted since; the state
/// says then that there is another one.
///
/// # Errors
/// The backend's.
pub(crate) async fn lost(
    io: &dyn Io,
    view: &str,
    generation: &Generation,
    leases: &str,
) -> Result<Option<Lost>, ClientError> {
    if generation.lost.is_some() {
        return Ok(generation.lost);
    }
    let found = place(io, &generation.table).await?;
    if let (Some(known), Some(found)) = (&generation.place, found)
        && *known != found
    {
        return Ok(Some(Lost::Table));
    }
    match has_begun(io, view, generation, leases).await? {
        true => Ok(None),
        false => Ok(Some(Lost::Leases)),
    }
}

/// Whether each consumer of a generation has begun a stream. It does before the generation is stored.
async fn has_begun(
    io: &dyn Io,
    view: &str,
    generation: &Generation,
    leases: &str,
) -> Result<bool, ClientError> {
    for table in &generation.streams {
        let rows = leases_of(io, &generation.consumer(view, table), leases).await?;
        if !rows.iter().any(|row| matches!(row, Row::Stream(_))) {
            return Ok(false);
        }
    }
    Ok(true)
}

async fn leases_of(io: &dyn Io, consumer: &str, table: &str) -> Result<Vec<Row>, ClientError> {
    let leases = LeaseTable {
        table: table.to_owned(),
        consumer: consumer.to_owned(),
    };
    match leases.all(io).await {
        Err(error) if error.kind() == Some(ErrorKind::ResourceNotFound) => Ok(Vec::new()),
        rows => rows,
    }
}

/// The numbers of generations that have left rows, or leases behind them, beside those that the state knows.
///
/// # Errors
/// The backend's.
pub(crate) async fn left(
    io: &dyn Io,
    definition: &Definition,
    (state, begun): (&State, &Generation),
    leases: &str,
) -> Result<BTreeSet<u64>, ClientError> {
    let view = &definition.name;
    let mut found = of_rows(io, &begun.table, view).await?;
    let mut number = found.last().copied().unwrap_or_default().max(state.last);
    // Leases of generations whose rows are gone, too.
    loop {
        number += 1;
        let one = Generation {
            number,
            ..begun.clone()
        };
        let mut has_leases = false;
        for table in &one.streams {
            let rows = leases_of(io, &one.consumer(view, table), leases).await?;
            has_leases |= !rows.is_empty();
        }
        if !has_leases {
            break;
        }
        found.insert(number);
    }
    let known = state.live.iter().chain(&state.garbage);
    let known = known.chain(state.next.as_ref().map(|(next, _)| next));
    let known: BTreeSet<u64> = known.map(|one| one.number).collect();
    Ok(found.difference(&known).copied().collect())
}

/// The numbers of the generations of a view of which a table has rows.
async fn of_rows(io: &dyn Io, table: &str, view: &str) -> Result<BTreeSet<u64>, ClientError> {
    let mut numbers = BTreeSet::new();
    let mut after = None;
    loop {
        let input = ScanInput {
            table_name: Some(table.to_owned()),
            consistent_read: Some(true),
            exclusive_start_key: after,
            projection_expression: Some("#m".to_owned()),
            filter_expression: Some("begins_with(#m, :v)".to_owned()),
            expression_attributes: ExpressionAttributes::default()
                .name("#m", mark_name())
                .value(":v", format!("{view} ")),
            ..ScanInput::default()
        };
        let page = match ask(io, input).await {
            // A build needs no rows' table until it is at its end.
            Err(error) if error.kind() == Some(ErrorKind::ResourceNotFound) => return Ok(numbers),
            page => page?,
        };
        for item in page.items.unwrap_or_default() {
            let number = item.to_item();
            let number = number.get(&mark_name());
            numbers.extend(number.and_then(|mark| Space::number_of(view, mark)));
        }
        after = page.last_evaluated_key.map(Ok);
        if after.is_none() {
            return Ok(numbers);
        }
    }
}

/// Notes in the state that a generation is lost. Does nothing when the state says it already, when another generation
/// takes its place, and when that has happened.
///
/// # Errors
/// The backend's.
pub(crate) async fn note(
    io: &dyn Io,
    view: &str,
    (number, lost): (u64, Lost),
) -> Result<(), ClientError> {
    loop {
        let mut state = State::read(io, view).await?;
        if matches!(state.next, Some((_, Phase::Switch))) {
            return Ok(());
        }
        match state.generation(number) {
            Some(generation) if generation.lost.is_none() => generation.lost = Some(lost),
            Some(_) | None => return Ok(()),
        }
        if state.store(io, view).await? {
            return Ok(());
        }
    }
}
