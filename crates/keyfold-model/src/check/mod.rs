//! The rules, each in a file of its own. A rule takes the resolved model and reports what breaks it.
//!
//! | code  | rule | file |
//! |-------|------|------|
//! | KF001 | the text follows the grammar | `syntax` |
//! | KF002 | every name means something | `resolve` |
//! | KF003 | no name means two things | `resolve` |
//! | KF004 | keys have the types of their attributes | `resolve` |
//! | KF010 | served: each pattern has its requests | `served` |
//! | KF011 | exact range: no neighbour bleeds in, none is missed | `exact` |
//! | KF012 | disjoint: no two items share a key | `disjoint` |
//! | KF013 | injective: different values make different keys | `injective` |
//! | KF014 | ordered: key order is the order asked for | `ordered` |
//! | KF015 | covered: an index holds what the pattern returns | `covered` |
//! | KF016 | followed: what is derived follows every change | `resolve::write` |
//! | KF018 | each key attribute has one use | `resolve::columns` |
//! | KF017 | single: a pattern that returns one item finds at most one | `single` |

pub(crate) mod covered;
mod disjoint;
pub(crate) mod exact;
mod injective;
pub(crate) mod ordered;
pub(crate) mod served;
pub(crate) mod shape;
pub(crate) mod single;

use crate::diagnostic::Diagnostic;
use crate::schema::Model;

/// The rules about keys, which need no pattern.
pub(crate) fn keys(model: &Model, spaces: &shape::Spaces, diagnostics: &mut Vec<Diagnostic>) {
    injective::check(model, spaces, diagnostics);
    disjoint::check(model, spaces, diagnostics);
}
