//! The plan of several items in parentheses: one request that reads each by its whole key.

use super::candidate::candidates;
use super::fit::{Unfit, fit};
use crate::check::{copied, served};
use crate::diagnostic::Diagnostic;
use crate::resolve::together::given_by;
use crate::schema::{
    Entity, Get, Limit, Model, Parameter, Pattern, PatternPlan, RequestKind, Returned,
    SortCondition, Table, Together,
};
use crate::template::{KeyTemplate, Part};

/// The plan that reads each item by its key.
pub(super) fn plan(
    model: &Model,
    pattern: &Pattern,
    together: Together,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<PatternPlan, Box<Diagnostic>> {
    let (mut gets, mut misses) = (Vec::new(), Vec::new());
    for returned in &pattern.returned {
        let name = model.name_of(returned);
        let (Some(entity), Some(table)) = place_of(model, returned) else {
            continue;
        };
        let of_one = of_one(model, pattern, returned);
        match by_key(&of_one, returned, entity, table) {
            Ok(plan) => {
                if let Some(copy) = returned.copy.and_then(|at| entity.copies.get(at)) {
                    diagnostics.extend(copied::check(&of_one, &plan, table, entity, copy));
                }
                let plan = with_parameters(plan, &returned.bound);
                gets.push(Get { name, plan });
            }
            Err(reason) => misses.push((name, reason)),
        }
    }
    if !misses.is_empty() {
        return Err(Box::new(served::not_by_keys(pattern, misses)));
    }
    Ok(PatternPlan {
        request: match together {
            Together::Snapshot => RequestKind::TransactGetItems,
            Together::Batch => RequestKind::BatchGetItem,
        },
        table: gets
            .first()
            .map_or(String::new(), |get| get.plan.table.clone()),
        strong: pattern.strong.is_some() || together == Together::Snapshot,
        only: pattern.only.clone(),
        gets,
        ..PatternPlan::default()
    })
}

/// The entity and the table of a returned item.
fn place_of<'m>(model: &'m Model, returned: &Returned) -> (Option<&'m Entity>, Option<&'m Table>) {
    let entity = model.entities.get(returned.entity);
    (
        entity,
        entity.and_then(|entity| model.tables.get(entity.table)),
    )
}

/// The pattern that returns only this item, by the attributes of its key.
fn of_one(model: &Model, pattern: &Pattern, returned: &Returned) -> Pattern {
    let mut one = pattern.clone();
    one.returned = vec![returned.clone()];
    one.parameters = pattern
        .parameters
        .iter()
        .flat_map(|parameter| {
            given_by(&parameter.name, returned, model).map(|attribute| Parameter {
                name: attribute.to_owned(),
                attribute: attribute.to_owned(),
                limit: Limit::Equal,
                ..parameter.clone()
            })
        })
        .collect();
    // Each item has some of the attributes.
    let entity = model.entities.get(returned.entity);
    one.only
        .retain(|name| entity.is_some_and(|entity| entity.attribute(name).is_some()));
    one
}

/// The plan of one item by the key of the table, or the reason why there is none.
fn by_key(
    pattern: &Pattern,
    returned: &Returned,
    entity: &Entity,
    table: &Table,
) -> Result<PatternPlan, String> {
    if table.period.is_some() {
        return Err(format!(
            "{} has a table for each period, and a request for several items fails when one of its tables does not exist yet",
            table.name
        ));
    }
    let own = candidates(table, entity, returned);
    let own = own.first().ok_or("it has no key")?;
    match fit(pattern, returned, entity, table, own) {
        Ok(plan) if plan.request == RequestKind::GetItem => Ok(plan),
        Ok(_) => Err(format!(
            "it may lie in several items, because `split` cuts a list of {}",
            entity.name
        )),
        Err(Unfit::Reason(reason) | Unfit::Order(reason) | Unfit::Narrow { reason, .. }) => {
            Err(format!("{}: {reason}", own.label))
        }
    }
}

/// The plan with the names of the parameters in the place of those of the attributes.
fn with_parameters(mut plan: PatternPlan, bound: &[(String, String)]) -> PatternPlan {
    let rename = |template: &mut KeyTemplate| {
        template
            .parts
            .iter_mut()
            .for_each(|part| rename(part, bound));
    };
    plan.partition.iter_mut().for_each(rename);
    if let SortCondition::Equal(sort) = &mut plan.sort {
        rename(sort);
    }
    plan
}

fn rename(part: &mut Part, bound: &[(String, String)]) {
    match part {
        Part::Field { name, .. } => {
            if let Some((_, parameter)) = bound.iter().find(|(attribute, _)| attribute == name) {
                name.clone_from(parameter);
            }
        }
        Part::Shard { of, .. } => of.iter_mut().for_each(|part| rename(part, bound)),
        Part::Text(_) | Part::Chunk | Part::Break => {}
    }
}
