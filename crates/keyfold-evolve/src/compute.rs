//! Computes aggregates of the items that are there, while nobody writes.
//!
//! ```text
//! take all segments ─► read the items that are counted ─► write the entities that count them ─┐
//!                      ▲                                                                      │
//!                      └────────────── as long as there are entities for another pass ────────┘
//! ```
//!
//! Nobody may write meanwhile. A writer adds 1 to a count or takes 1 away, without reading it; an item
//! that is deleted before the scan comes to it, and another one that is made behind it, leave the count
//! as it was, and no scan has seen either. No condition on the count finds that.
//!
//! A run that another one has taken the evolution from writes nothing any more: each of its writes holds
//! only while it has its segment. So a run begins by taking all segments, and what it reads then is the
//! same until it ends.

use crate::carry::{Mode, Task};
use crate::course::{Course, Kept, Sort, table_of};
use crate::hands::{Hands, Stop};
use crate::problem::{Problem, ProblemKind};
use crate::rows::{Counts, Rows, RunRow};
use crate::scan::look;
use crate::seen::{Seen, locked};
use crate::shares::Shares;
use crate::tables::stored;
use crate::threads::each;
use crate::wish::key_of;
use crate::work::{tables, task};
use keyfold_model::evolution::Step;
use keyfold_types::Item;
use std::collections::BTreeSet;
use std::sync::Mutex;

/// What is done with items that cannot be counted.
#[derive(Clone, Copy)]
enum Wrong<'s> {
    /// The first one ends the run.
    Ends,
    /// Each is a problem, but those of some pairs, which are reported otherwise.
    Said(&'s Mutex<Seen>, &'s BTreeSet<usize>),
}

/// The tables in which the items of some pairs lie, in either version.
fn tables_of(
    course: &Course<'_>,
    hands: &Hands<'_>,
    pairs: &BTreeSet<usize>,
) -> Result<Vec<String>, Stop> {
    let of_pairs = || pairs.iter().filter_map(|at| course.pairs.get(*at));
    let mut all = stored(hands, course.old, |at| {
        of_pairs().any(|pair| pair.old.table == at)
    })?;
    all.extend(stored(hands, course.new, |at| {
        of_pairs().any(|pair| pair.new.table == at)
    })?);
    all.sort();
    all.dedup();
    Ok(all)
}

/// Reads the main items of some pairs.
fn read<'m>(
    course: &Course<'m>,
    hands: &Hands<'m>,
    (pairs, segments): (&BTreeSet<usize>, u32),
    does: impl Fn(&str, u64, &[(usize, &Item)]) -> Result<(), Stop> + Sync,
) -> Result<(), Stop> {
    for table in tables_of(course, hands, pairs)? {
        each(segments, |segment| {
            let mut after: Option<Item> = None;
            loop {
                hands.check()?;
                let page = hands.page(&table, (segment, segments), after.take())?;
                let count = page.items.len() as u64;
                hands.progress.read(count, 0, 0);
                let mut mains = Vec::new();
                for item in &page.items {
                    if let Sort::Main(pair) = course.sort(&table, item, pairs) {
                        mains.push((pair, item));
                    }
                }
                does(&table, count, &mains)?;
                match page.last {
                    Some(last) => after = Some(last),
                    None => return Ok(()),
                }
            }
        })?;
    }
    Ok(())
}

fn problem(
    course: &Course<'_>,
    table: &str,
    item: &Item,
    (kind, message): (ProblemKind, String),
) -> Problem {
    let own = table_of(course.new, table).or_else(|| table_of(course.old, table));
    Problem {
        kind,
        table: table.to_owned(),
        key: own.map(|(_, own)| key_of(own, item)).unwrap_or_default(),
        message,
    }
}

/// What the items that are there give, in a pass from a digest on.
fn collected<'m>(
    course: &Course<'m>,
    hands: &Hands<'m>,
    (kept, from, segments): (&[Kept<'m>], u128, u32),
    wrong: Wrong<'_>,
) -> Result<Shares<'m>, Stop> {
    let shares = Shares::new(kept, from, hands.options.shares);
    let children = shares.children();
    if let Wrong::Said(seen, _) = wrong {
        locked(seen).pass += 1;
    }
    read(
        course,
        hands,
        (&children, segments),
        |table, count, mains| {
            if let Wrong::Said(seen, _) = wrong {
                locked(seen).read(table, count);
            }
            for (pair, item, fault) in shares.add(course, mains, Task::moment(hands)) {
                match wrong {
                    Wrong::Ends => {
                        let problem = problem(course, table, item, fault);
                        return Err(crate::carry::failed(&problem));
                    }
                    Wrong::Said(_, others) if others.contains(&pair) => {}
                    Wrong::Said(seen, _) => locked(seen).add(problem(course, table, item, fault)),
                }
            }
            Ok(())
        },
    )?;
    Ok(shares)
}

/// Computes aggregates and writes them.
pub(crate) fn compute<'m>(
    course: &Course<'m>,
    rows: &Rows<'_, 'm>,
    run: &RunRow,
) -> Result<(), Stop> {
    let kept = course.computed();
    let hands = rows.hands;
    let mut task = task(course, &[Step::Settle, Step::Backfill, Step::Compute]);
    task.pairs = kept.iter().flat_map(|one| one.parents.clone()).collect();
    (task.deletes_leftovers, task.sweeps) = (false, false);
    let all = tables(&task, hands)?;
    for table in &all {
        for segment in 0..run.segments {
            let mut row = rows.take(run.fence, &rows.part(run.phase, table, segment))?;
            row.counts = Counts::default();
            if !rows.save(run.fence, &row)? {
                return Err(Stop::Lost);
            }
        }
    }
    let mut from = 0;
    loop {
        let shares = collected(course, hands, (&kept, from, run.segments), Wrong::Ends)?;
        for table in &all {
            each(run.segments, |segment| {
                write((&task, &shares), rows, run, (table, segment))
            })?;
        }
        match shares.until() {
            Some(until) => from = until,
            None => return Ok(()),
        }
    }
}

/// Writes what the entities of a segment keep.
fn write<'m>(
    (task, shares): (&Task<'_, 'm>, &Shares<'m>),
    rows: &Rows<'_, 'm>,
    run: &RunRow,
    (table, segment): (&str, u32),
) -> Result<(), Stop> {
    let hands = rows.hands;
    let mut row = rows.take(run.fence, &rows.part(run.phase, table, segment))?;
    let task = Task {
        shares: Some(shares),
        guard: Some(rows.guard(run.fence, &row.part)),
        ..task.clone()
    };
    let mut after: Option<Item> = None;
    loop {
        hands.check()?;
        let page = hands.page(table, (segment, run.segments), after.take())?;
        let (changed, writes) = task.page(hands, table, &page.items, &Mode::Write)?;
        row.counts.read += page.items.len() as u64;
        row.counts.changed += changed;
        row.counts.writes += writes;
        row.is_done = page.last.is_none();
        if !rows.save(run.fence, &row)? {
            return Err(Stop::Lost);
        }
        match page.last {
            Some(last) => after = Some(last),
            None => return Ok(()),
        }
    }
}

/// Looks at the items of a task as a dry run does, with the aggregates that are to be computed.
pub(crate) fn look_at<'m>(
    task: &Task<'_, 'm>,
    hands: &Hands<'m>,
    (kept, all): (&[Kept<'m>], &[String]),
    seen: &Mutex<Seen>,
) -> Result<(), Stop> {
    let course = task.course;
    let segments = hands.options.segments.max(1);
    let rows = Rows {
        hands,
        model: course.old.name.clone(),
    };
    let (mut from, mut unmet) = (0, BTreeSet::new());
    let mut all = all.to_vec();
    let mut task = task.clone();
    task.guard = Some(rows.guard(0, &rows.part(0, "", 0)));
    loop {
        let wrong = Wrong::Said(seen, &task.pairs);
        let shares = collected(course, hands, (kept, from, segments), wrong)?;
        let pass = Task {
            shares: Some(&shares),
            ..task.clone()
        };
        locked(seen).pass += 1;
        look(&pass, hands, &all, &Mode::Dry(seen))?;
        locked(seen).is_again = true;
        unmet.extend(shares.unmet());
        match shares.until() {
            Some(until) => from = until,
            None => break,
        }
        task.pairs = kept.iter().flat_map(|one| one.parents.clone()).collect();
        (task.deletes_leftovers, task.sweeps) = (false, false);
        all = tables(&task, hands)?;
    }
    if unmet.is_empty() {
        return Ok(());
    }
    let shares = Shares::new(kept, 0, 0);
    read(
        course,
        hands,
        (&shares.children(), segments),
        |table, _, mains| {
            for main in mains {
                if let Some(lacking) = shares.lacking(course, *main, Task::moment(hands), &unmet) {
                    let fault = (ProblemKind::NoParent, lacking);
                    locked(seen).add(problem(course, table, main.1, fault));
                }
            }
            Ok(())
        },
    )
}
