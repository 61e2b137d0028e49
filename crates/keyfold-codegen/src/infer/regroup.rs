//! Kinds that only the items together show: a word is a constant if all items of a kind have it, a
//! value if items of one type differ in it.

use super::kind::Kind;
use super::names::is_key_name;
use super::shape::{self, DELIMITERS, Piece, Shape};
use super::source::Source;
use super::types::text_type;
use crate::texts::text_of;
use keyfold_types::{Item, KeyKind, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Items from which a word that all have in a key is a constant; if one has a digit.
const CONSTANT_MIN: usize = 2;
const CONSTANT_WITH_DIGIT_MIN: usize = 10;

/// The most words of one place that are a kind each.
const WORDS_MAX: usize = 5;

/// Puts items without a name to the kind with a name whose keys they have, if there is one only.
pub(super) fn join_unnamed(kinds: &mut Vec<Kind<'_>>) {
    let (unnamed, mut named): (Vec<_>, Vec<_>) = std::mem::take(kinds)
        .into_iter()
        .partition(|kind| kind.name.is_none());
    for kind in unnamed {
        let mut alike = named
            .iter_mut()
            .filter(|one| one.name.is_some() && one.shapes == kind.shapes);
        match (alike.next(), alike.next()) {
            (Some(only), None) => only.items.extend(kind.items),
            (Some(_) | None, _) => named.push(kind),
        }
    }
    *kinds = named;
}

/// Makes one kind of those of a type that differ in the last word of a key only: `TIER#GOLD` and
/// `TIER#SILVER`.
pub(super) fn merge_words(source: Source<'_>, kinds: &mut Vec<Kind<'_>>) {
    let mut alike: BTreeMap<(Option<String>, Vec<Shape>), Vec<Kind<'_>>> = BTreeMap::new();
    for kind in std::mem::take(kinds) {
        let open = kind.shapes.iter().map(|shape| without_last_word(shape));
        let open = match kind.name {
            Some(_) => open.collect(),
            None => kind.shapes.clone(),
        };
        alike
            .entry((kind.name.clone(), open))
            .or_default()
            .push(kind);
    }
    for ((name, open), some) in alike {
        let first = some
            .first()
            .map_or(BTreeSet::new(), |kind| attributes(source, kind));
        let have_much = |kind: &Kind<'_>| {
            let own = attributes(source, kind);
            2 * own.intersection(&first).count() >= own.union(&first).count()
        };
        if some.len() == 1 || !some.iter().all(have_much) {
            kinds.extend(some);
            continue;
        }
        let shapes = open.into_iter().enumerate().map(|(at, open)| {
            let mut all = some.iter().filter_map(|kind| kind.shapes.get(at));
            match all.next() {
                Some(first) if all.all(|shape| shape == first) => first.clone(),
                Some(_) | None => open,
            }
        });
        let shapes = shapes.collect();
        let items = some.into_iter().flat_map(|kind| kind.items).collect();
        kinds.push(Kind {
            name,
            shapes,
            items,
        });
    }
}

/// A shape with an open piece instead of the word behind its last delimiter.
fn without_last_word(shape: &[Piece]) -> Shape {
    let mut shape = shape.to_vec();
    let cut = match shape.last() {
        Some(Piece::Fixed(text)) => text
            .rfind(DELIMITERS)
            .filter(|at| at + 1 < text.len() && *at > 0)
            .and_then(|at| text.get(..=at).map(str::to_owned)),
        Some(Piece::Open) | None => None,
    };
    if let Some(cut) = cut {
        shape.pop();
        shape.extend([Piece::Fixed(cut), Piece::Open]);
    }
    shape
}

/// The names of the attributes that the items of a kind have besides their keys.
fn attributes<'i>(source: Source<'_>, kind: &Kind<'i>) -> BTreeSet<&'i str> {
    let names = kind.items.iter().flat_map(|item| item.iter());
    let names = names.map(|(name, _)| name.as_str());
    names
        .filter(|name| !source.table.is_key(name) && !is_key_name(name))
        .collect()
}

/// Fixes the words that all items of a kind have as a key.
pub(super) fn fix_constants(source: Source<'_>, kinds: &mut Vec<Kind<'_>>) {
    let [(partition, KeyKind::S), (sort, KeyKind::S)] = source.table.key.as_slice() else {
        return;
    };
    let all = std::mem::take(kinds);
    let mut held: Vec<BTreeSet<&str>> = Vec::new();
    for kind in &all {
        let texts = kind
            .items
            .iter()
            .filter_map(|item| text_of(item, partition));
        held.push(texts.collect());
    }
    let partitions: Vec<Shape> = all
        .iter()
        .filter_map(|kind| kind.shapes.first().cloned())
        .collect();
    for (at, kind) in all.into_iter().enumerate() {
        let others = || held.iter().enumerate().filter(|(other, _)| *other != at);
        let is_elsewhere =
            |word: &str| held.len() == 1 || others().any(|(_, texts)| texts.contains(word));
        let is_alike =
            |(other, shape): (usize, &Shape)| other != at && kind.shapes.first() == Some(shape);
        let has_like = partitions.iter().enumerate().any(is_alike);
        let is_open = |column: usize| {
            matches!(
                kind.shapes.get(column).map(Vec::as_slice),
                Some([Piece::Open])
            )
        };
        let partition_words = by_word(&kind.items, partition).filter(|_| is_open(0));
        if let Some((word, _)) = partition_words.as_ref().and_then(only)
            && is_constant(word, kind.items.len())
            && !is_elsewhere(word)
        {
            kinds.push(fixed(&kind, 0, word, kind.items.clone()));
            continue;
        }
        let words = by_word(&kind.items, sort).filter(|_| is_open(1));
        let Some(words) = words else {
            kinds.push(kind);
            continue;
        };
        if let Some((word, _)) = only(&words) {
            let is_value = |item: &&Item| shape::values_of(item, source).contains(&word);
            let is_free = has_like || !kind.items.iter().all(is_value);
            if is_constant(word, kind.items.len()) && is_free {
                kinds.push(fixed(&kind, 1, word, kind.items.clone()));
                continue;
            }
        }
        if are_kinds(source, &kind, &words) {
            let each = words.into_iter();
            kinds.extend(each.map(|(word, items)| fixed(&kind, 1, word, items)));
            continue;
        }
        kinds.push(kind);
    }
}

/// The items by their text in a key attribute; `None` if one has no text.
fn by_word<'i>(items: &[&'i Item], column: &str) -> Option<BTreeMap<&'i str, Vec<&'i Item>>> {
    let mut words: BTreeMap<&str, Vec<&Item>> = BTreeMap::new();
    for item in items {
        words.entry(text_of(item, column)?).or_default().push(item);
    }
    Some(words)
}

fn only<'a, 'i>(
    words: &'a BTreeMap<&'i str, Vec<&'i Item>>,
) -> Option<(&'i str, &'a Vec<&'i Item>)> {
    let (word, items) = words.first_key_value()?;
    (words.len() == 1).then_some((*word, items))
}

/// Whether a text that so many items have is a word that stands for them.
pub(super) fn is_constant(text: &str, items: usize) -> bool {
    let min = if text.chars().any(|c| c.is_ascii_digit()) {
        CONSTANT_WITH_DIGIT_MIN
    } else {
        CONSTANT_MIN
    };
    items >= min
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
        && text_type(&[&Value::S(text.to_owned())]) == "string"
}

/// Whether each of a few words stands for a kind: its items have attributes that the others lack.
fn are_kinds(source: Source<'_>, kind: &Kind<'_>, words: &BTreeMap<&str, Vec<&Item>>) -> bool {
    let sets = words.values().map(|items| {
        let of_word = fixed(kind, 1, "", items.clone());
        attributes(source, &of_word)
    });
    let sets: Vec<_> = sets.collect();
    let is_own = |(at, set): (usize, &BTreeSet<&str>)| {
        let mut others = sets.iter().enumerate().filter(|(other, _)| *other != at);
        others.all(|(_, other)| !set.is_subset(other))
    };
    let is_word = |(word, items): (&&str, &Vec<&Item>)| {
        items.len() > CONSTANT_MIN
            && is_constant(word, items.len())
            && !word.chars().any(|c| c.is_ascii_digit())
    };
    (2..=WORDS_MAX).contains(&words.len())
        && words.iter().all(is_word)
        && sets.iter().enumerate().all(is_own)
}

/// A kind of some items, with a constant as a key.
fn fixed<'i>(kind: &Kind<'i>, column: usize, word: &str, items: Vec<&'i Item>) -> Kind<'i> {
    let mut shapes = kind.shapes.clone();
    if let Some(shape) = shapes.get_mut(column) {
        *shape = vec![Piece::Fixed(word.to_owned())];
    }
    Kind {
        name: kind.name.clone(),
        shapes,
        items,
    }
}

/// Leaves a key like `v-001` whole where it is an attribute of its own, and tells no kinds apart.
pub(super) fn keep_whole(source: Source<'_>, kinds: &mut [Kind<'_>]) {
    for (at, (name, _)) in source.table.key.iter().enumerate() {
        let mut shapes = kinds.iter().filter_map(|kind| kind.shapes.get(at));
        let Some(first) = shapes.next() else { continue };
        if !is_hyphened(first) || shapes.any(|shape| shape != first) {
            continue;
        }
        let is_held = |item: &&Item| {
            text_of(item, name).is_some_and(|text| shape::values_of(item, source).contains(&text))
        };
        let mut items = kinds.iter().flat_map(|kind| &kind.items);
        if is_key_name(name) && !items.all(is_held) {
            continue;
        }
        for shape in kinds.iter_mut().filter_map(|kind| kind.shapes.get_mut(at)) {
            *shape = vec![Piece::Open];
        }
    }
}

/// Whether a shape is that of a text like `v-001`.
pub(super) fn is_hyphened(shape: &[Piece]) -> bool {
    matches!(shape, [Piece::Fixed(word), Piece::Open] if word.ends_with('-'))
}
