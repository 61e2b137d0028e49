//! KF016: an attribute that every write sets is in no key that stays.

use crate::diagnostic::Diagnostic;
use crate::schema::Model;

pub(crate) fn check(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    for entity in &model.entities {
        for attribute in entity.touched_attributes() {
            let name = &attribute.name;
            if !entity.identifies(name) {
                continue;
            }
            let message = format!(
                "`{name}` is part of {} of {}, and every write would change it",
                if entity.moves() { "`id`" } else { "the key" },
                entity.name
            );
            diagnostics.push(
                Diagnostic::error("KF016", attribute.span, message, "a key does not change")
                    .label(entity.key.span, "the key")
                    .help("remove `always`: the moment of its creation stays"),
            );
        }
    }
}
