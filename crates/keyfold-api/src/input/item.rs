//! Inputs of the operations on one item.

use super::legacy::LegacyParameters;
use super::placeholders::ExpressionAttributes;
use super::returns::{ReturnValue, ReturnValuesOnConditionCheckFailure, Returns};
use crate::Named;
use crate::value::Attributes;

/// Reads one item.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GetItemInput {
    /// Table name or ARN.
    pub table_name: Option<String>,
    /// The primary key.
    pub key: Option<Attributes>,
    /// Whether to read strongly consistently (default: eventually).
    pub consistent_read: Option<bool>,
    /// The attributes and parts to return.
    pub projection_expression: Option<String>,
    /// Placeholders; only names are used.
    pub expression_attributes: ExpressionAttributes,
    /// Extras of the answer: capacity and collection metrics.
    pub returns: Returns,
    /// The parameters that expressions replaced.
    pub legacy: Option<Box<LegacyParameters>>,
}

/// Writes an item and replaces the previous one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PutItemInput {
    /// Table name or ARN.
    pub table_name: Option<String>,
    /// The item.
    pub item: Option<Attributes>,
    /// The condition on the item before the write.
    pub condition_expression: Option<String>,
    /// Placeholders.
    pub expression_attributes: ExpressionAttributes,
    /// NONE (default) or ALL_OLD.
    pub return_values: Option<Named<ReturnValue>>,
    /// The item that a failed condition returns.
    pub return_values_on_condition_check_failure:
        Option<Named<ReturnValuesOnConditionCheckFailure>>,
    /// Extras of the answer: capacity and collection metrics.
    pub returns: Returns,
    /// The parameters that expressions replaced.
    pub legacy: Option<Box<LegacyParameters>>,
}

/// Changes attributes of an item, creating it if absent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UpdateItemInput {
    /// Table name or ARN.
    pub table_name: Option<String>,
    /// The primary key.
    pub key: Option<Attributes>,
    /// The changes.
    pub update_expression: Option<String>,
    /// The condition on the item before the write.
    pub condition_expression: Option<String>,
    /// Placeholders.
    pub expression_attributes: ExpressionAttributes,
    /// The returned attributes; NONE by default.
    pub return_values: Option<Named<ReturnValue>>,
    /// The item that a failed condition returns.
    pub return_values_on_condition_check_failure:
        Option<Named<ReturnValuesOnConditionCheckFailure>>,
    /// Extras of the answer: capacity and collection metrics.
    pub returns: Returns,
    /// The parameters that expressions replaced.
    pub legacy: Option<Box<LegacyParameters>>,
}

/// Deletes an item.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeleteItemInput {
    /// Table name or ARN.
    pub table_name: Option<String>,
    /// The primary key.
    pub key: Option<Attributes>,
    /// The condition on the item before the write.
    pub condition_expression: Option<String>,
    /// Placeholders.
    pub expression_attributes: ExpressionAttributes,
    /// NONE (default) or ALL_OLD.
    pub return_values: Option<Named<ReturnValue>>,
    /// The item that a failed condition returns.
    pub return_values_on_condition_check_failure:
        Option<Named<ReturnValuesOnConditionCheckFailure>>,
    /// Extras of the answer: capacity and collection metrics.
    pub returns: Returns,
    /// The parameters that expressions replaced.
    pub legacy: Option<Box<LegacyParameters>>,
}
