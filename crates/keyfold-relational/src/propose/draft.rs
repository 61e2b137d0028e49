//! A model that is being proposed: entities, where they lie, and patterns. Attributes, entities and indexes
//! are named by their positions.

use super::names::EntityName;
use super::values::Judged;
use crate::catalog::Measured;
use std::collections::{BTreeMap, BTreeSet};

/// The most global indexes of a table.
pub(super) const INDEXES_MAX: usize = 20;

/// An attribute of an entity, of a column.
#[derive(Debug, Clone)]
pub(super) struct Attribute {
    /// The position of its column.
    pub(super) column: usize,
    pub(super) name: String,
    pub(super) judged: Judged,
    pub(super) is_optional: bool,
    pub(super) default: Option<String>,
    /// The entity and its attribute that it refers to.
    pub(super) refers: Option<(usize, usize)>,
    /// Whether an empty text is absent.
    pub(super) is_emptied: bool,
    pub(super) measured: Measured,
}

/// A field of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) attribute: usize,
    /// With its colon, or empty.
    pub(super) format: String,
}

/// A key: a label and fields, with `#` in between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template {
    pub(super) label: String,
    pub(super) fields: Vec<Field>,
}

/// Where an entity lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Under a key of its own.
    Own,
    /// Beside its parent, by the reference at a position.
    Child(usize),
    /// Between two parents, by the references at these positions.
    Between(usize, usize),
}

/// The key of an index.
#[derive(Debug, Clone)]
pub(super) struct Index {
    /// Its number, from 1.
    pub(super) slot: usize,
    pub(super) partition: Template,
    pub(super) sort: Template,
    /// The attributes that a query compares.
    pub(super) equal: Vec<usize>,
    /// The attributes that its items are sorted by; empty where any order will do.
    pub(super) order: Vec<usize>,
    /// Whether one item has the attributes, so that nothing stands in the sort key.
    pub(super) is_sole: bool,
}

/// A foreign key between entities.
#[derive(Debug, Clone)]
pub(super) struct Link {
    /// The attributes of this entity.
    pub(super) attributes: Vec<usize>,
    /// The entity that is referred to.
    pub(super) target: usize,
    /// Its attributes, in the same order.
    pub(super) to: Vec<usize>,
    /// Whether they identify the target, and have its types.
    pub(super) is_exact: bool,
    pub(super) cascades: bool,
}

/// What is unique.
#[derive(Debug, Clone)]
pub(super) struct Sole {
    pub(super) attributes: Vec<usize>,
    pub(super) is_folded: bool,
}

/// An entity of a table.
#[derive(Debug, Clone)]
pub(super) struct Entity {
    /// The position of its table.
    pub(super) table: usize,
    pub(super) name: EntityName,
    pub(super) attributes: Vec<Attribute>,
    /// The attributes that identify a row.
    pub(super) identity: Vec<usize>,
    pub(super) links: Vec<Link>,
    pub(super) place: Place,
    pub(super) partition: Template,
    pub(super) sort: Template,
    /// Whether `id` says what identifies it, because its key says more.
    pub(super) has_id: bool,
    pub(super) indexes: Vec<Index>,
    pub(super) uniques: Vec<Sole>,
    /// Conditions of its rows, in SQL.
    pub(super) only: Vec<String>,
    /// Why its rows cannot be carried as they are.
    pub(super) blocked: Option<String>,
    /// What was decided, a line for each.
    pub(super) remarks: Vec<String>,
}

impl Entity {
    /// The entity of a table, without attributes.
    pub(super) fn of(table: usize, name: EntityName) -> Entity {
        let template = Template {
            label: name.label.clone(),
            fields: Vec::new(),
        };
        Entity {
            table,
            name,
            attributes: Vec::new(),
            identity: Vec::new(),
            links: Vec::new(),
            place: Place::Own,
            partition: template.clone(),
            sort: template,
            has_id: false,
            indexes: Vec::new(),
            uniques: Vec::new(),
            only: Vec::new(),
            blocked: None,
            remarks: Vec::new(),
        }
    }

    /// The attribute of a column.
    pub(super) fn of_column(&self, column: usize) -> Option<usize> {
        self.attributes.iter().position(|one| one.column == column)
    }

    /// The attributes of columns; `None` if one has none.
    pub(super) fn of_columns(&self, columns: &[usize]) -> Option<Vec<usize>> {
        columns.iter().map(|one| self.of_column(*one)).collect()
    }

    /// The name of an attribute.
    pub(super) fn name_of(&self, attribute: usize) -> &str {
        self.attributes.get(attribute).map_or("", |one| &one.name)
    }

    /// Whether attributes, in any order, are those.
    pub(super) fn is_set(one: &[usize], other: &[usize]) -> bool {
        one.len() == other.len() && one.iter().all(|at| other.contains(at))
    }

    /// A number of an index that the entity does not use.
    pub(super) fn free_slot(&self) -> Option<usize> {
        let is_free = |slot: &usize| self.indexes.iter().all(|one| one.slot != *slot);
        (1..=INDEXES_MAX).find(is_free)
    }
}

/// A range of an attribute in a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Range {
    From,
    After,
    To,
    Before,
    Between,
    Starts,
}

/// What a pattern returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Returns {
    One,
    Many,
    /// Items of several keys.
    Batch,
    /// The entity and those beside it.
    Collection,
}

/// A pattern.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    pub(super) name: String,
    pub(super) entity: usize,
    pub(super) returns: Returns,
    /// The entities beside it in a collection.
    pub(super) beside: Vec<usize>,
    /// The attributes that are given.
    pub(super) equal: Vec<usize>,
    pub(super) range: Option<(usize, Range)>,
    /// The order, and whether it is descending.
    pub(super) order: Option<(usize, bool)>,
    pub(super) page: Option<u64>,
    /// Conditions that are judged after reading, with their parameters.
    pub(super) filters: Vec<Filter>,
    /// The positions of the questions that it answers.
    pub(super) answers: Vec<usize>,
}

/// A condition of a pattern that no key answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Filter {
    pub(super) attribute: usize,
    pub(super) compares: Compares,
}

/// How a filter compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compares {
    Unequal,
    From,
    After,
    To,
    Before,
    Missing,
    Exists,
}

/// What the compiler and the rows have said of earlier drafts. Tables and columns are those of the catalog.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Ruling {
    /// What columns are, where their values do not fit what they were taken for.
    pub(super) weaker: BTreeMap<(usize, usize), Judged>,
    /// Columns whose texts hold delimiters.
    pub(super) escaped: BTreeSet<(usize, usize)>,
    /// Tables that have a key of their own.
    pub(super) own: BTreeSet<usize>,
    /// Tables that are no entity, with the reason.
    pub(super) banned: BTreeMap<usize, String>,
    /// Tables whose rows cannot be carried as they are.
    pub(super) blocked: BTreeMap<usize, String>,
    /// Indexes that do not fit the others, by table and attributes.
    pub(super) no_index: BTreeSet<(usize, Vec<usize>)>,
    /// What is not kept unique, with the reason.
    pub(super) no_unique: BTreeMap<(usize, Vec<usize>), String>,
    /// Patterns that nothing answers, with the reason.
    pub(super) no_pattern: BTreeMap<String, String>,
}

/// The draft of a model.
#[derive(Debug, Clone, Default)]
pub(super) struct Draft {
    /// What is known of earlier drafts.
    pub(super) ruling: Ruling,
    /// The model's name.
    pub(super) name: String,
    pub(super) entities: Vec<Entity>,
    pub(super) patterns: Vec<Pattern>,
    /// What was left out, and why.
    pub(super) left_out: Vec<(String, String)>,
}
