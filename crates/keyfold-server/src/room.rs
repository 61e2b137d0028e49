//! How much memory an answer may take: what is asked of the [budget](crate::budget) before the answer is made. Not the budget itself.
//!
//! Answers are sized as they are stored; as JSON they are a little larger as a rule.

use keyfold_api::{
    ApiError, CancellationReason, GetItemInput, Named, ParameterizedStatement, RawItem, Request, Response,
    ReturnValue,
};

/// A page of items.
const PAGE_BYTES: usize = 2 * 1024 * 1024;
/// An item of the largest size, of which every byte is six in JSON.
const ITEM_BYTES: usize = 2400 * 1024;

/// What an answer needs by its request.
#[derive(Clone, Copy)]
pub(crate) struct Need {
    /// Bytes, as a rule; 0 for an answer that is small, or that is sized when it is there.
    pub(crate) bytes: usize,
    /// Something is written: a refusal afterwards would make clients write it again.
    pub(crate) writes: bool,
}

/// What the answer to a request needs.
pub(crate) fn needed_for(request: &Request) -> Need {
    let reads = Need { bytes: PAGE_BYTES, writes: false };
    let writes = |bytes| Need { bytes, writes: true };
    let given_back = |asked: &Option<Named<ReturnValue>>| match asked {
        None | Some(Named::Known(ReturnValue::None) | Named::Unknown(_)) => writes(0),
        Some(Named::Known(_)) => writes(ITEM_BYTES),
    };
    match request {
        Request::Query(_)
        | Request::Scan(_)
        | Request::GetRecords(_)
        | Request::BatchGetItem(_)
        | Request::TransactGetItems(_) => reads,
        Request::ExecuteStatement(input) => needed_for_statements([&input.statement]),
        Request::BatchExecuteStatement(input) => needed_for_statements(input.statements.iter().flatten()),
        Request::ExecuteTransaction(input) => {
            needed_for_statements(input.transact_statements.iter().flatten())
        }
        Request::PutItem(input) => given_back(&input.return_values),
        Request::UpdateItem(input) => given_back(&input.return_values),
        Request::DeleteItem(input) => given_back(&input.return_values),
        Request::TransactWriteItems(_) | Request::BatchWriteItem(_) => writes(0),
        _ => Need { bytes: 0, writes: false },
    }
}

fn needed_for_statements<'s>(statements: impl IntoIterator<Item = &'s ParameterizedStatement>) -> Need {
    let mut need = Need { bytes: 0, writes: false };
    for text in statements.into_iter().filter_map(|one| one.statement.as_deref()) {
        let is_select = text.trim_start().get(..6).is_some_and(|word| word.eq_ignore_ascii_case("select"));
        need.writes |= !is_select;
        if is_select || text.to_ascii_lowercase().contains("returning") {
            need.bytes = PAGE_BYTES;
        }
    }
    need
}

/// A request for the item that a write tells, which says how much its answer really takes.
pub(crate) fn look_at(request: &Request) -> Option<Request> {
    let (table_name, key) = match request {
        Request::UpdateItem(input) => (input.table_name.clone(), input.key.clone()),
        Request::DeleteItem(input) => (input.table_name.clone(), input.key.clone()),
        _ => return None,
    };
    Some(Request::GetItem(GetItemInput { table_name, key, ..GetItemInput::default() }))
}

/// The stored size of the items that are answered to requests whose pages are not bounded otherwise.
pub(crate) fn stored_bytes(response: &Response) -> usize {
    match response {
        Response::GetItem(output) => bytes_of(&output.item),
        Response::BatchGetItem(output) => bytes_of(output.responses.iter().flat_map(|(_, items)| items)),
        Response::TransactGetItems(output) => bytes_of(output.responses.iter().flatten()),
        Response::ExecuteTransaction(output) => bytes_of(output.responses.iter().flatten()),
        Response::BatchExecuteStatement(output) => {
            let failures = output.responses.iter().filter_map(|one| one.error.as_ref());
            bytes_of(output.responses.iter().filter_map(|one| one.item.as_ref()))
                + bytes_of(failures.filter_map(|error| error.item.as_ref()))
        }
        _ => 0,
    }
}

/// The stored size of the items that an error tells.
pub(crate) fn error_bytes(error: &ApiError) -> usize {
    match error {
        ApiError::ConditionalCheckFailed(item) => bytes_of(item.as_deref()),
        ApiError::TransactionCanceled(reasons) => {
            bytes_of(reasons.iter().filter_map(|reason| match reason {
                CancellationReason::ConditionalCheckFailed(item) => item.as_deref(),
                _ => None,
            }))
        }
        _ => 0,
    }
}

fn bytes_of<'i>(items: impl IntoIterator<Item = &'i RawItem>) -> usize {
    items.into_iter().map(|item| item.bytes().len()).sum()
}
