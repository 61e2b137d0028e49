//! Where an item has its attributes: beside its keys, or in them only.

use crate::schema::Entity;
use crate::value;

/// Whether an attribute is stored beside the keys, under its own name.
pub(super) fn is_stored(entity: &Entity, name: &str) -> bool {
    let mut copies = entity
        .copies
        .iter()
        .filter(|copy| copy.attributes.iter().any(|own| own == name));
    !value::is_left_out(entity, &entity.key, name)
        || copies.any(|copy| !value::is_left_out(entity, &copy.key, name))
}
