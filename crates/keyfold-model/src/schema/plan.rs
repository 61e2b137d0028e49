//! The plan of a pattern: one request, or a number of requests that is known before the first.

use super::condition::Condition;
use crate::period::Unit;
use crate::template::{KeyTemplate, Part, print};
use crate::types::Type;
use crate::words::Comparator;
use crate::written::one;
use std::fmt;

/// The plan of a pattern.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PatternPlan {
    /// The operation.
    pub request: RequestKind,
    /// The name of the table, or of the family of tables where there are periods; of several items by
    /// their keys, that of the first.
    pub table: String,
    /// The index that is read; `None` for the table itself.
    pub index: Option<String>,
    /// The partition key attributes.
    pub partition_attributes: Vec<String>,
    /// The template of the partition key, whose fields are arguments; `None` for a scan.
    pub partition: Option<KeyTemplate>,
    /// The sort key attributes.
    pub sort_attributes: Vec<String>,
    /// The range of sort keys.
    pub sort: SortCondition,
    /// The partitions or tables that the plan reads.
    pub fan: Fan,
    /// In a table with periods, the source of the period.
    pub period: Option<TablePeriod>,
    /// Whether the order is descending.
    pub descending: bool,
    /// The attribute of the order that the pattern asks for.
    pub ordered_by: Option<String>,
    /// Whether key order is the reverse of the order of values.
    pub is_reversed: bool,
    /// The number of items in a page.
    pub page: Option<u32>,
    /// Whether the read is strongly consistent.
    pub strong: bool,
    /// The attributes that are read; empty for all.
    pub only: Vec<String>,
    /// Filters, which are applied to the items read; all of them hold.
    pub filters: Vec<Condition>,
    /// The parameters that are an end of the range and lie outside of it, with their signs.
    pub strict: Vec<(String, Comparator)>,
    /// The items that one request reads by their keys; empty where the plan has a key of its own.
    pub gets: Vec<Get>,
    /// The single kinds of a collection that its range does not hold, by their places in the result:
    /// each is a GetItem beside the first page.
    pub beside: Vec<(usize, PatternPlan)>,
    /// The attributes that the local index lacks: each item is read from the table, too.
    pub fetched: Vec<String>,
    /// The guard that is read first, where the key has attributes that the pattern does not give.
    pub guard: Option<Guard>,
}

/// The guard of an `id`: an item that says where the item of this id lies.
#[derive(Debug, Clone, PartialEq)]
pub struct Guard {
    /// Its key, whose fields are arguments.
    pub partition: KeyTemplate,
    /// The template of its sort key; `None` in a table without one.
    pub sort: Option<KeyTemplate>,
    /// The attributes of the item's key that it holds.
    pub attributes: Vec<String>,
}

/// One of several items that a request reads.
#[derive(Debug, Clone, PartialEq)]
pub struct Get {
    /// Its name in the answer: the entity, `Entity.copy`, or the name that the pattern gives it.
    pub name: String,
    /// Its key.
    pub plan: PatternPlan,
}

/// The operation of a plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RequestKind {
    /// One item by its key.
    #[default]
    GetItem,
    /// A range of a partition.
    Query,
    /// Several items by their keys.
    BatchGetItem,
    /// All items of a table.
    Scan,
    /// Several items by their keys, as they are at one moment.
    TransactGetItems,
}

impl fmt::Display for RequestKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RequestKind::GetItem => "GetItem",
            RequestKind::Query => "Query",
            RequestKind::BatchGetItem => "BatchGetItem",
            RequestKind::Scan => "Scan",
            RequestKind::TransactGetItems => "TransactGetItems",
        })
    }
}

/// The partitions or tables that a plan reads.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Fan {
    /// One partition of one table.
    #[default]
    One,
    /// This number of shards, merged by sort key.
    Shards(u32),
    /// One period after another.
    Periods {
        /// The length of a period.
        unit: Unit,
        /// The attribute whose time decides the period.
        attribute: String,
        /// Its type.
        kind: Type,
        /// The parameter that is the lower end.
        low: String,
        /// The parameter that is the upper end; `None` for the present period.
        high: Option<String>,
        /// The number of shards of each period, merged by sort key; `None` where it has none.
        shards: Option<u32>,
    },
}

/// The attribute that decides which period's table holds an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TablePeriod {
    /// The length of a period.
    pub unit: Unit,
    /// The attribute or parameter whose time it is.
    pub from: String,
}

/// A range of sort keys.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum SortCondition {
    /// All sort keys of the partition.
    #[default]
    Any,
    /// One sort key.
    Equal(KeyTemplate),
    /// All sort keys with this prefix.
    BeginsWith(KeyTemplate),
    /// From the first to the second, both included.
    Between(KeyTemplate, KeyTemplate),
    /// From this sort key on, included.
    AtLeast(KeyTemplate),
    /// Up to this sort key, included.
    AtMost(KeyTemplate),
}

impl SortCondition {
    /// The templates of its ends, the lower one first; one where there is one.
    pub fn ends(&self) -> Vec<&KeyTemplate> {
        match self {
            SortCondition::Any => Vec::new(),
            SortCondition::Between(low, high) => vec![low, high],
            SortCondition::Equal(one)
            | SortCondition::BeginsWith(one)
            | SortCondition::AtLeast(one)
            | SortCondition::AtMost(one) => vec![one],
        }
    }
}

impl PatternPlan {
    /// The key condition as text, with parameters in braces; `every item` for a scan.
    pub fn key_condition(&self) -> String {
        if !self.gets.is_empty() {
            let one = |get: &Get| format!("{}: {}", get.name, get.plan.key_condition());
            return self.gets.iter().map(one).collect::<Vec<_>>().join("; ");
        }
        let Some(partition) = &self.partition else {
            return "every item".to_owned();
        };
        let equal = |attribute: &String, parts: &[Part]| format!("{attribute} = {}", print(parts));
        let mut terms: Vec<String> = self
            .partition_attributes
            .iter()
            .zip(partition.columns())
            .map(|(a, p)| equal(a, p))
            .collect();
        terms.extend(self.sort_terms());
        terms.join(" AND ")
    }

    fn sort_terms(&self) -> Vec<String> {
        let last = |template: &KeyTemplate| {
            let columns: Vec<&[Part]> = template.columns().collect();
            let (at, parts) = (
                columns.len().saturating_sub(1),
                columns.last().copied().unwrap_or_default(),
            );
            let attribute = self.sort_attributes.get(at).cloned().unwrap_or_default();
            let before = self.sort_attributes.iter().zip(columns.iter().take(at));
            let before: Vec<String> = before.map(|(a, p)| format!("{a} = {}", print(p))).collect();
            let shown = print(&self.signed(parts));
            (before, attribute, shown, parts.is_empty())
        };
        let (mut terms, term) = match &self.sort {
            SortCondition::Any => return Vec::new(),
            SortCondition::Equal(value) => {
                let (before, attribute, value, _) = last(value);
                (before, format!("{attribute} = {value}"))
            }
            SortCondition::BeginsWith(prefix) => {
                let (before, attribute, prefix, is_empty) = last(prefix);
                if is_empty {
                    return before;
                }
                (before, format!("begins_with({attribute}, {prefix})"))
            }
            SortCondition::Between(low, high) => {
                let ((before, attribute, low, _), (_, _, high, _)) = (last(low), last(high));
                (before, format!("{attribute} BETWEEN {low} AND {high}"))
            }
            SortCondition::AtLeast(low) => {
                let (before, attribute, low, _) = last(low);
                (before, format!("{attribute} >= {low}"))
            }
            SortCondition::AtMost(high) => {
                let (before, attribute, high, _) = last(high);
                (before, format!("{attribute} <= {high}"))
            }
        };
        terms.push(term);
        terms
    }

    /// The parts of a range's end. A parameter that lies outside of the range has its sign: the end
    /// `{>since}` is the first key of a value after `since`.
    fn signed(&self, parts: &[Part]) -> Vec<Part> {
        let sign = |name: &String| {
            let mut strict = self.strict.iter();
            strict.find(|(known, _)| known == name)
        };
        let mut parts = parts.to_vec();
        for part in &mut parts {
            if let Part::Field { name, .. } = part
                && let Some((_, comparator)) = sign(name)
            {
                name.insert_str(0, comparator.word());
            }
        }
        parts
    }

    /// The name of the table or index that is read.
    pub fn place(&self) -> String {
        if !self.gets.is_empty() {
            let mut places: Vec<String> = self.gets.iter().map(|get| get.plan.place()).collect();
            places.dedup();
            return places.join(" + ");
        }
        let table = match &self.period {
            None => self.table.clone(),
            Some(period) => format!("{}_‹{}›", self.table, period.unit),
        };
        match &self.index {
            None => table,
            Some(index) => format!("{table}.{index}"),
        }
    }

    /// The number of requests that a page needs, in words.
    pub fn requests(&self) -> String {
        let mut requests = self.page_requests();
        if let Some(guard) = &self.guard {
            requests = format!(
                "2, the first a GetItem of the guard {}, which holds {}",
                self.guard_condition(guard),
                guard.attributes.join(", ")
            );
        }
        if !self.fetched.is_empty() {
            let fetched = self.fetched.join(", ");
            requests.push_str(&format!(
                ", and a read of the table for each item: {fetched}"
            ));
        }
        for (_, plan) in &self.beside {
            let (place, condition) = (plan.place(), plan.key_condition());
            requests.push_str(&format!(
                ", and for the first a GetItem of {place}: {condition}"
            ));
        }
        requests
    }

    /// The key of the guard that is read first, with parameters in braces.
    fn guard_condition(&self, guard: &Guard) -> String {
        let templates = std::iter::once(&guard.partition).chain(&guard.sort);
        let attributes = self
            .partition_attributes
            .iter()
            .chain(&self.sort_attributes);
        let terms: Vec<String> = attributes
            .zip(templates)
            .map(|(attribute, template)| format!("{attribute} = {}", print(&template.parts)))
            .collect();
        terms.join(" AND ")
    }

    /// The number of requests that read a page of the range.
    fn page_requests(&self) -> String {
        match (&self.fan, self.request) {
            (Fan::Shards(count), _) => format!("{count}, merged"),
            (
                Fan::Periods {
                    unit, high, shards, ..
                },
                _,
            ) => {
                let each = shards.map_or("1".to_owned(), |count| count.to_string());
                let merged = if shards.is_some() { ", merged" } else { "" };
                let end = match high {
                    Some(_) => String::new(),
                    None => format!(", up to the present {unit}"),
                };
                format!("{each} {}{merged}{end}", one(unit.word()))
            }
            (Fan::One, RequestKind::BatchGetItem) if !self.gets.is_empty() => "1".to_owned(),
            (Fan::One, RequestKind::BatchGetItem) => "1 per 100 ids".to_owned(),
            (Fan::One, RequestKind::Scan) => "1 per MB of the table".to_owned(),
            (
                Fan::One,
                RequestKind::GetItem | RequestKind::Query | RequestKind::TransactGetItems,
            ) => "1".to_owned(),
        }
    }
}
