//! Declarations as written, each part with its place in the source.

use crate::diagnostic::Span;
use crate::period::Unit;
use crate::words::{
    AggregateKind, Capacity, Comparator, Compared, Fold, IndexKind, Order, StreamView, TableClass,
    Verb,
};

/// A word, number or quoted text, and its place.
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

    /// The name of an operand in braces.
    pub(crate) fn in_braces(&self) -> Option<Name> {
        let text = self.text.strip_prefix('{')?.strip_suffix('}')?.to_owned();
        let span = self.span;
        Some(Name { text, span })
    }

    /// Whether the operand is a quoted text.
    pub(crate) fn is_quoted(&self) -> bool {
        self.text.starts_with('"')
    }
}

/// The texts of names.
pub(crate) fn texts(names: &[Name]) -> Vec<String> {
    names.iter().map(|name| name.text.clone()).collect()
}

/// All declarations of a model's files.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) name: Option<Name>,
    pub(crate) version: Option<u32>,
    /// The owners of the files, one for each that names its owner.
    pub(crate) owners: Vec<Name>,
    /// The paths of the files that others use.
    pub(crate) uses: Vec<Name>,
    pub(crate) records: Vec<RecordDecl>,
    pub(crate) tables: Vec<TableDecl>,
    /// The places of lines that could not be read.
    pub(crate) broken: Vec<usize>,
    pub(crate) entities: Vec<EntityDecl>,
    pub(crate) patterns: Vec<PatternDecl>,
    pub(crate) writes: Vec<WriteDecl>,
}

/// The word that starts a declaration of which other files may make use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head {
    /// `shared` stands before it.
    pub(crate) is_shared: bool,
    /// The place of the word.
    pub(crate) span: Span,
}

/// A nested type: named fields.
#[derive(Debug)]
pub(crate) struct RecordDecl {
    pub(crate) name: Name,
    /// The place of its first word; a `shared` declaration may be referred to by other files.
    pub(crate) head: Head,
    pub(crate) fields: Vec<AttributeDecl>,
}

/// `NAME` or `NAME: number`.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) name: Name,
    pub(crate) kind: Option<Name>,
}

impl Column {
    /// Its place, with that of its type.
    pub(crate) fn span(&self) -> Span {
        let kind = self.kind.as_ref();
        kind.map_or(self.name.span, |kind| self.name.span.to(kind.span))
    }
}

#[derive(Debug)]
pub(crate) struct TableDecl {
    pub(crate) name: Name,
    /// The place of its first word; a `shared` declaration may be referred to by other files.
    pub(crate) head: Head,
    pub(crate) columns: Vec<Column>,
    /// The attribute that holds each item's entity.
    pub(crate) type_attribute: Option<Name>,
    /// The attribute that holds when an item expires.
    pub(crate) ttl_attribute: Option<Name>,
    /// The unit of time that each physical table covers; absent for a single table.
    pub(crate) period: Option<Name>,
    pub(crate) capacity: Option<CapacityDecl>,
    /// The capacity of the tables of past periods.
    pub(crate) cooled: Option<CapacityDecl>,
    pub(crate) settings: SettingsDecl,
    pub(crate) indexes: Vec<IndexDecl>,
    /// The end of its last line.
    pub(crate) end: usize,
}

/// Units of a table or a global index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CapacityDecl {
    pub(crate) capacity: Capacity,
    pub(crate) span: Span,
}

/// The settings of a table besides its keys and capacity.
#[derive(Debug, Default)]
pub(crate) struct SettingsDecl {
    pub(crate) stream: Option<StreamView>,
    pub(crate) recovery: bool,
    pub(crate) deletion_protection: bool,
    pub(crate) class: Option<TableClass>,
    /// Keys and values.
    pub(crate) tags: Vec<(Name, Name)>,
    /// The settings that are said, each with the place of its first line.
    pub(crate) said: Vec<Name>,
}

#[derive(Debug)]
pub(crate) struct IndexDecl {
    pub(crate) kind: IndexKind,
    pub(crate) name: Name,
    pub(crate) partition: Vec<Column>,
    pub(crate) sort: Vec<Column>,
    pub(crate) projection: ProjectionDecl,
    /// The place of the projection, or the end of the declaration.
    pub(crate) projection_span: Span,
    pub(crate) capacity: Option<CapacityDecl>,
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
    /// Its names in an earlier version of the model: several where the items of several entities become its own.
    pub(crate) was: Vec<Name>,
    /// An attribute of that version and its value: only these items become its items.
    pub(crate) part: Option<(Name, Name)>,
    /// The place of its first word; a `shared` declaration may be referred to by other files.
    pub(crate) head: Head,
    pub(crate) table: Option<Name>,
    pub(crate) attributes: Vec<AttributeDecl>,
    pub(crate) key: Option<KeyDecl>,
    /// The attributes that identify an item, where other attributes of its key may change.
    pub(crate) id: Option<Vec<Name>>,
    pub(crate) indexes: Vec<IndexKeyDecl>,
    pub(crate) copies: Vec<CopyDecl>,
    /// Groups of attributes; the values of each group together are unique.
    pub(crate) uniques: Vec<Vec<UniqueDecl>>,
    pub(crate) ttl: Option<Name>,
    pub(crate) version: Option<Name>,
    pub(crate) aggregates: Vec<AggregateDecl>,
    pub(crate) splits: Vec<(Name, u32)>,
    pub(crate) unstored: Vec<Name>,
    pub(crate) compressed: Vec<Name>,
    pub(crate) expects: Vec<ExpectDecl>,
    /// The rows of a relational database that its items are made of.
    pub(crate) origin: Option<OriginDecl>,
    /// What a view is kept from; `None` for an entity.
    pub(crate) view: Option<ViewDecl>,
    /// The end of its last line.
    pub(crate) end: usize,
}

/// `from "orders" o join "addresses" a on a.id = o.address_id where "SQL" set city = a.city back cents = "SQL"`.
#[derive(Debug)]
pub(crate) struct OriginDecl {
    /// The place of `from`.
    pub(crate) span: Span,
    pub(crate) table: SqlTableDecl,
    pub(crate) joins: Vec<JoinDecl>,
    /// The condition of the rows, in SQL.
    pub(crate) only: Option<Name>,
    /// Attributes, and what they are taken from.
    pub(crate) set: Vec<(Name, SqlDecl)>,
    /// Columns, and the SQL over attributes that they are taken from on the way back.
    pub(crate) back: Vec<(Name, Name)>,
}

/// A table of a relational database, and its name in the line.
#[derive(Debug)]
pub(crate) struct SqlTableDecl {
    pub(crate) schema: Option<Name>,
    pub(crate) name: Name,
    pub(crate) alias: Name,
}

/// `[left] join TABLE on a.b = c.d and ...`.
#[derive(Debug)]
pub(crate) struct JoinDecl {
    pub(crate) is_left: bool,
    pub(crate) table: SqlTableDecl,
    pub(crate) on: Vec<(SqlColumnDecl, SqlColumnDecl)>,
}

/// `alias.column`.
#[derive(Debug)]
pub(crate) struct SqlColumnDecl {
    pub(crate) alias: Name,
    pub(crate) column: Name,
}

/// What an attribute is taken from.
#[derive(Debug)]
pub(crate) enum SqlDecl {
    Column(SqlColumnDecl),
    /// An expression in SQL.
    Expression(Name),
}

/// `of Source [where condition]`, and the view's columns.
#[derive(Debug)]
pub(crate) struct ViewDecl {
    pub(crate) source: Name,
    pub(crate) when: Vec<ConditionDecl>,
    pub(crate) columns: Vec<ViewColumnDecl>,
}

/// `name: from`.
#[derive(Debug)]
pub(crate) struct ViewColumnDecl {
    pub(crate) name: Name,
    pub(crate) from: FromDecl,
    /// The place of what stands behind the colon.
    pub(crate) span: Span,
}

/// What a column of a view is made of.
#[derive(Debug)]
pub(crate) enum FromDecl {
    /// `count`.
    Count,
    /// `sum attribute`.
    Fold(Fold, Name),
    /// `top number [order] attribute [only attributes]`.
    Top {
        number: u32,
        /// The place of the number.
        number_span: Span,
        order: Option<(Order, Span)>,
        by: Name,
        only: Vec<Name>,
    },
    /// `attribute`.
    Attribute(Name),
    /// `Entity.attribute [by references]`.
    Joined {
        entity: Name,
        of: Name,
        by: Vec<Name>,
    },
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
    pub(crate) kind: AggregateKind,
    /// The place of the word `count`, `sum` or `max`.
    pub(crate) kind_span: Span,
    pub(crate) attribute: Name,
    pub(crate) entity: Name,
    /// The attribute that is summed up.
    pub(crate) of: Option<Name>,
    /// The references to follow, where the declaration names them.
    pub(crate) by: Vec<Name>,
    pub(crate) condition: Option<(Name, Name)>,
}

#[derive(Debug)]
pub(crate) struct AttributeDecl {
    pub(crate) name: Name,
    pub(crate) kind: TypeDecl,
    pub(crate) optional: bool,
    /// The place of its `?`.
    pub(crate) mark: Option<Span>,
    pub(crate) default: Option<Name>,
    /// Whether every write sets it again: `= now always`.
    pub(crate) always: bool,
    /// What it was in an earlier version of the model.
    pub(crate) was: Option<FormerDecl>,
}

/// What an attribute was in an earlier version of the model.
#[derive(Debug, Clone)]
pub(crate) enum FormerDecl {
    /// It had another name: in each of several entities that become one, the first that it has.
    Names(Name, Vec<Name>),
    /// A value for the items of each of these entities, which become one, and the place of the parenthesis.
    Entities(Vec<(Name, Name)>, Span),
    /// A text of other attributes, and its place.
    Text(Vec<PartDecl>, Span),
    /// Values of another attribute, each with the one that stands for it, and what stands for all others.
    Words {
        of: Name,
        words: Vec<(Name, Name)>,
        other: Option<Name>,
    },
    /// Numbers, calculated from left to right.
    Number(Name, Vec<(&'static str, Name)>),
}

impl FormerDecl {
    /// The former names, where it is nothing else.
    pub(crate) fn names(&self) -> Vec<&Name> {
        match self {
            FormerDecl::Names(first, more) => std::iter::once(first).chain(more).collect(),
            FormerDecl::Entities(..)
            | FormerDecl::Text(..)
            | FormerDecl::Words { .. }
            | FormerDecl::Number(..) => Vec::new(),
        }
    }

    /// Its place.
    pub(crate) fn span(&self) -> Span {
        match self {
            FormerDecl::Names(name, _)
            | FormerDecl::Words { of: name, .. }
            | FormerDecl::Number(name, _) => name.span,
            FormerDecl::Text(_, span) | FormerDecl::Entities(_, span) => *span,
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) enum TypeDecl {
    /// The name of a type, and the word in parentheses after it.
    Named(Name, Option<Name>),
    /// `Entity.attribute`.
    Reference(Name, Name),
    /// `one | two`.
    Words(Vec<Name>),
    /// `list of`, `map of`, `set of` a type, and the place of the first word.
    Of(Collection, Span, Box<TypeDecl>),
}

/// The kind of a type that holds several values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Collection {
    List,
    Map,
    Set,
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
    /// Whether it stands without quotes: the attribute itself is the key.
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
    /// The conditions under which there is a copy.
    pub(crate) when: Vec<ConditionDecl>,
}

/// A member of `unique`: `email` or `lower(email)`.
#[derive(Debug)]
pub(crate) struct UniqueDecl {
    pub(crate) attribute: Name,
    pub(crate) compared: Compared,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) struct PatternDecl {
    pub(crate) name: Name,
    pub(crate) parameters: Vec<ParameterDecl>,
    pub(crate) returned: Vec<ReturnedDecl>,
    /// Whether the results stand in parentheses: one item each, by keys of their own.
    pub(crate) is_together: bool,
    /// The place of `batch`.
    pub(crate) batch: Option<Span>,
    /// The place behind its results.
    pub(crate) returned_end: usize,
    pub(crate) order: Option<OrderDecl>,
    pub(crate) page: Option<u32>,
    pub(crate) strong: Option<Span>,
    pub(crate) scan: Option<Span>,
    /// The place of `fetch all`.
    pub(crate) fetch: Option<Span>,
    pub(crate) only: Vec<Name>,
    pub(crate) filters: Vec<ConditionDecl>,
    /// `where attribute = value`, or `where attribute`: the attribute exists.
    pub(crate) fixed: Vec<(Name, Option<Name>)>,
    pub(crate) expects: Vec<ExpectDecl>,
}

/// `newest [attribute]`.
#[derive(Debug)]
pub(crate) struct OrderDecl {
    pub(crate) order: Order,
    /// The place of the word.
    pub(crate) span: Span,
    pub(crate) attribute: Option<Name>,
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
    /// `attribute > argument`.
    Above(Name),
    /// `attribute < argument`.
    Below(Name),
    /// `attribute in low..high`.
    Within(Name, Name),
    /// `attribute starts argument`.
    Starts(Name),
    /// `day of attribute`: the unit, and its word, which names the parameter.
    Period(Unit, Name),
    /// `day of attribute in low..high`, `month of attribute >= argument`: the unit, its word, and the
    /// range.
    Periods(Unit, Name, Box<LimitDecl>),
    /// `attribute[]`: any of several.
    Among,
    /// `name: type`: limits no attribute, for filters.
    Free(TypeDecl),
}

#[derive(Debug)]
pub(crate) struct ReturnedDecl {
    pub(crate) entity: Name,
    pub(crate) copy: Option<Name>,
    pub(crate) many: bool,
    pub(crate) optional: bool,
    /// `as name`.
    pub(crate) alias: Option<Name>,
    /// `where attribute = parameter`.
    pub(crate) bound: Vec<(Name, Name)>,
}

#[derive(Debug)]
pub(crate) struct WriteDecl {
    pub(crate) name: Name,
    pub(crate) parameters: Vec<WriteParameterDecl>,
    pub(crate) actions: Vec<ActionDecl>,
}

/// `name [: type] [?]`.
#[derive(Debug)]
pub(crate) struct WriteParameterDecl {
    pub(crate) name: Name,
    pub(crate) kind: Option<TypeDecl>,
    pub(crate) optional: bool,
}

#[derive(Debug)]
pub(crate) struct ActionDecl {
    pub(crate) verb: Verb,
    pub(crate) entity: Name,
    /// `as alias`.
    pub(crate) alias: Option<Name>,
    /// `for each parameter`.
    pub(crate) each: Option<Name>,
    /// `where key = operand`.
    pub(crate) keys: Vec<KeySourceDecl>,
    pub(crate) assignments: Vec<AssignmentDecl>,
    /// Those behind `else`, for a new item.
    pub(crate) otherwise: Vec<AssignmentDecl>,
    pub(crate) removed: Vec<PathDecl>,
    pub(crate) conditions: Vec<ConditionDecl>,
}

impl ActionDecl {
    /// Whether `set` names an attribute.
    pub(crate) fn assigns(&self, attribute: &str) -> bool {
        let mut all = self.assignments.iter();
        all.any(|one| one.attribute.text == attribute)
    }
}

/// `key = operand`, or `key = Entity.attribute`.
#[derive(Debug)]
pub(crate) struct KeySourceDecl {
    pub(crate) attribute: Name,
    pub(crate) operand: Name,
    /// The attribute behind the dot; the operand is an entity or alias then.
    pub(crate) of: Option<Name>,
}

/// `attribute = operand [+|- operand]`.
#[derive(Debug)]
pub(crate) struct AssignmentDecl {
    pub(crate) attribute: Name,
    /// The fields behind the attribute: `address.city`.
    pub(crate) fields: Vec<Name>,
    pub(crate) left: PathDecl,
    /// The second operand, and whether it is added (true) or subtracted.
    pub(crate) right: Option<(bool, PathDecl)>,
}

impl AssignmentDecl {
    /// The path that it changes.
    pub(crate) fn target(&self) -> PathDecl {
        PathDecl {
            name: self.attribute.clone(),
            fields: self.fields.clone(),
        }
    }
}

/// An attribute, or a field inside it: `address.city`. As an operand, the name may be a parameter or
/// a fixed value, too.
#[derive(Debug, Clone)]
pub(crate) struct PathDecl {
    pub(crate) name: Name,
    pub(crate) fields: Vec<Name>,
}

impl PathDecl {
    /// Its place.
    pub(crate) fn span(&self) -> Span {
        let last = self.fields.last().unwrap_or(&self.name);
        self.name.span.to(last.span)
    }

    /// Whether it is this word, without fields.
    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.fields.is_empty() && self.name.text == word
    }
}

/// A condition as written.
#[derive(Debug)]
pub(crate) enum ConditionDecl {
    Is(ComparisonDecl),
    Not(Box<ConditionDecl>),
    All(Vec<ConditionDecl>),
    Any(Vec<ConditionDecl>),
}

impl ConditionDecl {
    /// Its comparisons, from left to right.
    pub(crate) fn comparisons(&self) -> Vec<&ComparisonDecl> {
        match self {
            ConditionDecl::Is(comparison) => vec![comparison],
            ConditionDecl::Not(member) => member.comparisons(),
            ConditionDecl::All(members) | ConditionDecl::Any(members) => members
                .iter()
                .flat_map(ConditionDecl::comparisons)
                .collect(),
        }
    }
}

/// `attribute comparator operand`; `exists` and `missing` have no operand, `in` has several.
#[derive(Debug)]
pub(crate) struct ComparisonDecl {
    pub(crate) attribute: Name,
    /// The fields behind the attribute: `address.city`.
    pub(crate) fields: Vec<Name>,
    /// The word `size` around the attribute.
    pub(crate) is_size: bool,
    pub(crate) comparator: Comparator,
    /// The place of the comparator.
    pub(crate) comparator_span: Span,
    pub(crate) operands: Vec<PathDecl>,
    /// Its place.
    pub(crate) span: Span,
}
