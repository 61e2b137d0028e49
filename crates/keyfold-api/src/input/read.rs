//! Inputs of Query and Scan.

use super::{Attributes, ExpressionAttributes, LegacyParameters, Returns, Select};
use crate::Named;

/// Asks for the items of one partition, in sort order, a page at a time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QueryInput {
    /// Table name or ARN.
    pub table_name: Option<String>,
    /// An index to read instead of the table.
    pub index_name: Option<String>,
    /// Which attributes to answer.
    pub select: Option<Named<Select>>,
    /// Items to evaluate at the most.
    pub limit: Option<i64>,
    /// Whether to read strongly consistently (not on a global index).
    pub consistent_read: Option<bool>,
    /// Ascending (default) or descending.
    pub scan_index_forward: Option<bool>,
    /// The end of the page before.
    pub exclusive_start_key: Option<Attributes>,
    /// The partition and the range within it.
    pub key_condition_expression: Option<String>,
    /// The filter expression: evaluated items must satisfy it to be answered.
    pub filter_expression: Option<String>,
    /// The parts to answer.
    pub projection_expression: Option<String>,
    /// Placeholders.
    pub expression_attributes: ExpressionAttributes,
    /// Extras of the answer: capacity and collection metrics.
    pub returns: Returns,
    /// The parameters that expressions replaced.
    pub legacy: Option<Box<LegacyParameters>>,
}

/// Asks for all items of a table or index, a page at a time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScanInput {
    /// Table name or ARN.
    pub table_name: Option<String>,
    /// An index to read instead of the table.
    pub index_name: Option<String>,
    /// Which attributes to answer.
    pub select: Option<Named<Select>>,
    /// Items to evaluate at the most.
    pub limit: Option<i64>,
    /// Whether to read strongly consistently (not on a global index).
    pub consistent_read: Option<bool>,
    /// The end of the page before.
    pub exclusive_start_key: Option<Attributes>,
    /// The filter expression: evaluated items must satisfy it to be answered.
    pub filter_expression: Option<String>,
    /// The parts to answer.
    pub projection_expression: Option<String>,
    /// Placeholders.
    pub expression_attributes: ExpressionAttributes,
    /// Which segment of a parallel scan this is, from 0.
    pub segment: Option<i64>,
    /// The number of segments.
    pub total_segments: Option<i64>,
    /// Extras of the answer: capacity and collection metrics.
    pub returns: Returns,
    /// The parameters that expressions replaced.
    pub legacy: Option<Box<LegacyParameters>>,
}
