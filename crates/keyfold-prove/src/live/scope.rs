//! Which patterns of a model can be asked of a database, and which attributes of its entities are compared:
//! those that rows fill, and counts, sums and maxima of entities that rows make.

use keyfold_model::schema::{Limit, Pattern, Returned};
use keyfold_model::{Entity, Model};
use keyfold_relational::{Mapped, Mapping};
use std::collections::BTreeSet;

/// What is compared.
pub(super) struct Scope {
    /// By pattern: why it is not asked.
    pub(super) patterns: Vec<Option<String>>,
    /// By entity: the attributes that are not compared.
    pub(super) ignored: Vec<BTreeSet<String>>,
}

impl Scope {
    pub(super) fn of(mapping: &Mapping<'_>) -> Scope {
        let model = mapping.model;
        let ignored = model.entities.iter();
        let ignored = ignored.map(|entity| {
            let all = entity.attributes.iter().map(|one| &one.name);
            let left = all.filter(|name| !is_compared(mapping, entity, name));
            left.cloned().collect()
        });
        let ignored: Vec<BTreeSet<String>> = ignored.collect();
        let patterns = model.patterns.iter();
        let patterns = patterns.map(|one| why_not(mapping, &ignored, one));
        Scope {
            patterns: patterns.collect(),
            ignored,
        }
    }

    pub(super) fn is_asked(&self, pattern: usize) -> bool {
        self.patterns.get(pattern).is_some_and(Option::is_none)
    }
}

/// The mapping of an entity.
pub(super) fn mapped_of<'a, 'm>(
    mapping: &'a Mapping<'m>,
    entity: &Entity,
) -> Option<&'a Mapped<'m>> {
    let mut all = mapping.entities.iter();
    all.find(|one| one.entity.name == entity.name)
}

/// Whether the arguments of a pattern are taken from rows of an entity.
pub(super) fn arguments_are_of(pattern: &Pattern, entity: usize) -> bool {
    let is_of = |one: &Returned| one.entity == entity;
    if pattern.together.is_some() {
        return pattern.returned.iter().any(is_of);
    }
    let has_range = pattern.parameters.iter().any(|one| match one.limit {
        Limit::Equal | Limit::Among | Limit::Free => false,
        Limit::AtLeast
        | Limit::AtMost
        | Limit::Above
        | Limit::Below
        | Limit::Starts
        | Limit::In(_) => true,
    });
    let mut many = pattern.returned.iter().filter(|one| one.many);
    pattern.returned.first().is_some_and(is_of) || (has_range && many.any(is_of))
}

fn is_compared(mapping: &Mapping<'_>, entity: &Entity, name: &str) -> bool {
    let Some(mapped) = mapped_of(mapping, entity) else {
        return false;
    };
    let mut aggregates = entity.aggregates.iter();
    let Some(aggregate) = aggregates.find(|one| one.attribute == name) else {
        return mapped.fills(name);
    };
    let child = mapping.model.entities.get(aggregate.entity);
    let Some(child) = child.and_then(|child| mapped_of(mapping, child)) else {
        return false;
    };
    let of = aggregate.of.iter();
    let mut names = of.chain(aggregate.condition.iter().map(|(name, _)| name));
    names.all(|name| child.fills(name))
}

/// Why a pattern is not asked.
fn why_not(
    mapping: &Mapping<'_>,
    ignored: &[BTreeSet<String>],
    pattern: &Pattern,
) -> Option<String> {
    let model: &Model = mapping.model;
    for returned in &pattern.returned {
        let entity = model.entities.get(returned.entity)?;
        if mapped_of(mapping, entity).is_none() {
            return Some(format!("no row makes a {}", entity.name));
        }
        let ignored = ignored.get(returned.entity)?;
        let copy = returned.copy.and_then(|at| entity.copies.get(at));
        let whens = copy.into_iter().flat_map(|copy| &copy.when);
        let conditions = pattern.filters.iter().chain(whens);
        let ordered = pattern
            .plans()
            .filter_map(|(_, plan)| plan.ordered_by.as_deref());
        let limits = pattern
            .parameters
            .iter()
            .map(|one| one.attribute.as_str())
            .chain(pattern.fixed_values.iter().map(|(name, ..)| name.as_str()))
            .chain(pattern.present.iter().map(String::as_str));
        let mut names = conditions
            .flat_map(|one| one.attributes())
            .chain(ordered)
            .chain(limits);
        if let Some(name) = names.find(|name| ignored.contains(*name)) {
            return Some(format!(
                "it depends on {name} of {}, which no column fills",
                entity.name
            ));
        }
    }
    None
}
