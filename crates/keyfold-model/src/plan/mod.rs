//! Patterns to requests: which key serves a pattern, with which condition, in which order.
//!
//! Every key of the returned entity is tried, the cheapest first (table before index); the first that
//! serves the pattern is its plan. The rules that judge a plan are in [`crate::check`].

mod candidate;
mod collection;

use crate::check::covered;
use crate::check::exact::{self, Range};
use crate::check::shape::{Owner, Space, Spaces};
use crate::check::single;
use crate::diagnostic::Diagnostic;
use crate::language::Language;
use crate::schema::{IndexKind, Model, Order, Pattern};
use crate::template::{KeyTemplate, language_of};
use std::fmt;

/// How a pattern is served.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PatternPlan {
    /// GetItem or Query.
    pub request: RequestKind,
    /// The table's name.
    pub table: String,
    /// The index read, if it is not the table.
    pub index: Option<String>,
    /// The partition key attribute.
    pub partition_attribute: String,
    /// Its value, made of arguments.
    pub partition: Option<KeyTemplate>,
    /// The sort key attribute.
    pub sort_attribute: Option<String>,
    /// The range of sort keys.
    pub sort: SortCondition,
    /// Whether the order is descending.
    pub descending: bool,
    /// Items a page.
    pub page: Option<u32>,
    /// Whether the read is strongly consistent.
    pub strong: bool,
}

/// The operation a pattern becomes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RequestKind {
    /// One item by its key.
    #[default]
    GetItem,
    /// A range of a partition.
    Query,
}

impl fmt::Display for RequestKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RequestKind::GetItem => "GetItem",
            RequestKind::Query => "Query",
        })
    }
}

/// A range of sort keys.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum SortCondition {
    /// The whole partition.
    #[default]
    Any,
    /// One sort key.
    Equal(KeyTemplate),
    /// All that start so.
    BeginsWith(KeyTemplate),
    /// From the first to the second.
    Between(KeyTemplate, KeyTemplate),
    /// From here on.
    AtLeast(KeyTemplate),
    /// Up to here.
    AtMost(KeyTemplate),
}

impl PatternPlan {
    /// The key condition as a reader writes it.
    pub fn key_condition(&self) -> String {
        let partition = self.partition.as_ref().map_or_else(String::new, KeyTemplate::to_string);
        let mut text = format!("{} = {partition}", self.partition_attribute);
        let Some(sort) = &self.sort_attribute else { return text };
        text.push_str(&match &self.sort {
            SortCondition::Any => String::new(),
            SortCondition::Equal(value) => format!(" AND {sort} = {value}"),
            SortCondition::BeginsWith(prefix) => format!(" AND begins_with({sort}, {prefix})"),
            SortCondition::Between(low, high) => format!(" AND {sort} BETWEEN {low} AND {high}"),
            SortCondition::AtLeast(low) => format!(" AND {sort} >= {low}"),
            SortCondition::AtMost(high) => format!(" AND {sort} <= {high}"),
        });
        text
    }

    /// Where the items are read from: the table, or an index of it.
    pub fn place(&self) -> String {
        match &self.index {
            None => self.table.clone(),
            Some(index) => format!("{}.{index}", self.table),
        }
    }
}

/// Plans every pattern, and reports those that cannot be served as promised.
pub(crate) fn plan_all(model: &mut Model, spaces: &Spaces, diagnostics: &mut Vec<Diagnostic>) {
    for at in 0..model.patterns.len() {
        let Some(pattern) = model.patterns.get(at) else { continue };
        let planned = match pattern.returned.as_slice() {
            [one] => candidate::plan(model, pattern, one),
            _ => collection::plan(model, spaces, pattern),
        };
        match planned {
            Ok(found) => {
                judge(model, spaces, pattern, &found, diagnostics);
                if let Some(pattern) = model.patterns.get_mut(at) {
                    pattern.plan = found.plan;
                }
            }
            Err(diagnostic) => diagnostics.push(*diagnostic),
        }
    }
}

/// A plan and what is needed to judge it.
pub(crate) struct Found {
    pub(crate) plan: PatternPlan,
    pub(crate) table: usize,
    pub(crate) space: Space,
    pub(crate) members: Vec<Owner>,
}

impl Found {
    fn range(&self, delimiters: &[char]) -> Range {
        let partition = self.plan.partition.as_ref();
        Range {
            partition: partition.map_or_else(Language::empty_text, |template| template.language(delimiters)),
            sort: match &self.plan.sort {
                SortCondition::Equal(value) => value.language(delimiters),
                SortCondition::BeginsWith(prefix) => language_of(&prefix.parts, delimiters).and_anything(),
                SortCondition::Between(low, _) if !low.bare => {
                    // The text before the field that the range is over.
                    let shared = low.parts.get(..low.parts.len().saturating_sub(1)).unwrap_or_default();
                    language_of(shared, delimiters).and_anything()
                }
                SortCondition::Any
                | SortCondition::Between(..)
                | SortCondition::AtLeast(_)
                | SortCondition::AtMost(_) => Language::empty_text().and_anything(),
            },
        }
    }

    pub(crate) fn exact(&self, model: &Model, spaces: &Spaces, pattern: &Pattern) -> Option<Diagnostic> {
        let delimiters = &model.tables.get(self.table)?.delimiters;
        exact::check(spaces, pattern, self.table, self.space, &self.range(delimiters), &self.members)
    }
}

fn judge(
    model: &Model,
    spaces: &Spaces,
    pattern: &Pattern,
    found: &Found,
    diagnostics: &mut Vec<Diagnostic>,
) {
    diagnostics.extend(found.exact(model, spaces, pattern));
    let Some(table) = model.tables.get(found.table) else { return };
    let Space::Index(at) = found.space else { return };
    let Some(index) = table.indexes.get(at) else { return };
    if let (Some(span), IndexKind::Global) = (pattern.strong, index.kind) {
        diagnostics.push(
            Diagnostic::error(
                "KF010",
                span,
                format!("{} is served by {}, a global index", pattern.name, index.name),
                "cannot be strong",
            )
            .label(index.span, "global indexes are read eventually")
            .help("remove `strong`, or serve the pattern from the table's own key (a `copy`)"),
        );
    }
    for returned in &pattern.returned {
        let Some(entity) = model.entities.get(returned.entity) else { continue };
        diagnostics.extend(covered::check(pattern, entity, index));
        if !returned.many
            && let [_] = pattern.returned.as_slice()
            && let Some(key) = entity.indexes.iter().find(|key| key.index == at)
        {
            diagnostics.extend(single::check(pattern, entity, &key.key, &index.name));
        }
    }
}

/// Whether an order is descending.
fn descends(order: Option<Order>) -> bool {
    matches!(order, Some(Order::Newest | Order::Highest))
}
