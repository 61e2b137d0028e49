//! Query: the items of one partition, in sort order, a page at a time.

use crate::check::expressions::{Bound, NO_FILTER_NOR_KEY_CONDITION, Texts};
use crate::check::keys;
use crate::check::legacy;
use crate::check::{CheckedReturns, Constraints, TableName};
use crate::core::Core;
use crate::ops::get_item;
use crate::read::page::ReadPlan;
use crate::read::{key_range, options};
use keyfold_api::{ApiError, PageOutput, QueryInput, Select, Validation};
use keyfold_expr::KeyCondition;
use keyfold_store::Direction;
use keyfold_types::Item;
use std::sync::Arc;

struct Query {
    table: TableName,
    index: Option<String>,
    select: Option<Select>,
    limit: Option<u64>,
    consistent: Option<bool>,
    direction: Direction,
    start: Option<Item>,
    key_condition: KeyCondition,
    /// Whether the key condition is a KeyConditions parameter.
    is_legacy: bool,
    /// Whether the filter is a QueryFilter parameter.
    has_query_filter: bool,
    bound: Bound,
    returns: CheckedReturns,
}

fn check(input: QueryInput) -> Result<Query, ApiError> {
    let mut constraints = Constraints::default();
    constraints.table("tableName", &input.table_name);
    if let Some(index) = &input.index_name {
        constraints.name("indexName", index, index);
    }
    let select = constraints.word("select", &input.select);
    constraints.range("limit", input.limit, 1, i64::MAX);
    let returns = constraints.returns(&input.returns);
    legacy::constrain(&mut constraints, input.legacy.as_deref());
    constraints.finish()?;
    let texts = Texts {
        key_condition: input.key_condition_expression.as_deref(),
        filter: input.filter_expression.as_deref(),
        projection: input.projection_expression.as_deref(),
        ..Texts::default()
    };
    texts.check_mixed(input.legacy.as_deref())?;
    let legacy = legacy::bind(input.legacy.as_deref())?;
    let is_legacy = legacy.key_condition.is_some();
    let has_query_filter = legacy.filter.is_some();
    let start = input
        .exclusive_start_key
        .transpose()
        .map_err(Validation::Value)?;
    options::check_select(
        select,
        input.index_name.is_some(),
        options::chosen(&texts, &legacy),
    )?;
    if texts.key_condition.is_none() && !is_legacy {
        return Err(Validation::NoKeyCondition.into());
    }
    let mut bound = texts.bind(&input.expression_attributes, NO_FILTER_NOR_KEY_CONDITION)?;
    bound.take_legacy(legacy);
    let key_condition = bound
        .key_condition
        .take()
        .ok_or(Validation::NoKeyCondition)?;
    Ok(Query {
        table: TableName::new(input.table_name),
        index: input.index_name,
        select,
        limit: input.limit.and_then(|limit| u64::try_from(limit).ok()),
        consistent: input.consistent_read,
        direction: if input.scan_index_forward == Some(false) {
            Direction::Backward
        } else {
            Direction::Forward
        },
        start,
        key_condition,
        is_legacy,
        has_query_filter,
        bound,
        returns,
    })
}

/// The plan of the requested page.
pub(crate) fn plan(core: &Core, input: QueryInput) -> Result<ReadPlan, ApiError> {
    let query = check(input)?;
    let table = core
        .table(query.table.name())
        .ok_or_else(ApiError::table_not_found)?;
    let index = options::index(&table, &query.index)?;
    options::check_consistency(index, query.consistent)?;
    let schema = index.map_or(&table.key, |index| &index.key);
    if query.is_legacy && query.key_condition.terms().len() > schema.len() {
        return Err(
            Validation::Sentence("The number of conditions on the keys is invalid".into()).into(),
        );
    }
    let ranges = key_range::plan(
        table.id,
        index.map(|index| (index.id, index.name.as_str())),
        schema,
        &query.key_condition,
    )?;
    let parameter = if query.has_query_filter {
        "QueryFilter"
    } else {
        options::FILTER_EXPRESSION
    };
    options::check_filter_keys(query.bound.filter.as_ref(), schema, parameter)?;
    keys::check_paths(
        &table.key,
        query.bound.filter.as_ref(),
        query.bound.projection.as_ref(),
    )?;
    let fetch = options::fetches(&table, index, query.select, query.bound.projection.as_ref())?;
    let cursor = match &query.start {
        None => None,
        Some(start) => {
            let cursor = options::cursor(&table, index, start).ok_or(Validation::StartKey)?;
            if !ranges.partition.contains(cursor.as_slice()) {
                return Err(Validation::StartKeyPartition.into());
            }
            if !ranges.wanted.contains(cursor.as_slice()) {
                return Err(Validation::StartKeyOutside.into());
            }
            Some(cursor)
        }
    };
    let mut plan = ReadPlan {
        index: index.cloned(),
        given_name: query.table.given,
        range: ranges.wanted,
        direction: query.direction,
        limit: query.limit,
        rate: get_item::rate(query.consistent),
        filter: query.bound.filter.map(Arc::new),
        projection: query.bound.projection,
        fetch,
        count_only: query.select == Some(Select::Count),
        capacity: query.returns.capacity,
        table,
    };
    if let Some(cursor) = cursor {
        plan.resume_after(cursor.into_vec());
    }
    Ok(plan)
}

pub(crate) fn run(core: &Core, input: QueryInput) -> Result<PageOutput, ApiError> {
    plan(core, input)?.run(core)
}
