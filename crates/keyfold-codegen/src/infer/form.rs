//! The forms of attributes in keys.

use super::majority;
use keyfold_types::{Item, Value};

/// The form of an attribute's value in a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Form {
    /// As it is.
    Plain,
    /// Padded with zeros to this number of digits.
    Padded(usize),
    /// Its first characters, if these are a day.
    Day,
}

/// Characters of a day: `2024-01-15`.
const DAY_CHARS: usize = 10;

/// The attribute whose value is this piece of the key in every item, and its form. A note names
/// other attributes of which this is true.
pub(super) fn attribute_of(
    pieces: &[(&str, &Item)],
    names: &[String],
    notes: &mut Vec<String>,
) -> Option<(String, Form)> {
    let width = pieces.first().map_or(0, |(piece, _)| piece.len());
    let same_width = pieces.iter().all(|(piece, _)| piece.len() == width);
    // One number may be equal by chance: its name must be that of an id.
    let are_several = pieces
        .iter()
        .any(|(piece, _)| Some(piece) != pieces.first().map(|(first, _)| first));
    let may_be = |name: &str, value: &Value| {
        are_several || !matches!(value, Value::N(_)) || is_id_name(name)
    };
    let fits = |name: &&String, has_odd: bool| {
        let regular = regular(pieces, name);
        if has_odd != (regular.len() < pieces.len()) {
            return None;
        }
        let each = regular.iter().map(|(piece, item)| {
            let value = item.get(name).filter(|value| may_be(name, value))?;
            form(piece, value)
        });
        let all: Vec<Form> = each.collect::<Option<_>>()?;
        let first = all.first()?.clone();
        if all.iter().all(|one| *one == first) {
            return Some(((*name).clone(), first));
        }
        // A number with all digits looks the same with padding and without.
        let padded = all
            .iter()
            .all(|one| matches!(one, Form::Padded(_) | Form::Plain));
        let is_number = regular
            .iter()
            .all(|(_, item)| matches!(item.get(name), Some(Value::N(_))));
        (padded && is_number && same_width).then(|| ((*name).clone(), Form::Padded(width)))
    };
    let exact = names.iter().filter_map(|name| fits(&name, false));
    let mut exact: Vec<(String, Form)> = exact.collect();
    // A whole value says more than the day of a time, which may be the same by chance.
    exact.sort_by_key(|(_, form)| *form == Form::Day);
    let odd = names.iter().filter_map(|name| fits(&name, true));
    let mut all = exact.into_iter().chain(odd);
    let found = all.next()?;
    let others: Vec<String> = all.map(|(name, _)| format!("`{name}`")).collect();
    let note = format!(
        "the keys' `{}` could also be {}",
        found.0,
        others.join(" or ")
    );
    if !others.is_empty() && !notes.contains(&note) {
        notes.push(note);
    }
    Some(found)
}

/// The pieces of items that have an attribute, in the type that nearly all have: all pieces, if not
/// nearly all have it in one type.
fn regular<'p>(pieces: &[(&'p str, &'p Item)], name: &str) -> Vec<(&'p str, &'p Item)> {
    let held: Vec<&Value> = pieces
        .iter()
        .filter_map(|(_, item)| item.get(name))
        .collect();
    let (of_type, _) = majority::of_one_type(&held);
    let kind = of_type.first().map(|value| value.kind());
    let is_regular = |(_, item): &&(&str, &Item)| item.get(name).map(|value| value.kind()) == kind;
    let regular: Vec<_> = pieces.iter().filter(is_regular).copied().collect();
    if majority::are_few(pieces.len() - regular.len(), pieces.len()) {
        regular
    } else {
        pieces.to_vec()
    }
}

/// Whether an attribute is named for a number that identifies.
fn is_id_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    ["id", "no", "nr", "number", "key"]
        .iter()
        .any(|end| lower.ends_with(end))
}

/// The form in which a value is this piece; `None` if it is not.
fn form(piece: &str, value: &Value) -> Option<Form> {
    match value {
        Value::S(text) if text == piece => Some(Form::Plain),
        Value::S(text) => {
            let is_day = piece.len() == DAY_CHARS && text.len() > DAY_CHARS;
            (is_day && text.starts_with(piece)).then_some(Form::Day)
        }
        Value::N(number) => {
            let text = number.to_string();
            if text == piece {
                return Some(Form::Plain);
            }
            let is_padded = piece.len() > text.len()
                && piece.bytes().all(|byte| byte.is_ascii_digit())
                && piece.trim_start_matches('0') == text.trim_start_matches('0');
            is_padded.then_some(Form::Padded(piece.len()))
        }
        Value::Bool(truth) => (truth.to_string() == piece).then_some(Form::Plain),
        Value::B(_)
        | Value::Null
        | Value::L(_)
        | Value::M(_)
        | Value::Ss(_)
        | Value::Ns(_)
        | Value::Bs(_) => None,
    }
}
