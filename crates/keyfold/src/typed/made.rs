//! The identifiers and moments that a write makes where its caller does not give them, as structs of
//! generated clients.

use super::value::{Attribute, Fault};
use crate::error::Error;
use crate::given::Given;
use crate::written::Written;
use keyfold_client::write;
use keyfold_types::Value;

/// What a write makes: a struct of identifiers and moments, as they were given or made.
pub trait Made: Sized {
    /// Names among which are those of the arguments that are also members.
    const NAMES: &'static [&'static str];

    /// Takes each member out of a report.
    ///
    /// # Errors
    /// When one is absent that every such write makes.
    fn of_report(report: &mut Report) -> Result<Self, Fault>;
}

/// A write that makes nothing.
impl Made for () {
    const NAMES: &'static [&'static str] = &[];

    fn of_report(_: &mut Report) -> Result<(), Fault> {
        Ok(())
    }
}

/// The report of a write, with the arguments that it was given.
#[derive(Debug)]
pub struct Report {
    given: Given,
    made: Vec<write::Made>,
}

/// Arguments that are kept for the report of a write.
#[derive(Debug, Clone, Default)]
pub(super) struct Kept {
    given: Given,
}

impl Kept {
    /// The arguments that are members of `M`.
    pub(super) fn of<M: Made>(given: &Given) -> Kept {
        let kept = M::NAMES
            .iter()
            .filter_map(|name| given.get_key_value(*name));
        Kept {
            given: kept
                .map(|(name, held)| (name.clone(), held.clone()))
                .collect(),
        }
    }

    /// What the write made.
    pub(super) fn made<M: Made>(self, made: Vec<write::Made>) -> Result<M, Error> {
        let mut report = Report {
            given: self.given,
            made,
        };
        M::of_report(&mut report).map_err(|fault| {
            Error::invalid(format!(
                "it was written, but what it made does not fit: {fault}"
            ))
        })
    }

    /// The effect of the write.
    pub(super) fn written<M: Made>(self, written: write::Written) -> Result<Written<M>, Error> {
        Written::typed(written, |made| self.made(made))
    }
}

impl Report {
    /// A value that the argument of its name may give.
    ///
    /// # Errors
    /// When it was neither given nor made, and must be there.
    pub fn argument<T: Attribute>(&mut self, entity: &str, attribute: &str) -> Result<T, Fault> {
        let given = self.given.get(attribute).cloned();
        self.value(given, entity, attribute)
    }

    /// A moment that an argument of another name may give.
    ///
    /// # Errors
    /// When it was neither given nor made, and must be there.
    pub fn moment<T: Attribute>(
        &mut self,
        entity: &str,
        attribute: &str,
        argument: &str,
    ) -> Result<T, Fault> {
        let given = self.given.get(argument).cloned();
        self.value(given, entity, attribute)
    }

    /// A value that no argument gives.
    ///
    /// # Errors
    /// When it was not made, and must be there.
    pub fn never<T: Attribute>(&mut self, entity: &str, attribute: &str) -> Result<T, Fault> {
        self.value(None, entity, attribute)
    }

    /// The values for each element of a list, all of which an argument may give.
    ///
    /// # Errors
    /// When one was neither given nor made, and must be there.
    pub fn each_argument<T: Attribute>(
        &mut self,
        entity: &str,
        attribute: &str,
        list: &str,
    ) -> Result<Vec<T>, Fault> {
        let given = self.given.get(attribute).cloned();
        let each = self.elements(list).into_iter();
        each.map(|_| self.value(given.clone(), entity, attribute))
            .collect()
    }

    /// The moments for each element of a list, all of which an argument of another name may give.
    ///
    /// # Errors
    /// When one was neither given nor made, and must be there.
    pub fn each_moment<T: Attribute>(
        &mut self,
        entity: &str,
        attribute: &str,
        list: &str,
        argument: &str,
    ) -> Result<Vec<T>, Fault> {
        let given = self.given.get(argument).cloned();
        let each = self.elements(list).into_iter();
        each.map(|_| self.value(given.clone(), entity, attribute))
            .collect()
    }

    /// The values for each element of a list, which a field of the element may give.
    ///
    /// # Errors
    /// When one was neither given nor made, and must be there.
    pub fn each_element<T: Attribute>(
        &mut self,
        entity: &str,
        attribute: &str,
        list: &str,
    ) -> Result<Vec<T>, Fault> {
        let of_element = |element| {
            let Value::M(mut fields) = element else {
                return None;
            };
            fields.remove(attribute)
        };
        let each = self.elements(list).into_iter();
        each.map(|element| self.value(of_element(element), entity, attribute))
            .collect()
    }

    /// The values for each element of a list that no argument gives.
    ///
    /// # Errors
    /// When one was not made, and must be there.
    pub fn each_never<T: Attribute>(
        &mut self,
        entity: &str,
        attribute: &str,
        list: &str,
    ) -> Result<Vec<T>, Fault> {
        let each = self.elements(list).into_iter();
        each.map(|_| self.value(None, entity, attribute)).collect()
    }

    /// The elements of the list that was given.
    fn elements(&self, list: &str) -> Vec<Value> {
        match self.given.get(list) {
            Some(Value::L(elements)) => elements.clone(),
            _ => Vec::new(),
        }
    }

    /// A value as it was given, or the first of this name that was made.
    fn value<T: Attribute>(
        &mut self,
        given: Option<Value>,
        entity: &str,
        attribute: &str,
    ) -> Result<T, Fault> {
        let is_it = |one: &write::Made| one.entity == entity && one.attribute == attribute;
        let held = given.or_else(|| {
            let at = self.made.iter().position(is_it)?;
            Some(self.made.remove(at).value)
        });
        let value = match held {
            Some(value) => T::of_value(value),
            None => T::absent().ok_or_else(|| Fault::new("it was neither given nor made")),
        };
        value.map_err(|fault| fault.in_member(attribute))
    }
}
