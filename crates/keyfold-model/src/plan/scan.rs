//! Plans for patterns that say `scan`: the request reads the whole table and filters it.

use super::candidate::names;
use crate::check::copied;
use crate::diagnostic::{Diagnostic, Span};
use crate::schema::{
    Comparator, Comparison, Condition, Entity, Fan, Limit, Measure, Model, Operand, Pattern,
    PatternPlan, RequestKind, Returned, SortCondition, Table,
};

/// The plan that reads the whole table of a kind.
pub(super) fn plan(
    model: &Model,
    pattern: &Pattern,
    returned: &Returned,
) -> Result<PatternPlan, Box<Diagnostic>> {
    let unresolved = || {
        Box::new(Diagnostic::error(
            "KF002",
            pattern.span,
            "nothing to scan",
            "no entity",
        ))
    };
    let entity = model.entities.get(returned.entity).ok_or_else(unresolved)?;
    let table = model.tables.get(entity.table).ok_or_else(unresolved)?;
    check_answer(pattern, returned, table, entity)?;
    let filters = filters(pattern)?;
    check_filters(entity, &filters)?;
    let plan = PatternPlan {
        request: RequestKind::Scan,
        table: table.name.clone(),
        index: None,
        partition_attributes: vec![table.partition.name.clone()],
        partition: None,
        sort_attributes: names(table.sort.iter()),
        sort: SortCondition::Any,
        fan: Fan::One,
        period: None,
        descending: false,
        ordered_by: None,
        is_reversed: false,
        page: pattern.page,
        strong: pattern.strong.is_some(),
        only: pattern.only.clone(),
        filters,
        strict: Vec::new(),
        gets: Vec::new(),
        beside: Vec::new(),
        fetched: Vec::new(),
        guard: None,
    };
    let copy = returned.copy.and_then(|at| entity.copies.get(at));
    match copy.and_then(|copy| copied::check(pattern, &plan, table, entity, copy)) {
        Some(diagnostic) => Err(Box::new(diagnostic)),
        None => Ok(plan),
    }
}

/// Refuses an answer that a scan cannot give: ordered, single, of several tables or of split items.
fn check_answer(
    pattern: &Pattern,
    returned: &Returned,
    table: &Table,
    entity: &Entity,
) -> Result<(), Box<Diagnostic>> {
    if let Some(order) = &pattern.order {
        return Err(Box::new(
            Diagnostic::error("KF014", order.span, "a scan is in no order", "this order")
                .note("a table is read partition by partition, in the order of their hashes")
                .help("remove the order, or serve the pattern from an index"),
        ));
    }
    if !returned.many {
        let message = format!("{} promises one item and reads a whole table", pattern.name);
        return refuse(pattern.span, message, "return all of them: `[]`");
    }
    if let Some(unit) = table.period {
        let message = format!(
            "{} is a table per {unit}, and a scan reads one table",
            table.name
        );
        return refuse(pattern.span, message, "ask for a range of times");
    }
    if entity.split.is_some() {
        let message = format!(
            "{} is split over several items, which a scan does not keep together",
            entity.name
        );
        return refuse(pattern.span, message, "serve the pattern from a key");
    }
    Ok(())
}

/// Refuses filters that cannot compare their attribute: it has no order, or it is compressed.
fn check_filters(entity: &Entity, filters: &[Condition]) -> Result<(), Box<Diagnostic>> {
    for filter in filters.iter().flat_map(Condition::comparisons) {
        let kind = entity
            .attribute(&filter.attribute)
            .map(|attribute| &attribute.kind);
        // The types of declared filters were checked where they were resolved.
        let orders = matches!(
            filter.comparator,
            Comparator::AtLeast | Comparator::AtMost | Comparator::Greater | Comparator::Less
        ) && filter.fields.is_empty()
            && filter.measure == Measure::Value;
        if let Some(kind) = kind.filter(|kind| orders && !kind.has_order()) {
            let message = format!(
                "`{}` is {}, which has no order",
                filter.attribute,
                kind.with_article()
            );
            return refuse(filter.span, message, "ask for one value of it");
        }
        if entity.compressed.contains(&filter.attribute) {
            let message = format!(
                "`{}` is stored compressed, and cannot be compared",
                filter.attribute
            );
            return refuse(
                filter.span,
                message,
                "compare it when it is there, or do not compress it",
            );
        }
    }
    Ok(())
}

/// A report that a scan cannot do this.
fn refuse<T>(span: Span, message: String, help: &str) -> Result<T, Box<Diagnostic>> {
    Err(Box::new(
        Diagnostic::error("KF010", span, message, "not in a scan").help(help.to_owned()),
    ))
}

/// The pattern's filters, and everything else that it gives as filters. Unlike a query, a scan can
/// filter by key attributes.
fn filters(pattern: &Pattern) -> Result<Vec<Condition>, Box<Diagnostic>> {
    let mut filters = pattern.filters.clone();
    for (name, kind, text) in &pattern.fixed_values {
        let Ok(value) = crate::value::parse(name, kind, text) else {
            continue;
        };
        let (operand, span) = (Some(Operand::Literal(value)), pattern.span);
        let equal = Comparison::of(name, Comparator::Equal, operand, span);
        filters.push(Condition::Is(equal));
    }
    for name in &pattern.present {
        let exists = Comparison::of(name, Comparator::Exists, None, pattern.span);
        filters.push(Condition::Is(exists));
    }
    for parameter in &pattern.parameters {
        let comparator = match parameter.limit {
            Limit::Free => continue,
            Limit::Equal => Comparator::Equal,
            Limit::AtLeast => Comparator::AtLeast,
            Limit::AtMost => Comparator::AtMost,
            Limit::Above => Comparator::Greater,
            Limit::Below => Comparator::Less,
            Limit::Starts | Limit::In(_) => Comparator::Starts,
            Limit::Among => {
                let message = "a list of ids is no scan".to_owned();
                return refuse(
                    parameter.span,
                    message,
                    "remove `scan`: a list of ids is a BatchGetItem",
                );
            }
        };
        let is_behind = matches!(comparator, Comparator::AtMost | Comparator::Greater);
        if let Some(unit) = parameter.period()
            && is_behind
        {
            let message = format!("a scan compares times, and not the {unit} that they lie in");
            let help = "give the end as a time, as in `at < end`";
            return refuse(parameter.span, message, help);
        }
        let operand = Some(Operand::Parameter(parameter.name.clone()));
        let limited = Comparison::of(&parameter.attribute, comparator, operand, parameter.span);
        filters.push(Condition::Is(limited));
    }
    Ok(filters)
}
