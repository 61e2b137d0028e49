//! TransactWriteItems: up to 100 actions that happen together or not at all.
//!
//! The transaction locks all keys in one order, reads all items, and evaluates all conditions. One
//! batch has all changes.

use crate::base::bill::Bill;
use crate::base::fingerprint::Fingerprint;
use crate::base::layout;
use crate::base::pending::Pending;
use crate::catalog::{Tables, ready};
use crate::check::expressions::{Bound, NO_CONDITION, Texts};
use crate::check::{self, CheckedReturns, Constraints, TableName};
use crate::core::Core;
use crate::item::apply::{Author, Stamp, apply};
use crate::item::collection::MetricsByTable;
use crate::item::evaluate::Change;
use crate::item::plan::{Action, ItemWrite, WritePlan};
use crate::item::refusal::Refusal;
use crate::item::right::check_right;
use crate::ops::single_write::stage;
use crate::ops::transact_token::{self, Seen};
use crate::read::capacity::Bills;
use keyfold_api::{
    ApiError, Attributes, CancellationReason, CapacityKind, ExpressionAttributes, Named,
    ReturnValuesOnConditionCheckFailure, TransactWriteItem, TransactWriteItemsInput,
    TransactWriteItemsOutput, Validation,
};
use keyfold_expr::Budget;
use keyfold_store::Batch;
use keyfold_types::CapacityHalves;
use keyfold_types::capacity::ReadRate;
use keyfold_types::limits::{TRANSACTION_ACTIONS_MAX, TRANSACTION_BYTES_MAX, WRITE_WORK_BYTES_MAX};
use std::collections::BTreeSet;

pub(crate) struct Transaction {
    pub(crate) writes: Vec<(TableName, ItemWrite)>,
    /// The client's token, and the hash that a repetition must have.
    pub(crate) token: Option<(String, u128)>,
    pub(crate) returns: CheckedReturns,
}

impl Transaction {
    /// Executes the transaction.
    pub(crate) fn run(self, core: &Core) -> Pending<TransactWriteItemsOutput> {
        locked(core, self).unwrap_or_else(|error| Pending::ready(Err(error)))
    }
}

/// A kind of action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Check,
    Put,
    Delete,
    Update,
}

impl Kind {
    /// The member of a request that holds an action of this kind.
    fn member(self) -> &'static str {
        match self {
            Kind::Check => "conditionCheck",
            Kind::Put => "put",
            Kind::Delete => "delete",
            Kind::Update => "update",
        }
    }
}

/// The members that all kinds of action share.
struct Parts {
    kind: Kind,
    table: Option<String>,
    /// The item or key, and the name of its member.
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
            kind: Kind::Check,
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
            kind: Kind::Put,
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
            kind: Kind::Delete,
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
            kind: Kind::Update,
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
    let mut constraints = Constraints::default();
    constraints.required("transactItems", &input.transact_items);
    let returns = constraints.returns(&input.returns);
    constraints.request_token(&input.client_request_token);
    if let Some(items) = &input.transact_items {
        constraints.list("transactItems", items.len(), 1, TRANSACTION_ACTIONS_MAX);
    }
    let items = input.transact_items.unwrap_or_default();
    let actions = items
        .into_iter()
        .map(parts)
        .collect::<Result<Vec<_>, _>>()?;
    for (at, action) in actions.iter().enumerate() {
        check_action(&mut constraints, at, action);
    }
    constraints.finish()?;
    let fingerprint = input
        .client_request_token
        .as_ref()
        .map(|_| fingerprint(&actions));
    let writes = actions
        .into_iter()
        .map(bind)
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Transaction {
        writes,
        token: input.client_request_token.zip(fingerprint),
        returns,
    })
}

/// The hash of a request without the options of its answer.
fn fingerprint(actions: &[Parts]) -> u128 {
    let mut print = Fingerprint::default();
    for action in actions {
        print.text(action.kind.member());
        print.optional(action.table.as_deref());
        print.attributes(action.attributes.0.as_ref());
        print.optional(action.update.as_deref());
        print.optional(action.condition.as_deref());
        print.placeholders(&action.placeholders);
    }
    print.long()
}

fn check_action(constraints: &mut Constraints, at: usize, action: &Parts) {
    let kind = action.kind.member();
    let path = |member: &str| format!("transactItems.{}.member.{kind}.{member}", at + 1);
    constraints.table(&path("tableName"), &action.table);
    constraints.required(&path(action.attributes.1), &action.attributes.0);
    match action.kind {
        Kind::Update => constraints.required(&path("updateExpression"), &action.update),
        Kind::Check => constraints.required(&path("conditionExpression"), &action.condition),
        Kind::Put | Kind::Delete => {}
    }
    constraints.word(
        &path("returnValuesOnConditionCheckFailure"),
        &action.on_failure,
    );
}

fn bind(action: Parts) -> Result<(TableName, ItemWrite), ApiError> {
    let attributes = check::attributes(action.attributes.0, action.attributes.1)?;
    let texts = Texts {
        update: action.update.as_deref(),
        condition: action.condition.as_deref(),
        ..Texts::default()
    };
    // Unused placeholders are allowed without an expression.
    let bound = if texts.update.is_none() && texts.condition.is_none() {
        Bound::default()
    } else {
        texts.bind(&action.placeholders, NO_CONDITION)?
    };
    let what = match action.kind {
        Kind::Put => Action::Put(attributes),
        Kind::Delete => Action::Delete { key: attributes },
        Kind::Update => Action::Update {
            key: attributes,
            update: bound.update.unwrap_or_default(),
        },
        Kind::Check => Action::Check { key: attributes },
    };
    let write = ItemWrite {
        condition: bound.condition,
        return_on_failure: action.on_failure
            == Some(ReturnValuesOnConditionCheckFailure::AllOld.into()),
        ..ItemWrite::new(what)
    };
    Ok((TableName::new(action.table), write))
}

pub(crate) fn run(
    core: &Core,
    input: TransactWriteItemsInput,
) -> Pending<TransactWriteItemsOutput> {
    match check(input) {
        Ok(transaction) => transaction.run(core),
        Err(error) => Pending::ready(Err(error)),
    }
}

fn locked(
    core: &Core,
    transaction: Transaction,
) -> Result<Pending<TransactWriteItemsOutput>, ApiError> {
    let Transaction {
        writes,
        token,
        returns,
    } = transaction;
    let tables = core.tables_for_writing();
    let plans = plan_all(core, &tables, writes)?;
    let expired = transact_token::expired(core, token.is_some())?;
    let token_key = token.as_ref().map(|(token, _)| layout::token(token));
    let keys = plans
        .iter()
        .map(|(_, plan)| plan.key.as_slice())
        .chain(token_key.as_deref());
    let _keys = core.store().lock(keys.chain(expired.keys()));
    if let Some((token, fingerprint)) = &token
        && let Seen::Repeated(sizes) = transact_token::look_up(core, token, *fingerprint)?
    {
        return Ok(Pending::after(
            core.store().barrier(),
            Ok(repeated(&plans, &sizes, returns)),
        ));
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
        let bill = apply(core, &mut batch, plan, change, stamp)
            .map_err(|refusal| refused(plans.len(), at, refusal))?;
        bills.add(&given.given, bill);
        metrics.add(core, &given.given, plan)?;
    }
    if let Some((token, fingerprint)) = &token {
        let sizes = changes.iter().map(Change::bytes);
        expired.remove(core, &mut batch, token)?;
        transact_token::store(core, &mut batch, token, *fingerprint, sizes);
    }
    let ticket = stage(core, batch)?;
    core.conflicts()
        .add(plans.iter().map(|(_, plan)| &plan.key), &ticket);
    let output = TransactWriteItemsOutput {
        consumed_capacity: bills.answer(returns.capacity, Some(CapacityKind::Write)),
        item_collection_metrics: metrics.answer(),
    };
    Ok(Pending::after(ticket, Ok(output)))
}

/// Plans every write against its table.
fn plan_all(
    core: &Core,
    tables: &Tables,
    writes: Vec<(TableName, ItemWrite)>,
) -> Result<Vec<(TableName, WritePlan)>, ApiError> {
    let actions = writes.len();
    let mut plans: Vec<(TableName, WritePlan)> = Vec::with_capacity(actions);
    let (mut seen, mut first_wrong) = (BTreeSet::new(), None);
    for (at, (given, write)) in writes.into_iter().enumerate() {
        let table = ready(tables, given.name())?;
        check_right(core, table, write.right())?;
        match write.plan(table) {
            Ok(plan) if !seen.insert(plan.key.clone()) => {
                return Err(Validation::TransactDuplicate.into());
            }
            Ok(plan) => plans.push((given, plan)),
            // An empty key is refused as a request, not as an action.
            Err(reason @ Validation::EmptyKey { .. }) => return Err(reason.into()),
            Err(reason) => {
                first_wrong.get_or_insert((at, reason));
            }
        }
    }
    match first_wrong {
        None => Ok(plans),
        // Only the first key that does not fit is reported, before any condition is evaluated.
        Some((at, reason)) => Err(refused(actions, at, reason.into())),
    }
}

/// The answer to a repetition, which writes nothing and costs the reads of its items.
fn repeated(
    plans: &[(TableName, WritePlan)],
    sizes: &[u64],
    returns: CheckedReturns,
) -> TransactWriteItemsOutput {
    let mut bills = Bills::default();
    for ((given, _), bytes) in plans.iter().zip(sizes) {
        let table = CapacityHalves::read(*bytes, ReadRate::Transactional);
        bills.add(
            &given.given,
            Bill {
                table,
                ..Bill::default()
            },
        );
    }
    let consumed_capacity = bills.answer(returns.capacity, Some(CapacityKind::Read));
    TransactWriteItemsOutput {
        consumed_capacity,
        item_collection_metrics: None,
    }
}

/// Evaluates every action against its item.
///
/// # Errors
/// `TransactionCanceled` with one reason for each action if any is refused.
fn evaluate_all<'p>(
    core: &Core,
    plans: &'p [(TableName, WritePlan)],
) -> Result<Vec<Change<'p>>, ApiError> {
    let mut changes = Vec::with_capacity(plans.len());
    let mut reasons = Vec::with_capacity(plans.len());
    let mut bytes = 0;
    let work = Budget::new(WRITE_WORK_BYTES_MAX);
    for (_, plan) in plans {
        if core.is_in_conflict(&plan.key) {
            reasons.push(CancellationReason::TransactionConflict);
            continue;
        }
        let outcome = plan
            .read_before(core)
            .and_then(|before| plan.evaluate(before, &work));
        reasons.push(match outcome {
            Ok(change) => {
                bytes += change.bytes();
                // Above the limit no changes are kept. The remaining actions are evaluated for their
                // reasons only.
                if bytes > TRANSACTION_BYTES_MAX {
                    changes.clear();
                } else {
                    changes.push(change);
                }
                CancellationReason::None
            }
            Err(Refusal::Condition(item)) => CancellationReason::ConditionalCheckFailed(item),
            Err(Refusal::Duplicate) => CancellationReason::DuplicateItem,
            Err(Refusal::Invalid(reason)) if *reason == Validation::TooMuchWork => {
                return Err(Validation::TooMuchWork.into());
            }
            Err(Refusal::Invalid(reason)) => {
                CancellationReason::ValidationError(reason.to_string())
            }
            Err(Refusal::Throttled(throttling)) => CancellationReason::Throttled(throttling),
            Err(Refusal::Internal(error)) => return Err(error),
        });
    }
    if reasons
        .iter()
        .any(|reason| *reason != CancellationReason::None)
    {
        return Err(ApiError::TransactionCanceled(reasons));
    }
    if bytes > TRANSACTION_BYTES_MAX {
        return Err(Validation::TransactSize.into());
    }
    Ok(changes)
}

/// The error of a transaction with one refused action.
fn refused(actions: usize, at: usize, refusal: Refusal) -> ApiError {
    let reason = match refusal {
        Refusal::Internal(ApiError::ItemCollectionSizeLimitExceeded) => {
            CancellationReason::ItemCollectionSizeLimitExceeded
        }
        Refusal::Invalid(reason) => CancellationReason::ValidationError(reason.to_string()),
        Refusal::Throttled(throttling) => CancellationReason::Throttled(throttling),
        Refusal::Condition(_) | Refusal::Duplicate | Refusal::Internal(_) => return refusal.into(),
    };
    let mut reasons = vec![CancellationReason::None; actions];
    if let Some(slot) = reasons.get_mut(at) {
        *slot = reason;
    }
    ApiError::TransactionCanceled(reasons)
}
