//! The kinds of items of a table, distinguished by their keys.

use crate::slots::{self, Names, Slots};
use keyfold_codec::{RawItem, RawValue};
use keyfold_lower::kind_name::{GUARD, kind_name, part_name, says_another};
use keyfold_model::language::Language;
use keyfold_model::schema::{GUARD_SORT, guard_parts};
use keyfold_model::template::{CHUNK_DIGITS, Part};
use keyfold_model::{Entity, KeyTemplate, Model, Table};
use keyfold_types::{Item, Value};

/// The role of a kind of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The main item of an entity, or a part of its list.
    Main,
    /// A copy, by its position in the entity.
    Copy(usize),
    /// The guard of a group of unique attributes, by its position in the entity.
    Guard(usize),
}

/// A kind of items.
pub struct Kind {
    /// The position of its entity in the model.
    pub at: usize,
    /// Its role.
    pub role: Role,
    /// The name that the table's attribute of types holds.
    pub name: String,
    /// The name that it holds for the further parts of the entity's list.
    part_name: String,
    partition: Matcher,
    sort: Option<Matcher>,
    is_split: bool,
}

/// What an item holds as a key attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Held<'i> {
    Nothing,
    Text(&'i str),
    /// A number or bytes.
    Other,
}

impl<'i> Held<'i> {
    fn of(value: Option<&'i Value>) -> Held<'i> {
        match value {
            None => Held::Nothing,
            Some(Value::S(text)) => Held::Text(text),
            Some(_) => Held::Other,
        }
    }

    fn of_raw(value: Option<RawValue<'i>>) -> Held<'i> {
        value.map_or(Held::Nothing, |value| {
            slots::text(value).map_or(Held::Other, Held::Text)
        })
    }
}

/// The key attributes that a template can make.
struct Matcher {
    /// The fixed text that all of them begin with: the quick test.
    start: String,
    /// The texts; `None` where the attribute itself is the key.
    texts: Option<Language>,
}

impl Matcher {
    fn new(template: &KeyTemplate) -> Matcher {
        let start = match template.parts.first() {
            Some(Part::Text(text)) => text.clone(),
            Some(Part::Field { .. } | Part::Shard { .. } | Part::Chunk | Part::Break) | None => {
                String::new()
            }
        };
        Matcher {
            start,
            texts: (!template.is_bare()).then(|| template.language()),
        }
    }

    fn fits(&self, held: Held<'_>) -> bool {
        match (&self.texts, held) {
            (None, held) => held != Held::Nothing,
            (Some(texts), Held::Text(text)) => text.starts_with(&self.start) && texts.accepts(text),
            (Some(_), Held::Nothing | Held::Other) => false,
        }
    }
}

/// The name of a kind of items in the table's attribute of types.
fn name(entity: &Entity, role: Role) -> String {
    match role {
        Role::Main => kind_name(entity, None),
        Role::Copy(at) => kind_name(entity, entity.copies.get(at)),
        Role::Guard(_) => GUARD.to_owned(),
    }
}

impl Kind {
    fn new(
        (at, entity): (usize, &Entity),
        role: Role,
        (partition, sort): (&KeyTemplate, Option<&KeyTemplate>),
    ) -> Kind {
        let ends_with_part =
            sort.is_some_and(|sort| matches!(sort.parts.last(), Some(Part::Chunk)));
        Kind {
            at,
            role,
            name: name(entity, role),
            part_name: part_name(entity),
            partition: Matcher::new(partition),
            sort: sort.map(Matcher::new),
            is_split: role == Role::Main && entity.split.is_some() && ends_with_part,
        }
    }

    /// The name of the kind that an item of this key holds in the table's attribute of types.
    pub fn name_of(&self, table: &Table, item: &Item) -> &str {
        match self.part_of(table, item) {
            Some((_, number)) if number > 0 => &self.part_name,
            Some(_) | None => &self.name,
        }
    }

    fn fits(&self, partition: Held<'_>, sort: Held<'_>) -> bool {
        self.partition.fits(partition) && self.sort.as_ref().is_none_or(|one| one.fits(sort))
    }

    /// The sort key without the number of the part, and that number; `None` for an item that is not
    /// one of several.
    pub fn part_of<'i>(&self, table: &Table, item: &'i Item) -> Option<(&'i str, usize)> {
        let column = table.sort.as_ref().filter(|_| self.is_split)?;
        let Some(Value::S(text)) = item.get(&column.name) else {
            return None;
        };
        let (start, number) = text.split_at_checked(text.len().checked_sub(CHUNK_DIGITS)?)?;
        Some((start, number.parse().ok()?))
    }
}

/// The kinds of items of a table.
pub struct Kinds<'m> {
    /// The table.
    pub table: &'m Table,
    kinds: Vec<Kind>,
    /// The names of types.
    types: Names,
    /// The positions of the kinds of each name of a type.
    named: Vec<Vec<usize>>,
    /// The names of the attributes by which kinds are distinguished.
    distinguishing: Names,
    /// For each entity of the model the aggregates that count its items: the position of the entity
    /// that keeps one, and its position there.
    counted: Vec<Vec<(usize, usize)>>,
}

impl<'m> Kinds<'m> {
    /// The kinds of items of the table with a position in the model.
    pub fn of(model: &'m Model, at: usize, table: &'m Table) -> Kinds<'m> {
        let mut kinds: Vec<Kind> = Vec::new();
        let own = model.entities.iter().enumerate();
        for (at, entity) in own.filter(|(_, entity)| entity.table == at) {
            let mut add = |role, key: (&KeyTemplate, Option<&KeyTemplate>)| {
                kinds.push(Kind::new((at, entity), role, key));
            };
            let key = (&entity.key.partition, entity.key.sort.as_ref());
            add(Role::Main, key);
            for (number, copy) in entity.copies.iter().enumerate() {
                let key = (&copy.key.partition, copy.key.sort.as_ref());
                add(Role::Copy(number), key);
            }
            for (number, unique) in entity.uniques.iter().enumerate() {
                let partition = KeyTemplate {
                    parts: guard_parts(entity, unique, &table.delimiters),
                    span: entity.span,
                };
                let sort = KeyTemplate::of_text(GUARD_SORT, entity.span);
                let key = (&partition, table.sort.as_ref().map(|_| &sort));
                add(Role::Guard(number), key);
            }
        }
        let types = Names::of(kinds.iter().map(|kind| kind.name.clone()));
        let mut named = vec![Vec::new(); types.len()];
        for (at, kind) in kinds.iter().enumerate() {
            let all = types
                .position(&kind.name)
                .and_then(|one| named.get_mut(one));
            all.into_iter().for_each(|all| all.push(at));
        }
        let columns = table.columns().map(|column| &column.name);
        let distinguishing = Names::of(columns.chain(&table.type_attribute).cloned());
        let mut counted = vec![Vec::new(); model.entities.len()];
        for (parent, entity) in model.entities.iter().enumerate() {
            for (number, aggregate) in entity.aggregates.iter().enumerate() {
                if let Some(all) = counted.get_mut(aggregate.entity) {
                    all.push((parent, number));
                }
            }
        }
        Kinds {
            table,
            kinds,
            types,
            named,
            distinguishing,
            counted,
        }
    }

    /// The name of a kind in the table's attribute of types.
    pub(crate) fn name(&self, at: usize, role: Role) -> &str {
        let mut kinds = self.kinds.iter();
        let kind = kinds.find(|kind| (kind.at, kind.role) == (at, role));
        kind.map_or("", |kind| kind.name.as_str())
    }

    /// The aggregates that count the items of an entity: the positions of the entities that keep
    /// them, and their positions there.
    pub(crate) fn counted(&self, entity: usize) -> &[(usize, usize)] {
        self.counted.get(entity).map_or(&[], Vec::as_slice)
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[Kind] {
        &self.kinds
    }

    /// The position of the kind of a stored item, where [`Kinds::kind_of`] finds it at once: the key
    /// of a main item that has the name of its type is still to be compared.
    pub(crate) fn position_of(&self, item: &RawItem) -> Option<usize> {
        let slots = Slots::of(&self.distinguishing, item);
        let sort = self.table.sort.as_ref();
        let fits = |kind: &Kind| {
            let partition = Held::of_raw(slots.get(&self.table.partition.name));
            let sort = sort.and_then(|column| slots.get(&column.name));
            kind.fits(partition, Held::of_raw(sort))
        };
        let Some(name) = &self.table.type_attribute else {
            return self.kinds.iter().position(fits);
        };
        let named = self.types.position(slots.get(name).and_then(slots::text)?);
        let named = self.named.get(named?)?;
        let is_fit = |at: &usize| {
            let kind = self.kinds.get(*at);
            kind.is_some_and(|kind| kind.role == Role::Main || fits(kind))
        };
        named.iter().copied().find(is_fit)
    }

    /// The kind of an item; `None` when no kind has its key.
    pub fn kind_of(&self, item: &Item) -> Option<&Kind> {
        let partition = Held::of(item.get(&self.table.partition.name));
        let sort = self.table.sort.as_ref();
        let sort = Held::of(sort.and_then(|column| item.get(&column.name)));
        let fits = |kind: &&Kind| kind.fits(partition, sort);
        let mut fitting = self.kinds.iter().filter(fits);
        let first = fitting.next()?;
        // The compiler proves that the keys that the model writes are disjoint. For others, the
        // attribute of types decides.
        let is_it = |kind: &&Kind| !says_another(self.table, kind.name_of(self.table, item), item);
        if is_it(&first) {
            return Some(first);
        }
        Some(fitting.find(is_it).unwrap_or(first))
    }

    /// The key of an item.
    pub fn key_of(&self, item: &Item) -> Item {
        let mut key = Item::new();
        for column in self.table.columns() {
            if let Some(held) = item.get(&column.name) {
                key.insert(column.name.as_str(), held.clone());
            }
        }
        key
    }
}
