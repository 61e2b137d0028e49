//! Inputs of Query and Scan.

use super::legacy::LegacyParameters;
use super::placeholders::ExpressionAttributes;
use super::returns::{Returns, Select};
use crate::Named;
use crate::value::Attributes;

/// Reads the items of one partition, in sort order, a page at a time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QueryInput {
    /// Table name or ARN.
    pub table_name: Option<String>,
    /// An index to read instead of the table.
    pub index_name: Option<String>,
    /// The attributes to return.
    pub select: Option<Named<Select>>,
    /// The largest number of items to evaluate.
    pub limit: Option<i64>,
    /// Whether to read strongly consistently (not on a global index).
    pub consistent_read: Option<bool>,
    /// Whether to read in ascending order (default).
    pub scan_index_forward: Option<bool>,
    /// The end of the previous page.
    pub exclusive_start_key: Option<Attributes>,
    /// The partition and the range within it.
    pub key_condition_expression: Option<String>,
    /// The filter that evaluated items must pass to be returned.
    pub filter_expression: Option<String>,
    /// The attributes and parts to return.
    pub projection_expression: Option<String>,
    /// Placeholders.
    pub expression_attributes: ExpressionAttributes,
    /// Extras of the answer: capacity and collection metrics.
    pub returns: Returns,
    /// The parameters that expressions replaced.
    pub legacy: Option<Box<LegacyParameters>>,
}

/// Reads all items of a table or index, a page at a time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScanInput {
    /// Table name or ARN.
    pub table_name: Option<String>,
    /// An index to read instead of the table.
    pub index_name: Option<String>,
    /// The attributes to return.
    pub select: Option<Named<Select>>,
    /// The largest number of items to evaluate.
    pub limit: Option<i64>,
    /// Whether to read strongly consistently (not on a global index).
    pub consistent_read: Option<bool>,
    /// The end of the previous page.
    pub exclusive_start_key: Option<Attributes>,
    /// The filter that evaluated items must pass to be returned.
    pub filter_expression: Option<String>,
    /// The attributes and parts to return.
    pub projection_expression: Option<String>,
    /// Placeholders.
    pub expression_attributes: ExpressionAttributes,
    /// The segment of a parallel scan, from 0.
    pub segment: Option<i64>,
    /// The number of segments.
    pub total_segments: Option<i64>,
    /// Extras of the answer: capacity and collection metrics.
    pub returns: Returns,
    /// The parameters that expressions replaced.
    pub legacy: Option<Box<LegacyParameters>>,
}
