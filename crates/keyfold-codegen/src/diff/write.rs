//! Differences of a named write.

use super::change::{Change, Changes, Place};
use super::shape::named;
use crate::words::action_text;
use keyfold_model::schema::WriteParameter;
use keyfold_model::{Model, Write};

/// Compares a named write of the old model with that of the new.
pub(super) fn write(
    (old_model, old): (&Model, &Write),
    (new_model, new): (&Model, &Write),
    all: &mut Vec<Change>,
) {
    let (before, after) = (write_text(old_model, old), write_text(new_model, new));
    if before != after {
        Changes::of(format!("write {}", new.name), Place::New(new.span), all)
            .add_harmless(format!("{before} becomes {after}"));
    }
}

/// The parameters with the fields of their records, which a caller gives, and the actions.
fn write_text(model: &Model, write: &Write) -> String {
    let Write {
        name: _,
        span: _,
        parameters,
        actions,
    } = write;
    let parameter = |parameter: &WriteParameter| {
        let WriteParameter {
            name,
            kind,
            optional,
            // The actions show it.
            is_now: _,
        } = parameter;
        named(name, kind, *optional)
    };
    let mut parameters: Vec<String> = parameters.iter().map(parameter).collect();
    parameters.sort();
    let actions: Vec<String> = actions
        .iter()
        .map(|action| action_text(model, actions, action))
        .collect();
    format!("({}) {}", parameters.join(", "), actions.join("; "))
}
