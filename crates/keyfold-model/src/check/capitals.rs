//! Part of KF011, exact: a pattern compares a text in one way, whichever of its optional parameters
//! are given. Another key may serve another choice of them, and hold the text in small letters.

use crate::diagnostic::Diagnostic;
use crate::schema::{Limit, Parameter, Pattern, PatternPlan, Type};
use crate::template::{Format, Part};

/// The error about a text whose capitals count for some choices of the optional parameters only.
/// `absent` are the parameters that `other` does without.
pub(crate) fn check(
    pattern: &Pattern,
    plan: &PatternPlan,
    (absent, other): (&[String], &PatternPlan),
) -> Option<Diagnostic> {
    let parameters = pattern.parameters.iter();
    let mut texts = parameters.filter(|one| one.kind == Type::String && one.limit != Limit::Free);
    let differs =
        |one: &&Parameter| match (ignores_capitals(plan, one), ignores_capitals(other, one)) {
            (Some(with), Some(without)) => with != without,
            (_, _) => false,
        };
    let parameter = texts.find(differs)?;
    let (name, absent) = (&parameter.name, absent.join("`, `"));
    let (with, without) = match ignores_capitals(plan, parameter) {
        Some(true) => ("whatever its capitals", "with exactly its capitals"),
        Some(false) | None => ("with exactly its capitals", "whatever its capitals"),
    };
    let message = format!("{} takes `{name}` in two ways", pattern.name);
    let label = format!("with `{absent}`, `{name}` is found {with}; without, {without}");
    let key = |plan: &PatternPlan| plan.key_condition();
    Some(
        Diagnostic::error("KF011", pattern.span, message, label)
            .note(format!("with `{absent}` it reads {}", key(plan)))
            .note(format!("without, it reads {}", key(other)))
            .help(format!(
                "write `{name}` in one way in the keys that serve the pattern, `{{{name}}}` or `{{{name}:lower}}`"
            ))
            .help(format!("or make it two patterns, one with `{absent}`")),
    )
}

/// Whether what a plan reads is found whatever the capitals of a parameter; `None` if no key
/// contains it.
fn ignores_capitals(plan: &PatternPlan, parameter: &Parameter) -> Option<bool> {
    let (mut lower, mut keeps) = (false, false);
    for part in parts(plan) {
        // The fields of a plan are arguments. A parameter of a range may have the name of another
        // attribute.
        if let Part::Field { name, format, .. } = part
            && *name == parameter.name
        {
            lower |= *format == Format::Lower;
            keeps |= format.keeps_value();
        }
    }
    (lower || keeps).then_some(!keeps)
}

/// The parts of the keys that a plan reads. The ends of a range hold the same texts.
fn parts(plan: &PatternPlan) -> impl Iterator<Item = &Part> {
    let sort = plan.sort.ends().into_iter().take(1);
    let templates = plan.partition.iter().chain(sort);
    templates.flat_map(|template| &template.parts)
}
