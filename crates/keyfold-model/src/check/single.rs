//! KF017, single: a pattern that returns one item finds at most one.
//!
//! The key of a table is unique, the key of an index is not. An index key identifies an item only
//! if it contains the attributes of the item's own key, or attributes declared `unique`.

use super::rule::Rule;
use crate::diagnostic::{Diagnostic, Edit, Span};
use crate::schema::{Entity, KeyPair, Limit, Parameter, Pattern, UniqueMember};
use crate::template::{Format, Part};
use crate::words::Compared;
use crate::written::{written, written_list};

pub(crate) const RULE: Rule = Rule {
    code: "KF017",
    name: "single",
    summary: "A pattern that returns one item finds at most one.",
    why: "The key of a table is unique: a second item with the same key replaces the first. The key \
        of an index is not unique: two users with the same e-mail address are two entries, and a \
        pattern that promises one of them would choose silently. `unique email` keeps a guard \
        item for each address, written in the same transaction, so that there is at most one, \
        whatever else the index key has.",
    failing: r##"model m 1
table Shop (PK, SK)
  gsi GSI1 (GSI1PK, GSI1SK)
entity User
  userId: string, email: string
  key   "USER#{userId}"  "PROFILE"
  GSI1  "EMAIL#{email}"  "PROFILE"
pattern user_by_email(email)  -> User?
"##,
    repaired: r##"model m 1
table Shop (PK, SK)
  gsi GSI1 (GSI1PK, GSI1SK)
entity User
  userId: string, email: string
  key     "USER#{userId}"  "PROFILE"
  GSI1    "EMAIL#{email}"  "PROFILE"
  unique  email
pattern user_by_email(email)  -> User?
"##,
};

/// Reports an index key that several items can share, for a pattern that returns one.
pub(crate) fn check(
    pattern: &Pattern,
    entity: &Entity,
    key: &KeyPair,
    index: &str,
) -> Option<Diagnostic> {
    let kept = kept(key);
    let has = |name: &str| kept.contains(&name);
    let is_bound = |name: &str| is_bound(pattern, name);
    let mut identity = entity.identity().into_iter();
    let identified = identity.all(|field| has(field) && is_bound(field));
    if identified || is_unique(pattern, entity, key) {
        return None;
    }
    let mut bound: Vec<&str> = key.fields().filter(|field| is_bound(field)).collect();
    bound.dedup();
    let first = match bound.as_slice() {
        [] => "id".to_owned(),
        [one] => written(one),
        several => format!("({})", written_list(several.iter().copied())),
    };
    let lowered = bound.iter().find(|name| !has(name)).copied();
    let message = format!(
        "{} promises one {}, and {index} may hold several",
        pattern.name, entity.name
    );
    let diagnostic = Diagnostic::error("KF017", pattern.span, message, "returns one item")
        .label(key.span, "an index does not keep its keys unique");
    let all = format!("return all of them: `-> {}[]`", entity.name);
    let many = returning_all(pattern);
    Some(match lowered {
        Some(name) => lowered_help(diagnostic, entity, &bound, key)
            .help(all)
            .offer(many)
            .note(format!(
                "`{name}` is in this key without its capitals, so different values share it"
            )),
        None => diagnostic
            .help(format!(
                "declare `unique {}` in {}, so that no two items share it",
                first, entity.name
            ))
            .repair(vec![Edit::insert(
                entity.end,
                format!("\n  unique {}", first),
            )])
            .help(format!("or {all}"))
            .offer(many),
    })
}

/// Proposes to keep unique what the key holds, the texts that it has in small letters without
/// regard of their capitals.
fn lowered_help(
    diagnostic: Diagnostic,
    entity: &Entity,
    bound: &[&str],
    key: &KeyPair,
) -> Diagnostic {
    let kept = kept(key);
    let member = |name: &&str| {
        if kept.contains(name) {
            written(name)
        } else {
            format!("lower({})", written(name))
        }
    };
    let is_text = |name: &&str| kept.contains(name) || is_lower(key, name);
    if !bound.iter().all(is_text) {
        return diagnostic;
    }
    let members: Vec<String> = bound.iter().map(member).collect();
    let line = match members.as_slice() {
        [one] => format!("unique {one}"),
        several => format!("unique ({})", several.join(", ")),
    };
    diagnostic
        .help(format!(
            "declare `{line}` in {}, so that no two items share it",
            entity.name
        ))
        .repair(vec![Edit::insert(entity.end, format!("\n  {line}"))])
}

/// The edit that lets a pattern return any number of its only kind.
fn returning_all(pattern: &Pattern) -> Vec<Edit> {
    match pattern.returned.as_slice() {
        [one] => vec![Edit::replace(
            Span {
                start: one.span.end,
                end: pattern.returned_end,
            },
            "[]",
        )],
        [] | [_, _, ..] => Vec::new(),
    }
}

/// Whether a pattern gives unique attributes that are part of a key: then one item has the key, even
/// if the pattern does not give the rest of it. The guard of the attributes holds this.
pub(crate) fn is_unique(pattern: &Pattern, entity: &Entity, key: &KeyPair) -> bool {
    let kept = kept(key);
    let tells_apart = |member: &UniqueMember| {
        let name = member.attribute.as_str();
        kept.contains(&name) || (member.compared == Compared::Lower && is_lower(key, name))
    };
    entity.uniques.iter().any(|unique| {
        let mut members = unique.members.iter();
        members.all(|member| tells_apart(member) && is_bound(pattern, &member.attribute))
    })
}

/// Whether a key holds an attribute in small letters.
fn is_lower(key: &KeyPair, name: &str) -> bool {
    let mut parts = key.templates().flat_map(|template| &template.parts);
    parts.any(|part| {
        matches!(part, Part::Field { name: field, format: Format::Lower, .. } if field == name)
    })
}

/// The attributes whose values a key tells apart: several values share a field in small letters, so
/// it does not identify an item.
fn kept(key: &KeyPair) -> Vec<&str> {
    let parts = key.templates().flat_map(|template| &template.parts);
    parts
        .filter_map(|part| match part {
            Part::Field { name, format, .. } if format.keeps_value() => Some(name.as_str()),
            Part::Field { .. } | Part::Text(_) | Part::Shard { .. } | Part::Chunk | Part::Break => {
                None
            }
        })
        .collect()
}

/// Whether a pattern gives one value of an attribute.
fn is_bound(pattern: &Pattern, name: &str) -> bool {
    let equal =
        |parameter: &Parameter| parameter.limit == Limit::Equal && parameter.attribute == name;
    pattern.parameters.iter().any(equal)
        || pattern.fixed.iter().any(|(attribute, _)| attribute == name)
}
