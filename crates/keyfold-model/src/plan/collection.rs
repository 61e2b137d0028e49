//! Plans for mixed collections: several kinds of items that share a partition.

use super::candidate::{bind, is_given};
use super::{Found, PatternPlan, RequestKind, SortCondition, descends};
use crate::check::ordered;
use crate::check::served::{self, IndexName, Miss};
use crate::check::shape::{Owner, Space, Spaces};
use crate::diagnostic::Diagnostic;
use crate::schema::{Entity, KeyPair, Limit, Model, Pattern, Returned};
use crate::template::{KeyTemplate, Part};

pub(super) fn plan(model: &Model, spaces: &Spaces, pattern: &Pattern) -> Result<Found, Box<Diagnostic>> {
    let entities: Vec<&Entity> =
        pattern.returned.iter().filter_map(|returned| model.entities.get(returned.entity)).collect();
    let tables: Vec<usize> = entities.iter().map(|entity| entity.table).collect();
    let (Some(&at), true) = (tables.first(), tables.windows(2).all(|pair| pair.first() == pair.last()))
    else {
        let message = format!("{} returns entities of different tables", pattern.name);
        return Err(Box::new(
            Diagnostic::error("KF010", pattern.span, message, "one request reads one table")
                .help("put the entities into one table, or make it two patterns"),
        ));
    };
    let indexes = model.tables.get(at).map_or(0, |table| table.indexes.len());
    let mut misses = Vec::new();
    for space in std::iter::once(Space::Table).chain((0..indexes).map(Space::Index)) {
        match fit(model, pattern, at, space) {
            Ok(found) => return narrowed(model, spaces, pattern, found),
            Err(miss) => misses.push(miss),
        }
    }
    Err(Box::new(served::report(pattern, &entities, misses, &IndexName::Unneeded)))
}

/// The key of a returned kind in a space.
fn key_in<'m>(model: &'m Model, returned: &Returned, space: Space) -> Option<&'m KeyPair> {
    let entity = model.entities.get(returned.entity)?;
    match (space, returned.copy) {
        (Space::Table, None) => Some(&entity.key),
        (Space::Table, Some(copy)) => entity.copies.get(copy).map(|copy| &copy.key),
        (Space::Index(_), Some(_)) => None,
        (Space::Index(index), None) => {
            entity.indexes.iter().find(|key| key.index == index && key.sparse.is_none()).map(|key| &key.key)
        }
    }
}

fn fit(model: &Model, pattern: &Pattern, at: usize, space: Space) -> Result<Found, Miss> {
    let table = model.tables.get(at);
    let index = match space {
        Space::Table => None,
        Space::Index(index) => table.and_then(|table| table.indexes.get(index)),
    };
    let label = index.map_or_else(|| "the table's key".to_owned(), |index| index.name.clone());
    let miss = |reason: String| Miss { key: label.clone(), reason };
    let table = table.ok_or_else(|| miss("there is no table".to_owned()))?;
    let mut shared: Option<KeyTemplate> = None;
    let mut members = Vec::new();
    for returned in &pattern.returned {
        let name = model.entities.get(returned.entity).map_or("", |entity| entity.name.as_str());
        let key = key_in(model, returned, space).ok_or_else(|| miss(format!("{name} is not in it")))?;
        let (bound, open) = bind(pattern, &key.partition);
        if let Some(Part::Field { name: field, .. }) = open.first() {
            return Err(miss(format!("the partition key of {name} needs `{field}`, which is not given")));
        }
        let bound = KeyTemplate { parts: bound, ..key.partition.clone() };
        match &shared {
            None => shared = Some(bound),
            Some(first) if first.parts == bound.parts => {}
            Some(first) => {
                return Err(miss(format!("{name} lies in the partition {bound}, others in {first}")));
            }
        }
        check_member(model, pattern, returned, key).map_err(miss)?;
        if returned.many
            && let Some((order, _)) = pattern.order
            && let Some(sort) = &key.sort
            && let Some(reason) = ordered::reason(order, bind(pattern, sort).1.first(), sort.bare)
        {
            return Err(miss(format!("{name}: {reason}")));
        }
        members.push(Owner { entity: returned.entity, copy: returned.copy, is_guard: false });
    }
    let partition = shared.ok_or_else(|| miss("nothing is returned".to_owned()))?;
    if pattern.order.is_some() && !share_start(model, pattern, space) {
        return Err(miss(
            "its kinds have different texts before the attribute to order by, so they are not in one order"
                .to_owned(),
        ));
    }
    for (name, _) in &pattern.fixed {
        let in_partition = pattern.returned.iter().all(|returned| {
            key_in(model, returned, space)
                .is_some_and(|key| key.partition.fields().any(|field| field == name))
        });
        if !in_partition {
            return Err(miss(format!(
                "`where {name}` is not part of the shared partition key, so it would have to be filtered"
            )));
        }
    }
    for parameter in &pattern.parameters {
        let used = partition.fields().any(|field| field == parameter.attribute);
        if parameter.limit != Limit::Equal || !used || !is_given(pattern, &parameter.attribute) {
            return Err(miss(format!("`{}` is not part of the shared partition key", parameter.name)));
        }
    }
    let (partition_column, sort_column) = match index {
        None => (&table.partition, &table.sort),
        Some(index) => (&index.partition, &index.sort),
    };
    let plan = PatternPlan {
        request: RequestKind::Query,
        table: table.name.clone(),
        index: index.map(|index| index.name.clone()),
        partition_attribute: partition_column.name.clone(),
        partition: Some(partition),
        sort_attribute: sort_column.as_ref().map(|column| column.name.clone()),
        sort: SortCondition::Any,
        descending: descends(pattern.order.map(|(order, _)| order)),
        page: pattern.page,
        strong: pattern.strong.is_some(),
    };
    Ok(Found { plan, table: at, space, members })
}

/// What must hold of one kind in a collection: none of its items is missing, and one is only one.
fn check_member(model: &Model, pattern: &Pattern, returned: &Returned, key: &KeyPair) -> Result<(), String> {
    let Some(entity) = model.entities.get(returned.entity) else { return Ok(()) };
    let optional = |field: &&str| entity.attribute(field).is_some_and(|attribute| attribute.optional);
    if let Some(field) = key.fields().filter(|field| !is_given(pattern, field)).find(|field| optional(field))
    {
        return Err(format!("`{field}` of {} is optional, so items without it would be missed", entity.name));
    }
    let open = key.sort.as_ref().map_or(&[][..], |sort| bind(pattern, sort).1);
    if !returned.many && !open.is_empty() {
        return Err(format!(
            "it can hold many {} items, and the pattern promises one; return {}[]",
            entity.name, entity.name
        ));
    }
    Ok(())
}

/// Whether the many kinds of a collection have the same text before the part that varies first.
fn share_start(model: &Model, pattern: &Pattern, space: Space) -> bool {
    let many = pattern.returned.iter().filter(|returned| returned.many);
    let starts: Vec<Vec<Part>> = many
        .filter_map(|returned| Some(bind(pattern, key_in(model, returned, space)?.sort.as_ref()?).0))
        .collect();
    starts.windows(2).all(|pair| pair.first() == pair.last())
}

/// The whole partition if it holds nothing else, or else the range of the members' common first text.
fn narrowed(
    model: &Model,
    spaces: &Spaces,
    pattern: &Pattern,
    mut found: Found,
) -> Result<Found, Box<Diagnostic>> {
    if found.exact(model, spaces, pattern).is_none() {
        return Ok(found);
    }
    let starts = pattern.returned.iter().filter_map(|returned| {
        let sort = key_in(model, returned, found.space)?.sort.as_ref()?;
        match sort.parts.first() {
            Some(Part::Text(text)) if !sort.bare => Some(text.as_str()),
            _ => Some(""),
        }
    });
    let common = starts.reduce(|one, two| {
        let length: usize = one
            .chars()
            .zip(two.chars())
            .take_while(|(a, b)| a == b)
            .map(|(letter, _)| letter.len_utf8())
            .sum();
        one.get(..length).unwrap_or("")
    });
    if let Some(common) = common.filter(|common| !common.is_empty()) {
        found.plan.sort = SortCondition::BeginsWith(KeyTemplate::of_text(common, pattern.span));
    }
    // What still bleeds in is reported where all plans are judged.
    Ok(found)
}
