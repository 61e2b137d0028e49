//! Entities and attributes of two models that are the same ones: by their names, or by `was`.

use super::stored::is_stored;
use crate::schema::{Attribute, Entity, Model, Table};

/// An entity of the old model and the one that it is in the new model.
#[derive(Debug, Clone, Copy)]
pub struct Pair<'m> {
    /// The old model.
    pub old_model: &'m Model,
    /// The new model.
    pub new_model: &'m Model,
    /// The entity as the old model has it.
    pub old: &'m Entity,
    /// The entity as the new model has it.
    pub new: &'m Entity,
    /// Which items of the old one become items of the new one.
    pub takes: Takes<'m>,
    /// Whether the items of other entities of the old model become items of the new one, too.
    pub is_merged: bool,
}

/// Which items of an entity of the old model become those of one of the new model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes<'m> {
    /// All of them.
    All,
    /// Those with this value of an attribute.
    Where(&'m str, &'m str),
    /// Those that no other entity takes.
    Rest,
}

impl<'m> Pair<'m> {
    /// The old name of an attribute of the new model.
    pub fn old_name<'n>(&self, new: &'n str) -> &'n str
    where
        'm: 'n,
    {
        let found = self.new.attribute(new);
        let mut was = found.iter().flat_map(|found| &found.was);
        was.find(|was| self.old.attribute(was).is_some())
            .map_or(new, String::as_str)
    }

    /// An attribute of the new model that had two names in one entity of the old model.
    pub(super) fn had_two_names(&self, two: &'m Attribute) -> Option<(&'m str, &'m str)> {
        let mut names = two.was.iter().map(String::as_str);
        let mut names = names
            .by_ref()
            .filter(|was| self.old.attribute(was).is_some());
        names.next().zip(names.next())
    }

    /// Why such an attribute cannot be carried over, as a sentence without its end.
    pub(super) fn double(&self, two: &Attribute, (one, other): (&str, &str)) -> String {
        format!(
            "{} has `{one}` and `{other}`, and `{}` can be one of them only",
            self.old.name, two.name
        )
    }

    /// The attribute of the old model that an attribute of the new one is.
    pub fn old_of(&self, new: &'m Attribute) -> Option<&'m Attribute> {
        self.old.attribute(self.old_name(&new.name))
    }

    /// The attribute of the new model that an attribute of the old one became.
    pub fn new_of(&self, old: &Attribute) -> Option<&'m Attribute> {
        let mut all = self.new.attributes.iter();
        all.find(|one| self.old_name(&one.name) == old.name)
    }

    /// Whether an attribute of the new model has a name that another one had in the old model.
    pub fn takes_over(&self, two: &Attribute) -> bool {
        self.old_name(&two.name) != two.name && self.old.attribute(&two.name).is_some()
    }

    /// Whether each item shows in which form it has an attribute that [takes a name over](Pair::takes_over):
    /// in the old form, every item has its former name.
    pub fn shows_form(&self, two: &Attribute) -> bool {
        let former = self.old_name(&two.name);
        let one = self.old.attribute(former);
        one.is_some_and(|one| !one.optional)
            && is_stored(self.old, former)
            && is_stored(self.new, &two.name)
            && self.new.attribute(former).is_none()
    }

    /// The attribute of the old version whose name the table takes for the moment of expiry, with one of the new version
    /// that is made of it.
    pub fn taken_for_expiry(&self) -> Option<(&'m str, &'m Attribute)> {
        let (old_table, new_table) = self.tables()?;
        let name = new_table.ttl_attribute.as_deref()?;
        let is_taken = old_table.ttl_attribute.as_deref() != Some(name)
            && self.new.ttl.is_some()
            && self.old.attribute(name).is_some();
        let is_made_of = |two: &&Attribute| match &two.former {
            Some(former) => former.names().contains(&name),
            None => self.old_name(&two.name) == name,
        };
        let two = self
            .new
            .attributes
            .iter()
            .filter(|_| is_taken)
            .find(is_made_of)?;
        Some((name, two))
    }

    /// Whether other items of the old entity become those of another one.
    pub fn is_split(&self) -> bool {
        self.takes != Takes::All
    }

    /// The tables that its items lie in, before and after.
    pub fn tables(&self) -> Option<(&'m Table, &'m Table)> {
        let old = self.old_model.tables.get(self.old.table)?;
        Some((old, self.new_model.tables.get(self.new.table)?))
    }

    /// How the new model calls it.
    pub(super) fn title(&self) -> String {
        match self.is_merged {
            true => format!("{} was {}", title(self.new), self.old.name),
            false => title(self.new),
        }
    }
}

/// An entity or a view, as the model declares it.
pub(super) fn title(entity: &Entity) -> String {
    let word = entity.view.as_ref().map_or("entity", |_| "view");
    format!("{word} {}", entity.name)
}

/// The entities that are in both models, in the order of the new one.
pub fn pairs<'m>(old_model: &'m Model, new_model: &'m Model) -> Vec<Pair<'m>> {
    let of = |(old, new): (&'m Entity, &'m Entity)| {
        // The rows of a view follow from other items: they are no items of an entity of its name.
        let is_alike = old.view.is_some() == new.view.is_some();
        let takes = match &new.part {
            Some((attribute, value)) => Takes::Where(attribute, value),
            None => Takes::All,
        };
        is_alike.then_some(Pair {
            old_model,
            new_model,
            old,
            new,
            takes,
            is_merged: false,
        })
    };
    let each = |new: &'m Entity| {
        let was = new.was.iter().filter_map(|was| old_model.entity(was));
        let mut former: Vec<&'m Entity> = was.collect();
        if former.is_empty() {
            former.extend(old_model.entity(&new.name));
        }
        former.into_iter().map(move |old| (old, new))
    };
    let mut all: Vec<Pair<'m>> = new_model
        .entities
        .iter()
        .flat_map(each)
        .filter_map(of)
        .collect();
    for at in 1..all.len() {
        let (before, rest) = all.split_at_mut(at);
        if let (Some(one), Some(two)) = (before.last_mut(), rest.first_mut())
            && one.new.name == two.new.name
        {
            (one.is_merged, two.is_merged) = (true, true);
        }
    }
    let split = all.iter().filter(|pair| pair.is_split());
    let split: Vec<&str> = split.map(|pair| pair.old.name.as_str()).collect();
    for pair in &mut all {
        if pair.takes == Takes::All && split.contains(&pair.old.name.as_str()) {
            pair.takes = Takes::Rest;
        }
    }
    all
}

/// The pairs of an entity of the old model: one, unless its items become those of several entities.
pub(super) fn of_old<'p, 'm>(
    pairs: &'p [Pair<'m>],
    name: &str,
) -> impl Iterator<Item = &'p Pair<'m>> {
    let own = |pair: &&Pair<'m>| pair.old.name == name;
    pairs.iter().filter(own).collect::<Vec<_>>().into_iter()
}

/// The pairs of an entity of the new model: one, unless the items of several become its own.
pub(super) fn of_new<'p, 'm>(
    pairs: &'p [Pair<'m>],
    name: &str,
) -> impl Iterator<Item = &'p Pair<'m>> {
    let own = |pair: &&Pair<'m>| pair.new.name == name;
    pairs.iter().filter(own).collect::<Vec<_>>().into_iter()
}
