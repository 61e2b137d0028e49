//! Sends the steps of a write: a single step as a plain operation, several as a transaction.

use super::aggregate::with_aggregates;
use super::context::Context;
use super::invalid::{self, Sent};
use super::lacking::{self, Unread};
use super::meeting::place_of;
use super::refusal::Refusal;
use super::step::{Draft, Step, StepAction};
use super::written::Written;
use crate::capacity;
use crate::error::ClientError;
use crate::lookup::Spot;
use crate::retry::back_off;
use crate::tables;
use keyfold_api::{
    DeleteItemInput, ErrorKind, PutItemInput, Request, Response, TransactWriteItem,
    TransactWriteItemsInput, UpdateItemInput,
};
use keyfold_types::Item;
use keyfold_types::limits::{TRANSACTION_ACTIONS_MAX, TRANSACTION_BYTES_MAX};
use std::collections::BTreeMap;

/// Most kinds of changes that a refusal of too many lists.
const LABELS_SHOWN_MAX: usize = 4;

/// The outcome of the steps.
enum Outcome {
    Done(Written),
    /// Another writer was faster.
    Stale,
}

/// Sends the steps of one try of a write. Returns none when another writer was faster, after a pause:
/// the write then reads again and makes its steps again.
pub(super) async fn sent(
    context: &Context<'_>,
    mut draft: Draft,
    tried: u32,
) -> Result<Option<Written>, ClientError> {
    let unread = std::mem::take(&mut draft.unread);
    let steps = with_aggregates(context, draft).await?;
    sent_steps(context, steps, &unread, tried).await
}

/// Sends all steps of one try of a write, as [`sent`].
pub(super) async fn sent_steps(
    context: &Context<'_>,
    steps: Vec<Step>,
    unread: &[Unread],
    tried: u32,
) -> Result<Option<Written>, ClientError> {
    if steps.is_empty() || is_judged(&steps) {
        return Ok(Some(Written::nothing(context.io.spent())));
    }
    match execute(context, steps).await {
        Err(error) => Err(lacking::explained(context, error, unread).await),
        Ok(Outcome::Done(written)) => Ok(Some(written)),
        Ok(Outcome::Stale) => {
            context.io.pause(back_off(tried)).await;
            Ok(None)
        }
    }
}

/// Whether the steps are one check of an item as it was read: reading it has judged it.
fn is_judged(steps: &[Step]) -> bool {
    matches!(
        steps,
        [Step {
            action: StepAction::Check,
            refusal: Refusal::Stale,
            ..
        }]
    )
}

async fn execute(context: &Context<'_>, steps: Vec<Step>) -> Result<Outcome, ClientError> {
    check_count(&steps)?;
    check_distinct(&steps)?;
    let bytes: Vec<u64> = steps.iter().map(put_bytes).collect();
    check_size(&bytes)?;
    let mut names: Vec<String> = steps.iter().map(|step| step.table.clone()).collect();
    names.sort_unstable();
    names.dedup();
    let refusals: Vec<Refusal> = steps.iter().map(|step| step.refusal.clone()).collect();
    let labels: Vec<String> = steps.iter().map(|step| step.label.clone()).collect();
    let items: Vec<(String, Item)> = steps.iter().map(Step::item).collect();
    let request = request_of(steps.into_iter().map(Step::lower).collect());
    let operation = request.operation().name();
    let answer = asked(context, request, &names).await;
    let places = || items.iter().map(|(table, key)| place_of(table, key));
    match answer {
        Ok(_) => Ok(Outcome::Done(Written {
            operation,
            changes: labels,
            capacity: context.io.spent(),
            made: Vec::new(),
        })),
        Err(error) if error.is_conflict() => Ok(Outcome::Stale),
        Err(ClientError::OutcomeUnknown { why, .. }) => Err(ClientError::OutcomeUnknown {
            why,
            check: format!(
                "{} of {}",
                labels.join(", "),
                places().collect::<Vec<String>>().join(", ")
            ),
        }),
        Err(error) => {
            let sent = || {
                let all = labels.iter().zip(places()).zip(&bytes);
                all.map(|((label, place), bytes)| Sent::new(label, &place, *bytes))
            };
            let Some(failed) = error.failed_actions() else {
                return Err(invalid::explained(error, sent()));
            };
            let all = refusals.iter().zip(labels.iter().zip(&items));
            let all: Vec<_> = all.collect();
            let of_action = |at: &usize| Some((*at, all.get(*at)?));
            let failed: Vec<_> = failed.iter().filter_map(of_action).collect();
            // A stale step decides before a refusal: the other writer may have changed the same
            // entity, so the write reads it again.
            if failed
                .iter()
                .any(|(_, (refusal, _))| matches!(refusal, Refusal::Stale))
            {
                return Ok(Outcome::Stale);
            }
            let refused = failed
                .into_iter()
                .find_map(|(at, (refusal, (label, (table, key))))| {
                    let refused = refusal.error(error.has_found(at))?;
                    Some(refused.at_item(label, table, key))
                });
            Err(refused.unwrap_or_else(|| invalid::explained(error, sent())))
        }
    }
}

/// Asks a request. The table of a new period is created when its first item is written.
async fn asked(
    context: &Context<'_>,
    request: Request,
    names: &[String],
) -> Result<Response, ClientError> {
    let is_period = |name: &String| {
        let mut tables = context.model.tables.iter();
        tables.any(|table| table.period_of(name).is_some())
    };
    let again = names.iter().any(is_period).then(|| request.clone());
    match (context.io.ask(request).await, again) {
        (Err(error), Some(request))
            if error.kind() == Some(ErrorKind::ResourceNotFound)
                && tables::ensure_periods(context.io, context.model, names).await? =>
        {
            context.io.ask(request).await
        }
        (answer, _) => answer,
    }
}

/// Refuses two steps of one item: a transaction allows one action per item.
fn check_distinct(steps: &[Step]) -> Result<(), ClientError> {
    let mut seen: BTreeMap<Spot<'_>, &str> = BTreeMap::new();
    for step in steps {
        if let Some(first) = seen.insert(Spot(&step.table, &step.key), &step.label) {
            return Err(ClientError::refused(format!(
                "`{first}` and `{}` meet the same item, and a transaction has one action for each; put them together",
                step.label
            )));
        }
    }
    Ok(())
}

/// Refuses more steps than a transaction has actions, before anything is written.
fn check_count(steps: &[Step]) -> Result<(), ClientError> {
    if steps.len() <= TRANSACTION_ACTIONS_MAX {
        return Ok(());
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for step in steps {
        *counts.entry(&step.label).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let shown = counts.iter().take(LABELS_SHOWN_MAX);
    let shown: Vec<String> = shown
        .map(|(label, count)| format!("{label}: {count}"))
        .collect();
    let others = if counts.len() > LABELS_SHOWN_MAX {
        ", others"
    } else {
        ""
    };
    Err(ClientError::refused(format!(
        "the write would change {} items ({}{others}), and a transaction changes at most {TRANSACTION_ACTIONS_MAX}; nothing was written: give it less at a time",
        steps.len(),
        shown.join(", ")
    )))
}

/// The bytes of the item that a step puts. The size of one that is updated is not known.
fn put_bytes(step: &Step) -> u64 {
    match &step.action {
        StepAction::Put(item) => item.size_bytes(),
        StepAction::Update { .. } | StepAction::Delete | StepAction::Check => 0,
    }
}

/// Refuses more bytes than a transaction has, before anything is written.
fn check_size(sizes: &[u64]) -> Result<(), ClientError> {
    let bytes: u64 = sizes.iter().sum();
    if sizes.len() < 2 || bytes <= TRANSACTION_BYTES_MAX {
        return Ok(());
    }
    Err(ClientError::refused(format!(
        "the write would put {bytes} bytes, and a transaction has at most {TRANSACTION_BYTES_MAX}; nothing was written: give it less at a time"
    )))
}

/// The request that carries out the actions.
fn request_of(mut actions: Vec<TransactWriteItem>) -> Request {
    if let [_] = actions.as_slice() {
        match actions.remove(0) {
            TransactWriteItem { put: Some(put), .. } => {
                return Request::PutItem(PutItemInput {
                    table_name: put.table_name,
                    item: put.item,
                    condition_expression: put.condition_expression,
                    expression_attributes: put.expression_attributes,
                    return_values_on_condition_check_failure: put
                        .return_values_on_condition_check_failure,
                    returns: capacity::requested(),
                    ..PutItemInput::default()
                });
            }
            TransactWriteItem {
                update: Some(update),
                ..
            } => {
                return Request::UpdateItem(UpdateItemInput {
                    table_name: update.table_name,
                    key: update.key,
                    update_expression: update.update_expression,
                    condition_expression: update.condition_expression,
                    expression_attributes: update.expression_attributes,
                    return_values_on_condition_check_failure: update
                        .return_values_on_condition_check_failure,
                    returns: capacity::requested(),
                    ..UpdateItemInput::default()
                });
            }
            TransactWriteItem {
                delete: Some(delete),
                ..
            } => {
                return Request::DeleteItem(DeleteItemInput {
                    table_name: delete.table_name,
                    key: delete.key,
                    condition_expression: delete.condition_expression,
                    expression_attributes: delete.expression_attributes,
                    return_values_on_condition_check_failure: delete
                        .return_values_on_condition_check_failure,
                    returns: capacity::requested(),
                    ..DeleteItemInput::default()
                });
            }
            other => actions.push(other),
        }
    }
    Request::TransactWriteItems(TransactWriteItemsInput {
        transact_items: Some(actions),
        returns: capacity::requested(),
        ..TransactWriteItemsInput::default()
    })
}
