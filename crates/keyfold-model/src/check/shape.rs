//! The kinds of items in a key space: entities, copies and guards, with the keys that they can
//! have.

use crate::diagnostic::Span;
use crate::language::Language;
use crate::schema::{
    Attribute, Column, Copy, Entity, GUARD_SORT, Index, KeyPair, Model, Table, Unique, guard_parts,
    step,
};
use crate::template::{Format, KeyTemplate, Part};
use std::collections::BTreeMap;
use std::ops::Bound;

/// An ordered set of keys: the table's own, or an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    Table,
    Index(usize),
}

/// The owner of a shape. It distinguishes the kinds of a result from their neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Owner {
    /// The entity, by place.
    pub(crate) entity: usize,
    /// The copy, by place; `None` for the entity itself.
    pub(crate) copy: Option<usize>,
    pub(crate) is_guard: bool,
}

/// One kind of item in a key space.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    pub(crate) owner: Owner,
    /// Its name in messages: `Order`, `Order.summary`.
    pub(crate) what: String,
    pub(crate) key: KeyPair,
    pub(crate) span: Span,
    /// All partition keys that it can have.
    pub(crate) partition: Language,
    /// All sort keys that it can have.
    pub(crate) sort: Language,
}

/// The shapes of one space, indexed by the start and the end of their keys.
struct OfSpace {
    shapes: Vec<Shape>,
    by_partition: Starts,
    by_sort: Starts,
    /// By the end of their partition keys, read backwards.
    by_partition_end: Starts,
    /// By the end of their sort keys, read backwards.
    by_sort_end: Starts,
}

/// The places of shapes, by the text that all their keys start with.
#[derive(Default)]
struct Starts {
    places: BTreeMap<String, Vec<usize>>,
}

impl Starts {
    fn add(&mut self, start: &str, place: usize) {
        match self.places.get_mut(start) {
            Some(places) => places.push(place),
            None => {
                self.places.insert(start.to_owned(), vec![place]);
            }
        }
    }

    /// The places of shapes whose start begins with this text, or is a beginning of it.
    fn related<'s>(&'s self, start: &'s str) -> impl Iterator<Item = &'s Vec<usize>> {
        let shorter = start
            .char_indices()
            .filter_map(move |(at, _)| self.places.get(start.get(..at)?));
        let longer = self
            .places
            .range::<str, _>((Bound::Included(start), Bound::Unbounded))
            .map_while(move |(other, places)| other.starts_with(start).then_some(places));
        shorter.chain(longer).inspect(|_| step())
    }
}

/// The search that finds the fewest shapes. All are made at the same time, always the one that has
/// found the fewest until now: a search by a start without a text would go through all shapes.
fn fewest<'s>(searches: [(&'s Starts, &'s str); 4]) -> Option<(&'s Starts, &'s str)> {
    let mut begun = searches.map(|(starts, start)| (0, starts.related(start)));
    loop {
        let (at, (count, search)) = begun
            .iter_mut()
            .enumerate()
            .min_by_key(|(_, (count, _))| *count)?;
        match search.next() {
            Some(places) => *count += places.len(),
            None => return searches.get(at).copied(),
        }
    }
}

/// The shapes of every space, with their languages. They are computed once for all rules and
/// patterns.
pub(crate) struct Spaces {
    /// The spaces by table: the table itself, then each index.
    tables: Vec<Vec<OfSpace>>,
}

impl OfSpace {
    fn new(shapes: Vec<Shape>) -> OfSpace {
        let (mut by_partition, mut by_sort) = (Starts::default(), Starts::default());
        let (mut by_partition_end, mut by_sort_end) = (Starts::default(), Starts::default());
        for (place, shape) in shapes.iter().enumerate() {
            by_partition.add(shape.partition.start(), place);
            by_sort.add(shape.sort.start(), place);
            by_partition_end.add(&shape.partition.backward_end(), place);
            by_sort_end.add(&shape.sort.backward_end(), place);
        }
        OfSpace {
            shapes,
            by_partition,
            by_sort,
            by_partition_end,
            by_sort_end,
        }
    }
}

impl Spaces {
    pub(crate) fn new(model: &Model) -> Spaces {
        let of_table = |at: usize, indexes: usize| {
            let spaces = std::iter::once(Space::Table).chain((0..indexes).map(Space::Index));
            spaces
                .map(|space| OfSpace::new(shapes(model, at, space)))
                .collect()
        };
        let tables = model
            .tables
            .iter()
            .enumerate()
            .map(|(at, table)| of_table(at, table.indexes.len()));
        Spaces {
            tables: tables.collect(),
        }
    }

    /// The shapes in a space.
    pub(crate) fn shapes(&self, table: usize, space: Space) -> &[Shape] {
        self.of_space(table, space)
            .map_or(&[], |found| found.shapes.as_slice())
    }

    fn of_space(&self, table: usize, space: Space) -> Option<&OfSpace> {
        let place = match space {
            Space::Table => 0,
            Space::Index(index) => index + 1,
        };
        self.tables.get(table).and_then(|spaces| spaces.get(place))
    }

    /// The places of the shapes in a space that may have keys of these languages, in ascending
    /// order. All other shapes have none.
    pub(crate) fn near(
        &self,
        table: usize,
        space: Space,
        partition: &Language,
        sort: &Language,
    ) -> Vec<usize> {
        let Some(found) = self.of_space(table, space) else {
            return Vec::new();
        };
        let ends = (partition.backward_end(), sort.backward_end());
        let searches = [
            (&found.by_partition, partition.start()),
            (&found.by_sort, sort.start()),
            (&found.by_partition_end, ends.0.as_str()),
            (&found.by_sort_end, ends.1.as_str()),
        ];
        let Some((starts, start)) = fewest(searches) else {
            return Vec::new();
        };
        let mut places: Vec<usize> = starts.related(start).flatten().copied().collect();
        places.iter().for_each(|_| step());
        places.sort_unstable();
        places
    }

    /// The shapes of every space of a table.
    pub(crate) fn of_table(&self, table: usize) -> impl Iterator<Item = &Shape> {
        self.tables
            .get(table)
            .into_iter()
            .flatten()
            .flat_map(|found| &found.shapes)
    }
}

impl Shape {
    fn new(owner: Owner, what: String, key: KeyPair, span: Span) -> Shape {
        let partition = key.partition.language();
        let sort = key
            .sort
            .as_ref()
            .map_or_else(Language::empty_text, |sort| sort.language());
        Shape {
            owner,
            what,
            key,
            span,
            partition,
            sort,
        }
    }
}

/// The key of a copy in an index, made of its own key and of the attributes that it holds; `None`
/// if it lacks one of the index's attributes.
pub(crate) fn copy_key_in(
    table: &Table,
    entity: &Entity,
    copy: &Copy,
    index: &Index,
) -> Option<KeyPair> {
    key_of(table, index, &copy.key, |name| {
        copy.attributes
            .iter()
            .any(|held| held == name)
            .then(|| entity.attribute(name))
            .flatten()
    })
}

/// The key of an item in an index; `None` if the item lacks one of the index's attributes.
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
        if table
            .sort
            .as_ref()
            .is_some_and(|sort| sort.name == column.name)
        {
            return key.sort.as_ref().map(|sort| sort.parts.clone());
        }
        let attribute = held(&column.name)?;
        let (name, kind) = (attribute.name.clone(), attribute.kind.clone());
        Some(vec![Part::Field {
            name,
            kind,
            format: Format::Bare,
            excluded: Vec::new(),
        }])
    };
    let joined = |columns: &[Column]| -> Option<KeyTemplate> {
        let parts: Vec<Vec<Part>> = columns.iter().map(parts_of).collect::<Option<_>>()?;
        Some(KeyTemplate {
            parts: parts.join(&Part::Break),
            span: key.span,
        })
    };
    let sort = if index.sort.is_empty() {
        None
    } else {
        Some(joined(&index.sort)?)
    };
    Some(KeyPair {
        partition: joined(&index.partition)?,
        sort,
        span: key.span,
    })
}

/// The shapes in a space of a table.
fn shapes(model: &Model, at: usize, space: Space) -> Vec<Shape> {
    let Some(table) = model.tables.get(at) else {
        return Vec::new();
    };
    let index = match space {
        Space::Table => None,
        Space::Index(index) => table.indexes.get(index).map(|found| (index, found)),
    };
    let entities = model.entities.iter().enumerate();
    entities
        .filter(|(_, entity)| entity.table == at)
        .flat_map(|(place, entity)| shapes_of(table, index, place, entity))
        .collect()
}

/// The shapes of an entity, its copies and its guards, in an index or in the table itself.
fn shapes_of(
    table: &Table,
    index: Option<(usize, &Index)>,
    place: usize,
    entity: &Entity,
) -> Vec<Shape> {
    let owner = Owner {
        entity: place,
        copy: None,
        is_guard: false,
    };
    let own = match index {
        None => Some(entity.key.clone()),
        Some((index, _)) => entity
            .indexes
            .iter()
            .find(|key| key.index == index)
            .map(|key| key.key.clone()),
    };
    let shape =
        |owner, what: String, key: Option<KeyPair>, span| Some(Shape::new(owner, what, key?, span));
    let span = own.as_ref().map_or(entity.span, |key| key.span);
    let of_entity = shape(owner, entity.name.clone(), own, span);
    let of_copies = entity.copies.iter().enumerate().map(|(at, copy)| {
        let what = format!("{}.{}", entity.name, copy.name);
        let key = match index {
            None => Some(copy.key.clone()),
            Some((_, index)) => copy_key_in(table, entity, copy, index),
        };
        let owner = Owner {
            copy: Some(at),
            ..owner
        };
        shape(owner, what, key, copy.key.span)
    });
    let of_guards = entity.uniques.iter().map(|unique| {
        let word = entity.word_of(unique);
        let what = format!(
            "the guard of {word} {}.{}",
            entity.name,
            unique.joined(", ")
        );
        let guard = guard_key(table, entity, unique);
        let key = match index {
            None => Some(guard),
            Some((_, index)) => key_of(table, index, &guard, |_| None),
        };
        let owner = Owner {
            is_guard: true,
            ..owner
        };
        shape(owner, what, key, entity.span)
    });
    std::iter::once(of_entity)
        .chain(of_copies)
        .chain(of_guards)
        .flatten()
        .collect()
}

/// The key of the item that guards unique values.
pub(crate) fn guard_key(table: &Table, entity: &Entity, unique: &Unique) -> KeyPair {
    KeyPair {
        partition: KeyTemplate {
            parts: guard_parts(entity, unique, &table.delimiters),
            span: entity.span,
        },
        sort: table
            .sort
            .is_some()
            .then(|| KeyTemplate::of_text(GUARD_SORT, entity.span)),
        span: entity.span,
    }
}
