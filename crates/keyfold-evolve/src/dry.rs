//! The dry run: reads everything, and names what stands in the way before anything is written.

use crate::carry::Mode;
use crate::compute;
use crate::course::Course;
use crate::hands::{Hands, Stop};
use crate::problem::Problem;
use crate::scan::look;
use crate::seen::{EXAMPLES_MAX, Seen};
use crate::tables::stored;
use crate::work::{WRITES, tables, task};
use keyfold_model::evolution::Step;
use keyfold_types::Item;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// What a dry run has found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DryRun {
    /// The items that were read, each counted once.
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
    /// Whether an item of the old model was met.
    pub has_old: bool,
    /// How many items stand in the way.
    pub problems: u64,
    /// The first of them.
    pub examples: Vec<Problem>,
}

impl DryRun {
    /// Whether the data seems to be of another model than the old one: no item is of it, and there are some
    /// that neither model knows.
    pub fn is_of_another_model(&self) -> bool {
        self.unknown > 0 && !self.has_old
    }
}

/// Reads the items, and finds what stands in the way of the phases that write them.
///
/// With `computes`, aggregates are computed, too, where they are to be.
pub(crate) fn dry_run<'m>(
    course: &Course<'m>,
    hands: &Hands<'m>,
    computes: bool,
) -> Result<DryRun, Stop> {
    let kept = course.computed();
    let computes = computes && !kept.is_empty();
    let task = match computes {
        true => task(course, &[Step::Settle, Step::Backfill, Step::Compute]),
        false => task(course, &WRITES),
    };
    let mut tables = tables(&task, hands)?;
    let written = tables.clone();
    // What stands in the way may lie in other tables, too.
    let names = course.tables_of_arrivals();
    if !names.is_empty() {
        tables.extend(stored(hands, course.new, |at| names.contains(&at))?);
        tables.sort();
        tables.dedup();
    }
    hands.progress.begin("dry run");
    let seen = Mutex::new(Seen::default());
    match computes {
        true => compute::look_at(&task, hands, (&kept, &tables), &seen)?,
        false => look(&task, hands, &tables, &Mode::Dry(&seen))?,
    }
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
        look(&task, hands, &written, &Mode::Name(&twice, &named))?;
        let named = named.into_inner().unwrap_or_else(PoisonError::into_inner);
        seen.problems_count += named.problems_count;
        seen.problems.extend(named.problems);
    }
    seen.problems.sort_by(|one, other| {
        let key = |one: &Problem| (one.kind, one.table.clone(), crate::wish::shown(&one.key));
        key(one).cmp(&key(other))
    });
    seen.problems.truncate(EXAMPLES_MAX);
    hands.progress.counted(seen.items(), seen.unknown_count);
    let figures = hands.progress.figures();
    Ok(DryRun {
        items: figures.items,
        changed: figures.changed,
        writes: figures.writes,
        requests: seen.requests,
        units: seen.units,
        unknown: figures.unknown,
        unknown_examples: seen.unknown,
        has_old: seen.has_old,
        problems: seen.problems_count,
        examples: seen.problems,
    })
}
