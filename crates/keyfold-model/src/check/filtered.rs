//! KF034, filtered: a pattern that the model allows to scan or to filter reads items that it
//! discards.

use super::estimate::{item_bytes, print_bytes, print_count};
use super::rule::Rule;
use crate::diagnostic::Diagnostic;
use crate::schema::{Condition, Limit, Measure, Model, Pattern, RequestKind};
use crate::written::written;
use keyfold_types::limits::{PAGE_BYTES_MAX, READ_UNIT_BYTES};

pub(crate) const RULE: Rule = Rule {
    code: "KF034",
    name: "filtered",
    summary: "A pattern reads only the items that it returns. A filter or a scan also reads, and pays \
        for, the items that it discards.",
    why: "DynamoDB applies a filter after reading: a query costs the same with a filter as without, \
        and a page of 20 items may come back empty. `scan` and `filter` are allowed because the \
        model says them; the warning shows how much they read. There is no warning if the counts \
        are declared and small.",
    failing: r##"model m 1
table Shop (PK, SK)
entity User
  userId: string, city: string
  key  "USER#{userId}"  "PROFILE"
pattern users_in(city)  -> User[]  scan
"##,
    repaired: r##"model m 1
table Shop (PK, SK)
entity User
  userId: string, city: string
  key     "USER#{userId}"  "PROFILE"
  expect  2000 items, 200 bytes
pattern users_in(city)  -> User[]  scan
"##,
};

pub(crate) fn check(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    for pattern in &model.patterns {
        if pattern.plan.request == RequestKind::Scan {
            diagnostics.extend(scan(model, pattern));
        } else if !pattern.filters.is_empty() {
            diagnostics.extend(filter(model, pattern));
        }
    }
}

/// Reports a scan of a table that is large or of unknown size.
fn scan(model: &Model, pattern: &Pattern) -> Option<Diagnostic> {
    let at = model.entities.get(pattern.returned.first()?.entity)?.table;
    let table = model.tables.get(at)?;
    let entities: Vec<_> = model
        .entities
        .iter()
        .filter(|entity| entity.table == at)
        .collect();
    let counts: Option<Vec<u64>> = entities
        .iter()
        .map(|entity| Some(entity.expected.items?.saturating_mul(item_bytes(entity))))
        .collect();
    let sum: Option<u64> = counts.map(|counts| counts.into_iter().fold(0, u64::saturating_add));
    if sum.is_some_and(|sum| sum <= PAGE_BYTES_MAX) {
        return None;
    }
    let note = match sum {
        Some(sum) => format!(
            "{} hold {}: {} read units, {} requests, each time",
            table.name,
            print_bytes(sum),
            print_count(sum.div_ceil(READ_UNIT_BYTES) / 2),
            print_count(sum.div_ceil(PAGE_BYTES_MAX))
        ),
        None => "how much that is, is not declared: `expect 2000 items` in each entity".to_owned(),
    };
    let message = format!("{} reads all of {}", pattern.name, table.name);
    Some(
        Diagnostic::warning("KF034", pattern.span, message, "a scan")
            .note(note)
            .help("give the question a key: an index, or a copy under what is asked for"),
    )
}

/// Reports a filter over a collection that is large or of unknown size.
fn filter(model: &Model, pattern: &Pattern) -> Option<Diagnostic> {
    let entity = model.entities.get(pattern.returned.first()?.entity)?;
    let given = |name: &String| {
        pattern
            .parameters
            .iter()
            .any(|p| p.limit == Limit::Equal && p.attribute == *name)
    };
    let count = entity
        .expected
        .per
        .iter()
        .filter(|(name, _)| given(name))
        .map(|(_, count)| *count)
        .min();
    let bytes = item_bytes(entity);
    if count.is_some_and(|count| count.saturating_mul(bytes) <= PAGE_BYTES_MAX) {
        return None;
    }
    let place = pattern.filters.first()?.span();
    let mut compared = pattern.filters.iter().flat_map(Condition::comparisons);
    let help = match compared.find(|one| one.measure != Measure::Kind) {
        Some(first) => format!(
            "make `{}` part of a key, for instance of a sparse index",
            first.subject()
        ),
        None => "leave out the kinds that are thrown away, if their keys lie apart".to_owned(),
    };
    let note = match count {
        Some(count) => format!(
            "{} items x {} = {} are read for each answer",
            print_count(count),
            print_bytes(bytes),
            print_bytes(count.saturating_mul(bytes))
        ),
        None => format!(
            "how many are read is not declared: `expect 40 per {}` in {}",
            written(
                pattern
                    .parameters
                    .iter()
                    .find(|p| p.limit == Limit::Equal)
                    .map_or_else(
                        || entity.key.fields().next().unwrap_or("id"),
                        |p| p.attribute.as_str()
                    )
            ),
            entity.name
        ),
    };
    let message = format!("{} reads items that it throws away", pattern.name);
    Some(
        Diagnostic::warning("KF034", place, message, "judged after reading")
            .note(note)
            .note("a page holds what is left of it, which may be nothing")
            .help(help),
    )
}
