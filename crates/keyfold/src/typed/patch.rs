//! Changes of attributes.

use super::members::Members;
use super::value::Given;

/// A change of an attribute that may be absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Patch<T> {
    /// It stays as it is.
    #[default]
    Keep,
    /// It gets this value.
    Set(T),
    /// It is removed.
    Remove,
}

impl<T> From<T> for Patch<T> {
    fn from(value: T) -> Patch<T> {
        Patch::Set(value)
    }
}

/// The change of a member.
pub trait Changed {
    /// Adds it to the changes of an entity.
    fn change(&self, name: &str, members: &mut Members);
}

impl<T: Given> Changed for Option<T> {
    fn change(&self, name: &str, members: &mut Members) {
        members.give(name, self);
    }
}

impl<T: Given> Changed for Patch<T> {
    fn change(&self, name: &str, members: &mut Members) {
        match self {
            Patch::Keep => {}
            Patch::Set(value) => members.give(name, value),
            Patch::Remove => members.remove(name),
        }
    }
}
