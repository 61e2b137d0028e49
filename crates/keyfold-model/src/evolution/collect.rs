//! The list of changes as it grows, and what the comparisons ask about the models.

use super::change::Change;
use super::pair::Pair;
use crate::schema::{Entity, Measure, Model, PatternPlan};

/// The changes that are found, and the entities that are in both models.
pub(super) struct Collect<'m> {
    pub(super) pairs: Vec<Pair<'m>>,
    pub(super) changes: Vec<Change>,
}

impl Collect<'_> {
    pub(super) fn add(&mut self, change: Change) {
        self.changes.push(change);
    }
}

/// The way to an item of an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way<'w> {
    /// An index.
    Index(&'w str),
    /// A copy, by its name.
    Copy(&'w str),
}

/// The first pattern, or greatest value, that reads items of an entity on a way.
pub(super) fn reads_by(model: &Model, entity: &Entity, way: Way<'_>) -> Option<String> {
    let place = place_of(model, entity)?;
    let is_copy = |at: Option<usize>| {
        let copy = at.and_then(|at| entity.copies.get(at));
        copy.map(|copy| copy.name.as_str())
    };
    let is_on = |copy: Option<usize>, plan: &PatternPlan| match way {
        Way::Copy(name) => is_copy(copy) == Some(name),
        Way::Index(name) => copy.is_none() && plan.index.as_deref() == Some(name),
    };
    for pattern in &model.patterns {
        for (at, returned) in pattern.returned.iter().enumerate() {
            let mut plans = pattern.plans().map(|(_, plan)| plan);
            let is_read = plans.any(|plan| {
                let own = plan.gets.get(at).map_or(plan, |get| &get.plan);
                is_on(returned.copy, own)
            });
            if returned.entity == place && is_read {
                return Some(format!("pattern {}", pattern.name));
            }
        }
    }
    model.entities.iter().find_map(|parent| {
        let mut all = parent.aggregates.iter().filter(|one| one.entity == place);
        let found = all.find(|one| {
            let next = one.next.as_ref();
            next.is_some_and(|next| is_on(one.next_copy, next))
        })?;
        Some(format!("max {}.{}", parent.name, found.attribute))
    })
}

/// The first pattern that asks items of an entity for their kind.
pub(super) fn asks_kind(model: &Model, entity: &Entity) -> Option<String> {
    let place = place_of(model, entity)?;
    let mut patterns = model.patterns.iter().filter(|pattern| {
        let mut returned = pattern.returned.iter();
        returned.any(|one| one.entity == place)
    });
    let found = patterns.find(|pattern| {
        let comparisons = pattern.filters.iter().flat_map(|one| one.comparisons());
        comparisons
            .into_iter()
            .any(|one| one.measure == Measure::Kind)
    })?;
    Some(format!("pattern {}", found.name))
}

/// The place of an entity in its model.
pub(super) fn place_of(model: &Model, entity: &Entity) -> Option<usize> {
    model
        .entities
        .iter()
        .position(|one| one.name == entity.name)
}
