//! KF011, exact: a filter never throws away an item that the answer must have. In `User + Order[]` a
//! user that a filter drops could not be told from a user who does not exist.

use crate::diagnostic::{Diagnostic, Edit};
use crate::schema::{Comparison, Condition, Measure, Model, Operand, Pattern, Returned};
use keyfold_types::Value;

/// Reports the required items of a collection that its filter may throw away.
pub(crate) fn check(model: &Model, pattern: &Pattern) -> Vec<Diagnostic> {
    if pattern.returned.len() < 2 {
        return Vec::new();
    }
    let required = pattern
        .returned
        .iter()
        .filter(|one| !one.many && !one.optional);
    required
        .filter_map(|one| thrown_away(model, pattern, one))
        .collect()
}

fn thrown_away(model: &Model, pattern: &Pattern, returned: &Returned) -> Option<Diagnostic> {
    let entity = model.entities.get(returned.entity)?;
    let kind = entity.kind_of(returned.copy);
    let filter = pattern
        .filters
        .iter()
        .find(|filter| keeps(filter, &kind) != Some(true))?;
    let name = model.name_of(returned);
    let message = format!(
        "{} promises one {name}, and its filter may throw it away",
        pattern.name
    );
    let diagnostic = Diagnostic::error("KF011", filter.span(), message, "judged after reading")
        .label(returned.span, "without `?` or `[]`: always in the answer")
        .note("an item that was thrown away looks like one that does not exist")
        .help(format!(
            "let it be absent where the filter throws it away: `{name}?`"
        ))
        .offer(vec![Edit::insert(returned.span.end, "?")]);
    let has_kinds = model
        .tables
        .get(entity.table)
        .is_some_and(|table| table.type_attribute.is_some());
    Some(if has_kinds && returned.copy.is_none() {
        diagnostic.help(format!(
            "or keep it: `filter kind = {} or {filter}`",
            entity.name
        ))
    } else {
        diagnostic
    })
}

/// Whether a condition holds for every item of a kind; `None` where attributes decide.
fn keeps(condition: &Condition, kind: &str) -> Option<bool> {
    match condition {
        Condition::Is(comparison) => names_kind(comparison, kind),
        Condition::Not(member) => keeps(member, kind).map(|keeps| !keeps),
        Condition::All(members) => joined(members, kind, false),
        Condition::Any(members) => joined(members, kind, true),
    }
}

/// Whether members hold together: one that is `decisive` decides, and all others must be known.
fn joined(members: &[Condition], kind: &str, decisive: bool) -> Option<bool> {
    let all: Vec<Option<bool>> = members.iter().map(|one| keeps(one, kind)).collect();
    if all.contains(&Some(decisive)) {
        return Some(decisive);
    }
    all.iter().all(Option::is_some).then_some(!decisive)
}

fn names_kind(comparison: &Comparison, kind: &str) -> Option<bool> {
    let is_it = |operand: &Operand| match operand {
        Operand::Literal(Value::S(text)) => text == kind,
        Operand::Literal(_) | Operand::Parameter(_) | Operand::Attribute(_) | Operand::Lent(_) => {
            false
        }
    };
    (comparison.measure == Measure::Kind).then(|| comparison.operands.iter().any(is_it))
}
