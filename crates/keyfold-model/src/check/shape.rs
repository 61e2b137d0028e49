//! Everything that lies in a key space: entities, copies, guards.

use crate::diagnostic::Span;
use crate::language::Language;
use crate::schema::{Attribute, Entity, GUARD_SORT, KeyPair, Model, guard_prefix};
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

/// The shapes in a space of a table.
fn shapes(model: &Model, at: usize, space: Space) -> Vec<Shape> {
    let Some(table) = model.tables.get(at) else { return Vec::new() };
    let shape = |owner, what: String, key: &KeyPair, span| {
        Shape::new(owner, what, key.clone(), span, &table.delimiters)
    };
    let mut shapes = Vec::new();
    for (at, entity) in model.entities.iter().enumerate().filter(|(_, entity)| entity.table == at) {
        let owner = Owner { entity: at, copy: None, is_guard: false };
        match space {
            Space::Index(index) => {
                let keys = entity.indexes.iter().filter(|key| key.index == index);
                shapes.extend(keys.map(|key| shape(owner, entity.name.clone(), &key.key, key.key.span)));
            }
            Space::Table => {
                shapes.push(shape(owner, entity.name.clone(), &entity.key, entity.key.span));
                for (place, copy) in entity.copies.iter().enumerate() {
                    let what = format!("{}.{}", entity.name, copy.name);
                    shapes.push(shape(Owner { copy: Some(place), ..owner }, what, &copy.key, copy.key.span));
                }
                for unique in entity.uniques.iter().filter_map(|unique| entity.attribute(unique)) {
                    let what = format!("the guard of unique {}.{}", entity.name, unique.name);
                    let key = guard_key(entity, unique, table.sort.is_some());
                    shapes.push(shape(Owner { is_guard: true, ..owner }, what, &key, entity.span));
                }
            }
        }
    }
    shapes
}

fn guard_key(entity: &Entity, unique: &Attribute, has_sort: bool) -> KeyPair {
    let parts = vec![
        Part::Text(guard_prefix(&entity.name, &unique.name)),
        Part::Field { name: unique.name.clone(), kind: unique.kind.clone(), format: Format::Plain },
    ];
    KeyPair {
        partition: KeyTemplate { parts, bare: false, span: entity.span },
        sort: has_sort.then(|| KeyTemplate::of_text(GUARD_SORT, entity.span)),
        span: entity.span,
    }
}
