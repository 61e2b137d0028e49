//! KF015, covered: a copy holds every attribute that a pattern returns, filters or asks for.

use crate::diagnostic::Diagnostic;
use crate::schema::{Condition, Copy, Entity, Pattern, PatternPlan, Table};

/// Reports attributes that a pattern needs and that the returned copy does not hold.
pub(crate) fn check(
    pattern: &Pattern,
    plan: &PatternPlan,
    table: &Table,
    entity: &Entity,
    copy: &Copy,
) -> Option<Diagnostic> {
    let filtered = plan.filters.iter().flat_map(Condition::attributes);
    let is_held = |name: &str| {
        let mut key = std::iter::once(&table.partition).chain(&table.sort);
        copy.attributes.iter().any(|held| held == name)
            || key.any(|column| column.name == name)
            || table.type_attribute.as_deref() == Some(name)
    };
    let mut missing: Vec<&str> = pattern
        .only
        .iter()
        .map(String::as_str)
        .chain(filtered)
        .filter(|name| !is_held(name))
        .collect();
    missing.sort_unstable();
    missing.dedup();
    if missing.is_empty() {
        return None;
    }
    let message = format!(
        "{} needs attributes that the copy {}.{} does not hold: {}",
        pattern.name,
        entity.name,
        copy.name,
        missing.join(", ")
    );
    let held: Vec<&str> = copy
        .attributes
        .iter()
        .map(String::as_str)
        .chain(missing.iter().copied())
        .collect();
    Some(
        Diagnostic::error("KF015", pattern.span, message, "asks the copy for them")
            .label(copy.span, "holds fewer")
            .help(format!(
                "copy them: `only {}`, or return {} itself",
                held.join(", "),
                entity.name
            )),
    )
}
