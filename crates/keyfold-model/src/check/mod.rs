//! The rules, each in a file of its own with its code, its reason and examples. A rule takes the
//! resolved model and reports violations.
//!
//! Errors (KF001 to KF018) concern the statements of a model; warnings (from KF030 on) concern the
//! load of its tables. `syntax` and `resolve` check the rules about names and types (KF001 to
//! KF004, KF016, KF018); the files of these rules hold only their explanation.

mod bounded_item;
pub(crate) mod capitals;
mod compressed;
pub(crate) mod copied;
pub(crate) mod covered;
mod declared_once;
mod disjoint;
pub mod estimate;
pub(crate) mod exact;
pub(crate) mod excluded;
mod expressions;
mod filtered;
mod fits;
mod followed;
pub(crate) mod found;
mod grammar;
mod hot_partition;
mod injective;
mod kept;
mod keyless_copy;
mod known;
mod long_keys;
mod markdown;
pub(crate) mod meant;
mod never_made;
mod one_value;
pub(crate) mod ordered;
mod over_indexed;
pub(crate) mod rule;
pub mod rules;
pub(crate) mod served;
pub(crate) mod shape;
mod shared;
pub(crate) mod single;
pub(crate) mod thrown_away;
mod touched;
mod unbounded;
mod unstored;
mod unused_index;
mod up_to_now;
pub(crate) mod updatable;
pub(crate) mod used;
mod whole;
mod written_values;

use crate::diagnostic::Diagnostic;
use crate::schema::Model;

/// Checks the rules about keys, which need no pattern.
pub(crate) fn keys(model: &Model, spaces: &shape::Spaces, diagnostics: &mut Vec<Diagnostic>) {
    long_keys::check(model, spaces, diagnostics);
    injective::check(model, spaces, diagnostics);
    disjoint::check(model, spaces, diagnostics);
    updatable::check(model, diagnostics);
    expressions::check(model, diagnostics);
    compressed::check(model, diagnostics);
    touched::check(model, diagnostics);
    unstored::check(model, diagnostics);
    written_values::check(model, diagnostics);
    meant::check(model, diagnostics);
}

/// Reports the warnings of a model without errors.
pub(crate) fn warnings(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    hot_partition::check(model, diagnostics);
    unbounded::check(model, diagnostics);
    unused_index::check(model, diagnostics);
    over_indexed::check(model, diagnostics);
    filtered::check(model, diagnostics);
    bounded_item::check(model, diagnostics);
    up_to_now::check(model, diagnostics);
    never_made::check(model, diagnostics);
    keyless_copy::check(model, diagnostics);
}
