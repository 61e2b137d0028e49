//! Inputs of the transactions.

use super::{Attributes, ExpressionAttributes, ReturnValuesOnConditionCheckFailure, Returns};
use crate::Named;

/// Up to 100 actions that happen together or not at all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TransactWriteItemsInput {
    /// The actions, in order.
    pub transact_items: Option<Vec<TransactWriteItem>>,
    /// Makes a repetition within ten minutes a no-op.
    pub client_request_token: Option<String>,
    /// Extras of the answer: capacity and collection metrics.
    pub returns: Returns,
}

/// One action; exactly one member must be given.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TransactWriteItem {
    /// Requires a condition.
    pub condition_check: Option<ConditionCheck>,
    /// Puts an item.
    pub put: Option<TransactPut>,
    /// Deletes an item.
    pub delete: Option<TransactDelete>,
    /// Updates an item.
    pub update: Option<TransactUpdate>,
}

/// Requires a condition of an item.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConditionCheck {
    /// Table name or ARN.
    pub table_name: Option<String>,
    /// The primary key.
    pub key: Option<Attributes>,
    /// The conditions.
    pub condition_expression: Option<String>,
    /// Placeholders.
    pub expression_attributes: ExpressionAttributes,
    /// Whether a failed condition answers the item.
    pub return_values_on_condition_check_failure:
        Option<Named<ReturnValuesOnConditionCheckFailure>>,
}

/// Puts an item.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TransactPut {
    /// Table name or ARN.
    pub table_name: Option<String>,
    /// The item.
    pub item: Option<Attributes>,
    /// Conditions on the item before the write, in the form from before expressions.
    pub condition_expression: Option<String>,
    /// Placeholders.
    pub expression_attributes: ExpressionAttributes,
    /// Whether a failed condition answers the item.
    pub return_values_on_condition_check_failure:
        Option<Named<ReturnValuesOnConditionCheckFailure>>,
}

/// Deletes an item.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TransactDelete {
    /// Table name or ARN.
    pub table_name: Option<String>,
    /// The primary key.
    pub key: Option<Attributes>,
    /// Conditions on the item before the write, in the form from before expressions.
    pub condition_expression: Option<String>,
    /// Placeholders.
    pub expression_attributes: ExpressionAttributes,
    /// Whether a failed condition answers the item.
    pub return_values_on_condition_check_failure:
        Option<Named<ReturnValuesOnConditionCheckFailure>>,
}

/// Updates an item, creating it if absent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TransactUpdate {
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
    /// Whether a failed condition answers the item.
    pub return_values_on_condition_check_failure:
        Option<Named<ReturnValuesOnConditionCheckFailure>>,
}

/// Asks for up to 100 items as they are at one moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TransactGetItemsInput {
    /// The items, in order.
    pub transact_items: Option<Vec<TransactGet>>,
    /// Extras of the answer: capacity and collection metrics.
    pub returns: Returns,
}

/// One item of a TransactGetItems.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TransactGet {
    /// Table name or ARN.
    pub table_name: Option<String>,
    /// The primary key.
    pub key: Option<Attributes>,
    /// The parts to answer.
    pub projection_expression: Option<String>,
    /// Placeholders; only names have a use.
    pub expression_attributes: ExpressionAttributes,
}
