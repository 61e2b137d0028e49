//! Plans the search of `max` for the next greatest when the greatest is deleted or changed. The
//! search is a pattern of its own, which the table or a local index must serve: only these can be
//! read strongly.

use super::candidate::candidates;
use super::counted;
use super::fit::fit;
use super::range;
use crate::check::covered::is_read_back;
use crate::check::found::Found;
use crate::check::served::padded_field;
use crate::check::shape::{Owner, Space, Spaces};
use crate::diagnostic::{Diagnostic, Edit};
use crate::schema::{
    Aggregate, AggregateKind, Entity, Fan, IndexKind, Limit, Model, Order, Ordered, Parameter,
    Pattern, PatternPlan, Returned, SortCondition, Table,
};
use crate::template::{Format, Part};
use crate::value::key_gives_back;
use crate::written::fits_in_text;

/// Plans the search of every `max`, and reports those that no key serves.
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
                let (next, copy) = plan.unzip();
                aggregate.next = next;
                aggregate.next_copy = copy.flatten();
            }
        }
    }
}

/// The plan of a search, and the position of the copy that it reads; `None` for the items themselves.
type Search = (PatternPlan, Option<usize>);

/// The plan of the search for one aggregate.
fn plan(
    model: &Model,
    spaces: &Spaces,
    parent: &Entity,
    aggregate: &Aggregate,
) -> Result<Search, Box<Diagnostic>> {
    let child = model.entities.get(aggregate.entity);
    let table = child.and_then(|child| model.tables.get(child.table));
    let found = match (child, table) {
        (Some(child), Some(table)) => {
            let pattern = search(model, parent, aggregate);
            served(model, spaces, &pattern, aggregate, (child, table))
        }
        (None, _) | (Some(_), None) => None,
    };
    found.ok_or_else(|| Box::new(not_served(parent, child, aggregate)))
}

/// The plan by the first key that can be read strongly and holds the items of one parent alone.
fn served(
    model: &Model,
    spaces: &Spaces,
    pattern: &Pattern,
    aggregate: &Aggregate,
    (child, table): (&Entity, &Table),
) -> Option<Search> {
    for returned in kinds(child, aggregate) {
        for candidate in candidates(table, child, &returned) {
            if !is_strong(table, candidate.space)
                || !gives_value((table, child), &returned, candidate.space, aggregate)
            {
                continue;
            }
            let Ok(plan) = fit(pattern, &returned, child, table, &candidate) else {
                continue;
            };
            if plan.fan != Fan::One || !is_of_one_parent(&plan, aggregate) {
                continue;
            }
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
            if range::exact(model, spaces, pattern, &found).is_none() {
                return Some((found.plan, returned.copy));
            }
        }
    }
    None
}

/// The kinds of items that give the attribute: the entity itself, and some of its copies. Those
/// that store it come before those that have it in their key.
fn kinds(child: &Entity, aggregate: &Aggregate) -> Vec<Returned> {
    let Some(of) = &aggregate.of else {
        return Vec::new();
    };
    let stores = |at: &usize| {
        let copy = child.copies.get(*at);
        copy.is_some_and(|copy| copy.attributes.contains(of))
    };
    let copies = child.copies.iter().enumerate().filter(|(at, copy)| {
        // A copy that some of the items lack could miss the next greatest.
        let mut when = copy.when.iter();
        let has_all = when.all(|one| counted::holds(one, aggregate, child));
        has_all && (stores(at) || key_gives_back(&copy.key, of))
    });
    let mut copies: Vec<usize> = copies.map(|(at, _)| at).collect();
    copies.sort_by_key(|at| !stores(at));
    std::iter::once(None)
        .chain(copies.into_iter().map(Some))
        .map(|copy| all_of(aggregate, copy))
        .collect()
}

/// All items of the aggregate's entity, or of one of its copies.
fn all_of(aggregate: &Aggregate, copy: Option<usize>) -> Returned {
    Returned {
        entity: aggregate.entity,
        copy,
        many: true,
        optional: false,
        alias: None,
        bound: Vec::new(),
        span: aggregate.span,
    }
}

/// Whether DynamoDB reads a key space strongly.
fn is_strong(table: &Table, space: Space) -> bool {
    match space {
        Space::Table => true,
        Space::Index(at) => table
            .indexes
            .get(at)
            .is_some_and(|index| index.kind == IndexKind::Local),
    }
}

/// Whether the entries of a key space give the value that is compared: they hold it, or one of their
/// keys gives it back.
fn gives_value(
    (table, child): (&Table, &Entity),
    returned: &Returned,
    space: Space,
    aggregate: &Aggregate,
) -> bool {
    let Space::Index(at) = space else {
        return true;
    };
    let copy = returned.copy.and_then(|copy| child.copies.get(copy));
    let (Some(index), Some(of)) = (table.indexes.get(at), &aggregate.of) else {
        return false;
    };
    is_read_back(table, child, copy, index, of)
}

/// The report that no key serves the search.
fn not_served(parent: &Entity, child: Option<&Entity>, aggregate: &Aggregate) -> Diagnostic {
    let name = child.map_or("", |child| child.name.as_str());
    let of = aggregate.of.clone().unwrap_or_default();
    let by: Vec<&str> = aggregate
        .link
        .iter()
        .map(|(_, name)| name.as_str())
        .collect();
    let message =
        format!("when the {name} with the greatest `{of}` goes, the next one cannot be found");
    let condition = aggregate.condition.as_ref();
    let condition = condition.map_or(String::new(), |(fixed, text)| {
        format!(" with `{fixed} = {text}`")
    });
    let diagnostic =
        Diagnostic::error("KF016", aggregate.span, message, "no key gives it in one strong read")
        .note(format!(
            "that needs the {name} items of one {}{condition} in the order of `{of}`, in the table or a local index: a global index is read eventually",
            parent.name
        ));
    let local = match &aggregate.condition {
        None => format!("or add a local index with `{of}` as its sort key"),
        Some((fixed, _)) => format!(
            "or give {name} a key in a local index that begins with `{fixed}`, and has `{of}` behind it: the others are then not between them"
        ),
    };
    match child.filter(|child| {
        by.iter().all(|name| fits_in_text(name))
            && fits_in_text(&of)
            && aggregate
                .condition
                .iter()
                .all(|(fixed, _)| fits_in_text(fixed))
            && child.key.fields().all(fits_in_text)
    }) {
        Some(child) => {
            let fixed = aggregate
                .condition
                .as_ref()
                .map(|(fixed, _)| fixed.as_str());
            let line = ordered_copy(parent, child, (&of, fixed), &by);
            let added = format!("\n  {line}");
            diagnostic
                .help(format!("add a copy to {name}: `{line}`"))
                .repair(vec![Edit::insert(child.end, added)])
                .help(local)
        }
        None => diagnostic.help(local),
    }
}

/// The line of a copy that lies in the order of an attribute, of those items together that have one
/// value of `fixed`.
fn ordered_copy(
    parent: &Entity,
    child: &Entity,
    (of, fixed): (&str, Option<&str>),
    by: &[&str],
) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let name = of.replace(|c| !is_part(c), "_");
    let identity = child
        .key
        .fields()
        .filter(|field| *field != of && Some(*field) != fixed && !by.contains(field));
    let identity: String = identity.map(|field| format!("#{{{field}}}")).collect();
    let fixed = fixed.map_or(String::new(), |fixed| format!("{{{fixed}}}#"));
    let optional = by.iter().filter(|name| {
        let found = child.attribute(name);
        found.is_some_and(|found| found.optional)
    });
    let present: Vec<String> = optional.map(|name| format!("exists {name}")).collect();
    let when = match present.as_slice() {
        [] => String::new(),
        all => format!(" when {}", all.join(" and ")),
    };
    format!(
        "copy by_{name} \"{}#{{{}}}\" \"{}#{fixed}{}{identity}\"{when}",
        parent.name.to_uppercase(),
        by.join("}#{"),
        child.name.to_uppercase(),
        padded_field(child, of),
    )
}

/// Whether the key holds items of one parent only: `{id:lower}` is shared by several.
fn is_of_one_parent(plan: &PatternPlan, aggregate: &Aggregate) -> bool {
    let bound = match &plan.sort {
        SortCondition::Equal(one) | SortCondition::BeginsWith(one) => Some(one),
        SortCondition::Any
        | SortCondition::Between(_, _)
        | SortCondition::AtLeast(_)
        | SortCondition::AtMost(_) => None,
    };
    let parts = || {
        plan.partition
            .iter()
            .chain(bound)
            .flat_map(|template| &template.parts)
    };
    aggregate.link.iter().all(|(_, name)| {
        let identifies = |part: &Part| {
            matches!(part, Part::Field { name: field, format, .. } if field == name && *format != Format::Lower)
        };
        parts().any(identifies)
    })
}

/// The search as a pattern: the items of one parent, greatest first.
fn search(model: &Model, parent: &Entity, aggregate: &Aggregate) -> Pattern {
    let child = model.entities.get(aggregate.entity);
    let kind = |name: &str| {
        child
            .and_then(|child| child.attribute(name))
            .map(|found| found.kind.clone())
    };
    let parameter = |(_, name): &(String, String)| {
        Some(Parameter {
            name: name.clone(),
            attribute: name.clone(),
            kind: kind(name)?,
            limit: Limit::Equal,
            optional: false,
            span: aggregate.span,
        })
    };
    let fixed_value =
        |(name, text): &(String, String)| Some((name.clone(), kind(name)?, text.clone()));
    let is_time = aggregate
        .of
        .as_ref()
        .and_then(|of| kind(of))
        .is_some_and(|kind| kind.is_time());
    Pattern {
        name: format!("{}.{}", parent.name, aggregate.attribute),
        span: aggregate.span,
        parameters: aggregate.link.iter().filter_map(parameter).collect(),
        fixed: aggregate.condition.iter().cloned().collect(),
        fixed_values: aggregate.condition.iter().filter_map(fixed_value).collect(),
        returned: vec![all_of(aggregate, None)],
        together: None,
        returned_end: aggregate.span.end,
        // Items without the attribute are not in the aggregate.
        present: aggregate.of.iter().cloned().collect(),
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
        fetch: None,
        filters: Vec::new(),
        rate: None,
        plan: PatternPlan::default(),
        variants: Vec::new(),
    }
}
