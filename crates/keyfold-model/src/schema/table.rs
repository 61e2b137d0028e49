//! Tables and indexes.

use crate::diagnostic::Span;
use crate::period::Unit;
use crate::words::{Capacity, IndexKind, StreamView, TableClass};
use crate::written::written;
use keyfold_types::KeyKind;

/// A key attribute of a table or index.
#[derive(Debug, Clone)]
pub struct Column {
    /// The attribute.
    pub name: String,
    /// Its type.
    pub kind: KeyKind,
    /// The place of its declaration.
    pub span: Span,
}

impl Column {
    /// Its declaration as an attribute of another type.
    pub(crate) fn declared_as(&self, kind: KeyKind) -> String {
        match kind {
            KeyKind::S => written(&self.name),
            KeyKind::N | KeyKind::B => format!("{}: {}", written(&self.name), word(kind)),
        }
    }

    /// The word for its type.
    pub fn word(&self) -> &'static str {
        word(self.kind)
    }
}

fn word(kind: KeyKind) -> &'static str {
    match kind {
        KeyKind::S => "string",
        KeyKind::N => "number",
        KeyKind::B => "binary",
    }
}

/// A table.
#[derive(Debug, Clone)]
pub struct Table {
    /// Its name, or that of the family of tables where there are periods.
    pub name: String,
    /// The place of its declaration.
    pub span: Span,
    /// The end of its last line, in bytes of the source.
    pub end: usize,
    /// Whether other files of the model may use it.
    pub is_shared: bool,
    /// Its partition key.
    pub partition: Column,
    /// Its sort key.
    pub sort: Option<Column>,
    /// The attribute that holds the name of each item's entity.
    pub type_attribute: Option<String>,
    /// The attribute that holds the time of an item's expiry, in seconds since 1970.
    pub ttl_attribute: Option<String>,
    /// The unit of time that each physical table covers; `None` for a single table.
    pub period: Option<Unit>,
    /// Its capacity, or that of the present period's table where there are periods.
    pub capacity: Capacity,
    /// The capacity of the tables of past periods.
    pub cooled: Option<Capacity>,
    /// Its other settings.
    pub settings: Settings,
    /// Its indexes.
    pub indexes: Vec<Index>,
    /// The characters that separate key parts. A value inside a key must not contain them.
    pub delimiters: Vec<char>,
}

/// The settings of a table besides its keys, capacity and expiry. A setting that is not declared is
/// that of DynamoDB in a new table, and of no matter in an existing one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// The images in the records of its stream; `None` without a stream.
    pub stream: Option<StreamView>,
    /// Whether its state at each past moment can be restored.
    pub recovery: bool,
    /// Whether it cannot be deleted.
    pub deletion_protection: bool,
    /// The class of its prices.
    pub class: Option<TableClass>,
    /// Keys and values, by key.
    pub tags: Vec<(String, String)>,
}

impl Table {
    /// The attributes of its key, the partition key first.
    pub fn columns(&self) -> impl Iterator<Item = &Column> {
        std::iter::once(&self.partition).chain(&self.sort)
    }

    /// The name of the physical table of a period: `Metrics_2024_01`.
    pub fn physical_name(&self, period: &str) -> String {
        format!("{}_{}", self.name, Unit::in_name(period))
    }

    /// The period of a physical table; `None` if it is no table of a period of this one.
    pub fn period_of(&self, physical: &str) -> Option<String> {
        let named = physical.strip_prefix(self.name.as_str())?;
        self.period?.of_name(named.strip_prefix('_')?)
    }
}

/// The projection of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Projection {
    /// All attributes.
    All,
    /// The key attributes.
    Keys,
    /// The key attributes and these attributes.
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
    /// Its partition key: one to four attributes.
    pub partition: Vec<Column>,
    /// Its sort key: none to four attributes.
    pub sort: Vec<Column>,
    /// The projection.
    pub projection: Projection,
    /// The place of the projection's declaration.
    pub projection_span: Span,
    /// The capacity of a global index; `None` for that of its table. A local index has none.
    pub capacity: Option<Capacity>,
}

impl Index {
    /// The capacity in a table with this one: the index's own where both are provisioned.
    pub fn capacity_in(&self, table: Capacity) -> Capacity {
        match table {
            Capacity::OnDemand => table,
            Capacity::Provisioned { .. } => self.capacity.unwrap_or(table),
        }
    }

    /// The attributes of its key, those of the partition key first.
    pub fn columns(&self) -> impl Iterator<Item = &Column> {
        self.partition.iter().chain(&self.sort)
    }

    /// Whether its entries hold an attribute: a key attribute of the index or of its table, or one
    /// that is projected.
    pub fn holds(&self, table: &Table, name: &str) -> bool {
        let is_projected = match &self.projection {
            Projection::All => true,
            Projection::Keys => false,
            Projection::Only(names) => names.iter().any(|one| one == name),
        };
        let mut keys = table.columns().chain(self.columns());
        is_projected || keys.any(|column| column.name == name)
    }
}
