//! Views: entities whose items are kept from those of another entity, through its table's stream.

use super::attribute::hidden;
use super::condition::Condition;
use crate::diagnostic::Span;
use crate::period::Unit;

/// What an entity is kept from. Nothing but the upkeep of views writes its items, the view's rows.
#[derive(Debug, Clone)]
pub struct View {
    /// The position of the source entity, which is no view.
    pub source: usize,
    /// The conditions on the attributes of a source item; only items for which all of them hold are
    /// in the view. They compare with fixed values and with attributes, never with parameters.
    pub when: Vec<Condition>,
    /// What each attribute of a row is made of, in the order of the entity's attributes.
    pub columns: Vec<Column>,
    /// Whether several source items may share a row. Otherwise each source item has a row of its own.
    pub is_grouped: bool,
}

/// What an attribute of a row is made of.
#[derive(Debug, Clone)]
pub struct Column {
    /// The attribute of the row.
    pub attribute: String,
    /// What it is made of.
    pub from: From,
    /// The place of its declaration; that of the key's template for an attribute that no line of the
    /// view declares.
    pub span: Span,
}

/// What a row's attribute is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum From {
    /// The source's attribute, which is in the row's key, so that all items of the row share it.
    Group {
        /// The source's attribute.
        of: String,
        /// The unit of a time, of which the row has the period's beginning:
        /// [`Unit::first_time`].
        cut: Option<Unit>,
    },
    /// The source's attribute; only in a view whose rows have one source item each.
    Copied {
        /// The source's attribute.
        of: String,
    },
    /// The number of source items.
    Count,
    /// The sum of a number; 0 while no item has one.
    Sum {
        /// The source's attribute.
        of: String,
    },
    /// The least value; absent while no item has one.
    Min {
        /// The source's attribute.
        of: String,
    },
    /// The greatest value; absent while no item has one.
    Max {
        /// The source's attribute.
        of: String,
    },
    /// The sum of a number divided by the number of items that have one, with 38 digits; absent while
    /// no item has one. Sum and number are kept beside it: [`Column::hidden`].
    Average {
        /// The source's attribute.
        of: String,
    },
    /// The number of different values.
    Distinct {
        /// The source's attribute.
        of: String,
    },
    /// The source items with the greatest (or least) values: a list of records, the first in order at
    /// its beginning. Items of one value are in the order of their identity, as stored text, ascending.
    /// Items without the value are left out.
    Top {
        /// The most items that the list has.
        number: u32,
        /// The source's attribute by which the items are ordered.
        by: String,
        /// Whether the greatest come first.
        descending: bool,
        /// The source's attributes that a record has, `by` first.
        fields: Vec<String>,
    },
    /// An attribute of the item that the source refers to, and whose changes the row follows; absent
    /// while there is no such item, or it has no value.
    Joined {
        /// The position of the entity that is referred to.
        entity: usize,
        /// For each attribute of that entity's key, the source's attribute that refers to it.
        link: Vec<(String, String)>,
        /// The attribute of that entity.
        of: String,
    },
}

impl From {
    /// The source's attributes that it needs; one may appear twice.
    pub fn needed(&self) -> Vec<&str> {
        match self {
            From::Group { of, .. }
            | From::Copied { of }
            | From::Sum { of }
            | From::Min { of }
            | From::Max { of }
            | From::Average { of }
            | From::Distinct { of } => vec![of],
            From::Count => Vec::new(),
            From::Top { fields, .. } => fields.iter().map(String::as_str).collect(),
            From::Joined { link, .. } => link.iter().map(|(_, own)| own.as_str()).collect(),
        }
    }

    /// Whether it is made of all items of a row together.
    pub fn is_aggregate(&self) -> bool {
        match self {
            From::Count
            | From::Sum { .. }
            | From::Min { .. }
            | From::Max { .. }
            | From::Average { .. }
            | From::Distinct { .. }
            | From::Top { .. } => true,
            From::Group { .. } | From::Copied { .. } | From::Joined { .. } => false,
        }
    }
}

impl Column {
    /// The name of a hidden attribute that is kept beside it: `mean:sum`, `mean:items`.
    pub fn hidden(&self, what: &str) -> String {
        hidden(&self.attribute, what)
    }
}

/// What the upkeep of a row needs for a change of one source item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Upkeep {
    /// Whether the row is read before it is written. Counts and sums are added to.
    pub reads_row: bool,
    /// The number of columns and joined entities that need items of support, which hold the values of
    /// a row's items in order and the rows of a joined item.
    pub support: usize,
}

impl View {
    /// What a change of a source item needs.
    pub fn upkeep(&self) -> Upkeep {
        let needs = |column: &&Column| match column.from {
            From::Min { .. } | From::Max { .. } | From::Distinct { .. } | From::Top { .. } => true,
            From::Group { .. }
            | From::Copied { .. }
            | From::Count
            | From::Sum { .. }
            | From::Average { .. }
            | From::Joined { .. } => false,
        };
        let support = self.columns.iter().filter(needs).count() + self.joined().len();
        let has_average = |column: &Column| matches!(column.from, From::Average { .. });
        Upkeep {
            reads_row: support > 0 || self.columns.iter().any(has_average),
            support,
        }
    }

    /// The column of an attribute.
    pub fn column(&self, attribute: &str) -> Option<&Column> {
        self.columns.iter().find(|one| one.attribute == attribute)
    }

    /// The entities whose items the rows follow besides the source's, by position; each once.
    pub fn joined(&self) -> Vec<usize> {
        let mut all = Vec::new();
        for column in &self.columns {
            if let From::Joined { entity, .. } = column.from
                && !all.contains(&entity)
            {
                all.push(entity);
            }
        }
        all
    }

    /// The name of a hidden attribute of a row: `view:items`, the number of its source items, and
    /// `view:version`, another random one after each change.
    pub fn hidden(what: &str) -> String {
        hidden("view", what)
    }
}
