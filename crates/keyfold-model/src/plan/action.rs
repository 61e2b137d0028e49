//! The requests of named writes: which actions the engine judges and carries out by itself, and
//! which read the entity first.

use crate::check::updatable::fits_update;
use crate::schema::{
    Action, AggregateKind, Assignment, Condition, Copy, Entity, Model, Operand, Type, Unique, Verb,
    Write,
};
use std::collections::BTreeSet;

impl Model {
    /// Whether the engine carries out an action without a read before it: no other item follows
    /// from the entity, and the engine sees everything that the change rests on.
    pub fn is_direct(&self, action: &Action) -> bool {
        let Some(entity) = self.entities.get(action.entity) else {
            return false;
        };
        match action.verb {
            Verb::Create => true,
            Verb::Put => self.is_alone(entity) && engine_judges(entity, action),
            Verb::Update => self.engine_updates(entity, action),
            Verb::Upsert => self.upsert_plan(action).is_some(),
            Verb::Delete => false,
            Verb::Check => engine_judges(entity, action) && !entity.moves(),
        }
    }

    /// The requests of a named write: `UpdateItem`, or `GetItem, then TransactWriteItems`. Where
    /// they are others without the optional parameters, both are named.
    pub fn requests(&self, write: &Write) -> String {
        let absent = write.optional_parameters();
        let least = write.actions.iter().map(|action| action.without(&absent));
        let lends = self.lends_stored(&write.actions);
        let least = self.requests_of(&least.collect::<Vec<_>>(), lends);
        let most = self.requests_of(&write.actions, lends);
        if most == least {
            most
        } else {
            format!("{most} (without {}: {least})", absent.join(", "))
        }
    }

    fn requests_of(&self, actions: &[Action], lends: bool) -> String {
        let reads = actions.iter().any(|action| self.reads(action)) || lends;
        let changes = match actions {
            [one] if one.each.is_none() => self.request_of(one),
            _ => "TransactWriteItems",
        };
        let finds = |action: &Action| {
            let entity = self.entities.get(action.entity);
            action.verb != Verb::Create && entity.is_some_and(Entity::moves)
        };
        if actions.iter().any(finds) {
            format!("GetItem of the guard, GetItem, then {changes}")
        } else if reads {
            format!("GetItem, then {changes}")
        } else {
            changes.to_owned()
        }
    }

    /// Whether an action takes an attribute of another action's entity as it is stored. Those that
    /// identify an item are known without a read.
    fn lends_stored(&self, actions: &[Action]) -> bool {
        let is_read = |lender: &Action, name: &str| {
            let entity = self.entities.get(lender.entity);
            !lender.verb.writes_all_attributes()
                && entity.is_some_and(|entity| !entity.identifies(name))
        };
        actions.iter().enumerate().any(|(at, lender)| {
            let mut names = actions.iter().flat_map(|action| action.taken_from(at));
            names.any(|name| is_read(lender, name))
        })
    }

    /// Whether an action reads an item: its own, or that of a parent which keeps a maximum.
    fn reads(&self, action: &Action) -> bool {
        let Some(entity) = self.entities.get(action.entity) else {
            return false;
        };
        let mut counted = self.aggregates_of(entity);
        let follows_maximum = action.verb == Verb::Create
            && counted.any(|(_, aggregate)| aggregate.kind == AggregateKind::Max);
        follows_maximum || !self.is_direct(action)
    }

    /// The request that changes the items of a single action.
    fn request_of(&self, action: &Action) -> &'static str {
        let Some(entity) = self.entities.get(action.entity) else {
            return "TransactWriteItems";
        };
        let is_alone = match action.verb {
            Verb::Create | Verb::Put | Verb::Upsert | Verb::Delete => self.has_no_followers(entity),
            Verb::Update => self.moves_no_other(entity, action),
            Verb::Check => false,
        };
        if !is_alone {
            return "TransactWriteItems";
        }
        match action.verb {
            Verb::Create => "PutItem",
            Verb::Put | Verb::Upsert if self.is_direct(action) => "UpdateItem",
            Verb::Put | Verb::Upsert => "PutItem or UpdateItem",
            Verb::Update => "UpdateItem",
            Verb::Delete => "DeleteItem",
            Verb::Check => "TransactWriteItems",
        }
    }

    /// Whether an entity is one item, and no aggregate of another entity follows from it.
    fn has_no_followers(&self, entity: &Entity) -> bool {
        entity.copies.is_empty()
            && entity.uniques.is_empty()
            && entity.split.is_none()
            && self.aggregates_of(entity).next().is_none()
    }

    /// Whether a whole entity can be written over a stored one that is not read. The item of a
    /// maximum is read by whatever follows in the same write.
    pub fn is_alone(&self, entity: &Entity) -> bool {
        self.has_no_followers(entity)
            && !keeps_maximum(entity)
            && fits_update(entity)
            && self.stores_more_than_key(entity)
            && !keeps_index_key(entity)
    }

    /// Whether an item has attributes beside its key, which an update can set.
    fn stores_more_than_key(&self, entity: &Entity) -> bool {
        let Some(table) = self.tables.get(entity.table) else {
            return false;
        };
        let is_beside = |name: &String| {
            table.columns().all(|column| column.name != *name) && !entity.unstored.contains(name)
        };
        let mut names = entity.attributes.iter().map(|attribute| &attribute.name);
        table.type_attribute.is_some() || names.any(is_beside)
    }

    /// Whether an update changes no attribute from which other items follow.
    fn moves_no_other(&self, entity: &Entity, action: &Action) -> bool {
        let copied = entity.copies.iter().flat_map(Copy::followed);
        let unique = entity.uniques.iter().flat_map(Unique::attributes);
        let split = entity.split.iter().map(|(name, _)| name.as_str());
        let counted = self.aggregates_of(entity).flat_map(|(_, aggregate)| {
            let of = aggregate.of.iter().map(String::as_str);
            let condition = aggregate.condition.iter().map(|(name, _)| name.as_str());
            let link = aggregate.link.iter().map(|(_, name)| name.as_str());
            of.chain(condition).chain(link)
        });
        let unique = unique.chain(entity.moving());
        let moved: BTreeSet<&str> = copied.chain(unique).chain(split).chain(counted).collect();
        touched(entity, action).all(|name| !moved.contains(name.as_str()))
    }

    /// Whether an update is one expression that the engine evaluates.
    fn engine_updates(&self, entity: &Entity, action: &Action) -> bool {
        let followed: BTreeSet<&str> = self.followed(entity).into_iter().collect();
        let is_plain =
            |name: &String| !followed.contains(name.as_str()) && entity.stores_plainly(name);
        !entity.moves()
            && touched(entity, action).all(is_plain)
            && action.assignments.iter().all(|one| is_simple(entity, one))
            && engine_judges(entity, action)
    }
}

/// The attributes that an update assigns or removes, and the version, which each update increments.
fn touched<'a>(entity: &'a Entity, action: &'a Action) -> impl Iterator<Item = &'a String> {
    action.written_attributes().chain(&entity.version)
}

/// Whether an index key is made of an attribute that the model keeps.
fn keeps_index_key(entity: &Entity) -> bool {
    let is_kept = |name: &str| entity.attribute(name).is_some_and(|found| found.is_kept);
    let mut fields = entity.indexes.iter().flat_map(|key| {
        let decides = key.sparse.iter().map(|sparse| sparse.attribute.as_str());
        key.key.fields().chain(decides)
    });
    fields.any(is_kept)
}

fn keeps_maximum(entity: &Entity) -> bool {
    let mut kept = entity.aggregates.iter();
    kept.any(|one| one.kind == AggregateKind::Max)
}

/// Whether the engine can judge the conditions of an action.
///
/// It sees attributes as they are stored. The item of a maximum may change in the same write, under
/// the condition that it is as it was read: a failure would not show whether the action's condition
/// failed or another writer was faster, so conditions on such an item are judged by reading it.
pub(super) fn engine_judges(entity: &Entity, action: &Action) -> bool {
    let sees = |condition: &Condition| {
        let mut attributes = condition.attributes();
        attributes.all(|name| entity.stores_plainly(name))
    };
    action.conditions.is_empty() || (!keeps_maximum(entity) && action.conditions.iter().all(sees))
}

/// Whether the engine can carry out an assignment: it copies stored attributes, adds and subtracts
/// numbers, and adds one given element to the list or set itself.
fn is_simple(entity: &Entity, assignment: &Assignment) -> bool {
    let all_plain = assignment.operands().all(|operand| match operand {
        Operand::Attribute(path) => entity.stores_plainly(&path.attribute),
        Operand::Parameter(_) | Operand::Lent(_) | Operand::Literal(_) => true,
    });
    let path = assignment.path();
    let kind = entity.at(&path).map(|(kind, _)| kind);
    let is_collection = matches!(kind, Some(Type::List(_) | Type::Set(_)));
    // ADD and DELETE take a whole attribute only.
    let is_set_inside = matches!(kind, Some(Type::Set(_))) && !path.is_whole();
    let changes_itself = match (&assignment.left, &assignment.right) {
        (_, None) => true,
        (Operand::Attribute(changed), Some((_, right))) => {
            *changed == path && !is_set_inside && !matches!(right, Operand::Attribute(_))
        }
        (Operand::Parameter(_) | Operand::Lent(_) | Operand::Literal(_), Some(_)) => false,
    };
    let is_whole = assignment.fields.is_empty() || entity.stores_plainly(&assignment.attribute);
    all_plain && is_whole && (!is_collection || changes_itself)
}
