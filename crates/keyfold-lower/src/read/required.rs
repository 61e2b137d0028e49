//! The items that a collection must contain: `Order + OrderItem[]` without its order is no answer.

use super::answer::{Asked, FoundItem, PageRequest};
use super::question::Question;
use crate::error::ClientError;
use keyfold_model::schema::Returned;
use keyfold_model::{Fan, KeyTemplate, Model, Pattern, value};
use keyfold_types::Item;

/// Refuses a page of a collection that lacks a required item: one whose key lies between the
/// beginning and the end of the page, or anywhere if the page is the whole answer.
///
/// # Errors
/// `NotFound`.
pub(super) fn check(
    model: &Model,
    pattern: &Pattern,
    question: &Question<'_>,
    page: &PageRequest,
    items: &[FoundItem],
    (asked, next): (&Asked, Option<&Item>),
) -> Result<(), ClientError> {
    // The first page has read the kinds beside the range.
    let beside = &question.plan.beside;
    let is_beside = |one: &&Returned| {
        let mut places = beside
            .iter()
            .filter_map(|(at, _)| pattern.returned.get(*at));
        places.any(|other| other.entity == one.entity && other.copy == one.copy)
    };
    for missing in missing(model, pattern, items).filter(|one| !is_beside(one)) {
        let is_whole = page.after.is_none() && next.is_none();
        if is_whole || lies_in(model, missing, question, page, next) {
            return Err(not_found(model, pattern, missing, asked));
        }
    }
    Ok(())
}

/// Refuses a whole answer that lacks a required item.
///
/// # Errors
/// `NotFound`.
pub(super) fn check_all(
    model: &Model,
    pattern: &Pattern,
    items: &[FoundItem],
    asked: &Asked,
) -> Result<(), ClientError> {
    match missing(model, pattern, items).next() {
        Some(missing) => Err(not_found(model, pattern, missing, asked)),
        None => Ok(()),
    }
}

/// The required kinds that are not among the items.
fn missing<'m>(
    model: &'m Model,
    pattern: &'m Pattern,
    items: &'m [FoundItem],
) -> impl Iterator<Item = &'m Returned> {
    // No filter drops a required item: the compiler refuses it.
    let is_collection = pattern.returned.len() > 1;
    let is_missing = move |one: &&Returned| {
        let name = kind_name(model, one);
        !one.many && !one.optional && !items.iter().any(|item| item.kind == name)
    };
    pattern
        .returned
        .iter()
        .filter(move |_| is_collection)
        .filter(is_missing)
}

/// The name of a kind of items: the entity, `Entity.copy`, or the name that the pattern gives it.
pub fn kind_name(model: &Model, returned: &Returned) -> String {
    model.name_of(returned)
}

fn not_found(model: &Model, pattern: &Pattern, missing: &Returned, asked: &Asked) -> ClientError {
    let kind = kind_name(model, missing);
    ClientError::not_found(format!(
        "{}: there is no {kind} for {}",
        pattern.name, asked.condition
    ))
}

/// Whether the key of the one item lies in the part of the range that a page read.
fn lies_in(
    model: &Model,
    one: &Returned,
    question: &Question<'_>,
    page: &PageRequest,
    next: Option<&Item>,
) -> bool {
    if question.plan.fan != Fan::One {
        return false;
    }
    let Some(own) = sort_key(model, one, question) else {
        return false;
    };
    let is_behind_start = page
        .after
        .as_ref()
        .is_none_or(|after| question.compare(&own, after).is_gt());
    // Several items of an index may have the same sort key: the last item of a page need not be the
    // last of them.
    let is_before_end = next.is_none_or(|next| {
        let order = question.compare(&own, next);
        match question.plan.index {
            None => order.is_le(),
            Some(_) => order.is_lt(),
        }
    });
    is_behind_start && is_before_end
}

/// The sort key of the one item that there can be; `None` where the arguments do not determine it.
fn sort_key(model: &Model, one: &Returned, question: &Question<'_>) -> Option<Item> {
    let entity = model.entities.get(one.entity)?;
    let copy = one.copy.and_then(|at| entity.copies.get(at));
    let template: &KeyTemplate = match (&question.plan.index, copy) {
        (None, Some(copy)) => copy.key.sort.as_ref()?,
        (None, None) => entity.key.sort.as_ref()?,
        (Some(name), None) => {
            let at = question
                .table
                .indexes
                .iter()
                .position(|index| index.name == *name)?;
            entity
                .indexes
                .iter()
                .find(|key| key.index == at)?
                .key
                .sort
                .as_ref()?
        }
        (Some(_), Some(_)) => return None,
    };
    let mut key = Item::new();
    for (name, parts) in question.plan.sort_attributes.iter().zip(template.columns()) {
        let held = value::column(parts, &question.arguments).ok()?;
        key.insert(name.as_str(), held);
    }
    Some(key)
}
