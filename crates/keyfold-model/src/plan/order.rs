//! The direction in which a plan reads its keys.

use crate::check::ordered;
use crate::schema::Pattern;
use crate::template::Part;

/// The direction of a plan and the attribute that orders it.
pub(super) struct Direction {
    /// Whether the request reads keys in descending order.
    pub(super) descending: bool,
    /// The attribute that the pattern orders by; `None` if the pattern asks for no order.
    pub(super) ordered_by: Option<String>,
    /// Whether the template of that attribute reverses the order of its values.
    pub(super) is_reversed: bool,
}

impl Direction {
    /// The direction that gives the pattern its order. `varying` is the part of the key that
    /// varies first in what is read.
    pub(super) fn new(pattern: &Pattern, varying: Option<&Part>) -> Direction {
        let is_reversed =
            matches!(varying, Some(Part::Field { format, .. }) if format.is_reversed());
        let order = pattern.order.as_ref();
        let asks_descending = order.is_some_and(|order| order.order.is_descending());
        Direction {
            descending: asks_descending != (is_reversed && pattern.order.is_some()),
            ordered_by: pattern.order.as_ref().and(ordered::field(varying)),
            is_reversed,
        }
    }
}
