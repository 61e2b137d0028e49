//! A resolved model: every name has its meaning, every type is known.

use crate::diagnostic::Span;
use crate::plan::PatternPlan;
use crate::template::KeyTemplate;
use keyfold_types::KeyKind;

/// A checked model.
#[derive(Debug, Clone, Default)]
pub struct Model {
    /// Its name.
    pub name: String,
    /// Its version, counted up by its author.
    pub version: u32,
    /// The tables.
    pub tables: Vec<Table>,
    /// The entities.
    pub entities: Vec<Entity>,
    /// The access patterns, with their plans.
    pub patterns: Vec<Pattern>,
    /// The named writes.
    pub writes: Vec<Write>,
}

impl Model {
    /// The entity of a name.
    pub fn entity(&self, name: &str) -> Option<&Entity> {
        self.entities.iter().find(|entity| entity.name == name)
    }

    /// The pattern of a name.
    pub fn pattern(&self, name: &str) -> Option<&Pattern> {
        self.patterns.iter().find(|pattern| pattern.name == name)
    }

    /// The named write of a name.
    pub fn write(&self, name: &str) -> Option<&Write> {
        self.writes.iter().find(|write| write.name == name)
    }
}

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
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Its partition key.
    pub partition: Column,
    /// Its sort key.
    pub sort: Option<Column>,
    /// The attribute that holds each item's entity, if there is one.
    pub type_attribute: Option<String>,
    /// Its indexes.
    pub indexes: Vec<Index>,
    /// The characters that separate key parts: no value inside a key may contain one.
    pub delimiters: Vec<char>,
}

/// Local or global.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexKind {
    /// The table's partition key with another sort key.
    Local,
    /// Keys of its own.
    Global,
}

/// What an index holds.
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
    /// Where it is declared.
    pub span: Span,
    /// Local or global.
    pub kind: IndexKind,
    /// Its partition key.
    pub partition: Column,
    /// Its sort key.
    pub sort: Option<Column>,
    /// What it holds.
    pub projection: Projection,
}

/// The type of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// Text.
    String,
    /// A whole number.
    Int,
    /// A decimal number.
    Number,
    /// True or false.
    Bool,
    /// A moment, stored as UTC text of fixed width.
    Time,
    /// A day, stored as text.
    Date,
    /// One of these words.
    Words(Vec<String>),
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Type::String => f.write_str("string"),
            Type::Int => f.write_str("int"),
            Type::Number => f.write_str("number"),
            Type::Bool => f.write_str("bool"),
            Type::Time => f.write_str("time"),
            Type::Date => f.write_str("date"),
            Type::Words(words) => f.write_str(&words.join(" | ")),
        }
    }
}

/// An attribute of an entity.
#[derive(Debug, Clone)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Its type.
    pub kind: Type,
    /// Whether an item may lack it.
    pub optional: bool,
}

/// The templates of a key.
#[derive(Debug, Clone)]
pub struct KeyPair {
    /// Makes the partition key.
    pub partition: KeyTemplate,
    /// Makes the sort key, where there is one.
    pub sort: Option<KeyTemplate>,
    /// Where they stand.
    pub span: Span,
}

impl KeyPair {
    /// The attributes that the key is made of.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.partition.fields().chain(self.sort.iter().flat_map(KeyTemplate::fields))
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
    /// Which items are in it; all, if none.
    pub sparse: Option<Sparse>,
}

/// A copy of some attributes under another key, kept in step by every write.
#[derive(Debug, Clone)]
pub struct Copy {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Its key.
    pub key: KeyPair,
    /// The attributes it holds.
    pub attributes: Vec<String>,
}

/// An entity.
#[derive(Debug, Clone)]
pub struct Entity {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
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
    /// Attributes that no two items share.
    pub uniques: Vec<String>,
}

impl Entity {
    /// The attribute of a name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// The copy of a name.
    pub fn copy(&self, name: &str) -> Option<&Copy> {
        self.copies.iter().find(|copy| copy.name == name)
    }
}

/// The key of the item that guards a unique value: partition text, to which the value is added.
pub fn guard_prefix(entity: &str, attribute: &str) -> String {
    format!("UNIQUE#{entity}#{attribute}#")
}

/// The sort key of a guard.
pub const GUARD_SORT: &str = "UNIQUE";

/// How a parameter limits its attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The attribute equals it.
    Equal,
    /// The attribute is at least this.
    AtLeast,
    /// The attribute is at most this.
    AtMost,
}

/// A parameter of a pattern.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Its name; that of the attribute when it is an equality.
    pub name: String,
    /// The attribute it limits.
    pub attribute: String,
    /// The type of its argument.
    pub kind: Type,
    /// How it limits.
    pub limit: Limit,
    /// Where it is declared.
    pub span: Span,
}

/// What a pattern gives back.
#[derive(Debug, Clone)]
pub struct Returned {
    /// The entity, by place.
    pub entity: usize,
    /// One of its copies, by place, instead of the entity itself.
    pub copy: Option<usize>,
    /// Any number of items, or one.
    pub many: bool,
    /// Whether the one may be missing.
    pub optional: bool,
    /// Where it is declared.
    pub span: Span,
}

/// The order that a pattern asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Times, latest first.
    Newest,
    /// Times, earliest first.
    Oldest,
    /// Numbers, greatest first.
    Highest,
    /// Numbers, least first.
    Lowest,
}

/// An access pattern.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Attributes with a fixed value: `where status = pending`.
    pub fixed: Vec<(String, String)>,
    /// The same with the attributes' types.
    pub fixed_values: Vec<(String, Type, String)>,
    /// What it gives back.
    pub returned: Vec<Returned>,
    /// The order asked for.
    pub order: Option<(Order, Span)>,
    /// Items a page.
    pub page: Option<u32>,
    /// Whether it reads strongly.
    pub strong: Option<Span>,
    /// How it is served.
    pub plan: PatternPlan,
}

/// What an assignment or condition takes its value from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    /// A parameter of the write.
    Parameter(String),
    /// An attribute of the item.
    Attribute(String),
    /// A fixed text, checked against the attribute's type.
    Literal(String),
}

/// What an assignment adds (true) or takes away.
pub type Change = (bool, Operand);

/// One change of a named write.
#[derive(Debug, Clone)]
pub enum Action {
    /// Makes an item that must not exist.
    Create {
        /// The entity, by place.
        entity: usize,
    },
    /// Removes an item.
    Delete {
        /// The entity, by place.
        entity: usize,
    },
    /// Changes an item that must exist.
    Update {
        /// The entity, by place.
        entity: usize,
        /// Attribute, first operand, and what is added (true) or taken away.
        assignments: Vec<(String, Operand, Option<Change>)>,
        /// Attribute, comparison, operand.
        condition: Option<(String, String, Operand)>,
    },
}

/// A named write: actions that happen together or not at all.
#[derive(Debug, Clone)]
pub struct Write {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Its parameters and their types.
    pub parameters: Vec<(String, Type)>,
    /// Its actions.
    pub actions: Vec<Action>,
}
