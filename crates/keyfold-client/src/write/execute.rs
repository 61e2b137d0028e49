//! Carries out the steps of a write: one alone as a plain operation, several as a transaction.

use super::step::{Refusal, Step};
use super::{Context, Written};
use crate::error::ClientError;
use crate::tables;
use keyfold_api::{
    ConsumedCapacity, DeleteItemInput, ErrorKind, PutItemInput, ReasonCode, Request, Response,
    TransactWriteItem, TransactWriteItemsInput, UpdateItemInput,
};
use keyfold_types::{CapacityHalves, Item};

/// The outcome of the steps.
pub(super) enum Outcome {
    Done(Written),
    /// Another writer was faster.
    Stale,
}

pub(super) fn execute(context: &Context<'_>, steps: Vec<Step>) -> Result<Outcome, ClientError> {
    check_distinct(&steps)?;
    let mut names: Vec<String> = steps.iter().map(|step| step.table.clone()).collect();
    names.sort_unstable();
    names.dedup();
    let (mut refusals, mut changes, mut actions) = (Vec::new(), Vec::new(), Vec::new());
    let mut places = Vec::new();
    for step in steps {
        refusals.push(step.refusal.clone());
        places.push(place(&step));
        changes.push(step.what.clone());
        actions.push(step.lower());
    }
    let request = request_of(actions);
    let operation = request.operation().name();
    let answer = match context.backend.call(request.clone()) {
        // The table of a new period is made when its first item is written.
        Err(error)
            if error.kind() == Some(ErrorKind::ResourceNotFound)
                && tables::ensure_periods(context.backend, context.model, &names)? =>
        {
            context.backend.call(request)
        }
        other => other,
    };
    match answer {
        Ok(response) => Ok(Outcome::Done(Written {
            operation,
            changes,
            capacity: consumed(response),
            made: Vec::new(),
        })),
        Err(error) if error.is_conflict() => Ok(Outcome::Stale),
        Err(ClientError::OutcomeUnknown { why, .. }) => Err(ClientError::OutcomeUnknown {
            why,
            check: format!("{} of {}", changes.join(", "), places.join(", ")),
        }),
        Err(error) => {
            let Some(failed) = error.failed_actions() else {
                return Err(explained(error, &changes));
            };
            let failed: Vec<&Refusal> = failed.iter().filter_map(|at| refusals.get(*at)).collect();
            // Read again before anything is refused: the other writer may have been one of the same
            // entity.
            if failed
                .iter()
                .any(|refusal| matches!(refusal, Refusal::Stale))
            {
                return Ok(Outcome::Stale);
            }
            Err(failed.into_iter().find_map(Refusal::error).unwrap_or(error))
        }
    }
}

/// The place of a step's item: `Shop (pk = "USER#1", sk = "A")`.
fn place(step: &Step) -> String {
    let key: Vec<String> = step
        .key
        .iter()
        .map(|(name, value)| format!("{name} = {}", keyfold_model::value::display(value)))
        .collect();
    format!("{} ({})", step.table, key.join(", "))
}

/// A transaction has one action for each item.
fn check_distinct(steps: &[Step]) -> Result<(), ClientError> {
    let mut seen: Vec<(&str, &Item, &str)> = Vec::new();
    for step in steps {
        if let Some((.., first)) = seen
            .iter()
            .find(|(table, key, _)| *table == step.table && **key == step.key)
        {
            return Err(ClientError::Refused(format!(
                "`{first}` and `{}` meet the same item, and a transaction has one action for each; put them together",
                step.what
            )));
        }
        seen.push((&step.table, &step.key, &step.what));
    }
    Ok(())
}

/// A transaction that an item does not fit, with that item and the reason instead of a list of
/// codes.
fn explained(error: ClientError, changes: &[String]) -> ClientError {
    if let ClientError::Service { reasons, .. } = &error {
        for ((code, message), what) in reasons.iter().zip(changes) {
            if let (ReasonCode::ValidationError, Some(message)) = (code, message) {
                return ClientError::Refused(format!("{what}: {message}"));
            }
        }
    }
    error
}

fn request_of(mut actions: Vec<TransactWriteItem>) -> Request {
    if let [_] = actions.as_slice() {
        match actions.remove(0) {
            TransactWriteItem { put: Some(put), .. } => {
                return Request::PutItem(PutItemInput {
                    table_name: put.table_name,
                    item: put.item,
                    condition_expression: put.condition_expression,
                    expression_attributes: put.expression_attributes,
                    returns: super::returns(),
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
                    returns: super::returns(),
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
                    returns: super::returns(),
                    ..DeleteItemInput::default()
                });
            }
            other => actions.push(other),
        }
    }
    Request::TransactWriteItems(TransactWriteItemsInput {
        transact_items: Some(actions),
        returns: super::returns(),
        ..TransactWriteItemsInput::default()
    })
}

fn consumed(response: Response) -> CapacityHalves {
    let sum = |rows: Option<Vec<ConsumedCapacity>>| {
        rows.into_iter().flatten().map(|row| row.total()).sum()
    };
    match response {
        Response::PutItem(output) | Response::UpdateItem(output) | Response::DeleteItem(output) => {
            output
                .consumed_capacity
                .map_or(CapacityHalves::ZERO, |row| row.total())
        }
        Response::TransactWriteItems(output) => sum(output.consumed_capacity),
        _ => CapacityHalves::ZERO,
    }
}
