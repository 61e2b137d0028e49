//! KF011, exact: the key range of a pattern holds exactly the items that the pattern promises.
//!
//! The check compares languages: the partition keys and the sort keys of another kind in the same
//! key space must not both have a text in common with the range.

use super::found::Found;
use super::rule::Rule;
use super::shape::{Owner, Shape, Space, Spaces};
use crate::diagnostic::{Diagnostic, Edit};
use crate::language::{CharSet, Language};
use crate::schema::{Model, Pattern};
use crate::template::{BREAK, Part, language_of};

pub(crate) const RULE: Rule = Rule {
    code: "KF011",
    name: "exact",
    summary: "The key range of a pattern holds exactly the items that the pattern promises: all of \
        them, and no items of another kind.",
    why: "A range compares texts and knows no kinds. `begins_with(SK, \"ORDER\")` also finds \
        `ORDERITEM#1`, and the partition of a user holds every item that was put there. The \
        answer would then contain items of another shape, and items that the client discards \
        would fill its pages. The compiler compares the range with the keys that every other kind \
        can make, and shows a key that lies in the range. A filter must keep what the answer always \
        has: in `User + Order[]` a user that was thrown away would look like one who does not exist.",
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

/// The keys that a pattern reads.
pub(crate) struct Range {
    pub(crate) partition: Language,
    pub(crate) sort: Language,
}

/// A kind of item that is in the range of a pattern but not in its result.
struct Stray<'s> {
    shape: &'s Shape,
    /// A key of it in the range.
    partition: String,
    sort: String,
}

/// Reports the kinds of items that are in the range but not in the result, all together.
pub(crate) fn check(
    model: &Model,
    spaces: &Spaces,
    pattern: &Pattern,
    found: &Found,
    range: &Range,
) -> Option<Diagnostic> {
    let strays = strays(spaces, found, range);
    let names = listed(strays.iter().map(|stray| stray.shape.what.clone()));
    let message = format!("the range of {} also holds {}", pattern.name, names?);
    let label = "would return more than it promises";
    let diagnostic = Diagnostic::error("KF011", pattern.span, message, label);
    let diagnostic = strays.iter().fold(diagnostic, |diagnostic, stray| {
        let (partition, sort) = (quote(&stray.partition), quote(&stray.sort));
        let text = format!("this can make {partition} {sort}, which is in the range");
        diagnostic.label(stray.shape.span, text)
    });
    let kinds = if strays.len() == 1 {
        "another kind"
    } else {
        "other kinds"
    };
    let diagnostic = diagnostic.note(format!(
        "the answer would contain items of {kinds}, and its pages would be filled with them"
    ));
    Some(with_help(diagnostic, model, pattern, found, &strays))
}

/// The kinds of items that are in the range but not in the result.
fn strays<'s>(spaces: &'s Spaces, found: &Found, range: &Range) -> Vec<Stray<'s>> {
    let shapes = spaces.shapes(found.table, found.space);
    let near = spaces.near(found.table, found.space, &range.partition, &range.sort);
    let near = near.into_iter().filter_map(|place| shapes.get(place));
    near.filter(|shape| !found.members.contains(&shape.owner))
        .filter_map(|shape| {
            Some(Stray {
                shape,
                partition: shape.partition.common_text(&range.partition)?,
                sort: shape.sort.common_text(&range.sort)?,
            })
        })
        .collect()
}

/// Names with commas between them, the last one with `and`; `None` where there are none.
fn listed(names: impl Iterator<Item = String>) -> Option<String> {
    let names: Vec<String> = names.collect();
    let (last, others) = names.split_last()?;
    Some(match others {
        [] => last.clone(),
        others => format!("{} and {last}", others.join(", ")),
    })
}

/// Adds the ways to keep other kinds out of the range, or to return them.
fn with_help(
    mut diagnostic: Diagnostic,
    model: &Model,
    pattern: &Pattern,
    found: &Found,
    strays: &[Stray<'_>],
) -> Diagnostic {
    let owners: Vec<Owner> = strays.iter().map(|stray| stray.shape.owner).collect();
    let (kinds, them, keys) = match strays {
        [one] => (
            "the two kinds",
            one.shape.what.as_str(),
            "another partition key",
        ),
        _ => ("the kinds", "them", "other partition keys"),
    };
    let edits = repair(model, pattern, found, &owners);
    if !edits.is_empty() {
        diagnostic = diagnostic
            .help(format!(
                "give the sort keys of {kinds} different first texts"
            ))
            .repair(edits);
    }
    let names = owners.iter().map(|owner| returnable(model, *owner));
    if let Some(names) = names.collect::<Option<Vec<_>>>() {
        let added: String = names.iter().map(|name| format!(" + {name}[]")).collect();
        diagnostic = diagnostic
            .help(format!("return {them} too: `{}`", added.trim_start()))
            .offer(vec![Edit::insert(pattern.returned_end, added)]);
    }
    diagnostic.help(format!("give {them} {keys}"))
}

/// The name of a kind in the result of a pattern; `None` for guards, which are no result.
fn returnable(model: &Model, owner: Owner) -> Option<String> {
    let entity = model
        .entities
        .get(owner.entity)
        .filter(|_| !owner.is_guard)?;
    match owner.copy {
        None => Some(entity.name.clone()),
        Some(at) => Some(format!("{}.{}", entity.name, entity.copies.get(at)?.name)),
    }
}

/// Reports a kind of the result whose items can lie between the parts of a list of another kind.
/// The client puts adjacent parts together, so other items between them would break the list.
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
    let members = || {
        spaces
            .shapes(found.table, Space::Table)
            .iter()
            .filter(|shape| found.members.contains(&shape.owner))
    };
    for list in members() {
        let parts = list.key.sort.as_ref().map_or(&[][..], |sort| &sort.parts);
        let Some((Part::Chunk, start)) = parts.split_last() else {
            continue;
        };
        // A key between two parts has the same start, up to the number.
        let mut between = language_of(start);
        between.exactly(&CharSet::digits(), 1);
        let between = between.and_anything();
        for other in members().filter(|other| other.owner != list.owner) {
            let Some(partition) = other.partition.common_text(&list.partition) else {
                continue;
            };
            let Some(sort) = other.sort.common_text(&between) else {
                continue;
            };
            let message = format!(
                "{} can lie between the parts of {} in the range of {}",
                other.what, list.what, pattern.name
            );
            return Some(
                Diagnostic::error("KF011", pattern.span, message, "would return lists in pieces")
                    .label(
                        other.span,
                        format!("this can make {} {}, which is between parts", quote(&partition), quote(&sort)),
                    )
                    .label(list.span, "its list is split over several items")
                    .help("give the sort keys of the two kinds different first texts, or return them by two patterns"),
            );
        }
    }
    None
}

/// A key text in quotes, with a separate text for each attribute of a composite key.
pub(crate) fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace(BREAK, "\" \""))
}

/// Puts the kind's name in front of the sort keys of the returned kinds and of their neighbours, if
/// they are templates of the table's key.
fn repair(model: &Model, pattern: &Pattern, found: &Found, neighbours: &[Owner]) -> Vec<Edit> {
    let is_entity = |owner: &Owner| !owner.is_guard && owner.copy.is_none();
    if found.space != Space::Table || !neighbours.iter().all(is_entity) {
        return Vec::new();
    }
    let returned = pattern
        .returned
        .iter()
        .filter(|one| one.copy.is_none())
        .map(|one| one.entity);
    let mut edits = Vec::new();
    for at in returned.chain(neighbours.iter().map(|owner| owner.entity)) {
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
