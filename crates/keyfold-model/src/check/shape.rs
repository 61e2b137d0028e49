//! Everything that lies in a key space: entities, copies, guards.

use crate::diagnostic::Span;
use crate::language::Language;
use crate::schema::{Attribute, Column, Copy, Entity, GUARD_SORT, Index, KeyPair, Model, Table, guard_parts};
use crate::template::{Format, KeyTemplate, Part};

/// Which ordered set of keys: the table's own, or an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    Table,
    Index(usize),
}

/// Who a shape belongs to, for telling members of a result from neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) entity: usize,
    pub(crate) copy: Option<usize>,
    pub(crate) is_guard: bool,
}

/// One kind of item in a key space.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    pub(crate) owner: Owner,
    pub(crate) what: String,
    pub(crate) key: KeyPair,
    pub(crate) span: Span,
    /// All partition keys it can have.
    pub(crate) partition: Language,
    /// All sort keys it can have.
    pub(crate) sort: Language,
}

/// The shapes of every space, with their languages: made once for all rules and patterns.
pub(crate) struct Spaces {
    /// By table; then the table itself and each index.
    tables: Vec<Vec<Vec<Shape>>>,
}

impl Spaces {
    pub(crate) fn new(model: &Model) -> Spaces {
        let of_table = |at: usize, indexes: usize| {
            let spaces = std::iter::once(Space::Table).chain((0..indexes).map(Space::Index));
            spaces.map(|space| shapes(model, at, space)).collect()
        };
        let tables = model.tables.iter().enumerate().map(|(at, table)| of_table(at, table.indexes.len()));
        Spaces { tables: tables.collect() }
    }

    /// The shapes in a space.
    pub(crate) fn shapes(&self, table: usize, space: Space) -> &[Shape] {
        let place = match space {
            Space::Table => 0,
            Space::Index(index) => index + 1,
        };
        self.tables.get(table).and_then(|spaces| spaces.get(place)).map_or(&[], Vec::as_slice)
    }

    /// The shapes of every space of a table.
    pub(crate) fn of_table(&self, table: usize) -> impl Iterator<Item = &Shape> {
        self.tables.get(table).into_iter().flatten().flatten()
    }
}

impl Shape {
    fn new(owner: Owner, what: String, key: KeyPair, span: Span, delimiters: &[char]) -> Shape {
        let partition = key.partition.language(delimiters);
        let sort = key.sort.as_ref().map_or_else(Language::empty_text, |sort| sort.language(delimiters));
        Shape { owner, what, key, span, partition, sort }
    }
}

/// The key that a copy has in an index: made of its own key, and of attributes that it holds.
pub(crate) fn copy_key_in(table: &Table, entity: &Entity, copy: &Copy, index: &Index) -> Option<KeyPair> {
    key_of(table, index, &copy.key, |name| {
        copy.attributes.iter().any(|held| held == name).then(|| entity.attribute(name)).flatten()
    })
}

/// The key that an item has in an index, if it has all of the index's attributes.
fn key_of<'e>(
    table: &Table,
    index: &Index,
    key: &KeyPair,
    held: impl Fn(&str) -> Option<&'e Attribute>,
) -> Option<KeyPair> {
    let parts_of = |column: &Column| {
        if column.name == table.partition.name {
            return Some(key.partition.parts.clone());
        }
        if table.sort.as_ref().is_some_and(|sort| sort.name == column.name) {
            return key.sort.as_ref().map(|sort| sort.parts.clone());
        }
        let attribute = held(&column.name)?;
        let (name, kind) = (attribute.name.clone(), attribute.kind.clone());
        Some(vec![Part::Field { name, kind, format: Format::Bare }])
    };
    let joined = |columns: &[Column]| -> Option<KeyTemplate> {
        let parts: Vec<Vec<Part>> = columns.iter().map(parts_of).collect::<Option<_>>()?;
        Some(KeyTemplate { parts: parts.join(&Part::Break), span: key.span })
    };
    let sort = if index.sort.is_empty() { None } else { Some(joined(&index.sort)?) };
    Some(KeyPair { partition: joined(&index.partition)?, sort, span: key.span })
}

/// The shapes in a space of a table.
fn shapes(model: &Model, at: usize, space: Space) -> Vec<Shape> {
    let Some(table) = model.tables.get(at) else { return Vec::new() };
    let index = match space {
        Space::Table => None,
        Space::Index(index) => table.indexes.get(index).map(|found| (index, found)),
    };
    let mut shapes = Vec::new();
    let mut add = |owner, what: String, key: Option<KeyPair>, span| {
        if let Some(key) = key {
            shapes.push(Shape::new(owner, what, key, span, &table.delimiters));
        }
    };
    for (at, entity) in model.entities.iter().enumerate().filter(|(_, entity)| entity.table == at) {
        let owner = Owner { entity: at, copy: None, is_guard: false };
        let own = match index {
            None => Some(entity.key.clone()),
            Some((index, _)) => {
                entity.indexes.iter().find(|key| key.index == index).map(|key| key.key.clone())
            }
        };
        let span = own.as_ref().map_or(entity.span, |key| key.span);
        add(owner, entity.name.clone(), own, span);
        for (place, copy) in entity.copies.iter().enumerate() {
            let what = format!("{}.{}", entity.name, copy.name);
            let key = match index {
                None => Some(copy.key.clone()),
                Some((_, index)) => copy_key_in(table, entity, copy, index),
            };
            add(Owner { copy: Some(place), ..owner }, what, key, copy.key.span);
        }
        for unique in &entity.uniques {
            let what = format!("the guard of unique {}.{}", entity.name, unique.join(", "));
            let guard = guard_key(entity, unique, table.sort.is_some());
            let key = match index {
                None => Some(guard),
                Some((_, index)) => key_of(table, index, &guard, |_| None),
            };
            add(Owner { is_guard: true, ..owner }, what, key, entity.span);
        }
    }
    shapes
}

fn guard_key(entity: &Entity, unique: &[String], has_sort: bool) -> KeyPair {
    KeyPair {
        partition: KeyTemplate { parts: guard_parts(entity, unique), span: entity.span },
        sort: has_sort.then(|| KeyTemplate::of_text(GUARD_SORT, entity.span)),
        span: entity.span,
    }
}
