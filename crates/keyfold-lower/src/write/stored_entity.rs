//! An entity as it is stored: its main item, the parts of a split list, and its attributes.

use super::context::Context;
use super::lacking::item_text;
use super::main_item::Given;
use super::refusal::key_text;
use crate::arguments::Values;
use crate::capacity;
use crate::derive::{
    Derived, Role, derive_stored, guard_key, held_place, main_key, table, table_name,
};
use crate::error::{ClientError, unexpected};
use crate::kind_name::{says_another, unknown_item};
use crate::read::Places;
use crate::retry::{TRIES, back_off};
use crate::stored::{
    Unreadable, digest_attribute, is_as_written, parts_attribute, readable_of, without_list,
};
use crate::unknown::UnknownItem;
use keyfold_api::{ErrorKind, ExpressionAttributes, QueryInput, Response};
use keyfold_model::schema::Column;
use keyfold_model::template::CHUNK_DIGITS;
use keyfold_model::{Entity, KeyTemplate, Table, value};
use keyfold_types::{Item, Value};

/// An entity as it was read.
pub(super) struct StoredEntity {
    /// The main item.
    pub(super) item: Item,
    /// The attributes, unpacked and joined.
    pub(super) values: Values,
    /// The items behind the main one that a list is split over.
    parts: Vec<Item>,
    /// Whether it has an `id` whose guard is absent: another program wrote it.
    pub(super) lacks_guard: bool,
    /// The attributes that cannot be read, and are absent from the values: another program wrote
    /// them. The item can be deleted and replaced.
    unreadable: Vec<Unreadable>,
}

/// Reads an entity with strong consistency, with all of its parts; one that moves by its `id`.
pub(super) async fn read(
    context: &Context<'_>,
    entity: &Entity,
    key: &Values,
) -> Result<Option<StoredEntity>, ClientError> {
    if !entity.moves() {
        return read_at(context, entity, key).await;
    }
    for tried in 0..TRIES {
        let Some(place) = place(context, entity, key).await? else {
            return unguarded(context, entity, key).await;
        };
        if let Some(found) = read_at(context, entity, &place).await? {
            return Ok(Some(found));
        }
        // It moved between the two reads.
        context.io.pause(back_off(tried)).await;
    }
    Err(lost(entity, key))
}

/// The item of an `id` without a guard, at its own key where that is given.
async fn unguarded(
    context: &Context<'_>,
    entity: &Entity,
    key: &Values,
) -> Result<Option<StoredEntity>, ClientError> {
    let mut fields = entity.key.fields();
    if !fields.all(|name| key.contains_key(name)) {
        return Ok(None);
    }
    let table = table(context.model, entity)?;
    let found = read_at(context, entity, key).await?;
    let (Some(found), Some(id)) = (found, entity.id_guard()) else {
        return Ok(None);
    };
    let mut attributes = id.attributes();
    let is_it = attributes.all(|name| found.values.contains_key(name))
        && guard_key(table, entity, id, &found.values)? == guard_key(table, entity, id, key)?;
    Ok(is_it.then_some(StoredEntity {
        lacks_guard: true,
        ..found
    }))
}

/// The key attributes of the item of an `id`, as its guard holds them; `None` where there is none.
async fn place(
    context: &Context<'_>,
    entity: &Entity,
    id: &Values,
) -> Result<Option<Values>, ClientError> {
    let table = table(context.model, entity)?;
    let Some(unique) = entity.id_guard() else {
        return Ok(None);
    };
    let guard = guard_key(table, entity, unique, id)?;
    let found = context.get(&table.name, &guard).await?;
    found
        .map(|guard| held_place(entity, id, &guard))
        .transpose()
}

/// The error about a guard whose item is not where it says.
fn lost(entity: &Entity, id: &Values) -> ClientError {
    ClientError::unknown(UnknownItem::because(format!(
        "the {} with {} is not where the guard of its id says: it was not written through the model, or moves without end",
        entity.name,
        key_text(entity, id)
    )))
}

/// The error of an item whose stored values make no keys, which another program wrote. `unknown` are
/// the keys, and `repair` corrects the attribute.
fn wrong_value(
    (entity, values): (&Entity, &Values),
    error: ClientError,
    (unknown, repair): (&str, impl FnOnce(&str) -> String),
) -> ClientError {
    let ClientError::Value(wrong) = error else {
        return error;
    };
    ClientError::refused(format!(
        "{} holds a value of which no key can be made ({wrong}), so that its {unknown} are not known: {}; `keyfold verify` finds such items",
        item_text(entity, values),
        repair(wrong.name())
    ))
}

/// Reads an entity by its whole key.
async fn read_at(
    context: &Context<'_>,
    entity: &Entity,
    key: &Values,
) -> Result<Option<StoredEntity>, ClientError> {
    let table = table(context.model, entity)?;
    let name = table_name(table, entity, key)?;
    let mut before: Option<Vec<Item>> = None;
    for tried in 0.. {
        let Some(main) = main_item(context, entity, table, &name, key).await? else {
            return Ok(None);
        };
        let parts = parts(context, entity, (table, &name), key, &main).await?;
        let names = entity
            .attributes
            .iter()
            .map(|attribute| attribute.name.as_str());
        let mut items = vec![main];
        items.extend(parts);
        let (mut values, mut unreadable) = readable_of(table, entity, None, names, &items);
        let is_whole = items
            .first()
            .is_some_and(|first| is_as_written(entity, first, &values));
        // A list whose parts changed while they were read is read again.
        if !is_whole && tried < TRIES && before.as_ref() != Some(&items) {
            before = Some(items);
            context.io.pause(back_off(tried)).await;
            continue;
        }
        if !is_whole {
            without_list(entity, &mut values, &mut unreadable);
        }
        let item = items.remove(0);
        return Ok(Some(StoredEntity {
            item,
            values,
            parts: items,
            lacks_guard: false,
            unreadable,
        }));
    }
    Ok(None)
}

async fn main_item(
    context: &Context<'_>,
    entity: &Entity,
    table: &Table,
    name: &str,
    key: &Values,
) -> Result<Option<Item>, ClientError> {
    let key = main_key(context.model, entity, key)?;
    match context.get(name, &key).await {
        // The table of a period does not exist before its first item is written.
        Err(error)
            if table.period.is_some() && error.kind() == Some(ErrorKind::ResourceNotFound) =>
        {
            Ok(None)
        }
        other => other,
    }
}

/// Reads the items behind the main one that a list is split over: as many as the main item counts.
async fn parts(
    context: &Context<'_>,
    entity: &Entity,
    (table, name): (&Table, &str),
    key: &Values,
    main: &Item,
) -> Result<Vec<Item>, ClientError> {
    let Some(range) = PartRange::of(entity, table, key, main)? else {
        return Ok(Vec::new());
    };
    let (mut items, mut after) = (Vec::new(), None);
    let mut places = Places::default();
    loop {
        let input = range.query(name, after.take());
        let Response::Query(output) = context.io.ask(input.into()).await? else {
            return Err(unexpected());
        };
        let found = output.items.unwrap_or_default();
        items.extend(
            found
                .iter()
                .map(|item| item.to_item())
                .filter(|item| range.holds(item)),
        );
        places.go_on(&entity.name, output.last_evaluated_key.as_ref())?;
        match output.last_evaluated_key {
            Some(key) => after = Some(key),
            None => return Ok(items),
        }
    }
}

/// The keys of the parts behind the main item.
struct PartRange<'t> {
    table: &'t Table,
    column: &'t Column,
    partition: Value,
    /// The sort key of part 1.
    first: Value,
    /// The sort key of the last part.
    last: Value,
}

impl<'t> PartRange<'t> {
    /// The range of the parts that a main item counts; `None` when it is the only one.
    fn of(
        entity: &Entity,
        table: &'t Table,
        key: &Values,
        main: &Item,
    ) -> Result<Option<PartRange<'t>>, ClientError> {
        let (Some(sort), Some(column), Some((split, _))) =
            (&entity.key.sort, &table.sort, &entity.split)
        else {
            return Ok(None);
        };
        let count = match main.get(&parts_attribute(split)) {
            Some(Value::N(number)) => number.to_i64().unwrap_or(0),
            _ => 0,
        };
        if count < 2 {
            return Ok(None);
        }
        let partition = main.get(&table.partition.name).cloned();
        Ok(Some(PartRange {
            table,
            column,
            partition: partition.unwrap_or(Value::Null),
            first: sort_key(sort, key, 1)?,
            last: sort_key(sort, key, count - 1)?,
        }))
    }

    /// Whether an item in the range is a part. Items of other kinds may lie between the parts:
    /// their sort keys do not end with a part's number.
    fn holds(&self, item: &Item) -> bool {
        let (Some(Value::S(text)), Value::S(first)) = (item.get(&self.column.name), &self.first)
        else {
            return false;
        };
        let start = first
            .get(..first.len().saturating_sub(CHUNK_DIGITS))
            .unwrap_or_default();
        let number = text.strip_prefix(start).unwrap_or_default();
        number.len() == CHUNK_DIGITS && number.bytes().all(|byte| byte.is_ascii_digit())
    }

    fn query(&self, table_name: &str, after: Option<Item>) -> QueryInput {
        QueryInput {
            table_name: Some(table_name.to_owned()),
            key_condition_expression: Some("#p = :p AND #s BETWEEN :f AND :l".to_owned()),
            expression_attributes: ExpressionAttributes::default()
                .name("#p", &self.table.partition.name)
                .name("#s", &self.column.name)
                .value(":p", self.partition.clone())
                .value(":f", self.first.clone())
                .value(":l", self.last.clone()),
            consistent_read: Some(true),
            returns: capacity::requested(),
            exclusive_start_key: after.map(Ok),
            ..QueryInput::default()
        }
    }
}

fn sort_key(sort: &KeyTemplate, key: &Values, part: i64) -> Result<Value, ClientError> {
    let mut of_part = key.clone();
    of_part.insert(value::CHUNK.to_owned(), Value::from(part));
    Ok(value::key(sort, &of_part)?)
}

impl StoredEntity {
    /// The items that are stored for the entity, the main one first. The parts of a list are those
    /// that were read: another version of the model may have split it differently.
    pub(super) fn derived(
        &self,
        context: &Context<'_>,
        entity: &Entity,
    ) -> Result<Vec<Derived>, ClientError> {
        let derived = derive_stored(context.model, entity, &self.values, &self.item);
        let in_table = |name: &str| format!("correct `{name}` in the table");
        let unknown = ("copies and guards", in_table);
        let mut all =
            derived.map_err(|error| wrong_value((entity, &self.values), error, unknown))?;
        all.retain(|one| !self.lacks_guard || one.role != Role::IdGuard);
        self.add_unreadable(entity, &mut all);
        if entity.split.is_none() {
            return Ok(all);
        }
        all.retain(|one| !matches!(one.role, Role::Part(_)));
        let table = table(context.model, entity)?;
        let name = table_name(table, entity, &self.values)?;
        for (at, item) in self.parts.iter().enumerate() {
            let mut key = Item::new();
            for column in std::iter::once(&table.partition).chain(&table.sort) {
                if let Some(held) = item.get(&column.name) {
                    key.insert(column.name.as_str(), held.clone());
                }
            }
            all.push(Derived {
                role: Role::Part(at + 1),
                table: name.clone(),
                key,
                item: item.clone(),
            });
        }
        Ok(all)
    }

    /// Adds what is stored of attributes that cannot be read to the items that hold them: new values
    /// differ from it.
    fn add_unreadable(&self, entity: &Entity, all: &mut [Derived]) {
        for wrong in &self.unreadable {
            let name = &wrong.attribute;
            let hidden = [parts_attribute(name), digest_attribute(name)];
            let names = std::iter::once(name).chain(&hidden);
            let stored = names.filter_map(|name| Some((name, self.item.get(name)?)));
            let stored: Vec<_> = stored.collect();
            for one in all.iter_mut() {
                let has_it = match &one.role {
                    Role::Main => true,
                    Role::Copy(copy) => {
                        let mut copies = entity.copies.iter();
                        let copy = copies.find(|one| one.name == *copy);
                        copy.is_some_and(|copy| copy.attributes.contains(name))
                    }
                    Role::Part(_) | Role::Guard(_) | Role::IdGuard => false,
                };
                if has_it {
                    let held = stored.iter();
                    held.for_each(|(name, held)| {
                        one.item.insert(name.as_str(), (*held).clone());
                    });
                }
            }
        }
    }

    /// Refuses what rests on the item, where it says that it is of another kind. A write that does not
    /// read it replaces and deletes it.
    ///
    /// # Errors
    /// `UnknownItem`, with the key.
    pub(super) fn require_kind(
        &self,
        (context, entity): (&Context<'_>, &Entity),
    ) -> Result<(), ClientError> {
        let table = table(context.model, entity)?;
        if says_another(table, &entity.name, &self.item) {
            let found = format!("the key of this {} has", entity.name);
            return Err(unknown_item(&found, table, &self.item));
        }
        Ok(())
    }

    /// Refuses what needs an attribute that cannot be read.
    ///
    /// # Errors
    /// `UnknownItem`, with entity and key.
    pub(super) fn require_readable(
        &self,
        (context, entity): (&Context<'_>, &Entity),
        is_needed: impl Fn(&str) -> bool,
    ) -> Result<(), ClientError> {
        let mut unreadable = self.unreadable.iter();
        match unreadable.find(|one| is_needed(&one.attribute)) {
            Some(wrong) => {
                let table = table(context.model, entity)?;
                Err(wrong.error((table, entity), None, &self.item))
            }
            None => Ok(()),
        }
    }

    /// Refuses a change that gives these attributes, where the item is of another kind, where others
    /// cannot be read, or where one that cannot decides which other items follow.
    ///
    /// # Errors
    /// `UnknownItem`, with entity and key.
    pub(super) fn require_replaceable(
        &self,
        (context, entity): (&Context<'_>, &Entity),
        given: Given<'_>,
    ) -> Result<(), ClientError> {
        self.require_kind((context, entity))?;
        self.require_readable((context, entity), |name| {
            let attribute = entity.attribute(name);
            let is_given = attribute.is_some_and(|attribute| given.has(attribute));
            !is_given || context.model.decides(entity, name)
        })
    }

    /// The error of new values of which no key can be made, where the value is one that another
    /// program wrote and the caller does not give.
    pub(super) fn explained(
        &self,
        entity: &Entity,
        given: Given<'_>,
        error: ClientError,
    ) -> ClientError {
        let is_own = |name: &str| entity.attribute(name).is_some_and(|own| !given.has(own));
        if !matches!(&error, ClientError::Value(wrong) if is_own(wrong.name())) {
            return error;
        }
        let give = |name: &str| format!("give `{name}`, too");
        wrong_value((entity, &self.values), error, ("index keys", give))
    }

    /// The attributes by which an item without a guard is told from others.
    pub(super) fn identity<'e>(&self, entity: &'e Entity) -> impl Iterator<Item = &'e str> {
        let names = entity.id.iter().filter(|_| self.lacks_guard);
        names.map(String::as_str)
    }

    /// The given values, with the attributes that the model keeps as they are stored.
    pub(super) fn with_kept(&self, entity: &Entity, mut given: Values) -> Values {
        for attribute in entity
            .attributes
            .iter()
            .filter(|attribute| attribute.is_kept)
        {
            match self.values.get(&attribute.name) {
                Some(value) => given.insert(attribute.name.clone(), value.clone()),
                None => given.remove(&attribute.name),
            };
        }
        given
    }
}
