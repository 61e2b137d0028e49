//! KF017, single: a pattern that returns one item finds at most one.
//!
//! A table's key is unique; an index key is not. It identifies an item only if it contains the attributes
//! of the item's own key, or an attribute declared `unique`.

use crate::diagnostic::Diagnostic;
use crate::schema::{Entity, KeyPair, Pattern};

pub(crate) fn check(pattern: &Pattern, entity: &Entity, key: &KeyPair, index: &str) -> Option<Diagnostic> {
    let has = |name: &str| key.fields().any(|field| field == name);
    let is_bound = |name: &str| {
        pattern.parameters.iter().any(|parameter| parameter.attribute == name)
            || pattern.fixed.iter().any(|(attribute, _)| attribute == name)
    };
    let identified = entity.key.fields().all(|field| has(field) && is_bound(field));
    let unique = entity.uniques.iter().any(|unique| has(unique) && is_bound(unique));
    if identified || unique {
        return None;
    }
    let first = key.fields().find(|field| is_bound(field)).unwrap_or("id").to_owned();
    let message = format!("{} promises one {}, and {index} may hold several", pattern.name, entity.name);
    Some(
        Diagnostic::error("KF017", pattern.span, message, "returns one item")
            .label(key.span, "an index does not keep its keys unique")
            .help(format!("declare `unique {first}` in {}, so that no two items share it", entity.name))
            .help(format!("or return all of them: `-> {}[]`", entity.name)),
    )
}
