//! Inputs of the PartiQL operations.

use super::returns::{ReturnValuesOnConditionCheckFailure, Returns};
use crate::Named;
use crate::value::AttributeValue;

/// Runs one statement.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExecuteStatementInput {
    /// The statement and its parameters.
    pub statement: ParameterizedStatement,
    /// The end of the previous page.
    pub next_token: Option<String>,
    /// The largest number of items to evaluate.
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
    /// The item that a failed condition returns.
    pub return_values_on_condition_check_failure:
        Option<Named<ReturnValuesOnConditionCheckFailure>>,
}

/// Runs up to 25 statements, each independently.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BatchExecuteStatementInput {
    /// The statements, all reads or all writes.
    pub statements: Option<Vec<ParameterizedStatement>>,
    /// Extras of the answer: capacity and collection metrics.
    pub returns: Returns,
}

/// Runs up to 100 statements as one transaction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExecuteTransactionInput {
    /// The statements, all reads or all writes.
    pub transact_statements: Option<Vec<ParameterizedStatement>>,
    /// Makes a repetition of the request a no-op.
    pub client_request_token: Option<String>,
    /// Extras of the answer: capacity and collection metrics.
    pub returns: Returns,
}
