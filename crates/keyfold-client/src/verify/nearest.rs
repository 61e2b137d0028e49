//! The entity that an item of no kind is most like: its key fits but for one value.

use super::form::Scope;
use keyfold_model::{Entity, KeyTemplate, Part, Type, value};
use keyfold_types::{Item, Value};

/// What is known of an item of no kind.
pub(super) fn unknown(scope: Scope<'_>, item: &Item) -> String {
    let message = "no entity, copy or guard of the model makes it";
    match nearest(scope, item) {
        Some(near) => format!("{message}; {near}"),
        None => message.to_owned(),
    }
}

/// What keeps an item from being of an entity, in words; `None` unless it is one value of one entity.
fn nearest(scope: Scope<'_>, item: &Item) -> Option<String> {
    let table = scope.kinds.table;
    let of_table = scope.model.entities.iter().filter(|entity| {
        let own = scope.model.tables.get(entity.table);
        own.is_some_and(|own| std::ptr::eq(own, table))
    });
    let mut near = of_table.filter_map(|entity| Some((entity, only_misfit(scope, entity, item)?)));
    let (entity, misfit) = near.next()?;
    if near.next().is_some() {
        return None;
    }
    Some(format!(
        "it is like {}, but {} holds `{}` where `{}` is, which is no {} there",
        entity.name,
        misfit.column,
        value::shown(&misfit.text.into()),
        misfit.name,
        misfit.kind
    ))
}

/// A value in a key that the template does not make.
struct Misfit<'a> {
    column: &'a str,
    name: &'a str,
    kind: &'a Type,
    text: &'a str,
}

/// The one value that keeps an item's key from being one of an entity.
fn only_misfit<'a>(scope: Scope<'a>, entity: &'a Entity, item: &'a Item) -> Option<Misfit<'a>> {
    let columns = scope.kinds.table.columns();
    let templates = entity.key.templates().flat_map(KeyTemplate::columns);
    let mut only = None;
    for (column, parts) in columns.zip(templates) {
        for (name, kind, text) in misfits(parts, item.get(&column.name)?)? {
            let misfit = Misfit {
                column: &column.name,
                name,
                kind,
                text,
            };
            if only.replace(misfit).is_some() {
                return None;
            }
        }
    }
    only
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
