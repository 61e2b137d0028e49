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
    if *format == Format::Day {
        return Some(format!(
            "{{{name}:date}} keeps only the day, so times of one day are in no order; use {{{name}}}"
        ));
    }
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

/// Why a range over this part's texts is no range over its values; none if it is one.
pub(crate) fn range_reason(part: &Part, is_last: bool, bare: bool) -> Option<String> {
    match part {
        Part::Field { name, format: Format::Day, .. } => Some(format!(
            "{{{name}:date}} keeps only the day, so a range of times would hold others of its first and last day"
        )),
        Part::Field { name, kind: Type::Int | Type::Number, format: Format::Plain } if !bare => {
            Some(format!(
                "{{{name}}} is not padded, so a range of texts is no range of numbers; write {{{name}:010}}"
            ))
        }
        Part::Field { name, .. } if !part.is_fixed_width() && !is_last && !bare => Some(format!(
            "{{{name}}} has no fixed width and parts follow it, so texts that only begin like an end of the range would be in it"
        )),
        Part::Field { .. } | Part::Text(_) => None,
    }
}
