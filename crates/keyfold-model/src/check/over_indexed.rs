//! KF033, over-indexed: a write of one entity causes many others.

use super::rule::Rule;
use crate::diagnostic::Diagnostic;
use crate::schema::{Entity, Model};

pub(crate) const RULE: Rule = Rule {
    code: "KF033",
    name: "over-indexed",
    summary: "A write of one entity causes few other writes: the entity has few index keys, copies and \
        guards.",
    why: "Each index that holds an item is written with it. Each copy and each guard is one more \
        item, and makes the write a transaction, which costs twice as much. Several indexes can \
        often be one: entities share an index by different key texts, and one sort key serves \
        several patterns by prefix and by range.",
    failing: r##"model m 1
table Shop (PK, SK)
  gsi GSI1 (A1, SK)
  gsi GSI2 (A2, SK)
  gsi GSI3 (A3, SK)
  gsi GSI4 (A4, SK)
  gsi GSI5 (A5, SK)
entity User
  id: string, a: string, b: string, c: string, d: string, e: string
  key   "USER#{id}"  "USER#{id}"
  GSI1  "A#{a}"
  GSI2  "B#{b}"
  GSI3  "C#{c}"
  GSI4  "D#{d}"
  GSI5  "E#{e}"
pattern by_a(a)  -> User[]  page 20
pattern by_b(b)  -> User[]  page 20
pattern by_c(c)  -> User[]  page 20
pattern by_d(d)  -> User[]  page 20
pattern by_e(e)  -> User[]  page 20
"##,
    repaired: r##"model m 1
table Shop (PK, SK)
  gsi GSI1 (A1, SK)
  gsi GSI2 (A2, SK)
entity User
  id: string, a: string, b: string
  key   "USER#{id}"  "USER#{id}"
  GSI1  "A#{a}"
  GSI2  "B#{b}"
pattern by_a(a)  -> User[]  page 20
pattern by_b(b)  -> User[]  page 20
"##,
};

/// The largest number of index entries, copies and guards of one entity without a warning.
const FOLLOWERS_MAX: usize = 4;

pub(crate) fn check(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    for entity in &model.entities {
        let followers = entity.indexes.len() + entity.copies.len() + entity.uniques.len();
        if followers <= FOLLOWERS_MAX {
            continue;
        }
        let (sum, units) = sum(entity);
        let message = format!("one write of {} becomes {units}", entity.name);
        diagnostics.push(
            Diagnostic::warning("KF033", entity.span, message, format!("{followers} followers"))
                .note(sum)
                .help("let patterns share an index: a sort key serves several by prefix and range, and kinds share an index by different texts"),
        );
    }
}

/// The write units of a new item of up to 1 KB, with their calculation in words.
fn sum(entity: &Entity) -> (String, usize) {
    let items = 1 + entity.copies.len() + entity.uniques.len();
    let factor = if items > 1 { 2 } else { 1 };
    let units = items * factor + entity.indexes.len();
    let mut terms = vec!["1 item".to_owned()];
    if !entity.copies.is_empty() {
        terms.push(format!("{} copies", entity.copies.len()));
    }
    if !entity.uniques.is_empty() {
        terms.push(format!("{} guards", entity.uniques.len()));
    }
    let in_transaction = if factor == 2 {
        " in a transaction (x 2)"
    } else {
        ""
    };
    let text = format!(
        "{}{in_transaction}, and {} index entries: {units} write units for up to 1 KB",
        terms.join(" + "),
        entity.indexes.len()
    );
    (text, units)
}
