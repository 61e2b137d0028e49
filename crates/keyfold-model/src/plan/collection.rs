//! Plans for mixed collections: several kinds of items that lie side by side in a partition.

use super::beside;
use super::bind::is_range;
use super::candidate::names;
use super::fit::{check_fan_order, check_filtered_keys};
use super::members::{Members, Read};
use super::order::Direction;
use super::range;
use super::table_period::table_period;
use crate::check::found::Found;
use crate::check::served::{self, IndexName, Miss};
use crate::check::shape::{Space, Spaces};
use crate::diagnostic::Diagnostic;
use crate::schema::{
    Entity, Fan, Index, Model, Pattern, PatternPlan, RequestKind, Returned, SortCondition, Table,
    TablePeriod,
};
use crate::template::{KeyTemplate, Part};

/// The start that the sort keys of all kinds share.
pub(super) struct Start {
    parts: Vec<Part>,
    /// Whether the pattern asks for less than the whole partition.
    is_needed: bool,
}

/// The plan by the first key space that holds all kinds together, or a report of why none does.
pub(super) fn plan(
    model: &Model,
    spaces: &Spaces,
    pattern: &Pattern,
) -> Result<Found, Box<Diagnostic>> {
    let entities: Vec<&Entity> = pattern
        .returned
        .iter()
        .filter_map(|returned| model.entities.get(returned.entity))
        .collect();
    let (at, table) = one_table(model, pattern, &entities)?;
    let has_range = has_range(pattern);
    let mut reads = vec![Read::Whole];
    reads.extend(has_range.then_some(Read::Range));
    let mut misses = Vec::new();
    for read in reads {
        misses.clear();
        let indexes = (0..table.indexes.len()).map(Space::Index);
        for space in std::iter::once(Space::Table).chain(indexes) {
            match fit(model, pattern, (table, at), space, read) {
                Ok((found, Some(start))) => {
                    return Ok(narrowed((model, spaces), pattern, found, start));
                }
                Ok((found, None)) => return Ok(found),
                Err(reason) => misses.push(Miss {
                    narrow: None,
                    key: label(table, space),
                    reason,
                }),
            }
        }
    }
    Err(Box::new(served::report(
        pattern,
        &entities,
        misses,
        &IndexName::Unneeded,
    )))
}

/// Whether a pattern limits a kind by a range.
pub(super) fn has_range(pattern: &Pattern) -> bool {
    pattern.parameters.iter().any(|one| is_range(one.limit))
}

/// The table that all kinds lie in, with its place.
fn one_table<'m>(
    model: &'m Model,
    pattern: &Pattern,
    entities: &[&Entity],
) -> Result<(usize, &'m Table), Box<Diagnostic>> {
    let mut tables = entities.iter().map(|entity| entity.table);
    let first = tables.next();
    let Some(at) = first.filter(|first| tables.all(|table| table == *first)) else {
        let message = format!("{} returns entities of different tables", pattern.name);
        return Err(Box::new(
            Diagnostic::error(
                "KF010",
                pattern.span,
                message,
                "one request reads one table",
            )
            .help("put the entities into one table, or make it two patterns"),
        ));
    };
    if let Some(span) = pattern.scan {
        return Err(Box::new(
            Diagnostic::error(
                "KF010",
                span,
                "a scan returns one kind of item",
                "several kinds here",
            )
            .help("make it a pattern for each kind"),
        ));
    }
    match model.tables.get(at) {
        Some(table) => Ok((at, table)),
        None => Err(Box::new(Diagnostic::error(
            "KF002",
            pattern.span,
            "there is no table",
            "nothing to read",
        ))),
    }
}

/// The index of a key space; `None` for the table's own keys.
fn index_of(table: &Table, space: Space) -> Option<&Index> {
    match space {
        Space::Table => None,
        Space::Index(index) => table.indexes.get(index),
    }
}

/// The name of a key space in messages.
fn label(table: &Table, space: Space) -> String {
    index_of(table, space).map_or_else(|| "the table's key".to_owned(), |index| index.name.clone())
}

/// The plan that reads the kinds in a key space: their whole partition, together with the start that
/// their sort keys share, or a range of it. `Err` is the reason why the space does not serve the
/// pattern.
pub(super) fn fit(
    model: &Model,
    pattern: &Pattern,
    (table, at): (&Table, usize),
    space: Space,
    read: Read,
) -> Result<(Found, Option<Start>), String> {
    let index = index_of(table, space);
    let mut members = Members::new(model, pattern, table, space, read)?;
    let (partition_attributes, sort_attributes) = attributes(table, index);
    check_split(model, pattern, space)?;
    check_filtered_keys(pattern, &partition_attributes, &sort_attributes)?;
    if let Some(name) = pattern.present.first() {
        return Err(format!(
            "`where {name}` is for patterns that return one kind of item"
        ));
    }
    let (start, sort, beside) = match read {
        Read::Whole => {
            let start = members.shared_start(pattern)?;
            members.check_fixed(&start)?;
            let start = Start {
                is_needed: members.narrows(&start),
                parts: start,
            };
            (Some(start), SortCondition::Any, Vec::new())
        }
        Read::Range => {
            let beside = beside::plans(model, pattern)?;
            (None, members.range(pattern)?, beside)
        }
    };
    let (fan, period) = periods(model, pattern, table, &mut members)?;
    if let Some(reason) = check_fan_order(pattern, &fan, members.varying()) {
        return Err(reason);
    }
    let direction = Direction::new(pattern, members.varying());
    let plan = PatternPlan {
        request: RequestKind::Query,
        table: table.name.clone(),
        index: index.map(|index| index.name.clone()),
        partition_attributes,
        partition: Some(members.partition),
        sort_attributes,
        sort,
        fan,
        period,
        descending: direction.descending,
        ordered_by: direction.ordered_by,
        is_reversed: direction.is_reversed,
        page: pattern.page,
        strong: pattern.strong.is_some(),
        only: pattern.only.clone(),
        filters: pattern.filters.clone(),
        strict: pattern.strict_ends(),
        gets: Vec::new(),
        beside,
        fetched: Vec::new(),
        guard: None,
    };
    let found = Found {
        plan,
        table: at,
        space,
        members: members.owners,
    };
    Ok((found, start))
}

/// The partitions and table periods that a collection is read from.
fn periods(
    model: &Model,
    pattern: &Pattern,
    table: &Table,
    members: &mut Members,
) -> Result<(Fan, Option<TablePeriod>), String> {
    let fan = std::mem::take(&mut members.fan);
    let first = members.owners.first().map_or(0, |owner| owner.entity);
    match model.entities.get(first) {
        Some(entity) => table_period(pattern, entity, table, fan).map_err(|_| {
            "the pattern does not say in which period's table the items lie".to_owned()
        }),
        None => Ok((fan, None)),
    }
}

/// Refuses filters on a split entity, which would drop some of the items that hold its list.
fn check_split(model: &Model, pattern: &Pattern, space: Space) -> Result<(), String> {
    let is_split = |returned: &Returned| {
        returned.copy.is_none()
            && model
                .entities
                .get(returned.entity)
                .is_some_and(|entity| entity.split.is_some())
    };
    if space == Space::Table && !pattern.filters.is_empty() && pattern.returned.iter().any(is_split)
    {
        return Err(
            "an entity that is split lies in several items, and a filter would part them"
                .to_owned(),
        );
    }
    Ok(())
}

/// The names of the partition and sort key attributes of the table or index.
fn attributes(table: &Table, index: Option<&Index>) -> (Vec<String>, Vec<String>) {
    match index {
        None => (vec![table.partition.name.clone()], names(table.sort.iter())),
        Some(index) => (names(index.partition.iter()), names(index.sort.iter())),
    }
}

/// Keeps the whole partition as the range if it holds nothing else, and narrows it to the shared
/// start of the sort keys otherwise.
fn narrowed(
    (model, spaces): (&Model, &Spaces),
    pattern: &Pattern,
    mut found: Found,
    start: Start,
) -> Found {
    if !start.is_needed && range::exact(model, spaces, pattern, &found).is_none() {
        return found;
    }
    if !start.parts.is_empty() {
        found.plan.sort = SortCondition::BeginsWith(KeyTemplate {
            parts: start.parts,
            span: pattern.span,
        });
    }
    // Other kinds in the range are reported in `judge`, as for all plans.
    found
}
