//! TransactWriteItems: up to 100 actions that happen together or not at all.
//!
//! All keys are locked in one order, all items read, all conditions judged; one batch carries everything.

use crate::catalog::ready;
use crate::check::{self, CheckedReturns, Constraints, TableName};
use crate::core::Core;
use crate::expressions::Texts;
use crate::layout;
use crate::ops::capacity::Bills;
use crate::ops::single_write::stage;
use crate::ops::transact_token::{self, Seen};
use crate::pending::Pending;
use crate::write::{
    self, Action, Author, Bill, Change, ItemWrite, MetricsByTable, Refusal, Stamp, WritePlan,
};
use keyfold_api::{
    ApiError, Attributes, CancellationReason, CapacityKind, ExpressionAttributes, Named,
    ReturnValuesOnConditionCheckFailure, TransactWriteItem, TransactWriteItemsInput,
    TransactWriteItemsOutput, Validation,
};
use keyfold_codec::RawItem;
use keyfold_store::Batch;
use keyfold_types::CapacityHalves;
use keyfold_types::capacity::ReadRate;
use keyfold_types::limits::{TRANSACTION_ACTIONS_MAX, TRANSACTION_BYTES_MAX};
use std::collections::BTreeSet;

pub(crate) struct Transaction {
    pub(crate) writes: Vec<(TableName, ItemWrite)>,
    /// The client's token, and what a repetition must have in common.
    pub(crate) token: Option<(String, u128)>,
    pub(crate) returns: CheckedReturns,
}

impl Transaction {
    /// Carries the transaction out.
    pub(crate) fn run(self, core: &Core) -> Pending<TransactWriteItemsOutput> {
        locked(core, self).unwrap_or_else(|error| Pending::ready(Err(error)))
    }
}

/// The members that all four kinds of action share.
struct Parts {
    name: &'static str,
    table: Option<String>,
    /// Item or key, and how the member is called.
    attributes: (Option<Attributes>, &'static str),
    update: Option<String>,
    condition: Option<String>,
    placeholders: ExpressionAttributes,
    on_failure: Option<Named<ReturnValuesOnConditionCheckFailure>>,
}

fn parts(item: TransactWriteItem) -> Result<Parts, ApiError> {
    let mut found = Vec::with_capacity(1);
    if let Some(check) = item.condition_check {
        found.push(Parts {
            name: "conditionCheck",
            table: check.table_name,
            attributes: (check.key, "key"),
            update: None,
            condition: check.condition_expression,
            placeholders: check.expression_attributes,
            on_failure: check.return_values_on_condition_check_failure,
        });
    }
    if let Some(put) = item.put {
        found.push(Parts {
            name: "put",
            table: put.table_name,
            attributes: (put.item, "item"),
            update: None,
            condition: put.condition_expression,
            placeholders: put.expression_attributes,
            on_failure: put.return_values_on_condition_check_failure,
        });
    }
    if let Some(delete) = item.delete {
        found.push(Parts {
            name: "delete",
            table: delete.table_name,
            attributes: (delete.key, "key"),
            update: None,
            condition: delete.condition_expression,
            placeholders: delete.expression_attributes,
            on_failure: delete.return_values_on_condition_check_failure,
        });
    }
    if let Some(update) = item.update {
        found.push(Parts {
            name: "update",
            table: update.table_name,
            attributes: (update.key, "key"),
            update: update.update_expression,
            condition: update.condition_expression,
            placeholders: update.expression_attributes,
            on_failure: update.return_values_on_condition_check_failure,
        });
    }
    match (found.pop(), found.is_empty()) {
        (Some(parts), true) => Ok(parts),
        _ => Err(Validation::TransactItemShape.into()),
    }
}

fn check(input: TransactWriteItemsInput) -> Result<Transaction, ApiError> {
    // What a repetition must have in common: everything but what the answer shall tell.
    let fingerprint = input
        .client_request_token
        .as_ref()
        .map(|_| xxhash_rust::xxh3::xxh3_128(format!("{:?}", input.transact_items).as_bytes()));
    let mut constraints = Constraints::default();
    constraints.required("transactItems", &input.transact_items);
    let returns = constraints.returns(&input.returns);
    if let Some(token) = &input.client_request_token {
        constraints.count("clientRequestToken", token.chars().count(), token, 1, 36);
    }
    if let Some(items) = &input.transact_items {
        constraints.list("transactItems", items.len(), 1, TRANSACTION_ACTIONS_MAX);
    }
    let items = input.transact_items.unwrap_or_default();
    let actions = items.into_iter().map(parts).collect::<Result<Vec<_>, _>>()?;
    for (at, action) in actions.iter().enumerate() {
        check_action(&mut constraints, at, action);
    }
    constraints.finish()?;
    let writes = actions.into_iter().map(bind).collect::<Result<Vec<_>, _>>()?;
    Ok(Transaction { writes, token: input.client_request_token.zip(fingerprint), returns })
}

fn check_action(constraints: &mut Constraints, at: usize, action: &Parts) {
    let path = |member: &str| format!("transactItems.{}.member.{}.{member}", at + 1, action.name);
    constraints.table(&path("tableName"), &action.table);
    constraints.required(&path(action.attributes.1), &action.attributes.0);
    match action.name {
        "update" => constraints.required(&path("updateExpression"), &action.update),
        "conditionCheck" => constraints.required(&path("conditionExpression"), &action.condition),
        _ => {}
    }
    constraints.word(&path("returnValuesOnConditionCheckFailure"), &action.on_failure);
}

fn bind(action: Parts) -> Result<(TableName, ItemWrite), ApiError> {
    let attributes = check::attributes(action.attributes.0, action.attributes.1)?;
    let texts = Texts {
        update: action.update.as_deref(),
        condition: action.condition.as_deref(),
        ..Texts::default()
    };
    let bound = texts.bind(&action.placeholders, "ConditionExpression is null")?;
    let what = match action.name {
        "put" => Action::Put(attributes),
        "delete" => Action::Delete { key: attributes },
        "update" => Action::Update { key: attributes, update: bound.update.unwrap_or_default() },
        _ => Action::Check { key: attributes },
    };
    let write = ItemWrite {
        condition: bound.condition,
        return_on_failure: action.on_failure == Some(ReturnValuesOnConditionCheckFailure::AllOld.into()),
        ..ItemWrite::new(what)
    };
    Ok((TableName::new(action.table), write))
}

pub(crate) fn run(core: &Core, input: TransactWriteItemsInput) -> Pending<TransactWriteItemsOutput> {
    match check(input) {
        Ok(transaction) => transaction.run(core),
        Err(error) => Pending::ready(Err(error)),
    }
}

fn locked(core: &Core, transaction: Transaction) -> Result<Pending<TransactWriteItemsOutput>, ApiError> {
    let Transaction { writes, token, returns } = transaction;
    let tables = core.tables_for_writing();
    let mut plans: Vec<(TableName, Result<WritePlan, Validation>)> = Vec::with_capacity(writes.len());
    let mut seen = BTreeSet::new();
    for (given, write) in writes {
        let table = ready(&tables, given.name())?;
        let plan = write.plan(table);
        if plan.as_ref().is_ok_and(|plan| !seen.insert(plan.key.clone())) {
            return Err(Validation::TransactDuplicate.into());
        }
        plans.push((given, plan));
    }
    let token_key = token.as_ref().map(|(token, _)| layout::token(token));
    let keys = plans.iter().filter_map(|(_, plan)| plan.as_ref().ok()).map(|plan| plan.key.as_slice());
    let _keys = core.store().lock(keys.chain(token_key.as_deref()));
    if let Some((token, fingerprint)) = &token
        && matches!(transact_token::look_up(core, token, *fingerprint)?, Seen::Repeated)
    {
        return Ok(Pending::after(core.store().barrier(), repeated(core, &plans, returns)));
    }
    let changes = match evaluate_all(core, &plans) {
        Ok(changes) => changes,
        Err(error) => return Ok(Pending::after(core.store().barrier(), Err(error))),
    };
    let stamp = Stamp::now(core, Author::Transaction);
    let mut batch = Batch::new();
    let mut bills = Bills::default();
    let mut metrics = MetricsByTable::new(returns.collection_metrics);
    for (at, ((given, plan), change)) in plans.iter().zip(&changes).enumerate() {
        let Ok(plan) = plan else { continue };
        let bill = write::apply(core, &mut batch, plan, change, stamp)
            .map_err(|refusal| refused(plans.len(), at, refusal))?;
        bills.add(&given.given, bill);
        metrics.add(core, &given.given, plan)?;
    }
    if let Some((token, fingerprint)) = &token {
        transact_token::remember(core, &mut batch, token, *fingerprint)?;
    }
    let ticket = stage(core, batch)?;
    core.conflicts()
        .hold(plans.iter().filter_map(|(_, plan)| plan.as_ref().ok()).map(|plan| &plan.key), &ticket);
    let output = TransactWriteItemsOutput {
        consumed_capacity: bills.answer(returns.capacity, Some(CapacityKind::Write)),
        item_collection_metrics: metrics.answer(),
    };
    Ok(Pending::after(ticket, Ok(output)))
}

/// The answer to a repetition: nothing happens, and reading the items is what it costs.
fn repeated(
    core: &Core,
    plans: &[(TableName, Result<WritePlan, Validation>)],
    returns: CheckedReturns,
) -> Result<TransactWriteItemsOutput, ApiError> {
    let mut bills = Bills::default();
    for (given, plan) in plans {
        let Ok(plan) = plan else { continue };
        let bytes = plan.read_before(core)?.as_ref().map_or(0, RawItem::size_bytes);
        bills.add(
            &given.given,
            Bill { table: CapacityHalves::read(bytes, ReadRate::Transactional), ..Bill::default() },
        );
    }
    let consumed_capacity = bills.answer(returns.capacity, Some(CapacityKind::Read));
    Ok(TransactWriteItemsOutput { consumed_capacity, item_collection_metrics: None })
}

/// Every action against the item it meets; one reason for each if any is refused.
fn evaluate_all<'p>(
    core: &Core,
    plans: &'p [(TableName, Result<WritePlan, Validation>)],
) -> Result<Vec<Change<'p>>, ApiError> {
    let mut changes = Vec::with_capacity(plans.len());
    let mut reasons = Vec::with_capacity(plans.len());
    let mut bytes = 0;
    for (_, plan) in plans {
        let outcome = match plan {
            Ok(plan) if core.is_held(&plan.key) => {
                reasons.push(CancellationReason::TransactionConflict);
                continue;
            }
            Ok(plan) => plan.read_before(core).and_then(|before| plan.evaluate(before)),
            Err(reason) => Err(Refusal::from(reason.clone())),
        };
        reasons.push(match outcome {
            Ok(change) => {
                let size = |item: &Option<RawItem>| item.as_ref().map_or(0, RawItem::size_bytes);
                bytes += size(&change.before).max(size(&change.after));
                changes.push(change);
                CancellationReason::None
            }
            Err(Refusal::Condition(item)) => CancellationReason::ConditionalCheckFailed(item),
            Err(Refusal::Duplicate) => CancellationReason::DuplicateItem,
            Err(Refusal::Invalid(reason)) => CancellationReason::ValidationError(reason.to_string()),
            Err(Refusal::Throttled(throttling)) => CancellationReason::Throttled(throttling),
            Err(Refusal::Internal(error)) => return Err(error),
        });
    }
    if changes.len() < plans.len() {
        return Err(ApiError::TransactionCanceled(reasons));
    }
    if bytes > TRANSACTION_BYTES_MAX {
        return Err(Validation::TransactSize.into());
    }
    Ok(changes)
}

/// A refusal while applying, which is the reason of one action.
fn refused(actions: usize, at: usize, refusal: Refusal) -> ApiError {
    let reason = match refusal {
        Refusal::Internal(ApiError::ItemCollectionSizeLimitExceeded) => {
            CancellationReason::ItemCollectionSizeLimitExceeded
        }
        Refusal::Invalid(reason) => CancellationReason::ValidationError(reason.to_string()),
        Refusal::Throttled(throttling) => CancellationReason::Throttled(throttling),
        other => return other.into(),
    };
    let mut reasons = vec![CancellationReason::None; actions];
    if let Some(slot) = reasons.get_mut(at) {
        *slot = reason;
    }
    ApiError::TransactionCanceled(reasons)
}
