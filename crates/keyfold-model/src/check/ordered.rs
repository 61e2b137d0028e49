//! KF014, ordered: key order is the order the pattern asks for.
//!
//! Text order is value order only for texts of one width: times and days are, numbers when padded; a number
//! that is itself the key is ordered as a number.

use crate::schema::{Order, Type};
use crate::template::{Format, Part};

/// Why the part that varies first does not give the order; none if it does.
pub(crate) fn reason(order: Order, varying: Option<&Part>, bare: bool) -> Option<String> {
    let wanted = match order {
        Order::Newest | Order::Oldest => "a time",
        Order::Highest | Order::Lowest => "a number",
    };
    let Some(Part::Field { name, kind, format }) = varying else {
        return Some(format!("nothing varies in its sort key, so there is no order by {wanted}"));
    };
    let fits = match order {
        Order::Newest | Order::Oldest => matches!(kind, Type::Time | Type::Date),
        Order::Highest | Order::Lowest => {
            matches!(kind, Type::Int | Type::Number) && (bare || matches!(format, Format::Padded(_)))
        }
    };
    if fits {
        return None;
    }
    Some(match (order, kind) {
        (Order::Highest | Order::Lowest, Type::Int) => format!(
            "{{{name}}} is not padded, and as text 10 comes before 9; write {{{name}:010}} for up to 10 digits"
        ),
        _ => {
            format!("its sort key is ordered by {{{name}}}, a {kind}, first; the order needs {wanted} there")
        }
    })
}

/// Whether a range over this part is a range over its values.
pub(crate) fn range_reason(part: &Part, bare: bool) -> Option<String> {
    match part {
        Part::Field { name, kind: Type::Int | Type::Number, format: Format::Plain } if !bare => {
            Some(format!(
                "{{{name}}} is not padded, so a range of texts is no range of numbers; write {{{name}:010}}"
            ))
        }
        Part::Field { .. } | Part::Text(_) => None,
    }
}
