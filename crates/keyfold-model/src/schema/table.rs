//! Tables and indexes.

use crate::diagnostic::Span;
use crate::period::Unit;
use crate::words::{Capacity, IndexKind};
use keyfold_types::KeyKind;

/// A key attribute of a table or index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The attribute.
    pub name: String,
    /// Its type.
    pub kind: KeyKind,
}

/// A table.
#[derive(Debug, Clone)]
pub struct Table {
    /// Its name; with periods, that of the family of tables.
    pub name: String,
    /// The place of its declaration.
    pub span: Span,
    /// Behind its last line.
    pub end: usize,
    /// Its partition key.
    pub partition: Column,
    /// Its sort key, if it has one.
    pub sort: Option<Column>,
    /// The attribute that holds each item's entity, if there is one.
    pub type_attribute: Option<String>,
    /// The attribute that holds when an item expires, in seconds since 1970.
    pub ttl_attribute: Option<String>,
    /// One table for each of these, if there is not only one.
    pub period: Option<Unit>,
    /// Its capacity; that of the present period where there are periods.
    pub capacity: Capacity,
    /// The capacity of the tables of past periods.
    pub cooled: Option<Capacity>,
    /// Its indexes.
    pub indexes: Vec<Index>,
    /// The characters that separate key parts: no value inside a key may contain one.
    pub delimiters: Vec<char>,
}

impl Table {
    /// The name of the table of a period: `Metrics_2024_01`.
    pub fn physical_name(&self, period: &str) -> String {
        format!("{}_{}", self.name, Unit::in_name(period))
    }
}

/// The projection of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Projection {
    /// Everything.
    All,
    /// The keys.
    Keys,
    /// The keys and these attributes.
    Only(Vec<String>),
}

/// A secondary index.
#[derive(Debug, Clone)]
pub struct Index {
    /// Its name.
    pub name: String,
    /// The place of its declaration.
    pub span: Span,
    /// Local or global.
    pub kind: IndexKind,
    /// Its partition key: one attribute, or up to four.
    pub partition: Vec<Column>,
    /// Its sort key: none, or up to four attributes.
    pub sort: Vec<Column>,
    /// The projection.
    pub projection: Projection,
    /// The place of that declaration.
    pub projection_span: Span,
}

impl Index {
    /// All attributes of its key.
    pub fn columns(&self) -> impl Iterator<Item = &Column> {
        self.partition.iter().chain(&self.sort)
    }
}
