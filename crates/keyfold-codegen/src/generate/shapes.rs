//! The types of a model's values: identifiers that follow references, enumerations and records.

use super::form::{Choice, Field, Id, RecordForm, Shape};
use super::names::{Names, pascal};
use keyfold_model::schema::{Limit, Record};
use keyfold_model::{Attribute, Entity, Model, Type};
use std::collections::{BTreeMap, BTreeSet};

/// Deepest chain of references that is followed.
const REFERENCES_MAX: usize = 100;

/// An attribute of an entity or a field of a record, by the names of the model.
pub(super) type Place = (String, String);

/// The types of a model, as they are met.
pub(super) struct Shapes<'m> {
    model: &'m Model,
    /// The attributes whose values have a type of their own, and the positions of the types.
    id_of: BTreeMap<Place, usize>,
    pub(super) ids: Vec<Id>,
    choice_of: BTreeMap<Place, usize>,
    pub(super) choices: Vec<Choice>,
    pub(super) records: Vec<RecordForm>,
}

impl<'m> Shapes<'m> {
    /// The types of identifiers; the others are added as they are met.
    pub(super) fn of(model: &'m Model, names: &mut Names) -> Shapes<'m> {
        let mut shapes = Shapes {
            model,
            id_of: BTreeMap::new(),
            ids: Vec::new(),
            choice_of: BTreeMap::new(),
            choices: Vec::new(),
            records: Vec::new(),
        };
        let places = identifiers(model);
        for entity in &model.entities {
            for attribute in &entity.attributes {
                let place = (entity.name.clone(), attribute.name.clone());
                if !places.contains(&place) {
                    continue;
                }
                let is_alone = places
                    .iter()
                    .filter(|(_, name)| *name == attribute.name)
                    .count()
                    == 1;
                let begins = attribute
                    .name
                    .to_lowercase()
                    .starts_with(&entity.name.to_lowercase());
                let is_plain = is_alone && !is_bare(&attribute.name);
                let wanted = if begins || is_plain {
                    pascal(&attribute.name)
                } else {
                    format!("{}{}", pascal(&entity.name), pascal(&attribute.name))
                };
                shapes.id_of.insert(place.clone(), shapes.ids.len());
                shapes.ids.push(Id {
                    type_name: names.take(wanted),
                    of: place,
                    kind: attribute.kind.clone(),
                });
            }
        }
        shapes
    }

    /// The type of an attribute.
    pub(super) fn of_attribute(
        &mut self,
        entity: &Entity,
        attribute: &Attribute,
        names: &mut Names,
    ) -> Shape {
        let place = root(self.model, (&entity.name, &attribute.name));
        self.of_type(&attribute.kind, &place, names)
    }

    /// The type of a value of a place.
    pub(super) fn of_type(&mut self, kind: &Type, place: &Place, names: &mut Names) -> Shape {
        match kind {
            Type::List(of) => Shape::List(Box::new(self.of_type(of, place, names))),
            Type::Map(of) => Shape::Map(Box::new(self.of_type(of, place, names))),
            Type::Set(of) => Shape::Set(Box::new(self.of_type(of, place, names))),
            Type::Record(record) => Shape::Record(self.record(record, names)),
            Type::Words(words) => Shape::Choice(self.choice(words, place, names)),
            Type::String
            | Type::Int
            | Type::Number
            | Type::Bool
            | Type::Time(_)
            | Type::Date
            | Type::Period(_)
            | Type::Binary
            | Type::Ulid
            | Type::Uuid => match self.id_of.get(place) {
                Some(at) => Shape::Id(*at),
                None => Shape::Plain(kind.clone()),
            },
        }
    }

    /// Whether the values of an attribute are words.
    pub(super) fn is_choice(&self, (entity, attribute): &Place) -> bool {
        let entity = self.model.entity(entity);
        let found = entity.and_then(|entity| entity.attribute(attribute));
        found.is_some_and(|found| matches!(found.kind, Type::Words(_)))
    }

    /// The enumeration of a place.
    fn choice(&mut self, words: &[String], place: &Place, names: &mut Names) -> usize {
        if let Some(at) = self.choice_of.get(place) {
            return *at;
        }
        let wanted = format!("{}{}", pascal(&place.0), pascal(&place.1));
        let at = self.choices.len();
        self.choices.push(Choice {
            type_name: names.take(wanted),
            of: place.clone(),
            words: words.to_vec(),
        });
        self.choice_of.insert(place.clone(), at);
        at
    }

    fn record(&mut self, record: &Record, names: &mut Names) -> usize {
        let Record {
            name,
            fields,
            refers,
        } = record;
        if let Some(at) = self.records.iter().position(|known| known.name == *name) {
            return at;
        }
        let type_name = names.take(pascal(name));
        let fields: Vec<Field> = fields
            .iter()
            .map(|(field, kind, optional)| {
                let target = refers.iter().find(|(from, _)| from == field);
                let place = match target {
                    Some((_, (entity, attribute))) => root(self.model, (entity, attribute)),
                    None => (name.clone(), field.clone()),
                };
                Field {
                    name: field.clone(),
                    shape: self.of_type(kind, &place, names),
                    optional: *optional,
                    note: None,
                }
            })
            .collect();
        self.records.push(RecordForm {
            type_name,
            name: name.clone(),
            fields,
        });
        self.records.len() - 1
    }
}

/// The attribute at the end of a chain of references, itself where it refers to none.
pub(super) fn root(model: &Model, (entity, attribute): (&str, &str)) -> Place {
    let mut place = (entity.to_owned(), attribute.to_owned());
    for _ in 0..REFERENCES_MAX {
        let found = model
            .entity(&place.0)
            .and_then(|found| found.attribute(&place.1));
        match found.and_then(|found| found.refers.clone()) {
            Some(next) => place = next,
            None => break,
        }
    }
    place
}

/// The attributes whose values have a type of their own: those that others refer to, and those of a
/// key that are named as identifiers.
fn identifiers(model: &Model) -> BTreeSet<Place> {
    let mut places: BTreeSet<Place> = referenced(model)
        .into_iter()
        .map(|(entity, attribute)| root(model, (&entity, &attribute)))
        .collect();
    for entity in &model.entities {
        for attribute in &entity.attributes {
            let is_own = attribute.refers.is_none()
                && entity.key.fields().any(|field| field == attribute.name);
            if is_own && is_named_as_id(&attribute.name) && !is_shared(model, entity, attribute) {
                places.insert((entity.name.clone(), attribute.name.clone()));
            }
        }
    }
    let is_identifying = |(entity, attribute): &Place| {
        let found = model
            .entity(entity)
            .and_then(|found| found.attribute(attribute));
        found.is_some_and(|found| {
            matches!(
                found.kind,
                Type::String | Type::Int | Type::Ulid | Type::Uuid
            )
        })
    };
    places.retain(is_identifying);
    places
}

/// The attributes that attributes and fields of records refer to.
fn referenced(model: &Model) -> Vec<Place> {
    let attributes = model.entities.iter().flat_map(|entity| &entity.attributes);
    let mut found: Vec<Place> = attributes
        .clone()
        .filter_map(|one| one.refers.clone())
        .collect();
    let parameters = model.writes.iter().flat_map(|write| &write.parameters);
    let kinds = attributes
        .map(|one| &one.kind)
        .chain(parameters.map(|one| &one.kind));
    let mut open: Vec<&Type> = kinds.collect();
    while let Some(kind) = open.pop() {
        match kind {
            Type::List(of) | Type::Map(of) | Type::Set(of) => open.push(of),
            Type::Record(record) => {
                found.extend(record.refers.iter().map(|(_, target)| target.clone()));
                open.extend(record.fields.iter().map(|(_, kind, _)| kind));
            }
            Type::String
            | Type::Int
            | Type::Number
            | Type::Bool
            | Type::Time(_)
            | Type::Date
            | Type::Period(_)
            | Type::Binary
            | Type::Ulid
            | Type::Uuid
            | Type::Words(_) => {}
        }
    }
    found
}

/// Whether a name is `id`, with no more to it.
fn is_bare(name: &str) -> bool {
    name.eq_ignore_ascii_case("id")
}

/// Whether a name is that of an identifier: `id`, `userId`, `user_id`, `UserID`.
fn is_named_as_id(name: &str) -> bool {
    let ends = ["Id", "ID", "_id", "-id", " id", ".id"];
    is_bare(name) || ends.iter().any(|end| name.ends_with(end))
}

/// Whether another entity has an attribute of the name that means the same: it names itself, as
/// `orderId` does and `id` does not, or one pattern asks both by it.
fn is_shared(model: &Model, entity: &Entity, attribute: &Attribute) -> bool {
    let declares = |other: &Entity| {
        let found = other.attribute(&attribute.name);
        other.name != entity.name && found.is_some_and(|found| found.refers.is_none())
    };
    let mut others = model.entities.iter().filter(|other| declares(other));
    if !is_bare(&attribute.name) {
        return others.next().is_some();
    }
    model.patterns.iter().any(|pattern| {
        let limits = pattern.parameters.iter().any(|parameter| {
            parameter.limit == Limit::Equal && parameter.attribute == attribute.name
        });
        let returned = pattern
            .returned
            .iter()
            .filter_map(|one| model.entities.get(one.entity));
        let returned: Vec<&Entity> = returned.collect();
        let is_asked = returned.iter().any(|one| one.name == entity.name);
        limits && pattern.together.is_none() && is_asked && returned.into_iter().any(declares)
    })
}
