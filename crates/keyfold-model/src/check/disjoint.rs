//! KF012, disjoint: no two items of different kinds share a key.
//!
//! Decided on languages: two kinds collide when both their partition keys and their sort keys meet.

use super::shape::{Shape, Space, shapes};
use crate::diagnostic::Diagnostic;
use crate::schema::Model;

pub(crate) fn check(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    for (at, table) in model.tables.iter().enumerate() {
        let shapes = shapes(model, at, Space::Table);
        for (place, two) in shapes.iter().enumerate() {
            for one in shapes.iter().take(place) {
                diagnostics.extend(collision(one, two, &table.delimiters));
            }
        }
    }
}

fn collision(one: &Shape, two: &Shape, delimiters: &[char]) -> Option<Diagnostic> {
    let partition = one.partition(delimiters).meet(&two.partition(delimiters))?;
    let sort = one.sort(delimiters).meet(&two.sort(delimiters))?;
    let message = format!("{} and {} can have the same key", one.what, two.what);
    Some(
        Diagnostic::error("KF012", two.span, message, format!("this can make \"{partition}\" \"{sort}\""))
            .label(one.span, "and so can this")
            .note("an item of one kind would overwrite an item of the other")
            .help(format!(
                "start one of the keys with a text of its own, like \"{}#…\"",
                two.what.to_uppercase()
            )),
    )
}
