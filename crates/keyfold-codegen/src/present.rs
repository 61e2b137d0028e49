//! Attributes that every item of an answer has, though the entity may lack them.

use keyfold_model::schema::{Limit, Returned};
use keyfold_model::{Entity, Model, Pattern, PatternPlan};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of the attributes of a kind in an answer.
#[derive(Default)]
pub(crate) struct Known {
    /// The attributes that each item has.
    pub(crate) present: BTreeSet<String>,
    /// The attributes with one value, as text.
    pub(crate) fixed: BTreeMap<String, String>,
}

impl Known {
    /// What a pattern demands of the items of a kind.
    pub(crate) fn of(
        model: &Model,
        pattern: &Pattern,
        returned: &Returned,
        entity: &Entity,
    ) -> Known {
        let mut known = Known::default();
        let copy = returned.copy.and_then(|at| entity.copies.get(at));
        if let Some(copy) = copy {
            known.present.extend(copy.key.fields().map(str::to_owned));
            let optional = entity
                .attributes
                .iter()
                .filter(|one| copy.demands(&one.name));
            known.present.extend(optional.map(|one| one.name.clone()));
        }
        // A single kind of a collection has a key of its own, which the limits do not reach.
        let is_beside = !returned.many && pattern.returned.len() > 1;
        if is_beside || pattern.together.is_some() {
            return known;
        }
        known.present.extend(pattern.present.iter().cloned());
        for (name, value) in &pattern.fixed {
            known.present.insert(name.clone());
            known.fixed.insert(name.clone(), value.clone());
        }
        let limiting = pattern
            .parameters
            .iter()
            .filter(|one| !one.optional && one.limit != Limit::Free);
        known
            .present
            .extend(limiting.map(|one| one.attribute.clone()));
        let of_plans = pattern
            .plans()
            .map(|(_, plan)| of_plan(model, plan, entity, copy.is_some()));
        let common = of_plans
            .reduce(|one, other| &one & &other)
            .unwrap_or_default();
        known.present.extend(common);
        known
    }
}

/// The attributes that each item has which a plan finds.
fn of_plan(model: &Model, plan: &PatternPlan, entity: &Entity, is_copy: bool) -> BTreeSet<String> {
    let mut present = BTreeSet::new();
    for attribute in &entity.attributes {
        if plan
            .filters
            .iter()
            .any(|filter| filter.demands(&attribute.name))
        {
            present.insert(attribute.name.clone());
        }
    }
    let table = model.tables.get(entity.table);
    let read = plan.index.as_ref().filter(|_| !is_copy);
    let index = table.and_then(|table| {
        let mut indexes = table.indexes.iter();
        indexes.position(|index| Some(&index.name) == read)
    });
    for key in entity.indexes.iter().filter(|key| Some(key.index) == index) {
        present.extend(key.key.fields().map(str::to_owned));
        present.extend(key.sparse.iter().map(|sparse| sparse.attribute.clone()));
    }
    present
}
