//! The dry run: reads everything, and names what stands in the way before anything is written.

use crate::carry::{EXAMPLES_MAX, Mode, Seen, Task};
use crate::course::Course;
use crate::hands::{Hands, Stop};
use crate::problem::Problem;
use crate::scan::look;
use crate::tables::stored;
use keyfold_model::evolution::{Step, Work};
use keyfold_types::Item;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// What a dry run has found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DryRun {
    /// The items that were read.
    pub items: u64,
    /// The entities that are to be written.
    pub changed: u64,
    /// The items that are to be put, updated or deleted.
    pub writes: u64,
    /// The requests that write them, if nobody else does meanwhile.
    pub requests: u64,
    /// The write units of these requests, without those of indexes.
    pub units: u64,
    /// The items that neither model knows: they stay as they are.
    pub unknown: u64,
    /// The first of them: tables and keys.
    pub unknown_examples: Vec<(String, Item)>,
    /// How many items stand in the way.
    pub problems: u64,
    /// The first of them.
    pub examples: Vec<Problem>,
}

/// The work on items that comes before the last phase.
pub(crate) fn task<'c, 'm>(course: &'c Course<'m>) -> Task<'c, 'm> {
    let phases = course.phases().iter();
    let work: Vec<Work> = phases
        .filter(|phase| matches!(phase.step, Step::Backfill | Step::Settle))
        .flat_map(|phase| phase.work.clone())
        .collect();
    let dropped = course.dropped(&work);
    Task {
        course,
        pairs: course.written(&work),
        deletes_leftovers: !dropped.is_empty(),
        dropped,
    }
}

/// The tables of which a task reads items.
pub(crate) fn tables(task: &Task<'_, '_>, hands: &Hands<'_>) -> Result<Vec<String>, Stop> {
    let course = task.course;
    let of_pairs = task.pairs.iter().filter_map(|at| course.pairs.get(*at));
    let of_old = task
        .dropped
        .iter()
        .filter_map(|at| course.old.entities.get(*at));
    let wanted: BTreeSet<usize> = of_pairs
        .map(|pair| pair.old.table)
        .chain(of_old.map(|entity| entity.table))
        .collect();
    stored(hands, course.old, |at| wanted.contains(&at))
}

/// Reads the items, and finds what stands in the way of the phases that write them.
pub(crate) fn dry_run<'m>(course: &Course<'m>, hands: &Hands<'m>) -> Result<DryRun, Stop> {
    let task = task(course);
    let tables = tables(&task, hands)?;
    hands.progress.begin("dry run");
    let seen = Mutex::new(Seen::default());
    look(&task, hands, &tables, &Mode::Dry(&seen))?;
    let figures = hands.progress.figures();
    let mut seen = seen.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut claims = std::mem::take(&mut seen.claims);
    claims.sort_unstable();
    let twice = claims.windows(2).filter_map(|two| match two {
        [one, other] if one.0 == other.0 => Some(one.0),
        _ => None,
    });
    let twice: BTreeSet<u128> = twice.collect();
    drop(claims);
    if !twice.is_empty() {
        let named = Mutex::new(Seen::default());
        look(&task, hands, &tables, &Mode::Name(&twice, &named))?;
        let named = named.into_inner().unwrap_or_else(PoisonError::into_inner);
        seen.problems_count += named.problems_count;
        seen.problems.extend(named.problems);
    }
    seen.problems.sort_by(|one, other| {
        let key = |one: &Problem| (one.kind, one.table.clone(), crate::wish::shown(&one.key));
        key(one).cmp(&key(other))
    });
    seen.problems.truncate(EXAMPLES_MAX);
    Ok(DryRun {
        items: figures.items,
        changed: figures.changed,
        writes: figures.writes,
        requests: seen.requests,
        units: seen.units,
        unknown: figures.unknown,
        unknown_examples: seen.unknown,
        problems: seen.problems_count,
        examples: seen.problems,
    })
}
