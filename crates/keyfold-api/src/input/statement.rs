//! Inputs of the PartiQL operations.

use super::{ReturnValuesOnConditionCheckFailure, Returns};
use crate::Named;
use crate::shape::AttributeValue;

/// Runs one statement.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExecuteStatementInput {
    /// The statement and its parameters.
    pub statement: ParameterizedStatement,
    /// The end of the page before.
    pub next_token: Option<String>,
    /// Items to evaluate at the most.
    pub limit: Option<i64>,
    /// Extras of the answer: capacity and collection metrics.
    pub returns: Returns,
}

/// A statement and the values of its `?`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParameterizedStatement {
    /// The PartiQL text.
    pub statement: Option<String>,
    /// The values of its `?`, in order.
    pub parameters: Option<Vec<AttributeValue>>,
    /// Whether to read strongly consistently (not in transactions).
    pub consistent_read: Option<bool>,
    /// Whether a failed condition answers the item.
    pub return_values_on_condition_check_failure:
        Option<Named<ReturnValuesOnConditionCheckFailure>>,
}

/// Runs up to 25 statements, each on its own.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BatchExecuteStatementInput {
    /// The statements, all reads or all writes.
    pub statements: Option<Vec<ParameterizedStatement>>,
    /// Extras of the answer: capacity and collection metrics.
    pub returns: Returns,
}

/// Runs up to 100 statements together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExecuteTransactionInput {
    /// The statements, all reads or all writes.
    pub transact_statements: Option<Vec<ParameterizedStatement>>,
    /// Makes a repetition of the request do nothing.
    pub client_request_token: Option<String>,
    /// Extras of the answer: capacity and collection metrics.
    pub returns: Returns,
}
