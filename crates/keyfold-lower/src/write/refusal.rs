//! Refusals of a write: the meaning of a failed condition, and the sentence that the caller reads.

use crate::arguments::Values;
use crate::error::ClientError;
use crate::refused::Refused;
use keyfold_model::{Entity, Model, value};

/// The meaning of a condition that does not hold.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Refusal {
    /// The step has no condition of its own.
    None,
    /// Another writer was faster: the write reads again and is tried again.
    Stale,
    /// An item that must not exist does.
    Exists(Box<Refused>),
    /// The write is not possible.
    Because(Box<Refused>),
    /// An item that must exist does not.
    NotFound(Box<Refused>),
    /// A unique value belongs to another item: the attributes, and the sentence.
    Taken(Vec<String>, Box<Refused>),
    /// It depends on whether the item is stored, which the answer shows.
    ByItem(Box<ByItem>),
}

/// The refusals of a condition that fails on an absent item and on a stored one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ByItem {
    pub(super) absent: Refusal,
    pub(super) stored: Refusal,
}

impl Refusal {
    /// A refusal that is about an entity.
    pub(super) fn about(entity: &Entity, values: &Values, message: String) -> Refusal {
        Refusal::Because(of_entity(entity, values, message))
    }

    /// The refusal to create an entity that exists.
    pub(super) fn exists(entity: &Entity, values: &Values) -> Refusal {
        let message = format!(
            "{} exists already ({})",
            entity.name,
            key_text(entity, values)
        );
        Refusal::Exists(of_entity(entity, values, message))
    }

    /// The refusal of unique values that belong to another item.
    pub(super) fn taken(entity: &Entity, attributes: &[String], values: &Values) -> Refusal {
        let shown = |name: &String| {
            format!(
                "{name} `{}`",
                values.get(name).map(value::shown).unwrap_or_default()
            )
        };
        let all: Vec<String> = attributes.iter().map(shown).collect();
        let message = format!(
            "{} is taken: another {} has it",
            all.join(", "),
            entity.name
        );
        Refusal::Taken(attributes.to_vec(), of_entity(entity, values, message))
    }

    /// The sentence of the refusal; none where the request is not at fault.
    pub(super) fn text(&self) -> &str {
        match self {
            Refusal::Exists(refused)
            | Refusal::Because(refused)
            | Refusal::NotFound(refused)
            | Refusal::Taken(_, refused) => &refused.message,
            Refusal::ByItem(by) => by.stored.text(),
            Refusal::None | Refusal::Stale => "",
        }
    }

    /// The refusal by whether the item is stored.
    pub(super) fn by_item(absent: Refusal, stored: Refusal) -> Refusal {
        Refusal::ByItem(Box::new(ByItem { absent, stored }))
    }

    /// The refusal where the item is absent, or is stored; `None` where its condition holds then.
    fn of_item(&self, is_stored: bool) -> Option<&Refusal> {
        match self {
            Refusal::ByItem(by) if is_stored => Some(&by.stored),
            Refusal::ByItem(by) => Some(&by.absent),
            Refusal::NotFound(_) => (!is_stored).then_some(self),
            Refusal::Exists(_) | Refusal::Taken(..) => is_stored.then_some(self),
            Refusal::Because(_) => Some(self),
            Refusal::None | Refusal::Stale => None,
        }
    }

    /// The refusal of a step that has the conditions of two.
    pub(super) fn joined(one: &Refusal, other: &Refusal) -> Refusal {
        let either = |one: &Refusal, other: &Refusal| {
            if one == other {
                return one.clone();
            }
            let message = format!("{}; or {}", one.text(), other.text());
            Refusal::Because(Box::new(Refused::because(message)))
        };
        let is_by_item = |one: &Refusal| matches!(one, Refusal::ByItem(_));
        if !is_by_item(one) && !is_by_item(other) {
            return either(one, other);
        }
        let of_both = |is_stored| match (one.of_item(is_stored), other.of_item(is_stored)) {
            (Some(one), Some(other)) => either(one, other),
            (Some(one), None) | (None, Some(one)) => one.clone(),
            (None, None) => Refusal::None,
        };
        Refusal::by_item(of_both(false), of_both(true))
    }

    /// The refusal, in the words of the write of a transaction that it is one of, and its number.
    pub(super) fn of_write(self, write: &str, number: usize) -> Refusal {
        let of_part = |refused: Refused| {
            let message = format!("{write}: {}", refused.message);
            refused.of_write(message, number)
        };
        match self {
            Refusal::Exists(refused) => Refusal::Exists(of_part(*refused)),
            Refusal::Because(refused) => Refusal::Because(of_part(*refused)),
            Refusal::NotFound(refused) => Refusal::NotFound(of_part(*refused)),
            Refusal::Taken(attributes, refused) => Refusal::Taken(attributes, of_part(*refused)),
            Refusal::ByItem(by) => Refusal::by_item(
                by.absent.of_write(write, number),
                by.stored.of_write(write, number),
            ),
            Refusal::None => Refusal::None,
            Refusal::Stale => Refusal::Stale,
        }
    }

    /// The refusal to put an item over one of another `id`.
    pub(super) fn occupied(entity: &Entity, values: &Values) -> Refusal {
        Refusal::about(
            entity,
            values,
            format!(
                "the {} with {} cannot be put: an item with another {}, or that was not written through the model, is at its key",
                entity.name,
                key_text(entity, values),
                entity.id.join(", ")
            ),
        )
    }

    /// The caller's error; `None` where the request is not at fault. `is_stored` says whether the
    /// condition failed on an item that is stored, where that decides.
    pub(super) fn error(&self, is_stored: bool) -> Option<ClientError> {
        match self {
            Refusal::ByItem(by) if is_stored => by.stored.error(is_stored),
            Refusal::ByItem(by) => by.absent.error(is_stored),
            Refusal::Exists(reason) => Some(ClientError::Exists(reason.clone())),
            Refusal::Because(reason) => Some(ClientError::Refused(reason.clone())),
            Refusal::NotFound(reason) => Some(ClientError::NotFound(reason.clone())),
            Refusal::Taken(attributes, refused) => Some(ClientError::Taken {
                attributes: attributes.clone(),
                refused: refused.clone(),
            }),
            Refusal::None | Refusal::Stale => None,
        }
    }
}

/// A refusal that is about an entity.
pub(super) fn of_entity(entity: &Entity, values: &Values, message: String) -> Box<Refused> {
    Box::new(Refused {
        entity: Some(entity.name.clone()),
        id: identity_of(entity, values),
        ..Refused::because(message)
    })
}

/// The attributes that identify an entity.
pub(super) fn identity_of(entity: &Entity, values: &Values) -> Values {
    let identity = entity.identity().into_iter();
    let held = identity.filter_map(|name| Some((name.to_string(), values.get(name)?.clone())));
    held.collect()
}

/// An entity's identity for people: `user = ada, order = 7`.
pub(super) fn key_text(entity: &Entity, values: &Values) -> String {
    let shown = entity.identity().into_iter().filter_map(|field| {
        let held = values.get(field)?;
        Some(format!("{field} = {}", value::shown(held)))
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// The sentence about an entity that does not exist.
pub(super) fn not_found_text(entity: &Entity, values: &Values) -> String {
    format!(
        "there is no {} with {}",
        entity.name,
        key_text(entity, values)
    )
}

/// The refusal of a write to an entity that does not exist.
pub(super) fn absent(entity: &Entity, values: &Values) -> Box<Refused> {
    of_entity(entity, values, not_found_text(entity, values))
}

/// The error about an entity that does not exist.
pub(super) fn not_found(entity: &Entity, values: &Values) -> ClientError {
    ClientError::NotFound(absent(entity, values))
}

/// Refuses a write of a view, whose rows follow from the items of another entity.
///
/// # Errors
/// `Invalid` for a view.
pub fn check_entity(model: &Model, entity: &Entity) -> Result<(), ClientError> {
    let Some(view) = &entity.view else {
        return Ok(());
    };
    let source = model.entities.get(view.source);
    let source = source.map_or("its source", |source| source.name.as_str());
    Err(ClientError::Invalid(format!(
        "{} is a view, and its rows follow from {source}: write {source}",
        entity.name
    )))
}
