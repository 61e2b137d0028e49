//! The attributes of an entity, from the values that its items have.

use super::definition::KeyColumn;
use super::form::{Form, attribute_of};
use super::kinds::word_of;
use super::made::{Made, guess};
use super::majority;
use super::names::{distinct, is_key_name};
use super::nulls::counted;
use super::shape;
use super::source::Source;
use super::types::{Records, type_of};
use crate::texts::text_of;
use keyfold_model::{fits_in_text, unwritable};
use keyfold_types::{Item, KeyKind, Value};
use std::collections::BTreeMap;

/// The attributes of an entity. Its keys may add some.
#[derive(Clone)]
pub(super) struct Attributes {
    /// Names and types.
    pub(super) types: BTreeMap<String, String>,
    /// Attributes that every item has: keys may be made of them.
    required: Vec<String>,
    /// Attributes whose values are in keys only, in the order in which they were found.
    pub(super) made: Vec<Made>,
    /// Attributes of the items that the entity does not declare, each with the reason.
    pub(super) left_out: Vec<String>,
    /// Guesses that the author of the model should read over.
    pub(super) notes: Vec<String>,
}

impl Attributes {
    /// Finds the attributes of items. Nested types get a name in `records`.
    pub(super) fn of(source: Source<'_>, items: &[&Item], records: &mut Records) -> Attributes {
        let mut left_out = undeclarable(source, items);
        let mut types = BTreeMap::new();
        let mut required = Vec::new();
        let mut notes = Vec::new();
        notes.extend(unnamed(source, items));
        for name in names(source, items) {
            if let Some(kind) = own_kind(source, &name, items) {
                types.insert(name, kind);
                continue;
            }
            let all: Vec<&Value> = items.iter().filter_map(|item| item.get(&name)).collect();
            let known: Vec<&Value> = all
                .iter()
                .filter(|value| !is_null(value))
                .copied()
                .collect();
            let (held, odd) = majority::of_one_type(&known);
            let Some(found) = type_of(&name, &held, records) else {
                left_out.push(format!("{name} ({})", counted_types(&all)));
                continue;
            };
            if odd > 0 {
                notes.extend(odd_types(source, &name, items, &held));
            }
            let absent = items.len() - all.len();
            if known.len() < all.len() || !majority::lack_by_mistake(absent, items.len()) {
                types.insert(name, format!("{found}?"));
                continue;
            }
            let lacking = items.iter().filter(|item| item.get(&name).is_none());
            let lacking: Vec<&Item> = lacking.copied().collect();
            let what = format!("no `{name}`");
            notes.extend(majority::comment(
                source.table,
                (&lacking, items.len()),
                &what,
            ));
            if fits_in_text(&name) {
                required.push(name.clone());
            }
            types.insert(name, found);
        }
        required.sort();
        Attributes {
            types,
            required,
            made: Vec::new(),
            left_out,
            notes,
        }
    }

    /// Leaves out all attributes found so far.
    pub(super) fn leave_out_all(&mut self) {
        let names = std::mem::take(&mut self.types).into_keys();
        self.left_out.extend(names);
        self.required.clear();
    }

    /// Whether the entity declares an attribute.
    pub(super) fn has(&self, name: &str) -> bool {
        self.types.contains_key(name)
    }

    /// The attribute whose value is this piece of the key in every item, and its form.
    pub(super) fn giving(&mut self, pieces: &[(&str, &Item)]) -> Option<(String, Form)> {
        attribute_of(pieces, &self.required, &mut self.notes)
    }

    /// Lets keys be made of an attribute that only the items in a sparse index have, or ends that.
    pub(super) fn set_in_keys(&mut self, name: &str, may_be: bool) {
        self.required.retain(|one| one != name);
        if may_be {
            self.required.push(name.to_owned());
            self.required.sort();
        }
    }

    /// Whether an attribute is declared as one that items may lack.
    pub(super) fn is_optional(&self, name: &str) -> bool {
        self.types.get(name).is_some_and(|kind| kind.ends_with('?'))
    }

    /// Adds a key attribute of the table or an index that is an attribute of the items, too.
    pub(super) fn add_column(&mut self, (name, kind): &KeyColumn, items: &[&Item]) {
        let is_int = |value: &Value| matches!(value, Value::N(number) if number.exponent() >= 0);
        let found = match kind {
            KeyKind::S => "string",
            KeyKind::B => "binary",
            KeyKind::N if items.iter().filter_map(|item| item.get(name)).all(is_int) => "int",
            KeyKind::N => "number",
        };
        self.types.insert(name.clone(), found.to_owned());
    }

    /// Adds a key attribute of an index that some items lack.
    pub(super) fn add_optional_column(&mut self, (name, kind): &KeyColumn) {
        let found = match kind {
            KeyKind::S => "string?",
            KeyKind::N => "number?",
            KeyKind::B => "binary?",
        };
        self.types.insert(name.clone(), found.to_owned());
    }

    /// Adds the day of a time. Keys are made of the day alone: two times of one day make one key.
    pub(super) fn add_day(&mut self, time: &str) -> String {
        let day = format!("{time}Day");
        let before = self.types.insert(day.clone(), "date".to_owned());
        if before.is_none() {
            self.made.push(Made::part(day.clone()));
        }
        day
    }

    /// The field of the attribute whose texts in another key of each item are these.
    pub(super) fn made_of(&self, texts: &[(&str, &Item)]) -> Option<String> {
        let made = self.made.iter().find(|made| made.is(texts, ""));
        made.map(Made::field)
    }

    /// The field for a value that is in keys only: an attribute whose texts are the same in another
    /// key of each item, or a new one. `word`: the last word before it in the key.
    pub(super) fn add_made(&mut self, texts: &[(&str, &Item)], word: &str) -> String {
        let all: Vec<&str> = texts.iter().map(|(text, _)| *text).collect();
        let guess = guess(&all, word);
        if let Some(made) = self.made.iter().find(|made| made.is(texts, &guess.name)) {
            return made.field();
        }
        let name = distinct(&guess.name, |name| self.has(name));
        self.types.insert(name.clone(), guess.kind.to_owned());
        let made = Made::new(name, guess.form, texts);
        let field = made.field();
        self.made.push(made);
        field
    }
}

/// The attributes of items that the entity declares: those with a name that the language takes, but
/// no keys, no type attribute and no expiry. Each appears once, in the order of the items.
fn names(source: Source<'_>, items: &[&Item]) -> Vec<String> {
    let (table, type_attribute) = (source.table, source.type_attribute());
    let holds_key = |name: &str| {
        table.is_key(name)
            || (table.is_any_key(name)
                && (is_key_name(name) || is_made_of_others(source, name, items)))
    };
    let is_hidden = |name: &String| {
        holds_key(name) || Some(name.as_str()) == type_attribute || table.ttl.as_ref() == Some(name)
    };
    let mut names: Vec<String> = Vec::new();
    for (name, _) in items.iter().flat_map(|item| item.iter()) {
        if !names.contains(name) && unwritable(name).is_none() && !is_hidden(name) {
            names.push(name.clone());
        }
    }
    names
}

fn is_null(value: &Value) -> bool {
    matches!(value, Value::Null)
}

/// The comment about the values of an attribute that are not of the type of the others.
fn odd_types(
    source: Source<'_>,
    name: &str,
    items: &[&Item],
    regular: &[&Value],
) -> Option<String> {
    let kind = regular.first()?.kind().descriptor();
    let is_odd = |value: &&Value| !is_null(value) && value.kind().descriptor() != kind;
    let values = items.iter().filter_map(|item| item.get(name));
    let odd: Vec<&Value> = values.filter(is_odd).collect();
    let first = items
        .iter()
        .find(|item| item.get(name).is_some_and(|value| is_odd(&value)))?;
    Some(format!(
        "`{name}` is {kind} in {} and {}, the first {}",
        counted(regular.len()),
        counted_types(&odd),
        majority::key_of(source.table, first)
    ))
}

/// The comment about items that do not name their kind as the others of it.
fn unnamed(source: Source<'_>, items: &[&Item]) -> Option<String> {
    let attribute = source.kind_attribute?;
    let without = items
        .iter()
        .filter(|item| word_of(item, attribute).is_none());
    let without: Vec<&Item> = without.copied().collect();
    let are_few = without.len() < items.len() && majority::are_few(without.len(), items.len());
    let what = format!("no `{attribute}`");
    majority::comment(source.table, (&without, items.len()), &what).filter(|_| are_few)
}

/// The type of the attribute that names the kind of the items, where the table does not declare it:
/// the one text that all have, which is also the default.
fn own_kind(source: Source<'_>, name: &str, items: &[&Item]) -> Option<String> {
    let attribute = source.kind_attribute.filter(|own| *own == name)?;
    let mut texts = items.iter().filter_map(|item| word_of(item, attribute));
    let text = texts.next()?;
    if !majority::are_few(items.len() - 1 - texts.count(), items.len()) {
        return None;
    }
    let is_plain = !text.chars().any(|c| c == '"' || c.is_control());
    is_plain.then(|| format!("\"{text}\" = \"{text}\""))
}

/// The attributes whose names the language does not take, each with this reason.
fn undeclarable(source: Source<'_>, items: &[&Item]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (name, _) in items.iter().flat_map(|item| item.iter()) {
        let reason = unwritable(name).filter(|_| !source.table.is_any_key(name));
        if let Some((reason, _)) = reason {
            let shown = format!("{name} ({reason})");
            if !found.contains(&shown) {
                found.push(shown);
            }
        }
    }
    found
}

/// Whether an attribute's texts are those of a key that is made of other attributes: of fixed pieces
/// with delimiters, and values of others.
fn is_made_of_others(source: Source<'_>, name: &str, items: &[&Item]) -> bool {
    let is_made = |(text, item): (&str, &&Item)| {
        let mut others = (*item).clone();
        others.remove(name);
        let values = shape::values_of(&others, source);
        let shape = shape::pieces(text, &[]);
        let held = shape::values(text, &shape).unwrap_or_default();
        shape.len() > 1 && held.iter().all(|value| values.contains(value))
    };
    let texts = items
        .iter()
        .filter_map(|item| Some((text_of(item, name)?, item)));
    let mut texts = texts.peekable();
    texts.peek().is_some() && texts.all(is_made)
}

/// The number of values of each type, in words.
fn counted_types(values: &[&Value]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for value in values {
        *counts.entry(value.kind().descriptor()).or_default() += 1;
    }
    let is_nested = matches!(values, [Value::L(_) | Value::M(_), ..]) && counts.len() == 1;
    let each: Vec<String> = counts
        .into_iter()
        .map(|(kind, count)| format!("{kind} in {}", counted(count)))
        .collect();
    let inside = if is_nested {
        ", with values of several types inside"
    } else {
        ""
    };
    each.join(", ") + inside
}
