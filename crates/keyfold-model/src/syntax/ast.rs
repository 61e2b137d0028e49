//! Declarations as written, each part with its place.

use crate::diagnostic::Span;

/// A word and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

impl Name {
    /// The text without the quotes of a quoted operand.
    pub(crate) fn unquoted(&self) -> &str {
        self.text
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'))
            .unwrap_or(&self.text)
    }

    pub(crate) fn is_quoted(&self) -> bool {
        self.text.starts_with('"')
    }
}

#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) name: Option<Name>,
    pub(crate) version: Option<u32>,
    pub(crate) records: Vec<RecordDecl>,
    pub(crate) tables: Vec<TableDecl>,
    /// A table's line could not be read.
    pub(crate) has_broken_table: bool,
    pub(crate) entities: Vec<EntityDecl>,
    pub(crate) patterns: Vec<PatternDecl>,
    pub(crate) writes: Vec<WriteDecl>,
}

/// A nested type: named fields.
#[derive(Debug)]
pub(crate) struct RecordDecl {
    pub(crate) name: Name,
    pub(crate) fields: Vec<AttributeDecl>,
}

/// `NAME` or `NAME: number`.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) name: Name,
    pub(crate) kind: Option<Name>,
}

#[derive(Debug)]
pub(crate) struct TableDecl {
    pub(crate) name: Name,
    pub(crate) columns: Vec<Column>,
    /// The attribute that holds each item's entity.
    pub(crate) type_attribute: Option<Name>,
    /// The attribute that holds when an item expires.
    pub(crate) ttl_attribute: Option<Name>,
    /// One table for each of these: a unit of time.
    pub(crate) period: Option<Name>,
    pub(crate) capacity: Option<CapacityDecl>,
    /// Of the tables of past periods.
    pub(crate) cooled: Option<CapacityDecl>,
    pub(crate) indexes: Vec<IndexDecl>,
    /// Behind its last line.
    pub(crate) end: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CapacityDecl {
    OnDemand,
    Provisioned { reads: u64, writes: u64 },
}

#[derive(Debug)]
pub(crate) struct IndexDecl {
    pub(crate) local: bool,
    pub(crate) name: Name,
    pub(crate) partition: Vec<Column>,
    pub(crate) sort: Vec<Column>,
    pub(crate) projection: ProjectionDecl,
    /// The place of the projection, or the end of the declaration.
    pub(crate) projection_span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ProjectionDecl {
    All,
    Keys,
    Only(Vec<Name>),
}

#[derive(Debug)]
pub(crate) struct EntityDecl {
    pub(crate) name: Name,
    pub(crate) table: Option<Name>,
    pub(crate) attributes: Vec<AttributeDecl>,
    pub(crate) key: Option<KeyDecl>,
    pub(crate) indexes: Vec<IndexKeyDecl>,
    pub(crate) copies: Vec<CopyDecl>,
    /// Attributes that together are unique.
    pub(crate) uniques: Vec<Vec<Name>>,
    pub(crate) ttl: Option<Name>,
    pub(crate) version: Option<Name>,
    pub(crate) aggregates: Vec<AggregateDecl>,
    pub(crate) splits: Vec<(Name, u32)>,
    pub(crate) compressed: Vec<Name>,
    pub(crate) expects: Vec<ExpectDecl>,
    /// A line of its key could not be read.
    pub(crate) is_broken: bool,
    /// Behind its last line.
    pub(crate) end: usize,
}

/// `N items`, `N bytes`, `N writes a second`, `N a second`, `N per attribute`.
#[derive(Debug, Clone)]
pub(crate) struct ExpectDecl {
    pub(crate) count: u64,
    pub(crate) unit: ExpectUnit,
    pub(crate) span: Span,
}

#[derive(Debug, Clone)]
pub(crate) enum ExpectUnit {
    Items,
    Bytes,
    WritesASecond,
    ASecond,
    Per(Name),
}

#[derive(Debug)]
pub(crate) struct AggregateDecl {
    /// `count`, `sum` or `max`.
    pub(crate) kind: Name,
    pub(crate) attribute: Name,
    pub(crate) entity: Name,
    /// The attribute that is summed up.
    pub(crate) of: Option<Name>,
    /// The references that it follows, where they are named.
    pub(crate) by: Vec<Name>,
    pub(crate) condition: Option<(Name, Name)>,
}

#[derive(Debug)]
pub(crate) struct AttributeDecl {
    pub(crate) name: Name,
    pub(crate) kind: TypeDecl,
    pub(crate) optional: bool,
    pub(crate) default: Option<Name>,
}

#[derive(Debug, Clone)]
pub(crate) enum TypeDecl {
    /// A type's name, and the word in parentheses behind it.
    Named(Name, Option<Name>),
    /// `Entity.attribute`.
    Reference(Name, Name),
    /// `one | two`.
    Words(Vec<Name>),
    /// `list of`, `map of`, `set of` a type.
    Of(Name, Box<TypeDecl>),
}

/// One template for each key attribute.
#[derive(Debug)]
pub(crate) struct KeyDecl {
    pub(crate) templates: Vec<TemplateDecl>,
    /// `shard N`.
    pub(crate) shard: Option<(u32, Span)>,
    /// `bucket day [of attribute]`.
    pub(crate) bucket: Option<(Name, Option<Name>)>,
    pub(crate) span: Span,
}

#[derive(Debug, Clone)]
pub(crate) struct TemplateDecl {
    pub(crate) parts: Vec<PartDecl>,
    /// Written without quotes: the attribute itself is the key.
    pub(crate) bare: bool,
    pub(crate) span: Span,
}

#[derive(Debug, Clone)]
pub(crate) enum PartDecl {
    Text(String),
    Field { name: Name, formats: Vec<Name> },
}

#[derive(Debug)]
pub(crate) struct IndexKeyDecl {
    pub(crate) index: Name,
    pub(crate) key: KeyDecl,
    pub(crate) sparse: Option<SparseDecl>,
}

/// `sparse when attribute [= value]`.
#[derive(Debug)]
pub(crate) struct SparseDecl {
    pub(crate) attribute: Name,
    pub(crate) value: Option<Name>,
}

#[derive(Debug)]
pub(crate) struct CopyDecl {
    pub(crate) name: Name,
    pub(crate) key: KeyDecl,
    pub(crate) only: Option<Vec<Name>>,
}

#[derive(Debug)]
pub(crate) struct PatternDecl {
    pub(crate) name: Name,
    pub(crate) parameters: Vec<ParameterDecl>,
    pub(crate) returned: Vec<ReturnedDecl>,
    /// The word, and the attribute behind it.
    pub(crate) order: Option<(Name, Option<Name>)>,
    pub(crate) page: Option<u32>,
    pub(crate) strong: Option<Span>,
    pub(crate) scan: Option<Span>,
    pub(crate) only: Vec<Name>,
    pub(crate) filters: Vec<ConditionDecl>,
    /// `where attribute = value`, or `where attribute`: it is there.
    pub(crate) fixed: Vec<(Name, Option<Name>)>,
    pub(crate) expects: Vec<ExpectDecl>,
}

#[derive(Debug)]
pub(crate) struct ParameterDecl {
    pub(crate) attribute: Name,
    pub(crate) limit: LimitDecl,
    pub(crate) optional: bool,
}

#[derive(Debug)]
pub(crate) enum LimitDecl {
    /// `attribute`: equal to the argument of that name.
    Equal,
    /// `attribute >= argument`.
    AtLeast(Name),
    /// `attribute <= argument`.
    AtMost(Name),
    /// `attribute in low..high`.
    Within(Name, Name),
    /// `attribute starts argument`.
    Starts(Name),
    /// `day of attribute`: the unit.
    Period(Name),
    /// `attribute[]`: any of several.
    Among,
    /// `name: type`: no attribute's, for filters.
    Free(TypeDecl),
}

#[derive(Debug)]
pub(crate) struct ReturnedDecl {
    pub(crate) entity: Name,
    pub(crate) copy: Option<Name>,
    pub(crate) many: bool,
    pub(crate) optional: bool,
}

#[derive(Debug)]
pub(crate) struct WriteDecl {
    pub(crate) name: Name,
    /// Parameter and its type.
    pub(crate) parameters: Vec<(Name, Option<TypeDecl>)>,
    pub(crate) actions: Vec<ActionDecl>,
}

#[derive(Debug)]
pub(crate) struct ActionDecl {
    pub(crate) verb: Verb,
    pub(crate) entity: Name,
    /// `for each parameter`.
    pub(crate) each: Option<Name>,
    pub(crate) assignments: Vec<AssignmentDecl>,
    pub(crate) removed: Vec<Name>,
    pub(crate) conditions: Vec<ConditionDecl>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Create,
    Put,
    Update,
    Delete,
    Check,
}

/// `attribute = operand [+|- operand]`.
#[derive(Debug)]
pub(crate) struct AssignmentDecl {
    pub(crate) attribute: Name,
    pub(crate) left: Name,
    pub(crate) right: Option<(bool, Name)>,
}

/// `attribute comparator operand`; `exists` and `missing` have no operand.
#[derive(Debug)]
pub(crate) struct ConditionDecl {
    pub(crate) attribute: Name,
    pub(crate) comparator: Name,
    pub(crate) operand: Option<Name>,
}
