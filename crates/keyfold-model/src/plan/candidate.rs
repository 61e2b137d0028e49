//! Plans for patterns that return one kind of item.

use super::bind::{Binder, Place, is_given, is_split_tail};
use super::{descends, sort};
use crate::check::found::Found;
use crate::check::ordered;
use crate::check::served::{self, IndexName, Miss};
use crate::check::shape::{Owner, Space, copy_key_in};
use crate::diagnostic::{Diagnostic, Span};
use crate::schema::{
    Comparison, Entity, IndexKind, KeyPair, Limit, Model, Operand, Pattern, Returned, Sparse, Table,
};
use crate::schema::{Fan, PatternPlan, RequestKind, SortCondition, TablePeriod};
use crate::template::{Format, KeyTemplate, Part, print};

/// One key that might serve.
pub(super) struct Candidate {
    pub(super) space: Space,
    label: String,
    key: KeyPair,
    sparse: Option<Sparse>,
    partition: Vec<String>,
    sort: Vec<String>,
    index: Option<String>,
}

/// Why a candidate does not serve; an order that is not there is told apart.
pub(super) enum Unfit {
    Reason(String),
    Order(String),
}

impl From<String> for Unfit {
    fn from(reason: String) -> Unfit {
        Unfit::Reason(reason)
    }
}

pub(super) fn plan(
    model: &Model,
    pattern: &Pattern,
    returned: &Returned,
) -> Result<Found, Box<Diagnostic>> {
    let entity = model
        .entities
        .get(returned.entity)
        .ok_or_else(|| gone(pattern))?;
    let table = model
        .tables
        .get(entity.table)
        .ok_or_else(|| gone(pattern))?;
    let (mut misses, mut order_miss): (Vec<Miss>, Option<(String, Span, String)>) =
        (Vec::new(), None);
    for candidate in candidates(table, entity, returned) {
        match fit(pattern, returned, entity, table, &candidate) {
            Ok(plan) => {
                let owner = Owner {
                    entity: returned.entity,
                    copy: returned.copy,
                    is_guard: false,
                };
                return Ok(Found {
                    plan,
                    table: entity.table,
                    space: candidate.space,
                    members: vec![owner],
                });
            }
            Err(Unfit::Reason(reason)) => misses.push(Miss {
                key: candidate.label,
                reason,
            }),
            Err(Unfit::Order(reason)) => {
                order_miss.get_or_insert((candidate.label, candidate.key.span, reason));
            }
        }
    }
    if let (Some((label, span, reason)), Some(order)) = (order_miss, &pattern.order) {
        return Err(Box::new(ordered::report(
            pattern, entity, order, &label, span, reason,
        )));
    }
    let free = table.indexes.iter().enumerate().find(|(at, index)| {
        index.kind == IndexKind::Global && !entity.indexes.iter().any(|key| key.index == *at)
    });
    // An index that the entity is not in yet, or the name of a new one.
    let free_name = match free {
        _ if table.period.is_some() => IndexName::Periods,
        Some((_, index)) => IndexName::Declared(index.clone()),
        None => IndexName::New(new_index_name(table), table.clone()),
    };
    Err(Box::new(served::report(
        pattern,
        &[entity],
        misses,
        &free_name,
    )))
}

/// The first of GSI1, GSI2, ... that the table does not have.
fn new_index_name(table: &Table) -> String {
    let taken = |name: &String| table.indexes.iter().any(|index| index.name == *name);
    (1..)
        .map(|number| format!("GSI{number}"))
        .find(|name| !taken(name))
        .unwrap_or_default()
}

/// Names are resolved before plans are made, so every place is there.
fn gone(pattern: &Pattern) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(
        "KF002",
        pattern.span,
        "the pattern returns nothing",
        "no entity",
    ))
}

/// Every key of what is returned, cheapest first.
pub(super) fn candidates(table: &Table, entity: &Entity, returned: &Returned) -> Vec<Candidate> {
    let copy = returned.copy.and_then(|at| entity.copies.get(at));
    let (label, key) = match copy {
        None => (format!("the key of {}", entity.name), &entity.key),
        Some(copy) => (format!("the copy {}.{}", entity.name, copy.name), &copy.key),
    };
    let mut all = vec![Candidate {
        space: Space::Table,
        label,
        key: key.clone(),
        sparse: None,
        partition: vec![table.partition.name.clone()],
        sort: table
            .sort
            .iter()
            .map(|column| column.name.clone())
            .collect(),
        index: None,
    }];
    for kind in [IndexKind::Local, IndexKind::Global] {
        for (at, index) in table
            .indexes
            .iter()
            .enumerate()
            .filter(|(_, index)| index.kind == kind)
        {
            let (key, sparse) = match copy {
                Some(copy) => match copy_key_in(table, entity, copy, index) {
                    Some(key) => (key, None),
                    None => continue,
                },
                None => match entity.indexes.iter().find(|key| key.index == at) {
                    Some(found) => (found.key.clone(), found.sparse.clone()),
                    None => continue,
                },
            };
            all.push(Candidate {
                space: Space::Index(at),
                label: format!("{} in {}", entity.name, index.name),
                key,
                sparse,
                partition: index
                    .partition
                    .iter()
                    .map(|column| column.name.clone())
                    .collect(),
                sort: index
                    .sort
                    .iter()
                    .map(|column| column.name.clone())
                    .collect(),
                index: Some(index.name.clone()),
            });
        }
    }
    all
}

pub(super) fn fit(
    pattern: &Pattern,
    returned: &Returned,
    entity: &Entity,
    table: &Table,
    candidate: &Candidate,
) -> Result<PatternPlan, Unfit> {
    let key = &candidate.key;
    let mut binder = Binder::new(pattern, &table.delimiters);
    let (partition, open) = binder.bind(&key.partition.parts, Place::Partition);
    if !open.is_empty() {
        return Err(missing_partition(key, open, pattern).into());
    }
    check_complete(pattern, entity, candidate)?;
    let nothing = KeyTemplate {
        parts: Vec::new(),
        span: key.span,
    };
    let sort_template = key.sort.as_ref().unwrap_or(&nothing);
    let (bound, rest) = binder.bind(&sort_template.parts, Place::Sort);
    let fan = std::mem::take(&mut binder.fan);
    check_consumed(&binder, candidate, rest)?;
    let condition = sort::condition(&mut binder, sort_template, bound, rest)?;
    let condition = if key.sort.is_some() {
        condition
    } else {
        SortCondition::Any
    };
    let varying = varying(rest, &fan, &key.partition);
    if let Some(order) = &pattern.order
        && let Some(reason) = ordered::reason(order, varying)
    {
        return Err(Unfit::Order(reason));
    }
    let (fan, period) = table_period(pattern, entity, table, fan)?;
    if let Some(reason) = check_fan_order(pattern, &fan, varying) {
        return Err(Unfit::Order(reason));
    }
    let is_reversed = matches!(varying, Some(Part::Field { format, .. }) if format.is_reversed());
    if !returned.many && !rest.is_empty() && !is_split_tail(rest) {
        return Err(format!(
            "it holds many items for these parameters; {} is not given",
            print(rest)
        )
        .into());
    }
    if let (false, Fan::Periods { attribute, .. }) = (returned.many, &fan) {
        return Err(format!("a range of `{attribute}` holds many items").into());
    }
    let batch = pattern
        .parameters
        .iter()
        .any(|parameter| parameter.limit == Limit::Among);
    let by_key = candidate.space == Space::Table && fan == Fan::One && rest.is_empty();
    if batch && !by_key {
        return Err(
            "a list of ids needs the whole key of the table for each of them"
                .to_owned()
                .into(),
        );
    }
    let request = match (batch, returned.many) {
        (true, _) => RequestKind::BatchGetItem,
        (false, false) if by_key => RequestKind::GetItem,
        (false, _) => RequestKind::Query,
    };
    check_filters(pattern, candidate, request)?;
    check_split(pattern, entity, returned, candidate, &fan)?;
    Ok(PatternPlan {
        request,
        table: table.name.clone(),
        index: candidate.index.clone(),
        partition_attributes: candidate.partition.clone(),
        partition: Some(KeyTemplate {
            parts: partition,
            span: key.partition.span,
        }),
        sort_attributes: candidate.sort.clone(),
        sort: condition,
        fan,
        period,
        descending: descends(pattern.order.as_ref().map(|order| order.order))
            != (is_reversed && pattern.order.is_some()),
        ordered_by: pattern.order.as_ref().and(ordered::field(varying)),
        is_reversed,
        page: pattern.page,
        strong: pattern.strong.is_some(),
        only: pattern.only.clone(),
        filters: pattern.filters.clone(),
    })
}

/// The part that varies first: the open part of the sort key, or the days that partitions are for.
fn varying<'p>(rest: &'p [Part], fan: &Fan, partition: &'p KeyTemplate) -> Option<&'p Part> {
    match (rest.first(), fan) {
        (Some(Part::Field { .. }), _) => rest.first(),
        (_, Fan::Periods { attribute, .. }) => partition.parts.iter().find(|part| {
            matches!(part, Part::Field { name, format, .. } if name == attribute && !matches!(format, Format::Truncated(_)))
        }),
        (other, _) => other,
    }
}

/// Periods are read one after the other: what is ordered is the attribute that they are periods of,
/// and nothing else.
fn check_fan_order(pattern: &Pattern, fan: &Fan, varying: Option<&Part>) -> Option<String> {
    pattern.order.as_ref()?;
    match (fan, varying) {
        (Fan::Periods { attribute, .. }, Some(Part::Field { name, .. })) if name == attribute => {
            None
        }
        (
            Fan::Periods {
                unit, attribute, ..
            },
            Some(part),
        ) => Some(format!(
            "one {unit} of `{attribute}` is read after the other, and {part} is in order within each only"
        )),
        _ => None,
    }
}

fn missing_partition(key: &KeyPair, open: &[Part], pattern: &Pattern) -> String {
    let partition = print(&key.partition.parts);
    match open.first() {
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
        _ => format!(
            "its partition key {partition} is not given: shards and periods are not read together"
        ),
    }
}

/// An index that holds only some items serves only patterns that ask for just these.
fn check_complete(pattern: &Pattern, entity: &Entity, candidate: &Candidate) -> Result<(), Unfit> {
    let limits = |field: &str| {
        pattern
            .parameters
            .iter()
            .any(|parameter| parameter.attribute == field)
    };
    if let Some(sparse) = &candidate.sparse {
        let fixed = pattern
            .fixed
            .iter()
            .find(|(name, _)| *name == sparse.attribute);
        let fits = match (&sparse.value, fixed) {
            (Some(value), Some((_, fixed))) => value == fixed,
            (None, fixed) => {
                fixed.is_some()
                    || limits(&sparse.attribute)
                    || pattern.present.contains(&sparse.attribute)
            }
            (Some(_), None) => false,
        };
        if !fits {
            let when = match &sparse.value {
                Some(value) => format!("{} = {value}", sparse.attribute),
                None => sparse.attribute.clone(),
            };
            return Err(format!(
                "it holds only items with {when}, so others would be missed; ask for them: `where {when}`"
            )
            .into());
        }
    }
    let missing = candidate.key.fields().into_iter().find(|field| {
        entity
            .attribute(field)
            .is_some_and(|attribute| attribute.optional)
            && !is_given(pattern, field)
            && !limits(field)
            && !pattern.present.iter().any(|present| present == field)
    });
    // A required attribute is in all items, or items without it are not in this index.
    for name in &pattern.present {
        let required = entity
            .attribute(name)
            .is_some_and(|attribute| !attribute.optional);
        let in_sparse = candidate
            .sparse
            .as_ref()
            .is_some_and(|sparse| sparse.attribute == *name);
        if !required && !in_sparse && !candidate.key.fields().any(|field| field == name) {
            return Err(format!(
                "items without `{name}` are in it too, and would have to be filtered"
            )
            .into());
        }
    }
    match missing {
        Some(field) => Err(format!(
            "`{field}` is optional, so items without it are not in there and would be missed"
        )
        .into()),
        None => Ok(()),
    }
}

/// Everything given must be part of the key range; what is not would need a filter.
fn check_consumed(binder: &Binder<'_>, candidate: &Candidate, rest: &[Part]) -> Result<(), Unfit> {
    // Only `sparse when a = v` says that all entries have this value.
    let in_sparse = |name: &str| {
        candidate
            .sparse
            .as_ref()
            .is_some_and(|sparse| sparse.attribute == name && sparse.value.is_some())
    };
    for name in binder.open_attributes() {
        let is_fixed = binder.pattern.fixed.iter().any(|(fixed, _)| fixed == name);
        if is_fixed && in_sparse(name) {
            continue;
        }
        let stands = rest
            .iter()
            .any(|part| matches!(part, Part::Field { name: field, .. } if field == name));
        return Err(match rest.first() {
            Some(Part::Field { name: gap, .. }) if stands => {
                format!("`{name}` stands behind `{gap}` in its sort key, and `{gap}` is not given")
                    .into()
            }
            _ => format!("`{name}` is not part of it, so it would have to be filtered").into(),
        });
    }
    Ok(())
}

/// The parts of a split item lie side by side in the table: one request reads them, and no filter
/// may part them.
fn check_split(
    pattern: &Pattern,
    entity: &Entity,
    returned: &Returned,
    candidate: &Candidate,
    fan: &Fan,
) -> Result<(), Unfit> {
    let Some((split, _)) = entity.split.as_ref().filter(|_| returned.copy.is_none()) else {
        return Ok(());
    };
    if candidate.space != Space::Table {
        let is_of_list = |filter: &&Comparison| {
            filter.attribute == *split || filter.operand == Some(Operand::Attribute(split.clone()))
        };
        if pattern.filters.iter().any(|filter| is_of_list(&filter)) {
            return Err(format!(
                "it holds the first part of `{split}` only, and a filter needs all of it"
            )
            .into());
        }
        return Ok(());
    }
    if !pattern.filters.is_empty() {
        return Err(format!(
            "{} lies in several items, and a filter would part them",
            entity.name
        )
        .into());
    }
    if *fan != Fan::One {
        return Err(format!(
            "{} lies in several items, which are not read over several partitions",
            entity.name
        )
        .into());
    }
    Ok(())
}

/// DynamoDB filters no key attributes, and a single item is not filtered at all.
fn check_filters(
    pattern: &Pattern,
    candidate: &Candidate,
    request: RequestKind,
) -> Result<(), Unfit> {
    for filter in &pattern.filters {
        if request != RequestKind::Query {
            return Err(format!(
                "a {request} does not filter; compare `{}` when it is there",
                filter.attribute
            )
            .into());
        }
        if candidate.partition.contains(&filter.attribute)
            || candidate.sort.contains(&filter.attribute)
        {
            return Err(format!(
                "`{}` is part of its key and cannot be filtered",
                filter.attribute
            )
            .into());
        }
    }
    Ok(())
}

/// In a table with periods the pattern must say which: by one time, or by a range of them.
pub(super) fn table_period(
    pattern: &Pattern,
    entity: &Entity,
    table: &Table,
    fan: Fan,
) -> Result<(Fan, Option<TablePeriod>), Unfit> {
    let (Some(unit), Some(attribute)) = (table.period, &entity.period_attribute) else {
        return Ok((fan, None));
    };
    if is_given(pattern, attribute) {
        return Ok((
            fan,
            Some(TablePeriod {
                unit,
                from: attribute.clone(),
            }),
        ));
    }
    let limit = |limit: Limit| {
        pattern
            .parameters
            .iter()
            .find(|p| p.attribute == *attribute && p.limit == limit)
    };
    let within = pattern
        .parameters
        .iter()
        .find(|p| p.attribute == *attribute && matches!(p.limit, Limit::In(of) if of <= unit));
    if let Some(parameter) = within {
        return Ok((
            fan,
            Some(TablePeriod {
                unit,
                from: parameter.name.clone(),
            }),
        ));
    }
    let Some(low) = limit(Limit::AtLeast) else {
        return Err(format!(
            "there is a table per {unit}, and the pattern does not say which: give `{attribute}`, `{unit} of {attribute}`, or a range with a lower end"
        )
        .into());
    };
    let kind = entity
        .attribute(attribute)
        .map(|a| a.kind.clone())
        .unwrap_or(crate::schema::Type::Date);
    let fan = match fan {
        Fan::Shards(_) => {
            return Err("shards and periods are not read together".to_owned().into());
        }
        Fan::Periods {
            attribute: other, ..
        } if other != *attribute => {
            return Err(format!(
                "periods of `{other}` are not read together with a table per {unit} of `{attribute}`"
            )
            .into());
        }
        Fan::Periods {
            unit: finer,
            attribute,
            kind,
            low,
            high,
        } => Fan::Periods {
            unit: finer.min(unit),
            attribute,
            kind,
            low,
            high,
        },
        Fan::One => Fan::Periods {
            unit,
            attribute: attribute.clone(),
            kind,
            low: low.name.clone(),
            high: limit(Limit::AtMost).map(|parameter| parameter.name.clone()),
        },
    };
    Ok((
        fan,
        Some(TablePeriod {
            unit,
            from: attribute.clone(),
        }),
    ))
}
