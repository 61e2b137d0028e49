//! The kinds of items of a table, distinguished by their keys.

use keyfold_model::language::Language;
use keyfold_model::schema::{GUARD_SORT, guard_parts};
use keyfold_model::template::{CHUNK_DIGITS, Part};
use keyfold_model::{Entity, KeyTemplate, Model, Table};
use keyfold_types::{Item, Value};

/// The role of a kind of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The main item of an entity, or a part of its list.
    Main,
    /// A copy, by its position in the entity.
    Copy(usize),
    /// The guard of a group of unique attributes, by its position in the entity.
    Guard(usize),
}

/// A kind of items.
pub(crate) struct Kind {
    pub(crate) at: usize,
    pub(crate) role: Role,
    /// The name that the table's attribute of types holds.
    pub(crate) name: String,
    partition: Matcher,
    sort: Option<Matcher>,
    is_split: bool,
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

    fn fits(&self, value: Option<&Value>) -> bool {
        match (&self.texts, value) {
            (None, held) => held.is_some(),
            (Some(texts), Some(Value::S(text))) => {
                text.starts_with(&self.start) && texts.accepts(text)
            }
            (Some(_), _) => false,
        }
    }
}

/// The name of a kind of items in the table's attribute of types.
fn name(entity: &Entity, role: Role) -> String {
    match role {
        Role::Main => entity.name.clone(),
        Role::Copy(at) => {
            let copy = entity.copies.get(at);
            format!(
                "{}.{}",
                entity.name,
                copy.map_or("", |copy| copy.name.as_str())
            )
        }
        Role::Guard(_) => "unique".to_owned(),
    }
}

impl Kind {
    fn new(
        at: usize,
        entity: &Entity,
        role: Role,
        (partition, sort): (&KeyTemplate, Option<&KeyTemplate>),
    ) -> Kind {
        let ends_with_part =
            sort.is_some_and(|sort| matches!(sort.parts.last(), Some(Part::Chunk)));
        Kind {
            at,
            role,
            name: name(entity, role),
            partition: Matcher::new(partition),
            sort: sort.map(Matcher::new),
            is_split: role == Role::Main && entity.split.is_some() && ends_with_part,
        }
    }

    /// The sort key without the number of the part, and that number; `None` for an item that is not
    /// one of several.
    pub(crate) fn part_of<'i>(&self, table: &Table, item: &'i Item) -> Option<(&'i str, usize)> {
        let column = table.sort.as_ref().filter(|_| self.is_split)?;
        let Some(Value::S(text)) = item.get(&column.name) else {
            return None;
        };
        let (start, number) = text.split_at_checked(text.len().checked_sub(CHUNK_DIGITS)?)?;
        Some((start, number.parse().ok()?))
    }
}

/// The kinds of items of a table.
pub(crate) struct Kinds<'m> {
    pub(crate) table: &'m Table,
    kinds: Vec<Kind>,
    /// For each entity of the model the aggregates that count its items: the position of the entity
    /// that keeps one, and its position there.
    counted: Vec<Vec<(usize, usize)>>,
}

impl<'m> Kinds<'m> {
    pub(crate) fn of(model: &'m Model, at: usize, table: &'m Table) -> Kinds<'m> {
        let mut kinds = Vec::new();
        let own = model.entities.iter().enumerate();
        for (at, entity) in own.filter(|(_, entity)| entity.table == at) {
            let key = (&entity.key.partition, entity.key.sort.as_ref());
            kinds.push(Kind::new(at, entity, Role::Main, key));
            for (number, copy) in entity.copies.iter().enumerate() {
                let key = (&copy.key.partition, copy.key.sort.as_ref());
                kinds.push(Kind::new(at, entity, Role::Copy(number), key));
            }
            for (number, unique) in entity.uniques.iter().enumerate() {
                let partition = KeyTemplate {
                    parts: guard_parts(entity, unique, &table.delimiters),
                    span: entity.span,
                };
                let sort = KeyTemplate::of_text(GUARD_SORT, entity.span);
                let key = (&partition, table.sort.as_ref().map(|_| &sort));
                kinds.push(Kind::new(at, entity, Role::Guard(number), key));
            }
        }
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

    /// The kind of an item; `None` when no kind has its key.
    pub(crate) fn kind_of(&self, item: &Item) -> Option<&Kind> {
        let partition = item.get(&self.table.partition.name);
        let sort = self.table.sort.as_ref();
        let sort = sort.and_then(|column| item.get(&column.name));
        let fits = |kind: &&Kind| {
            kind.partition.fits(partition) && kind.sort.as_ref().is_none_or(|one| one.fits(sort))
        };
        let mut fitting = self.kinds.iter().filter(fits);
        let first = fitting.next()?;
        // The compiler proves that the keys that the model writes are disjoint. For others, the
        // attribute of types decides.
        let named = self.table.type_attribute.as_ref();
        let Some(Value::S(named)) = named.and_then(|name| item.get(name)) else {
            return Some(first);
        };
        let is_named = |kind: &&Kind| kind.name == *named;
        Some(if is_named(&first) {
            first
        } else {
            fitting.find(is_named).unwrap_or(first)
        })
    }

    /// The key of an item.
    pub(crate) fn key_of(&self, item: &Item) -> Item {
        let mut key = Item::new();
        for column in self.table.columns() {
            if let Some(held) = item.get(&column.name) {
                key.insert(column.name.as_str(), held.clone());
            }
        }
        key
    }
}
