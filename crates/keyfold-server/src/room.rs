//! How much memory an answer may take: what is asked of the [budget](crate::budget) before the answer is made. Not the budget itself.
//!
//! Answers are sized as they are stored; as JSON they are a little larger as a rule.

use keyfold_api::{ApiError, CancellationReason, GetItemInput, Named, Request, Response, ReturnValue};

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
    let given_back = |asked: &Option<Named<ReturnValue>>| match asked {
        None | Some(Named::Known(ReturnValue::None) | Named::Unknown(_)) => 0,
        Some(Named::Known(_)) => ITEM_BYTES,
    };
    let writes = |bytes| Need { bytes, writes: true };
    let statements = |texts: Vec<Option<&String>>| {
        let mut selects = texts.iter().flatten().map(|text| is_select(text));
        match selects.all(|is_select| is_select) {
            true => reads,
            false => {
                writes(if texts.iter().flatten().any(|text| tells_items(text)) { PAGE_BYTES } else { 0 })
            }
        }
    };
    match request {
        Request::Query(_)
        | Request::Scan(_)
        | Request::GetRecords(_)
        | Request::BatchGetItem(_)
        | Request::TransactGetItems(_) => reads,
        Request::ExecuteStatement(input) => statements(vec![input.statement.statement.as_ref()]),
        Request::BatchExecuteStatement(input) => {
            statements(input.statements.iter().flatten().map(|one| one.statement.as_ref()).collect())
        }
        Request::ExecuteTransaction(input) => {
            statements(input.transact_statements.iter().flatten().map(|one| one.statement.as_ref()).collect())
        }
        Request::PutItem(input) => writes(given_back(&input.return_values)),
        Request::UpdateItem(input) => writes(given_back(&input.return_values)),
        Request::DeleteItem(input) => writes(given_back(&input.return_values)),
        Request::TransactWriteItems(_) | Request::BatchWriteItem(_) => writes(0),
        _ => Need { bytes: 0, writes: false },
    }
}

fn is_select(statement: &str) -> bool {
    statement.trim_start().get(..6).is_some_and(|word| word.eq_ignore_ascii_case("select"))
}

fn tells_items(statement: &str) -> bool {
    statement.to_ascii_lowercase().contains("returning")
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
        Response::GetItem(output) => output.item.iter().map(|item| item.bytes().len()).sum(),
        Response::BatchGetItem(output) => {
            output.responses.iter().flat_map(|(_, items)| items).map(|item| item.bytes().len()).sum()
        }
        Response::TransactGetItems(output) => {
            output.responses.iter().flatten().map(|item| item.bytes().len()).sum()
        }
        Response::ExecuteTransaction(output) => {
            output.responses.iter().flatten().map(|item| item.bytes().len()).sum()
        }
        Response::BatchExecuteStatement(output) => {
            let failed = |one: &keyfold_api::StatementResponse| {
                let item = one.error.as_ref().and_then(|error| error.item.as_ref());
                item.map_or(0, |item| item.bytes().len())
            };
            let told = output.responses.iter();
            told.map(|one| failed(one) + one.item.as_ref().map_or(0, |item| item.bytes().len())).sum()
        }
        _ => 0,
    }
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
