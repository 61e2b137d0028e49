//! The memory reserved for an answer in the [budget](crate::budget) before a request is carried
//! out. Not the budget itself.
//!
//! Reads ask for a page, and for what their answer really takes when it is there; writes for the
//! most that it can be, since they must not be refused when they have happened.

use keyfold_api::{
    ApiError, CancellationReason, GetItemInput, Named, ParameterizedStatement, RawItem, Request,
    Response, ReturnValue, Twice, is_select,
};

/// A page of items, as a rule.
const PAGE_BYTES: usize = 2 * 1024 * 1024;
/// Memory of a request's value besides its bytes: half of a map of one entry, which has two braces
/// and is the least JSON for the most,
const BRACE_BYTES: usize = 408;
/// and a member of a set, or whatever else a comma stands before.
const MEMBER_BYTES: usize = 64;
/// Values of usual requests take less, and are free.
const VALUES_FREE_BYTES: usize = 512 * 1024;
/// An item of the largest size, all of it numbers as `1e125` in a list: each counts three bytes,
/// and is 136 in JSON.
const ITEM_BYTES: usize = 46 * 400 * 1024;

/// The memory that an answer needs by its request.
#[derive(Clone, Copy)]
pub(crate) struct Need {
    /// Bytes, as a rule; 0 for an answer that is small, or that is sized when it is there.
    pub(crate) bytes: usize,
    /// Something is written: a refusal afterwards would make clients write it again.
    pub(crate) writes: bool,
}

/// Memory of a body's values besides their bytes, approximately.
pub(crate) fn values_bytes(body: &[u8]) -> usize {
    let (mut braces, mut members) = (0, 0);
    for at in memchr::memchr2_iter(b'{', b',', body) {
        if body.get(at) == Some(&b'{') {
            braces += 1
        } else {
            members += 1
        }
    }
    let bytes = braces * BRACE_BYTES + members * MEMBER_BYTES;
    if bytes > VALUES_FREE_BYTES { bytes } else { 0 }
}

/// The memory that the answer to a request needs.
pub(crate) fn needed_for(request: &Request) -> Need {
    let reads = Need {
        bytes: PAGE_BYTES,
        writes: false,
    };
    let writes = |bytes| Need {
        bytes,
        writes: true,
    };
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
        Request::BatchExecuteStatement(input) => {
            needed_for_statements(input.statements.iter().flatten())
        }
        Request::ExecuteTransaction(input) => {
            // Items that conditions met are told when nothing was written.
            match needed_for_statements(input.transact_statements.iter().flatten()) {
                Need { writes: true, .. } => writes(0),
                read => read,
            }
        }
        Request::PutItem(input) => given_back(&input.return_values),
        Request::UpdateItem(input) => given_back(&input.return_values),
        Request::DeleteItem(input) => given_back(&input.return_values),
        other => Need {
            bytes: 0,
            writes: other.twice() != Twice::Harmless,
        },
    }
}

fn needed_for_statements<'s>(
    statements: impl IntoIterator<Item = &'s ParameterizedStatement>,
) -> Need {
    let (mut telling, mut reads, mut writes) = (0, false, false);
    for one in statements {
        let text = one.statement.as_deref().unwrap_or_default();
        let is_select = is_select(text);
        (reads, writes) = (reads | is_select, writes | !is_select);
        let tells = one.return_values_on_condition_check_failure.is_some()
            || text.to_ascii_lowercase().contains("returning");
        telling += usize::from(tells);
    }
    // Both at once is refused, but for the conditions of transactions, which tell nothing.
    Need {
        bytes: if writes {
            telling * ITEM_BYTES
        } else {
            usize::from(reads) * PAGE_BYTES
        },
        writes,
    }
}

/// A request for the item that a write tells, and how many times its JSON and the request's the
/// answer can take.
pub(crate) fn look_at(request: &Request) -> Option<(Request, usize)> {
    let (table_name, key, times) = match request {
        Request::UpdateItem(input) => {
            // Each operand follows one of these, and is a value of the item's or the request's.
            let text = input.update_expression.as_deref().unwrap_or_default();
            let operands = text
                .bytes()
                .filter(|byte| matches!(byte, b'=' | b','))
                .count();
            (input.table_name.clone(), input.key.clone(), 1 + operands)
        }
        Request::DeleteItem(input) => (input.table_name.clone(), input.key.clone(), 1),
        _ => return None,
    };
    Some((
        Request::GetItem(GetItemInput {
            table_name,
            key,
            ..GetItemInput::default()
        }),
        times,
    ))
}

/// About the size of the items that are answered to requests whose pages are not bounded otherwise.
pub(crate) fn item_bytes(response: &Response) -> usize {
    match response {
        Response::GetItem(output) => bytes_of(&output.item),
        Response::BatchGetItem(output) => {
            bytes_of(output.responses.iter().flat_map(|(_, items)| items))
        }
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

/// About the size of the items that an error tells.
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

/// Of items of this size and more, it is looked how long their numbers become as texts.
const LOOKED_AT_BYTES: usize = 64 * 1024;

fn bytes_of<'i>(items: impl IntoIterator<Item = &'i RawItem>) -> usize {
    let bytes = |item: &RawItem| match item.bytes().len() {
        stored @ LOOKED_AT_BYTES.. => stored + item.number_text_bytes(),
        stored => stored,
    };
    items.into_iter().map(bytes).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyfold_api::{BatchExecuteStatementInput, UpdateItemInput};

    fn statement(text: &str) -> ParameterizedStatement {
        ParameterizedStatement {
            statement: Some(text.to_owned()),
            ..ParameterizedStatement::default()
        }
    }

    #[test]
    fn statements_that_write_ask_for_all_items_that_they_may_tell() {
        let need = |statements: Vec<ParameterizedStatement>| {
            let statements = Some(statements);
            let input = BatchExecuteStatementInput {
                statements,
                ..BatchExecuteStatementInput::default()
            };
            let need = needed_for(&Request::BatchExecuteStatement(input));
            (need.bytes, need.writes)
        };
        assert_eq!(
            need(vec![statement("SELECT"), statement("SELECT")]),
            (PAGE_BYTES, false)
        );
        assert_eq!(
            need(vec![statement("UPDATE"), statement("DELETE")]),
            (0, true)
        );
        let told = ParameterizedStatement {
            return_values_on_condition_check_failure: Some(Named::Unknown("ALL_OLD".to_owned())),
            ..statement("UPDATE")
        };
        assert_eq!(
            need(vec![told, statement("DELETE RETURNING ALL OLD *")]),
            (2 * ITEM_BYTES, true)
        );
    }

    #[test]
    fn bodies_of_many_small_values_take_more_than_their_bytes() {
        let usual = r#"{"TableName":"Tab","Item":{"pk":{"S":"a"},"n":{"N":"1"}}}"#;
        assert_eq!(values_bytes(usual.repeat(25).as_bytes()), 0);
        for part in [r#"{"M":{"":"#, r#""a","#] {
            assert!(
                values_bytes(part.repeat(20_000).as_bytes()) > 20_000 * 16 * part.len() / 4,
                "{part}"
            );
        }
    }

    #[test]
    fn what_changes_tables_is_not_carried_out_again() {
        let writes = |request| needed_for(&request).writes;
        assert!(writes(Request::CreateTable(Default::default())));
        assert!(!writes(Request::DescribeTable(Default::default())));
        assert!(!writes(Request::GetItem(GetItemInput::default())));
    }

    #[test]
    fn an_update_that_copies_an_item_is_as_large_as_its_copies() {
        let times = |text: &str| {
            let update_expression = Some(text.to_owned());
            let input = UpdateItemInput {
                update_expression,
                ..UpdateItemInput::default()
            };
            look_at(&Request::UpdateItem(input)).map(|(_, times)| times)
        };
        assert_eq!(times("ADD n :one"), Some(1));
        assert_eq!(times("SET a=b, c = list_append(d, d)"), Some(5));
    }
}
