//! Plans for mixed collections: several kinds of items that lie side by side in a partition.

use super::bind::{Binder, Place, is_given, is_split_tail};
use super::candidate::table_period;
use super::{descends, range};
use crate::check::found::Found;
use crate::check::ordered;
use crate::check::served::{self, IndexName, Miss};
use crate::check::shape::{Owner, Space, Spaces, copy_key_in};
use crate::diagnostic::Diagnostic;
use crate::schema::{Column, Entity, Index, KeyPair, Model, Pattern, Returned, Table};
use crate::schema::{Fan, PatternPlan, RequestKind, SortCondition};
use crate::template::{KeyTemplate, Part};

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
    let tables: Vec<usize> = entities.iter().map(|entity| entity.table).collect();
    let (Some(&at), true) = (
        tables.first(),
        tables.windows(2).all(|pair| pair.first() == pair.last()),
    ) else {
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
    let Some(table) = model.tables.get(at) else {
        return Err(Box::new(no_table(pattern)));
    };
    let mut misses = Vec::new();
    for space in std::iter::once(Space::Table).chain((0..table.indexes.len()).map(Space::Index)) {
        match fit(model, pattern, table, at, space) {
            Ok((found, prefix)) => return Ok(narrowed(model, spaces, pattern, found, prefix)),
            Err(miss) => misses.push(miss),
        }
    }
    Err(Box::new(served::report(
        pattern,
        &entities,
        misses,
        &IndexName::Unneeded,
    )))
}

fn no_table(pattern: &Pattern) -> Diagnostic {
    Diagnostic::error(
        "KF002",
        pattern.span,
        "there is no table",
        "nothing to read",
    )
}

/// The key of a returned kind in a space.
fn key_in(model: &Model, table: &Table, returned: &Returned, space: Space) -> Option<KeyPair> {
    let entity = model.entities.get(returned.entity)?;
    match (
        space,
        returned.copy.and_then(|copy| entity.copies.get(copy)),
    ) {
        (Space::Table, None) => Some(entity.key.clone()),
        (Space::Table, Some(copy)) => Some(copy.key.clone()),
        (Space::Index(index), Some(copy)) => {
            copy_key_in(table, entity, copy, table.indexes.get(index)?)
        }
        (Space::Index(index), None) => {
            let found = entity
                .indexes
                .iter()
                .find(|key| key.index == index && key.sparse.is_none());
            found.map(|key| key.key.clone())
        }
    }
}

/// A kind's part of a collection: its bound sort key, and whether that is all of it.
struct Member {
    bound: Vec<Part>,
    /// The positions of values that the pattern fixes.
    fixed_at: Vec<(String, usize)>,
    varying: Option<Part>,
    many: bool,
}

fn fit(
    model: &Model,
    pattern: &Pattern,
    table: &Table,
    at: usize,
    space: Space,
) -> Result<(Found, Vec<Part>), Miss> {
    let index = match space {
        Space::Table => None,
        Space::Index(index) => table.indexes.get(index),
    };
    let label = index.map_or_else(|| "the table's key".to_owned(), |index| index.name.clone());
    let miss = |reason: String| Miss {
        key: label.clone(),
        reason,
    };
    let mut shared: Option<KeyTemplate> = None;
    let (mut members, mut parts): (Vec<Owner>, Vec<Member>) = (Vec::new(), Vec::new());
    // Partitions are the same, so their shards are too.
    let mut fan = Fan::One;
    for returned in &pattern.returned {
        let Some(entity) = model.entities.get(returned.entity) else {
            continue;
        };
        let name = &entity.name;
        let key = key_in(model, table, returned, space)
            .ok_or_else(|| miss(format!("{name} is not in it")))?;
        let mut binder = Binder::new(pattern, &table.delimiters);
        let (bound, open) = binder.bind(&key.partition.parts, Place::Partition);
        if let Some(part) = open.first() {
            return Err(miss(format!(
                "the partition key of {name} needs {part}, which is not given"
            )));
        }
        let bound = KeyTemplate {
            parts: bound,
            span: key.partition.span,
        };
        match &shared {
            None => shared = Some(bound),
            Some(first) if first.parts == bound.parts => {}
            Some(first) if first.to_string() == bound.to_string() => {
                let reason = format!(
                    "each kind in {bound} is spread over shards by its own key, so that {name} and the others do not lie together"
                );
                return Err(miss(reason));
            }
            Some(first) => {
                return Err(miss(format!(
                    "{name} lies in the partition {bound}, others in {first}"
                )));
            }
        }
        parts.push(member(pattern, returned, entity, &key, &mut binder).map_err(miss)?);
        fan = std::mem::take(&mut binder.fan);
        members.push(Owner {
            entity: returned.entity,
            copy: returned.copy,
            is_guard: false,
        });
    }
    let partition = shared.ok_or_else(|| miss("nothing is returned".to_owned()))?;
    check_order(pattern, &parts).map_err(miss)?;
    check_filters(model, pattern, table, index, space).map_err(miss)?;
    if let Some(name) = pattern.present.first() {
        return Err(miss(format!(
            "`where {name}` is for patterns that return one kind of item"
        )));
    }
    let prefix = check_given(pattern, &partition, common(&parts)).map_err(miss)?;
    let is_cut = |member: &Member, at: usize| {
        prefix.get(at).is_none() || prefix.get(at) != member.bound.get(at)
    };
    for member in &parts {
        if let Some((name, _)) = member.fixed_at.iter().find(|(_, at)| is_cut(member, *at)) {
            return Err(miss(format!(
                "`where {name}` is not part of what the keys of all kinds share"
            )));
        }
    }
    let (fan, period) = match model
        .entities
        .get(members.first().map_or(0, |member| member.entity))
    {
        Some(entity) => table_period(pattern, entity, table, fan).map_err(|_| {
            miss("the pattern does not say in which period's table the items lie".to_owned())
        })?,
        None => (fan, None),
    };
    let (partition_attributes, sort_attributes) = attributes(table, index);
    let first = parts
        .iter()
        .find(|part| part.many)
        .and_then(|part| part.varying.as_ref());
    let is_reversed = matches!(first, Some(Part::Field { format, .. }) if format.is_reversed());
    let plan = PatternPlan {
        request: RequestKind::Query,
        table: table.name.clone(),
        index: index.map(|index| index.name.clone()),
        partition_attributes,
        partition: Some(partition),
        sort_attributes,
        sort: SortCondition::Any,
        fan,
        period,
        descending: descends(pattern.order.as_ref().map(|order| order.order))
            != (is_reversed && pattern.order.is_some()),
        ordered_by: pattern.order.as_ref().and(ordered::field(first)),
        is_reversed,
        page: pattern.page,
        strong: pattern.strong.is_some(),
        only: pattern.only.clone(),
        filters: pattern.filters.clone(),
    };
    Ok((
        Found {
            plan,
            table: at,
            space,
            members,
        },
        prefix,
    ))
}

/// Given attributes must be part of the keys that all kinds share, and end there; others would have
/// to be filtered.
fn check_given(
    pattern: &Pattern,
    partition: &KeyTemplate,
    mut prefix: Vec<Part>,
) -> Result<Vec<Part>, String> {
    // A field at the end is not ended by anything: what the partition says already need not be said
    // again.
    if let Some(part @ Part::Field { name, .. }) = prefix.last()
        && !part.is_fixed_width()
    {
        if !partition.fields().any(|field| field == name) {
            return Err(format!(
                "nothing that all kinds share ends {part} in their sort keys, so longer values that start like it would be found too; let each go on with the same delimiter"
            ));
        }
        prefix.pop();
    }
    // Given attributes must be part of the keys that all kinds share; others would have to be
    // filtered.
    let in_range = |name: &str| {
        [partition.parts.as_slice(), &prefix]
            .into_iter()
            .any(|parts| crate::template::fields_of(parts).contains(&name))
    };
    for parameter in pattern
        .parameters
        .iter()
        .filter(|p| !p.attribute.is_empty())
    {
        if !in_range(&parameter.attribute) && !in_range(&parameter.name) {
            return Err(format!(
                "`{}` is not part of what the keys of all kinds share",
                parameter.name
            ));
        }
    }
    Ok(prefix)
}

/// Refuses filters on key attributes and on the parts of an item.
fn check_filters(
    model: &Model,
    pattern: &Pattern,
    table: &Table,
    index: Option<&Index>,
    space: Space,
) -> Result<(), String> {
    let is_split = |returned: &&Returned| {
        returned.copy.is_none()
            && model
                .entities
                .get(returned.entity)
                .is_some_and(|entity| entity.split.is_some())
    };
    if let (Some(_), false, Space::Table) = (
        pattern.returned.iter().find(is_split),
        pattern.filters.is_empty(),
        space,
    ) {
        return Err(
            "an entity that is split lies in several items, and a filter would part them"
                .to_owned(),
        );
    }
    let key_names: Vec<String> = {
        let (partition, sort) = attributes(table, index);
        partition.into_iter().chain(sort).collect()
    };
    if let Some(filter) = pattern
        .filters
        .iter()
        .find(|filter| key_names.contains(&filter.attribute))
    {
        return Err(format!(
            "`{}` is part of its key and cannot be filtered",
            filter.attribute
        ));
    }
    Ok(())
}

/// The names of the key attributes of the table or index.
fn attributes(table: &Table, index: Option<&Index>) -> (Vec<String>, Vec<String>) {
    let names = |columns: &mut dyn Iterator<Item = &Column>| {
        columns.map(|column| column.name.clone()).collect()
    };
    match index {
        None => (
            vec![table.partition.name.clone()],
            names(&mut table.sort.iter()),
        ),
        Some(index) => (
            names(&mut index.partition.iter()),
            names(&mut index.sort.iter()),
        ),
    }
}

/// The promise of one kind in a collection: none of its items is missing, and one is only one.
fn member(
    pattern: &Pattern,
    returned: &Returned,
    entity: &Entity,
    key: &KeyPair,
    binder: &mut Binder<'_>,
) -> Result<Member, String> {
    if let Fan::Periods { unit, .. } = binder.fan {
        return Err(format!(
            "{} lies in a partition per {unit}, which a collection does not read",
            entity.name
        ));
    }
    let optional = |field: &&str| {
        entity
            .attribute(field)
            .is_some_and(|attribute| attribute.optional)
    };
    if let Some(field) = key
        .fields()
        .filter(|field| !is_given(pattern, field))
        .find(optional)
    {
        return Err(format!(
            "`{field}` of {} is optional, so items without it would be missed",
            entity.name
        ));
    }
    let sort = key.sort.as_ref().map_or(&[][..], |sort| &sort.parts);
    let (bound, open) = binder.bind(sort, Place::Sort);
    if let Some(name) = binder.open_attributes().first() {
        return Err(format!(
            "`{name}` is not given by the key of {}, so it would have to be filtered",
            entity.name
        ));
    }
    if !returned.many && !open.is_empty() && !is_split_tail(open) {
        return Err(format!(
            "it can hold many {} items, and the pattern promises one; return {}[]",
            entity.name, entity.name
        ));
    }
    if returned.many
        && let Some(order) = &pattern.order
        && let Some(reason) = ordered::reason(order, open.first())
    {
        return Err(format!("{}: {reason}", entity.name));
    }
    let in_partition = |name: &String| key.partition.fields().any(|field| field == name);
    let place = |name: &String| {
        sort.iter()
            .position(|part| matches!(part, Part::Field { name: field, .. } if field == name))
    };
    let fixed = pattern
        .fixed
        .iter()
        .map(|(name, _)| name)
        .filter(|name| !in_partition(name));
    let fixed_at = fixed
        .filter_map(|name| Some((name.clone(), place(name)?)))
        .collect();
    Ok(Member {
        bound,
        fixed_at,
        varying: open.first().cloned(),
        many: returned.many,
    })
}

/// In one order are only kinds with the same text before the part that varies first.
fn check_order(pattern: &Pattern, members: &[Member]) -> Result<(), String> {
    let mut starts = members
        .iter()
        .filter(|member| member.many)
        .map(|member| &member.bound);
    let first = starts.next();
    if pattern.order.is_some() && starts.any(|start| Some(start) != first) {
        return Err(
            "its kinds have different texts before the attribute to order by, so they are not in one order"
                .to_owned(),
        );
    }
    Ok(())
}

/// The longest start that the sort keys of all kinds share.
fn common(members: &[Member]) -> Vec<Part> {
    let mut shared = match members.first() {
        Some(first) => first.bound.clone(),
        None => return Vec::new(),
    };
    for member in members.iter().skip(1) {
        let same = shared
            .iter()
            .zip(&member.bound)
            .take_while(|(one, two)| one == two)
            .count();
        let tail = match (shared.get(same), member.bound.get(same)) {
            (Some(Part::Text(one)), Some(Part::Text(two))) => {
                let length: usize = one
                    .chars()
                    .zip(two.chars())
                    .take_while(|(a, b)| a == b)
                    .map(|(c, _)| c.len_utf8())
                    .sum();
                one.get(..length)
                    .filter(|text| !text.is_empty())
                    .map(|text| Part::Text(text.to_owned()))
            }
            _ => None,
        };
        shared.truncate(same);
        shared.extend(tail);
    }
    shared
}

/// The whole partition if it holds nothing else, or else the range of what the sort keys share.
fn narrowed(
    model: &Model,
    spaces: &Spaces,
    pattern: &Pattern,
    mut found: Found,
    prefix: Vec<Part>,
) -> Found {
    let partition: Vec<&str> = found
        .plan
        .partition
        .iter()
        .flat_map(KeyTemplate::fields)
        .collect();
    let is_new = |part: &Part| matches!(part, Part::Field { name, .. } if !partition.contains(&name.as_str()));
    let needs_prefix = prefix.iter().any(is_new);
    if !needs_prefix && range::exact(model, spaces, pattern, &found).is_none() {
        return found;
    }
    if !prefix.is_empty() {
        found.plan.sort = SortCondition::BeginsWith(KeyTemplate {
            parts: prefix,
            span: pattern.span,
        });
    }
    // Other kinds in the range are reported where all plans are judged.
    found
}
