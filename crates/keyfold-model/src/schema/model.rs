//! The resolved model.

use super::entity::Entity;
use super::pattern::{Pattern, Returned};
use super::table::Table;
use super::write::Write;

/// A model: tables, entities, patterns and writes.
#[derive(Debug, Clone, Default)]
pub struct Model {
    /// Its name.
    pub name: String,
    /// Its version, which its author increments.
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
    /// The entity with this name.
    pub fn entity(&self, name: &str) -> Option<&Entity> {
        self.entities.iter().find(|entity| entity.name == name)
    }

    /// The pattern with this name.
    pub fn pattern(&self, name: &str) -> Option<&Pattern> {
        self.patterns.iter().find(|pattern| pattern.name == name)
    }

    /// The named write with this name.
    pub fn write(&self, name: &str) -> Option<&Write> {
        self.writes.iter().find(|write| write.name == name)
    }

    /// The name of a returned item in the answer: the entity, `Entity.copy`, or the name that the
    /// pattern gives it.
    pub fn name_of(&self, returned: &Returned) -> String {
        if let Some(alias) = &returned.alias {
            return alias.clone();
        }
        let Some(entity) = self.entities.get(returned.entity) else {
            return String::new();
        };
        match returned.copy.and_then(|at| entity.copies.get(at)) {
            Some(copy) => format!("{}.{}", entity.name, copy.name),
            None => entity.name.clone(),
        }
    }
}
