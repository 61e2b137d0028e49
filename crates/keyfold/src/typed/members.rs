//! Structs as names and values, and back. The macros of generated files implement these traits.

use super::made::Made;
use super::value::{Attribute, Fault, Given};
use crate::error::Error;
use crate::item::Item;
use keyfold_lower::{FoundItem, OnUnknown, UnknownItem, shown_item};
use keyfold_model::Model;
use keyfold_types::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

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
            Some(fault) => Err(Error::of_fault(&fault)),
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

/// What names an item that does not fit its type, and whether it is an error or is left out.
#[derive(Clone)]
pub(crate) struct Seen {
    model: Arc<Model>,
    on_unknown: OnUnknown,
}

impl Seen {
    pub(crate) fn new(model: &Arc<Model>, on_unknown: OnUnknown) -> Seen {
        Seen {
            model: Arc::clone(model),
            on_unknown,
        }
    }

    /// The item as the type of a pattern; `None` for one that is left out.
    ///
    /// # Errors
    /// `UnknownItem` when it does not fit.
    pub(crate) fn answer<T: Answer>(&self, item: Item) -> Result<Option<T>, Error> {
        let FoundItem { kind, attributes } = item.into_found();
        let id = self.id_of(&kind, &attributes);
        let held = Held {
            members: attributes,
        };
        match T::of_item(&kind, held) {
            Ok(made) => Ok(Some(made)),
            Err(_) if self.on_unknown == OnUnknown::Skip => Ok(None),
            Err(fault) => Err(unfit(&kind, id, &fault)),
        }
    }

    /// The attributes that identify an item.
    fn id_of(&self, kind: &str, attributes: &[(String, Value)]) -> BTreeMap<String, Value> {
        let name = kind.split('.').next().unwrap_or(kind);
        let Some(entity) = self.model.entity(name) else {
            return BTreeMap::new();
        };
        let identity = entity.identity();
        let of_id = attributes
            .iter()
            .filter(|(name, _)| identity.contains(&name.as_str()));
        of_id.cloned().collect()
    }
}

/// The error about an item that does not fit its type.
pub(super) fn unfit(kind: &str, id: BTreeMap<String, Value>, fault: &Fault) -> Error {
    let mut named = keyfold_types::Item::new();
    for (name, held) in &id {
        named.insert(name.as_str(), held.clone());
    }
    let shown = match shown_item(&named).as_str() {
        "" => String::new(),
        some => format!(" ({some})"),
    };
    let unknown = UnknownItem::because(format!("the {kind}{shown} does not fit: {fault}"));
    let attribute = fault.path().unwrap_or_default();
    Error::UnknownItem(Box::new(unknown.of(kind, &attribute).identified(id)))
}

/// The items of a pattern that names each of them.
pub struct Named {
    items: Vec<Item>,
    seen: Seen,
}

impl Named {
    pub(crate) fn new(items: Vec<Item>, seen: Seen) -> Named {
        Named { items, seen }
    }

    /// Takes out an item that may be absent.
    ///
    /// # Errors
    /// `UnknownItem` when it does not fit.
    pub fn optional<T: Answer>(&mut self, name: &str) -> Result<Option<T>, Error> {
        let at = self.items.iter().position(|item| item.kind() == name);
        match at {
            Some(at) => self.seen.answer(self.items.swap_remove(at)),
            None => Ok(None),
        }
    }

    /// Takes out an item that is there.
    ///
    /// # Errors
    /// `NotFound` when it is not; `UnknownItem` when it does not fit.
    pub fn required<T: Answer>(&mut self, name: &str) -> Result<T, Error> {
        self.optional(name)?
            .ok_or_else(|| Error::not_found(format!("there is no {name}")))
    }
}

impl std::fmt::Debug for Named {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.items.fmt(f)
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
