//! The keys of an entity in the indexes: of all its items, or of those that an attribute chooses.
//!
//! An item without a key in an index says that the index is sparse, unless at most one in a hundred
//! has none: fewer are mistakes, which a comment names and `verify` finds. Of a sparse index the key
//! is a template where the sample shows which items are in it, so that the model says the same of
//! every item. Elsewhere its key attributes are optional attributes of the entity.

use super::attributes::Attributes;
use super::definition::{IndexDefinition, KeyColumn};
use super::majority;
use super::names::{is_key_name, title};
use super::regroup;
use super::shape::{self, Piece, Shape};
use super::source::Source;
use super::template::template;
use crate::texts::{text_of, texts_of};
use keyfold_model::{in_braces, written};
use keyfold_types::{Item, Value};
use std::collections::BTreeMap;

/// Items from which an attribute may be what decides whether an item is in a sparse index. Of fewer
/// many attributes divide them in the same way by chance.
const DECIDED_MIN: usize = 10;

/// Items inside and outside of the index that one attribute must distinguish: of a single item
/// every value that it alone has does so.
const DECIDED_EACH_MIN: usize = 2;

/// The line of an entity's key in an index, if it needs one. Without a template, key attributes of
/// the index become attributes of the entity.
pub(super) fn index_line(
    source: Source<'_>,
    index: &IndexDefinition,
    items: &[&Item],
    attributes: &mut Attributes,
) -> Option<String> {
    let own = index
        .columns()
        .filter(|(name, _)| !source.table.is_key(name));
    let columns: Vec<&KeyColumn> = own.collect();
    let unknown = columns.iter().filter(|(name, _)| !attributes.has(name));
    let unknown: Vec<&KeyColumn> = unknown.copied().collect();
    let is_held = |(name, _): &&KeyColumn| items.iter().any(|item| item.get(name).is_some());
    // The entity has them from another index, or as attributes of its own.
    if unknown.is_empty() || !columns.iter().any(is_held) {
        return None;
    }
    let has_all = |item: &&Item| columns.iter().all(|(name, _)| item.get(name).is_some());
    let is_from_another = |(name, _): &&KeyColumn| {
        attributes.has(name) && (is_key_name(name) || attributes.is_optional(name))
    };
    let is_from_another = columns.iter().any(is_from_another);
    let (within, outside): (Vec<&Item>, Vec<&Item>) = items.iter().copied().partition(has_all);
    let one = One {
        source,
        index,
        columns,
        within,
        count: items.len(),
    };
    if !is_from_another && majority::lack_by_mistake(outside.len(), items.len()) {
        let what = format!("no key in {}", index.name);
        let comment = majority::comment(source.table, (&outside, items.len()), &what);
        attributes.notes.extend(comment);
        let templates = one.templates(false, attributes);
        // Attributes that are the key themselves need no line.
        let are_bare = templates.iter().all(|template| template.starts_with('{'));
        return (!are_bare).then(|| format!("  {} {}", title(&index.name), templates.join(" ")));
    }
    let sparse = one.sparse_line(&unknown, &outside, attributes);
    if sparse.is_none() {
        for column in unknown.into_iter().filter(is_held) {
            attributes.add_optional_column(column);
        }
    }
    sparse
}

/// The key of an entity in an index.
struct One<'s> {
    source: Source<'s>,
    index: &'s IndexDefinition,
    /// The key attributes that are not of the table's own key.
    columns: Vec<&'s KeyColumn>,
    /// The items that are in the index, of so many.
    within: Vec<&'s Item>,
    count: usize,
}

impl One<'_> {
    /// The templates of the key attributes, from the items that are in the index. `are_fixed`: a text
    /// that all of them have is one of the model's, with all its words.
    fn templates(&self, are_fixed: bool, attributes: &mut Attributes) -> Vec<String> {
        let within = self.within.as_slice();
        let mut regular = within.to_vec();
        let mut shapes = Vec::new();
        for (name, _) in &self.columns {
            let fixed = only_text(name, within).filter(|_| are_fixed);
            let shape = match fixed {
                Some(fixed) => vec![Piece::Fixed(fixed)],
                None => common_shape(self.source, name, within),
            };
            shapes.push(if shape == [Piece::Open] {
                let constant = constant(name, within, attributes);
                constant.filter(|_| !attributes.has(name)).unwrap_or(shape)
            } else {
                regular.retain(|item| has_shape(item, name, &shape));
                shape
            });
        }
        let is_odd = |item: &&&Item| !regular.iter().any(|one| std::ptr::eq(*one, **item));
        let odd: Vec<&Item> = within.iter().filter(is_odd).copied().collect();
        let what = format!("another key in {}", self.index.name);
        let comment = majority::comment(self.source.table, (&odd, self.count), &what);
        attributes.notes.extend(comment);
        let templates = self.columns.iter().zip(&shapes).map(|(column, shape)| {
            if attributes.has(&column.0) {
                in_braces(&column.0)
            } else {
                template(column, shape, &regular, attributes)
            }
        });
        templates.collect()
    }

    /// The line of an index that has some of the items only; `None` if the sample does not show
    /// which ones, or the keys hold what the items outside do not say.
    fn sparse_line(
        &self,
        unknown: &[&KeyColumn],
        outside: &[&Item],
        attributes: &mut Attributes,
    ) -> Option<String> {
        let has_part = |item: &&Item| unknown.iter().any(|(name, _)| item.get(name).is_some());
        if unknown.iter().any(|column| self.is_shared(column)) || outside.iter().any(has_part) {
            return None;
        }
        let decider = self.decider(outside, attributes)?;
        let tried = |are_fixed| self.tried(&decider, are_fixed, unknown, attributes);
        let (templates, mut tried) = tried(false).or_else(|| tried(true))?;
        let field = in_braces(&decider.attribute);
        let is_in_key = templates.iter().any(|one| one.contains(&field));
        // An item without an attribute of the key is not in the index, whatever else it has.
        let when = match &decider.value {
            None if is_in_key => String::new(),
            None => format!(" sparse when {}", written(&decider.attribute)),
            Some(value) => format!(" sparse when {} = {value}", written(&decider.attribute)),
        };
        if decider.value.is_none() {
            tried.set_in_keys(&decider.attribute, false);
        }
        *attributes = tried;
        attributes.notes.push(format!(
            "{} of {} items are in {}: {}",
            self.within.len(),
            self.count,
            self.index.name,
            decider.said()
        ));
        let name = title(&self.index.name);
        Some(format!("  {name} {}{when}", templates.join(" ")))
    }

    /// The templates of a sparse index, and the attributes with what they need; `None` if a template
    /// holds a value of its own, which the items outside do not have.
    fn tried(
        &self,
        decider: &Decider,
        are_fixed: bool,
        unknown: &[&KeyColumn],
        attributes: &Attributes,
    ) -> Option<(Vec<String>, Attributes)> {
        let mut tried = attributes.clone();
        if decider.value.is_none() {
            tried.set_in_keys(&decider.attribute, true);
        }
        let templates = self.templates(are_fixed, &mut tried);
        let is_bare =
            |template: &String| unknown.iter().any(|(name, _)| *template == in_braces(name));
        let is_known = tried.made.len() == attributes.made.len();
        (is_known && !templates.iter().any(is_bare)).then_some((templates, tried))
    }

    /// Whether another index of the table has a key attribute, too.
    fn is_shared(&self, (name, _): &KeyColumn) -> bool {
        let others = self.source.table.indexes.iter();
        let mut others = others.filter(|other| other.name != self.index.name);
        others.any(|other| other.columns().any(|(one, _)| one == name))
    }

    /// The attribute that says of each item whether it is in the index; the first by name.
    fn decider(&self, outside: &[&Item], attributes: &Attributes) -> Option<Decider> {
        let few = self.within.len().min(outside.len());
        if self.count < DECIDED_MIN || few < DECIDED_EACH_MIN {
            return None;
        }
        let mut found = None;
        for (name, kind) in &attributes.types {
            let kind = kind.trim_end_matches('?');
            if self.source.table.is_any_key(name) {
                continue;
            }
            let is_held = |item: &&Item| item.get(name).is_some();
            if !outside.iter().any(is_held) && self.within.iter().all(has_value(name)) {
                // That it is there decides; a value of it might, too, and would say less.
                return Some(Decider {
                    attribute: name.clone(),
                    value: None,
                });
            }
            let value = self.within.first().and_then(|item| item.get(name));
            let Some(shown) = value.and_then(|value| operand(kind, value)) else {
                continue;
            };
            let has = |item: &&Item| item.get(name) == value;
            if found.is_none() && self.within.iter().all(has) && !outside.iter().any(has) {
                found = Some(Decider {
                    attribute: name.clone(),
                    value: Some(shown),
                });
            }
        }
        found
    }
}

/// Whether an item has an attribute, and not as NULL.
fn has_value(name: &str) -> impl Fn(&&Item) -> bool + '_ {
    move |item| !matches!(item.get(name), None | Some(Value::Null))
}

/// An attribute that decides whether an item is in an index: by a value, or by being there.
struct Decider {
    attribute: String,
    /// The value as the language writes it.
    value: Option<String>,
}

impl Decider {
    fn said(&self) -> String {
        match &self.value {
            None => format!("those with `{}`", self.attribute),
            Some(value) => format!("those whose `{}` is {value}", self.attribute),
        }
    }
}

/// A value as the language writes it behind `sparse when a =`; `None` for values that rather differ
/// from item to item.
fn operand(kind: &str, value: &Value) -> Option<String> {
    if let ("bool", Value::Bool(truth)) = (kind, value) {
        return Some(truth.to_string());
    }
    let ("string", Value::S(text)) = (kind, value) else {
        return None;
    };
    let is_plain = !text.is_empty() && !text.chars().any(|c| c == '"' || c.is_control());
    is_plain.then(|| format!("\"{text}\""))
}

/// The word that is a key attribute of an index in all items.
fn constant(column: &str, items: &[&Item], attributes: &mut Attributes) -> Option<Shape> {
    let texts = texts_of(items, column)?;
    let (first, _) = *texts.first()?;
    let is_one = texts.iter().all(|(text, _)| *text == first);
    let is_constant = is_one && regroup::is_constant(first, items.len());
    (is_constant && attributes.giving(&texts).is_none())
        .then(|| vec![Piece::Fixed(first.to_owned())])
}

/// The text that is a key attribute in all items, if a template can hold it.
fn only_text(name: &str, items: &[&Item]) -> Option<String> {
    let mut texts = items.iter().map(|item| text_of(item, name));
    let first = texts.next()??;
    let is_plain = |c: char| !c.is_control() && !"\"{}".contains(c);
    let is_one = !first.is_empty() && first.chars().all(is_plain);
    (is_one && texts.all(|text| text == Some(first))).then(|| first.to_owned())
}

/// The shape that an attribute has in nearly every item; an open piece if they differ.
fn common_shape(source: Source<'_>, name: &str, items: &[&Item]) -> Shape {
    // An index may have the type attribute in its key.
    let source = Source {
        kind_attribute: None,
        ..source
    };
    let texts = texts_of(items, name).unwrap_or_default();
    let mut counts: BTreeMap<Shape, usize> = BTreeMap::new();
    for (text, item) in &texts {
        let values = shape::values_of(item, source);
        let mut shape = shape::pieces(text, &values);
        if regroup::is_hyphened(&shape) && values.contains(text) {
            shape = vec![Piece::Open];
        }
        *counts.entry(shape).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.filter(|(_, count)| majority::are_few(texts.len() - count, texts.len()))
        .map_or_else(|| vec![Piece::Open], |(shape, _)| shape)
}

/// Whether an item's text in a key attribute has a shape.
fn has_shape(item: &Item, name: &str, shape: &[Piece]) -> bool {
    text_of(item, name).is_some_and(|text| shape::values(text, shape).is_some())
}
