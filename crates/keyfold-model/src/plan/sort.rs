//! The condition on the sort key: equality with the given parts, and a range of the next one.

use super::bind::Binder;
use crate::check::ordered;
use crate::diagnostic::Span;
use crate::period::Unit;
use crate::schema::{Limit, Parameter, SortCondition, Type};
use crate::template::{BREAK, Format, KeyTemplate, Part};
use crate::written::written;

/// Ends the text of an open upper end: it is above every character of any key.
pub(super) const LAST_CHARACTER: char = char::MAX;

// A break is below every character, so that a key of several attributes is ordered attribute by
// attribute.
const _: () = assert!(BREAK as u32 == 0);

/// The condition for a sort key whose parts `bound` are given and whose parts `open` are not. `Err`
/// is the reason why a limit of the pattern is not a range of the key.
pub(super) fn condition(
    binder: &mut Binder<'_>,
    span: Span,
    bound: Vec<Part>,
    open: &[Part],
) -> Result<SortCondition, String> {
    let template = |parts: Vec<Part>| KeyTemplate { parts, span };
    let unused = binder.open_limits();
    let Some(first) = unused.first() else {
        return Ok(match (open.is_empty(), bound.is_empty()) {
            (true, _) => SortCondition::Equal(template(bound)),
            (false, true) => SortCondition::Any,
            (false, false) => SortCondition::BeginsWith(template(bound)),
        });
    };
    let Some(field @ Part::Field { name, excluded, .. }) = open.first() else {
        return Err(format!(
            "`{}` is not part of its sort key, so a range of it would have to be filtered",
            first.attribute
        ));
    };
    if let Some(other) = unused.iter().find(|limit| limit.attribute != *name) {
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
        let part = prefix(field, parameter)?;
        return Ok(SortCondition::BeginsWith(template(
            bound.into_iter().chain([part]).collect(),
        )));
    }
    let is_followed = open.get(1).is_some_and(|next| *next != Part::Break);
    if let Some(unit) = unit_of(&limits)? {
        let (format, goes_on) = periods_in(field, unit)?;
        let period = Part::Field {
            name: name.clone(),
            kind: Type::Period(unit),
            format,
            excluded: excluded.clone(),
        };
        return Ok(range(
            &limits,
            &period,
            bound,
            is_followed || goes_on,
            template,
        ));
    }
    if let Some(reason) = ordered::range_reason(field, !is_followed) {
        return Err(reason);
    }
    check_end_before(&limits, field)?;
    Ok(range(&limits, field, bound, is_followed, template))
}

/// The unit of a range of periods; `None` for a range of values. `Err` is the reason where its two
/// ends do not fit together.
fn unit_of(limits: &[&Parameter]) -> Result<Option<Unit>, String> {
    let mut units = limits.iter().map(|parameter| parameter.period());
    let first = units.next().flatten();
    if units.all(|other| other == first) {
        return Ok(first);
    }
    let names: Vec<String> = limits.iter().map(|one| written(&one.name)).collect();
    Err(format!(
        "{} are ends of different kinds: give both as times, or both as periods of one unit",
        names.join(" and ")
    ))
}

/// The format of the periods of `unit` in a field of a key, and whether texts go on behind such a
/// period. `Err` is the reason where the order of keys is not that of periods.
fn periods_in(field: &Part, unit: Unit) -> Result<(Format, bool), String> {
    let Part::Field { kind, format, .. } = field else {
        return Err(format!("{field} is no time"));
    };
    let is_time = matches!(kind, Type::Time(_) | Type::Date);
    match format {
        Format::Truncated(of) if *of == unit => Ok((Format::Plain, false)),
        Format::Truncated(shorter) if *shorter < unit => Ok((Format::Plain, true)),
        Format::Truncated(longer) => Err(format!(
            "{field} keeps only the {longer}, so it does not say which {unit}"
        )),
        Format::Plain | Format::Bare if is_time => Ok((Format::Plain, true)),
        Format::Reversed if is_time => Ok((Format::Reversed, true)),
        Format::Plain
        | Format::Bare
        | Format::Reversed
        | Format::Padded { .. }
        | Format::Lower
        | Format::Hash
        | Format::Escaped => Err(format!("{field} is not in the order of its {unit}s")),
    }
}

/// The part of a key that the parameter of a beginning or a period stands for. `Err` is the reason
/// if values that start with the parameter's text do not make keys that start with it.
fn prefix(field: &Part, parameter: &Parameter) -> Result<Part, String> {
    let refused = || {
        format!(
            "{field} does not start with the text of a `{}`",
            parameter.kind
        )
    };
    let Part::Field {
        kind,
        format,
        excluded,
        ..
    } = field
    else {
        return Err(refused());
    };
    let (fits, format) = match parameter.limit {
        // Keys begin with a period where they go on behind it.
        Limit::In(unit) => match periods_in(field, unit) {
            Ok((format, goes_on)) => (goes_on, format),
            Err(_) => (false, *format),
        },
        Limit::Starts
        | Limit::Equal
        | Limit::AtLeast
        | Limit::AtMost
        | Limit::Above
        | Limit::Below
        | Limit::Among
        | Limit::Free => (
            kind.is_text()
                && matches!(
                    format,
                    Format::Plain | Format::Bare | Format::Lower | Format::Escaped
                ),
            *format,
        ),
    };
    if !fits {
        return Err(refused());
    }
    Ok(Part::Field {
        name: parameter.name.clone(),
        kind: parameter.kind.clone(),
        format,
        excluded: excluded.clone(),
    })
}

/// Refuses a range with two ends whose upper one lies outside, where the key is a text or bytes as
/// they are: BETWEEN includes its ends, and there is no last text before another one.
fn check_end_before(limits: &[&Parameter], field: &Part) -> Result<(), String> {
    let Part::Field {
        name, kind, format, ..
    } = field
    else {
        return Ok(());
    };
    let below = limits.iter().find(|p| p.limit == Limit::Below);
    match below {
        Some(below) if limits.len() > 1 && *format == Format::Bare && !kind.is_number() => {
            Err(format!(
                "`{name} < {}` together with a lower end is no range of {{{name}}}: BETWEEN includes its ends, and no value is the last before another; give `{name} <= {}`, or one end",
                below.name, below.name
            ))
        }
        Some(_) | None => Ok(()),
    }
}

/// The range of a field between the pattern's limits. `is_followed` is whether the same key
/// attribute goes on behind the field.
fn range(
    limits: &[&Parameter],
    field: &Part,
    bound: Vec<Part>,
    is_followed: bool,
    template: impl Fn(Vec<Part>) -> KeyTemplate,
) -> SortCondition {
    let Part::Field {
        kind,
        format,
        excluded,
        ..
    } = field
    else {
        return SortCondition::Any;
    };
    // In a reversed format the greatest value has the least key.
    let bounds_below = |limit: Limit| limit.is_lower() != format.is_reversed();
    let end = |is_low: bool| {
        limits
            .iter()
            .find(|p| bounds_below(p.limit) == is_low)
            .map(|p| Part::Field {
                name: p.name.clone(),
                kind: kind.clone(),
                format: *format,
                excluded: excluded.clone(),
            })
    };
    let with = |more: Vec<Part>| template(bound.iter().cloned().chain(more).collect());
    let last = || Part::Text(LAST_CHARACTER.to_string());
    // An open end is the text before the field, which bounds the range; without such a text, the
    // range has no end there.
    let prefix = bound
        .iter()
        .rev()
        .take_while(|part| **part != Part::Break)
        .count();
    let open = |text: Part| (prefix > 0).then(|| with(vec![text]));
    let low = match end(true) {
        Some(part) => Some(with(vec![part])),
        None => open(Part::Text(String::new())),
    };
    let high = match end(false) {
        // Longer keys that begin with the field's value still belong to the range.
        Some(part) if is_followed => Some(with(vec![part, last()])),
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
