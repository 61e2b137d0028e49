//! Which tables and buckets a request touches, and whether it changes them: what a server's rights
//! are about.

use crate::core::Core;
use crate::table::arn;
use keyfold_api::Request;
use keyfold_expr::partiql::Statement;
use keyfold_types::Value;

/// The subject of a right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// A table.
    Table(String),
    /// A bucket, which exports are written to and imports read from.
    Bucket(String),
    /// All tables.
    Account,
    /// A name that cannot be read. The operation refuses it; until then it may be any table.
    Unreadable,
}

/// Something that a request touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// The subject.
    pub subject: Subject,
    /// The full name, as messages show it.
    pub arn: String,
    /// Whether the request changes it.
    pub is_write: bool,
}

/// The table of a statement; one that cannot be read is not carried out either.
fn of_statement(given: &keyfold_api::ParameterizedStatement) -> Option<(String, bool)> {
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

pub(crate) fn resources(core: &Core, request: &Request) -> Vec<Resource> {
    let (names, is_write): (Vec<Option<String>>, bool) = match request {
        Request::GetItem(input) => (vec![input.table_name.clone()], false),
        Request::Query(input) => (vec![input.table_name.clone()], false),
        Request::Scan(input) => (vec![input.table_name.clone()], false),
        Request::PutItem(input) => (vec![input.table_name.clone()], true),
        Request::UpdateItem(input) => (vec![input.table_name.clone()], true),
        Request::DeleteItem(input) => (vec![input.table_name.clone()], true),
        Request::BatchGetItem(input) => (
            input
                .request_items
                .iter()
                .flatten()
                .map(|(table, _)| Some(table.clone()))
                .collect(),
            false,
        ),
        Request::BatchWriteItem(input) => (
            input
                .request_items
                .iter()
                .flatten()
                .map(|(table, _)| Some(table.clone()))
                .collect(),
            true,
        ),
        Request::TransactGetItems(input) => (
            input
                .transact_items
                .iter()
                .flatten()
                .map(|get| get.table_name.clone())
                .collect(),
            false,
        ),
        Request::TransactWriteItems(input) => {
            let table = |item: &keyfold_api::TransactWriteItem| {
                let check = item
                    .condition_check
                    .as_ref()
                    .and_then(|check| check.table_name.clone());
                let put = item.put.as_ref().and_then(|put| put.table_name.clone());
                let delete = item
                    .delete
                    .as_ref()
                    .and_then(|delete| delete.table_name.clone());
                let update = item
                    .update
                    .as_ref()
                    .and_then(|update| update.table_name.clone());
                check.or(put).or(delete).or(update)
            };
            (
                input.transact_items.iter().flatten().map(table).collect(),
                true,
            )
        }
        Request::ExecuteStatement(input) => return of_statements(core, [&input.statement]),
        Request::BatchExecuteStatement(input) => {
            return of_statements(core, input.statements.iter().flatten());
        }
        Request::ExecuteTransaction(input) => {
            return of_statements(core, input.transact_statements.iter().flatten());
        }
        Request::CreateTable(input) => (vec![input.table_name.clone()], true),
        Request::UpdateTable(input) => (vec![input.table_name.clone()], true),
        Request::DeleteTable(input) => (vec![input.table_name.clone()], true),
        Request::DescribeTable(input) => (vec![input.table_name.clone()], false),
        Request::DescribeTimeToLive(input) => (vec![input.table_name.clone()], false),
        Request::UpdateTimeToLive(input) => (vec![input.table_name.clone()], true),
        Request::DescribeContinuousBackups(input) => (vec![input.table_name.clone()], false),
        Request::UpdateContinuousBackups(input) => (vec![input.table_name.clone()], true),
        Request::DescribeContributorInsights(input) => (vec![input.table_name.clone()], false),
        Request::UpdateContributorInsights(input) => (vec![input.table_name.clone()], true),
        Request::ListContributorInsights(input) => (vec![input.table_name.clone()], false),
        Request::TagResource(input) => (vec![input.resource_arn.clone()], true),
        Request::UntagResource(input) => (vec![input.resource_arn.clone()], true),
        Request::ListTagsOfResource(input) => (vec![input.resource_arn.clone()], false),
        Request::PutResourcePolicy(input) => (vec![input.resource_arn.clone()], true),
        Request::GetResourcePolicy(input) => (vec![input.resource_arn.clone()], false),
        Request::DeleteResourcePolicy(input) => (vec![input.resource_arn.clone()], true),
        Request::CreateBackup(input) => (vec![input.table_name.clone()], true),
        Request::DeleteBackup(input) => (vec![input.backup_arn.clone()], true),
        Request::DescribeBackup(input) => (vec![input.backup_arn.clone()], false),
        Request::ListBackups(input) => (vec![input.table_name.clone()], false),
        Request::RestoreTableFromBackup(input) => {
            let target = vec![input.backup_arn.clone(), input.target_table_name.clone()];
            (target, true)
        }
        Request::RestoreTableToPointInTime(input) => {
            let sources = [&input.source_table_name, &input.source_table_arn]
                .into_iter()
                .flatten();
            let target = input.target_table_name.iter();
            (
                sources
                    .chain(target)
                    .map(|name| Some(name.clone()))
                    .collect(),
                true,
            )
        }
        Request::ExportTableToPointInTime(input) => {
            return vec![
                resource(core, input.table_arn.as_deref(), false),
                bucket(&input.s3_bucket, true),
            ];
        }
        Request::DescribeExport(input) => (vec![input.export_arn.clone()], false),
        Request::ListExports(input) => (vec![input.table_arn.clone()], false),
        Request::ImportTable(input) => {
            let table = input
                .table_creation_parameters
                .as_ref()
                .and_then(|table| table.table_name.clone());
            let source = input
                .s3_bucket_source
                .as_ref()
                .and_then(|source| source.s3_bucket.clone());
            return vec![
                resource(core, table.as_deref(), true),
                bucket(&source, false),
            ];
        }
        Request::DescribeImport(input) => (vec![input.import_arn.clone()], false),
        Request::ListImports(input) => (vec![input.table_arn.clone()], false),
        Request::ListStreams(input) => (vec![input.table_name.clone()], false),
        Request::DescribeStream(input) => (vec![input.stream_arn.clone()], false),
        Request::GetShardIterator(input) => (vec![input.stream_arn.clone()], false),
        Request::GetRecords(input) => (vec![input.shard_iterator.clone()], false),
        Request::DescribeEndpoints(_) | Request::DescribeLimits(_) | Request::ListTables(_) => {
            (vec![None], false)
        }
    };
    names
        .into_iter()
        .map(|name| resource(core, name.as_deref(), is_write))
        .collect()
}

fn of_statements<'s>(
    core: &Core,
    statements: impl IntoIterator<Item = &'s keyfold_api::ParameterizedStatement>,
) -> Vec<Resource> {
    let found = statements.into_iter().filter_map(of_statement);
    found
        .map(|(table, is_write)| resource(core, Some(&table), is_write))
        .collect()
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

fn bucket(given: &Option<String>, is_write: bool) -> Resource {
    match given {
        None => Resource {
            subject: Subject::Unreadable,
            arn: "*".to_owned(),
            is_write,
        },
        Some(name) => Resource {
            subject: Subject::Bucket(name.clone()),
            arn: format!("arn:aws:s3:::{name}"),
            is_write,
        },
    }
}
