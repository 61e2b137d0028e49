//! The work of phases as tasks on items, and the tables that they read.

use crate::carry::Task;
use crate::course::Course;
use crate::hands::{Hands, Stop};
use crate::tables::stored;
use keyfold_model::evolution::{Step, Work};
use std::collections::BTreeSet;

/// The work on items of some steps.
pub(crate) fn task<'c, 'm>(course: &'c Course<'m>, steps: &[Step]) -> Task<'c, 'm> {
    let phases = course.phases().iter();
    let work: Vec<Work> = phases
        .filter(|phase| steps.contains(&phase.step))
        .flat_map(|phase| phase.work.clone())
        .collect();
    let dropped = course.dropped(&work);
    Task {
        course,
        pairs: course.written(&work),
        deletes_leftovers: !dropped.is_empty(),
        sweeps: steps.contains(&Step::Backfill)
            && course
                .phases()
                .iter()
                .any(|phase| phase.step == Step::Backfill),
        dropped,
        shares: None,
        guard: None,
    }
}

/// The steps that write items before the last phase, without the computing of aggregates.
pub(crate) const WRITES: [Step; 2] = [Step::Settle, Step::Backfill];

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
