//! KF012, disjoint: no two items of different kinds share a key.
//!
//! The check compares languages: two kinds collide if both their partition keys and their sort keys
//! have a text in common.

use super::exact::quote;
use super::rule::Rule;
use super::shape::{Shape, Space, Spaces};
use crate::diagnostic::{Diagnostic, Edit};
use crate::schema::Model;

pub(crate) const RULE: Rule = Rule {
    code: "KF012",
    name: "disjoint",
    summary: "No two items of different kinds can have the same key. Copies and the guards of unique \
        values are kinds too.",
    why: "A table holds one item for each key. If an Order and an Invoice can make the same key, \
        writing one silently overwrites the other. The compiler compares the sets of keys that \
        the templates can make, and shows a key that is in both.",
    failing: r##"model m 1
table Shop (PK, SK)
entity Order
  id: string
  key  "SALE#{id}"  "META"
entity Refund
  id: string
  key  "SALE#{id}"  "META"
"##,
    repaired: r##"model m 1
table Shop (PK, SK)
entity Order
  id: string
  key  "SALE#{id}"  "ORDER"
entity Refund
  id: string
  key  "SALE#{id}"  "REFUND"
"##,
};

pub(crate) fn check(model: &Model, spaces: &Spaces, diagnostics: &mut Vec<Diagnostic>) {
    for at in 0..model.tables.len() {
        let shapes = spaces.shapes(at, Space::Table);
        for (place, two) in shapes.iter().enumerate() {
            let near = spaces.near(at, Space::Table, &two.partition, &two.sort);
            let before = near.into_iter().take_while(|other| *other < place);
            // One report for each kind is enough: a repair changes the key of one kind.
            diagnostics.extend(
                before
                    .filter_map(|other| shapes.get(other))
                    .find_map(|one| collision(one, two)),
            );
        }
    }
}

/// Reports two kinds that can have the same key.
fn collision(one: &Shape, two: &Shape) -> Option<Diagnostic> {
    let partition = one.partition.common_text(&two.partition)?;
    let sort = one.sort.common_text(&two.sort)?;
    let message = format!("{} and {} can have the same key", one.what, two.what);
    Some(
        Diagnostic::error(
            "KF012",
            two.span,
            message,
            format!("this can make {} {}", quote(&partition), quote(&sort)),
        )
        .label(one.span, "and so can this")
        .note("an item of one kind would overwrite an item of the other")
        .help(format!(
            "start one of the keys with a text of its own, like \"{}#…\"",
            two.what.to_uppercase()
        ))
        .repair(repair(two)),
    )
}

/// Puts the name of the second kind in front of its sort key, so that it stays in its collection.
/// If the sort key has no quotes to put it into, the name goes in front of the partition key.
fn repair(shape: &Shape) -> Vec<Edit> {
    let name = shape.what.to_uppercase().replace('.', "-");
    let templates = shape.key.sort.iter().chain([&shape.key.partition]);
    let Some(template) = templates.into_iter().find(|template| !template.is_bare()) else {
        return Vec::new();
    };
    if shape.owner.is_guard {
        return Vec::new();
    }
    vec![Edit::insert(template.span.start + 1, format!("{name}#"))]
}
