//! The rows of patterns, with an estimate of the read units of a page.

use super::rows::PatternRow;
use crate::words::{optional, promise};
use keyfold_model::check::estimate::{item_bytes, projected_bytes};
use keyfold_model::schema::{Limit, Parameter, Projection, RequestKind};
use keyfold_model::{Entity, Fan, Index, Model, Pattern, PatternPlan};
use keyfold_types::capacity::{CapacityHalves, ReadRate};

/// The size of a guard with the values that it holds, which is estimated: one read unit.
const GUARD_BYTES: u64 = 200;

/// The rows of a pattern: one when all parameters are given, and one for each choice of those that
/// are left out.
pub(super) fn pattern_rows(model: &Model, pattern: &Pattern) -> Vec<PatternRow> {
    let Pattern {
        // Each row has both.
        name: _,
        parameters: _,
        span: _,
        returned_end: _,
        // The key condition and the filters show them.
        fixed: _,
        fixed_values: _,
        present: _,
        // The promise shows both.
        returned: _,
        only: _,
        // The plan's request shows it.
        together: _,
        // The plan shows them.
        order: _,
        page: _,
        strong: _,
        scan: _,
        // `requests` shows it.
        fetch: _,
        filters: _,
        // Only the compiler's estimates use it.
        rate: _,
        // `plans` returns them together.
        plan: _,
        variants: _,
    } = pattern;
    pattern
        .plans()
        .map(|(without, plan)| pattern_row(model, pattern, without, plan))
        .collect()
}

fn pattern_row(
    model: &Model,
    pattern: &Pattern,
    without: &[String],
    plan: &PatternPlan,
) -> PatternRow {
    let PatternPlan {
        request,
        table,
        index,
        // `place` shows it.
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
    let given = pattern
        .parameters
        .iter()
        .filter(|parameter| !without.contains(&parameter.name));
    PatternRow {
        name: pattern.name.clone(),
        without: without.to_vec(),
        parameters: given.map(parameter_row).collect(),
        returns: promise(model, pattern),
        request: request.to_string(),
        table: table.clone(),
        index: index.clone(),
        place: plan.place(),
        key_condition: plan.key_condition(),
        is_descending: *descending,
        page: *page,
        requests: plan.requests(),
        units: units(model, pattern, plan),
        consistency: if *strong { "strong" } else { "eventual" },
        filters: filters.iter().map(ToString::to_string).collect(),
    }
}

fn parameter_row(parameter: &Parameter) -> (String, String) {
    let Parameter {
        name,
        kind,
        optional: may_lack,
        // The key condition and the filters show both.
        attribute: _,
        limit: _,
        span: _,
    } = parameter;
    let may_lack = *may_lack || parameter.is_now();
    (optional(name, may_lack), kind.to_string())
}

/// Read units of one page, as far as the number of items is known.
fn units(model: &Model, pattern: &Pattern, plan: &PatternPlan) -> Option<f64> {
    let rate = if plan.strong {
        ReadRate::Strong
    } else {
        ReadRate::Eventual
    };
    if !plan.gets.is_empty() {
        return together_units(model, pattern, plan);
    }
    let largest = pattern
        .returned
        .iter()
        .filter_map(|returned| model.entities.get(returned.entity))
        .map(|entity| read_bytes(model, plan, entity))
        .max()?;
    let bytes = match (plan.request, plan.page) {
        (RequestKind::GetItem, _) => largest,
        (RequestKind::Query, Some(page)) => largest.saturating_mul(u64::from(page)),
        (RequestKind::Query, None) if pattern.is_single() => largest,
        (RequestKind::Query, None) => answer_bytes(model, pattern)?,
        (RequestKind::BatchGetItem | RequestKind::TransactGetItems | RequestKind::Scan, _) => {
            return None;
        }
    };
    // Each shard reads a page of its own. The number of periods depends on the arguments.
    let requests = match plan.fan {
        Fan::One => 1,
        Fan::Shards(count) => u64::from(count),
        Fan::Periods { .. } => return None,
    };
    // The single kinds beside the range are read with the first page.
    let beside = CapacityHalves::read(largest, rate).0;
    let beside = beside.saturating_mul(plan.beside.len() as u64);
    // A guard is a small item.
    let guard = plan.guard.as_ref();
    let guard = guard.map_or(0, |_| CapacityHalves::read(GUARD_BYTES, rate).0);
    let range = CapacityHalves::read(bytes, rate).0.saturating_mul(requests);
    let read = range.saturating_add(beside).saturating_add(guard);
    if plan.fetched.is_empty() {
        return Some(CapacityHalves(read).units());
    }
    // Each item is read from the table, too.
    let items = u64::from(plan.page?);
    let whole = pattern
        .returned
        .iter()
        .filter_map(|returned| model.entities.get(returned.entity))
        .map(item_bytes)
        .max()?;
    let each = CapacityHalves::read(whole, rate).0;
    let fetched = each.saturating_mul(items).saturating_mul(requests);
    Some(CapacityHalves(read.saturating_add(fetched)).units())
}

/// Read units of several items, each by its key.
fn together_units(model: &Model, pattern: &Pattern, plan: &PatternPlan) -> Option<f64> {
    let rate = match (plan.request, plan.strong) {
        (RequestKind::TransactGetItems, _) => ReadRate::Transactional,
        (_, true) => ReadRate::Strong,
        (_, false) => ReadRate::Eventual,
    };
    let mut halves: u64 = 0;
    for returned in &pattern.returned {
        let entity = model.entities.get(returned.entity)?;
        halves = halves.saturating_add(CapacityHalves::read(item_bytes(entity), rate).0);
    }
    Some(CapacityHalves(halves).units())
}

/// Bytes of an item as a plan reads it: in an index, only what the index holds.
fn read_bytes(model: &Model, plan: &PatternPlan, entity: &Entity) -> u64 {
    let table = model.tables.iter().find(|table| table.name == plan.table);
    let index = table.and_then(|table| {
        let is_read = |index: &&Index| Some(&index.name) == plan.index.as_ref();
        table.indexes.iter().find(is_read)
    });
    match index.map(|index| &index.projection) {
        Some(Projection::Only(names)) => projected_bytes(entity, names),
        Some(Projection::Keys) => projected_bytes(entity, &[]),
        Some(Projection::All) | None => item_bytes(entity),
    }
}

/// Bytes of all items that a pattern returns, where their number is declared.
fn answer_bytes(model: &Model, pattern: &Pattern) -> Option<u64> {
    let is_given = |name: &String| {
        pattern
            .parameters
            .iter()
            .any(|p| p.limit == Limit::Equal && p.attribute == *name)
    };
    let mut sum: u64 = 0;
    for returned in &pattern.returned {
        let entity = model.entities.get(returned.entity)?;
        let count = if returned.many {
            let mut per = entity.expected.per.iter();
            per.find(|(name, _)| is_given(name))
                .map(|(_, count)| *count)?
        } else {
            1
        };
        sum = sum.saturating_add(count.saturating_mul(item_bytes(entity)));
    }
    Some(sum)
}
