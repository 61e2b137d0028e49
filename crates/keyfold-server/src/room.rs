//! How much memory an answer may take: what is asked of the [budget](crate::budget) before the answer is made. Not the budget itself.
//!
//! Answers are sized as they are stored; as JSON they are a little larger as a rule.

use keyfold_api::{ApiError, CancellationReason, Named, Request, Response, ReturnValue};

/// A page of items of a Query, a Scan or a stream.
const PAGE_BYTES: usize = 2 * 1024 * 1024;
/// An item of the largest size.
const ITEM_BYTES: usize = 512 * 1024;
/// The items of a BatchGetItem.
const BATCH_BYTES: usize = 20 * 1024 * 1024;
/// The items of a transaction.
const TRANSACTION_BYTES: usize = 5 * 1024 * 1024;

/// What the answer takes at the most, as a rule; 0 for one that is small, or that is sized when it is there.
pub(crate) fn needed_for(request: &Request) -> usize {
    let items = |count: Option<usize>, most: usize| (count.unwrap_or_default() * ITEM_BYTES).min(most);
    let given_back = |asked: &Option<Named<ReturnValue>>| match asked {
        None | Some(Named::Known(ReturnValue::None) | Named::Unknown(_)) => 0,
        Some(Named::Known(_)) => ITEM_BYTES,
    };
    match request {
        Request::Query(_) | Request::Scan(_) | Request::GetRecords(_) | Request::ExecuteStatement(_) => {
            PAGE_BYTES
        }
        Request::BatchGetItem(input) => {
            let tables = input.request_items.iter().flatten();
            let keys = tables.map(|(_, asked)| asked.keys.as_ref().map_or(0, Vec::len)).sum();
            items(Some(keys), BATCH_BYTES)
        }
        Request::TransactGetItems(input) => {
            items(input.transact_items.as_ref().map(Vec::len), TRANSACTION_BYTES)
        }
        Request::ExecuteTransaction(input) => {
            items(input.transact_statements.as_ref().map(Vec::len), TRANSACTION_BYTES)
        }
        Request::BatchExecuteStatement(input) => items(input.statements.as_ref().map(Vec::len), BATCH_BYTES),
        // What has been written is answered: there must be room before.
        Request::PutItem(input) => given_back(&input.return_values),
        Request::UpdateItem(input) => given_back(&input.return_values),
        Request::DeleteItem(input) => given_back(&input.return_values),
        _ => 0,
    }
}

/// The stored size of the one item that is answered; 0 for answers of several, which have room already.
pub(crate) fn item_bytes(response: &Response) -> usize {
    let item = match response {
        Response::GetItem(output) => output.item.as_ref(),
        Response::PutItem(output) | Response::UpdateItem(output) | Response::DeleteItem(output) => {
            output.attributes.as_ref()
        }
        _ => None,
    };
    item.map_or(0, |item| item.bytes().len())
}

/// The stored size of the items that an error tells.
pub(crate) fn error_bytes(error: &ApiError) -> usize {
    match error {
        ApiError::ConditionalCheckFailed(Some(item)) => item.bytes().len(),
        ApiError::TransactionCanceled(reasons) => reasons
            .iter()
            .map(|reason| match reason {
                CancellationReason::ConditionalCheckFailed(Some(item)) => item.bytes().len(),
                _ => 0,
            })
            .sum(),
        _ => 0,
    }
}

/// Whether something is written that would be written twice if the answer were refused and the request repeated.
pub(crate) fn writes(response: &Response) -> bool {
    matches!(
        response,
        Response::PutItem(_)
            | Response::UpdateItem(_)
            | Response::DeleteItem(_)
            | Response::ExecuteStatement(_)
            | Response::BatchExecuteStatement(_)
            | Response::ExecuteTransaction(_)
    )
}
