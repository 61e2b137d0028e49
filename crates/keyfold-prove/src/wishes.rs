//! Rows for which the model's conditions hold. A condition such as `k = "x"` on an open type would
//! hold for no random row, and what depends on it would be proved of nothing.
//!
//! Each condition is a wish. A row fulfils one by having the values that the condition compares with,
//! or misses it narrowly: by the number beside, or by a text that begins like the other.

use crate::sql_value::of_text;
use keyfold_model::Model;
use keyfold_model::schema::Condition;
use keyfold_types::Value;

/// What rows of an entity are to fulfil: values of attributes, and conditions.
#[derive(Clone)]
pub(crate) struct Wish<'m> {
    pub(crate) equal: Vec<(&'m str, Value)>,
    pub(crate) conditions: &'m [Condition],
}

/// The wishes of a model, by entity.
pub(crate) struct Wishes<'m> {
    pub(crate) of_entity: Vec<Vec<Wish<'m>>>,
    /// The number of wishes that rows were made for: each has its turn.
    pub(crate) turns: usize,
}

impl<'m> Wishes<'m> {
    pub(crate) fn of(model: &'m Model) -> Wishes<'m> {
        let mut wishes = Wishes {
            of_entity: vec![Vec::new(); model.entities.len()],
            turns: 0,
        };
        let mut add = |at: usize, fixed: Vec<(&'m str, &'m str)>, conditions: &'m [Condition]| {
            let (Some(entity), Some(all)) = (model.entities.get(at), wishes.of_entity.get_mut(at))
            else {
                return;
            };
            let equal = fixed.into_iter().filter_map(|(name, text)| {
                let attribute = entity.attribute(name)?;
                Some((name, of_text(&attribute.kind, text)?))
            });
            let equal: Vec<(&str, Value)> = equal.collect();
            if !equal.is_empty() || !conditions.is_empty() {
                all.push(Wish { equal, conditions });
            }
        };
        for (at, entity) in model.entities.iter().enumerate() {
            for copy in &entity.copies {
                add(at, Vec::new(), &copy.when);
            }
            for aggregate in &entity.aggregates {
                let condition = aggregate.condition.iter();
                let fixed = condition.map(|(name, text)| (name.as_str(), text.as_str()));
                add(aggregate.entity, fixed.collect(), &[]);
            }
            for sparse in entity.indexes.iter().filter_map(|one| one.sparse.as_ref()) {
                let wanted = sparse.value.iter();
                let fixed = wanted.map(|text| (sparse.attribute.as_str(), text.as_str()));
                add(at, fixed.collect(), &[]);
            }
            if let Some(view) = &entity.view {
                add(view.source, Vec::new(), &view.when);
            }
        }
        for action in model.writes.iter().flat_map(|write| &write.actions) {
            add(action.entity, Vec::new(), &action.conditions);
        }
        for pattern in &model.patterns {
            for returned in &pattern.returned {
                let fixed = pattern.fixed_values.iter();
                let fixed = fixed.map(|(name, _, text)| (name.as_str(), text.as_str()));
                add(returned.entity, fixed.collect(), &pattern.filters);
            }
        }
        wishes
    }
}
