//! Patterns to requests: which key serves a pattern, with which condition, in which order.
//!
//! Every key of the returned entity is tried, the cheapest first (table before index); the first that
//! serves the pattern is its plan. A pattern with optional parameters has a plan for each choice of them.
//! The rules that judge a plan are in [`crate::check`].

mod bind;
mod candidate;
mod collection;
mod judge;
mod next_greatest;
mod request;
mod scan;
mod sort;

use crate::check::exact::{self, Range};
use crate::check::shape::{Owner, Space, Spaces};
use crate::diagnostic::Diagnostic;
use crate::language::Language;
use crate::schema::{Limit, Model, Order, Pattern};
use crate::template::{BREAK, KeyTemplate, Part, language_of};

pub use request::{Fan, PatternPlan, RequestKind, SortCondition, TablePeriod};

/// Plans every pattern, and reports those that cannot be served as promised.
pub(crate) fn plan_all(model: &mut Model, spaces: &Spaces, diagnostics: &mut Vec<Diagnostic>) {
    for at in 0..model.patterns.len() {
        let Some(pattern) = model.patterns.get(at) else { continue };
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
            fewer.parameters.retain(|parameter| !absent.contains(&parameter.name));
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
    next_greatest::plan_all(model, diagnostics);
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
    let optional: Vec<String> =
        pattern.parameters.iter().filter(|p| p.optional).map(|parameter| parameter.name.clone()).collect();
    (0..optional.len()).rev().map(|from| optional.iter().skip(from).cloned().collect()).collect()
}

/// A plan and what is needed to judge it.
pub(crate) struct Found {
    pub(crate) plan: PatternPlan,
    pub(crate) table: usize,
    pub(crate) space: Space,
    pub(crate) members: Vec<Owner>,
}

impl Found {
    fn range(&self, pattern: &Pattern, delimiters: &[char]) -> Range {
        // A beginning may be empty: then it says nothing.
        let may_be_empty = |part: &Part| match part {
            Part::Field { name, .. } => {
                pattern.parameters.iter().any(|one| one.limit == Limit::Starts && one.name == *name)
            }
            _ => false,
        };
        let beginning = |prefix: &KeyTemplate| {
            let said = prefix.parts.iter().take_while(|part| !may_be_empty(part)).count();
            language_of(prefix.parts.get(..said).unwrap_or_default(), delimiters).and_anything()
        };
        let partition = self.plan.partition.as_ref();
        Range {
            partition: partition.map_or_else(Language::empty_text, |template| template.language(delimiters)),
            sort: match &self.plan.sort {
                SortCondition::Equal(value) => value.language(delimiters),
                SortCondition::BeginsWith(prefix) => beginning(prefix),
                SortCondition::Between(one, _) | SortCondition::AtLeast(one) | SortCondition::AtMost(one) => {
                    language_of(shared(&one.parts), delimiters).and_anything()
                }
                SortCondition::Any => Language::empty_text().and_anything(),
            },
        }
    }

    pub(crate) fn exact(&self, model: &Model, spaces: &Spaces, pattern: &Pattern) -> Option<Diagnostic> {
        let delimiters = &model.tables.get(self.table)?.delimiters;
        exact::check(model, spaces, pattern, self, &self.range(pattern, delimiters))
    }
}

/// What a range's end shares with all keys in it: all before its field. An open end is that text and one more.
fn shared(end: &[Part]) -> &[Part] {
    let until = match end {
        [.., Part::Field { .. }, Part::Text(text)] if text.starts_with(LAST_CHARACTER) => end.len() - 2,
        [.., _] => end.len() - 1,
        [] => 0,
    };
    end.get(..until).unwrap_or_default()
}

/// Whether an order is descending.
fn descends(order: Option<Order>) -> bool {
    matches!(order, Some(Order::Newest | Order::Highest))
}

/// Above every character of any key.
const LAST_CHARACTER: char = char::MAX;

// A break is below every character, so that a key of several attributes is ordered attribute by attribute.
const _: () = assert!(BREAK as u32 == 0);
