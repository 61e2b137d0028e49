//! Whether a condition holds for each item that an aggregate counts: such an item has its
//! references, the value that is compared, what its entity requires, and the fixed value of the
//! aggregate's condition.

use crate::schema::{
    Aggregate, Attribute, Comparator, Comparison, Condition, Entity, Measure, Operand,
};
use crate::value;

/// Whether a condition holds for all counted items.
pub(super) fn holds(condition: &Condition, aggregate: &Aggregate, child: &Entity) -> bool {
    decided(condition, aggregate, child) == Some(true)
}

/// Whether a condition holds for all counted items, or for none; `None` where it may differ.
fn decided(condition: &Condition, aggregate: &Aggregate, child: &Entity) -> Option<bool> {
    let of_member = |member: &Condition| decided(member, aggregate, child);
    match condition {
        Condition::Is(comparison) => compared(comparison, aggregate, child),
        Condition::Not(member) => of_member(member).map(|holds| !holds),
        Condition::All(members) => joined(members.iter().map(of_member), false),
        Condition::Any(members) => joined(members.iter().map(of_member), true),
    }
}

/// The result of members of which one that is `decisive` decides.
fn joined(members: impl Iterator<Item = Option<bool>>, decisive: bool) -> Option<bool> {
    let mut joined = Some(!decisive);
    for member in members {
        if member == Some(decisive) {
            return member;
        }
        joined = joined.and(member);
    }
    joined
}

fn compared(comparison: &Comparison, aggregate: &Aggregate, child: &Entity) -> Option<bool> {
    let name = &comparison.attribute;
    if comparison.measure != Measure::Value || !comparison.fields.is_empty() {
        return None;
    }
    let fixed = aggregate.condition.as_ref();
    let fixed = fixed.filter(|(attribute, _)| attribute == name);
    // What `in` compares with the fixed value; an attribute may have it, too.
    let equal = |operand: &Operand| match operand {
        Operand::Literal(held) => fixed.map(|(_, text)| value::display(held) == *text),
        Operand::Attribute(_) | Operand::Parameter(_) | Operand::Lent(_) => None,
    };
    let is_one = || joined(comparison.operands.iter().map(equal), true);
    match comparison.comparator {
        Comparator::Exists => has(name, aggregate, child).then_some(true),
        Comparator::Missing => has(name, aggregate, child).then_some(false),
        Comparator::Equal | Comparator::In => is_one(),
        Comparator::Unequal => is_one().map(|is_equal| !is_equal),
        Comparator::Less
        | Comparator::AtMost
        | Comparator::Greater
        | Comparator::AtLeast
        | Comparator::Contains
        | Comparator::Starts
        | Comparator::Within => None,
    }
}

/// Whether each counted item has an attribute.
fn has(name: &str, aggregate: &Aggregate, child: &Entity) -> bool {
    let fixed = aggregate.condition.iter().map(|(attribute, _)| attribute);
    let links = aggregate.link.iter().map(|(_, own)| own);
    let is_required = |found: &Attribute| !found.optional;
    links
        .chain(&aggregate.of)
        .chain(fixed)
        .any(|one| one == name)
        || child.attribute(name).is_some_and(is_required)
}
