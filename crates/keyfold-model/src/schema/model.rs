//! The resolved model.

use super::entity::Entity;
use super::pattern::{Pattern, Returned};
use super::table::Table;
use super::write::Write;
use crate::diagnostic::Span;

/// A model: tables, entities, patterns and writes.
#[derive(Debug, Clone, Default)]
pub struct Model {
    /// Its name.
    pub name: String,
    /// Its version, which its author increments.
    pub version: u32,
    /// The files that it is made of; the first one uses the others.
    pub files: Vec<File>,
    /// The tables.
    pub tables: Vec<Table>,
    /// The entities.
    pub entities: Vec<Entity>,
    /// The access patterns, with their plans.
    pub patterns: Vec<Pattern>,
    /// The named writes.
    pub writes: Vec<Write>,
}

/// A file of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its path from the folder of the first file.
    pub name: String,
    /// The owner that it names.
    pub owner: Option<String>,
    /// Its place among the texts of the model.
    pub span: Span,
}

impl Model {
    /// The file of a declaration, by the declaration's place.
    pub fn file_of(&self, span: Span) -> Option<&File> {
        let behind = self
            .files
            .partition_point(|file| file.span.start <= span.start);
        self.files.get(behind.checked_sub(1)?)
    }

    /// The owner of a declaration, by the declaration's place.
    pub fn owner_of(&self, span: Span) -> Option<&str> {
        self.file_of(span)?.owner.as_deref()
    }

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
