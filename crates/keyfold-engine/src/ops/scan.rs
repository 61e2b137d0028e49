//! Scan: all items of a table or index, or of a segment of it, a page at a time.

use crate::check::expressions::{Bound, Texts};
use crate::check::keys;
use crate::check::legacy;
use crate::check::{CheckedReturns, Constraints, TableName};
use crate::core::Core;
use crate::ops::get_item;
use crate::read::options;
use crate::read::page::ReadPlan;
use keyfold_api::{ApiError, PageOutput, ScanInput, Select, Validation};
use keyfold_codec::key::{self, IndexId};
use keyfold_store::Direction;
use keyfold_types::Item;
use keyfold_types::limits::SCAN_SEGMENTS_MAX;
use std::sync::Arc;

struct Scan {
    table: TableName,
    index: Option<String>,
    select: Option<Select>,
    limit: Option<u64>,
    consistent: Option<bool>,
    start: Option<Item>,
    /// Segment and number of segments.
    segment: (u32, u32),
    bound: Bound,
    returns: CheckedReturns,
}

fn check(input: ScanInput) -> Result<Scan, ApiError> {
    let mut constraints = Constraints::default();
    constraints.table("tableName", &input.table_name);
    if let Some(index) = &input.index_name {
        constraints.name("indexName", index, index);
    }
    let select = constraints.word("select", &input.select);
    constraints.range("limit", input.limit, 1, i64::MAX);
    constraints.range(
        "totalSegments",
        input.total_segments,
        1,
        i64::from(SCAN_SEGMENTS_MAX),
    );
    constraints.range(
        "segment",
        input.segment,
        0,
        i64::from(SCAN_SEGMENTS_MAX) - 1,
    );
    let returns = constraints.returns(&input.returns);
    legacy::constrain(&mut constraints, input.legacy.as_deref());
    constraints.finish()?;
    let texts = Texts {
        filter: input.filter_expression.as_deref(),
        projection: input.projection_expression.as_deref(),
        ..Texts::default()
    };
    texts.check_mixed(input.legacy.as_deref())?;
    let legacy = legacy::bind(input.legacy.as_deref())?;
    let start = input
        .exclusive_start_key
        .transpose()
        .map_err(Validation::Value)?;
    let segment = check_segments(input.segment, input.total_segments)?;
    options::check_select(
        select,
        input.index_name.is_some(),
        options::chosen(&texts, &legacy),
    )?;
    let mut bound = texts.bind(&input.expression_attributes, "FilterExpression is null")?;
    bound.take_legacy(legacy);
    Ok(Scan {
        table: TableName::new(input.table_name),
        index: input.index_name,
        select,
        limit: input.limit.and_then(|limit| u64::try_from(limit).ok()),
        consistent: input.consistent_read,
        start,
        segment,
        bound,
        returns,
    })
}

fn check_segments(segment: Option<i64>, total: Option<i64>) -> Result<(u32, u32), ApiError> {
    let detail = match (segment, total) {
        (None, None) => return Ok((0, 1)),
        (Some(_), None) => {
            "The TotalSegments parameter is required but was not present in the request when Segment parameter is present".to_owned()
        }
        (None, Some(_)) => {
            "The Segment parameter is required but was not present in the request when parameter TotalSegments is present".to_owned()
        }
        (Some(segment), Some(total)) if segment >= total => {
            format!("The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: {segment} is not less than TotalSegments: {total}")
        }
        (Some(segment), Some(total)) => {
            let narrow = |number: i64| u32::try_from(number).unwrap_or(0);
            return Ok((narrow(segment), narrow(total)));
        }
    };
    Err(Validation::Sentence(detail).into())
}

pub(crate) fn run(core: &Core, input: ScanInput) -> Result<PageOutput, ApiError> {
    let scan = check(input)?;
    let table = core
        .table(scan.table.name())
        .ok_or_else(ApiError::table_not_found)?;
    let index = options::index(&table, &scan.index)?;
    options::check_consistency(index, scan.consistent)?;
    keys::check_paths(
        &table.key,
        scan.bound.filter.as_ref(),
        scan.bound.projection.as_ref(),
    )?;
    let fetch = options::fetches(&table, index, scan.select, scan.bound.projection.as_ref())?;
    let place = index.map_or(IndexId::BASE, |index| index.id);
    let (segment, total) = scan.segment;
    let range = key::segment_range(table.id, place, segment, total);
    let cursor = match &scan.start {
        None => None,
        Some(start) => {
            let lacks = index.is_some_and(|index| {
                index
                    .key
                    .attributes()
                    .any(|one| start.get(&one.name).is_none())
            });
            let wrong = if lacks {
                Validation::StartKey
            } else {
                Validation::ScanStartKey
            };
            let cursor = options::cursor(&table, index, start).ok_or(wrong)?;
            if !range.contains(cursor.as_slice()) {
                return Err(Validation::StartKeySegment.into());
            }
            Some(cursor)
        }
    };
    let mut plan = ReadPlan {
        index: index.cloned(),
        given_name: scan.table.given,
        range,
        direction: Direction::Forward,
        limit: scan.limit,
        rate: get_item::rate(scan.consistent),
        filter: scan.bound.filter.map(Arc::new),
        projection: scan.bound.projection,
        fetch,
        count_only: scan.select == Some(Select::Count),
        capacity: scan.returns.capacity,
        table,
    };
    if let Some(cursor) = cursor {
        plan.resume_after(cursor.into_vec());
    }
    plan.run(core)
}
