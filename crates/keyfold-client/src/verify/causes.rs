//! Keys that cannot be made of an item's values. A value that is too long for one key of an item may
//! be so for its index keys, copies and guards, too: that is one cause, and one finding.

use super::finding::{FindingKind, ModelLine};
use crate::kinds::Role;
use keyfold_lower::ClientError;
use keyfold_lower::arguments::Values;
use keyfold_model::value;

/// A key of an index, a copy or a guard that an item should have and that no write could store.
pub(super) struct Unmade {
    pub(super) kind: FindingKind,
    pub(super) line: ModelLine,
    pub(super) message: String,
    /// What cannot be stored: `GSI1`, `copy by_email`, `unique email`.
    pub(super) what: String,
    /// The attribute whose value is the cause, where one is.
    pub(super) cause: Option<String>,
    /// The copy or guard, of which another one may be stored for the item.
    pub(super) role: Option<Role>,
}

/// The attribute whose value keeps a key from being made. Of a key that is too long it is the one with
/// the longest text.
pub(super) fn cause_of(error: &ClientError, values: &Values) -> Option<String> {
    let ClientError::Value(error) = error else {
        return None;
    };
    let length = |name: &&str| values.get(*name).map(|held| value::display(held).len());
    let names = error.name().split(", ");
    names.max_by_key(length).map(str::to_owned)
}

/// One for each cause, the first: it names the others.
pub(super) fn by_cause(all: Vec<Unmade>) -> Vec<Unmade> {
    let mut found: Vec<(Unmade, Vec<String>)> = Vec::new();
    for one in all {
        let same = found
            .iter_mut()
            .find(|(first, _)| one.cause.is_some() && first.cause == one.cause);
        match same {
            Some((_, others)) => others.push(one.what),
            None => found.push((one, Vec::new())),
        }
    }
    let named = found.into_iter().map(|(mut first, others)| {
        if !others.is_empty() {
            let others = others.join(", ");
            first.message = format!("{}; the same value keeps it from {others}", first.message);
        }
        first
    });
    named.collect()
}
