//! The functions that execute the operations.

use crate::base::pending::Pending;
use crate::core::Core;
use crate::ops::{
    backups, batch_execute_statement, batch_get_item, batch_write_item, create_table, delete_item,
    delete_table, describe_table, execute_statement, execute_transaction, exports, get_item,
    imports, insights, limits, list_tables, policies, put_item, query, recovery, restore, scan,
    stream_records, streams, tags, time_to_live, transact_get_items, transact_write_items,
    update_item, update_table,
};
use keyfold_api::{Request, Response};

/// Makes `dispatch` of a table of operations and functions: those that answer at once, and those whose
/// answer may wait for a write.
macro_rules! operations {
    (at once { $($read:ident = $read_by:path,)* } waiting { $($write:ident = $write_by:path,)* }) => {
        pub(crate) fn dispatch(core: &Core, request: Request) -> Pending<Response> {
            match request {
                $(Request::$read(input) => Pending::ready($read_by(core, input)).map(Response::$read),)*
                $(Request::$write(input) => $write_by(core, input).map(Response::$write),)*
            }
        }
    };
}

operations! {
    at once {
        BatchGetItem = batch_get_item::run,
        DescribeTable = describe_table::run,
        GetItem = get_item::run,
        ListTables = list_tables::run,
        Query = query::run,
        Scan = scan::run,
        TransactGetItems = transact_get_items::run,
    }
    waiting {
        BatchExecuteStatement = batch_execute_statement::run,
        BatchWriteItem = batch_write_item::run,
        CreateBackup = backups::create,
        CreateTable = create_table::run,
        DeleteBackup = backups::delete,
        DeleteItem = delete_item::run,
        DeleteResourcePolicy = policies::delete,
        DeleteTable = delete_table::run,
        DescribeBackup = backups::describe,
        DescribeContinuousBackups = recovery::describe,
        DescribeContributorInsights = insights::describe,
        DescribeEndpoints = limits::endpoints,
        DescribeExport = exports::describe,
        DescribeImport = imports::describe,
        DescribeLimits = limits::limits,
        DescribeStream = streams::describe,
        DescribeTimeToLive = time_to_live::describe,
        ExecuteStatement = execute_statement::run,
        ExecuteTransaction = execute_transaction::run,
        ExportTableToPointInTime = exports::begin,
        GetRecords = stream_records::records,
        GetResourcePolicy = policies::get,
        GetShardIterator = stream_records::iterator,
        ImportTable = imports::begin,
        ListBackups = backups::list,
        ListContributorInsights = insights::list,
        ListExports = exports::list,
        ListImports = imports::list,
        ListStreams = streams::list,
        ListTagsOfResource = tags::list,
        PutItem = put_item::run,
        PutResourcePolicy = policies::put,
        RestoreTableFromBackup = restore::from_backup,
        RestoreTableToPointInTime = restore::to_point_in_time,
        TagResource = tags::tag,
        TransactWriteItems = transact_write_items::run,
        UntagResource = tags::untag,
        UpdateContinuousBackups = recovery::update,
        UpdateContributorInsights = insights::update,
        UpdateItem = update_item::run,
        UpdateTable = update_table::run,
        UpdateTimeToLive = time_to_live::update,
    }
}
