//! Reads whole tables in segments, each on a thread of its own, with a checkpoint behind each page.

use crate::carry::{Mode, Task};
use crate::hands::{Hands, Stop};
use crate::rows::{Counts, Rows, RunRow};
use crate::threads::each;
use keyfold_types::Item;
use std::sync::{Mutex, PoisonError};

/// Reads tables without a checkpoint, and writes nothing.
pub(crate) fn look<'w>(
    task: &Task<'_, 'w>,
    hands: &Hands<'w>,
    tables: &[String],
    mode: &Mode<'_>,
) -> Result<(), Stop> {
    let of = hands.options.segments.max(1);
    for table in tables {
        each(of, |segment| {
            let mut after: Option<Item> = None;
            loop {
                hands.check()?;
                let page = hands.page(table, (segment, of), after.take())?;
                task.page(hands, table, &page.items, mode)?;
                match page.last {
                    Some(last) => after = Some(last),
                    None => return Ok(()),
                }
            }
        })?;
    }
    Ok(())
}

/// Carries a task out on tables, from where each segment is.
pub(crate) fn carry<'w>(
    task: &Task<'_, 'w>,
    rows: &Rows<'_, 'w>,
    run: &RunRow,
    tables: &[String],
) -> Result<Counts, Stop> {
    let total = Mutex::new(Counts::default());
    for table in tables {
        each(run.segments, |segment| {
            let counts = carry_segment(task, rows, run, (table, segment))?;
            let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
            total.read += counts.read;
            total.changed += counts.changed;
            total.writes += counts.writes;
            Ok(())
        })?;
    }
    Ok(total.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn carry_segment<'w>(
    task: &Task<'_, 'w>,
    rows: &Rows<'_, 'w>,
    run: &RunRow,
    (table, segment): (&str, u32),
) -> Result<Counts, Stop> {
    let hands = rows.hands;
    let mut row = rows.take(run.fence, &rows.part(run.phase, table, segment))?;
    while !row.is_done {
        hands.check()?;
        let page = hands.page(table, (segment, run.segments), row.after.clone())?;
        let (changed, writes) = task.page(hands, table, &page.items, &Mode::Write)?;
        row.counts.read += page.items.len() as u64;
        row.counts.changed += changed;
        row.counts.writes += writes;
        row.is_done = page.last.is_none();
        row.after = page.last.or(row.after);
        if !rows.save(run.fence, &row)? {
            return Err(Stop::Lost);
        }
    }
    Ok(row.counts)
}
