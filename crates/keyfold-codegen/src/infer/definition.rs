//! The definition of a table, as DescribeTable returns it.

use keyfold_types::KeyKind;

pub use keyfold_model::schema::Projection;

/// A key attribute and its type.
pub type KeyColumn = (String, KeyKind);

/// A table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TableDefinition {
    /// Its name.
    pub name: String,
    /// Its key: partition key, and sort key if there is one.
    pub key: Vec<KeyColumn>,
    /// Its indexes.
    pub indexes: Vec<IndexDefinition>,
    /// The attribute by which items expire.
    pub ttl: Option<String>,
}

impl TableDefinition {
    /// Whether an attribute is part of the table's own key.
    pub(super) fn is_key(&self, name: &str) -> bool {
        self.key.iter().any(|(key, _)| key == name)
    }

    /// Whether an attribute is part of the key of the table or of an index.
    pub(super) fn is_any_key(&self, name: &str) -> bool {
        let mut of_indexes = self.indexes.iter().flat_map(IndexDefinition::columns);
        self.is_key(name) || of_indexes.any(|(key, _)| key == name)
    }
}

/// An index.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexDefinition {
    /// Its name.
    pub name: String,
    /// Whether it is local.
    pub is_local: bool,
    /// Its partition key attributes.
    pub partition: Vec<KeyColumn>,
    /// Its sort key attributes.
    pub sort: Vec<KeyColumn>,
    /// Its projection.
    pub projection: Projection,
}

impl IndexDefinition {
    /// All attributes of its key.
    pub(super) fn columns(&self) -> impl Iterator<Item = &KeyColumn> {
        self.partition.iter().chain(&self.sort)
    }
}
