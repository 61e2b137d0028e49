//! The single kinds of a collection that its range does not hold: each comes by a GetItem, beside
//! the first page.

use super::answer::{PageRequest, Raw};
use super::question::Question;
use super::request;
use super::required::kind_name;
use crate::error::ClientError;
use crate::lowering::together;
use keyfold_model::{Model, Pattern};

/// Whether nothing is read beside a page: the pattern has no such kinds, or the page is not the first.
pub(super) fn is_empty(question: &Question<'_>, page: &PageRequest) -> bool {
    question.plan.beside.is_empty() || page.after.is_some()
}

/// Reads the single kinds for the first page.
///
/// # Errors
/// `NotFound` when a required one does not exist.
pub(super) async fn read(
    question: &Question<'_>,
    model: &Model,
    pattern: &Pattern,
) -> Result<Raw, ClientError> {
    let mut raw = Raw::default();
    let alone = question.plan.beside.iter().map(|(_, plan)| Question {
        parameters: question.parameters,
        ..Question::of(
            (question.io, question.name),
            question.table,
            plan,
            &question.arguments,
        )
    });
    let all: Vec<Question<'_>> = alone.collect();
    let found = together(all.iter().map(request::get)).await;
    for ((at, _), found) in question.plan.beside.iter().zip(found) {
        let found = found?;
        if let Some(returned) = pattern.returned.get(*at)
            && found.items.is_empty()
            && !returned.optional
        {
            return Err(ClientError::not_found(format!(
                "{}: there is no {} for {}",
                pattern.name,
                kind_name(model, returned),
                found.asked.condition
            )));
        }
        raw.add(found);
    }
    Ok(raw)
}
