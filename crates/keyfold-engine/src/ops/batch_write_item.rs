//! BatchWriteItem: up to 25 puts and deletes, of any tables.
//!
//! The service does not promise atomicity. Here the batch is one write, which is cheaper.

use crate::base::pending::Pending;
use crate::catalog::{Tables, ready};
use crate::check::{CheckedReturns, Constraints, TableName};
use crate::core::Core;
use crate::item::apply::{Author, Stamp, apply};
use crate::item::collection::MetricsByTable;
use crate::item::plan::{Action, ItemWrite, WritePlan};
use crate::item::refusal::Refusal;
use crate::item::right::check_right;
use crate::ops::single_write::stage;
use crate::read::capacity::Bills;
use crate::table::policy::Right;
use keyfold_api::{
    ApiError, BatchWriteItemInput, BatchWriteItemOutput, Constraint, Operation, Validation,
    WriteRequest,
};
use keyfold_expr::Budget;
use keyfold_store::Batch;
use keyfold_types::limits::{BATCH_GET_BYTES_MAX, BATCH_WRITE_REQUESTS_MAX};
use std::collections::BTreeSet;

struct TableWrites {
    table: TableName,
    writes: Vec<ItemWrite>,
}

fn check(input: BatchWriteItemInput) -> Result<(Vec<TableWrites>, CheckedReturns), ApiError> {
    let mut constraints = Constraints::default();
    constraints.required("requestItems", &input.request_items);
    let returns = constraints.returns(&input.returns);
    let is_given = input.request_items.is_some();
    let tables = input.request_items.unwrap_or_default();
    let max = BATCH_WRITE_REQUESTS_MAX;
    if is_given && tables.is_empty() {
        constraints.count("requestItems", 0, "{}", 1, max);
    }
    for (table, requests) in &tables {
        constraints.table("requestItems", &Some(table.clone()));
        if requests.is_empty() || requests.len() > max {
            let printed = format!(
                "{{{table}=[{}]}}",
                if requests.is_empty() { "" } else { "..." }
            );
            constraints.breach(
                Some(printed),
                "requestItems",
                Constraint::MapValueLength(1, max),
            );
        }
    }
    constraints.finish()?;
    if tables
        .iter()
        .map(|(_, requests)| requests.len())
        .sum::<usize>()
        > max
    {
        return Err(Validation::TooManyInBatch(Operation::BatchWriteItem.name()).into());
    }
    let mut bytes = 0;
    let mut checked = Vec::with_capacity(tables.len());
    for (table, requests) in tables {
        let writes = requests
            .into_iter()
            .map(|request| check_request(request, &mut bytes));
        checked.push(TableWrites {
            table: TableName::new(Some(table)),
            writes: writes.collect::<Result<_, _>>()?,
        });
    }
    if bytes > BATCH_GET_BYTES_MAX {
        return Err(Validation::BatchSize(Operation::BatchWriteItem.name()).into());
    }
    Ok((checked, returns))
}

fn check_request(request: WriteRequest, bytes: &mut u64) -> Result<ItemWrite, ApiError> {
    let attributes =
        |given: Option<keyfold_api::Attributes>, path| crate::check::attributes(given, path);
    let action = match (request.put, request.delete) {
        (Some(item), None) => Action::Put(attributes(item, "putRequest.item")?),
        (None, Some(key)) => Action::Delete {
            key: attributes(key, "deleteRequest.key")?,
        },
        (None, None) => return Err(Validation::Value(keyfold_api::ValueError::NoType).into()),
        (Some(_), Some(_)) => return Err(Validation::WriteRequestShape.into()),
    };
    if let Action::Put(item) = &action {
        *bytes += item.size_bytes();
    }
    Ok(ItemWrite::new(action))
}

pub(crate) fn run(core: &Core, input: BatchWriteItemInput) -> Pending<BatchWriteItemOutput> {
    match check(input).and_then(|(tables, returns)| locked(core, tables, returns)) {
        Ok(pending) => pending,
        Err(error) => Pending::ready(Err(error)),
    }
}

fn locked(
    core: &Core,
    requests: Vec<TableWrites>,
    returns: CheckedReturns,
) -> Result<Pending<BatchWriteItemOutput>, ApiError> {
    let tables = core.tables_for_writing();
    let plans = plan_all(core, &tables, requests)?;
    let _keys = core
        .store()
        .lock(plans.iter().map(|(_, plan)| plan.key.as_slice()));
    let stamp = Stamp::now(core, Author::Client);
    let mut batch = Batch::new();
    let mut bills = Bills::default();
    let mut metrics = MetricsByTable::new(returns.collection_metrics);
    let mut unprocessed = Unprocessed::default();
    let (mut is_any_done, mut throttled) = (false, None);
    for (given, plan) in &plans {
        if core.is_in_conflict(&plan.key) {
            is_any_done = true;
            unprocessed.add(given, plan);
            continue;
        }
        let change = plan
            .read_before(core)
            .and_then(|before| plan.evaluate(before, &Budget::unbounded()))?;
        match apply(core, &mut batch, plan, &change, stamp) {
            Ok(bill) => bills.add(given, bill),
            Err(refusal @ Refusal::Throttled(_)) => {
                throttled = Some(refusal);
                unprocessed.add(given, plan);
                continue;
            }
            Err(refusal) => return Err(refusal.into()),
        }
        is_any_done = true;
        metrics.add(core, given, plan)?;
    }
    if let (Some(refusal), false) = (throttled, is_any_done) {
        return Err(refusal.into());
    }
    let ticket = stage(core, batch)?;
    let output = BatchWriteItemOutput {
        unprocessed_items: unprocessed.0,
        consumed_capacity: bills.answer(returns.capacity, None),
        item_collection_metrics: metrics.answer(),
    };
    Ok(Pending::after(ticket, Ok(output)))
}

/// Plans every write against its table. Each plan has the table's name or ARN of the request.
fn plan_all(
    core: &Core,
    tables: &Tables,
    requests: Vec<TableWrites>,
) -> Result<Vec<(String, WritePlan)>, ApiError> {
    let mut plans = Vec::new();
    let mut seen = BTreeSet::new();
    for TableWrites {
        table: given,
        writes,
    } in requests
    {
        let table = ready(tables, given.name())?;
        check_right(core, table, Right::BatchWriteItem)?;
        for write in writes {
            let plan = write.plan(table).map_err(in_a_batch)?;
            if !seen.insert(plan.key.clone()) {
                return Err(Validation::DuplicateKeys.into());
            }
            plans.push((given.given.clone(), plan));
        }
    }
    Ok(plans)
}

/// The reason that a batch reports: an item's key has the message of a `Key` argument.
fn in_a_batch(reason: Validation) -> Validation {
    if matches!(
        reason,
        Validation::MissingKey(_) | Validation::KeyType { .. }
    ) {
        Validation::KeySchemaMismatch
    } else {
        reason
    }
}

/// The requests that were not executed, by table, in the order of the request.
#[derive(Default)]
struct Unprocessed(Vec<(String, Vec<WriteRequest>)>);

impl Unprocessed {
    fn add(&mut self, given: &str, plan: &WritePlan) {
        let request = as_request(&plan.write.action);
        match self.0.iter_mut().find(|(name, _)| name == given) {
            Some((_, requests)) => requests.push(request),
            None => self.0.push((given.to_owned(), vec![request])),
        }
    }
}

/// The write request of an action.
fn as_request(action: &Action) -> WriteRequest {
    match action {
        Action::Put(item) => WriteRequest::put(item.clone()),
        Action::Update { key, .. } | Action::Delete { key } | Action::Check { key } => {
            WriteRequest::delete(key.clone())
        }
    }
}
