//! Whether an answer is DynamoDB's to this request: a proxy may answer in its place, in JSON too.
//!
//! Not here: the answer's decoding (`keyfold_wire`), and what follows (`exchange`).

use keyfold_api::{
    ConsumedCapacity, ErrorKind, KeysAndAttributes, Named, Operation, PageOutput, Request,
    Response, Select, TransactGet,
};
use keyfold_codec::RawItem;
use keyfold_lower::ClientError;
use keyfold_types::{Item, Value};

/// The parts of a request that its answer must fit.
pub(super) struct Asked {
    /// The tables that the request names.
    pub(super) tables: Vec<String>,
    /// The number of actions of a transaction.
    actions: usize,
    /// Whether a page is read for the number of its items.
    is_count: bool,
    /// The keys of the items that it reads, by table.
    keys: Vec<(String, Vec<Item>)>,
    /// The keys of the items that a transaction reads, in their order.
    places: Vec<Item>,
    /// The attributes of which a page asks for one value.
    equal: Item,
    /// The most items of a page.
    limit: Option<u64>,
}

impl Asked {
    pub(super) fn by(request: &Request) -> Asked {
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "other requests are no transactions and no pages"
        )]
        let (actions, select) = match request {
            Request::TransactGetItems(input) => (input.transact_items.as_ref().map(Vec::len), None),
            Request::TransactWriteItems(input) => {
                (input.transact_items.as_ref().map(Vec::len), None)
            }
            Request::ExecuteTransaction(input) => {
                (input.transact_statements.as_ref().map(Vec::len), None)
            }
            Request::Query(input) => (None, input.select.as_ref()),
            Request::Scan(input) => (None, input.select.as_ref()),
            _ => (None, None),
        };
        let tables = request.table_names().into_iter().map(str::to_owned);
        Asked {
            tables: tables.collect(),
            actions: actions.unwrap_or_default(),
            is_count: matches!(select, Some(Named::Known(Select::Count))),
            keys: keys_of(request),
            places: places_of(request),
            equal: equal_of(request),
            limit: limit_of(request),
        }
    }

    /// Whether a page has no more items than its request takes, as many as it says, and all of them in the
    /// partition that was asked for, where the next page begins, too.
    fn is_page(&self, output: &PageOutput) -> bool {
        let mut items = output.items.iter().flatten();
        let mut next = output.last_evaluated_key.iter();
        let is_many = |items: &Vec<RawItem>| u64::try_from(items.len()) == Ok(output.count);
        (output.items.is_some() || self.is_count)
            && output.items.iter().all(is_many)
            && self.limit.is_none_or(|most| output.count <= most)
            && items.all(|item| is_at(&self.equal, of(item)))
            && next.all(|key| is_at(&self.equal, |name| key.get(name).cloned()))
    }

    /// Whether an item may be one that the request reads of a table, or of its one table. It may lack
    /// attributes of its key, where they were not read.
    fn is_of(&self, table: Option<&str>, held: impl Fn(&str) -> Option<Value>) -> bool {
        let is_own = |name: &String| table.is_none_or(|table| name == table);
        let mut tables = self.keys.iter();
        tables.any(|(name, keys)| is_own(name) && keys.iter().any(|key| is_at(key, &held)))
    }

    /// Whether the request reads the item of a key, with no attribute more or less, of a table.
    fn asks(&self, table: &str, key: &Item) -> bool {
        let mut tables = self.keys.iter();
        tables.any(|(name, keys)| name == table && keys.contains(key))
    }

    fn names(&self, table: &str) -> bool {
        self.tables.iter().any(|name| name == table)
    }

    /// Whether an answer is one to this request: of its tables, and of each of its actions.
    pub(super) fn is_answered_by(&self, response: &Response) -> bool {
        // Without a name, a row says of no table that it is meant.
        let is_own =
            |row: &ConsumedCapacity| row.table_name.is_empty() || self.names(&row.table_name);
        let are_own = |rows: &Option<Vec<ConsumedCapacity>>| rows.iter().flatten().all(is_own);
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "other answers are of no tables, or of those of statements"
        )]
        match response {
            Response::GetItem(output) => {
                let is_asked = |item: &RawItem| self.is_of(None, of(item));
                output.item.iter().all(is_asked) && output.consumed_capacity.iter().all(is_own)
            }
            Response::PutItem(output)
            | Response::UpdateItem(output)
            | Response::DeleteItem(output) => output.consumed_capacity.iter().all(is_own),
            Response::Query(output) | Response::Scan(output) => {
                self.is_page(output) && output.consumed_capacity.iter().all(is_own)
            }
            Response::BatchGetItem(output) => {
                let read = output.responses.iter().map(|(table, _)| table);
                let mut tables = read.chain(output.unprocessed_keys.iter().map(|(table, _)| table));
                let mut found = output.responses.iter();
                let mut left = output.unprocessed_keys.iter();
                tables.all(|table| self.names(table))
                    && found.all(|(table, items)| {
                        items.iter().all(|item| self.is_of(Some(table), of(item)))
                    })
                    && left.all(|(table, one)| {
                        let mut keys = one.keys.iter().flatten().flatten();
                        keys.all(|key| self.asks(table, key))
                    })
                    && are_own(&output.consumed_capacity)
            }
            Response::BatchWriteItem(output) => {
                let mut tables = output.unprocessed_items.iter().map(|(table, _)| table);
                tables.all(|table| self.names(table)) && are_own(&output.consumed_capacity)
            }
            Response::TransactGetItems(output) => {
                let mut places = output.responses.iter().zip(&self.places);
                output.responses.len() == self.actions
                    && places.all(|(one, key)| one.iter().all(|item| is_at(key, of(item))))
                    && are_own(&output.consumed_capacity)
            }
            Response::TransactWriteItems(output) => are_own(&output.consumed_capacity),
            _ => true,
        }
    }

    /// Whether an error says that this request was not carried out: one of a transaction has a reason for
    /// each action, and a transaction that is under way may be an attempt of this one.
    pub(super) fn is_refused_by(&self, error: &ClientError) -> bool {
        let ClientError::Service { kind, reasons, .. } = error else {
            return true;
        };
        let is_under_way = *kind == Some(ErrorKind::TransactionInProgress);
        !is_under_way && (reasons.is_empty() || reasons.len() == self.actions)
    }
}

/// Whether an item may be that of a key.
fn is_at(key: &Item, held: impl Fn(&str) -> Option<Value>) -> bool {
    let mut members = key.iter();
    members.all(|(name, value)| held(name).is_none_or(|own| own == *value))
}

/// The keys of the items that a transaction reads, in their order.
fn places_of(request: &Request) -> Vec<Item> {
    let Request::TransactGetItems(input) = request else {
        return Vec::new();
    };
    let gets = input.transact_items.iter().flatten();
    let key = |get: &TransactGet| get.key.iter().flatten().next().cloned();
    gets.map(|get| key(get).unwrap_or_default()).collect()
}

/// The keys of the items that a request reads, by table.
fn keys_of(request: &Request) -> Vec<(String, Vec<Item>)> {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "answers to other requests are not compared with keys"
    )]
    match request {
        Request::GetItem(input) => {
            let key = input.key.iter().flatten().cloned().collect();
            vec![(input.table_name.clone().unwrap_or_default(), key)]
        }
        Request::BatchGetItem(input) => {
            let tables = input.request_items.iter().flatten();
            let keys =
                |one: &KeysAndAttributes| one.keys.iter().flatten().flatten().cloned().collect();
            tables
                .map(|(table, one)| (table.clone(), keys(one)))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The attributes of which a query asks for one value: those of the partition, and perhaps of the sort key.
fn equal_of(request: &Request) -> Item {
    let Request::Query(input) = request else {
        return Item::default();
    };
    let expression = input.key_condition_expression.as_deref();
    let attributes = &input.expression_attributes;
    let named = |name: &str| match name.starts_with('#') {
        true => attributes.names.as_ref()?.get(name).cloned(),
        false => Some(name.to_owned()),
    };
    let valued = |placeholder: &str| {
        let values = attributes.values.as_ref()?.as_ref().ok()?;
        values.get(placeholder).cloned()
    };
    let conditions = expression.unwrap_or_default().split(" AND ");
    let equal = conditions.filter_map(|condition| {
        let (name, value) = condition.split_once(" = ")?;
        Some((named(name)?, valued(value)?))
    });
    equal.collect()
}

/// The most items of a page that a request asks for.
fn limit_of(request: &Request) -> Option<u64> {
    let limit = if let Request::Query(input) = request {
        input.limit
    } else if let Request::Scan(input) = request {
        input.limit
    } else {
        None
    };
    limit.and_then(|limit| u64::try_from(limit).ok())
}

/// The attributes of an item.
fn of(item: &RawItem) -> impl Fn(&str) -> Option<Value> + '_ {
    |name| item.get(name).map(|value| value.to_value())
}

/// What an answer of an operation has. Source: the outputs in the service's own description of its API,
/// and what Amazon's documentation shows of answers that found nothing.
enum Answer {
    /// One of these members at least, also where nothing was found or is left.
    Always(&'static [&'static str]),
    /// One of these members, or none: it says that a write is done, or that there is nothing.
    Perhaps(&'static [&'static str]),
    /// Its status is all of it.
    Status,
}

impl Answer {
    fn of(operation: Operation) -> Answer {
        use Answer::{Always, Perhaps, Status};
        match operation {
            Operation::GetItem => Perhaps(&["ConsumedCapacity", "Item"]),
            Operation::PutItem | Operation::UpdateItem | Operation::DeleteItem => {
                Perhaps(&["ConsumedCapacity", "Attributes", "ItemCollectionMetrics"])
            }
            Operation::TransactWriteItems => {
                Perhaps(&["ConsumedCapacity", "ItemCollectionMetrics"])
            }
            Operation::Query | Operation::Scan => Always(&["Items", "Count"]),
            Operation::BatchGetItem
            | Operation::TransactGetItems
            | Operation::BatchExecuteStatement => Always(&["Responses"]),
            Operation::BatchWriteItem => Always(&["UnprocessedItems"]),
            Operation::ExecuteStatement => {
                Perhaps(&["Items", "ConsumedCapacity", "NextToken", "LastEvaluatedKey"])
            }
            Operation::ExecuteTransaction => Perhaps(&["Responses", "ConsumedCapacity"]),
            Operation::GetRecords => Always(&["Records"]),
            Operation::GetShardIterator => Always(&["ShardIterator"]),
            Operation::DescribeStream => Always(&["StreamDescription"]),
            Operation::ListStreams => Always(&["Streams"]),
            Operation::DescribeTable => Always(&["Table"]),
            Operation::CreateTable
            | Operation::UpdateTable
            | Operation::DeleteTable
            | Operation::RestoreTableFromBackup
            | Operation::RestoreTableToPointInTime => Always(&["TableDescription"]),
            Operation::ListTables => Always(&["TableNames"]),
            Operation::DescribeTimeToLive => Always(&["TimeToLiveDescription"]),
            Operation::UpdateTimeToLive => Always(&["TimeToLiveSpecification"]),
            Operation::ListTagsOfResource => Always(&["Tags"]),
            Operation::TagResource | Operation::UntagResource => Status,
            Operation::DescribeContinuousBackups | Operation::UpdateContinuousBackups => {
                Always(&["ContinuousBackupsDescription"])
            }
            Operation::DescribeContributorInsights | Operation::UpdateContributorInsights => {
                Always(&["ContributorInsightsStatus"])
            }
            Operation::ListContributorInsights => Always(&["ContributorInsightsSummaries"]),
            Operation::CreateBackup => Always(&["BackupDetails"]),
            Operation::DescribeBackup | Operation::DeleteBackup => Always(&["BackupDescription"]),
            Operation::ListBackups => Always(&["BackupSummaries"]),
            Operation::DescribeExport | Operation::ExportTableToPointInTime => {
                Always(&["ExportDescription"])
            }
            Operation::ListExports => Always(&["ExportSummaries"]),
            Operation::DescribeImport | Operation::ImportTable => {
                Always(&["ImportTableDescription"])
            }
            Operation::ListImports => Always(&["ImportSummaryList"]),
            Operation::DescribeEndpoints => Always(&["Endpoints"]),
            Operation::DescribeLimits => Always(&["TableMaxReadCapacityUnits"]),
            Operation::GetResourcePolicy => Always(&["Policy"]),
            Operation::PutResourcePolicy => Always(&["RevisionId"]),
            Operation::DeleteResourcePolicy => Perhaps(&["RevisionId"]),
        }
    }
}

/// Whether a body may be the answer of an operation.
pub(super) fn is_of(operation: Operation, body: &[u8]) -> bool {
    let has_one = |names: &[&str]| names.iter().any(|name| has(body, name));
    match Answer::of(operation) {
        Answer::Always(names) => has_one(names),
        Answer::Perhaps(names) => has_one(names) || is_empty(body),
        Answer::Status => true,
    }
}

/// Whether a body is an object without members.
fn is_empty(body: &[u8]) -> bool {
    let written = body.iter().filter(|byte| !byte.is_ascii_whitespace());
    written.eq(b"{}")
}

/// Whether a body is an object with a member of a name: one that is deeper, or a text, says nothing. It is
/// read up to that member, which is among the first bytes of most answers.
fn has(body: &[u8], name: &str) -> bool {
    let (mut depth, mut at) = (0_u32, 0);
    while let Some(byte) = body.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let start = at + 1;
                let end = end_of_text(body, start);
                let is_first_level = depth == 1;
                if is_first_level
                    && body.get(start..end) == Some(name.as_bytes())
                    && is_name(body, end + 1)
                {
                    return true;
                }
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
    false
}

/// The place of the quotation mark that ends a text.
fn end_of_text(body: &[u8], start: usize) -> usize {
    let mut at = start;
    loop {
        match body.get(at) {
            Some(b'\\') => at += 2,
            Some(b'"') | None => return at,
            Some(_) => at += 1,
        }
    }
}

/// Whether a colon follows.
fn is_name(body: &[u8], at: usize) -> bool {
    let rest = body.get(at..).unwrap_or_default().iter();
    rest.copied().find(|byte| !byte.is_ascii_whitespace()) == Some(b':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_a_member_of_its_operation() {
        for (operation, body, is_own) in [
            (Operation::PutItem, r#"{"status":"ok"}"#, false),
            (Operation::PutItem, " {\n} ", true),
            (Operation::PutItem, r#"{"ConsumedCapacity":{}}"#, true),
            (Operation::GetItem, r#"{"Item":{"a":{"S":"b"}}}"#, true),
            (Operation::GetItem, r#"{"status":"ok"}"#, false),
            (Operation::Query, "{}", false),
            (Operation::Query, r#"{"Count":0,"ScannedCount":0}"#, true),
            (Operation::Scan, r#"{"ConsumedCapacity":{}}"#, false),
            (Operation::TransactWriteItems, "{}", true),
            (Operation::TransactWriteItems, r#"{"ok":true}"#, false),
            (
                Operation::BatchWriteItem,
                r#"{"UnprocessedItems":{}}"#,
                true,
            ),
            (Operation::BatchWriteItem, r#"{"error":"x"}"#, false),
            (
                Operation::BatchWriteItem,
                r#"{"ConsumedCapacity":[]}"#,
                false,
            ),
            (Operation::BatchGetItem, r#"{"Responses":{}}"#, true),
            (Operation::BatchGetItem, r#"{"UnprocessedKeys":{}}"#, false),
            (Operation::TransactGetItems, r#"{"Responses":[]}"#, true),
            (
                Operation::TransactGetItems,
                r#"{"ConsumedCapacity":[]}"#,
                false,
            ),
            (Operation::DescribeTable, r#"{"Table":{}}"#, true),
            (Operation::GetRecords, r#"{"Records":[]}"#, true),
            (Operation::GetRecords, r#"{"status":"ok"}"#, false),
            (Operation::ListTables, r#"{"TableNames":[]}"#, true),
            (Operation::TagResource, "", true),
            // Names that are deeper, or texts.
            (Operation::PutItem, r#"{"names":["Attributes"]}"#, false),
            (Operation::GetItem, r#"{"x":{"Item":{}}}"#, false),
            (Operation::GetItem, r#"{"x":"Item"}"#, false),
            (Operation::Query, r#"{"x":"\"Items\":[]"}"#, false),
            (Operation::GetItem, r#"{"x":"\\","Item" : {}}"#, true),
            (Operation::Query, r#"{"x":"Items""#, false),
        ] {
            assert_eq!(
                is_of(operation, body.as_bytes()),
                is_own,
                "{} {body}",
                operation.name()
            );
        }
    }

    /// A batch would be taken for written, a shard of a stream for ended.
    #[test]
    fn an_answer_without_members_says_that_a_write_is_done_or_that_there_is_no_item() {
        let may_be_empty = [
            Operation::GetItem,
            Operation::PutItem,
            Operation::UpdateItem,
            Operation::DeleteItem,
            Operation::TransactWriteItems,
            // Statements that write, and the removal of a policy that is not there.
            Operation::ExecuteStatement,
            Operation::ExecuteTransaction,
            Operation::DeleteResourcePolicy,
            // They have no answer but the status.
            Operation::TagResource,
            Operation::UntagResource,
        ];
        for operation in Operation::ALL {
            let is_own = is_of(*operation, b"{}");
            let name = operation.name();
            assert_eq!(is_own, may_be_empty.contains(operation), "{name}");
        }
    }
}
