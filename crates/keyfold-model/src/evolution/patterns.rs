//! Patterns and writes: what they read and write is judged where it is stored, so that a change of
//! their own needs nothing.

use super::change::{Change, Class, Place, Verdicts};
use super::collect::Collect;
use crate::diagnostic::Span;
use crate::schema::{Model, Pattern};

/// Reports patterns and writes that were added, removed or changed.
pub(super) fn patterns(old: &Model, new: &Model, all: &mut Collect<'_>) {
    for two in &new.patterns {
        let what = format!("pattern {}", two.name);
        match old.pattern(&two.name) {
            None => all.add(harmless(
                what,
                "added",
                Place::New(two.span),
                &format!("it reads {}, by what is stored there", two.plan.place()),
            )),
            Some(one) if form(old, one) != form(new, two) => all.add(harmless(
                what,
                "changed",
                Place::New(two.span),
                &format!("it reads {}, by what is stored there", two.plan.place()),
            )),
            Some(_) => {}
        }
    }
    for one in &old.patterns {
        if new.pattern(&one.name).is_none() {
            let what = format!("pattern {}", one.name);
            let why = "programs of the new version do not ask it";
            all.add(harmless(what, "removed", Place::Old(one.span), why));
        }
    }
    let names = |model: &Model| -> Vec<(String, Span)> {
        let all = model.writes.iter().map(|one| (one.name.clone(), one.span));
        all.collect()
    };
    let (before, after) = (names(old), names(new));
    for (name, span) in &after {
        if !before.iter().any(|(known, _)| known == name) {
            let why = "it writes what the entities say";
            all.add(harmless(
                format!("write {name}"),
                "added",
                Place::New(*span),
                why,
            ));
        }
    }
    for (name, span) in &before {
        if !after.iter().any(|(known, _)| known == name) {
            let why = "programs of the new version do not call it";
            all.add(harmless(
                format!("write {name}"),
                "removed",
                Place::Old(*span),
                why,
            ));
        }
    }
}

/// What a caller of a pattern gives and gets, and how it is read.
fn form(model: &Model, pattern: &Pattern) -> String {
    let plan = |(absent, plan): (&[String], &crate::schema::PatternPlan)| {
        format!(
            "{absent:?} {} {} {} {} {:?} {:?}",
            plan.request,
            plan.place(),
            plan.key_condition(),
            plan.requests(),
            plan.only,
            plan.page
        )
    };
    let plans: Vec<String> = pattern.plans().map(plan).collect();
    let returned = pattern.returned.iter().map(|one| {
        let marks = (one.many, one.optional);
        format!("{} {marks:?}", model.name_of(one))
    });
    let returned: Vec<String> = returned.collect();
    let filters: Vec<String> = pattern
        .filters
        .iter()
        .flat_map(|one| one.comparisons())
        .map(|one| one.to_string())
        .collect();
    format!(
        "{plans:?} {returned:?} {filters:?} {}",
        pattern.plan.descending
    )
}

fn harmless(what: String, how: &str, place: Place, reason: &str) -> Change {
    Change {
        what,
        how: how.to_owned(),
        place,
        class: Class::Nothing,
        reason: reason.to_owned(),
        help: None,
        entities: Vec::new(),
        tables: Vec::new(),
        verdicts: Verdicts::all(),
        work: Vec::new(),
    }
}
