//! Entities of the middle form.

use super::form::{CopyForm, EntityForm, EntityTypes, Field};
use super::names::{Names, pascal};
use super::shapes::Shapes;
use crate::words::default_text;
use keyfold_model::{Attribute, Entity, Model};

/// The note about the version that a write is given.
const EXPECTED: &str = "The version that the stored item is expected to have.";

/// The names of the entities' types, and of those of their copies.
pub(super) struct Taken {
    pub(super) entities: Vec<EntityTypes>,
    pub(super) copies: Vec<Vec<CopyTypes>>,
}

/// The names of a copy's types: of itself, and of its changes.
pub(super) struct CopyTypes {
    stored: String,
    change: String,
}

/// Takes the names of all entities and copies, before any other type gets one.
pub(super) fn take_names(model: &Model, names: &mut Names) -> Taken {
    let stored: Vec<String> = model
        .entities
        .iter()
        .map(|entity| names.take(pascal(&entity.name)))
        .collect();
    let entities = model.entities.iter().zip(stored).map(|(entity, stored)| {
        let new = names.take(format!("New{stored}"));
        EntityTypes {
            put: match &entity.version {
                Some(_) => names.take(format!("Put{stored}")),
                None => new.clone(),
            },
            new,
            key: names.take(format!("{stored}Key")),
            patch: names.take(format!("{stored}Patch")),
            change: names.take(format!("{stored}Change")),
            image: match &entity.split {
                Some(_) => names.take(format!("{stored}Image")),
                None => stored.clone(),
            },
            stored,
        }
    });
    let entities: Vec<EntityTypes> = entities.collect();
    let copies = model.entities.iter().zip(&entities).map(|(entity, types)| {
        let copies = entity.copies.iter();
        let wanted = copies.map(|copy| format!("{}{}", types.stored, pascal(&copy.name)));
        wanted.map(|wanted| names.take(wanted)).collect()
    });
    let copies: Vec<Vec<String>> = copies.collect();
    let copies = copies.into_iter().map(|stored| {
        let types = stored.into_iter().map(|stored| CopyTypes {
            change: names.take(format!("{stored}Change")),
            stored,
        });
        types.collect()
    });
    Taken {
        copies: copies.collect(),
        entities,
    }
}

/// An entity with its types.
pub(super) fn form(
    model: &Model,
    entity: &Entity,
    member: String,
    (types, copies): (EntityTypes, Vec<CopyTypes>),
    shapes: &mut Shapes<'_>,
    names: &mut Names,
) -> EntityForm {
    let in_key = |name: &str| entity.identifies(name);
    let own = |one: &&Attribute| !one.is_kept;
    let mut field = |attribute: &Attribute, optional: bool, note: Option<String>| Field {
        name: attribute.name.clone(),
        shape: shapes.of_attribute(entity, attribute, names),
        optional,
        note,
    };
    let all = &entity.attributes;
    let stored: Vec<Field> = all
        .iter()
        .map(|one| field(one, one.optional, kept_note(entity, one)))
        .collect();
    let new = all.iter().filter(own).map(|one| {
        let optional = one.optional || one.default.is_some();
        field(one, optional, default_note(one))
    });
    let new = new.collect();
    let key = all.iter().filter(|one| in_key(&one.name));
    let key = key.map(|one| field(one, false, None)).collect();
    let patch = all.iter().filter(own).filter(|one| !in_key(&one.name));
    let patch = patch.map(|one| field(one, one.optional, None)).collect();
    let version = entity
        .version
        .as_ref()
        .and_then(|name| entity.attribute(name));
    let version = version.map(|one| field(one, true, Some(EXPECTED.to_owned())));
    let copies = entity
        .copies
        .iter()
        .zip(copies)
        .enumerate()
        .map(|(at, (copy, types))| CopyForm {
            kind: entity.kind_of(Some(at)),
            type_name: types.stored,
            change: types.change,
            fields: stored
                .iter()
                .filter(|field| copy.attributes.contains(&field.name))
                .cloned()
                .collect(),
        });
    EntityForm {
        name: entity.name.clone(),
        member,
        types,
        copies: copies.collect(),
        stored,
        new,
        key,
        patch,
        version,
        keys: vec![key_text(entity)],
        is_alone: model.follows_from(entity).is_none(),
        is_view: entity.view.is_some(),
        made: None,
        touched: None,
        split: entity.split.as_ref().map(|(list, _)| list.clone()),
    }
}

/// The key of an entity, its parts apart.
fn key_text(entity: &Entity) -> String {
    let parts = entity.key.templates().map(ToString::to_string);
    parts.collect::<Vec<_>>().join(" ")
}

/// Says that the model keeps an attribute, and of what.
fn kept_note(entity: &Entity, attribute: &Attribute) -> Option<String> {
    if entity.version.as_ref() == Some(&attribute.name) {
        return Some("Counts the versions of the item.".to_owned());
    }
    if !attribute.is_kept {
        return None;
    }
    let mut aggregates = entity.aggregates.iter();
    let aggregate = aggregates.find(|one| one.attribute == attribute.name)?;
    Some(format!("Kept by the model: a {}.", aggregate.kind.word()))
}

/// Says the default of an attribute.
fn default_note(attribute: &Attribute) -> Option<String> {
    let default = attribute.default.as_ref()?;
    Some(format!("Default: `{}`.", default_text(default)))
}
