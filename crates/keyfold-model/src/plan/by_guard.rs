//! The plan of one item by its `id`, where its key has attributes that change: the guard of the id is
//! read first, which holds their values.

use super::bind::{is_given, is_split_tail};
use super::candidate::names;
use crate::check::shape::guard_key;
use crate::schema::{
    Entity, Guard, KeyPair, Limit, Pattern, PatternPlan, RequestKind, Returned, SortCondition,
    Table,
};
use crate::template::KeyTemplate;

/// The plan through the guard, or the reason why there is none; `None` where the pattern does not
/// ask for one item by its `id`.
pub(super) fn plan(
    pattern: &Pattern,
    returned: &Returned,
    entity: &Entity,
    table: &Table,
) -> Option<Result<PatternPlan, String>> {
    let is_by_id = entity.id.iter().all(|name| is_given(pattern, name));
    let guard = guard_key(table, entity, entity.id_guard()?);
    if !is_by_id || returned.many || returned.copy.is_some() {
        return None;
    }
    let refused = refused(pattern, entity);
    Some(refused.map_or_else(|| Ok(through_guard(pattern, entity, table, guard)), Err))
}

/// The plan through the guard for a strong read, which no global index answers.
pub(super) fn strong(
    pattern: &Pattern,
    returned: &Returned,
    entity: &Entity,
    table: &Table,
) -> Option<PatternPlan> {
    pattern.strong?;
    plan(pattern, returned, entity, table)?.ok()
}

/// The reason why the item of the id may not be the one that the pattern asks for.
fn refused(pattern: &Pattern, entity: &Entity) -> Option<String> {
    let is_other = |name: &&String| !entity.identifies(name);
    let compared = pattern
        .parameters
        .iter()
        .filter(|one| one.limit != Limit::Equal || is_other(&&one.attribute));
    let fixed = pattern.fixed.iter().map(|(name, _)| name).filter(is_other);
    let is_optional = |name: &&String| {
        let found = entity.attribute(name);
        found.is_some_and(|found| found.optional)
    };
    let mut others = compared
        .map(|one| &one.attribute)
        .chain(fixed)
        .chain(pattern.present.iter().filter(is_optional));
    if let Some(name) = others.next() {
        return Some(format!(
            "`{name}` is not part of the id, so it would have to be filtered"
        ));
    }
    let mut filters = pattern.filters.iter().flat_map(|one| one.attributes());
    let filtered = filters.next()?;
    Some(format!(
        "a GetItem does not filter; compare `{filtered}` when it is there"
    ))
}

/// The plan by the whole key, of which the guard gives what the pattern does not.
fn through_guard(pattern: &Pattern, entity: &Entity, table: &Table, guard: KeyPair) -> PatternPlan {
    let (request, sort) = match &entity.key.sort {
        None => (RequestKind::GetItem, SortCondition::Any),
        Some(sort) => of_sort_key(sort),
    };
    PatternPlan {
        request,
        table: table.name.clone(),
        partition_attributes: vec![table.partition.name.clone()],
        partition: Some(entity.key.partition.clone()),
        sort_attributes: names(table.sort.iter()),
        sort,
        strong: pattern.strong.is_some(),
        only: pattern.only.clone(),
        guard: Some(Guard {
            partition: guard.partition,
            sort: guard.sort,
            attributes: entity.moving().into_iter().map(str::to_owned).collect(),
        }),
        ..PatternPlan::default()
    }
}

/// The request for a whole sort key: one item, or all parts of a split list.
fn of_sort_key(sort: &KeyTemplate) -> (RequestKind, SortCondition) {
    match sort.parts.split_last() {
        // With the delimiter before it, which ends the last field: `a` begins `ab`, too.
        Some((number, whole)) if is_split_tail(std::slice::from_ref(number)) => {
            let start = KeyTemplate {
                parts: whole.to_vec(),
                span: sort.span,
            };
            (RequestKind::Query, SortCondition::BeginsWith(start))
        }
        Some(_) | None => (RequestKind::GetItem, SortCondition::Equal(sort.clone())),
    }
}
