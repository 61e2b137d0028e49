//! KF010 and KF016: the filters and projections of a pattern and the changes and conditions of a
//! named write fit into expressions.
//!
//! DynamoDB takes expressions of at most 4 KB and 300 operators. The checks use the longest
//! expressions that the client can write; models written by hand stay far below these limits.

use crate::diagnostic::{Diagnostic, Span};
use crate::schema::{Action, Model, Pattern, Verb, Write};
use keyfold_types::limits::{EXPRESSION_BYTES_MAX, EXPRESSION_OPERATORS_MAX};

/// Bytes of `begins_with(#n100, :v100) AND `, the longest comparison except that of absence.
const COMPARISON_BYTES: usize = 31;
/// Bytes of `#n1000, `.
const NAME_BYTES: usize = 8;
/// Bytes of `#n100 = list_append(if_not_exists(#n100, :v100), :v100), `, the longest change.
const SUM_BYTES: usize = 57;
/// Bytes of `#n100 = :v100, `.
pub(super) const CHANGE_BYTES: usize = 15;
/// Comparisons and names that the client adds: the keys, the kind and the version of an item.
const ADDED: usize = 12;

pub(crate) fn check(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.extend(model.patterns.iter().filter_map(filter));
    diagnostics.extend(model.patterns.iter().filter_map(projection));
    for write in &model.writes {
        diagnostics.extend(
            write
                .actions
                .iter()
                .filter_map(|action| action_of(write, action)),
        );
    }
}

/// The report that an expression would be too long.
fn too_long(code: &'static str, span: Span, what: String) -> Diagnostic {
    Diagnostic::error(code, span, what, "no request could hold it").note(format!(
        "an expression has at most {EXPRESSION_BYTES_MAX} bytes and {EXPRESSION_OPERATORS_MAX} operators"
    ))
}

/// Whether an expression cannot hold this number of comparisons, joined by AND. The limit of bytes
/// is lower than that of operators.
fn are_too_many(comparisons: usize) -> bool {
    comparisons * COMPARISON_BYTES > EXPRESSION_BYTES_MAX
}

const _: () = assert!(2 * (EXPRESSION_BYTES_MAX / COMPARISON_BYTES) < EXPRESSION_OPERATORS_MAX);
const _: () = assert!(EXPRESSION_BYTES_MAX / CHANGE_BYTES < EXPRESSION_OPERATORS_MAX);

/// Checks the number of filters of a pattern.
fn filter(pattern: &Pattern) -> Option<Diagnostic> {
    let count = pattern.filters.len();
    are_too_many(count + ADDED).then(|| {
        let message = format!(
            "{} has {count} filters, more than an expression holds",
            pattern.name
        );
        too_long("KF010", pattern.span, message)
            .help("ask several patterns, or filter what is read yourself")
    })
}

/// Checks the number of attributes that a pattern returns.
fn projection(pattern: &Pattern) -> Option<Diagnostic> {
    let count = pattern.only.len();
    ((count + ADDED) * NAME_BYTES > EXPRESSION_BYTES_MAX).then(|| {
        let message = format!(
            "{} returns only {count} attributes, more than an expression names",
            pattern.name
        );
        too_long("KF010", pattern.span, message)
            .help("leave `only` away, which returns whole items, or put attributes into a record")
    })
}

/// Checks the changes and the conditions of an action.
fn action_of(write: &Write, action: &Action) -> Option<Diagnostic> {
    if action.verb == Verb::Update {
        let change = |is_sum: bool| if is_sum { SUM_BYTES } else { CHANGE_BYTES };
        let set = action
            .assignments
            .iter()
            .map(|one| change(one.right.is_some()))
            .sum::<usize>();
        let bytes = set + (action.removed.len() + ADDED) * NAME_BYTES;
        if bytes > EXPRESSION_BYTES_MAX {
            let count = action.assignments.len() + action.removed.len();
            let message = format!(
                "{} changes {count} attributes, more than an expression holds",
                write.name
            );
            return Some(
                too_long("KF016", write.span, message)
                    .help("put attributes that belong together into a record"),
            );
        }
    }
    let count = action.conditions.len();
    are_too_many(count + ADDED).then(|| {
        let message = format!(
            "{} asks for {count} conditions, more than an expression holds",
            write.name
        );
        too_long("KF016", write.span, message)
            .help("put attributes that belong together into a record")
    })
}
