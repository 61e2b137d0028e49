//! The single kinds of a collection whose pattern gives a range: a range does not limit them, and
//! each comes by a GetItem beside the first page.

use super::bind::is_range;
use super::candidate::candidates;
use super::fit::{Unfit, fit};
use crate::schema::{Model, Pattern, PatternPlan, RequestKind};

/// The plans of the single kinds, with their places in the pattern's result. `Err` is the reason why
/// one of them does not come by its key.
pub(super) fn plans(model: &Model, pattern: &Pattern) -> Result<Vec<(usize, PatternPlan)>, String> {
    let mut plans = Vec::new();
    let single = pattern.returned.iter().enumerate();
    for (at, returned) in single.filter(|(_, one)| !one.many) {
        let Some(entity) = model.entities.get(returned.entity) else {
            continue;
        };
        let Some(table) = model.tables.get(entity.table) else {
            continue;
        };
        let name = &entity.name;
        if !pattern.filters.is_empty() {
            return Err(format!(
                "{name} comes by a GetItem beside the range, which does not filter"
            ));
        }
        let mut alone = pattern.clone();
        alone.returned = vec![returned.clone()];
        alone.parameters.retain(|one| !is_range(one.limit));
        (alone.order, alone.page) = (None, None);
        let own = candidates(table, entity, returned);
        let Some(own) = own.first() else { continue };
        match fit(&alone, returned, entity, table, own) {
            Ok(plan) if plan.request == RequestKind::GetItem => plans.push((at, plan)),
            Ok(_) => {
                return Err(format!(
                    "{name} comes by a GetItem beside the range, and it is no single item"
                ));
            }
            Err(Unfit::Reason(reason) | Unfit::Narrow { reason, .. } | Unfit::Order(reason)) => {
                return Err(format!(
                    "{name} comes by a GetItem beside the range, by {}: {reason}",
                    own.label
                ));
            }
        }
    }
    Ok(plans)
}
