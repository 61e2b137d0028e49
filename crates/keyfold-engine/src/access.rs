//! The tables and buckets that a request touches, and whether it changes them. A server grants
//! rights to these.

use crate::core::Core;
use crate::table::arn;
use keyfold_api::{
    ExportTableToPointInTimeInput, ImportTableInput, ParameterizedStatement, Request,
    RestoreTableFromBackupInput, RestoreTableToPointInTimeInput, TransactGetItemsInput,
    TransactWriteItem, TransactWriteItemsInput,
};
use keyfold_expr::partiql::Statement;
use keyfold_types::Value;

/// The subject of a right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// A table.
    Table(String),
    /// A bucket, which exports write to and imports read from.
    Bucket(String),
    /// All tables.
    Account,
    /// A name that does not parse. The operation refuses it; until then it may be any table.
    Unreadable,
}

/// A resource that a request touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// The subject.
    pub subject: Subject,
    /// The full name for messages.
    pub arn: String,
    /// Whether the request changes it.
    pub is_write: bool,
}

/// The names in a request, before they are resolved to resources.
enum Touched<'r> {
    /// Tables that are read, by any text that names one; none for all tables.
    Reads(Vec<Option<&'r str>>),
    /// Tables that are written.
    Writes(Vec<Option<&'r str>>),
    /// PartiQL statements, each of which reads or writes a table.
    Statements(Vec<&'r ParameterizedStatement>),
    /// An export: a table that is read, and a bucket that is written.
    Export {
        table: Option<&'r str>,
        bucket: Option<&'r str>,
    },
    /// An import: a bucket that is read, and a table that is written.
    Import {
        table: Option<&'r str>,
        bucket: Option<&'r str>,
    },
}

/// The resources that a request touches.
pub(crate) fn resources(core: &Core, request: &Request) -> Vec<Resource> {
    let tables = |names: Vec<Option<&str>>, is_write| {
        let each = names.into_iter();
        each.map(|name| resource(core, name, is_write)).collect()
    };
    match touched(request) {
        Touched::Reads(names) => tables(names, false),
        Touched::Writes(names) => tables(names, true),
        Touched::Statements(given) => {
            let found = given.into_iter().filter_map(of_statement);
            found
                .map(|(table, is_write)| resource(core, Some(&table), is_write))
                .collect()
        }
        Touched::Export {
            table,
            bucket: target,
        } => vec![resource(core, table, false), bucket(target, true)],
        Touched::Import {
            table,
            bucket: source,
        } => vec![resource(core, table, true), bucket(source, false)],
    }
}

/// The names in a request: a line for each operation.
fn touched(request: &Request) -> Touched<'_> {
    use Touched::Statements;
    match request {
        Request::GetItem(input) => reads(&input.table_name),
        Request::Query(input) => reads(&input.table_name),
        Request::Scan(input) => reads(&input.table_name),
        Request::PutItem(input) => writes(&input.table_name),
        Request::UpdateItem(input) => writes(&input.table_name),
        Request::DeleteItem(input) => writes(&input.table_name),
        Request::BatchGetItem(input) => Touched::Reads(keys_of(&input.request_items)),
        Request::BatchWriteItem(input) => Touched::Writes(keys_of(&input.request_items)),
        Request::TransactGetItems(input) => Touched::Reads(tables_read(input)),
        Request::TransactWriteItems(input) => Touched::Writes(tables_written(input)),
        Request::ExecuteStatement(input) => Statements(vec![&input.statement]),
        Request::BatchExecuteStatement(input) => Statements(all(&input.statements)),
        Request::ExecuteTransaction(input) => Statements(all(&input.transact_statements)),
        Request::CreateTable(input) => writes(&input.table_name),
        Request::UpdateTable(input) => writes(&input.table_name),
        Request::DeleteTable(input) => writes(&input.table_name),
        Request::DescribeTable(input) => reads(&input.table_name),
        Request::DescribeTimeToLive(input) => reads(&input.table_name),
        Request::UpdateTimeToLive(input) => writes(&input.table_name),
        Request::DescribeContinuousBackups(input) => reads(&input.table_name),
        Request::UpdateContinuousBackups(input) => writes(&input.table_name),
        Request::DescribeContributorInsights(input) => reads(&input.table_name),
        Request::UpdateContributorInsights(input) => writes(&input.table_name),
        Request::ListContributorInsights(input) => reads(&input.table_name),
        Request::TagResource(input) => writes(&input.resource_arn),
        Request::UntagResource(input) => writes(&input.resource_arn),
        Request::ListTagsOfResource(input) => reads(&input.resource_arn),
        Request::PutResourcePolicy(input) => writes(&input.resource_arn),
        Request::GetResourcePolicy(input) => reads(&input.resource_arn),
        Request::DeleteResourcePolicy(input) => writes(&input.resource_arn),
        Request::CreateBackup(input) => writes(&input.table_name),
        Request::DeleteBackup(input) => writes(&input.backup_arn),
        Request::DescribeBackup(input) => reads(&input.backup_arn),
        Request::ListBackups(input) => reads(&input.table_name),
        Request::RestoreTableFromBackup(input) => from_backup(input),
        Request::RestoreTableToPointInTime(input) => to_point_in_time(input),
        Request::ExportTableToPointInTime(input) => export(input),
        Request::DescribeExport(input) => reads(&input.export_arn),
        Request::ListExports(input) => reads(&input.table_arn),
        Request::ImportTable(input) => import(input),
        Request::DescribeImport(input) => reads(&input.import_arn),
        Request::ListImports(input) => reads(&input.table_arn),
        Request::ListStreams(input) => reads(&input.table_name),
        Request::DescribeStream(input) => reads(&input.stream_arn),
        Request::GetShardIterator(input) => reads(&input.stream_arn),
        Request::GetRecords(input) => reads(&input.shard_iterator),
        Request::DescribeEndpoints(_) | Request::DescribeLimits(_) | Request::ListTables(_) => {
            reads(&None)
        }
    }
}

fn reads(name: &Option<String>) -> Touched<'_> {
    Touched::Reads(vec![name.as_deref()])
}

fn writes(name: &Option<String>) -> Touched<'_> {
    Touched::Writes(vec![name.as_deref()])
}

fn all<T>(list: &Option<Vec<T>>) -> Vec<&T> {
    list.iter().flatten().collect()
}

/// The tables of a batch, which names each beside its requests.
fn keys_of<T>(by_table: &Option<Vec<(String, T)>>) -> Vec<Option<&str>> {
    let each = by_table.iter().flatten();
    each.map(|(table, _)| Some(table.as_str())).collect()
}

fn tables_read(input: &TransactGetItemsInput) -> Vec<Option<&str>> {
    let gets = input.transact_items.iter().flatten();
    gets.map(|get| get.table_name.as_deref()).collect()
}

/// The tables of a transaction's actions. An item with several actions is refused later.
fn tables_written(input: &TransactWriteItemsInput) -> Vec<Option<&str>> {
    let items = input.transact_items.iter().flatten();
    items.map(table_of_action).collect()
}

fn table_of_action(item: &TransactWriteItem) -> Option<&str> {
    let check = item.condition_check.as_ref().map(|one| &one.table_name);
    let put = item.put.as_ref().map(|one| &one.table_name);
    let delete = item.delete.as_ref().map(|one| &one.table_name);
    let update = item.update.as_ref().map(|one| &one.table_name);
    let mut named = [check, put, delete, update].into_iter().flatten();
    named.find_map(Option::as_deref)
}

fn from_backup(input: &RestoreTableFromBackupInput) -> Touched<'_> {
    let (source, target) = (&input.backup_arn, &input.target_table_name);
    Touched::Writes(vec![source.as_deref(), target.as_deref()])
}

fn to_point_in_time(input: &RestoreTableToPointInTimeInput) -> Touched<'_> {
    let names = [
        &input.source_table_name,
        &input.source_table_arn,
        &input.target_table_name,
    ];
    let given = names.into_iter().filter(|name| name.is_some());
    Touched::Writes(given.map(Option::as_deref).collect())
}

fn export(input: &ExportTableToPointInTimeInput) -> Touched<'_> {
    Touched::Export {
        table: input.table_arn.as_deref(),
        bucket: input.s3_bucket.as_deref(),
    }
}

fn import(input: &ImportTableInput) -> Touched<'_> {
    let table = input.table_creation_parameters.as_ref();
    let source = input.s3_bucket_source.as_ref();
    Touched::Import {
        table: table.and_then(|table| table.table_name.as_deref()),
        bucket: source.and_then(|source| source.s3_bucket.as_deref()),
    }
}

/// The table of a statement, and whether the statement writes it. A statement that does not parse
/// has none: it is not executed either.
fn of_statement(given: &ParameterizedStatement) -> Option<(String, bool)> {
    let text = given.statement.as_deref()?;
    let parameters: Vec<Value> = given
        .parameters
        .iter()
        .flatten()
        .map(|value| value.clone().unwrap_or(Value::Null))
        .collect();
    let statement = Statement::parse(text, &parameters).ok()?;
    Some((statement.table().to_owned(), !statement.is_read()))
}

/// The subject of a name, a full name or an iterator.
fn resource(core: &Core, given: Option<&str>, is_write: bool) -> Resource {
    let (subject, arn) = match given.map(|given| (given, arn::about(given))) {
        None => (Subject::Account, "*".to_owned()),
        Some((_, Some(table))) => (Subject::Table(table.to_owned()), core.table_arn(table)),
        Some((given, None)) => (Subject::Unreadable, given.to_owned()),
    };
    Resource {
        subject,
        arn,
        is_write,
    }
}

fn bucket(given: Option<&str>, is_write: bool) -> Resource {
    match given {
        None => Resource {
            subject: Subject::Unreadable,
            arn: "*".to_owned(),
            is_write,
        },
        Some(name) => Resource {
            subject: Subject::Bucket(name.to_owned()),
            arn: format!("arn:aws:s3:::{name}"),
            is_write,
        },
    }
}
