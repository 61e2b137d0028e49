//! Patterns to requests: which key serves a pattern, with which condition, in which order.
//!
//! Every key of the returned entity is tried, the cheapest first (table before index); the first
//! that serves the pattern is its plan. A pattern with optional parameters has a plan for each
//! choice of them. The rules that judge a plan are in [`crate::check`].

mod bind;
mod candidate;
mod collection;
mod judge;
mod next_greatest;
mod range;
mod scan;
mod sort;

use crate::check::shape::Spaces;
use crate::diagnostic::Diagnostic;
use crate::schema::{Model, Operand, Order, Pattern, PatternPlan};
use crate::template::BREAK;

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
            let mut fewer = pattern.clone();
            fewer
                .parameters
                .retain(|parameter| !absent.contains(&parameter.name));
            // Nothing is filtered by what is not given.
            fewer.filters.retain(
                |filter| !matches!(&filter.operand, Some(Operand::Parameter(name)) if absent.contains(name)),
            );
            match plan_one(model, spaces, &fewer, diagnostics) {
                Ok(plan) => variants.push((absent, plan)),
                Err(diagnostic) => {
                    let without = format!("this is {} without {}", pattern.name, absent.join(", "));
                    diagnostics.push(diagnostic.note(without));
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

fn plan_one(
    model: &Model,
    spaces: &Spaces,
    pattern: &Pattern,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<PatternPlan, Box<Diagnostic>> {
    let found = match pattern.returned.as_slice() {
        [one] if pattern.scan.is_some() => return scan::plan(model, pattern, one),
        [one] => candidate::plan(model, pattern, one)?,
        _ => collection::plan(model, spaces, pattern)?,
    };
    judge::judge(model, spaces, pattern, &found, diagnostics);
    Ok(found.plan)
}

/// The optional parameters that may be left out together: one needs those before it.
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

/// Whether an order is descending.
fn descends(order: Option<Order>) -> bool {
    matches!(order, Some(Order::Newest | Order::Highest))
}

/// Above every character of any key.
const LAST_CHARACTER: char = char::MAX;

// A break is below every character, so that a key of several attributes is ordered attribute by
// attribute.
const _: () = assert!(BREAK as u32 == 0);
