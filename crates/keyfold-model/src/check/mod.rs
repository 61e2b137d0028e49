//! The rules, each in a file of its own with its code, its reason and examples. A rule takes the
//! resolved model and reports what breaks it.
//!
//! Errors, KF001 to KF018, are about what a model says; warnings, from KF030 on, about what its
//! tables will have to bear. Rules about names and types (KF001 to KF004, KF016, KF018) are judged
//! where names get their meaning, in `syntax` and `resolve`; their files here hold the explanation.

mod bounded_item;
mod compressed;
pub(crate) mod copied;
pub(crate) mod covered;
mod declared_once;
mod disjoint;
pub mod estimate;
pub(crate) mod exact;
mod expressions;
mod filtered;
mod fits;
mod followed;
pub(crate) mod found;
mod grammar;
mod hot_partition;
mod injective;
mod known;
mod one_value;
pub(crate) mod ordered;
mod over_indexed;
pub mod rule;
pub mod rules;
pub(crate) mod served;
pub(crate) mod shape;
pub(crate) mod single;
mod unbounded;
mod unused_index;
mod up_to_now;
mod updatable;
mod written_values;

use crate::diagnostic::Diagnostic;
use crate::schema::Model;

/// The rules about keys, which need no pattern.
pub(crate) fn keys(model: &Model, spaces: &shape::Spaces, diagnostics: &mut Vec<Diagnostic>) {
    injective::check(model, spaces, diagnostics);
    disjoint::check(model, spaces, diagnostics);
    updatable::check(model, diagnostics);
    expressions::check(model, diagnostics);
    compressed::check(model, diagnostics);
    written_values::check(model, diagnostics);
}

/// The warnings, for a model without errors.
pub(crate) fn warnings(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    hot_partition::check(model, diagnostics);
    unbounded::check(model, diagnostics);
    unused_index::check(model, diagnostics);
    over_indexed::check(model, diagnostics);
    filtered::check(model, diagnostics);
    bounded_item::check(model, diagnostics);
    up_to_now::check(model, diagnostics);
}
