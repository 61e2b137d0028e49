//! The change of an entity's main item: a put of the whole item where nothing can be lost, an
//! update of its attributes otherwise.

use super::refusal::Refusal;
use super::step::{Step, StepAction};
use crate::derive::Derived;
use crate::expression::{Change, Term};
use crate::lookup::Names;
use keyfold_model::Entity;
use keyfold_model::schema::{Attribute, Path};
use keyfold_types::{Item, Value};
use std::collections::BTreeMap;

/// The attributes that a caller gives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Given<'g> {
    /// All attributes of the entity.
    All,
    /// These attributes. They are written even where they equal the values read, since another
    /// writer may have changed them in the meantime.
    Only(&'g Names<'g>),
}

impl Given<'_> {
    /// Whether the caller gives this attribute.
    pub(super) fn has(self, attribute: &Attribute) -> bool {
        match self {
            Given::All => !attribute.is_kept,
            Given::Only(names) => names.has(&attribute.name),
        }
    }
}

/// The main item of an entity before and after a change.
pub(super) struct MainItem<'m> {
    pub(super) entity: &'m Entity,
    /// The item as it was read, with attributes that the model does not name.
    pub(super) stored: &'m Item,
    pub(super) before: &'m Derived,
    pub(super) after: &'m Derived,
    pub(super) given: Given<'m>,
    /// The attributes of index keys that go, and that did not follow from the old values. An attribute
    /// of several keys occurs several times.
    pub(super) left: &'m [String],
}

impl MainItem<'_> {
    /// The step that changes the main item; `None` when nothing differs.
    pub(super) fn step(&self, conditions: &[Term]) -> Option<Step> {
        if self.given == Given::All && !self.loses_by_put() {
            let put = Step::put(self.entity, self.after.clone());
            return Some(put.unless_stale(conditions.to_vec()));
        }
        let lost = self.lost_attributes();
        let differs = |name: &str, value: &Value| self.stored.get(name) != Some(value);
        let any_differs = self
            .written_attributes()
            .any(|(name, value)| differs(name, value));
        if self.given != Given::All && lost.is_empty() && !any_differs {
            return None;
        }
        let changes = self
            .written_attributes()
            .filter(|(name, value)| differs(name, value) || self.is_given(name))
            .map(|(name, value)| (name.to_owned(), Change::Set(value.clone())))
            .collect();
        let absent = self.absent_attributes(&lost);
        let removed = lost.into_iter().chain(absent).map(Path::from).collect();
        Some(Step {
            label: format!("update {}", self.entity.name),
            refusal: Refusal::Stale,
            table: self.after.table.clone(),
            key: self.after.key.clone(),
            conditions: conditions.to_vec(),
            action: StepAction::Update { changes, removed },
            maxima: BTreeMap::new(),
        })
    }

    /// Whether the model keeps an attribute in the item. The version is written with every change.
    fn is_kept(&self, name: &str) -> bool {
        let attribute = self.entity.attribute(name);
        attribute.is_some_and(|attribute| attribute.is_kept)
            && self.entity.version.as_deref() != Some(name)
    }

    /// Whether a put would lose an attribute: one that the model keeps, or one that the model does
    /// not name and that others may have written.
    fn loses_by_put(&self) -> bool {
        let is_named = |name: &String| {
            self.entity.attribute(name).is_some()
                || self.before.item.get(name).is_some()
                || self.after.item.get(name).is_some()
        };
        let keeps = self
            .entity
            .attributes
            .iter()
            .any(|attribute| self.is_kept(&attribute.name));
        keeps || !self.stored.iter().all(|(name, _)| is_named(name))
    }

    /// The new attributes that are not of the key and not kept by the model, in the order of names.
    fn written_attributes(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.after
            .item
            .iter()
            .filter(|(name, _)| self.after.key.get(name).is_none() && !self.is_kept(name))
            .map(|(name, value)| (name.as_str(), value))
    }

    /// The attributes that followed from the old values and do not follow from the new ones.
    fn lost_attributes(&self) -> Vec<String> {
        let before = self.before.item.iter().map(|(name, _)| name);
        let lost = before.filter(|name| self.after.item.get(name).is_none() && !self.is_kept(name));
        let mut lost: Vec<String> = lost.chain(self.left).cloned().collect();
        lost.sort_unstable();
        lost.dedup();
        lost
    }

    /// The given attributes without a value that were absent when the item was read: another writer
    /// may have added them since. `lost` are in order.
    fn absent_attributes(&self, lost: &[String]) -> Vec<String> {
        let is_absent = |name: &str| self.after.item.get(name).is_none();
        match self.given {
            Given::All => self
                .entity
                .attributes
                .iter()
                .map(|attribute| &attribute.name)
                .filter(|name| {
                    is_absent(name) && !self.is_kept(name) && lost.binary_search(name).is_err()
                })
                .cloned()
                .collect(),
            Given::Only(names) => names
                .iter()
                .filter(|name| is_absent(name) && self.before.item.get(name).is_none())
                .map(str::to_owned)
                .collect(),
        }
    }

    fn is_given(&self, name: &str) -> bool {
        match self.given {
            Given::All => true,
            Given::Only(names) => names.has(name),
        }
    }
}
