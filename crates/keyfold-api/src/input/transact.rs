//! Inputs of the transactions.

use super::placeholders::ExpressionAttributes;
use super::returns::{ReturnValuesOnConditionCheckFailure, Returns};
use crate::Named;
use crate::value::Attributes;

/// Executes up to 100 actions atomically.
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
    /// The condition.
    pub condition_expression: Option<String>,
    /// Placeholders.
    pub expression_attributes: ExpressionAttributes,
    /// The item that a failed condition returns.
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
    /// The condition on the item before the write.
    pub condition_expression: Option<String>,
    /// Placeholders.
    pub expression_attributes: ExpressionAttributes,
    /// The item that a failed condition returns.
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
    /// The condition on the item before the write.
    pub condition_expression: Option<String>,
    /// Placeholders.
    pub expression_attributes: ExpressionAttributes,
    /// The item that a failed condition returns.
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
    /// The condition on the item before the write.
    pub condition_expression: Option<String>,
    /// Placeholders.
    pub expression_attributes: ExpressionAttributes,
    /// The item that a failed condition returns.
    pub return_values_on_condition_check_failure:
        Option<Named<ReturnValuesOnConditionCheckFailure>>,
}

/// Reads up to 100 items as they are at one moment.
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
    /// The attributes and parts to return.
    pub projection_expression: Option<String>,
    /// Placeholders; only names are used.
    pub expression_attributes: ExpressionAttributes,
}
