//! Followed attributes: copies, guards, index keys and aggregates are derived from them, so that a
//! write must know their old values.

use super::entity::{Aggregate, Entity};
use super::model::Model;
use crate::template::{KeyTemplate, fields_of};

impl Model {
    /// The attributes from which copies, guards, index keys, parts and other entities' aggregates are
    /// derived. A write must know their old values. The names are sorted, without duplicates.
    pub fn followed<'m>(&'m self, entity: &'m Entity) -> Vec<&'m str> {
        let aggregates: Vec<&Aggregate> = self
            .aggregates_of(entity)
            .map(|(_, aggregate)| aggregate)
            .collect();
        self.followed_with(entity, &aggregates)
    }

    /// The followed attributes of an entity, given the aggregates that others keep of it.
    pub(crate) fn followed_with<'m>(
        &'m self,
        entity: &'m Entity,
        aggregates: &[&'m Aggregate],
    ) -> Vec<&'m str> {
        let mut names: Vec<&str> = entity
            .uniques
            .iter()
            .flatten()
            .map(String::as_str)
            .collect();
        for copy in &entity.copies {
            names.extend(copy.attributes.iter().map(String::as_str));
            names.extend(copy.key.fields());
        }
        let table = self.tables.get(entity.table);
        for key in &entity.indexes {
            let columns = table
                .and_then(|table| table.indexes.get(key.index))
                .into_iter()
                .flat_map(|i| i.columns());
            let templates = std::iter::once(&key.key.partition).chain(&key.key.sort);
            for (column, parts) in columns.zip(templates.flat_map(KeyTemplate::columns)) {
                // An attribute that is the key itself needs no derived value.
                let fields = fields_of(parts);
                names.extend(fields.into_iter().filter(|field| *field != column.name));
            }
            names.extend(key.sparse.iter().map(|sparse| sparse.attribute.as_str()));
        }
        names.extend(entity.split.iter().map(|(name, _)| name.as_str()));
        names.extend(entity.ttl.iter().map(String::as_str));
        for aggregate in aggregates {
            names.extend(aggregate.of.iter().map(String::as_str));
            names.extend(aggregate.condition.iter().map(|(name, _)| name.as_str()));
            names.extend(aggregate.link.iter().map(|(_, name)| name.as_str()));
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The aggregates that other entities keep of this one, each with the entity that keeps it.
    pub fn aggregates_of<'m>(
        &'m self,
        entity: &'m Entity,
    ) -> impl Iterator<Item = (&'m Entity, &'m Aggregate)> {
        let is_of = move |at: usize| {
            self.entities
                .get(at)
                .is_some_and(|found| found.name == entity.name)
        };
        self.entities
            .iter()
            .flat_map(|parent| {
                parent
                    .aggregates
                    .iter()
                    .map(move |aggregate| (parent, aggregate))
            })
            .filter(move |(_, aggregate)| is_of(aggregate.entity))
    }
}
