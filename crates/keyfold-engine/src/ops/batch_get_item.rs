//! BatchGetItem: up to 100 items by key, of any tables.

use crate::base::answer_size::AnswerSize;
use crate::check::expressions::{NO_PROJECTION, Texts};
use crate::check::keys;
use crate::check::legacy;
use crate::check::{CheckedReturns, Constraints, TableName};
use crate::core::Core;
use crate::ops::get_item;
use crate::read::capacity::Bills;
use crate::read::meter::Meter;
use crate::read::page::projected;
use crate::read::view::view;
use crate::table::Table;
use keyfold_api::{
    ApiError, BatchGetItemInput, BatchGetItemOutput, Constraint, KeysAndAttributes, Operation,
    Validation,
};
use keyfold_codec::RawItem;
use keyfold_codec::key::KeyBytes;
use keyfold_expr::Projection;
use keyfold_types::limits::{BATCH_GET_BYTES_MAX, BATCH_GET_KEYS_MAX};
use keyfold_types::{CapacityHalves, Item};
use std::collections::BTreeSet;
use std::sync::Arc;

struct TableKeys {
    table: TableName,
    keys: Vec<Item>,
    projection: Option<Projection>,
    /// The request, for the unprocessed keys of the answer.
    given: KeysAndAttributes,
}

fn check(input: BatchGetItemInput) -> Result<(Vec<TableKeys>, CheckedReturns), ApiError> {
    let mut constraints = Constraints::default();
    constraints.required("requestItems", &input.request_items);
    let returns = constraints.returns(&input.returns);
    let is_given = input.request_items.is_some();
    let tables = input.request_items.unwrap_or_default();
    if is_given && tables.is_empty() {
        constraints.count("requestItems", 0, "{}", 1, BATCH_GET_KEYS_MAX);
    }
    for (table, given) in &tables {
        constraints.table("requestItems", &Some(table.clone()));
        let path = format!("requestItems.{table}.member.keys");
        constraints.required(&path, &given.keys);
        let breach = |constraints: &mut Constraints, constraint| {
            constraints
                .breach_without_value(format!("RequestItems.{table}.member.Keys"), constraint);
        };
        let count = given.keys.as_ref().map_or(1, Vec::len);
        if count == 0 {
            breach(&mut constraints, Constraint::LengthMin(1));
        } else if count > BATCH_GET_KEYS_MAX {
            breach(&mut constraints, Constraint::LengthMax(BATCH_GET_KEYS_MAX));
        }
        legacy::constrain(&mut constraints, given.legacy.as_deref());
    }
    constraints.finish()?;
    if tables
        .iter()
        .map(|(_, keys)| keys.keys.as_ref().map_or(0, Vec::len))
        .sum::<usize>()
        > BATCH_GET_KEYS_MAX
    {
        return Err(Validation::TooManyInBatch(Operation::BatchGetItem.name()).into());
    }
    let given = |has: fn(&KeysAndAttributes) -> bool| tables.iter().any(|(_, keys)| has(keys));
    if given(|keys| keys.legacy.is_some()) && given(|keys| keys.projection_expression.is_some()) {
        let (legacy, expressions) = (vec!["AttributesToGet"], vec!["ProjectionExpression"]);
        return Err(Validation::MixedParameters {
            legacy,
            expressions,
        }
        .into());
    }
    let tables = tables
        .into_iter()
        .map(check_table)
        .collect::<Result<Vec<_>, _>>()?;
    Ok((tables, returns))
}

fn check_table((table, given): (String, KeysAndAttributes)) -> Result<TableKeys, ApiError> {
    let texts = Texts {
        projection: given.projection_expression.as_deref(),
        ..Texts::default()
    };
    let keys = given
        .keys
        .iter()
        .flatten()
        .cloned()
        .collect::<Result<Vec<_>, _>>()
        .map_err(Validation::Value)?;
    let bound = texts.bind(&given.expression_attributes, NO_PROJECTION)?;
    let projection = bound
        .projection
        .or(legacy::bind(given.legacy.as_deref())?.projection);
    Ok(TableKeys {
        table: TableName::new(Some(table)),
        keys,
        projection,
        given,
    })
}

fn plan(
    core: &Core,
    keys: &TableKeys,
    seen: &mut BTreeSet<KeyBytes>,
) -> Result<(Arc<Table>, Vec<KeyBytes>), ApiError> {
    let table = core
        .table(keys.table.name())
        .ok_or_else(ApiError::table_not_found)?;
    keys::check_paths(&table.key, None, keys.projection.as_ref())?;
    let mut encoded = Vec::with_capacity(keys.keys.len());
    for key in &keys.keys {
        let bytes = get_item::plan(&table, key)?;
        if !seen.insert(bytes.clone()) {
            return Err(Validation::DuplicateKeys.into());
        }
        encoded.push(bytes);
    }
    Ok((table, encoded))
}

pub(crate) fn run(core: &Core, input: BatchGetItemInput) -> Result<BatchGetItemOutput, ApiError> {
    let (requests, returns) = check(input)?;
    // Duplicates are found over all tables: a request may have a table by its name and by its ARN.
    let mut seen = BTreeSet::new();
    let plans = requests
        .iter()
        .map(|keys| plan(core, keys, &mut seen))
        .collect::<Result<Vec<_>, _>>()?;
    let mut bills = Bills::default();
    let mut output = BatchGetItemOutput::default();
    let mut bytes = 0;
    let (mut is_any_read, mut throttled, mut size_of_answer) = (false, None, AnswerSize::default());
    for (request, (table, keys)) in requests.into_iter().zip(plans) {
        let rate = get_item::rate(request.given.consistent_read);
        let snapshot = view(core, None, rate);
        let (mut items, mut left) = (Vec::new(), Vec::new());
        for (key, given) in keys.iter().zip(request.given.keys.iter().flatten()) {
            if bytes >= BATCH_GET_BYTES_MAX {
                left.push(given.clone());
                continue;
            }
            let meter = match Meter::admit(core, &table, None, Some(key.as_slice())) {
                Ok(meter) => meter,
                Err(error) => {
                    throttled = Some(error);
                    left.push(given.clone());
                    continue;
                }
            };
            let item = get_item::read(&snapshot, &table, key)?;
            let size = item.as_ref().map_or(0, RawItem::size_bytes);
            if bytes + size > BATCH_GET_BYTES_MAX {
                bytes = BATCH_GET_BYTES_MAX;
                left.push(given.clone());
                continue;
            }
            bytes += size;
            let units = CapacityHalves::read(size, rate);
            meter.charge(units);
            is_any_read = true;
            bills.add_read(&request.table.given, units);
            let Some(item) = item.map(|item| projected(request.projection.as_ref(), item)) else {
                continue;
            };
            if size_of_answer.add(&item) {
                bytes = BATCH_GET_BYTES_MAX;
            }
            items.push(item);
        }
        if !left.is_empty() {
            let rest = KeysAndAttributes {
                keys: Some(left),
                ..request.given
            };
            output
                .unprocessed_keys
                .push((request.table.given.clone(), rest));
        }
        output.responses.push((request.table.given, items));
    }
    if let (Some(error), false) = (throttled, is_any_read) {
        return Err(error);
    }
    output.consumed_capacity = bills.answer(returns.capacity, None);
    Ok(output)
}
