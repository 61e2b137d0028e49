//! Inputs of the operations on one item.

use super::{
    Attributes, ExpressionAttributes, LegacyParameters, ReturnValue,
    ReturnValuesOnConditionCheckFailure, Returns,
};
use crate::Named;

/// Asks for one item.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GetItemInput {
    /// Table name or ARN.
    pub table_name: Option<String>,
    /// The primary key.
    pub key: Option<Attributes>,
    /// Whether to read strongly consistently (default: eventually).
    pub consistent_read: Option<bool>,
    /// The parts to answer.
    pub projection_expression: Option<String>,
    /// Placeholders; only names have a use.
    pub expression_attributes: ExpressionAttributes,
    /// Extras of the answer: capacity and collection metrics.
    pub returns: Returns,
    /// The parameters that expressions replaced.
    pub legacy: Option<Box<LegacyParameters>>,
}

/// Writes a whole item.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PutItemInput {
    /// Table name or ARN.
    pub table_name: Option<String>,
    /// The item.
    pub item: Option<Attributes>,
    /// Conditions on the item before the write, in the form from before expressions.
    pub condition_expression: Option<String>,
    /// Placeholders.
    pub expression_attributes: ExpressionAttributes,
    /// NONE (default) or ALL_OLD.
    pub return_values: Option<Named<ReturnValue>>,
    /// Whether a failed condition answers the item.
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
    /// Conditions on the item before the write, in the form from before expressions.
    pub condition_expression: Option<String>,
    /// Placeholders.
    pub expression_attributes: ExpressionAttributes,
    /// Any of the words; NONE by default.
    pub return_values: Option<Named<ReturnValue>>,
    /// Whether a failed condition answers the item.
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
    /// Conditions on the item before the write, in the form from before expressions.
    pub condition_expression: Option<String>,
    /// Placeholders.
    pub expression_attributes: ExpressionAttributes,
    /// NONE (default) or ALL_OLD.
    pub return_values: Option<Named<ReturnValue>>,
    /// Whether a failed condition answers the item.
    pub return_values_on_condition_check_failure:
        Option<Named<ReturnValuesOnConditionCheckFailure>>,
    /// Extras of the answer: capacity and collection metrics.
    pub returns: Returns,
    /// The parameters that expressions replaced.
    pub legacy: Option<Box<LegacyParameters>>,
}
