//! KF015, covered: an index holds every attribute that a pattern returns or filters by.

use super::rule::Rule;
use crate::diagnostic::{Diagnostic, Edit};
use crate::schema::{
    Condition, Copy, Entity, Index, IndexKey, IndexKind, Pattern, Projection, Table,
};
use crate::value::{is_left_out, key_gives_back};
use crate::written::written_list;

pub(crate) const RULE: Rule = Rule {
    code: "KF015",
    name: "covered",
    summary: "An index holds every attribute that a pattern returns or filters by.",
    why: "An index is a second table that DynamoDB maintains. It holds the keys and the projected \
        attributes. A query of a global index cannot fetch other attributes: they are silently \
        missing from the answer. A list that is split over several items is not in an index at \
        all, because its parts do not have the index's key.",
    failing: r##"model m 1
table Shop (PK, SK)
  gsi GSI1 (GSI1PK, GSI1SK) project (total)
entity Order
  orderId: string, status: string, total: number, note: string
  key   "ORDER#{orderId}"  "META"
  GSI1  "STATUS#{status}"  "ORDER#{orderId}"
pattern orders_by_status(status)  -> Order[]  page 20
"##,
    repaired: r##"model m 1
table Shop (PK, SK)
  gsi GSI1 (GSI1PK, GSI1SK) project (total)
entity Order
  orderId: string, status: string, total: number, note: string
  key   "ORDER#{orderId}"  "META"
  GSI1  "STATUS#{status}"  "ORDER#{orderId}"
pattern orders_by_status(status)  -> Order[]  only total page 20
"##,
};

/// Reports attributes that a pattern needs and that the index does not hold.
pub(crate) fn check(
    pattern: &Pattern,
    table: &Table,
    entity: &Entity,
    copy: Option<&Copy>,
    index: &Index,
) -> Option<Diagnostic> {
    let returned = returned(pattern, entity, copy);
    if let Some((split, _)) = &entity.split
        && returned.contains(&split.as_str())
    {
        return Some(split_list(pattern, entity, index, split));
    }
    let held = held(index);
    let filtered = pattern.filters.iter().flat_map(Condition::attributes);
    let is_fetched = is_fetched(pattern, index);
    let asked = returned.into_iter().filter(|_| !is_fetched);
    let is_read = |name: &&str| !is_read_back(table, entity, copy, index, name);
    let mut missing: Vec<&str> = asked
        .filter(is_read)
        .chain(filtered.filter(|name| !index.holds(table, name)))
        .collect();
    missing.sort_unstable();
    missing.dedup();
    if missing.is_empty() {
        return None;
    }
    let message = format!(
        "{} returns attributes that {} does not hold: {}",
        pattern.name,
        index.name,
        missing.join(", ")
    );
    let projection = {
        let mut all: Vec<&str> = held.iter().map(String::as_str).collect();
        all.extend(missing);
        format!("project ({})", written_list(all))
    };
    let what = if pattern.only.is_empty() {
        format!("returns whole {} items", entity.name)
    } else {
        "returns them".to_owned()
    };
    let mut edits = vec![Edit::replace(index.projection_span, projection.clone())];
    // Then nothing is left to fetch.
    edits.extend(
        pattern
            .fetch
            .filter(|_| !is_fetched)
            .map(|span| Edit::replace(span, "")),
    );
    let diagnostic = Diagnostic::error("KF015", pattern.span, message, what)
        .label(index.span, "projects fewer attributes")
        .note(reason(pattern, index, is_fetched))
        .help(advice(&projection, is_fetched))
        .repair(edits);
    if index.kind == IndexKind::Global || pattern.fetch.is_some() {
        return Some(diagnostic);
    }
    Some(
        diagnostic
            .help("or say `fetch all`, which reads each item from the table, too")
            .offer(vec![Edit::insert(pattern.returned_end, " fetch all")]),
    )
}

/// Whether a pattern fetches from the table what an index lacks.
pub(crate) fn is_fetched(pattern: &Pattern, index: &Index) -> bool {
    pattern.fetch.is_some() && index.kind == IndexKind::Local
}

/// Returning fewer attributes leaves a filter without those that it compares: `is_fetched`.
fn advice(projection: &str, is_fetched: bool) -> String {
    let fewer = match is_fetched {
        true => "",
        false => "; or return fewer: `only ...`",
    };
    format!("project them: `{projection}`, or `project all`{fewer}")
}

/// The reason why attributes that an index lacks are an error.
fn reason(pattern: &Pattern, index: &Index, is_fetched: bool) -> &'static str {
    match (index.kind, pattern.fetch) {
        (IndexKind::Local, _) if is_fetched => {
            "`fetch all` fetches what is returned; a filter compares what the index holds"
        }
        (IndexKind::Global, Some(_)) => {
            "`fetch all` is for local indexes: DynamoDB fetches nothing from the table behind a global index"
        }
        (IndexKind::Global, None) | (IndexKind::Local, _) => {
            "an index answers what it projects; the rest would be missing from the answer"
        }
    }
}

/// The report of a pattern that fetches although all of its keys hold what it returns.
pub(crate) fn nothing_to_fetch(pattern: &Pattern) -> Option<Diagnostic> {
    let span = pattern.fetch?;
    let message = format!(
        "{} fetches nothing: the key that serves it holds all that is returned",
        pattern.name
    );
    Some(
        Diagnostic::error("KF015", span, message, "nothing to fetch")
            .help("remove `fetch all`")
            .repair(vec![Edit::replace(span, "")]),
    )
}

/// The attributes that a pattern returns and an index lacks.
pub(crate) fn lacking(
    pattern: &Pattern,
    table: &Table,
    entity: &Entity,
    copy: Option<&Copy>,
    index: &Index,
) -> Vec<String> {
    let own_key = copy.map_or(&entity.key, |copy| &copy.key);
    let is_there = |name: &&str| index.holds(table, name) || is_left_out(entity, own_key, name);
    let returned = returned(pattern, entity, copy).into_iter();
    returned
        .filter(|name| !is_there(name))
        .map(str::to_owned)
        .collect()
}

/// The attributes that an index projects beside the keys.
fn held(index: &Index) -> &[String] {
    match &index.projection {
        Projection::All | Projection::Keys => &[],
        Projection::Only(names) => names,
    }
}

/// Whether the entries of an index give an attribute: they hold it, or one of their keys gives it
/// back.
pub(crate) fn is_read_back(
    table: &Table,
    entity: &Entity,
    copy: Option<&Copy>,
    index: &Index,
    name: &str,
) -> bool {
    let own_key = copy.map_or(&entity.key, |copy| &copy.key);
    let is_here = |key: &&IndexKey| {
        let found = table.indexes.get(key.index);
        copy.is_none() && found.is_some_and(|found| found.name == index.name)
    };
    let of_index = entity.indexes.iter().filter(is_here).map(|key| &key.key);
    let mut keys = std::iter::once(own_key).chain(of_index);
    index.holds(table, name) || keys.any(|key| key_gives_back(key, name))
}

/// The attributes that a pattern returns.
fn returned<'m>(pattern: &'m Pattern, entity: &'m Entity, copy: Option<&'m Copy>) -> Vec<&'m str> {
    match (pattern.only.as_slice(), copy) {
        ([], None) => entity
            .attributes
            .iter()
            .map(|attribute| attribute.name.as_str())
            .collect(),
        ([], Some(copy)) => copy.attributes.iter().map(String::as_str).collect(),
        (only, _) => only.iter().map(String::as_str).collect(),
    }
}

/// The report that a pattern returns a split list from an index.
fn split_list(pattern: &Pattern, entity: &Entity, index: &Index, split: &str) -> Diagnostic {
    let message = format!(
        "{} returns `{split}`, whose parts are not in {}",
        pattern.name, index.name
    );
    let others: Vec<&str> = entity
        .attributes
        .iter()
        .map(|attribute| attribute.name.as_str())
        .filter(|name| *name != split)
        .collect();
    Diagnostic::error("KF015", pattern.span, message, "returns the whole list")
        .label(index.span, "holds the first item of each only")
        .note(
            "a list that is split lies in several items of the table, and only the first has the index's key",
        )
        .help(format!("return the rest: `only {}`, and read the list by the table's key", written_list(others.iter().map(AsRef::as_ref))))
}
