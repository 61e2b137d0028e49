//! Differences of a pattern: its parameters, its result and its plans.

use super::change::{Change, Changes, Migration, Place};
use super::shape::named;
use crate::words::promise;
use keyfold_model::schema::Parameter;
use keyfold_model::{Model, Pattern, PatternPlan};

/// Compares a pattern of the old model with that of the new.
pub(super) fn pattern(
    (old_model, old): (&Model, &Pattern),
    (new_model, new): (&Model, &Pattern),
    all: &mut Vec<Change>,
) {
    let (before, after) = (pattern_text(old_model, old), pattern_text(new_model, new));
    if before != after {
        Changes::of(format!("pattern {}", new.name), Place::New(new.span), all).add(
            format!("{before} becomes {after}"),
            Migration::None,
            "read the new way when the data is there",
        );
    }
    if old.rate != new.rate {
        let text = |rate: Option<u64>| {
            rate.map_or("no declared rate".to_owned(), |rate| {
                format!("expected {rate} times a second")
            })
        };
        Changes::of(format!("pattern {}", new.name), Place::New(new.span), all)
            .add_harmless(format!("{} becomes {}", text(old.rate), text(new.rate)));
    }
}

fn pattern_text(model: &Model, pattern: &Pattern) -> String {
    let Pattern {
        name: _,
        span: _,
        parameters,
        // The key conditions and filters of the plans show them.
        fixed: _,
        fixed_values: _,
        present: _,
        filters: _,
        returned_end: _,
        // The promise shows both.
        returned: _,
        only: _,
        // The plan's request shows it.
        together: _,
        // The plans show them.
        order: _,
        page: _,
        strong: _,
        scan: _,
        // `requests` shows it.
        fetch: _,
        // The caller reports it: it changes no request.
        rate: _,
        // `plans` returns them together.
        plan: _,
        variants: _,
    } = pattern;
    let parameters: Vec<String> = parameters.iter().map(parameter_text).collect();
    let plans: Vec<String> = pattern
        .plans()
        .map(|(without, plan)| plan_text(without, plan))
        .collect();
    format!(
        "({}) -> {} by {}",
        parameters.join(", "),
        promise(model, pattern),
        plans.join("; ")
    )
}

fn parameter_text(parameter: &Parameter) -> String {
    let Parameter {
        name,
        kind,
        optional,
        // The key conditions and filters of the plans show both.
        attribute: _,
        limit: _,
        span: _,
    } = parameter;
    named(name, kind, *optional)
}

/// A plan, and the optional parameters that it does without.
fn plan_text(without: &[String], plan: &PatternPlan) -> String {
    let PatternPlan {
        request,
        // `place` shows them.
        table: _,
        index: _,
        period: _,
        // `key_condition` shows them.
        partition_attributes: _,
        partition: _,
        sort_attributes: _,
        sort: _,
        strict: _,
        // `requests` shows it.
        fan: _,
        descending,
        // They follow from the key, whose change the entity reports.
        ordered_by: _,
        is_reversed: _,
        page,
        strong,
        // The promise shows it.
        only: _,
        filters,
        // `place` and `key_condition` show them.
        gets: _,
        beside: _,
        // `requests` shows them.
        fetched: _,
        guard: _,
    } = plan;
    let order = if *descending { " descending" } else { "" };
    let page = page.map_or(String::new(), |page| format!(" page {page}"));
    let strong = if *strong { " strong" } else { "" };
    let filters: String = filters
        .iter()
        .map(|filter| format!(" filter {filter}"))
        .collect();
    let without = if without.is_empty() {
        String::new()
    } else {
        format!(" without {}", without.join(", "))
    };
    format!(
        "{request} {} {}{order}{page}{strong}{filters}, {} a page{without}",
        plan.place(),
        plan.key_condition(),
        plan.requests()
    )
}
