//! A resolved model: every name has its meaning, every type is known.

mod attribute;
mod entity;
mod followed;
mod pattern;
mod plan;
mod table;
mod types;
mod write;

pub use attribute::{Attribute, DefaultValue};
pub use entity::{
    Aggregate, AggregateKind, Copy, Entity, Expected, GUARD_SORT, IndexKey, KeyPair, Sparse,
    guard_parts, hidden,
};
pub use pattern::{Comparator, Comparison, Limit, Order, Ordered, Parameter, Pattern, Returned};
pub use plan::{Fan, PatternPlan, RequestKind, SortCondition, TablePeriod};
pub use table::{Capacity, Column, Index, IndexKind, Projection, Table};
pub use types::{Precision, Record, Type};
pub use write::{Action, Assignment, Operand, Verb, Write, WriteParameter};

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
