//! KF012, disjoint: no two items of different kinds share a key.
//!
//! Decided on languages: two kinds collide when both their partition keys and their sort keys meet.

use super::shape::{Shape, Space, Spaces};
use crate::diagnostic::Diagnostic;
use crate::schema::Model;

pub(crate) fn check(model: &Model, spaces: &Spaces, diagnostics: &mut Vec<Diagnostic>) {
    for at in 0..model.tables.len() {
        let shapes = spaces.shapes(at, Space::Table);
        for (place, two) in shapes.iter().enumerate() {
            for one in shapes.iter().take(place) {
                diagnostics.extend(collision(one, two));
            }
        }
    }
}

fn collision(one: &Shape, two: &Shape) -> Option<Diagnostic> {
    let partition = one.partition.meet(&two.partition)?;
    let sort = one.sort.meet(&two.sort)?;
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
