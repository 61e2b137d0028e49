//! Why a pattern reads this key and no other: each key of its table, with the planner's reason.

use super::candidate::{Candidate, candidates};
use super::collection;
use super::fit::{Unfit, fit};
use super::members::Read;
use super::reduced::without;
use crate::check::shape::Space;
use crate::schema::{Entity, IndexKind, Model, Pattern, PatternPlan, Returned, Table};

/// A key of a table, and whether a pattern reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The index; `None` for the table's own key.
    pub index: Option<String>,
    /// Whether the plan reads it.
    pub is_read: bool,
    /// Why it is read, or why it is not.
    pub reason: String,
}

/// The keys of the table that a planned pattern reads, the table's own first. `absent` are the optional
/// parameters that are left out. Empty for a pattern without entities.
pub fn why(model: &Model, pattern: &Pattern, absent: &[String]) -> Vec<Reason> {
    let mut plans = pattern.plans();
    let plan = plans.find(|(names, _)| *names == absent);
    let plan = plan.map_or(&pattern.plan, |(_, plan)| plan);
    let reduced = without(pattern, absent);
    let first = reduced.returned.first();
    let Some(entity) = first.and_then(|one| model.entities.get(one.entity)) else {
        return Vec::new();
    };
    let Some(table) = model.tables.get(entity.table) else {
        return Vec::new();
    };
    if !plan.gets.is_empty() {
        return alone("each item is read by its whole key in its table");
    }
    if pattern.scan.is_some() {
        return alone("the pattern says `scan`: everything is read");
    }
    let spaces = (0..table.indexes.len()).map(Space::Index);
    let spaces = std::iter::once(Space::Table).chain(spaces);
    let judged = spaces.map(|space| {
        let index = index_name(table, space);
        let is_read = plan.guard.is_none() && index == plan.index;
        let reason = match reduced.returned.as_slice() {
            _ if is_read => read(plan),
            [one] => of_one(model, &reduced, (one, entity, table), space),
            [] | [_, _, ..] => of_collection(model, &reduced, (table, entity.table), space),
        };
        Reason {
            index,
            is_read,
            reason,
        }
    });
    let guard = plan.guard.iter().map(|_| Reason {
        index: None,
        is_read: true,
        reason: format!(
            "the guard of the id of {} is read first: it holds what the key needs",
            entity.name
        ),
    });
    guard.chain(judged).collect()
}

/// The table's own key is the only one that comes into question.
fn alone(reason: &str) -> Vec<Reason> {
    vec![Reason {
        index: None,
        is_read: true,
        reason: reason.to_owned(),
    }]
}

fn index_name(table: &Table, space: Space) -> Option<String> {
    match space {
        Space::Table => None,
        Space::Index(at) => table.indexes.get(at).map(|index| index.name.clone()),
    }
}

/// Why the plan's own key is read.
fn read(plan: &PatternPlan) -> String {
    let held = match plan.filters.is_empty() {
        true => "exactly what is asked",
        false => "what is asked, and what the filter throws away",
    };
    format!("it holds {held}: {}", plan.key_condition())
}

/// Why a key that serves, too, is not read.
const LATER: &str = "it serves, too: the table's own key comes first, then local indexes, then global ones as they are declared";

/// Why a key is not read by a pattern that returns one kind of item.
fn of_one(
    model: &Model,
    pattern: &Pattern,
    (returned, entity, table): (&Returned, &Entity, &Table),
    space: Space,
) -> String {
    let all = candidates(table, entity, returned);
    let Some(candidate) = all.into_iter().find(|one| one.space == space) else {
        return absent(model, returned);
    };
    match fit(pattern, returned, entity, table, &candidate) {
        Err(Unfit::Reason(reason) | Unfit::Narrow { reason, .. } | Unfit::Order(reason)) => reason,
        Ok(_) if pattern.strong.is_some() && is_global(table, &candidate) => {
            "a global index has no strong reads".to_owned()
        }
        Ok(_) => LATER.to_owned(),
    }
}

/// Items of this kind have no key in an index.
fn absent(model: &Model, returned: &Returned) -> String {
    let entity = model.entities.get(returned.entity);
    let copy = entity.and_then(|entity| entity.copies.get(returned.copy?));
    let name = entity.map_or("item", |entity| entity.name.as_str());
    match copy {
        Some(copy) => format!("no {name}.{} is in it", copy.name),
        None => format!("no {name} is in it"),
    }
}

fn is_global(table: &Table, candidate: &Candidate) -> bool {
    let Space::Index(at) = candidate.space else {
        return false;
    };
    let index = table.indexes.get(at);
    index.is_some_and(|index| index.kind == IndexKind::Global)
}

/// Why a key is not read by a pattern that returns several kinds.
fn of_collection(model: &Model, pattern: &Pattern, table: (&Table, usize), space: Space) -> String {
    let whole = collection::fit(model, pattern, table, space, Read::Whole);
    let Err(reason) = whole else {
        return LATER.to_owned();
    };
    if !collection::has_range(pattern) {
        return reason;
    }
    match collection::fit(model, pattern, table, space, Read::Range) {
        Err(reason) => reason,
        Ok(_) => "it serves, too, by a range: what is read as a whole, or earlier, comes first"
            .to_owned(),
    }
}
