//! Followed attributes: copies, guards, index keys and aggregates are derived from them, so that a
//! write must know their old values.

use super::entity::{Aggregate, Entity, IndexKey, Unique};
use super::model::Model;
use super::table::{Index, Table};
use crate::template::{KeyTemplate, fields_of};

impl IndexKey {
    /// The attributes from which other key attributes are derived, and those that decide whether an
    /// item is in the index. An attribute that is the key itself is not followed, unless it may be
    /// missing and other key attributes are made only where it is there.
    pub(crate) fn followed<'k>(&'k self, entity: &Entity, table: Option<&Table>) -> Vec<&'k str> {
        let columns = table
            .and_then(|table| table.indexes.get(self.index))
            .into_iter()
            .flat_map(Index::columns);
        let parts = self.key.templates().flat_map(KeyTemplate::columns);
        let is_own = |name: &str| {
            let mut own = table.into_iter().flat_map(Table::columns);
            own.any(|column| column.name == name)
        };
        let (mut names, mut bare, mut has_others) = (Vec::new(), Vec::new(), false);
        for (column, parts) in columns.zip(parts) {
            let fields = fields_of(parts);
            let (itself, others): (Vec<&str>, Vec<&str>) =
                fields.into_iter().partition(|field| *field == column.name);
            has_others |= itself.is_empty() && !is_own(&column.name);
            names.extend(others);
            bare.extend(itself);
        }
        let may_lack = |name: &&str| {
            let found = entity.attribute(name);
            found.is_some_and(|found| found.optional)
        };
        names.extend(bare.into_iter().filter(|name| has_others && may_lack(name)));
        names.extend(self.sparse.iter().map(|sparse| sparse.attribute.as_str()));
        names
    }
}

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
        let mut names = self.deciding_with(entity, aggregates);
        for copy in &entity.copies {
            names.extend(copy.attributes.iter().map(String::as_str));
        }
        names.extend(entity.split.iter().map(|(name, _)| name.as_str()));
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Whether an attribute decides which other items follow from an entity, where they lie and what
    /// aggregates count. Copies may hold other attributes, and parts the split list.
    pub fn decides(&self, entity: &Entity, attribute: &str) -> bool {
        let aggregates: Vec<&Aggregate> = self.aggregates_of(entity).map(|(_, one)| one).collect();
        self.deciding_with(entity, &aggregates).contains(&attribute)
    }

    fn deciding_with<'m>(
        &'m self,
        entity: &'m Entity,
        aggregates: &[&'m Aggregate],
    ) -> Vec<&'m str> {
        let mut names: Vec<&str> = entity.uniques.iter().flat_map(Unique::attributes).collect();
        names.extend(entity.moving());
        for copy in &entity.copies {
            names.extend(copy.deciding());
        }
        let table = self.tables.get(entity.table);
        for key in &entity.indexes {
            names.extend(key.followed(entity, table));
        }
        names.extend(entity.ttl.iter().map(String::as_str));
        for aggregate in aggregates {
            names.extend(aggregate.of.iter().map(String::as_str));
            names.extend(aggregate.condition.iter().map(|(name, _)| name.as_str()));
            names.extend(aggregate.link.iter().map(|(_, name)| name.as_str()));
        }
        names
    }

    /// The aggregates that other entities keep of this one, each with the entity that keeps it.
    pub fn aggregates_of<'m>(
        &'m self,
        entity: &'m Entity,
    ) -> impl Iterator<Item = (&'m Entity, &'m Aggregate)> {
        let all = self.counted.get(&entity.name).into_iter().flatten();
        all.filter_map(|(parent, at)| {
            let parent = self.entities.get(*parent)?;
            Some((parent, parent.aggregates.get(*at)?))
        })
    }

    /// The first thing that follows from a write of an entity or is compared with it, in words.
    /// Batches, which have no condition and no second item, write only entities without one.
    pub fn follows_from(&self, entity: &Entity) -> Option<String> {
        if entity.view.is_some() {
            return Some("it is a view, whose rows follow from others".to_owned());
        }
        if !entity.copies.is_empty() {
            return Some("it has copies".to_owned());
        }
        if entity.moves() {
            return Some("its items move, and a guard says where they are".to_owned());
        }
        if let Some(unique) = entity.uniques.first() {
            return Some(format!("a guard keeps its {} unique", unique.joined(", ")));
        }
        if entity.split.is_some() {
            return Some("it is stored as several items".to_owned());
        }
        if let Some(version) = &entity.version {
            return Some(format!("its {version} counts its writes"));
        }
        if let Some((parent, aggregate)) = self.aggregates_of(entity).next() {
            return Some(format!(
                "{}.{} follows it",
                parent.name, aggregate.attribute
            ));
        }
        let kept = entity.aggregates.first();
        kept.map(|aggregate| format!("it keeps {}", aggregate.attribute))
    }
}
