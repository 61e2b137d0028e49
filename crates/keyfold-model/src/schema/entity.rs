//! Entities: their keys, and the items and attributes that are derived from theirs.

use super::attribute::{Attribute, hidden};
use super::condition::Condition;
use super::origin::Origin;
use super::path::Path;
use super::plan::PatternPlan;
use super::view::View;
use crate::diagnostic::Span;
use crate::template::{Format, KeyTemplate, Part};
use crate::types::Type;
use crate::words::{AggregateKind, Compared};
use std::fmt;

/// The templates of a key.
#[derive(Debug, Clone)]
pub struct KeyPair {
    /// The template of the partition key.
    pub partition: KeyTemplate,
    /// The template of the sort key; `None` in a table or index without one.
    pub sort: Option<KeyTemplate>,
    /// Their place in the source.
    pub span: Span,
}

impl KeyPair {
    /// The templates, that of the partition key first.
    pub fn templates(&self) -> impl Iterator<Item = &KeyTemplate> {
        std::iter::once(&self.partition).chain(&self.sort)
    }

    /// The names of the attributes that the key is made of; one in both templates occurs twice.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.templates().flat_map(KeyTemplate::fields)
    }
}

/// The condition under which an item gets an index key: `sparse when attribute [= value]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sparse {
    /// The attribute that must exist.
    pub attribute: String,
    /// The value that it must have, as stored text; `None` allows any value.
    pub value: Option<String>,
}

/// An entity's key in an index.
#[derive(Debug, Clone)]
pub struct IndexKey {
    /// The position of the index in its table.
    pub index: usize,
    /// The templates.
    pub key: KeyPair,
    /// The condition for a key; with `None`, every item with the key's attributes is in the index.
    pub sparse: Option<Sparse>,
    /// Whether a line of the entity declares it. Otherwise the entity has all key attributes of the
    /// index under their names.
    pub is_declared: bool,
}

/// A second item of an entity with some attributes and another key. Every write updates it.
#[derive(Debug, Clone)]
pub struct Copy {
    /// Its name.
    pub name: String,
    /// The place of its declaration.
    pub span: Span,
    /// Its key.
    pub key: KeyPair,
    /// The names of the attributes that it holds.
    pub attributes: Vec<String>,
    /// The conditions under which there is a copy; all of them hold. Empty: there always is one.
    pub when: Vec<Condition>,
}

impl Copy {
    /// The attributes that the copy is made of, and those that decide whether there is one; one may
    /// occur several times.
    pub fn followed(&self) -> impl Iterator<Item = &str> {
        let held = self.attributes.iter().map(String::as_str);
        held.chain(self.deciding())
    }

    /// The attributes that make its key, and those that decide whether there is one; one may occur
    /// several times.
    pub(crate) fn deciding(&self) -> impl Iterator<Item = &str> {
        let decide = self.when.iter().flat_map(Condition::attributes);
        self.key.fields().chain(decide)
    }

    /// Whether only items with this attribute have a copy.
    pub fn demands(&self, attribute: &str) -> bool {
        self.when.iter().any(|one| one.demands(attribute))
    }

    /// Whether only items in which the attribute has this value, as stored text, have a copy.
    pub(crate) fn demands_value(&self, attribute: &str, value: &str) -> bool {
        let mut all = self.when.iter();
        all.any(|one| one.demands_value(attribute, value))
    }
}

/// Attributes whose values together no two items share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unique {
    /// Its members, in the order of the declaration.
    pub members: Vec<UniqueMember>,
}

/// An attribute of a [`Unique`], and what of it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UniqueMember {
    /// The attribute.
    pub attribute: String,
    /// How its values are compared.
    pub compared: Compared,
}

impl Unique {
    /// Attributes whose values are compared as they are.
    pub(crate) fn of(names: &[String]) -> Unique {
        let member = |name: &String| UniqueMember {
            attribute: name.clone(),
            compared: Compared::Whole,
        };
        Unique {
            members: names.iter().map(member).collect(),
        }
    }

    /// The names of the attributes.
    pub fn attributes(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|member| member.attribute.as_str())
    }

    /// The members as the model writes them, with a text between: `lower(email)`.
    pub fn joined(&self, between: &str) -> String {
        let members: Vec<String> = self.members.iter().map(UniqueMember::to_string).collect();
        members.join(between)
    }
}

impl fmt::Display for UniqueMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.compared.word() {
            None => f.write_str(&self.attribute),
            Some(word) => write!(f, "{word}({})", self.attribute),
        }
    }
}

/// An attribute that is kept up to date with the items of another entity.
#[derive(Debug, Clone)]
pub struct Aggregate {
    /// Its kind: a count, a sum or a maximum.
    pub kind: AggregateKind,
    /// The attribute that holds the result.
    pub attribute: String,
    /// The place of its declaration.
    pub span: Span,
    /// The position of the entity whose items are counted, summed up or compared.
    pub entity: usize,
    /// The attribute that is summed up or compared; `None` for a count.
    pub of: Option<String>,
    /// The references to follow, where the model names them.
    pub by: Vec<String>,
    /// An attribute and its value: only items with this value are included.
    pub condition: Option<(String, String)>,
    /// For each attribute of this entity's key, the attribute of the other entity that refers to it.
    pub link: Vec<(String, String)>,
    /// For a maximum: the plan that finds the next greatest when the greatest is deleted.
    pub next: Option<PatternPlan>,
    /// The copy that this plan reads, by its position; `None` for the items themselves.
    pub next_copy: Option<usize>,
}

impl Aggregate {
    /// The attribute that holds the number of included items: an entity with such items is not
    /// deleted.
    pub fn items_attribute(&self) -> String {
        match self.kind {
            AggregateKind::Count => self.attribute.clone(),
            AggregateKind::Sum | AggregateKind::Max => hidden(&self.attribute, "items"),
        }
    }

    /// The attribute that counts changes. It shows whether the result of a search for the next
    /// greatest is stale.
    pub fn changes_attribute(&self) -> String {
        hidden(&self.attribute, "changes")
    }
}

/// The sizes and rates that an entity declares by `expect`.
#[derive(Debug, Clone, Default)]
pub struct Expected {
    /// The number of items.
    pub items: Option<u64>,
    /// The size of an item in bytes.
    pub bytes: Option<u64>,
    /// Writes a second.
    pub writes: Option<u64>,
    /// The number of items for each value of an attribute, or of elements in a list attribute.
    pub per: Vec<(String, u64)>,
    /// The place of the first declaration.
    pub span: Option<Span>,
}

/// An entity.
#[derive(Debug, Clone)]
pub struct Entity {
    /// Its name.
    pub name: String,
    /// Its name in an earlier version of the model, if it had another one; several where the items of several
    /// entities become its own. Only the comparison of two models looks at it.
    pub was: Vec<String>,
    /// An attribute of that version and its value: only these items become its items.
    pub part: Option<(String, String)>,
    /// The place of its declaration.
    pub span: Span,
    /// The end of its last line, in bytes of the source.
    pub end: usize,
    /// Whether other files of the model may use it.
    pub is_shared: bool,
    /// The position of its table in the model.
    pub table: usize,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// The positions of its attributes in the order of their names.
    pub by_name: Vec<usize>,
    /// The positions of the attributes that every write sets to the present moment, in order.
    pub touched: Vec<usize>,
    /// Its key.
    pub key: KeyPair,
    /// The attributes that identify an item, where its key has others besides: these may change, and
    /// the item moves. Empty where the key identifies the item and stays.
    pub id: Vec<String>,
    /// Its keys in indexes.
    pub indexes: Vec<IndexKey>,
    /// Its copies.
    pub copies: Vec<Copy>,
    /// What no two items share; its `id` is the first.
    pub uniques: Vec<Unique>,
    /// The attribute with the time at which an item expires.
    pub ttl: Option<String>,
    /// The attribute that counts the versions of an item.
    pub version: Option<String>,
    /// The aggregates that it keeps of other entities.
    pub aggregates: Vec<Aggregate>,
    /// The list that is split over several items, and how many elements one holds.
    pub split: Option<(String, u32)>,
    /// Attributes that are stored only inside keys, from which they are read back.
    pub unstored: Vec<String>,
    /// Attributes that are stored compressed.
    pub compressed: Vec<String>,
    /// The declared sizes and rates.
    pub expected: Expected,
    /// The attribute whose time decides which period's table holds an item.
    pub period_attribute: Option<String>,
    /// The characters that its attributes must not contain because of the keys that they are in.
    pub excluded: Vec<Excluded>,
    /// The rows of a relational database that its items are made of.
    pub origin: Option<Origin>,
    /// What its items are kept from, if it is a view: writes do not name it.
    pub view: Option<View>,
}

/// The positions of attributes in the order of their names; of two with one name, the first.
pub(crate) fn order_by_name(attributes: &[Attribute]) -> Vec<usize> {
    let named = |at: &usize| attributes.get(*at).map(|own| own.name.as_str());
    let mut positions: Vec<usize> = (0..attributes.len()).collect();
    positions.sort_by(|one, other| named(one).cmp(&named(other)));
    positions.dedup_by(|later, first| named(later) == named(first));
    positions
}

/// The positions of the attributes that every write sets.
pub(crate) fn touched(attributes: &[Attribute]) -> Vec<usize> {
    let all = attributes.iter().enumerate();
    all.filter(|(_, one)| one.is_touched())
        .map(|(at, _)| at)
        .collect()
}

/// A character that an attribute must not contain.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Excluded {
    /// The attribute.
    pub attribute: String,
    /// The character.
    pub character: char,
    /// The template that forces it: the one that the attribute is in, where the character ends it;
    /// or that of another kind, which would make the same key.
    pub template: String,
}

impl Entity {
    /// The kind of its items, or of those of one of its copies: what they say in the type attribute.
    pub fn kind_of(&self, copy: Option<usize>) -> String {
        match copy.and_then(|at| self.copies.get(at)) {
            Some(copy) => format!("{}.{}", self.name, copy.name),
            None => self.name.clone(),
        }
    }

    /// The attribute with this name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.get(self.position(name)?)
    }

    /// Whether every item that the model has written has an attribute. What the model keeps in an item
    /// beside others may not have been written yet; a row of a view is written whole.
    pub fn always_has(&self, attribute: &Attribute) -> bool {
        !attribute.optional && (!attribute.is_kept || self.view.is_some())
    }

    /// The position of the attribute with this name.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        let named = |at: &usize| self.attributes.get(*at).map(|own| own.name.as_str());
        let found = self
            .by_name
            .binary_search_by(|at| named(at).cmp(&Some(name)));
        self.by_name.get(found.ok()?).copied()
    }

    /// The attributes that every write sets to the present moment.
    pub fn touched_attributes(&self) -> impl Iterator<Item = &Attribute> {
        let touched = self.touched.iter();
        touched.filter_map(|at| self.attributes.get(*at))
    }

    /// Whether an attribute is stored in the main item as it is: not compressed, not in parts, and
    /// not only inside keys.
    pub fn stores_plainly(&self, name: &str) -> bool {
        let mut others = self.compressed.iter().chain(&self.unstored);
        others.all(|other| other != name)
            && self.split.as_ref().is_none_or(|(split, _)| split != name)
    }

    /// The type at the end of a path, and whether an item may lack its last part though it has what
    /// that lies in. `None` for a path that leads nowhere.
    pub fn at(&self, path: &Path) -> Option<(&Type, bool)> {
        let found = self.attribute(&path.attribute)?;
        let (mut kind, mut may_lack) = (&found.kind, found.optional);
        for field in &path.fields {
            (kind, may_lack) = kind.field(field)?;
        }
        Some((kind, may_lack))
    }

    /// Its keys: in the table, in indexes, and those of its copies.
    pub fn keys(&self) -> impl Iterator<Item = &KeyPair> {
        let indexes = self.indexes.iter().map(|index| &index.key);
        let copies = self.copies.iter().map(|copy| &copy.key);
        std::iter::once(&self.key).chain(indexes).chain(copies)
    }

    /// Whether its key may change: the item moves, and a guard of its `id` says where it lies.
    pub fn moves(&self) -> bool {
        !self.id.is_empty()
    }

    /// The attributes that identify an item: those of `id`, or those of its key.
    pub fn identity(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.id.iter().map(String::as_str).collect();
        if self.moves() {
            return names;
        }
        for field in self.key.fields() {
            if !names.contains(&field) {
                names.push(field);
            }
        }
        names
    }

    /// Whether an attribute is one of those that identify an item.
    pub fn identifies(&self, name: &str) -> bool {
        self.identity().contains(&name)
    }

    /// The attributes of its key that may change; the guard of its `id` holds their values.
    pub fn moving(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for field in self.key.fields().filter(|_| self.moves()) {
            if !names.contains(&field) && !self.id.iter().any(|id| id == field) {
                names.push(field);
            }
        }
        names
    }

    /// Its `id` as unique attributes, whose guard says where the item lies; `None` where it does not
    /// move.
    pub fn id_guard(&self) -> Option<&Unique> {
        self.uniques.first().filter(|_| self.moves())
    }

    /// Whether unique attributes are its `id`.
    pub fn is_id(&self, unique: &Unique) -> bool {
        self.id_guard() == Some(unique)
    }

    /// The word by which the model declares unique attributes.
    pub fn word_of(&self, unique: &Unique) -> &'static str {
        if self.is_id(unique) { "id" } else { "unique" }
    }

    /// The copy with this name.
    pub fn copy(&self, name: &str) -> Option<&Copy> {
        self.copies.iter().find(|copy| copy.name == name)
    }
}

/// The partition key of the item that guards unique values, as template parts.
/// A member that is compared in small letters has them in the values: [`crate::value::guard`].
pub fn guard_parts(entity: &Entity, unique: &Unique, delimiters: &[char]) -> Vec<Part> {
    let mut parts = vec![Part::Text(format!(
        "UNIQUE#{}#{}#",
        entity.name,
        unique.joined("+")
    ))];
    for (at, name) in unique.attributes().enumerate() {
        let Some(attribute) = entity.attribute(name) else {
            continue;
        };
        if at > 0 {
            parts.push(Part::Text("#".to_owned()));
        }
        // A unique text may contain delimiters.
        let (format, excluded) = if attribute.kind == Type::String {
            (Format::Escaped, delimiters.to_vec())
        } else {
            (Format::Plain, Vec::new())
        };
        parts.push(Part::Field {
            name: name.to_owned(),
            kind: attribute.kind.clone(),
            format,
            excluded,
        });
    }
    parts
}

/// The attribute of a guard that holds the value of an attribute of its item's key.
pub fn held_in_guard(attribute: &str) -> String {
    hidden(attribute, "key")
}

/// The sort key of a guard.
pub const GUARD_SORT: &str = "UNIQUE";
