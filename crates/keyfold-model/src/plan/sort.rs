//! The condition on the sort key: what is given of it, and the range of what follows.

use super::LAST_CHARACTER;
use super::bind::Binder;
use crate::check::ordered;
use crate::schema::SortCondition;
use crate::schema::{Limit, Parameter, Type};
use crate::template::{Format, KeyTemplate, Part};

/// The condition for a sort key of which `bound` is given and `rest` is open. `Err` says why a
/// limit of the pattern is no range of it.
pub(super) fn condition(
    binder: &mut Binder<'_>,
    sort: &KeyTemplate,
    bound: Vec<Part>,
    rest: &[Part],
) -> Result<SortCondition, String> {
    let template = |parts: Vec<Part>| KeyTemplate {
        parts,
        span: sort.span,
    };
    let open = binder.open_limits();
    let Some(first) = open.first() else {
        return Ok(match (rest.is_empty(), bound.is_empty()) {
            (true, _) => SortCondition::Equal(template(bound)),
            (false, true) => SortCondition::Any,
            (false, false) => SortCondition::BeginsWith(template(bound)),
        });
    };
    let Some(field @ Part::Field { name, kind, format }) = rest.first() else {
        return Err(format!(
            "`{}` is not part of its sort key, so a range of it would have to be filtered",
            first.attribute
        ));
    };
    if let Some(other) = open.iter().find(|limit| limit.attribute != *name) {
        return Err(format!(
            "a range of `{}` needs it first among the open parts of the sort key; there is `{name}`",
            other.attribute
        ));
    }
    let limits = binder.limits_of(name);
    binder.use_limits(&limits);
    let starts = limits
        .iter()
        .find(|p| matches!(p.limit, Limit::Starts | Limit::In(_)));
    if let Some(parameter) = starts {
        if !is_prefix(kind, *format, parameter) {
            return Err(format!(
                "{field} does not start with the text of a `{}`",
                parameter.kind
            ));
        }
        let format = if matches!(parameter.limit, Limit::In(_)) {
            Format::Plain
        } else {
            *format
        };
        let part = Part::Field {
            name: parameter.name.clone(),
            kind: parameter.kind.clone(),
            format,
        };
        return Ok(SortCondition::BeginsWith(template(
            bound.into_iter().chain([part]).collect(),
        )));
    }
    let follows = rest.get(1).is_some_and(|next| *next != Part::Break);
    if let Some(reason) = ordered::range_reason(field, !follows) {
        return Err(reason);
    }
    Ok(range(&limits, field, bound, follows, template))
}

/// Whether a text that starts with the parameter's makes a key that starts with it too.
fn is_prefix(kind: &Type, format: Format, parameter: &Parameter) -> bool {
    match parameter.limit {
        Limit::In(_) => {
            matches!(kind, Type::Time(_) | Type::Date)
                && matches!(format, Format::Plain | Format::Bare)
        }
        _ => {
            kind.is_text()
                && matches!(
                    format,
                    Format::Plain | Format::Bare | Format::Lower | Format::Escaped
                )
        }
    }
}

fn range(
    limits: &[&Parameter],
    field: &Part,
    bound: Vec<Part>,
    follows: bool,
    template: impl Fn(Vec<Part>) -> KeyTemplate,
) -> SortCondition {
    let Part::Field { kind, format, .. } = field else {
        return SortCondition::Any;
    };
    // In a reversed order the greatest value has the least key.
    let (lower, upper) = if format.is_reversed() {
        (Limit::AtMost, Limit::AtLeast)
    } else {
        (Limit::AtLeast, Limit::AtMost)
    };
    let end = |limit: Limit| {
        limits
            .iter()
            .find(|p| p.limit == limit)
            .map(|p| Part::Field {
                name: p.name.clone(),
                kind: kind.clone(),
                format: *format,
            })
    };
    let with = |more: Vec<Part>| template(bound.iter().cloned().chain(more).collect());
    let last = || Part::Text(LAST_CHARACTER.to_string());
    // An open end is that of the text before the field; without one, the range is open.
    let prefix = bound
        .iter()
        .rev()
        .take_while(|part| **part != Part::Break)
        .count();
    let open = |text: Part| (prefix > 0).then(|| with(vec![text]));
    let low = match end(lower) {
        Some(part) => Some(with(vec![part])),
        None => open(Part::Text(String::new())),
    };
    let high = match end(upper) {
        // Longer keys that begin with the field's value still belong to the upper end.
        Some(part) if follows => Some(with(vec![part, last()])),
        Some(part) => Some(with(vec![part])),
        None => open(last()),
    };
    match (low, high) {
        (Some(low), Some(high)) => SortCondition::Between(low, high),
        (Some(low), None) => SortCondition::AtLeast(low),
        (None, Some(high)) => SortCondition::AtMost(high),
        (None, None) => SortCondition::Any,
    }
}
