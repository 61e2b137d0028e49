//! Finds the requests that serve each pattern: which key, with which condition, in which order.
//!
//! The planner tries every key of the returned entity, cheapest first (table before index), and
//! takes the first that serves the pattern. A pattern with optional parameters gets one plan for
//! each choice of them. The rules that judge a plan are in [`crate::check`].

mod action;
mod beside;
mod bind;
mod by_guard;
mod candidate;
mod collection;
mod counted;
mod fit;
mod judge;
mod members;
mod next_greatest;
mod one_kind;
mod order;
pub(crate) mod range;
mod read_back;
mod reduced;
mod scan;
mod sort;
mod table_period;
mod together;
pub mod upsert;
mod why;

pub use why::{Reason, why};

use crate::check::found::Found;
use crate::check::shape::{Space, Spaces};
use crate::check::thrown_away;
use crate::check::{capitals, covered};
use crate::diagnostic::Diagnostic;
use crate::schema::{Model, Pattern, PatternPlan};
use reduced::{choices, without};

/// Plans every pattern, and reports those that cannot be served as promised.
pub(crate) fn plan_all(model: &mut Model, spaces: &Spaces, diagnostics: &mut Vec<Diagnostic>) {
    for at in 0..model.patterns.len() {
        let Some(pattern) = model.patterns.get(at) else {
            continue;
        };
        let before = diagnostics.len();
        let plan = match plan_one(model, spaces, pattern, diagnostics) {
            Ok(mut plan) => {
                read_back::add_keys(model, pattern, &mut plan);
                diagnostics.extend(thrown_away::check(model, pattern));
                plan
            }
            Err(diagnostic) => {
                diagnostics.push(*diagnostic);
                continue;
            }
        };
        let mut variants = Vec::new();
        for absent in choices(pattern) {
            let reduced = without(pattern, &absent);
            match plan_one(model, spaces, &reduced, diagnostics) {
                Ok(mut reduced) => {
                    read_back::add_keys(model, pattern, &mut reduced);
                    diagnostics.extend(capitals::check(pattern, &plan, (&absent, &reduced)));
                    variants.push((absent, reduced));
                }
                Err(diagnostic) => {
                    let note = format!("this is {} without {}", pattern.name, absent.join(", "));
                    diagnostics.push(diagnostic.note(note));
                    break;
                }
            }
        }
        let mut plans = std::iter::once(&plan).chain(variants.iter().map(|(_, plan)| plan));
        if diagnostics.len() == before && plans.all(|plan| plan.fetched.is_empty()) {
            diagnostics.extend(covered::nothing_to_fetch(pattern));
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
    let mut found = match pattern.returned.as_slice() {
        [one] if pattern.scan.is_some() => return scan::plan(model, pattern, one),
        [one] => one_kind::plan(model, pattern, one)?,
        [] | [_, _, ..] => collection::plan(model, spaces, pattern)?,
    };
    found.plan.fetched = fetched(model, pattern, &found);
    judge::judge(model, spaces, pattern, &found, diagnostics);
    Ok(found.plan)
}

/// The attributes that a plan fetches from the table, because its local index lacks them.
fn fetched(model: &Model, pattern: &Pattern, found: &Found) -> Vec<String> {
    let (Some(table), Space::Index(at)) = (model.tables.get(found.table), found.space) else {
        return Vec::new();
    };
    let index = table.indexes.get(at);
    let Some(index) = index.filter(|index| covered::is_fetched(pattern, index)) else {
        return Vec::new();
    };
    let mut names: Vec<String> = Vec::new();
    let is_beside = |place: usize| found.plan.beside.iter().any(|(at, _)| *at == place);
    let returned = pattern.returned.iter().enumerate();
    for (_, returned) in returned.filter(|(place, _)| !is_beside(*place)) {
        if let Some(entity) = model.entities.get(returned.entity) {
            let copy = returned.copy.and_then(|at| entity.copies.get(at));
            names.extend(covered::lacking(pattern, table, entity, copy, index));
        }
    }
    names.sort_unstable();
    names.dedup();
    names
}
