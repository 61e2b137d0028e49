//! Entities: keys, and everything that follows from their attributes.

use super::attribute::Attribute;
use super::plan::PatternPlan;
use crate::diagnostic::Span;
use crate::template::{Format, KeyTemplate, Part};
use crate::types::Type;
use crate::words::AggregateKind;

/// The templates of a key.
#[derive(Debug, Clone)]
pub struct KeyPair {
    /// Makes the partition key.
    pub partition: KeyTemplate,
    /// Makes the sort key, where there is one.
    pub sort: Option<KeyTemplate>,
    /// Their place in the source.
    pub span: Span,
}

impl KeyPair {
    /// The attributes that the key is made of.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.partition
            .fields()
            .chain(self.sort.iter().flat_map(KeyTemplate::fields))
    }
}

/// Which items an index holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sparse {
    /// The attribute looked at.
    pub attribute: String,
    /// The value it must have; any, if none.
    pub value: Option<String>,
}

/// An entity's key in an index.
#[derive(Debug, Clone)]
pub struct IndexKey {
    /// The index, by its place in the table.
    pub index: usize,
    /// The templates.
    pub key: KeyPair,
    /// Which items are in it; all that have the attributes, if none.
    pub sparse: Option<Sparse>,
    /// Said by a line of the entity; or it follows from the attributes that the index has its key
    /// of.
    pub is_declared: bool,
}

/// A copy of some attributes under another key, kept in step by every write.
#[derive(Debug, Clone)]
pub struct Copy {
    /// Its name.
    pub name: String,
    /// The place of its declaration.
    pub span: Span,
    /// Its key.
    pub key: KeyPair,
    /// The attributes it holds.
    pub attributes: Vec<String>,
}

/// An attribute that is kept up to date with the items of another entity.
#[derive(Debug, Clone)]
pub struct Aggregate {
    /// Its kind: a count, a sum or a maximum.
    pub kind: AggregateKind,
    /// The attribute that holds it.
    pub attribute: String,
    /// The place of its declaration.
    pub span: Span,
    /// The entity whose items are looked at.
    pub entity: usize,
    /// Their attribute; none for a count.
    pub of: Option<String>,
    /// The references that it follows, where the model names them.
    pub by: Vec<String>,
    /// Only items with this value.
    pub condition: Option<(String, String)>,
    /// The attribute of the other entity that stands for each attribute of this entity's key.
    pub link: Vec<(String, String)>,
    /// For the greatest: how the next greatest is found when the greatest goes.
    pub next: Option<PatternPlan>,
}

/// The name of what the model keeps beside an attribute: `balance:items`. No declared attribute has
/// such a name: those are words.
pub fn hidden(attribute: &str, what: &str) -> String {
    format!("{attribute}:{what}")
}

impl Aggregate {
    /// The attribute that holds how many items are in it: an entity is not deleted as long as there
    /// are some.
    pub fn items_attribute(&self) -> String {
        match self.kind {
            AggregateKind::Count => self.attribute.clone(),
            AggregateKind::Sum | AggregateKind::Max => hidden(&self.attribute, "items"),
        }
    }

    /// The attribute that counts changes, so that a search for the next greatest sees that it is
    /// stale.
    pub fn changes_attribute(&self) -> String {
        hidden(&self.attribute, "changes")
    }
}

/// A declared number or rate.
#[derive(Debug, Clone, Default)]
pub struct Expected {
    /// Items in all.
    pub items: Option<u64>,
    /// Bytes an item.
    pub bytes: Option<u64>,
    /// Writes a second.
    pub writes: Option<u64>,
    /// Items for each value of an attribute, or elements of a list attribute.
    pub per: Vec<(String, u64)>,
    /// The place of its declaration.
    pub span: Option<Span>,
}

/// An entity.
#[derive(Debug, Clone)]
pub struct Entity {
    /// Its name.
    pub name: String,
    /// The place of its declaration.
    pub span: Span,
    /// Behind its last line.
    pub end: usize,
    /// Its table, by place.
    pub table: usize,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// Its key.
    pub key: KeyPair,
    /// Its keys in indexes.
    pub indexes: Vec<IndexKey>,
    /// Its copies.
    pub copies: Vec<Copy>,
    /// Attributes whose values together no two items share.
    pub uniques: Vec<Vec<String>>,
    /// The time at which its items expire.
    pub ttl: Option<String>,
    /// The attribute that counts its versions.
    pub version: Option<String>,
    /// The aggregates that it keeps of other entities.
    pub aggregates: Vec<Aggregate>,
    /// The list that is split over several items, and how many elements one holds.
    pub split: Option<(String, u32)>,
    /// Attributes that are stored compressed.
    pub compressed: Vec<String>,
    /// Declared numbers.
    pub expected: Expected,
    /// The attribute whose time says in which period's table an item lies.
    pub period_attribute: Option<String>,
}

impl Entity {
    /// The attribute of a name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name == name)
    }

    /// The copy of a name.
    pub fn copy(&self, name: &str) -> Option<&Copy> {
        self.copies.iter().find(|copy| copy.name == name)
    }
}

/// The parts of the key of the item that guards unique values.
pub fn guard_parts(entity: &Entity, unique: &[String]) -> Vec<Part> {
    let mut parts = vec![Part::Text(format!(
        "UNIQUE#{}#{}#",
        entity.name,
        unique.join("+")
    ))];
    for (at, name) in unique.iter().enumerate() {
        let Some(attribute) = entity.attribute(name) else {
            continue;
        };
        if at > 0 {
            parts.push(Part::Text("#".to_owned()));
        }
        // Escaped, so that any text can be unique.
        let format = if attribute.kind == Type::String {
            Format::Escaped
        } else {
            Format::Plain
        };
        parts.push(Part::Field {
            name: name.clone(),
            kind: attribute.kind.clone(),
            format,
        });
    }
    parts
}

/// The sort key of a guard.
pub const GUARD_SORT: &str = "UNIQUE";
