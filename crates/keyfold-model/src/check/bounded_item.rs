//! KF035, bounded item: an item fits into 400 KB.

use super::estimate::{print_bytes, stored_bytes};
use super::rule::Rule;
use crate::diagnostic::Diagnostic;
use crate::schema::{Entity, Model, Type};
use keyfold_types::limits::ITEM_BYTES_MAX;

pub(crate) const RULE: Rule = Rule {
    code: "KF035",
    name: "bounded-item",
    summary: "An item fits into 400 KB, including its attribute names.",
    why: "DynamoDB refuses to write an item of more than 400 KB. This happens in production, for \
        the customer with the longest list. `split readings by 600` spreads a list over several \
        items that are read together, `compress` stores an attribute as GZIP, and data that is \
        read alone is better an entity of its own.",
    failing: r##"model m 1
table Race (PK, SK)
entity Result
  raceId: string, racerId: string, points: list of number
  key     "RACER#{racerId}"  "RACE#{raceId}"
  expect  90000 per points
"##,
    repaired: r##"model m 1
table Race (PK, SK)
entity Result
  raceId: string, racerId: string, points: list of number
  key     "RACER#{racerId}"  "RACE#{raceId}"
  split   points by 20000
  expect  90000 per points
"##,
};

pub(crate) fn check(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    for entity in &model.entities {
        let bytes = stored_bytes(entity);
        // A compressed attribute is smaller, by an unknown factor.
        if bytes > ITEM_BYTES_MAX && entity.compressed.is_empty() {
            diagnostics.push(report(entity, bytes));
        }
    }
}

fn report(entity: &Entity, bytes: u64) -> Diagnostic {
    let message = format!(
        "an item of {} has about {}",
        entity.name,
        print_bytes(bytes)
    );
    let list = entity
        .attributes
        .iter()
        .find(|attribute| matches!(attribute.kind, Type::List(_)));
    let diagnostic = Diagnostic::warning("KF035", entity.span, message, "more than an item holds")
        .note(format!(
            "{} is more than {}; writes would be refused",
            print_bytes(bytes),
            print_bytes(ITEM_BYTES_MAX)
        ));
    match list {
        Some(list) => diagnostic
            .label(list.span, "grows with its elements")
            .help(format!(
                "`split {} by N` spreads it over several items; `compress {}` makes it smaller",
                list.name, list.name
            )),
        None => diagnostic.help("`compress` large attributes, or make them entities of their own"),
    }
}
