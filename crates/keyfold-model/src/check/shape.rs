//! Everything that lies in a key space: entities, copies, guards.

use crate::diagnostic::Span;
use crate::language::Language;
use crate::schema::{GUARD_SORT, KeyPair, Model, guard_prefix};
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
}

impl Shape {
    pub(crate) fn partition(&self, delimiters: &[char]) -> Language {
        self.key.partition.language(delimiters)
    }

    pub(crate) fn sort(&self, delimiters: &[char]) -> Language {
        self.key.sort.as_ref().map_or_else(Language::empty_text, |sort| sort.language(delimiters))
    }
}

/// The shapes in a space of a table.
pub(crate) fn shapes(model: &Model, table: usize, space: Space) -> Vec<Shape> {
    let mut shapes = Vec::new();
    for (at, entity) in model.entities.iter().enumerate().filter(|(_, entity)| entity.table == table) {
        let owner = Owner { entity: at, copy: None, is_guard: false };
        match space {
            Space::Index(index) => {
                for key in entity.indexes.iter().filter(|key| key.index == index) {
                    shapes.push(Shape {
                        owner,
                        what: entity.name.clone(),
                        key: key.key.clone(),
                        span: key.key.span,
                    });
                }
            }
            Space::Table => {
                let (key, span) = (entity.key.clone(), entity.key.span);
                shapes.push(Shape { owner, what: entity.name.clone(), key, span });
                for (place, copy) in entity.copies.iter().enumerate() {
                    shapes.push(Shape {
                        owner: Owner { copy: Some(place), ..owner },
                        what: format!("{}.{}", entity.name, copy.name),
                        key: copy.key.clone(),
                        span: copy.key.span,
                    });
                }
                for unique in &entity.uniques {
                    let kind = entity.attribute(unique).map(|attribute| attribute.kind.clone());
                    let Some(kind) = kind else { continue };
                    let parts = vec![
                        Part::Text(guard_prefix(&entity.name, unique)),
                        Part::Field { name: unique.clone(), kind, format: Format::Plain },
                    ];
                    let partition = KeyTemplate { parts, bare: false, span: entity.span };
                    let has_sort = model.tables.get(table).is_some_and(|table| table.sort.is_some());
                    let sort = has_sort.then(|| KeyTemplate::of_text(GUARD_SORT, entity.span));
                    shapes.push(Shape {
                        owner: Owner { is_guard: true, ..owner },
                        what: format!("the guard of unique {}.{unique}", entity.name),
                        key: KeyPair { partition, sort, span: entity.span },
                        span: entity.span,
                    });
                }
            }
        }
    }
    shapes
}
