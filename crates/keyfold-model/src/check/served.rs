//! KF010, served: each pattern is a GetItem or a Query, without a scan and without a filter that
//! discards items.
//!
//! The report for a pattern that no key serves names a reason for each key, and proposes an index
//! key that would serve the pattern.

use super::ordered;
use super::rule::Rule;
use crate::diagnostic::{Diagnostic, Edit, Span};
use crate::schema::{
    Attribute, Entity, Index, KeyPair, Limit, Order, Ordered, Parameter, Pattern, Table, Type,
};
use crate::syntax::MEMBER_WORDS;
use crate::template::{Format, Part};
use crate::written::{fits_in_text, written, written_list};
use std::collections::BTreeSet;

pub(crate) const RULE: Rule = Rule {
    code: "KF010",
    name: "served",
    summary: "Each pattern is a GetItem, a Query or a declared number of them, without a scan and \
        without a filter that discards items.",
    why: "A table consists of partitions. A request finds a partition by the exact value of the \
        partition key, and the items in it are in the order of the sort key. A request reads one \
        range of one partition. A pattern that no key serves would have to read the whole table \
        and discard most of it. That works with ten items in a test and fails with ten million: \
        first it costs too much, then it takes too long. Where this is really wanted, the pattern \
        says `scan` or `filter`.",
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
    /// An index of the table that the entity is not in, and whose key a line of it can make.
    Declared(Index),
    /// The name of a new index of this table.
    New(String, Box<Table>),
    /// None: a mixed collection needs another kind of repair.
    Unneeded,
    /// None: if there is a table for each period, the pattern must give the period.
    Periods,
}

/// The reason why one key does not serve a pattern.
pub(crate) struct Miss {
    /// The key's name in messages: `the key of Order`, `Order in GSI1`.
    pub(crate) key: String,
    pub(crate) reason: String,
    /// The attribute, and its value if one is needed, to which the pattern would have to be
    /// narrowed.
    pub(crate) narrow: Option<(String, Option<String>)>,
}

/// The report that no key serves a pattern.
pub(crate) fn report(
    pattern: &Pattern,
    entities: &[&Entity],
    misses: Vec<Miss>,
    free: &IndexName,
) -> Diagnostic {
    let diagnostic = misses
        .iter()
        .fold(not_served(pattern, entities), |diagnostic, miss| {
            diagnostic.note(format!("{}: {}", miss.key, miss.reason))
        });
    let [entity] = entities else {
        let ordered = pattern.order.iter();
        return ordered
            .fold(diagnostic, ordered::general)
            .otherwise("a mixed collection needs the same partition key template in all its entities, and what is given must be at the start of all their sort keys");
    };
    let of_single = ordered::of_single(pattern, entity).into_iter();
    let diagnostic = of_single.fold(diagnostic, Diagnostic::note);
    if matches!(free, IndexName::Periods) {
        return diagnostic.help("give the time, a period of it, or a range with a lower end: an index belongs to one period's table");
    }
    let narrow: BTreeSet<_> = misses
        .iter()
        .filter_map(|miss| miss.narrow.as_ref())
        .collect();
    let diagnostic = narrow
        .into_iter()
        .fold(diagnostic, |diagnostic, (name, value)| {
            narrowed(diagnostic, pattern, entity, name, value.as_deref())
        });
    match proposal(pattern, entity, free) {
        Some(line) => with_repair(diagnostic, pattern, entity, &line, free),
        None => diagnostic.help(
            "say `scan` if the whole table is to be read, or `filter` for what may be thrown away",
        ),
    }
}

/// The report that some of several items cannot be read by their keys, each with the reason.
pub(crate) fn not_by_keys(pattern: &Pattern, misses: Vec<(String, String)>) -> Diagnostic {
    let names: Vec<&str> = misses.iter().map(|(name, _)| name.as_str()).collect();
    let message = format!(
        "{} does not give the whole key of {}",
        pattern.name,
        names.join(", ")
    );
    let label = "one request reads several items by their whole keys";
    let diagnostic = Diagnostic::error("KF010", pattern.span, message, label);
    misses
        .into_iter()
        .fold(diagnostic, |diagnostic, (name, reason)| {
            diagnostic.note(format!("{name}: {reason}"))
        })
        .help("give what is missing as parameters, or read it by a pattern of its own")
}

/// Adds the repairs that let a key serve which holds only the items with an attribute.
fn narrowed(
    diagnostic: Diagnostic,
    pattern: &Pattern,
    entity: &Entity,
    name: &str,
    value: Option<&str>,
) -> Diagnostic {
    let kind = entity.attribute(name).map(|attribute| &attribute.kind);
    let condition = match (value, kind) {
        (None, _) => written(name),
        (Some(value), Some(Type::Words(_))) => format!("{} = {}", written(name), written(value)),
        (Some(value), Some(kind)) if kind.is_number() || *kind == Type::Bool => {
            format!("{} = {value}", written(name))
        }
        (Some(value), _) => format!("{} = \"{value}\"", written(name)),
    };
    let diagnostic = diagnostic
        .help(format!(
            "ask only for the items with it: `where {condition}`"
        ))
        .offer(vec![Edit::insert(
            pattern.returned_end,
            format!(" where {condition}"),
        )]);
    let required = entity
        .attribute(name)
        .filter(|_| value.is_none())
        .map(Attribute::without_mark)
        .unwrap_or_default();
    if required.is_empty() {
        return diagnostic;
    }
    diagnostic
        .help(format!("or make `{name}` required: remove its `?`"))
        .offer(required)
}

/// The report without its reasons and its repair.
fn not_served(pattern: &Pattern, entities: &[&Entity]) -> Diagnostic {
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
    Diagnostic::error(
        "KF010",
        pattern.span,
        message,
        "no single request answers this",
    )
}

/// Adds the lines that the repair adds to the entity and to the table.
fn with_repair(
    diagnostic: Diagnostic,
    pattern: &Pattern,
    entity: &Entity,
    key_line: &str,
    free: &IndexName,
) -> Diagnostic {
    let unique = missing_unique(pattern, entity);
    let mut diagnostic = match &unique {
        Some(line) => with_unique(with_several(diagnostic, pattern), entity, line),
        None => diagnostic,
    };
    diagnostic = diagnostic.help(format!("add to {}: `{key_line}`", entity.name));
    let mut added = format!("\n  {key_line}");
    if let Some(line) = &unique {
        diagnostic = diagnostic.help(format!("and `{line}`, so that there is at most one"));
        added.push_str(&format!("\n  {line}"));
    }
    let mut edits = vec![Edit::insert(entity.end, added)];
    if let IndexName::New(name, table) = free {
        let line = format!("gsi {name} ({name}PK, {name}SK)");
        diagnostic = diagnostic.help(format!("and declare the index in the table: `{line}`"));
        edits.push(Edit::insert(table.end, format!("\n  {line}")));
    }
    // A value that is unique is refused a second time: data that is allowed today would not be.
    let diagnostic = match unique {
        Some(_) => diagnostic.offer(edits),
        None => diagnostic.repair(edits),
    };
    diagnostic.otherwise("change what the reasons name, in a key or in the pattern")
}

/// Adds the repair of a pattern that a key serves as soon as there is at most one item.
fn with_unique(diagnostic: Diagnostic, entity: &Entity, line: &str) -> Diagnostic {
    diagnostic
        .help(format!(
            "say that there is at most one: `{line}` in {}",
            entity.name
        ))
        .offer(vec![Edit::insert(entity.end, format!("\n  {line}"))])
}

/// Adds the repair of a pattern that may find several items: to return them.
fn with_several(diagnostic: Diagnostic, pattern: &Pattern) -> Diagnostic {
    let [returned] = pattern.returned.as_slice() else {
        return diagnostic;
    };
    let end = pattern.returned_end;
    let mark = Span {
        start: end - usize::from(returned.optional),
        end,
    };
    diagnostic
        .help("return all of them: write `[]` behind the name")
        .offer(vec![Edit::replace(mark, "[]")])
}

/// Whether the pattern returns many items of its first kind.
fn returns_many(pattern: &Pattern) -> bool {
    pattern
        .returned
        .first()
        .is_some_and(|returned| returned.many)
}

/// The `unique` line that a pattern needs to find at most one item; `None` if it needs none.
fn missing_unique(pattern: &Pattern, entity: &Entity) -> Option<String> {
    let by: Vec<&str> = attributes_given(pattern).collect();
    let is_unique = entity
        .uniques
        .iter()
        .any(|unique| unique.attributes().all(|name| by.contains(&name)));
    if pattern.returned.is_empty() || returns_many(pattern) || is_unique {
        return None;
    }
    match by.as_slice() {
        [] => None,
        [one] => Some(format!("unique {}", written(one))),
        several => Some(format!(
            "unique ({})",
            written_list(several.iter().copied())
        )),
    }
}

/// The attributes that parameters give exactly.
fn attributes_given(pattern: &Pattern) -> impl Iterator<Item = &str> {
    pattern
        .parameters
        .iter()
        .filter(|parameter| parameter.limit == Limit::Equal)
        .map(|parameter| parameter.attribute.as_str())
}

/// The name of an index as a line of an entity begins with it.
fn index_name(name: &str) -> String {
    if MEMBER_WORDS.contains(&name) {
        format!("\"{name}\"")
    } else {
        written(name)
    }
}

/// The line of an index key that would serve the pattern; `None` where no template can make it.
fn proposal(pattern: &Pattern, entity: &Entity, free: &IndexName) -> Option<String> {
    let name = match free {
        IndexName::Declared(index) => index.name.as_str(),
        IndexName::New(name, _) => name.as_str(),
        IndexName::Unneeded | IndexName::Periods => return None,
    };
    let fits_key = |name: &&str| {
        entity
            .attribute(name)
            .is_some_and(|attribute| attribute.kind.fits_key())
    };
    let given: Vec<&str> = attributes_given(pattern)
        .chain(pattern.fixed.iter().map(|(name, _)| name.as_str()))
        .filter(fits_key)
        .collect();
    let upper = entity.name.to_uppercase();
    let partition = if given.is_empty() {
        upper.clone()
    } else {
        let parts = given
            .iter()
            .map(|name| format!("{}#{{{name}}}", name.to_uppercase()));
        parts.collect::<Vec<_>>().join("#")
    };
    let fields = sort_fields(pattern, entity, &given);
    let sort = if fields.is_empty() {
        upper
    } else {
        format!("{upper}#{}", fields.join("#"))
    };
    let has_braces = |name: &&str| !fits_in_text(name);
    let identity = entity.identity();
    if given.iter().chain(&identity).any(has_braces) {
        return None;
    }
    Some(format!("{} \"{partition}\" \"{sort}\"", index_name(name)))
}

/// The fields of the proposed sort key: the ranges of the pattern, its order, and the key of the
/// item.
fn sort_fields(pattern: &Pattern, entity: &Entity, given: &[&str]) -> Vec<String> {
    let limited = pattern
        .parameters
        .iter()
        .filter(|parameter| !matches!(parameter.limit, Limit::Equal | Limit::Free))
        .map(|parameter| parameter.attribute.as_str());
    let order = pattern.order.as_ref();
    let by = order.and_then(|order| ordering_attribute(entity, order));
    let ranges = limited
        .chain(by)
        .map(|name| (name, padded_field(entity, name)));
    // A pattern that returns one item finds it by its unique attributes. Of several items, each
    // needs a key of its own.
    let identity = entity.identity().into_iter();
    // Behind a text, whose length varies, they would change its order and the ends of its range.
    let is_text = |name: &str| {
        let found = entity.attribute(name);
        found.is_some_and(|found| found.kind == Type::String)
    };
    let ends_in_text = |one: &Parameter| {
        !matches!(
            one.limit,
            Limit::Equal | Limit::Free | Limit::Among | Limit::Starts
        ) && is_text(&one.attribute)
    };
    let varies = pattern.parameters.iter().any(ends_in_text) || by.is_some_and(is_text);
    let identity = identity
        .filter(|_| returns_many(pattern) && !varies)
        .map(|name| (name, format!("{{{name}}}")));
    let mut fields: Vec<(&str, String)> = Vec::new();
    for (name, field) in ranges.chain(identity) {
        if !fields.iter().any(|(known, _)| *known == name) && !given.contains(&name) {
            fields.push((name, field));
        }
    }
    fields.into_iter().map(|(_, field)| field).collect()
}

/// The attribute that an order is by: the named one, or the first of a type that fits.
fn ordering_attribute<'e>(entity: &'e Entity, order: &'e Ordered) -> Option<&'e str> {
    // Every type has an ascending order: only a name says which attribute is meant.
    let fits = |attribute: &&Attribute| match order.order {
        Order::Newest | Order::Oldest | Order::Highest | Order::Lowest => {
            order.order.fits(&attribute.kind)
        }
        Order::Ascending | Order::Descending => false,
    };
    match &order.attribute {
        Some(name) => Some(name.as_str()),
        None => entity
            .attributes
            .iter()
            .find(fits)
            .map(|attribute| attribute.name.as_str()),
    }
}

/// An attribute as a field whose texts are in the order of its values.
pub(crate) fn padded_field(entity: &Entity, name: &str) -> String {
    // Where another key pads the attribute, its width and its sign are known to fit.
    let keys = std::iter::once(&entity.key).chain(entity.indexes.iter().map(|one| &one.key));
    let mut parts = keys
        .flat_map(KeyPair::templates)
        .flat_map(|template| &template.parts);
    let padding = parts.find_map(|part| match part {
        Part::Field {
            name: field,
            format:
                Format::Padded {
                    whole,
                    decimals,
                    signed,
                    reversed: _,
                },
            ..
        } if field == name => Some((*whole, *decimals, *signed)),
        Part::Field { .. } | Part::Text(_) | Part::Shard { .. } | Part::Chunk | Part::Break => None,
    });
    if let Some((whole, decimals, signed)) = padding {
        let decimals = match decimals {
            0 => String::new(),
            decimals => format!(".{decimals}"),
        };
        let signed = if signed { ":signed" } else { "" };
        return format!("{{{name}:0{whole}{decimals}{signed}}}");
    }
    let kind = entity.attribute(name).map(|attribute| &attribute.kind);
    if kind.is_some_and(|kind| *kind == Type::Int) {
        format!("{{{name}:010:signed}}")
    } else if kind.is_some_and(|kind| *kind == Type::Number) {
        format!("{{{name}:010.2:signed}}")
    } else {
        format!("{{{name}}}")
    }
}
