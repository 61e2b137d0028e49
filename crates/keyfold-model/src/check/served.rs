//! KF010, served: each pattern is a GetItem or a Query, without a scan and without a filter that
//! discards.
//!
//! When no key serves a pattern, the report says of each key why not, and proposes one that would.

use super::rule::Rule;
use crate::diagnostic::{Diagnostic, Edit};
use crate::schema::{Entity, Index, Limit, Pattern, Table};
use keyfold_types::KeyKind;

pub(crate) const RULE: Rule = Rule {
    code: "KF010",
    name: "served",
    summary: "Each pattern is a GetItem, a Query or a declared number of them: without a scan and without a filter that discards.",
    why: "A table is partitions, found by the exact value of the partition key; inside one, items lie in the order of the sort key. A request reads one range of one partition. A question that no key answers would read the whole table and throw most of it away: it works with ten items in a test and fails with ten million, in money first and in time then. Where that is really wanted, the pattern says `scan` or `filter`.",
    failing: r##"model m 1
table Shop (PK, SK)
entity User
  userId: string, city: string
  key  "USER#{userId}"  "PROFILE"
pattern users_in(city)  -> User[]  page 20
"##,
    repaired: r##"model m 1
table Shop (PK, SK)
  gsi GSI1 (GSI1PK, GSI1SK)
entity User
  userId: string, city: string
  key   "USER#{userId}"  "PROFILE"
  GSI1  "CITY#{city}"    "USER#{userId}"
pattern users_in(city)  -> User[]  page 20
"##,
};

/// The index that a repair proposes.
pub(crate) enum IndexName {
    /// One of the table that the entity is not in.
    Declared(Index),
    /// One to declare in this table.
    New(String, Table),
    /// None: a mixed collection needs another kind of repair.
    Unneeded,
    /// None: in a table for each period, every question must say which.
    Periods,
}

/// Why one key does not serve.
pub(crate) struct Miss {
    /// The key, as a reader knows it: `the key of Order`, `Order in GSI1`.
    pub(crate) key: String,
    pub(crate) reason: String,
}

pub(crate) fn report(
    pattern: &Pattern,
    entities: &[&Entity],
    misses: Vec<Miss>,
    free: &IndexName,
) -> Diagnostic {
    let names: Vec<&str> = entities.iter().map(|entity| entity.name.as_str()).collect();
    let parameters: Vec<&str> = pattern
        .parameters
        .iter()
        .map(|parameter| parameter.name.as_str())
        .collect();
    let by = if parameters.is_empty() {
        "without parameters".to_owned()
    } else {
        format!("by {}", parameters.join(", "))
    };
    let message = format!(
        "no key serves {}: {} {by} would need a scan",
        pattern.name,
        names.join(" + ")
    );
    let mut diagnostic = Diagnostic::error(
        "KF010",
        pattern.span,
        message,
        "no single request answers this",
    );
    for miss in misses {
        diagnostic = diagnostic.note(format!("{}: {}", miss.key, miss.reason));
    }
    let [entity] = entities else {
        return diagnostic
            .help("a mixed collection needs the same partition key template in all its entities, and what is given must be at the start of all their sort keys");
    };
    if matches!(free, IndexName::Periods) {
        return diagnostic.help("give the time, a period of it, or a range with a lower end: an index belongs to one period's table");
    }
    let Some(line) = proposal(pattern, entity, free) else {
        return diagnostic.help(
            "say `scan` if the whole table is to be read, or `filter` for what may be thrown away",
        );
    };
    diagnostic = diagnostic.help(format!("add to {}: `{line}`", entity.name));
    let mut added = format!("\n  {line}");
    let single = pattern
        .returned
        .first()
        .is_some_and(|returned| !returned.many);
    let equal = pattern
        .parameters
        .iter()
        .filter(|parameter| parameter.limit == Limit::Equal);
    let by: Vec<&str> = equal
        .map(|parameter| parameter.attribute.as_str())
        .collect();
    let is_unique = entity
        .uniques
        .iter()
        .any(|unique| unique.iter().all(|name| by.contains(&name.as_str())));
    if single && !is_unique && !by.is_empty() {
        let line = if by.len() == 1 {
            format!("unique {}", by.concat())
        } else {
            format!("unique ({})", by.join(", "))
        };
        diagnostic = diagnostic.help(format!("and `{line}`, so that there is at most one"));
        added.push_str(&format!("\n  {line}"));
    }
    let mut edits = vec![Edit::insert(entity.end, added)];
    if let IndexName::New(name, table) = free {
        let line = format!("gsi {name} ({name}PK, {name}SK)");
        diagnostic = diagnostic.help(format!("and declare the index in the table: `{line}`"));
        edits.push(Edit::insert(table.end, format!("\n  {line}")));
    }
    diagnostic.repair(edits)
}

/// An index key that would serve the pattern; `None` where a declared index has another kind of
/// key.
fn proposal(pattern: &Pattern, entity: &Entity, free: &IndexName) -> Option<String> {
    let name = match free {
        IndexName::Declared(index) => {
            let is_text = |columns: &[crate::schema::Column]| matches!(columns, [one] if one.kind == KeyKind::S && entity.attribute(&one.name).is_none());
            if !is_text(&index.partition) || !is_text(&index.sort) {
                return None;
            }
            index.name.as_str()
        }
        IndexName::New(name, _) => name.as_str(),
        IndexName::Unneeded | IndexName::Periods => return None,
    };
    let upper = entity.name.to_uppercase();
    let of_limit = |wanted: fn(Limit) -> bool| {
        pattern
            .parameters
            .iter()
            .filter(move |parameter| wanted(parameter.limit))
    };
    let given =
        of_limit(|limit| limit == Limit::Equal).map(|parameter| parameter.attribute.as_str());
    let mut names: Vec<&str> = given
        .chain(pattern.fixed.iter().map(|(name, _)| name.as_str()))
        .collect();
    names.retain(|name| {
        entity
            .attribute(name)
            .is_some_and(|attribute| attribute.kind.fits_key())
    });
    let partition: Vec<String> = names
        .iter()
        .map(|name| format!("{}#{{{name}}}", name.to_uppercase()))
        .collect();
    let partition = if partition.is_empty() {
        upper.clone()
    } else {
        partition.join("#")
    };
    let mut fields: Vec<(String, String)> = Vec::new();
    let written = |name: &str| match entity.attribute(name).map(|attribute| &attribute.kind) {
        Some(crate::schema::Type::Int) => format!("{{{name}:010}}"),
        Some(crate::schema::Type::Number) => format!("{{{name}:010.2}}"),
        _ => format!("{{{name}}}"),
    };
    let mut push = |name: &str, field: String| {
        if !fields.iter().any(|(known, _)| known == name) && !names.contains(&name) {
            fields.push((name.to_owned(), field));
        }
    };
    of_limit(|limit| !matches!(limit, Limit::Equal | Limit::Free))
        .for_each(|parameter| push(&parameter.attribute, written(&parameter.attribute)));
    if let Some(order) = &pattern.order {
        let fits = |attribute: &&crate::schema::Attribute| match order.order {
            crate::schema::Order::Newest | crate::schema::Order::Oldest => attribute.kind.is_time(),
            crate::schema::Order::Highest | crate::schema::Order::Lowest => {
                attribute.kind.is_number()
            }
        };
        let by = match &order.attribute {
            Some(name) => Some(name.as_str()),
            None => entity
                .attributes
                .iter()
                .find(fits)
                .map(|attribute| attribute.name.as_str()),
        };
        by.into_iter().for_each(|name| push(name, written(name)));
    }
    // One item is found by what it is unique by; of several, each has a key of its own.
    if pattern
        .returned
        .first()
        .is_some_and(|returned| returned.many)
    {
        entity
            .key
            .fields()
            .for_each(|field| push(field, format!("{{{field}}}")));
    }
    let fields: Vec<String> = fields.into_iter().map(|(_, field)| field).collect();
    let sort = if fields.is_empty() {
        upper.clone()
    } else {
        format!("{upper}#{}", fields.join("#"))
    };
    Some(format!("{name} \"{partition}\" \"{sort}\""))
}
