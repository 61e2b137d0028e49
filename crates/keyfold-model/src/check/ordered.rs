//! KF014, ordered: key order is the order the pattern asks for.
//!
//! Text order is value order only for texts of one width: times and days are, numbers when padded;
//! a number that is itself the key is ordered as a number.

use super::rule::Rule;
use crate::diagnostic::{Diagnostic, Edit, Span};
use crate::schema::{Entity, Order, Ordered, Pattern, Type};
use crate::template::{Format, KeyTemplate, Part};

pub(crate) const RULE: Rule = Rule {
    code: "KF014",
    name: "ordered",
    summary: "The order of keys is the order that the pattern asks for.",
    why: "A query answers in the order of its sort key, byte by byte, and in no other; DynamoDB cannot sort. As text, 10 comes before 9, and a time with a zone or with a changing number of digits is in no order at all. A number is in order when it is padded to a fixed number of digits or is the key itself; times are always written in UTC with a fixed width.",
    failing: r##"model m 1
table Game (PK, SK)
entity Score
  gameId: string, points: int, userId: string
  key  "GAME#{gameId}"  "SCORE#{points}#{userId}"
pattern leaderboard(gameId)  -> Score[]  highest page 10
"##,
    repaired: r##"model m 1
table Game (PK, SK)
entity Score
  gameId: string, points: int, userId: string
  key  "GAME#{gameId}"  "SCORE#{points:010}#{userId}"
pattern leaderboard(gameId)  -> Score[]  highest page 10
"##,
};

/// The report that no key gives the order.
pub(crate) fn report(
    pattern: &Pattern,
    entity: &Entity,
    order: &Ordered,
    label: &str,
    span: Span,
    reason: String,
) -> Diagnostic {
    let message = format!(
        "{label} does not give the order that {} asks for",
        pattern.name
    );
    Diagnostic::error("KF014", order.span, message, "this order")
        .label(span, reason)
        .note("a query answers in the order of its sort key, and in no other")
        .help("put the attribute to order by right behind the sort key's first text")
        .repair(pad(entity, order, span))
}

/// Pads the number that stands first among the sort key's fields.
fn pad(entity: &Entity, order: &Ordered, span: Span) -> Vec<Edit> {
    let keys = std::iter::once(&entity.key).chain(entity.indexes.iter().map(|index| &index.key));
    let keys = keys.chain(entity.copies.iter().map(|copy| &copy.key));
    let Some(sort) = keys
        .filter(|key| key.span == span)
        .find_map(|key| key.sort.as_ref())
    else {
        return Vec::new();
    };
    let wanted = |name: &str| {
        order
            .attribute
            .as_ref()
            .is_none_or(|attribute| attribute == name)
    };
    let plain = sort.parts.iter().find_map(|part| match part {
        Part::Field {
            name,
            kind: Type::Int,
            format: Format::Plain,
        } if wanted(name) => Some(name),
        _ => None,
    });
    let Some(name) = plain else { return Vec::new() };
    let Some(text) = written(sort) else {
        return Vec::new();
    };
    let padded = text.replace(&format!("{{{name}}}"), &format!("{{{name}:010}}"));
    vec![Edit::replace(sort.span, padded)]
}

/// A template as the model says it, if it stands there as one text.
fn written(template: &KeyTemplate) -> Option<String> {
    let plain = template
        .parts
        .iter()
        .all(|part| matches!(part, Part::Text(_) | Part::Field { .. }));
    (plain && !template.is_bare()).then(|| template.to_string())
}

/// Why the part that varies first does not give the order; none if it does.
pub(crate) fn reason(order: &Ordered, varying: Option<&Part>) -> Option<String> {
    let wanted = match order.order {
        Order::Newest | Order::Oldest => "a time",
        Order::Highest | Order::Lowest => "a number",
    };
    let Some(Part::Field { name, kind, format }) = varying else {
        return Some(format!(
            "nothing varies in its sort key, so there is no order by {wanted}"
        ));
    };
    if let Some(attribute) = order
        .attribute
        .as_ref()
        .filter(|attribute| *attribute != name)
    {
        return Some(format!(
            "its sort key is ordered by {{{name}}} first, and not by `{attribute}`"
        ));
    }
    if let Format::Truncated(unit) = format {
        return Some(format!(
            "{{{name}:{unit}}} keeps only the {unit}, so times of one {unit} are in no order; use {{{name}}}"
        ));
    }
    let is_kind = match order.order {
        Order::Newest | Order::Oldest => kind.is_time(),
        Order::Highest | Order::Lowest => kind.is_number(),
    };
    let is_text_of_number = kind.is_number() && *format == Format::Plain;
    if is_kind && !is_text_of_number && varying.is_some_and(Part::is_ordered) {
        return None;
    }
    Some(if is_kind && is_text_of_number {
        format!(
            "{{{name}}} is not padded, and as text 10 comes before 9; write {{{name}:010}} for up to 10 digits"
        )
    } else {
        format!(
            "its sort key is ordered by {{{name}}}, a {kind}, first; the order needs {wanted} there"
        )
    })
}

/// The attribute of the part that varies first.
pub(crate) fn field(varying: Option<&Part>) -> Option<String> {
    match varying {
        Some(Part::Field { name, .. }) => Some(name.clone()),
        _ => None,
    }
}

/// Why a range over this part's texts is no range over its values; none if it is one.
pub(crate) fn range_reason(part: &Part, is_last: bool) -> Option<String> {
    let Part::Field { name, kind, format } = part else {
        return None;
    };
    match format {
        Format::Truncated(unit) => Some(format!(
            "{{{name}:{unit}}} keeps only the {unit}, so a range of times would hold others of its first and last {unit}"
        )),
        Format::Lower | Format::Hash | Format::Escaped => Some(format!(
            "{part} is not in the order of its values, so a range of texts is no range of them"
        )),
        Format::Plain if kind.is_number() => Some(format!(
            "{{{name}}} is not padded, so a range of texts is no range of numbers; write {{{name}:010}}"
        )),
        Format::Bare => None,
        _ if !part.is_fixed_width() && !is_last => Some(format!(
            "{{{name}}} has no fixed width and parts follow it, so texts that only begin like an end of the range would be in it"
        )),
        Format::Plain | Format::Padded { .. } | Format::Reversed => None,
    }
}
