//! KF036, up to now: a pattern over periods without an upper end reads up to the current period.

use super::rule::Rule;
use crate::diagnostic::{Diagnostic, Edit};
use crate::schema::Fan;
use crate::schema::{Model, Pattern, Type};
use crate::written::written;

pub(crate) const RULE: Rule = Rule {
    code: "KF036",
    name: "up-to-now",
    summary: "A pattern over periods declares its upper end.",
    why: "If there is a bucket or a table for each period, each period is a request, and nothing \
        marks the last one. A range without an upper end is read up to the current period, so an \
        item whose time lies in a later one is not found. `at in since..now` says so in the \
        pattern. If items of the future are wanted, `at in from..to` names the end.",
    failing: r##"model m 1
table Logs (PK, SK)
entity Event
  source: string, at: time
  key  "SOURCE#{source}"  "{at}"  bucket day
pattern events(source, at >= since)  -> Event[]  newest page 20
"##,
    repaired: r##"model m 1
table Logs (PK, SK)
entity Event
  source: string, at: time
  key  "SOURCE#{source}"  "{at}"  bucket day
pattern events(source, at in since..now)  -> Event[]  newest page 20
"##,
};

pub(crate) fn check(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.extend(model.patterns.iter().filter_map(report));
}

/// Reports a pattern that reads periods without an upper end.
fn report(pattern: &Pattern) -> Option<Diagnostic> {
    let (unit, attribute, low) = pattern.plans().find_map(|(_, plan)| match &plan.fan {
        Fan::Periods {
            unit,
            attribute,
            low,
            high: None,
            ..
        } => Some((*unit, attribute, low)),
        Fan::Periods { high: Some(_), .. } | Fan::One | Fan::Shards(_) => None,
    })?;
    let parameter = pattern
        .parameters
        .iter()
        .find(|one| one.name == *low && one.limit.is_lower())?;
    let message = format!(
        "{} reads up to the present {unit}, and no further",
        pattern.name
    );
    let (of, since) = (written(attribute), written(low));
    let (bounded, named) = match parameter.limit.strict_sign() {
        Some(_) => (
            format!("{of} > {since}, {of} <= now"),
            format!("{of} > {since}, {of} <= until"),
        ),
        None => (
            format!("{of} in {since}..now"),
            format!("{of} in {since}..until"),
        ),
    };
    let diagnostic = Diagnostic::warning("KF036", parameter.span, message, "has no upper end")
        .note(format!(
            "an item whose `{attribute}` lies in a later {unit} is not found"
        ))
        .help(format!("say so: `{bounded}`, or name the end: `{named}`"));
    if parameter.optional || !matches!(parameter.kind, Type::Time(_) | Type::Date) {
        return Some(diagnostic);
    }
    Some(diagnostic.repair(vec![Edit::replace(parameter.span, bounded)]))
}
