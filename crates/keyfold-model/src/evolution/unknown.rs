//! Former names that the old model does not have. Passed over, a misspelt one would delete what it means.
//!
//! A former name may stay in the model when its change is over: the old model then has the new name already.

use super::change::{Change, Class, Place, Verdict, Verdicts};
use super::collect::Collect;
use super::pair::{Pair, of_new, of_old, title};
use crate::near::nearest;
use crate::schema::{Attribute, Entity, Model};

/// Reports the former names of entities that the old model does not have.
pub(super) fn entities(old: &Model, new: &Model, all: &mut Collect<'_>) {
    let gone = |one: &&Entity| of_old(&all.pairs, &one.name).next().is_none();
    let gone: Vec<&str> = old
        .entities
        .iter()
        .filter(gone)
        .map(|one| one.name.as_str())
        .collect();
    for entity in &new.entities {
        let is_over = old.entity(&entity.name).is_some();
        for was in entity.was.iter().filter(|was| old.entity(was).is_none()) {
            let near = nearest(was, gone.iter().copied());
            if !is_over || !near.is_empty() {
                all.add(unknown(entity, was, near.first().copied()));
            }
        }
    }
}

fn unknown(entity: &Entity, was: &str, near: Option<&str>) -> Change {
    let meant = near.map_or_else(String::new, |one| format!(": it has `{one}`"));
    let reason = format!("the old version has no entity `{was}`{meant}");
    Change {
        what: title(entity),
        how: format!("was `{was}`"),
        place: Place::New(entity.span),
        class: Class::Impossible,
        verdicts: Verdicts::none(&Verdict::no(reason.clone())),
        reason,
        help: Some(format!(
            "write the name that it has in the old version, or take `{was}` out where no items were of it"
        )),
        entities: vec![entity.name.clone()],
        tables: Vec::new(),
        work: Vec::new(),
    }
}

/// Why an attribute that the old entity does not have gets nothing, where it is said to have been one that no entity
/// of the old model has whose items are now of this one.
pub(super) fn attribute(pair: &Pair<'_>, two: &Attribute, all: &Collect<'_>) -> Option<String> {
    let is_unknown = |was: &&String| {
        let mut pairs = of_new(&all.pairs, &pair.new.name);
        pairs.all(|one| one.old.attribute(was).is_none())
    };
    let was = two.was.iter().find(is_unknown)?;
    pair.known(was).err()
}
