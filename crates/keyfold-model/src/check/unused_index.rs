//! KF032, unused index: an index that no pattern reads adds a cost to every write.

use super::rule::Rule;
use crate::diagnostic::Diagnostic;
use crate::schema::Model;

pub(crate) const RULE: Rule = Rule {
    code: "KF032",
    name: "unused-index",
    summary: "Each index is read by a pattern.",
    why: "A write of an item that is in an index causes a second write, which costs money and time, \
        and the index stores the item once more. An index is declared for a pattern. If no \
        pattern reads it, its cost has no use, or the model lacks a pattern.",
    failing: r##"model m 1
table Shop (PK, SK)
  gsi GSI1 (GSI1PK, GSI1SK)
entity User
  userId: string, city: string
  key   "USER#{userId}"  "PROFILE"
  GSI1  "CITY#{city}"    "USER#{userId}"
pattern user(userId)  -> User?
"##,
    repaired: r##"model m 1
table Shop (PK, SK)
  gsi GSI1 (GSI1PK, GSI1SK)
entity User
  userId: string, city: string
  key   "USER#{userId}"  "PROFILE"
  GSI1  "CITY#{city}"    "USER#{userId}"
pattern user(userId)    -> User?
pattern users_in(city)  -> User[]  page 20
"##,
};

pub(crate) fn check(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    // A model without patterns is not finished yet.
    if model.patterns.is_empty() {
        return;
    }
    for (at, table) in model.tables.iter().enumerate() {
        for (place, index) in table.indexes.iter().enumerate() {
            let of_patterns = model
                .patterns
                .iter()
                .flat_map(|pattern| pattern.plans().map(|(_, plan)| plan));
            let aggregates = model.entities.iter().flat_map(|entity| &entity.aggregates);
            let mut plans =
                of_patterns.chain(aggregates.filter_map(|aggregate| aggregate.next.as_ref()));
            let used = plans
                .any(|plan| plan.table == table.name && plan.index.as_ref() == Some(&index.name));
            if used {
                continue;
            }
            let members: Vec<&str> = model
                .entities
                .iter()
                .filter(|entity| {
                    entity.table == at && entity.indexes.iter().any(|key| key.index == place)
                })
                .map(|entity| entity.name.as_str())
                .collect();
            let message = format!("no pattern reads {}", index.name);
            let cost = match members.as_slice() {
                [] => "no entity is in it, so it stays empty".to_owned(),
                some => format!("each write of {} pays for it once more", some.join(", ")),
            };
            diagnostics.push(
                Diagnostic::warning("KF032", index.span, message, cost)
                    .help("remove it, or declare the pattern that it is for"),
            );
        }
    }
}
