//! Finds the requests that serve each pattern: which key, with which condition, in which order.
//!
//! The planner tries every key of the returned entity, cheapest first (table before index), and
//! takes the first that serves the pattern. A pattern with optional parameters gets one plan for
//! each choice of them. The rules that judge a plan are in [`crate::check`].

mod action;
mod beside;
mod bind;
mod candidate;
mod collection;
mod fit;
mod judge;
mod members;
mod next_greatest;
mod one_kind;
mod order;
mod range;
mod scan;
mod sort;
mod table_period;
mod together;
pub mod upsert;

use crate::check::shape::Spaces;
use crate::diagnostic::Diagnostic;
use crate::schema::{Model, Pattern, PatternPlan};

/// Plans every pattern, and reports those that cannot be served as promised.
pub(crate) fn plan_all(model: &mut Model, spaces: &Spaces, diagnostics: &mut Vec<Diagnostic>) {
    for at in 0..model.patterns.len() {
        let Some(pattern) = model.patterns.get(at) else {
            continue;
        };
        let plan = match plan_one(model, spaces, pattern, diagnostics) {
            Ok(plan) => plan,
            Err(diagnostic) => {
                diagnostics.push(*diagnostic);
                continue;
            }
        };
        let mut variants = Vec::new();
        for absent in choices(pattern) {
            let reduced = without(pattern, &absent);
            match plan_one(model, spaces, &reduced, diagnostics) {
                Ok(plan) => variants.push((absent, plan)),
                Err(diagnostic) => {
                    let note = format!("this is {} without {}", pattern.name, absent.join(", "));
                    diagnostics.push(diagnostic.note(note));
                    break;
                }
            }
        }
        if let Some(pattern) = model.patterns.get_mut(at) {
            pattern.plan = plan;
            pattern.variants = variants;
        }
    }
    next_greatest::plan_all(model, spaces, diagnostics);
}

/// Plans a pattern for all of its parameters, and judges the plan.
fn plan_one(
    model: &Model,
    spaces: &Spaces,
    pattern: &Pattern,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<PatternPlan, Box<Diagnostic>> {
    if let Some(together) = pattern.together {
        return together::plan(model, pattern, together, diagnostics);
    }
    let found = match pattern.returned.as_slice() {
        [one] if pattern.scan.is_some() => return scan::plan(model, pattern, one),
        [one] => one_kind::plan(model, pattern, one)?,
        [] | [_, _, ..] => collection::plan(model, spaces, pattern)?,
    };
    judge::judge(model, spaces, pattern, &found, diagnostics);
    Ok(found.plan)
}

/// The sets of optional parameters that may be left out together, the smallest first. An optional
/// parameter can be given only if those before it are given.
fn choices(pattern: &Pattern) -> Vec<Vec<String>> {
    let optional: Vec<String> = pattern
        .parameters
        .iter()
        .filter(|p| p.optional)
        .map(|parameter| parameter.name.clone())
        .collect();
    (0..optional.len())
        .rev()
        .map(|from| optional.iter().skip(from).cloned().collect())
        .collect()
}

/// The pattern without some of its parameters and the comparisons of filters that use them.
fn without(pattern: &Pattern, absent: &[String]) -> Pattern {
    let mut reduced = pattern.clone();
    reduced
        .parameters
        .retain(|parameter| !absent.contains(&parameter.name));
    let filters = reduced.filters.iter();
    reduced.filters = filters.filter_map(|one| one.without(absent)).collect();
    reduced
}
