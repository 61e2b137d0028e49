//! KF014, ordered: the order of keys is the order that the pattern asks for.
//!
//! The order of texts is the order of values only if all texts have the same width: times, days and
//! padded numbers do. A number that is itself the key is ordered as a number.

use super::rule::Rule;
use crate::diagnostic::{Diagnostic, Edit, Span};
use crate::schema::{Entity, Order, Ordered, Pattern, Type};
use crate::template::{Format, KeyTemplate, Part};
use crate::written::written;

pub(crate) const RULE: Rule = Rule {
    code: "KF014",
    name: "ordered",
    summary: "The order of keys is the order that the pattern asks for.",
    why: "A query returns items in the byte order of their sort keys, and DynamoDB cannot sort in \
        another order. As text, 10 comes before 9, and times with a zone or with a variable \
        number of digits are not in order at all. A number is in order if it is padded to a fixed \
        number of digits or if it is the key itself. Times are always written in UTC with a fixed \
        width.",
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

/// The report that no key gives the order of a pattern.
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
    let mut diagnostic = Diagnostic::error("KF014", order.span, message, "this order")
        .label(span, reason)
        .note("a query answers in the order of its sort key, and in no other");
    if let Some(advice) = of_single(pattern, entity) {
        let repaired = diagnostic.help(advice.clone()).repair(vec![dropped(order)]);
        return repaired.otherwise(advice);
    }
    let padded = pad(entity, order, span);
    if !padded.is_empty() {
        diagnostic = diagnostic
            .help("pad the number, so that the order of texts is that of numbers")
            .repair(padded);
    }
    general(diagnostic, order)
        .help("put the attribute to order by right behind the sort key's first text, whole, of one width or as its last part")
}

/// The advice about the order of a pattern that returns a single item; `None` where it returns several
/// or says no order.
pub(crate) fn of_single(pattern: &Pattern, entity: &Entity) -> Option<String> {
    let order = pattern.order.as_ref().filter(|_| pattern.is_single())?;
    let of = order.attribute.as_ref();
    let of = of.map_or(String::new(), |attribute| {
        format!(" {}", written(attribute))
    });
    let word = order.order.word();
    Some(format!(
        "drop `{word}{of}`: a single item has no order; the first one of several is `{}[]  {word}{of}  page 1`",
        entity.name
    ))
}

/// The edit that takes an order out, with the blank before it.
fn dropped(order: &Ordered) -> Edit {
    let span = Span {
        start: order.span.start.saturating_sub(1),
        ..order.span
    };
    Edit::replace(span, "")
}

/// Offers the order of a key whose values are no times or numbers: `descending` for `newest`.
pub(crate) fn general(diagnostic: Diagnostic, order: &Ordered) -> Diagnostic {
    let general = order.order.general();
    if order.attribute.is_some() || general == order.order {
        return diagnostic;
    }
    let (word, asked) = (general.word(), order.order.word());
    let of = match order.order {
        Order::Newest | Order::Oldest => "times",
        Order::Highest | Order::Lowest | Order::Ascending | Order::Descending => "numbers",
    };
    diagnostic
        .help(format!(
            "say `{word}` for the order that the key has: `{asked}` is an order of {of}"
        ))
        .offer(vec![Edit::replace(order.span, word)])
}

/// Pads the first number of the sort key that the pattern can order by.
fn pad(entity: &Entity, order: &Ordered, span: Span) -> Vec<Edit> {
    let Some(sort) = entity
        .keys()
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
    let unpadded = sort.parts.iter().find_map(|part| match part {
        Part::Field {
            name,
            kind: Type::Int,
            format: Format::Plain,
            ..
        } if wanted(name) => Some(name),
        Part::Field { .. } | Part::Text(_) | Part::Shard { .. } | Part::Chunk | Part::Break => None,
    });
    let Some(name) = unpadded else {
        return Vec::new();
    };
    let Some(text) = template_text(sort) else {
        return Vec::new();
    };
    let padded = text.replace(&format!("{{{name}}}"), &format!("{{{name}:010}}"));
    vec![Edit::replace(sort.span, padded)]
}

/// The text of a template in the model; `None` if shards or parts were added to it, or if it has no
/// quotes.
fn template_text(template: &KeyTemplate) -> Option<String> {
    let plain = template
        .parts
        .iter()
        .all(|part| matches!(part, Part::Text(_) | Part::Field { .. }));
    (plain && !template.is_bare()).then(|| template.to_string())
}

/// The reason why the parts of an entity's key that vary do not give the order; `None` if they give
/// it.
pub(crate) fn reason(order: &Ordered, entity: &Entity, varying: &[Part]) -> Option<String> {
    let wanted = match order.order {
        Order::Newest | Order::Oldest => "a time",
        Order::Highest | Order::Lowest => "a number",
        Order::Ascending | Order::Descending => "values in order",
    };
    let Some(
        part @ Part::Field {
            name, kind, format, ..
        },
    ) = varying.first()
    else {
        return Some(match order.order {
            Order::Ascending | Order::Descending => {
                "nothing varies in its sort key, so there is no order".to_owned()
            }
            Order::Newest | Order::Oldest | Order::Highest | Order::Lowest => {
                format!("nothing varies in its sort key, so there is no order by {wanted}")
            }
        });
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
    // A row of a view has the beginning of the period, which the period gives.
    let is_whole = entity.view.is_some() && matches!(format, Format::Truncated(_));
    if let Format::Truncated(unit) = format
        && !is_whole
    {
        return Some(format!(
            "{{{name}:{unit}}} keeps only the {unit}, so times of one {unit} are in no order; use {{{name}}}"
        ));
    }
    if !order.order.fits(kind) {
        return Some(format!(
            "its sort key is ordered by {{{name}}}, {}, first; the order needs {wanted} there",
            kind.with_article()
        ));
    }
    if kind.is_number() && *format == Format::Plain {
        return Some(format!(
            "{{{name}}} is not padded, and as text 10 comes before 9; write {{{name}:010}} for up to 10 digits"
        ));
    }
    if !part.is_ordered() && !is_whole {
        return Some(format!("{part} is not in the order of its values"));
    }
    (!keeps_order(part, varying.get(1))).then(|| {
        format!(
            "{part} has no fixed width and parts follow it, so a value that begins like another can stand before it; let it end the sort key"
        )
    })
}

/// Whether the part behind a field leaves its values in order: it does where no value begins like
/// another, and where the words of an enumeration are in order with the text behind them.
fn keeps_order(field: &Part, next: Option<&Part>) -> bool {
    match (field, next) {
        (_, None | Some(Part::Break)) => true,
        (
            Part::Field {
                kind: Type::Words(words),
                ..
            },
            Some(Part::Text(behind)),
        ) => {
            let pairs = words
                .iter()
                .flat_map(|one| words.iter().map(move |two| (one, two)));
            pairs.into_iter().all(|(one, two)| {
                one.cmp(two) == format!("{one}{behind}").cmp(&format!("{two}{behind}"))
            })
        }
        (_, Some(_)) => field.is_fixed_width(),
    }
}

/// The attribute of the part that varies first; `None` if nothing varies.
pub(crate) fn field(varying: Option<&Part>) -> Option<String> {
    match varying? {
        Part::Field { name, .. } => Some(name.clone()),
        Part::Text(_) | Part::Shard { .. } | Part::Chunk | Part::Break => None,
    }
}

/// The reason why a range of this part's texts is not a range of its values; `None` if it is one.
pub(crate) fn range_reason(part: &Part, is_last: bool) -> Option<String> {
    let Part::Field {
        name, kind, format, ..
    } = part
    else {
        return None;
    };
    match format {
        Format::Truncated(unit) => Some(format!(
            "{{{name}:{unit}}} keeps only the {unit}, so a range of times would hold others of its first and last {unit}; whole ones are `{unit} of {} in first..last`",
            written(name)
        )),
        Format::Lower | Format::Hash | Format::Escaped => Some(format!(
            "{part} is not in the order of its values, so a range of texts is no range of them"
        )),
        Format::Plain if kind.is_number() => Some(format!(
            "{{{name}}} is not padded, so a range of texts is no range of numbers; write {{{name}:010}}"
        )),
        Format::Bare => None,
        Format::Plain | Format::Padded { .. } | Format::Reversed
            if !part.is_fixed_width() && !is_last =>
        {
            Some(format!(
                "{{{name}}} has no fixed width and parts follow it, so texts that only begin like an end of the range would be in it"
            ))
        }
        Format::Plain | Format::Padded { .. } | Format::Reversed => None,
    }
}
