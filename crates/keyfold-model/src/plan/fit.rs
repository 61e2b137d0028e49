//! Whether a candidate key serves a pattern, and the plan by it.

use super::bind::{Binder, Place, is_given, is_split_tail};
use super::candidate::Candidate;
use super::order::Direction;
use super::sort;
use super::table_period::table_period;
use crate::check::shape::Space;
use crate::check::{ordered, single};
use crate::period::Unit;
use crate::schema::{
    Condition, Entity, Fan, KeyPair, Limit, Parameter, Pattern, PatternPlan, RequestKind, Returned,
    SortCondition, Sparse, Table,
};
use crate::template::{Format, KeyTemplate, Part, print};
use crate::written::written;

/// The reason why a candidate does not serve.
pub(super) enum Unfit {
    /// It does not give the items, or not these alone.
    Reason(String),
    /// It holds only the items that have this attribute, or this value of it.
    Narrow {
        attribute: String,
        value: Option<String>,
        reason: String,
    },
    /// It gives the items, but not in the order that the pattern asks for.
    Order(String),
}

impl From<String> for Unfit {
    fn from(reason: String) -> Unfit {
        Unfit::Reason(reason)
    }
}

/// The plan of a pattern by one key, or the reason why the key does not serve it.
pub(super) fn fit(
    pattern: &Pattern,
    returned: &Returned,
    entity: &Entity,
    table: &Table,
    candidate: &Candidate,
) -> Result<PatternPlan, Unfit> {
    let Bound {
        partition,
        sort,
        open,
        fan,
    } = bind_key(pattern, entity, candidate)?;
    let varying = varying(open, &fan, &candidate.key.partition);
    if let Some(order) = &pattern.order
        && let Some(reason) = ordered::reason(order, entity, varying)
    {
        return Err(Unfit::Order(reason));
    }
    let varying = varying.first();
    let (fan, period) = table_period(pattern, entity, table, fan)?;
    if let Some(reason) = check_fan_order(pattern, &fan, varying) {
        return Err(Unfit::Order(reason));
    }
    if single::is_unique(pattern, entity, &candidate.key) {
        check_one_moment(returned, table, candidate, open, &fan)?;
    } else {
        check_single(returned, open, &fan)?;
    }
    let by_key = candidate.space == Space::Table && fan == Fan::One && open.is_empty();
    let request = request(pattern, returned, by_key)?;
    check_filters(pattern, candidate, request)?;
    check_split(pattern, entity, returned, candidate, &fan)?;
    let direction = Direction::new(pattern, varying);
    Ok(PatternPlan {
        request,
        table: table.name.clone(),
        index: candidate.index.clone(),
        partition_attributes: candidate.partition.clone(),
        partition: Some(partition),
        sort_attributes: candidate.sort.clone(),
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
        beside: Vec::new(),
        fetched: Vec::new(),
        guard: None,
    })
}

/// A key whose templates are filled in with what a pattern gives.
struct Bound<'c> {
    partition: KeyTemplate,
    sort: SortCondition,
    /// The parts of the sort key that the pattern does not give.
    open: &'c [Part],
    fan: Fan,
}

/// Fills in the templates of a key. The partition key must be given completely, and everything
/// that is given must be part of the key range.
fn bind_key<'c>(
    pattern: &Pattern,
    entity: &Entity,
    candidate: &'c Candidate,
) -> Result<Bound<'c>, Unfit> {
    let key = &candidate.key;
    let mut binder = Binder::new(pattern, key);
    let (partition, missing) = binder.bind(&key.partition.parts, Place::Partition);
    if !missing.is_empty() {
        return Err(missing_partition(key, missing, pattern).into());
    }
    check_complete(pattern, entity, candidate)?;
    let sort_parts = key.sort.as_ref().map_or(&[][..], |sort| &sort.parts);
    let (bound, open) = binder.bind(sort_parts, Place::Sort);
    let fan = std::mem::take(&mut binder.fan);
    check_consumed(&binder, candidate, open)?;
    let span = key.sort.as_ref().map_or(key.span, |sort| sort.span);
    let condition = sort::condition(&mut binder, span, bound, open)?;
    Ok(Bound {
        partition: KeyTemplate {
            parts: partition,
            span: key.partition.span,
        },
        sort: if key.sort.is_some() {
            condition
        } else {
            SortCondition::Any
        },
        open,
        fan,
    })
}

/// Refuses a key that holds many items for a pattern that returns one.
fn check_single(returned: &Returned, open: &[Part], fan: &Fan) -> Result<(), String> {
    if returned.many {
        return Ok(());
    }
    if !open.is_empty() && !is_split_tail(open) {
        return Err(format!(
            "it holds many items for these parameters; {} is not given",
            print(open)
        ));
    }
    match fan {
        Fan::Periods { attribute, .. } => Err(format!("a range of `{attribute}` holds many items")),
        Fan::One | Fan::Shards(_) => Ok(()),
    }
}

/// Refuses several partitions of tables for a pattern that returns one item by unique attributes.
/// They are read one after the other, and may show the item that had the values before beside the
/// one that has them now. Of an index, which is late anyway, clients look at the items in its
/// table.
fn check_one_moment(
    returned: &Returned,
    table: &Table,
    candidate: &Candidate,
    open: &[Part],
    fan: &Fan,
) -> Result<(), String> {
    let is_index = candidate.space != Space::Table && table.period.is_none();
    if returned.many || is_index {
        return Ok(());
    }
    let spread = match fan {
        Fan::One => return Ok(()),
        Fan::Shards(_) if open.is_empty() || is_split_tail(open) => return Ok(()),
        Fan::Shards(count) => format!("it is spread over {count} shards"),
        Fan::Periods { attribute, .. } => format!("it is spread over periods of `{attribute}`"),
    };
    Err(format!(
        "{spread}, which are not read at one moment: an item that is gone could be found beside the one that has its values now"
    ))
}

/// The operation of a plan. `by_key` is whether the pattern gives the whole key of the table.
fn request(pattern: &Pattern, returned: &Returned, by_key: bool) -> Result<RequestKind, String> {
    let takes_list = pattern
        .parameters
        .iter()
        .any(|parameter| parameter.limit == Limit::Among);
    match (takes_list, by_key) {
        (true, true) => Ok(RequestKind::BatchGetItem),
        (true, false) => {
            Err("a list of ids needs the whole key of the table for each of them".to_owned())
        }
        (false, true) if !returned.many => Ok(RequestKind::GetItem),
        (false, _) => Ok(RequestKind::Query),
    }
}

/// The parts that vary in what is read: the open parts of the sort key, or those from the attribute
/// whose periods the partitions are.
fn varying<'p>(open: &'p [Part], fan: &Fan, partition: &'p KeyTemplate) -> &'p [Part] {
    match (open.first(), fan) {
        (Some(Part::Field { .. }), _) | (_, Fan::One | Fan::Shards(_)) => open,
        (_, Fan::Periods { attribute, .. }) => {
            let mut parts = partition.parts.iter();
            let at = parts.position(|part| {
                matches!(part, Part::Field { name, format, .. } if name == attribute && !matches!(format, Format::Truncated(_)))
            });
            at.and_then(|at| partition.parts.get(at..))
                .unwrap_or_default()
        }
    }
}

/// Periods are read one after the other, so only the attribute that they are periods of is in order
/// over all of them. Returns the reason if the pattern asks for the order of another.
pub(super) fn check_fan_order(
    pattern: &Pattern,
    fan: &Fan,
    varying: Option<&Part>,
) -> Option<String> {
    pattern.order.as_ref()?;
    let Fan::Periods {
        unit, attribute, ..
    } = fan
    else {
        return None;
    };
    let part = varying?;
    if matches!(part, Part::Field { name, .. } if name == attribute) {
        return None;
    }
    Some(format!(
        "one {unit} of `{attribute}` is read after the other, and {part} is in order within each only"
    ))
}

/// The reason why a pattern does not give the whole partition key.
fn missing_partition(key: &KeyPair, open: &[Part], pattern: &Pattern) -> String {
    let partition = print(&key.partition.parts);
    match open.first() {
        Some(Part::Field {
            name,
            format: Format::Truncated(unit),
            ..
        }) if is_in_longer(pattern, name, *unit) => format!(
            "its partition key {partition} has the {unit} of `{name}`, and the pattern gives a longer period, which lies in several partitions: give `{unit} of {name}`, or a range with a lower end (`{name} >= since`), which reads one {unit} after the other"
        ),
        Some(Part::Field {
            name,
            format: Format::Truncated(unit),
            ..
        }) if is_in_periods(pattern, name) => {
            format!(
                "its partition key {partition} has one {unit} of `{name}`, and one {unit} after the other is read for a range of times only: give `{name} in from..to`"
            )
        }
        Some(Part::Field {
            name,
            format: Format::Truncated(unit),
            ..
        }) => format!(
            "its partition key {partition} needs the {unit} of `{name}`: give `{unit} of {name}`, or a range with a lower end (`{name} >= since`)"
        ),
        Some(Part::Field { name, .. })
            if pattern.parameters.iter().any(|p| p.attribute == *name) =>
        {
            format!(
                "its partition key {partition} needs one value of `{name}`, and the pattern gives a range"
            )
        }
        Some(Part::Field { name, .. }) => {
            format!("its partition key {partition} needs `{name}`, which the pattern is not given")
        }
        Some(Part::Text(_) | Part::Shard { .. } | Part::Chunk | Part::Break) | None => {
            format!("its partition key {partition} is not given")
        }
    }
}

/// Whether a pattern gives a period of an attribute longer than a unit.
fn is_in_longer(pattern: &Pattern, name: &str, unit: Unit) -> bool {
    let mut parameters = pattern.parameters.iter();
    parameters.any(|p| p.attribute == name && matches!(p.limit, Limit::In(of) if of > unit))
}

/// Whether a pattern gives a range of periods of an attribute.
fn is_in_periods(pattern: &Pattern, name: &str) -> bool {
    let is_end = |p: &Parameter| p.limit.is_lower() || p.limit.is_upper();
    let mut parameters = pattern.parameters.iter();
    parameters.any(|p| p.attribute == name && is_end(p) && p.period().is_some())
}

/// Refuses an index that does not hold exactly the items that the pattern asks for.
fn check_complete(pattern: &Pattern, entity: &Entity, candidate: &Candidate) -> Result<(), Unfit> {
    if let Some(sparse) = &candidate.sparse {
        check_sparse(pattern, sparse)?;
    }
    // A required attribute is in all items, or items without it are not in this index.
    for name in &pattern.present {
        let required = entity
            .attribute(name)
            .is_some_and(|attribute| !attribute.optional);
        let in_sparse = candidate
            .sparse
            .as_ref()
            .is_some_and(|sparse| sparse.attribute == *name);
        let in_copy = candidate
            .copy
            .as_ref()
            .is_some_and(|copy| copy.demands(name));
        if !required && !in_sparse && !in_copy && !candidate.key.fields().any(|field| field == name)
        {
            return Err(format!(
                "items without `{name}` are in it too, and would have to be filtered"
            )
            .into());
        }
    }
    let missing = candidate.key.fields().find(|field| {
        entity
            .attribute(field)
            .is_some_and(|attribute| attribute.optional)
            && !is_given(pattern, field)
            && !is_limited(pattern, field)
            && !pattern.present.iter().any(|present| present == field)
            && !candidate
                .copy
                .as_ref()
                .is_some_and(|copy| copy.demands(field))
    });
    match missing {
        Some(field) => Err(Unfit::Narrow {
            attribute: field.to_owned(),
            value: None,
            reason: format!(
                "`{field}` is optional, so items without it are not in there and would be missed"
            ),
        }),
        None => Ok(()),
    }
}

/// Refuses a sparse index, unless the pattern asks only for items that meet its condition.
fn check_sparse(pattern: &Pattern, sparse: &Sparse) -> Result<(), Unfit> {
    let fixed = pattern
        .fixed
        .iter()
        .find(|(name, _)| *name == sparse.attribute);
    let fits = match (&sparse.value, fixed) {
        (Some(value), Some((_, fixed))) => value == fixed,
        (Some(_), None) => false,
        (None, Some(_)) => true,
        (None, None) => {
            is_limited(pattern, &sparse.attribute) || pattern.present.contains(&sparse.attribute)
        }
    };
    if fits {
        return Ok(());
    }
    let when = match &sparse.value {
        Some(value) => format!("{} = {value}", sparse.attribute),
        None => sparse.attribute.clone(),
    };
    Err(Unfit::Narrow {
        attribute: sparse.attribute.clone(),
        value: sparse.value.clone(),
        reason: format!("it holds only items with {when}, so others would be missed"),
    })
}

/// Whether a parameter limits the attribute.
fn is_limited(pattern: &Pattern, attribute: &str) -> bool {
    pattern
        .parameters
        .iter()
        .any(|parameter| parameter.attribute == attribute)
}

/// Refuses a key that leaves out something that the pattern gives: it would need a filter.
fn check_consumed(binder: &Binder<'_>, candidate: &Candidate, open: &[Part]) -> Result<(), String> {
    // Only `sparse when a = v`, and a copy `when a = v`, guarantee that all entries have this value.
    let in_sparse = |name: &str| {
        let mut sparse = candidate.sparse.iter();
        sparse.any(|sparse| sparse.attribute == name && sparse.value.is_some())
    };
    let in_copy = |name: &str, value: &str| {
        let mut copy = candidate.copy.iter();
        copy.any(|copy| copy.demands_value(name, value))
    };
    let unused = binder.open_attributes().into_iter().find(|name| {
        let mut fixed = binder.pattern.fixed.iter();
        let fixed = fixed.find(|(fixed, _)| fixed == name);
        !fixed.is_some_and(|(_, value)| in_sparse(name) || in_copy(name, value))
    });
    let Some(name) = unused else {
        return Ok(());
    };
    let is_open = open
        .iter()
        .any(|part| matches!(part, Part::Field { name: field, .. } if field == name));
    if is_open && let Some(Part::Field { name: gap, .. }) = open.first() {
        return Err(format!(
            "`{name}` stands behind `{gap}` in its sort key, and `{gap}` is not given"
        ));
    }
    let mut parts = candidate
        .key
        .templates()
        .flat_map(|template| &template.parts);
    let changed = parts.find_map(|part| match part {
        Part::Field {
            name: field,
            format,
            ..
        } if field == name && !format.keeps_value() => Some(*format),
        Part::Field { .. } | Part::Text(_) | Part::Shard { .. } | Part::Chunk | Part::Break => None,
    });
    if let Some(Format::Truncated(unit)) = changed {
        return Err(format!(
            "it keeps only the {unit} of `{name}`, so what has another value would have to be filtered; ask for `{unit} of {}`",
            written(name)
        ));
    }
    if changed.is_some() {
        return Err(format!(
            "it does not hold `{name}` as it is, so what has another value would have to be filtered"
        ));
    }
    Err(format!(
        "`{name}` is not part of it, so it would have to be filtered"
    ))
}

/// Refuses a plan that would return a split list incompletely: its parts must be read by one
/// request, and no filter may drop some of them.
fn check_split(
    pattern: &Pattern,
    entity: &Entity,
    returned: &Returned,
    candidate: &Candidate,
    fan: &Fan,
) -> Result<(), String> {
    let Some((split, _)) = entity.split.as_ref().filter(|_| returned.copy.is_none()) else {
        return Ok(());
    };
    if candidate.space != Space::Table {
        let is_of_list = |filter: &Condition| filter.attributes().any(|name| name == split);
        if pattern.filters.iter().any(is_of_list) {
            return Err(format!(
                "it holds the first part of `{split}` only, and a filter needs all of it"
            ));
        }
        return Ok(());
    }
    if !pattern.filters.is_empty() {
        return Err(format!(
            "{} lies in several items, and a filter would part them",
            entity.name
        ));
    }
    if *fan != Fan::One {
        return Err(format!(
            "{} lies in several items, which are not read over several partitions",
            entity.name
        ));
    }
    Ok(())
}

/// Refuses filters on key attributes and on single items: DynamoDB applies neither.
fn check_filters(
    pattern: &Pattern,
    candidate: &Candidate,
    request: RequestKind,
) -> Result<(), String> {
    let mut compared = pattern.filters.iter().flat_map(Condition::comparisons);
    let Some(filter) = compared.next() else {
        return Ok(());
    };
    if request != RequestKind::Query {
        return Err(format!(
            "a {request} does not filter; compare `{}` when it is there",
            filter.subject()
        ));
    }
    check_filtered_keys(pattern, &candidate.partition, &candidate.sort)
}

/// Refuses filters on the key attributes of what is queried.
pub(super) fn check_filtered_keys(
    pattern: &Pattern,
    partition: &[String],
    sort: &[String],
) -> Result<(), String> {
    let mut compared = pattern.filters.iter().flat_map(Condition::comparisons);
    let on_key =
        compared.find(|one| partition.contains(&one.attribute) || sort.contains(&one.attribute));
    match on_key {
        Some(filter) => Err(format!(
            "`{}` is part of its key and cannot be filtered",
            filter.attribute
        )),
        None => Ok(()),
    }
}
