//! KF015, covered: an index holds every attribute that a pattern returns.

use crate::diagnostic::Diagnostic;
use crate::schema::{Entity, Index, Pattern, Projection};

pub(crate) fn check(pattern: &Pattern, entity: &Entity, index: &Index) -> Option<Diagnostic> {
    let held: &[String] = match &index.projection {
        Projection::All => return None,
        Projection::Keys => &[],
        Projection::Only(names) => names,
    };
    let missing: Vec<&str> = entity
        .attributes
        .iter()
        .map(|attribute| attribute.name.as_str())
        .filter(|name| !held.iter().any(|held| held == name))
        .collect();
    if missing.is_empty() {
        return None;
    }
    let message = format!(
        "{} returns attributes that {} does not hold: {}",
        pattern.name,
        index.name,
        missing.join(", ")
    );
    Some(
        Diagnostic::error("KF015", pattern.span, message, format!("returns whole {} items", entity.name))
            .label(index.span, "projects fewer attributes")
            .note("an index answers what it projects; the rest would be missing from the answer")
            .help(format!("project them: `project ({})`, or `project all`", {
                let mut all: Vec<&str> = held.iter().map(String::as_str).collect();
                all.extend(missing);
                all.join(", ")
            })),
    )
}
