//! The rules that need a plan: exact, covered, single, and whether an index can be read strongly.

use super::range;
use crate::check::found::Found;
use crate::check::shape::{Space, Spaces, copy_key_in};
use crate::check::{copied, covered, exact, single};
use crate::diagnostic::Diagnostic;
use crate::schema::{Fan, Index, IndexKind, Model, Pattern, PatternPlan};

/// Reports everything in which a plan breaks its pattern's promise.
pub(super) fn judge(
    model: &Model,
    spaces: &Spaces,
    pattern: &Pattern,
    found: &Found,
    diagnostics: &mut Vec<Diagnostic>,
) {
    diagnostics.extend(named_as_periods(pattern, &found.plan));
    diagnostics.extend(range::exact(model, spaces, pattern, found));
    diagnostics.extend(exact::check_parts(model, spaces, pattern, found));
    let Some(table) = model.tables.get(found.table) else {
        return;
    };
    for returned in &pattern.returned {
        if let Some(entity) = model.entities.get(returned.entity)
            && let Some(copy) = returned.copy.and_then(|at| entity.copies.get(at))
        {
            diagnostics.extend(copied::check(pattern, &found.plan, table, entity, copy));
        }
    }
    let Space::Index(at) = found.space else {
        return;
    };
    let Some(index) = table.indexes.get(at) else {
        return;
    };
    diagnostics.extend(strong(pattern, index));
    // The table's key gives the kinds that come beside the range.
    let is_beside = |place: usize| found.plan.beside.iter().any(|(at, _)| *at == place);
    let returned = pattern.returned.iter().enumerate();
    for (_, returned) in returned.filter(|(place, _)| !is_beside(*place)) {
        let Some(entity) = model.entities.get(returned.entity) else {
            continue;
        };
        let copy = returned.copy.and_then(|at| entity.copies.get(at));
        diagnostics.extend(covered::check(pattern, table, entity, copy, index));
        let key = match copy {
            Some(copy) => copy_key_in(table, entity, copy, index),
            None => entity
                .indexes
                .iter()
                .find(|key| key.index == at)
                .map(|key| key.key.clone()),
        };
        if let (false, Some(key)) = (returned.many, key) {
            diagnostics.extend(single::check(pattern, entity, &key, &index.name));
        }
    }
}

/// Reports a parameter with the name of the attribute whose periods are read: the request for each
/// of them has its period under this name.
fn named_as_periods(pattern: &Pattern, plan: &PatternPlan) -> Option<Diagnostic> {
    let Fan::Periods {
        unit, attribute, ..
    } = &plan.fan
    else {
        return None;
    };
    let mut others = pattern.parameters.iter();
    let other = others.find(|one| one.name == *attribute && one.attribute != *attribute)?;
    let message = format!(
        "the parameter `{attribute}` has the name of an attribute that {} reads one {unit} after the other",
        pattern.name
    );
    let label = "two things of one name";
    Some(
        Diagnostic::error("KF003", other.span, message, label)
            .help("give the parameter another name"),
    )
}

/// Reports a strong read of a global index.
fn strong(pattern: &Pattern, index: &Index) -> Option<Diagnostic> {
    let span = pattern.strong?;
    if index.kind != IndexKind::Global {
        return None;
    }
    let message = format!(
        "{} is served by {}, a global index",
        pattern.name, index.name
    );
    Some(
        Diagnostic::error("KF010", span, message, "cannot be strong")
            .label(index.span, "global indexes are read eventually")
            .help("remove `strong`, or serve the pattern from the table's own key (a `copy`)"),
    )
}
