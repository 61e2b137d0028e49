//! KF011, exact range: a pattern's key range holds the items it promises, all of them and no others.
//!
//! Decided on languages: for every other kind of item in the same key space, its partition keys and its
//! sort keys must not both meet the range.

use super::shape::{Owner, Space, Spaces};
use crate::diagnostic::Diagnostic;
use crate::language::Language;
use crate::schema::Pattern;

/// The keys a pattern reads.
pub(crate) struct Range {
    pub(crate) partition: Language,
    pub(crate) sort: Language,
}

/// Reports a kind of item that is in the range but not in the result.
pub(crate) fn check(
    spaces: &Spaces,
    pattern: &Pattern,
    table: usize,
    space: Space,
    range: &Range,
    members: &[Owner],
) -> Option<Diagnostic> {
    for shape in spaces.shapes(table, space) {
        if members.contains(&shape.owner) {
            continue;
        }
        let Some(partition) = shape.partition.meet(&range.partition) else { continue };
        let Some(sort) = shape.sort.meet(&range.sort) else { continue };
        let message = format!("the range of {} also holds {}", pattern.name, shape.what);
        return Some(
            Diagnostic::error("KF011", pattern.span, message, "would return more than it promises")
                .label(shape.span, format!("this can make \"{partition}\" \"{sort}\", which is in the range"))
                .note(
                    "the answer would contain items of another kind, and its pages would be filled with them",
                )
                .help(format!(
                    "give the sort keys of the two kinds different first texts, or return {} too",
                    shape.what
                )),
        );
    }
    None
}
