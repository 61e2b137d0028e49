//! The attributes that an action of a write takes from elsewhere than its assignments.

use super::source;
use crate::schema::{Attribute, Entity, Verb, step};
use crate::syntax::ast::ActionDecl;

/// The attributes that an action takes: those of a new entity that it does not assign, or those of
/// the key that its `where` does not give.
pub(super) fn needed<'e>(
    declared: &'e ActionDecl,
    entity: &'e Entity,
) -> impl Iterator<Item = &'e Attribute> {
    let is_assigned = |name: &str| {
        declared
            .assignments
            .iter()
            .chain(&declared.otherwise)
            .any(|assignment| assignment.attribute.text == name)
    };
    let is_upsert = declared.verb == Verb::Upsert;
    let identity = entity.identity();
    let candidates = match declared.verb.may_create() {
        true => (0..entity.attributes.len()).collect(),
        false => identity_and_touched(entity, &identity),
    };
    let in_key = move |name: &str| identity.contains(&name);
    let candidates = candidates.into_iter().inspect(|_| step());
    let candidates = candidates.filter_map(|at| entity.attributes.get(at));
    candidates.filter(move |attribute| {
        let name = attribute.name.as_str();
        // A new item of an upsert lacks an optional attribute that the upsert does not name.
        let is_left_out = is_upsert && attribute.optional && attribute.default.is_none();
        if is_upsert && in_key(name) {
            true
        } else if attribute.is_touched() && declared.verb.changes() {
            !declared.assigns(name)
        } else if declared.verb.may_create() {
            !attribute.is_kept && !is_assigned(name) && !is_left_out
        } else {
            in_key(name) && !source::is_given(declared, name)
        }
    })
}

/// The positions of the attributes that a change of a stored item may take: those that identify it,
/// and those that every write sets. A write of an entity with many attributes names few of them.
fn identity_and_touched(entity: &Entity, identity: &[&str]) -> Vec<usize> {
    let of_identity = identity.iter().filter_map(|name| entity.position(name));
    let mut positions: Vec<usize> = of_identity.chain(entity.touched.iter().copied()).collect();
    positions.sort_unstable();
    positions.dedup();
    positions
}
