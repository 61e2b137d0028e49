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
        self.text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(&self.text)
    }

    pub(crate) fn is_quoted(&self) -> bool {
        self.text.starts_with('"')
    }
}

#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) name: Option<Name>,
    pub(crate) version: Option<u32>,
    pub(crate) tables: Vec<TableDecl>,
    pub(crate) entities: Vec<EntityDecl>,
    pub(crate) patterns: Vec<PatternDecl>,
    pub(crate) writes: Vec<WriteDecl>,
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
    pub(crate) indexes: Vec<IndexDecl>,
}

#[derive(Debug)]
pub(crate) struct IndexDecl {
    pub(crate) local: bool,
    pub(crate) name: Name,
    pub(crate) columns: Vec<Column>,
    pub(crate) projection: ProjectionDecl,
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
    pub(crate) uniques: Vec<Name>,
    /// A line of its key could not be read.
    pub(crate) is_broken: bool,
}

#[derive(Debug)]
pub(crate) struct AttributeDecl {
    pub(crate) name: Name,
    pub(crate) kind: TypeDecl,
    pub(crate) optional: bool,
}

#[derive(Debug)]
pub(crate) enum TypeDecl {
    /// A type's name.
    Named(Name),
    /// `Entity.attribute`.
    Reference(Name, Name),
    /// `one | two`.
    Words(Vec<Name>),
}

/// One or two templates.
#[derive(Debug)]
pub(crate) struct KeyDecl {
    pub(crate) partition: TemplateDecl,
    pub(crate) sort: Option<TemplateDecl>,
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
    Field { name: Name, format: Option<Name> },
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
    pub(crate) order: Option<Name>,
    pub(crate) page: Option<u32>,
    pub(crate) strong: Option<Span>,
    /// `where attribute = value`.
    pub(crate) fixed: Vec<(Name, Name)>,
}

#[derive(Debug)]
pub(crate) enum ParameterDecl {
    /// `attribute`: equal to the argument of that name.
    Equal(Name),
    /// `attribute >= argument`.
    AtLeast(Name, Name),
    /// `attribute <= argument`.
    AtMost(Name, Name),
    /// `attribute in low..high`.
    Within(Name, Name, Name),
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
    /// Parameter and the name of its type.
    pub(crate) parameters: Vec<(Name, Option<Name>)>,
    pub(crate) actions: Vec<ActionDecl>,
}

#[derive(Debug)]
pub(crate) enum ActionDecl {
    Create(Name),
    Delete(Name),
    Update { entity: Name, assignments: Vec<AssignmentDecl>, condition: Option<ConditionDecl> },
}

/// `attribute = operand [+|- operand]`.
#[derive(Debug)]
pub(crate) struct AssignmentDecl {
    pub(crate) attribute: Name,
    pub(crate) left: Name,
    pub(crate) right: Option<(bool, Name)>,
}

/// `attribute comparator operand`.
#[derive(Debug)]
pub(crate) struct ConditionDecl {
    pub(crate) attribute: Name,
    pub(crate) comparator: Name,
    pub(crate) operand: Name,
}
