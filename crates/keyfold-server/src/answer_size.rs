//! Estimates of memory: of an answer before and after its request is executed, and of a request's
//! decoded values. The [budget](crate::budget) reserves it.
//!
//! A read reserves a page first, and the size of its answer when that is known. A write reserves
//! the largest answer first: a committed write must not be refused.

use keyfold_api::{
    ApiError, CancellationReason, GetItemInput, Idempotency, Named, ParameterizedStatement,
    RawItem, Request, Response, ReturnValue, is_select,
};

/// The memory of a page of items, approximately.
const PAGE_BYTES: usize = 2 * 1024 * 1024;
/// Memory of a brace in a request: half of a map of one entry, which has two braces. No other value
/// takes as much memory for as little JSON.
const BRACE_BYTES: usize = 408;
/// Memory of a comma in a request: a member of a set, or another value after a comma.
const MEMBER_BYTES: usize = 64;
/// The values of usual requests take less, and are free.
const VALUES_FREE_BYTES: usize = 512 * 1024;
/// The JSON of a largest item: a list of numbers such as `1e125`, each of which counts as three
/// bytes and is 136 bytes long in JSON.
const ITEM_BYTES: usize = 46 * 400 * 1024;

/// The memory that an answer needs, estimated from its request.
#[derive(Clone, Copy)]
pub(crate) struct Need {
    /// Estimated bytes; 0 for a small answer, and for one that is measured after the execution.
    pub(crate) bytes: usize,
    /// Whether the request writes: a refusal afterwards would make clients write again.
    pub(crate) writes: bool,
}

impl Need {
    fn of_read(bytes: usize) -> Need {
        Need {
            bytes,
            writes: false,
        }
    }

    fn of_write(bytes: usize) -> Need {
        Need {
            bytes,
            writes: true,
        }
    }

    /// The need of a write that returns an item.
    fn of_returned(requested: &Option<Named<ReturnValue>>) -> Need {
        match requested {
            None | Some(Named::Known(ReturnValue::None) | Named::Unknown(_)) => Need::of_write(0),
            Some(Named::Known(
                ReturnValue::AllNew
                | ReturnValue::UpdatedOld
                | ReturnValue::AllOld
                | ReturnValue::UpdatedNew,
            )) => Need::of_write(ITEM_BYTES),
        }
    }
}

/// The approximate memory of a body's decoded values besides their bytes.
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

/// Estimates the memory of the answer to a request.
pub(crate) fn needed_for(request: &Request) -> Need {
    match request {
        Request::Query(_)
        | Request::Scan(_)
        | Request::GetRecords(_)
        | Request::BatchGetItem(_)
        | Request::TransactGetItems(_) => Need::of_read(PAGE_BYTES),
        Request::ExecuteStatement(input) => needed_for_statements([&input.statement]),
        Request::BatchExecuteStatement(input) => {
            needed_for_statements(input.statements.iter().flatten())
        }
        Request::ExecuteTransaction(input) => {
            // The items of failed conditions are returned only if nothing was written.
            match needed_for_statements(input.transact_statements.iter().flatten()) {
                Need { writes: true, .. } => Need::of_write(0),
                read => read,
            }
        }
        Request::PutItem(input) => Need::of_returned(&input.return_values),
        Request::UpdateItem(input) => Need::of_returned(&input.return_values),
        Request::DeleteItem(input) => Need::of_returned(&input.return_values),
        Request::BatchWriteItem(_)
        | Request::CreateBackup(_)
        | Request::CreateTable(_)
        | Request::DeleteBackup(_)
        | Request::DeleteResourcePolicy(_)
        | Request::DeleteTable(_)
        | Request::DescribeBackup(_)
        | Request::DescribeContinuousBackups(_)
        | Request::DescribeContributorInsights(_)
        | Request::DescribeEndpoints(_)
        | Request::DescribeExport(_)
        | Request::DescribeImport(_)
        | Request::DescribeLimits(_)
        | Request::DescribeStream(_)
        | Request::DescribeTable(_)
        | Request::DescribeTimeToLive(_)
        | Request::ExportTableToPointInTime(_)
        | Request::GetItem(_)
        | Request::GetResourcePolicy(_)
        | Request::GetShardIterator(_)
        | Request::ImportTable(_)
        | Request::ListBackups(_)
        | Request::ListContributorInsights(_)
        | Request::ListExports(_)
        | Request::ListImports(_)
        | Request::ListStreams(_)
        | Request::ListTables(_)
        | Request::ListTagsOfResource(_)
        | Request::PutResourcePolicy(_)
        | Request::RestoreTableFromBackup(_)
        | Request::RestoreTableToPointInTime(_)
        | Request::TagResource(_)
        | Request::TransactWriteItems(_)
        | Request::UntagResource(_)
        | Request::UpdateContinuousBackups(_)
        | Request::UpdateContributorInsights(_)
        | Request::UpdateTable(_)
        | Request::UpdateTimeToLive(_) => Need {
            bytes: 0,
            writes: request.idempotency() != Idempotency::ReadOnly,
        },
    }
}

/// Estimates the memory of the answer to statements.
fn needed_for_statements<'s>(
    statements: impl IntoIterator<Item = &'s ParameterizedStatement>,
) -> Need {
    let (mut returned, mut reads, mut writes) = (0, false, false);
    for one in statements {
        let text = one.statement.as_deref().unwrap_or_default();
        let is_select = is_select(text);
        (reads, writes) = (reads | is_select, writes | !is_select);
        let returns = one.return_values_on_condition_check_failure.is_some()
            || text.to_ascii_lowercase().contains("returning");
        returned += usize::from(returns);
    }
    // A mixture is refused, except for the conditions of transactions, which return nothing.
    Need {
        bytes: if writes {
            returned * ITEM_BYTES
        } else {
            usize::from(reads) * PAGE_BYTES
        },
        writes,
    }
}

/// A request for the item that a write returns, and a factor: the answer is at most that many times
/// as long as the item's JSON and the request together.
pub(crate) fn returned_item(request: &Request) -> Option<(Request, usize)> {
    // Other writes wait for the budget.
    let (table_name, key, times) = if let Request::UpdateItem(input) = request {
        // Each operand follows one of these characters, and is a value of the item or the request.
        let text = input.update_expression.as_deref().unwrap_or_default();
        let operands = text
            .bytes()
            .filter(|byte| matches!(byte, b'=' | b','))
            .count();
        (input.table_name.clone(), input.key.clone(), 1 + operands)
    } else if let Request::DeleteItem(input) = request {
        (input.table_name.clone(), input.key.clone(), 1)
    } else {
        return None;
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

/// The approximate size of the items in a response whose pages are not bounded otherwise.
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
        Response::BatchWriteItem(_)
        | Response::CreateBackup(_)
        | Response::CreateTable(_)
        | Response::DeleteBackup(_)
        | Response::DeleteItem(_)
        | Response::DeleteResourcePolicy(_)
        | Response::DeleteTable(_)
        | Response::DescribeBackup(_)
        | Response::DescribeContinuousBackups(_)
        | Response::DescribeContributorInsights(_)
        | Response::DescribeEndpoints(_)
        | Response::DescribeExport(_)
        | Response::DescribeImport(_)
        | Response::DescribeLimits(_)
        | Response::DescribeStream(_)
        | Response::DescribeTable(_)
        | Response::DescribeTimeToLive(_)
        | Response::ExecuteStatement(_)
        | Response::ExportTableToPointInTime(_)
        | Response::GetRecords(_)
        | Response::GetResourcePolicy(_)
        | Response::GetShardIterator(_)
        | Response::ImportTable(_)
        | Response::ListBackups(_)
        | Response::ListContributorInsights(_)
        | Response::ListExports(_)
        | Response::ListImports(_)
        | Response::ListStreams(_)
        | Response::ListTables(_)
        | Response::ListTagsOfResource(_)
        | Response::PutItem(_)
        | Response::PutResourcePolicy(_)
        | Response::Query(_)
        | Response::RestoreTableFromBackup(_)
        | Response::RestoreTableToPointInTime(_)
        | Response::Scan(_)
        | Response::TagResource(_)
        | Response::TransactWriteItems(_)
        | Response::UntagResource(_)
        | Response::UpdateContinuousBackups(_)
        | Response::UpdateContributorInsights(_)
        | Response::UpdateItem(_)
        | Response::UpdateTable(_)
        | Response::UpdateTimeToLive(_) => 0,
    }
}

/// The approximate size of the items in an error.
pub(crate) fn error_bytes(error: &ApiError) -> usize {
    match error {
        ApiError::ConditionalCheckFailed(item) => bytes_of(item.as_deref()),
        ApiError::TransactionCanceled(reasons) => {
            bytes_of(reasons.iter().filter_map(CancellationReason::item))
        }
        ApiError::Validation(_)
        | ApiError::Serialization(_)
        | ApiError::UnknownOperation(_)
        | ApiError::IdempotentParameterMismatch
        | ApiError::ResourceNotFound(_)
        | ApiError::ResourceInUse(_)
        | ApiError::LimitExceeded(_)
        | ApiError::ItemCollectionSizeLimitExceeded
        | ApiError::MissingAuthenticationToken
        | ApiError::IncompleteSignature(_)
        | ApiError::UnrecognizedClient
        | ApiError::InvalidSignature(_)
        | ApiError::Throttled(_)
        | ApiError::Plain(..)
        | ApiError::Internal(_) => 0,
    }
}

/// The size from which an item's numbers are measured as texts.
const MEASURED_BYTES_MIN: usize = 64 * 1024;

/// The approximate size of items as JSON.
fn bytes_of<'i>(items: impl IntoIterator<Item = &'i RawItem>) -> usize {
    let bytes = |item: &RawItem| match item.bytes().len() {
        stored @ MEASURED_BYTES_MIN.. => stored + item.number_text_bytes(),
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
    fn statements_that_write_reserve_all_items_that_they_may_return() {
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
        let returning = ParameterizedStatement {
            return_values_on_condition_check_failure: Some(Named::Unknown("ALL_OLD".to_owned())),
            ..statement("UPDATE")
        };
        assert_eq!(
            need(vec![returning, statement("DELETE RETURNING ALL OLD *")]),
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
    fn requests_that_change_tables_count_as_writes() {
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
            returned_item(&Request::UpdateItem(input)).map(|(_, times)| times)
        };
        assert_eq!(times("ADD n :one"), Some(1));
        assert_eq!(times("SET a=b, c = list_append(d, d)"), Some(5));
    }
}
