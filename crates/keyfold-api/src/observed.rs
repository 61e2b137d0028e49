//! The facts of a request and of its answer that logs and traces show: the tables, and the units.

use crate::input::TransactWriteItem;
use crate::operation::{Request, Response};
use crate::output::ConsumedCapacity;
use keyfold_types::CapacityHalves;

impl Request {
    /// The tables that the request names, each once, in its order. A table is named by its name or by
    /// its ARN. None for operations on all tables, on backups, exports, imports, streams and other
    /// resources, and for statements, which name their tables in their text.
    pub fn table_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for name in self.tables_in_order().into_iter().flatten() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    fn tables_in_order(&self) -> Vec<Option<&str>> {
        match self {
            Request::GetItem(input) => vec![input.table_name.as_deref()],
            Request::Query(input) => vec![input.table_name.as_deref()],
            Request::Scan(input) => vec![input.table_name.as_deref()],
            Request::PutItem(input) => vec![input.table_name.as_deref()],
            Request::UpdateItem(input) => vec![input.table_name.as_deref()],
            Request::DeleteItem(input) => vec![input.table_name.as_deref()],
            Request::BatchGetItem(input) => by_table(&input.request_items),
            Request::BatchWriteItem(input) => by_table(&input.request_items),
            Request::TransactGetItems(input) => {
                let gets = input.transact_items.iter().flatten();
                gets.map(|get| get.table_name.as_deref()).collect()
            }
            Request::TransactWriteItems(input) => {
                let items = input.transact_items.iter().flatten();
                items.map(table_of_action).collect()
            }
            Request::CreateTable(input) => vec![input.table_name.as_deref()],
            Request::UpdateTable(input) => vec![input.table_name.as_deref()],
            Request::DeleteTable(input) => vec![input.table_name.as_deref()],
            Request::DescribeTable(input) => vec![input.table_name.as_deref()],
            Request::DescribeTimeToLive(input) => vec![input.table_name.as_deref()],
            Request::UpdateTimeToLive(input) => vec![input.table_name.as_deref()],
            Request::DescribeContinuousBackups(input) => vec![input.table_name.as_deref()],
            Request::UpdateContinuousBackups(input) => vec![input.table_name.as_deref()],
            Request::DescribeContributorInsights(input) => vec![input.table_name.as_deref()],
            Request::UpdateContributorInsights(input) => vec![input.table_name.as_deref()],
            Request::ListContributorInsights(input) => vec![input.table_name.as_deref()],
            Request::CreateBackup(input) => vec![input.table_name.as_deref()],
            Request::ListBackups(input) => vec![input.table_name.as_deref()],
            Request::ListStreams(input) => vec![input.table_name.as_deref()],
            Request::ExecuteStatement(_)
            | Request::BatchExecuteStatement(_)
            | Request::ExecuteTransaction(_)
            | Request::TagResource(_)
            | Request::UntagResource(_)
            | Request::ListTagsOfResource(_)
            | Request::PutResourcePolicy(_)
            | Request::GetResourcePolicy(_)
            | Request::DeleteResourcePolicy(_)
            | Request::DeleteBackup(_)
            | Request::DescribeBackup(_)
            | Request::RestoreTableFromBackup(_)
            | Request::RestoreTableToPointInTime(_)
            | Request::ExportTableToPointInTime(_)
            | Request::DescribeExport(_)
            | Request::ListExports(_)
            | Request::ImportTable(_)
            | Request::DescribeImport(_)
            | Request::ListImports(_)
            | Request::DescribeStream(_)
            | Request::GetShardIterator(_)
            | Request::GetRecords(_)
            | Request::DescribeEndpoints(_)
            | Request::DescribeLimits(_)
            | Request::ListTables(_) => Vec::new(),
        }
    }
}

/// The tables of a batch, which names each beside its requests.
fn by_table<T>(by_table: &Option<Vec<(String, T)>>) -> Vec<Option<&str>> {
    let each = by_table.iter().flatten();
    each.map(|(table, _)| Some(table.as_str())).collect()
}

fn table_of_action(item: &TransactWriteItem) -> Option<&str> {
    let TransactWriteItem {
        condition_check,
        put,
        delete,
        update,
        ..
    } = item;
    let check = condition_check.as_ref().map(|one| &one.table_name);
    let put = put.as_ref().map(|one| &one.table_name);
    let delete = delete.as_ref().map(|one| &one.table_name);
    let update = update.as_ref().map(|one| &one.table_name);
    let mut named = [check, put, delete, update].into_iter().flatten();
    named.find_map(Option::as_deref)
}

impl Response {
    /// The units that the answer reports for all tables and indexes; `None` when it reports none.
    pub fn consumed(&self) -> Option<CapacityHalves> {
        let sum = |rows: &[ConsumedCapacity]| rows.iter().map(ConsumedCapacity::total).sum();
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "only operations on items consume units"
        )]
        match self {
            Response::GetItem(output) => output.consumed_capacity.as_ref().map(|row| row.total()),
            Response::Query(output) | Response::Scan(output) => {
                output.consumed_capacity.as_ref().map(|row| row.total())
            }
            Response::PutItem(output)
            | Response::UpdateItem(output)
            | Response::DeleteItem(output) => {
                output.consumed_capacity.as_ref().map(|row| row.total())
            }
            Response::ExecuteStatement(output) => {
                output.consumed_capacity.as_ref().map(|row| row.total())
            }
            Response::BatchGetItem(output) => output.consumed_capacity.as_deref().map(sum),
            Response::BatchWriteItem(output) => output.consumed_capacity.as_deref().map(sum),
            Response::TransactGetItems(output) | Response::ExecuteTransaction(output) => {
                output.consumed_capacity.as_deref().map(sum)
            }
            Response::TransactWriteItems(output) => output.consumed_capacity.as_deref().map(sum),
            Response::BatchExecuteStatement(output) => output.consumed_capacity.as_deref().map(sum),
            _ => None,
        }
    }
}
