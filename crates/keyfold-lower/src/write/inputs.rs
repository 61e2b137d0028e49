//! The values that the actions of a named write take: parameters, fields of records, and attributes
//! of the entities of other actions.

use super::lacking::{item_text, lacks};
use super::refusal::key_text;
use crate::arguments::Values;
use crate::complete::Made;
use crate::derive::identifying_place;
use crate::error::ClientError;
use crate::lookup::{Names, Placed};
use keyfold_model::schema::{Path, Source, Taken};
use keyfold_model::value::ValueError;
use keyfold_model::{Action, Entity, Model, Operand, Verb, Write};
use std::collections::BTreeMap;

/// The inputs of an action.
pub(super) struct Inputs<'i> {
    /// The values that the action takes for attributes of its entity.
    pub(super) own: Values,
    /// The parameters and the fields of the record, which operands name, and what they take from
    /// other actions.
    pub(super) arguments: &'i Values,
    /// The attributes of its entity that later actions take, except those that identify the item. They
    /// must not change before the write.
    pub(super) lent: Names<'i>,
}

/// The attributes of an action's entity that other actions of the write take. Those that identify
/// the item are given, and do not change.
pub(super) fn lent<'w>(write: &'w Write, at: usize, entity: &Entity) -> Names<'w> {
    let taken = write.actions.iter();
    let taken = taken.flat_map(|action| action.taken_from(at));
    taken.filter(|name| !entity.identifies(name)).collect()
}

/// The arguments of an action, and beside them what its assignments take from the entities of the
/// actions above it.
///
/// # Errors
/// `Refused` where a stored item of another program lacks the attribute.
pub(super) fn with_lent(
    (model, write): (&Model, &Write),
    action: &Action,
    arguments: &Values,
    lenders: &[Option<Values>],
) -> Result<Values, ClientError> {
    let mut all = arguments.clone();
    for lent in action.lent() {
        let values = lenders.get(lent.action).and_then(Option::as_ref);
        let held = values.and_then(|values| values.get(&lent.attribute));
        let Some(held) = held else {
            let lender = write.actions.get(lent.action);
            let entity = lender.and_then(|lender| model.entities.get(lender.entity));
            let nothing = Values::new();
            let item = entity.map_or_else(String::new, |entity| {
                item_text(entity, values.unwrap_or(&nothing))
            });
            return Err(lacks(&item, &Path::of(&lent.attribute)));
        };
        all.insert(lent.argument(), held.clone());
    }
    Ok(all)
}

/// The values that an action takes for attributes of its entity; `None` when it is left out, because
/// the source of its key has no value. `lenders` are the attributes of the entities of the actions
/// above it.
pub(super) fn own(
    action: &Action,
    entity: &Entity,
    arguments: &Values,
    fields: &[String],
    lenders: &[Option<Values>],
) -> Option<Values> {
    let mut own = arguments.clone();
    if action.alias.is_some() {
        // A parameter of an attribute's name belongs to another action.
        own.retain(|name, _| fields.contains(name));
    }
    for Taken {
        attribute,
        source,
        is_declared,
    } in &action.taken
    {
        let held = match source {
            Source::Parameter(name) => arguments.get(name).cloned(),
            Source::Literal(value) => Some(value.clone()),
            Source::Attribute { action, attribute } => lenders
                .get(*action)
                .and_then(|values| values.as_ref()?.get(attribute).cloned()),
        };
        let in_key = entity.identifies(attribute);
        match held {
            Some(value) => own.insert(attribute.clone(), value),
            None if *is_declared && in_key => return None,
            None => own.remove(attribute),
        };
    }
    Some(own)
}

/// The parameter that gives an attribute to an action that writes all of them; `None` where it has its
/// value from elsewhere.
pub(super) fn parameter_of<'a>(
    action: &'a Action,
    fields: &[String],
    attribute: &'a str,
) -> Option<&'a str> {
    let mut taken = action.taken.iter();
    match taken.find(|one| one.attribute == attribute) {
        Some(Taken {
            source: Source::Parameter(name),
            ..
        }) => Some(name),
        Some(_) => None,
        None if action.alias.is_some() || fields.iter().any(|one| one == attribute) => None,
        None => Some(attribute),
    }
}

/// A value that the client made, under the name of the parameter that would give it.
pub(super) fn of_alias(action: &Action, made: Made) -> Made {
    let attribute = match &action.alias {
        Some(alias) => format!("{alias}.{}", made.attribute),
        None => made.attribute,
    };
    Made { attribute, ..made }
}

/// The error about an attribute, under the argument that gave its value: a parameter of another name,
/// or a field of the record of this number.
pub(super) fn of_argument(
    action: &Action,
    (fields, number): (&[String], usize),
    error: ClientError,
) -> ClientError {
    let ClientError::Value(error) = error else {
        return error;
    };
    // The name may go on with the way into the value.
    let end = error.name().find(['.', '[']).unwrap_or(error.name().len());
    let (attribute, way) = error.name().split_at(end);
    let set = action.assignments.iter().chain(&action.otherwise);
    let mut set = set.filter(|one| one.attribute == attribute && one.fields.is_empty());
    let set = set.find_map(|one| match (&one.left, &one.right) {
        (Operand::Parameter(name), None) => Some(name),
        (
            Operand::Parameter(_) | Operand::Attribute(_) | Operand::Lent(_) | Operand::Literal(_),
            _,
        ) => None,
    });
    let mut taken = action
        .taken
        .iter()
        .filter(|taken| taken.attribute == attribute);
    let taken = taken.find_map(|taken| match &taken.source {
        Source::Parameter(name) => Some(name),
        Source::Literal(_) | Source::Attribute { .. } => None,
    });
    let parameter = set.or(taken).map_or(attribute, String::as_str);
    let argument = match &action.each {
        Some(each) if fields.iter().any(|field| field == parameter) => {
            format!("{each}[{number}].{parameter}{way}")
        }
        _ => format!("{parameter}{way}"),
    };
    if argument == error.name() {
        return ClientError::Value(error);
    }
    ClientError::Value(ValueError::Argument {
        argument,
        error: Box::new(error),
    })
}

/// An action as the model writes it: `update Account as from`.
pub(super) fn name_of(action: &Action, entity: &Entity) -> String {
    let alias = action.alias.as_ref();
    let alias = alias.map_or(String::new(), |alias| format!(" as {alias}"));
    format!("{} {}{alias}", action.verb.word(), entity.name)
}

/// The items that the actions of a write are given. A write changes an item once.
#[derive(Default)]
pub(super) struct GivenItems {
    items: Vec<GivenItem>,
    /// The positions of the items by their places.
    at: BTreeMap<Placed, usize>,
}

/// An item that an action is given.
struct GivenItem {
    place: Placed,
    /// The action: `update Account as from`.
    action: String,
    /// The item, for people: `the Account with accountId = 7`.
    item: String,
    is_checked_only: bool,
}

impl GivenItems {
    /// Adds the main item of an entity that an action is given.
    ///
    /// # Errors
    /// `Refused` when another action is given the same item.
    pub(super) fn add(
        &mut self,
        model: &Model,
        (action, entity): (&Action, &Entity),
        key: &Values,
    ) -> Result<(), ClientError> {
        let (table, key_at) = identifying_place(model, entity, key)?;
        let place = Placed(table, key_at);
        let name = name_of(action, entity);
        if let Some(first) = self.at.get(&place).and_then(|at| self.items.get(*at)) {
            let both = if first.action == name {
                format!("`{name}` is given twice")
            } else {
                format!("`{}` and `{name}` are both given", first.action)
            };
            return Err(ClientError::refused(format!(
                "{both} {}; a write changes an item once",
                first.item
            )));
        }
        self.push(place, name, (entity, key), action.verb == Verb::Check);
        Ok(())
    }

    /// Adds the main item of the one entity that a write changes.
    ///
    /// # Errors
    /// Those of [`identifying_place`].
    pub(super) fn add_changed(
        &mut self,
        model: &Model,
        (verb, entity): (&str, &Entity),
        key: &Values,
    ) -> Result<(), ClientError> {
        let (table, key_at) = identifying_place(model, entity, key)?;
        let place = Placed(table, key_at);
        let name = format!("{verb} {}", entity.name);
        self.push(place, name, (entity, key), false);
        Ok(())
    }

    fn push(
        &mut self,
        place: Placed,
        action: String,
        (entity, key): (&Entity, &Values),
        is_checked_only: bool,
    ) {
        self.at.entry(place.clone()).or_insert(self.items.len());
        self.items.push(GivenItem {
            place,
            action,
            item: format!("the {} with {}", entity.name, key_text(entity, key)),
            is_checked_only,
        });
    }

    /// The first item that an earlier write changes and this one is given too: the number of the
    /// earlier write, the two actions, and the item. `changed` are the items of the earlier writes.
    pub(super) fn changed_before<'g>(
        &'g self,
        changed: &ChangedItems<'g>,
    ) -> Option<(usize, [&'g str; 3])> {
        let met = self.at.iter().filter_map(|(place, at)| {
            let (earlier, position, action) = *changed.0.get(place)?;
            let own = self.items.get(*at)?;
            Some(((earlier, position), [action, &*own.action, &*own.item]))
        });
        let first = met.min_by_key(|(order, _)| *order)?;
        Some((first.0.0, first.1))
    }
}

/// The items that the writes of a transaction change so far: by their places the number of the first
/// write, the number of the item in it, and its action.
#[derive(Default)]
pub(super) struct ChangedItems<'g>(BTreeMap<&'g Placed, (usize, usize, &'g str)>);

impl<'g> ChangedItems<'g> {
    /// Adds the items that a write changes.
    pub(super) fn add(&mut self, write: usize, given: &'g GivenItems) {
        for (at, one) in given.items.iter().enumerate() {
            if !one.is_checked_only {
                let known = self.0.entry(&one.place);
                known.or_insert((write, at, &one.action));
            }
        }
    }
}
