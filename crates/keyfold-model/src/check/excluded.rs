//! The characters that a text in a key must not contain: as few as keep keys readable and kinds
//! apart.
//!
//! A field always excludes the character that ends it in its own template. It excludes others only
//! where two kinds of items could otherwise share a partition key or a sort key, and do not if both
//! exclude the delimiters. The rules then prove the model with these sets; nothing here is taken for
//! granted.

use super::shape::{Shape, Space, Spaces};
use crate::language::Language;
use crate::schema::{Column, Excluded, KeyPair, Model, Table};
use crate::template::{Format, KeyTemplate, Part, language_of, print};
use crate::types::Type;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

/// A key attribute of a kind of item: the places of the entity and of its copy, and the attribute.
type Place = (usize, Option<usize>, String);

/// What a field excludes, each character with the template that forces it: given the delimiters of
/// the table, the key attribute, its parts, and the field's place among them.
type Decided<'d> = dyn FnMut(&[char], &Place, &[Part], usize) -> BTreeMap<char, String> + 'd;

/// The excluded characters of columns, each with the template that forces it.
type Raised = BTreeMap<Place, BTreeMap<char, String>>;

/// Decides what the fields of all keys exclude, and returns the shapes of the keys that they have then.
pub(crate) fn decide(model: &mut Model) -> Spaces {
    exclude_least(model, &Raised::new());
    let least = Spaces::new(model);
    let raised = collisions(model, &least);
    if raised.is_empty() {
        return least;
    }
    exclude_least(model, &raised);
    Spaces::new(model)
}

/// Lets each field exclude what its own template forces, and what was raised for its key attribute.
fn exclude_least(model: &mut Model, raised: &Raised) {
    exclude(model, &mut |delimiters, place, column, at| {
        let mut found = raised.get(place).cloned().unwrap_or_default();
        let own = own(delimiters, column, at).into_iter();
        found.extend(own.map(|sign| (sign, print(column))));
        found
    });
}

/// The characters that a field excludes because of its own template: the one behind it.
fn own(delimiters: &[char], column: &[Part], at: usize) -> Vec<char> {
    match column.get(at + 1) {
        None => Vec::new(),
        Some(Part::Text(text)) => {
            let first = text.chars().next();
            first
                .into_iter()
                .filter(|c| delimiters.contains(c))
                .collect()
        }
        // Fields that run into each other are refused by KF013.
        Some(Part::Field { .. } | Part::Shard { .. } | Part::Chunk | Part::Break) => {
            delimiters.to_vec()
        }
    }
}

/// Sets what each text field of every key excludes.
fn exclude(model: &mut Model, decided: &mut Decided<'_>) {
    let Model {
        tables, entities, ..
    } = model;
    for (place, entity) in entities.iter_mut().enumerate() {
        let Some(table) = tables.get(entity.table) else {
            continue;
        };
        let mut all: BTreeSet<Excluded> = BTreeSet::new();
        let mut each = |copy: Option<usize>, key: &mut KeyPair, columns: [&[Column]; 2]| {
            let [of_partition, of_sort] = columns;
            let sides = [Some(&mut key.partition), key.sort.as_mut()];
            for (template, columns) in sides.into_iter().zip([of_partition, of_sort]) {
                let Some(template) = template else { continue };
                let split = template.parts.split_mut(|part| *part == Part::Break);
                for (parts, column) in split.zip(columns) {
                    let place = (place, copy, column.name.clone());
                    exclude_in(parts, &place, &table.delimiters, decided, &mut all);
                }
            }
        };
        let own = [
            std::slice::from_ref(&table.partition),
            table.sort.as_slice(),
        ];
        each(None, &mut entity.key, own);
        for index in &mut entity.indexes {
            if let Some(found) = table.indexes.get(index.index) {
                each(None, &mut index.key, [&found.partition, &found.sort]);
            }
        }
        for (at, copy) in entity.copies.iter_mut().enumerate() {
            each(Some(at), &mut copy.key, own);
        }
        entity.excluded = all.into_iter().collect();
    }
}

/// Sets what the text fields of one key attribute exclude.
fn exclude_in(
    parts: &mut [Part],
    place: &Place,
    delimiters: &[char],
    decided: &mut Decided<'_>,
    all: &mut BTreeSet<Excluded>,
) {
    let before = parts.to_vec();
    for (at, part) in parts.iter_mut().enumerate() {
        let Part::Field {
            name,
            kind: Type::String,
            format,
            excluded,
        } = part
        else {
            continue;
        };
        match format {
            Format::Escaped => *excluded = delimiters.to_vec(),
            Format::Plain | Format::Lower => {
                let found = decided(delimiters, place, &before, at);
                *excluded = found.keys().copied().collect();
                all.extend(found.into_iter().map(|(character, template)| Excluded {
                    attribute: name.clone(),
                    character,
                    template,
                }));
            }
            Format::Bare
            | Format::Padded { .. }
            | Format::Truncated(_)
            | Format::Reversed
            | Format::Hash => {}
        }
    }
}

/// The columns of kinds that meet as they are, and would not if all fields excluded all delimiters.
fn collisions(model: &Model, least: &Spaces) -> Raised {
    let mut raised = Raised::new();
    for (at, table) in model.tables.iter().enumerate() {
        let indexes = (0..table.indexes.len()).map(Space::Index);
        for space in std::iter::once(Space::Table).chain(indexes) {
            let shapes = least.shapes(at, space);
            let search = Search {
                table: at,
                space,
                of_table: table,
                least,
                shapes,
                strict: vec![OnceCell::new(); shapes.len()],
            };
            search.partitions(&mut raised);
            search.sorts(&mut raised);
        }
    }
    raised
}

/// The search for meeting kinds in one key space.
struct Search<'m> {
    table: usize,
    space: Space,
    of_table: &'m Table,
    least: &'m Spaces,
    /// The kinds in it.
    shapes: &'m [Shape],
    /// Their keys if all fields excluded all delimiters, made for those that may meet others.
    strict: Vec<OnceCell<Strict>>,
}

/// The keys of a kind whose fields exclude all delimiters.
#[derive(Clone)]
struct Strict {
    partition: Language,
    sort: Language,
}

/// One of the two keys of a kind.
#[derive(Clone, Copy)]
enum Side {
    Partition,
    Sort,
}

impl Side {
    fn of(self, shape: &Shape) -> Option<(&KeyTemplate, &Language)> {
        match self {
            Side::Partition => Some((&shape.key.partition, &shape.partition)),
            Side::Sort => Some((shape.key.sort.as_ref()?, &shape.sort)),
        }
    }

    fn of_strict(self, strict: &Strict) -> &Language {
        match self {
            Side::Partition => &strict.partition,
            Side::Sort => &strict.sort,
        }
    }
}

impl Search<'_> {
    fn strict(&self, place: usize) -> Option<&Strict> {
        let (shape, known) = (self.shapes.get(place)?, self.strict.get(place)?);
        let delimiters = &self.of_table.delimiters;
        Some(known.get_or_init(|| Strict {
            partition: raise(&shape.key.partition, delimiters),
            sort: match &shape.key.sort {
                Some(sort) => raise(sort, delimiters),
                None => shape.sort.clone(),
            },
        }))
    }

    /// Partition keys: each template once, since kinds that share one do not differ in it.
    fn partitions(&self, raised: &mut Raised) {
        let shapes = self.shapes;
        let first = firsts(shapes, |shape| print(&shape.key.partition.parts));
        let anything = Language::empty_text().and_anything();
        for (two, shape) in shapes
            .iter()
            .enumerate()
            .filter(|(at, _)| is_first(&first, *at))
        {
            let near = self
                .least
                .near(self.table, self.space, &shape.partition, &anything);
            for one in near.into_iter().take_while(|one| *one < two) {
                if is_first(&first, one) {
                    self.compare(one, two, Side::Partition, raised);
                }
            }
        }
        self.share(&first, Side::Partition, raised);
    }

    /// Gives every kind what was decided for the first kind with the same templates.
    fn share(&self, first: &[usize], side: Side, raised: &mut Raised) {
        let shapes = self.shapes;
        for (shape, first) in shapes.iter().zip(first) {
            let Some(of_first) = shapes.get(*first).filter(|_| !shape.owner.is_guard) else {
                continue;
            };
            for column in self.columns(side) {
                if let Some(found) = raised.get(&place_of(of_first, column)).cloned() {
                    let own = raised.entry(place_of(shape, column)).or_default();
                    own.extend(found);
                }
            }
        }
    }

    /// The key attributes of one key in this space.
    fn columns(&self, side: Side) -> Vec<&str> {
        let index = match self.space {
            Space::Table => None,
            Space::Index(at) => self.of_table.indexes.get(at),
        };
        let columns: Vec<&Column> = match (index, side) {
            (None, Side::Partition) => vec![&self.of_table.partition],
            (None, Side::Sort) => self.of_table.sort.iter().collect(),
            (Some(index), Side::Partition) => index.partition.iter().collect(),
            (Some(index), Side::Sort) => index.sort.iter().collect(),
        };
        columns.iter().map(|column| column.name.as_str()).collect()
    }

    /// Sort keys of kinds whose partition keys meet: each pair of templates once.
    fn sorts(&self, raised: &mut Raised) {
        let shapes = self.shapes;
        let first = firsts(shapes, |shape| {
            let sort = shape.key.sort.as_ref().map(KeyTemplate::to_string);
            print(&shape.key.partition.parts) + &sort.unwrap_or_default()
        });
        for (two, shape) in shapes
            .iter()
            .enumerate()
            .filter(|(at, _)| is_first(&first, *at))
        {
            let near = self
                .least
                .near(self.table, self.space, &shape.partition, &shape.sort);
            let near = near.into_iter().take_while(|one| *one < two);
            for one in near.filter(|one| is_first(&first, *one)) {
                let share_partition = match (self.strict(one), self.strict(two)) {
                    (Some(one), Some(two)) => one.partition.common_text(&two.partition).is_some(),
                    (None, _) | (_, None) => false,
                };
                if share_partition {
                    self.compare(one, two, Side::Sort, raised);
                }
            }
        }
        self.share(&first, Side::Sort, raised);
    }

    /// Raises what two kinds exclude, as little as keeps these keys of theirs apart.
    fn compare(&self, one: usize, two: usize, side: Side, raised: &mut Raised) {
        let (Some(first), Some(second)) = (self.shapes.get(one), self.shapes.get(two)) else {
            return;
        };
        let (Some((of_one, keys_of_one)), Some((of_two, keys_of_two))) =
            (side.of(first), side.of(second))
        else {
            return;
        };
        if keys_of_one.common_text(keys_of_two).is_none() {
            return;
        }
        let (Some(strict_one), Some(strict_two)) = (self.strict(one), self.strict(two)) else {
            return;
        };
        let (strict_one, strict_two) = (side.of_strict(strict_one), side.of_strict(strict_two));
        if strict_one.common_text(strict_two).is_some() {
            return;
        }
        let (signs, raises) = self.least_that_parts((first, of_one), (second, of_two));
        for (shape, other, is_raised) in [(first, of_two, raises.0), (second, of_one, raises.1)] {
            if !is_raised {
                continue;
            }
            for column in self.columns(side) {
                let found = raised.entry(place_of(shape, column)).or_default();
                for sign in &signs {
                    found.entry(*sign).or_insert_with(|| other.to_string());
                }
            }
        }
    }

    /// The fewest characters, and which of two kinds must exclude them, so that their keys differ:
    /// the signs of the two templates or all delimiters; one kind or both.
    fn least_that_parts(
        &self,
        (one, of_one): (&Shape, &KeyTemplate),
        (two, of_two): (&Shape, &KeyTemplate),
    ) -> (Vec<char>, (bool, bool)) {
        let own = signs(of_one).into_iter().chain(signs(of_two));
        let own: BTreeSet<char> = own
            .filter(|sign| self.of_table.delimiters.contains(sign))
            .collect();
        for signs in [own.into_iter().collect(), self.of_table.delimiters.to_vec()] {
            for raises in [(true, false), (false, true), (true, true)] {
                if (raises.0 && one.owner.is_guard) || (raises.1 && two.owner.is_guard) {
                    continue;
                }
                let more = |raise: bool| if raise { signs.as_slice() } else { &[] };
                let (one, two) = (raise(of_one, more(raises.0)), raise(of_two, more(raises.1)));
                if one.common_text(&two).is_none() {
                    return (signs, raises);
                }
            }
        }
        (
            self.of_table.delimiters.to_vec(),
            (!one.owner.is_guard, !two.owner.is_guard),
        )
    }
}

/// For each kind, the first kind with the same text of its templates.
fn firsts(shapes: &[Shape], text_of: impl Fn(&Shape) -> String) -> Vec<usize> {
    let mut first: BTreeMap<String, usize> = BTreeMap::new();
    let shapes = shapes.iter().enumerate();
    shapes
        .map(|(place, shape)| *first.entry(text_of(shape)).or_insert(place))
        .collect()
}

/// Whether a kind is the first with its templates.
fn is_first(first: &[usize], place: usize) -> bool {
    first.get(place) == Some(&place)
}

fn place_of(shape: &Shape, column: &str) -> Place {
    (shape.owner.entity, shape.owner.copy, column.to_owned())
}

/// The characters of a template's texts.
fn signs(template: &KeyTemplate) -> BTreeSet<char> {
    let texts = template.parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text.as_str()),
        Part::Field { .. } | Part::Shard { .. } | Part::Chunk | Part::Break => None,
    });
    texts.flat_map(str::chars).collect()
}

/// The keys of a template whose text fields exclude more characters.
fn raise(template: &KeyTemplate, more: &[char]) -> Language {
    let mut parts = template.parts.clone();
    for part in &mut parts {
        if let Part::Field {
            kind: Type::String,
            format: Format::Plain | Format::Lower,
            excluded,
            ..
        } = part
        {
            excluded.extend(more);
        }
    }
    language_of(&parts)
}
