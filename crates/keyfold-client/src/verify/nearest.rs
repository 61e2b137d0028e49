//! The kind that an item of no kind is most like: its key fits but for a value or two.

use super::form::Scope;
use crate::kinds::{Kind, Role};
use keyfold_model::schema::KeyPair;
use keyfold_model::{KeyTemplate, Model, Part, Type, value};
use keyfold_types::{Item, Value};
use std::cmp::Reverse;

/// What is known of an item of no kind.
pub(super) fn unknown(scope: Scope<'_>, item: &Item) -> String {
    let message = "no entity, copy or guard of the model makes it";
    match nearest(scope, item) {
        Some(near) => format!("{message}; {near}"),
        None => message.to_owned(),
    }
}

/// The kind whose key an item's key is most like, and what keeps it from being one, in words; `None`
/// without such a kind, or with two.
///
/// The kind with the longest fixed texts is the nearest: of `VISIT#{day}` and `VISIT#CALL#{day}` the
/// second made `VISIT#CALL#soon`, however many of its values do not fit. Of two with texts of one
/// length it is the one of which more values fit.
fn nearest(scope: Scope<'_>, item: &Item) -> Option<String> {
    let like = scope.kinds.all().iter().filter_map(|kind| {
        let key = key_of(scope.model, kind)?;
        let misfits = all_misfits(scope, key, item)?;
        Some(((fixed_length(key), Reverse(misfits.len())), kind, misfits))
    });
    let like: Vec<_> = like.collect();
    let most = like.iter().map(|(likeness, ..)| *likeness).max()?;
    let mut nearest = like.iter().filter(|(likeness, ..)| *likeness == most);
    let ((_, kind, misfits), None) = (nearest.next()?, nearest.next()) else {
        return None;
    };
    let each = misfits.iter().map(|misfit| {
        format!(
            "{} holds `{}` where `{}` is, which is no {} there",
            misfit.column,
            value::shown(&misfit.text.into()),
            misfit.name,
            misfit.kind
        )
    });
    let each: Vec<String> = each.collect();
    (!each.is_empty()).then(|| format!("it is like {}, but {}", kind.name, each.join(", and ")))
}

/// The key of a kind's items; `None` for guards, whose texts are the model's own.
fn key_of<'a>(model: &'a Model, kind: &Kind) -> Option<&'a KeyPair> {
    let entity = model.entities.get(kind.at)?;
    match kind.role {
        Role::Main => Some(&entity.key),
        Role::Copy(at) => entity.copies.get(at).map(|copy| &copy.key),
        Role::Guard(_) => None,
    }
}

/// The bytes of all fixed texts of a key.
fn fixed_length(key: &KeyPair) -> usize {
    let parts = key.templates().flat_map(|template| &template.parts);
    let fixed = parts.map(|part| match part {
        Part::Text(text) => text.len(),
        Part::Field { .. } | Part::Shard { .. } | Part::Chunk | Part::Break => 0,
    });
    fixed.sum()
}

/// A value in a key that the template does not make.
struct Misfit<'a> {
    column: &'a str,
    name: &'a str,
    kind: &'a Type,
    text: &'a str,
}

/// The values that keep an item's key from being one of a kind; `None` if more does.
fn all_misfits<'a>(scope: Scope<'a>, key: &'a KeyPair, item: &'a Item) -> Option<Vec<Misfit<'a>>> {
    let columns = scope.kinds.table.columns();
    let templates = key.templates().flat_map(KeyTemplate::columns);
    let mut all = Vec::new();
    for (column, parts) in columns.zip(templates) {
        let found = misfits(parts, item.get(&column.name)?)?.into_iter();
        all.extend(found.map(|(name, kind, text)| Misfit {
            column: &column.name,
            name,
            kind,
            text,
        }));
    }
    Some(all)
}

/// The values in a key attribute that its template does not make there; `None` if the fixed texts
/// are not those of the template, or nothing is fixed.
fn misfits<'a>(parts: &'a [Part], held: &'a Value) -> Option<Vec<(&'a str, &'a Type, &'a str)>> {
    if value::inverse(parts, held).is_some() {
        return Some(Vec::new());
    }
    let Value::S(text) = held else { return None };
    let has_word =
        |part: &Part| matches!(part, Part::Text(text) if text.chars().any(char::is_alphanumeric));
    if !parts.first().is_some_and(has_word) {
        return None;
    }
    let (mut rest, mut found) = (text.as_str(), Vec::new());
    for (at, part) in parts.iter().enumerate() {
        match part {
            Part::Text(text) => rest = rest.strip_prefix(text.as_str())?,
            Part::Field { name, kind, .. } => {
                let end = match parts.get(at + 1) {
                    Some(Part::Text(next)) => rest.find(next.as_str())?,
                    Some(_) => return None,
                    None => rest.len(),
                };
                let (written, behind) = rest.split_at_checked(end)?;
                rest = behind;
                let made = Value::from(written);
                if value::inverse(std::slice::from_ref(part), &made).is_none() {
                    found.push((name.as_str(), kind, written));
                }
            }
            Part::Shard { .. } | Part::Chunk | Part::Break => return None,
        }
    }
    rest.is_empty().then_some(found)
}
