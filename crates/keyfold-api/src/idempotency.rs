//! Idempotency of requests. A client must know it before it repeats a request whose answer was
//! lost.

use crate::operation::Request;

/// The effect of executing a request a second time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Idempotency {
    /// The request only reads.
    ReadOnly,
    /// The second execution has no effect, if both carry the same token.
    ByToken,
    /// The second execution may have an effect, or be refused because of the first.
    None,
}

impl Request {
    /// The effect of executing the request twice.
    pub fn idempotency(&self) -> Idempotency {
        match self {
            Request::BatchGetItem(_)
            | Request::GetItem(_)
            | Request::Query(_)
            | Request::Scan(_)
            | Request::TransactGetItems(_)
            | Request::DescribeTable(_)
            | Request::DescribeBackup(_)
            | Request::DescribeContinuousBackups(_)
            | Request::DescribeContributorInsights(_)
            | Request::DescribeEndpoints(_)
            | Request::DescribeExport(_)
            | Request::DescribeImport(_)
            | Request::DescribeLimits(_)
            | Request::DescribeStream(_)
            | Request::DescribeTimeToLive(_)
            | Request::GetRecords(_)
            | Request::GetResourcePolicy(_)
            | Request::GetShardIterator(_)
            | Request::ListBackups(_)
            | Request::ListContributorInsights(_)
            | Request::ListExports(_)
            | Request::ListImports(_)
            | Request::ListStreams(_)
            | Request::ListTables(_)
            | Request::ListTagsOfResource(_) => Idempotency::ReadOnly,
            Request::TransactWriteItems(_)
            | Request::ExecuteTransaction(_)
            | Request::ExportTableToPointInTime(_)
            | Request::ImportTable(_) => Idempotency::ByToken,
            Request::ExecuteStatement(input) => {
                of_statements([input.statement.statement.as_deref()])
            }
            Request::BatchExecuteStatement(input) => of_statements(
                input
                    .statements
                    .iter()
                    .flatten()
                    .map(|one| one.statement.as_deref()),
            ),
            Request::BatchWriteItem(_)
            | Request::PutItem(_)
            | Request::UpdateItem(_)
            | Request::DeleteItem(_)
            | Request::CreateTable(_)
            | Request::UpdateTable(_)
            | Request::DeleteTable(_)
            | Request::CreateBackup(_)
            | Request::DeleteBackup(_)
            | Request::RestoreTableFromBackup(_)
            | Request::RestoreTableToPointInTime(_)
            | Request::UpdateContinuousBackups(_)
            | Request::UpdateContributorInsights(_)
            | Request::UpdateTimeToLive(_)
            | Request::TagResource(_)
            | Request::UntagResource(_)
            | Request::PutResourcePolicy(_)
            | Request::DeleteResourcePolicy(_) => Idempotency::None,
        }
    }

    /// The token that makes a repetition of the request a no-op; `None` if the operation has no
    /// token.
    pub fn token_mut(&mut self) -> Option<&mut Option<String>> {
        match self {
            Request::TransactWriteItems(input) => Some(&mut input.client_request_token),
            Request::ExecuteTransaction(input) => Some(&mut input.client_request_token),
            Request::ExportTableToPointInTime(input) => Some(&mut input.client_token),
            Request::ImportTable(input) => Some(&mut input.client_token),
            Request::BatchGetItem(_)
            | Request::GetItem(_)
            | Request::Query(_)
            | Request::Scan(_)
            | Request::TransactGetItems(_)
            | Request::DescribeTable(_)
            | Request::DescribeBackup(_)
            | Request::DescribeContinuousBackups(_)
            | Request::DescribeContributorInsights(_)
            | Request::DescribeEndpoints(_)
            | Request::DescribeExport(_)
            | Request::DescribeImport(_)
            | Request::DescribeLimits(_)
            | Request::DescribeStream(_)
            | Request::DescribeTimeToLive(_)
            | Request::GetRecords(_)
            | Request::GetResourcePolicy(_)
            | Request::GetShardIterator(_)
            | Request::ListBackups(_)
            | Request::ListContributorInsights(_)
            | Request::ListExports(_)
            | Request::ListImports(_)
            | Request::ListStreams(_)
            | Request::ListTables(_)
            | Request::ListTagsOfResource(_)
            | Request::ExecuteStatement(_)
            | Request::BatchExecuteStatement(_)
            | Request::BatchWriteItem(_)
            | Request::PutItem(_)
            | Request::UpdateItem(_)
            | Request::DeleteItem(_)
            | Request::CreateTable(_)
            | Request::UpdateTable(_)
            | Request::DeleteTable(_)
            | Request::CreateBackup(_)
            | Request::DeleteBackup(_)
            | Request::RestoreTableFromBackup(_)
            | Request::RestoreTableToPointInTime(_)
            | Request::UpdateContinuousBackups(_)
            | Request::UpdateContributorInsights(_)
            | Request::UpdateTimeToLive(_)
            | Request::TagResource(_)
            | Request::UntagResource(_)
            | Request::PutResourcePolicy(_)
            | Request::DeleteResourcePolicy(_) => None,
        }
    }
}

fn of_statements<'s>(statements: impl IntoIterator<Item = Option<&'s str>>) -> Idempotency {
    let reads = statements
        .into_iter()
        .all(|statement| statement.is_none_or(is_select));
    if reads {
        Idempotency::ReadOnly
    } else {
        Idempotency::None
    }
}

/// Whether a statement's first word is `SELECT`, comments skipped.
pub fn is_select(statement: &str) -> bool {
    let mut rest = statement.trim_start();
    while let Some(comment) = rest.strip_prefix("--") {
        rest = comment
            .split_once('\n')
            .map_or("", |(_, rest)| rest.trim_start());
    }
    rest.get(..6)
        .is_some_and(|word| word.eq_ignore_ascii_case("select"))
}

#[cfg(test)]
mod tests {
    use super::is_select;

    #[test]
    fn comments_before_a_statement_are_skipped() {
        for text in [
            "select * from t",
            "-- a\n \tSELECT",
            "--\n--\r\n\nSelect",
            "\u{a0}SELECT",
        ] {
            assert!(is_select(text), "{text:?}");
        }
        for text in [
            "",
            "--",
            "-- select",
            "update t",
            "-select",
            "--\nINSERT",
            "séléct",
        ] {
            assert!(!is_select(text), "{text:?}");
        }
    }
}
