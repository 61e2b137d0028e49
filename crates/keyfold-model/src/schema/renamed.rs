//! A model in which attributes have other names. What is stored does not change where the attributes
//! are stored in keys only.

use super::attribute::Attribute;
use super::entity::{Entity, KeyPair, order_by_name};
use super::model::Model;
use crate::template::Part;
use std::collections::BTreeMap;

/// By old name, the new name of an attribute.
pub type NewNames = BTreeMap<String, String>;

impl Model {
    /// The model with other names of attributes, by the name of their entity. Names of guards, by
    /// which `unique` and `id` are stored, and those of patterns, writes and views stay as they are.
    pub fn with_attribute_names(&self, names: &BTreeMap<String, NewNames>) -> Model {
        let mut model = self.clone();
        let nothing = NewNames::new();
        for entity in model.entities.iter_mut() {
            let own = names.get(&entity.name).unwrap_or(&nothing);
            for attribute in &mut entity.attributes {
                follow(attribute, names);
            }
            entity.rename(own);
            for aggregate in &mut entity.aggregates {
                let child = self.entities.get(aggregate.entity);
                let child = child.and_then(|child| names.get(&child.name));
                let child = child.unwrap_or(&nothing);
                for (field, reference) in &mut aggregate.link {
                    rename(field, own);
                    rename(reference, child);
                }
                let condition = aggregate.condition.iter_mut().map(|(name, _)| name);
                let of = aggregate.of.iter_mut().chain(condition);
                for name in aggregate.by.iter_mut().chain(of) {
                    rename(name, child);
                }
            }
        }
        model
    }
}

impl Entity {
    fn rename(&mut self, names: &NewNames) {
        for attribute in &mut self.attributes {
            rename(&mut attribute.name, names);
        }
        self.by_name = order_by_name(&self.attributes);
        rename_key(&mut self.key, names);
        for index in &mut self.indexes {
            rename_key(&mut index.key, names);
            if let Some(sparse) = &mut index.sparse {
                rename(&mut sparse.attribute, names);
            }
        }
        for copy in &mut self.copies {
            rename_key(&mut copy.key, names);
            for name in &mut copy.attributes {
                rename(name, names);
            }
        }
        let single = self.ttl.iter_mut().chain(&mut self.period_attribute);
        let excluded = self.excluded.iter_mut().map(|one| &mut one.attribute);
        let expected = self.expected.per.iter_mut().map(|(name, _)| name);
        let split = self.split.iter_mut().map(|(name, _)| name);
        let all = single.chain(&mut self.unstored).chain(excluded);
        let all = all.chain(split).chain(&mut self.compressed);
        all.chain(expected).for_each(|name| rename(name, names));
    }
}

/// Makes a reference name the attribute that it refers to.
fn follow(attribute: &mut Attribute, names: &BTreeMap<String, NewNames>) {
    if let Some((to, of)) = &mut attribute.refers
        && let Some(names) = names.get(to)
    {
        rename(of, names);
    }
}

fn rename_key(key: &mut KeyPair, names: &NewNames) {
    rename_parts(&mut key.partition.parts, names);
    if let Some(sort) = &mut key.sort {
        rename_parts(&mut sort.parts, names);
    }
}

fn rename_parts(parts: &mut [Part], names: &NewNames) {
    for part in parts {
        match part {
            Part::Field { name, .. } => rename(name, names),
            Part::Shard { of, .. } => rename_parts(of, names),
            Part::Text(_) | Part::Chunk | Part::Break => {}
        }
    }
}

fn rename(name: &mut String, names: &NewNames) {
    if let Some(new) = names.get(name) {
        name.clone_from(new);
    }
}
