//! KF040, copy without key: a copy that a pattern returns leaves out what identifies its item.

use super::rule::Rule;
use crate::diagnostic::Diagnostic;
use crate::schema::{Copy, Entity, Model};
use crate::written::written;
use std::collections::BTreeMap;

pub(crate) const RULE: Rule = Rule {
    code: "KF040",
    name: "copy-without-key",
    summary: "A copy that a pattern returns holds the attributes that identify its item.",
    why: "What a pattern returns may be given back: an item, or its copy, is the key of an update, a \
        delete and a read of several items. A copy whose `only` leaves out an attribute of the \
        key is none, since what is read has exactly the attributes behind `only`, though the \
        copy's own key may be made of others. A program that lists such copies cannot ask for the \
        item of one.",
    failing: r##"model m 1
table Shop (PK, SK)
entity Order
  orderId: string, userId: string, total: int
  key           "ORDER#{orderId}"  "ORDER"
  copy summary  "USER#{userId}"    "ORDER#{orderId}"  only total
pattern orders(userId)  -> Order.summary[]  page 20
"##,
    repaired: r##"model m 1
table Shop (PK, SK)
entity Order
  orderId: string, userId: string, total: int
  key           "ORDER#{orderId}"  "ORDER"
  copy summary  "USER#{userId}"    "ORDER#{orderId}"  only orderId, total
pattern orders(userId)  -> Order.summary[]  page 20
"##,
};

pub(crate) fn check(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    // The first pattern that returns each copy.
    let mut returned: BTreeMap<(usize, usize), &str> = BTreeMap::new();
    for pattern in &model.patterns {
        for one in &pattern.returned {
            if let Some(copy) = one.copy {
                let of = (one.entity, copy);
                returned.entry(of).or_insert(&pattern.name);
            }
        }
    }
    for ((at, place), pattern) in returned {
        let entity = model.entities.get(at);
        let copy = entity.and_then(|entity| entity.copies.get(place));
        if let Some(of) = entity.zip(copy) {
            diagnostics.extend(warning(of, pattern));
        }
    }
}

fn warning((entity, copy): (&Entity, &Copy), pattern: &str) -> Option<Diagnostic> {
    let is_held = |name: &str| copy.attributes.iter().any(|held| held == name);
    let identity = entity.identity();
    let missing: Vec<&str> = identity.into_iter().filter(|name| !is_held(name)).collect();
    let named = |names: &[&str]| -> String {
        let names: Vec<_> = names.iter().map(|name| written(name)).collect();
        names.join(", ")
    };
    if missing.is_empty() {
        return None;
    }
    let message = format!(
        "the copy {}.{} is no key of {}: it does not hold {}",
        entity.name,
        copy.name,
        entity.name,
        missing.join(", ")
    );
    let held = copy.attributes.iter().map(String::as_str);
    let all: Vec<&str> = missing.iter().copied().chain(held).collect();
    let label = format!("returned by {pattern}, without what identifies the item");
    Some(
        Diagnostic::warning("KF040", copy.span, message, label)
            .help(format!("copy it, too: `only {}`", named(&all))),
    )
}
