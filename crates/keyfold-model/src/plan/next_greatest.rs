//! The search of `max` for the next greatest when the greatest goes: a pattern of its own, which
//! must be served by the table or a local index, because these can be read strongly.

use super::candidate::{candidates, fit};
use super::range;
use crate::check::found::Found;
use crate::check::shape::{Owner, Space, Spaces};
use crate::diagnostic::Diagnostic;
use crate::schema::{
    Aggregate, AggregateKind, Entity, IndexKind, Limit, Model, Order, Ordered, Parameter, Pattern,
    Returned,
};
use crate::schema::{Fan, PatternPlan, SortCondition};
use crate::template::{Format, Part};

pub(super) fn plan_all(model: &mut Model, spaces: &Spaces, diagnostics: &mut Vec<Diagnostic>) {
    for at in 0..model.entities.len() {
        let Some(parent) = model.entities.get(at) else {
            continue;
        };
        let mut plans = Vec::new();
        for aggregate in &parent.aggregates {
            plans.push(match aggregate.kind {
                AggregateKind::Count | AggregateKind::Sum => None,
                AggregateKind::Max => match plan(model, spaces, parent, aggregate) {
                    Ok(plan) => Some(plan),
                    Err(diagnostic) => {
                        diagnostics.push(*diagnostic);
                        None
                    }
                },
            });
        }
        if let Some(parent) = model.entities.get_mut(at) {
            for (aggregate, plan) in parent.aggregates.iter_mut().zip(plans) {
                aggregate.next = plan;
            }
        }
    }
}

fn plan(
    model: &Model,
    spaces: &Spaces,
    parent: &Entity,
    aggregate: &Aggregate,
) -> Result<PatternPlan, Box<Diagnostic>> {
    let pattern = question(model, parent, aggregate);
    let child = model.entities.get(aggregate.entity);
    let table = child.and_then(|child| model.tables.get(child.table));
    if let (Some(child), Some(table)) = (child, table) {
        // The entity itself, or a copy that holds the attribute.
        let holds = |copy: &&crate::schema::Copy| {
            copy.attributes
                .iter()
                .any(|name| aggregate.of.as_ref() == Some(name))
        };
        let copies = child
            .copies
            .iter()
            .enumerate()
            .filter(|(_, copy)| holds(copy))
            .map(|(at, _)| Some(at));
        let all = std::iter::once(None).chain(copies).map(|copy| Returned {
            entity: aggregate.entity,
            copy,
            many: true,
            optional: false,
            span: aggregate.span,
        });
        let all: Vec<Returned> = all.collect();
        for (returned, candidate) in all.iter().flat_map(|one| {
            candidates(table, child, one)
                .into_iter()
                .map(move |found| (one, found))
        }) {
            let strong = match candidate.space {
                Space::Table => true,
                Space::Index(at) => table
                    .indexes
                    .get(at)
                    .is_some_and(|index| index.kind == IndexKind::Local),
            };
            if !strong {
                continue;
            }
            if let Ok(plan) = fit(&pattern, returned, child, table, &candidate)
                && plan.fan == Fan::One
                && is_of_one_parent(&plan, aggregate)
            {
                let owner = Owner {
                    entity: aggregate.entity,
                    copy: returned.copy,
                    is_guard: false,
                };
                let found = Found {
                    plan,
                    table: child.table,
                    space: candidate.space,
                    members: vec![owner],
                };
                // Another kind in the range could be taken for the next greatest.
                if range::exact(model, spaces, &pattern, &found).is_none() {
                    return Ok(found.plan);
                }
            }
        }
    }
    let child = child.map_or("", |child| child.name.as_str());
    let of = aggregate.of.clone().unwrap_or_default();
    let by: Vec<&str> = aggregate
        .link
        .iter()
        .map(|(_, name)| name.as_str())
        .collect();
    let message =
        format!("when the {child} with the greatest `{of}` goes, the next one cannot be found");
    Err(Box::new(
        Diagnostic::error("KF016", aggregate.span, message, "no key gives it in one strong read")
            .note(format!(
                "that needs the {child} items of one {} in the order of `{of}`, in the table or a local index: a global index is read eventually",
                parent.name
            ))
            .help(format!(
                "add a copy to {child}: `copy by_{of} \"{}#{{{}}}\" \"{}#{{{of}}}#...\"`, or a local index with `{of}` as its sort key",
                parent.name.to_uppercase(),
                by.join("}#{"),
                of.to_uppercase()
            )),
    ))
}

/// Whether the key tells parents apart: `{id:lower}` is that of several.
fn is_of_one_parent(plan: &PatternPlan, aggregate: &Aggregate) -> bool {
    let bound = match &plan.sort {
        SortCondition::Equal(one) | SortCondition::BeginsWith(one) => Some(one),
        _ => None,
    };
    let parts = || {
        plan.partition
            .iter()
            .chain(bound)
            .flat_map(|template| &template.parts)
    };
    aggregate.link.iter().all(|(_, name)| {
        let tells = |part: &Part| {
            matches!(part, Part::Field { name: field, format, .. } if field == name && *format != Format::Lower)
        };
        parts().any(tells)
    })
}

/// The items of one parent, greatest first.
fn question(model: &Model, parent: &Entity, aggregate: &Aggregate) -> Pattern {
    let child = model.entities.get(aggregate.entity);
    let kind = |name: &str| {
        child
            .and_then(|child| child.attribute(name))
            .map(|found| found.kind.clone())
    };
    let parameters = aggregate
        .link
        .iter()
        .filter_map(|(_, name)| {
            Some(Parameter {
                name: name.clone(),
                attribute: name.clone(),
                kind: kind(name)?,
                limit: Limit::Equal,
                optional: false,
                span: aggregate.span,
            })
        })
        .collect();
    let fixed: Vec<(String, String)> = aggregate.condition.iter().cloned().collect();
    let is_time = aggregate
        .of
        .as_ref()
        .and_then(|of| kind(of))
        .is_some_and(|kind| kind.is_time());
    Pattern {
        name: format!("{}.{}", parent.name, aggregate.attribute),
        span: aggregate.span,
        parameters,
        fixed_values: fixed
            .iter()
            .filter_map(|(name, text)| Some((name.clone(), kind(name)?, text.clone())))
            .collect(),
        fixed,
        returned: vec![Returned {
            entity: aggregate.entity,
            copy: None,
            many: true,
            optional: false,
            span: aggregate.span,
        }],
        present: Vec::new(),
        only: Vec::new(),
        order: Some(Ordered {
            order: if is_time {
                Order::Newest
            } else {
                Order::Highest
            },
            attribute: aggregate.of.clone(),
            span: aggregate.span,
        }),
        page: Some(2),
        strong: Some(aggregate.span),
        scan: None,
        filters: Vec::new(),
        rate: None,
        plan: PatternPlan::default(),
        variants: Vec::new(),
    }
}
