//! TransactGetItems: up to 100 items of one state of the store.

use crate::check::expressions::{Bound, NO_PROJECTION, Texts};
use crate::check::keys;
use crate::check::{self, CheckedReturns, Constraints, TableName};
use crate::core::Core;
use crate::ops::get_item;
use crate::read::capacity::Bills;
use crate::read::meter::Meter;
use crate::read::page::projected;
use crate::table::Table;
use keyfold_api::{
    ApiError, CancellationReason, CapacityKind, TransactGet, TransactGetItemsInput,
    TransactGetItemsOutput, Validation,
};
use keyfold_codec::RawItem;
use keyfold_codec::key::KeyBytes;
use keyfold_expr::Projection;
use keyfold_types::capacity::ReadRate;
use keyfold_types::limits::{TRANSACTION_ACTIONS_MAX, TRANSACTION_BYTES_MAX};
use keyfold_types::{CapacityHalves, Item};
use std::collections::BTreeSet;
use std::sync::Arc;

struct Get {
    table: TableName,
    key: Item,
    projection: Option<Projection>,
}

fn check(input: TransactGetItemsInput) -> Result<(Vec<Get>, CheckedReturns), ApiError> {
    let mut constraints = Constraints::default();
    constraints.required("transactItems", &input.transact_items);
    let returns = constraints.returns(&input.returns);
    if let Some(gets) = &input.transact_items {
        constraints.list("transactItems", gets.len(), 1, TRANSACTION_ACTIONS_MAX);
    }
    let gets = input.transact_items.unwrap_or_default();
    for (at, get) in gets.iter().enumerate() {
        constraints.table(
            &format!("transactItems.{}.member.get.tableName", at + 1),
            &get.table_name,
        );
        constraints.required(
            &format!("transactItems.{}.member.get.key", at + 1),
            &get.key,
        );
    }
    constraints.finish()?;
    let gets = gets
        .into_iter()
        .map(check_get)
        .collect::<Result<Vec<_>, _>>()?;
    Ok((gets, returns))
}

fn check_get(get: TransactGet) -> Result<Get, ApiError> {
    let key = check::attributes(get.key, "key")?;
    let texts = Texts {
        projection: get.projection_expression.as_deref(),
        ..Texts::default()
    };
    // Unused placeholders are allowed without an expression.
    let bound = match get.projection_expression {
        None => Bound::default(),
        Some(_) => texts.bind(&get.expression_attributes, NO_PROJECTION)?,
    };
    Ok(Get {
        table: TableName::new(get.table_name),
        key,
        projection: bound.projection,
    })
}

pub(crate) fn run(
    core: &Core,
    input: TransactGetItemsInput,
) -> Result<TransactGetItemsOutput, ApiError> {
    let (gets, returns) = check(input)?;
    let mut seen = BTreeSet::new();
    let mut plans: Vec<(Get, Arc<Table>, KeyBytes)> = Vec::with_capacity(gets.len());
    let mut reasons = Vec::with_capacity(gets.len());
    for get in gets {
        let table = core
            .table(get.table.name())
            .ok_or_else(ApiError::table_not_found)?;
        let fits = keys::check_paths(&table.key, None, get.projection.as_ref());
        let key = match fits.and_then(|()| get_item::plan(&table, &get.key)) {
            Ok(key) => key,
            Err(reason) => {
                reasons.push(CancellationReason::ValidationError(reason.to_string()));
                continue;
            }
        };
        reasons.push(CancellationReason::None);
        if !seen.insert(key.clone()) {
            return Err(Validation::TransactDuplicate.into());
        }
        plans.push((get, table, key));
    }
    if plans.len() < reasons.len() {
        return Err(ApiError::TransactionCanceled(reasons));
    }
    for (at, (_, table, key)) in plans.iter().enumerate() {
        match Meter::admit(core, table, None, Some(key.as_slice())) {
            Ok(_) => {}
            Err(error) => return Err(canceled(error, plans.len(), at)),
        }
    }
    let snapshot = core.store().snapshot();
    let mut bills = Bills::default();
    let mut responses = Vec::with_capacity(plans.len());
    let mut bytes = 0;
    for (get, table, key) in plans {
        let item = get_item::read(&snapshot, &table, &key)?;
        let size = item.as_ref().map_or(0, RawItem::size_bytes);
        bytes += size;
        if bytes > TRANSACTION_BYTES_MAX {
            return Err(Validation::TransactSize.into());
        }
        let units = CapacityHalves::read(size, ReadRate::Transactional);
        Meter::charge_read(core, &table, key.as_slice(), units);
        bills.add_read(&get.table.given, units);
        let item = item.map(|item| projected(get.projection.as_ref(), item));
        // An empty projection leaves the answer without Item.
        responses.push(item.filter(|item| item.attributes().next().is_some()));
    }
    let consumed_capacity = bills.answer(returns.capacity, Some(CapacityKind::Read));
    Ok(TransactGetItemsOutput {
        responses,
        consumed_capacity,
    })
}

/// The error of a transaction with a throttled read.
pub(crate) fn canceled(error: ApiError, actions: usize, at: usize) -> ApiError {
    let ApiError::Throttled(throttling) = error else {
        return error;
    };
    let mut reasons = vec![CancellationReason::None; actions];
    if let Some(slot) = reasons.get_mut(at) {
        *slot = CancellationReason::Throttled(throttling);
    }
    ApiError::TransactionCanceled(reasons)
}
