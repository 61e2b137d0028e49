//! KF011, exact range: a pattern's key range holds the items it promises, all of them and no
//! others.
//!
//! Decided on languages: for every other kind of item in the same key space, its partition keys and
//! its sort keys must not both meet the range.

use super::found::Found;
use super::rule::Rule;
use super::shape::{Owner, Space, Spaces};
use crate::diagnostic::{Diagnostic, Edit};
use crate::language::{CharSet, Language};
use crate::schema::{Model, Pattern};
use crate::template::{BREAK, Part, language_of};

pub(crate) const RULE: Rule = Rule {
    code: "KF011",
    name: "exact",
    summary: "The key range of a pattern holds exactly the items it promises: no neighbour bleeds in, none is missed.",
    why: "A range is texts, not kinds. `begins_with(SK, \"ORDER\")` also finds `ORDERITEM#1`, and the whole partition of a user holds whatever else was put there. The answer then contains items of another shape, and pages are filled with what is thrown away. The compiler compares the range with the keys that every other kind can make, and shows one that is in it.",
    failing: r##"model m 1
table Shop (PK, SK)
entity Order
  userId: string, orderId: string
  key  "USER#{userId}"  "{orderId}"
entity Address
  userId: string, label: string
  key  "USER#{userId}"  "ADDRESS#{label}"
pattern orders(userId)  -> Order[]  page 20
"##,
    repaired: r##"model m 1
table Shop (PK, SK)
entity Order
  userId: string, orderId: string
  key  "USER#{userId}"  "ORDER#{orderId}"
entity Address
  userId: string, label: string
  key  "USER#{userId}"  "ADDRESS#{label}"
pattern orders(userId)  -> Order[]  page 20
"##,
};

/// The keys a pattern reads.
pub(crate) struct Range {
    pub(crate) partition: Language,
    pub(crate) sort: Language,
}

/// Reports a kind of item that is in the range but not in the result.
pub(crate) fn check(
    model: &Model,
    spaces: &Spaces,
    pattern: &Pattern,
    found: &Found,
    range: &Range,
) -> Option<Diagnostic> {
    let shapes = spaces.shapes(found.table, found.space);
    let near = spaces.near(found.table, found.space, &range.partition, &range.sort);
    for shape in near.into_iter().filter_map(|place| shapes.get(place)) {
        if found.members.contains(&shape.owner) {
            continue;
        }
        let Some(partition) = shape.partition.meet(&range.partition) else {
            continue;
        };
        let Some(sort) = shape.sort.meet(&range.sort) else {
            continue;
        };
        let message = format!("the range of {} also holds {}", pattern.name, shape.what);
        let diagnostic =
            Diagnostic::error("KF011", pattern.span, message, "would return more than it promises")
                .label(
                    shape.span,
                    format!("this can make {} {}, which is in the range", quote(&partition), quote(&sort)),
                )
                .note(
                    "the answer would contain items of another kind, and its pages would be filled with them",
                )
                .help(apart(model, pattern, &shape.what));
        return Some(diagnostic.repair(repair(model, pattern, found, shape.owner)));
    }
    None
}

/// Advice for keys of the kinds of a result and another one, so that they lie apart.
fn apart(model: &Model, pattern: &Pattern, other: &str) -> String {
    let names: Vec<&str> = pattern
        .returned
        .iter()
        .filter_map(|one| model.entities.get(one.entity))
        .map(|entity| entity.name.as_str())
        .collect();
    match names.as_slice() {
        [] | [_] => {
            format!(
                "give the sort keys of the two kinds different first texts, or return {other} too"
            )
        }
        several => format!(
            "let the sort keys of {} begin with a text that those of {other} do not have, return {other} too, or give it another partition",
            several.join(" and ")
        ),
    }
}

/// Reports a kind of the result whose items can lie between the parts of a list of another kind: a
/// page could end between them, and which parts belong together is told by their keys lying side by
/// side.
pub(crate) fn check_parts(
    model: &Model,
    spaces: &Spaces,
    pattern: &Pattern,
    found: &Found,
) -> Option<Diagnostic> {
    let is_split = |member: &Owner| {
        member.copy.is_none()
            && model
                .entities
                .get(member.entity)
                .is_some_and(|entity| entity.split.is_some())
    };
    if found.space != Space::Table || !found.members.iter().any(is_split) {
        return None;
    }
    let delimiters = &model.tables.get(found.table)?.delimiters;
    let members = || {
        spaces
            .shapes(found.table, Space::Table)
            .iter()
            .filter(|shape| found.members.contains(&shape.owner))
    };
    for whole in members() {
        let parts = whole.key.sort.as_ref().map_or(&[][..], |sort| &sort.parts);
        let Some((Part::Chunk, start)) = parts.split_last() else {
            continue;
        };
        // A key between two parts starts like them, up to the number.
        let mut between = language_of(start, delimiters);
        between.exactly(&CharSet::digits(), 1);
        let between = between.and_anything();
        for other in members().filter(|other| other.owner != whole.owner) {
            let Some(partition) = other.partition.meet(&whole.partition) else {
                continue;
            };
            let Some(sort) = other.sort.meet(&between) else {
                continue;
            };
            let message = format!(
                "{} can lie between the parts of {} in the range of {}",
                other.what, whole.what, pattern.name
            );
            return Some(
                Diagnostic::error("KF011", pattern.span, message, "would return lists in pieces")
                    .label(
                        other.span,
                        format!("this can make {} {}, which is between parts", quote(&partition), quote(&sort)),
                    )
                    .label(whole.span, "its list is split over several items")
                    .help("give the sort keys of the two kinds different first texts, or return them by two patterns"),
            );
        }
    }
    None
}

/// A key text, with the break between the attributes of a composite key shown as a space.
pub(crate) fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace(BREAK, "\" \""))
}

/// Gives the sort keys of the returned kind and of the neighbour first texts of their own, where
/// they are templates of the table's key.
fn repair(model: &Model, pattern: &Pattern, found: &Found, neighbour: Owner) -> Vec<Edit> {
    if found.space != Space::Table || neighbour.is_guard || neighbour.copy.is_some() {
        return Vec::new();
    }
    let returned = pattern
        .returned
        .iter()
        .filter(|one| one.copy.is_none())
        .map(|one| one.entity);
    let mut edits = Vec::new();
    for at in returned.chain([neighbour.entity]) {
        let Some(entity) = model.entities.get(at) else {
            continue;
        };
        let Some(sort) = &entity.key.sort else {
            return Vec::new();
        };
        let own = format!("{}#", entity.name.to_uppercase());
        let starts = matches!(sort.parts.first(), Some(Part::Text(text)) if text.starts_with(&own));
        // A field that stands for itself has no quotes to write into.
        let is_quoted = sort.span.end - sort.span.start == sort.to_string().len();
        if !starts && is_quoted {
            edits.push(Edit::insert(sort.span.start + 1, own));
        }
    }
    edits
}
