//! A kind of items, which becomes an entity.

use super::shape::Shape;
use keyfold_types::Item;

/// Items that become one entity.
pub(super) struct Kind<'i> {
    /// The value of their type attribute.
    pub(super) name: Option<String>,
    /// The shape of each attribute of their key.
    pub(super) shapes: Vec<Shape>,
    /// The items.
    pub(super) items: Vec<&'i Item>,
}

/// What tells a kind from the others: its name and the shapes of its keys.
pub(super) type KindKey = (Option<String>, Vec<Shape>);
