//! The resolved model.

use super::entity::Entity;
use super::list::{List, Named};
use super::pattern::{Pattern, Returned};
use super::table::Table;
use super::write::Write;
use crate::diagnostic::Span;
use std::collections::BTreeMap;

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
    pub entities: List<Entity>,
    /// By entity, the aggregates that others keep of it: the place of the entity that keeps it, and
    /// its place there.
    pub counted: BTreeMap<String, Vec<(usize, usize)>>,
    /// The access patterns, with their plans.
    pub patterns: List<Pattern>,
    /// The named writes.
    pub writes: List<Write>,
}

/// A file of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its path from the folder of the first file.
    pub name: String,
    /// The owner that it names.
    pub owner: Option<String>,
    /// The records that it declares, and whether other files may use them.
    pub records: Vec<(String, bool)>,
    /// Its place among the texts of the model.
    pub span: Span,
}

impl Named for Entity {
    fn name(&self) -> &str {
        &self.name
    }
}

impl Named for Pattern {
    fn name(&self) -> &str {
        &self.name
    }
}

impl Named for Write {
    fn name(&self) -> &str {
        &self.name
    }
}

impl Model {
    /// Notes the aggregates of each entity, once all are resolved.
    pub(crate) fn note_aggregates(&mut self) {
        for (parent, entity) in self.entities.iter().enumerate() {
            for (at, aggregate) in entity.aggregates.iter().enumerate() {
                if let Some(child) = self.entities.get(aggregate.entity) {
                    let counted = self.counted.entry(child.name.clone());
                    counted.or_default().push((parent, at));
                }
            }
        }
    }

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
        self.entities.named(name)
    }

    /// The pattern with this name.
    pub fn pattern(&self, name: &str) -> Option<&Pattern> {
        self.patterns.named(name)
    }

    /// The named write with this name.
    pub fn write(&self, name: &str) -> Option<&Write> {
        self.writes.named(name)
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
        entity.kind_of(returned.copy)
    }
}
