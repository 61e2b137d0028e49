//! Inputs of the batch operations.

use super::legacy::LegacyParameters;
use super::placeholders::ExpressionAttributes;
use super::returns::Returns;
use crate::value::Attributes;

/// Reads up to 100 items of any tables.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BatchGetItemInput {
    /// The reads of each table, in the order sent.
    pub request_items: Option<Vec<(String, KeysAndAttributes)>>,
    /// Extras of the answer: capacity and collection metrics.
    pub returns: Returns,
}

/// The keys to read of one table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KeysAndAttributes {
    /// The primary keys.
    pub keys: Option<Vec<Attributes>>,
    /// Whether to read strongly consistently.
    pub consistent_read: Option<bool>,
    /// The attributes and parts to return.
    pub projection_expression: Option<String>,
    /// Placeholders; only names are used.
    pub expression_attributes: ExpressionAttributes,
    /// The parameters that expressions replaced.
    pub legacy: Option<Box<LegacyParameters>>,
}

/// Puts and deletes up to 25 items of any tables, each independently.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BatchWriteItemInput {
    /// The writes to each table, in the order sent.
    pub request_items: Option<Vec<(String, Vec<WriteRequest>)>>,
    /// Extras of the answer: capacity and collection metrics.
    pub returns: Returns,
}

/// One write; exactly one member must be given.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WriteRequest {
    /// The item to put.
    pub put: Option<Option<Attributes>>,
    /// The key to delete.
    pub delete: Option<Option<Attributes>>,
}

impl WriteRequest {
    /// A put of an item.
    pub fn put(item: keyfold_types::Item) -> WriteRequest {
        WriteRequest {
            put: Some(Some(Ok(item))),
            delete: None,
        }
    }

    /// A delete of a key.
    pub fn delete(key: keyfold_types::Item) -> WriteRequest {
        WriteRequest {
            put: None,
            delete: Some(Some(Ok(key))),
        }
    }
}
