//! The range of keys for a key condition and a key schema.
//!
//! Each partition attribute needs an equality. Sort attributes are constrained from left to right
//! without a gap, by equalities and at most one other test, the last.

use keyfold_api::Validation;
use keyfold_codec::key::{self, IndexId, KeyRange, TableId, successor};
use keyfold_expr::{KeyCondition, KeyTerm, KeyTest, Literal};
use keyfold_types::key::key_value_bytes;
use keyfold_types::limits::{PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX};
use keyfold_types::{KeyAttribute, KeySchema, Value, ValueKind};
use std::ops::Bound;

/// The range of the condition, and the range of its partition.
pub(crate) struct Ranges {
    pub(crate) wanted: KeyRange,
    pub(crate) partition: KeyRange,
}

/// The part of a key that a value belongs to, which decides its length limit.
#[derive(Clone, Copy)]
enum Part {
    Partition,
    Sort,
}

/// The range of a key condition on a table or on an index (by id and name).
pub(crate) fn plan(
    table: TableId,
    index: Option<(IndexId, &str)>,
    schema: &KeySchema,
    condition: &KeyCondition,
) -> Result<Ranges, Validation> {
    check_fixed(schema, condition)?;
    let prefix = partition_prefix(table, index, schema, condition)?;
    let partition = KeyRange::prefix(prefix.clone());
    Ok(Ranges {
        wanted: sort_range(prefix, index, schema, condition)?,
        partition,
    })
}

fn term<'c>(condition: &'c KeyCondition, attribute: &KeyAttribute) -> Option<&'c KeyTerm> {
    let mut terms = condition.terms().iter();
    terms.find(|term| term.attribute == attribute.name)
}

/// Refuses a condition that leaves a partition attribute of a composite key without an equality.
fn check_fixed(schema: &KeySchema, condition: &KeyCondition) -> Result<(), Validation> {
    if schema.partition.len() <= 1 && schema.sort.len() <= 1 {
        return Ok(());
    }
    let is_fixed = |attribute: &&KeyAttribute| {
        term(condition, attribute).is_some_and(|term| matches!(term.test, KeyTest::Eq(_)))
    };
    let open = schema.partition.iter().filter(|one| !is_fixed(one));
    let open: Vec<&str> = open.map(|attribute| attribute.name.as_str()).collect();
    if open.is_empty() {
        return Ok(());
    }
    let open = open.join(", ");
    Err(Validation::Sentence(format!(
        "HASH key attributes {open} must have equality conditions specified in the query"
    )))
}

/// The prefix of the partition's keys.
fn partition_prefix(
    table: TableId,
    index: Option<(IndexId, &str)>,
    schema: &KeySchema,
    condition: &KeyCondition,
) -> Result<Vec<u8>, Validation> {
    let mut values = Vec::with_capacity(schema.partition.len());
    for attribute in &schema.partition {
        let Some(term) = term(condition, attribute) else {
            return Err(Validation::MissedKeyElement(attribute.name.clone()));
        };
        let KeyTest::Eq(literal) = &term.test else {
            return Err(Validation::UnsupportedKeyCondition);
        };
        values.push(check_value(attribute, literal, Part::Partition, index)?);
    }
    let place = index.map_or(IndexId::BASE, |(id, _)| id);
    key::partition_prefix(table, place, &values).map_err(|_| Validation::ConditionType)
}

/// The keys behind a partition's prefix that the tests of sort attributes leave.
fn sort_range(
    mut prefix: Vec<u8>,
    index: Option<(IndexId, &str)>,
    schema: &KeySchema,
    condition: &KeyCondition,
) -> Result<KeyRange, Validation> {
    let is_partition = |term: &KeyTerm| schema.partition.iter().any(|a| a.name == term.attribute);
    let terms = condition.terms().iter();
    let sort_terms: Vec<&KeyTerm> = terms.filter(|term| !is_partition(term)).collect();
    for (at, attribute) in schema.sort.iter().enumerate() {
        let Some(term) = term(condition, attribute) else {
            // A gap: nothing may follow.
            return if at == sort_terms.len() {
                Ok(KeyRange::prefix(prefix))
            } else {
                Err(missed(schema, attribute, &sort_terms))
            };
        };
        for literal in term.test.literals() {
            check_value(attribute, literal, Part::Sort, index)?;
        }
        let is_last = at + 1 == sort_terms.len();
        if is_last {
            return range(prefix, &term.test);
        }
        let KeyTest::Eq(literal) = &term.test else {
            return Err(Validation::UnsupportedKeyCondition);
        };
        prefix = extended(&prefix, literal)?;
    }
    if sort_terms.is_empty() {
        return Ok(KeyRange::prefix(prefix));
    }
    Err(Validation::UnsupportedKeyCondition)
}

fn missed(schema: &KeySchema, attribute: &KeyAttribute, terms: &[&KeyTerm]) -> Validation {
    let known = terms.iter().all(|term| schema.contains(&term.attribute));
    if known || schema.sort.len() == 1 {
        Validation::MissedKeyElement(attribute.name.clone())
    } else {
        Validation::UnsupportedKeyCondition
    }
}

fn check_value<'l>(
    attribute: &KeyAttribute,
    literal: &'l Literal,
    part: Part,
    index: Option<(IndexId, &str)>,
) -> Result<&'l Value, Validation> {
    let value = literal.value();
    if value.kind() != attribute.kind.value_kind() {
        return Err(Validation::ConditionType);
    }
    let bytes = key_value_bytes(value);
    if bytes == 0 && value.kind() != ValueKind::N {
        let name = attribute.name.clone();
        return Err(match index {
            Some((_, index)) => Validation::EmptyIndexKey {
                name,
                index: index.to_owned(),
                kind: value.kind(),
            },
            None => Validation::EmptyKey {
                name,
                kind: value.kind(),
            },
        });
    }
    match part {
        Part::Partition if bytes > PARTITION_KEY_BYTES_MAX => Err(Validation::PartitionKeySize),
        Part::Sort if bytes > SORT_KEY_BYTES_MAX => Err(Validation::SortKeySize),
        Part::Partition | Part::Sort => Ok(value),
    }
}

/// The prefix with one more component.
fn extended(prefix: &[u8], literal: &Literal) -> Result<Vec<u8>, Validation> {
    let mut out = prefix.to_vec();
    key::encode_value(&mut out, literal.value()).map_err(|_| Validation::ConditionType)?;
    Ok(out)
}

fn range(prefix: Vec<u8>, test: &KeyTest) -> Result<KeyRange, Validation> {
    let start = || Bound::Included(prefix.clone());
    let end = |key: &[u8]| successor(key).map_or(Bound::Unbounded, Bound::Excluded);
    Ok(match test {
        KeyTest::Eq(value) => KeyRange::prefix(extended(&prefix, value)?),
        KeyTest::Lt(value) => KeyRange {
            low: start(),
            high: Bound::Excluded(extended(&prefix, value)?),
        },
        KeyTest::Le(value) => KeyRange {
            low: start(),
            high: end(&extended(&prefix, value)?),
        },
        KeyTest::Gt(value) => {
            let low =
                successor(&extended(&prefix, value)?).map_or(Bound::Unbounded, Bound::Included);
            KeyRange {
                low,
                high: end(&prefix),
            }
        }
        KeyTest::Ge(value) => KeyRange {
            low: Bound::Included(extended(&prefix, value)?),
            high: end(&prefix),
        },
        KeyTest::Between(low, high) => KeyRange {
            low: Bound::Included(extended(&prefix, low)?),
            high: end(&extended(&prefix, high)?),
        },
        KeyTest::BeginsWith(start) => {
            let mut out = prefix.clone();
            key::encode_prefix(&mut out, start.raw().scalar_bytes());
            KeyRange::prefix(out)
        }
    })
}
