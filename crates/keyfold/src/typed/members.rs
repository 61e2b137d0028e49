//! Structs as names and values, and back. The macros of generated files implement these traits.

use super::made::Made;
use super::value::{Attribute, Fault, Given};
use crate::error::Error;
use crate::item::Item;
use keyfold_types::Value;
use std::collections::BTreeMap;

/// Names and values that are given: attributes of an entity, arguments of a call.
#[derive(Debug, Clone, Default)]
pub struct Members {
    given: BTreeMap<String, Value>,
    removed: Vec<String>,
    fault: Option<Fault>,
}

impl Members {
    /// Gives a value. `None` is not given.
    pub fn give<T: Given + ?Sized>(&mut self, name: &str, held: &T) {
        self.add(name, held.to_value());
    }

    /// Removes what is stored of an attribute.
    pub fn remove(&mut self, name: &str) {
        self.removed.push(name.to_owned());
    }

    fn add(&mut self, name: &str, value: Result<Value, Fault>) {
        match value {
            Ok(Value::Null) => {}
            Ok(value) => {
                self.given.insert(name.to_owned(), value);
            }
            Err(fault) => self.fault = Some(fault.in_member(name)),
        }
    }

    /// The values as a map.
    ///
    /// # Errors
    /// When one of them cannot be stored.
    pub fn into_value(self) -> Result<Value, Fault> {
        match self.fault {
            Some(fault) => Err(fault),
            None => Ok(Value::M(self.given)),
        }
    }

    /// The values, and the names of what is removed.
    pub(crate) fn into_parts(self) -> Result<(BTreeMap<String, Value>, Vec<String>), Error> {
        match self.fault {
            Some(fault) => Err(Error::Invalid(fault.to_string())),
            None => Ok((self.given, self.removed)),
        }
    }
}

/// Names and values that were read.
#[derive(Debug)]
pub struct Held {
    members: Vec<(String, Value)>,
}

impl Held {
    /// The entries of a map.
    ///
    /// # Errors
    /// When the value is no map.
    pub fn of_value(value: Value) -> Result<Held, Fault> {
        let Value::M(entries) = value else {
            let found = keyfold_model::value::shown(&value);
            return Err(Fault::new(format!("{found} is stored, which is no record")));
        };
        Ok(Held {
            members: entries.into_iter().collect(),
        })
    }

    /// The attributes of an item.
    pub(super) fn of_item(item: Item) -> Held {
        Held {
            members: item.into_found().attributes,
        }
    }

    /// Takes a value out.
    ///
    /// # Errors
    /// When it is absent although it must be there, or no value of the type.
    pub fn take<T: Attribute>(&mut self, name: &str) -> Result<T, Fault> {
        let value = match self.remove(name) {
            Some(value) => T::of_value(value),
            None => T::absent().ok_or_else(|| Fault::new("it is absent, and may not be")),
        };
        value.map_err(|fault| fault.in_member(name))
    }

    fn remove(&mut self, name: &str) -> Option<Value> {
        let at = self.members.iter().position(|(known, _)| known == name)?;
        Some(self.members.swap_remove(at).1)
    }
}

/// A struct whose members are attributes or arguments.
pub trait ToMembers {
    /// Gives each member.
    fn give_to(&self, members: &mut Members);

    /// All members.
    fn to_members(&self) -> Members {
        let mut members = Members::default();
        self.give_to(&mut members);
        members
    }
}

/// A struct that is read from attributes.
pub trait OfMembers: Sized {
    /// Takes each member out.
    ///
    /// # Errors
    /// When one is absent or of another type.
    fn of_members(held: &mut Held) -> Result<Self, Fault>;
}

/// The type of a pattern's items: of one kind, or an enum of several.
pub trait Answer: Sized {
    /// The item of a kind.
    ///
    /// # Errors
    /// When it does not fit, or the type has no such kind.
    fn of_item(kind: &str, held: Held) -> Result<Self, Fault>;
}

/// The fault of a kind that an enum does not have.
pub fn unknown_kind(kind: &str) -> Fault {
    Fault::new(format!("the client knows no kind {kind} of this pattern"))
}

/// The item as the type of a pattern.
pub(crate) fn answer<T: Answer>(item: Item) -> Result<T, Error> {
    let found = item.into_found();
    let held = Held {
        members: found.attributes,
    };
    let made = T::of_item(&found.kind, held);
    made.map_err(|fault| Error::Invalid(format!("the {} does not fit: {fault}", found.kind)))
}

/// The items of a pattern that names each of them.
#[derive(Debug)]
pub struct Named {
    items: Vec<Item>,
}

impl Named {
    pub(crate) fn new(items: Vec<Item>) -> Named {
        Named { items }
    }

    /// Takes out an item that may be absent.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn optional<T: Answer>(&mut self, name: &str) -> Result<Option<T>, Error> {
        let at = self.items.iter().position(|item| item.kind() == name);
        at.map(|at| answer(self.items.swap_remove(at))).transpose()
    }

    /// Takes out an item that is there.
    ///
    /// # Errors
    /// `NotFound` when it is not; `Invalid` when it does not fit.
    pub fn required<T: Answer>(&mut self, name: &str) -> Result<T, Error> {
        self.optional(name)?
            .ok_or_else(|| Error::not_found(format!("there is no {name}")))
    }
}

/// The struct of a pattern that names each of its items.
pub trait Together: Sized {
    /// Takes each item out.
    ///
    /// # Errors
    /// When one that must be there is absent, or does not fit.
    fn of_named(named: Named) -> Result<Self, Error>;
}

/// An entity and the types of its writes.
pub trait Entity {
    /// Its name in the model.
    const NAME: &'static str;
    /// Its model.
    type Model;
    /// One that is created.
    type New: ToMembers;
    /// One that is put: with a version, that of the stored item.
    type Put: ToMembers;
    /// The attributes that identify it.
    type Key: ToMembers;
    /// Changes of it.
    type Patch: ToMembers;
    /// What is made for a new one.
    type Made: Made;
    /// What each update sets.
    type Touched: Made;
}

/// An entity from which nothing follows: no copy, guard, count, version or part. Batches, which have
/// no condition and no second item, write only such ones.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written in a batch",
    label = "something follows from this entity, or is compared with it",
    note = "write each, or up to 100 items by `transact`"
)]
pub trait Alone: Entity {}
