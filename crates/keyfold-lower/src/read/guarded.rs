//! One item by its `id`, whose key has attributes that change: the guard of the id holds them.

use super::answer::Raw;
use super::question::Question;
use super::request;
use crate::arguments::Values;
use crate::error::ClientError;
use crate::unknown::UnknownItem;
use keyfold_model::schema::{Guard, RequestKind, SortCondition, held_in_guard};
use keyfold_model::{PatternPlan, value};

/// Reads the guard. Returns its cost, and the arguments with what the guard holds; no arguments where
/// there is no guard, and no item.
///
/// # Errors
/// `Refused` when the guard lacks an attribute.
pub(super) async fn place(
    question: &Question<'_>,
    guard: &Guard,
    strong: bool,
) -> Result<(Raw, Option<Values>), ClientError> {
    let plan = of_guard(question.plan, guard, strong);
    let of_guard = with_plan(question, &plan, question.arguments.clone());
    let mut found = request::get(&of_guard).await?;
    let Some(held) = found.items.pop() else {
        return Ok((found, None));
    };
    let mut arguments = question.arguments.clone();
    for name in &guard.attributes {
        let value = held.get(&held_in_guard(name));
        let value = value.ok_or_else(|| lost(question))?;
        arguments.insert(name.clone(), value.clone());
    }
    Ok((found, Some(arguments)))
}

/// The plan that reads the guard.
fn of_guard(plan: &PatternPlan, guard: &Guard, strong: bool) -> PatternPlan {
    let sort = guard.sort.clone();
    PatternPlan {
        request: RequestKind::GetItem,
        table: plan.table.clone(),
        partition_attributes: plan.partition_attributes.clone(),
        partition: Some(guard.partition.clone()),
        sort_attributes: plan.sort_attributes.clone(),
        sort: sort.map_or(SortCondition::Any, SortCondition::Equal),
        strong,
        ..PatternPlan::default()
    }
}

/// The question with another plan and these arguments.
pub(super) fn with_plan<'q>(
    question: &Question<'q>,
    plan: &'q PatternPlan,
    arguments: Values,
) -> Question<'q> {
    Question {
        plan,
        arguments,
        digests: question.digests.clone(),
        ..*question
    }
}

/// The error about a guard whose item is not where it says.
pub(super) fn lost(question: &Question<'_>) -> ClientError {
    let shown = question
        .arguments
        .iter()
        .map(|(name, held)| format!("{name} = {}", value::shown(held)));
    ClientError::unknown(UnknownItem::because(format!(
        "the item with {} is not where the guard of its id says: it was not written through the model, or moves without end",
        shown.collect::<Vec<_>>().join(", ")
    )))
}
