//! The settings of a table: capacity, stream, recovery, protection, class and tags.

use super::names::distinct;
use crate::diagnostic::{Diagnostic, Span};
use crate::schema::{Capacity, IndexKind, Settings, Units};
use crate::syntax::ast::{CapacityDecl, IndexDecl, Name, SettingsDecl, TableDecl};
use keyfold_types::limits::{
    SCALING_TARGET_PERCENT, TAG_KEY_CHARS_MAX, TAG_VALUE_CHARS_MAX, TAGS_MAX, is_tag_text,
};

/// The use at which units scale if a model does not say it.
const TARGET: u64 = 70;

/// Resolves the settings of a table. Faulty tags are reported and left out.
pub(super) fn resolve(declared: &SettingsDecl, diagnostics: &mut Vec<Diagnostic>) -> Settings {
    let SettingsDecl {
        stream,
        recovery,
        deletion_protection,
        class,
        tags,
        // The parser has checked it.
        said: _,
    } = declared;
    distinct("tag", tags.iter().map(|(key, _)| key), diagnostics);
    if let Some((extra, _)) = tags.get(TAGS_MAX) {
        let message = format!("a table has at most {TAGS_MAX} tags");
        let label = format!("this is number {}", TAGS_MAX + 1);
        diagnostics.push(
            Diagnostic::error("KF004", extra.span, message, label).help("remove some of them"),
        );
    }
    let mut kept = Vec::new();
    for (key, value) in tags {
        let wrong = wrong_tag(key, value);
        if wrong.is_none() {
            kept.push((key.text.clone(), value.text.clone()));
        }
        diagnostics.extend(wrong);
    }
    kept.sort();
    Settings {
        stream: *stream,
        recovery: *recovery,
        deletion_protection: *deletion_protection,
        class: *class,
        tags: kept,
    }
}

/// The error about a tag that DynamoDB refuses.
fn wrong_tag(key: &Name, value: &Name) -> Option<Diagnostic> {
    let refused = |name: &Name, message: String, help: &str| {
        Some(Diagnostic::error("KF004", name.span, message, "DynamoDB refuses it").help(help))
    };
    if key.text.starts_with("aws:") {
        let message = format!("the tag `{}` begins with `aws:`, which AWS keeps", key.text);
        return refused(key, message, "give it another name");
    }
    let parts = [
        (key, "key", 1, TAG_KEY_CHARS_MAX),
        (value, "value", 0, TAG_VALUE_CHARS_MAX),
    ];
    for (name, what, least, most) in parts {
        let count = name.text.chars().count();
        if !(least..=most).contains(&count) {
            let message =
                format!("the {what} of a tag has {least} to {most} characters; this has {count}");
            return refused(name, message, "make it fit");
        }
        if let Some(other) = name.text.chars().find(|c| !is_tag_text(*c)) {
            let message = format!("the {what} of a tag does not take `{other}`");
            return refused(name, message, "write letters, digits, spaces and _.:/=+-@");
        }
    }
    None
}

/// The capacity of the tables of past periods, which does not scale.
pub(super) fn cooled(declared: &TableDecl, diagnostics: &mut Vec<Diagnostic>) -> Option<Capacity> {
    let cooled = capacity(declared.cooled.as_ref(), diagnostics)?;
    if cooled.scales() {
        let span = declared.cooled.map_or(declared.name.span, |one| one.span);
        let message = "the capacity of past periods has no bounds to scale between";
        diagnostics.push(
            Diagnostic::error(
                "KF004",
                span,
                message,
                "bounds are exported for present tables only",
            )
            .help("write one number of reads and one of writes, or `on demand`"),
        );
        return None;
    }
    Some(cooled)
}

/// The capacity of an index in a table with this one.
pub(super) fn of_index(
    declared: &IndexDecl,
    table: Option<Capacity>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Capacity> {
    let span = declared.capacity?.span;
    let own = capacity(declared.capacity.as_ref(), diagnostics)?;
    let (message, help) = match (declared.kind, table, own) {
        (IndexKind::Local, _, _) => (
            "a local index has no capacity of its own",
            "remove it: the table's capacity serves a local index",
        ),
        (IndexKind::Global, None | Some(Capacity::OnDemand), Capacity::Provisioned { .. }) => (
            "an index of a table on demand is on demand",
            "remove it, or give the table provisioned capacity: `capacity 5 read 5 write`",
        ),
        (IndexKind::Global, Some(Capacity::Provisioned { .. }), Capacity::OnDemand) => (
            "an index of a table with provisioned capacity is provisioned",
            "write units, like `capacity 5 read 5 write`",
        ),
        (IndexKind::Global, None | Some(Capacity::OnDemand), Capacity::OnDemand)
        | (IndexKind::Global, Some(Capacity::Provisioned { .. }), Capacity::Provisioned { .. }) => {
            return Some(own);
        }
    };
    let label = "DynamoDB refuses the table";
    diagnostics.push(Diagnostic::error("KF004", span, message, label).help(help));
    None
}

/// A declared capacity within its limits, with the target of autoscaling if it scales.
pub(super) fn capacity(
    declared: Option<&CapacityDecl>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Capacity> {
    let CapacityDecl { capacity, span } = *declared?;
    let Capacity::Provisioned {
        reads,
        writes,
        target,
    } = capacity
    else {
        return Some(capacity);
    };
    for units in [reads, writes] {
        diagnostics.extend(wrong_units(units, span));
    }
    diagnostics.extend(wrong_target(target, capacity, span));
    Some(Capacity::Provisioned {
        reads,
        writes,
        target: capacity.scales().then_some(target.unwrap_or(TARGET)),
    })
}

fn wrong_units(units: Units, span: Span) -> Option<Diagnostic> {
    let Units { least, most } = units;
    if least == 0 {
        let message = "provisioned capacity is at least 1 unit a second";
        let wrong = Diagnostic::error("KF004", span, message, "DynamoDB refuses 0");
        return Some(wrong.help("write `capacity on demand` for a table that is seldom asked"));
    }
    if most < least {
        let message = format!("{least}..{most} holds no number");
        let wrong = Diagnostic::error("KF004", span, message, "the most is less than the least");
        return Some(wrong.help(format!("write {most}..{least}")));
    }
    None
}

fn wrong_target(target: Option<u64>, capacity: Capacity, span: Span) -> Option<Diagnostic> {
    let target = target?;
    let behind = |words: &str| format!("write {words}");
    if !capacity.scales() {
        let message = "nothing scales: reads and writes have one number each";
        let wrong = Diagnostic::error("KF004", span, message, "`at` says when units scale");
        return Some(wrong.help(behind(
            "bounds, like `5..100 read`, or remove `at ... percent`",
        )));
    }
    let (least, most) = SCALING_TARGET_PERCENT;
    if !(least..=most).contains(&target) {
        let message = format!("autoscaling holds a use of {least} to {most} percent");
        let wrong = Diagnostic::error(
            "KF004",
            span,
            message,
            format!("{target} is not in between"),
        );
        return Some(wrong.help(behind(&format!("`at {TARGET} percent`"))));
    }
    None
}
