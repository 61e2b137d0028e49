//! KF010, served: each pattern is a GetItem or a Query, without a scan and without a filter that discards.
//!
//! When no key serves a pattern, the report says of each key why not, and proposes one that would.

use crate::diagnostic::Diagnostic;
use crate::schema::{Entity, Limit, Pattern};

/// The index that a repair proposes.
pub(crate) enum IndexName {
    /// One of the table that the entity is not in.
    Declared(String),
    /// One to declare.
    New(String),
    /// None: a mixed collection needs another kind of repair.
    Unneeded,
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
    let parameters: Vec<&str> = pattern.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    let by = if parameters.is_empty() {
        "without parameters".to_owned()
    } else {
        format!("by {}", parameters.join(", "))
    };
    let message = format!("no key serves {}: {} {by} would need a scan", pattern.name, names.join(" + "));
    let mut diagnostic = Diagnostic::error("KF010", pattern.span, message, "no single request answers this");
    for miss in misses {
        diagnostic = diagnostic.note(format!("{}: {}", miss.key, miss.reason));
    }
    if let [entity] = entities {
        diagnostic =
            diagnostic.help(format!("add to {}: `{}`", entity.name, proposal(pattern, entity, free)));
        let single = pattern.returned.first().is_some_and(|returned| !returned.many);
        if let (true, Some(parameter)) = (single, pattern.parameters.first()) {
            diagnostic = diagnostic
                .help(format!("and `unique {}`, so that there is at most one", parameter.attribute));
        }
        if let IndexName::New(name) = free {
            let line = format!("`gsi {name} ({name}PK, {name}SK)`");
            diagnostic = diagnostic.help(format!("and declare the index in the table: {line}"));
        }
    } else {
        diagnostic =
            diagnostic.help("a mixed collection needs the same partition key template in all its entities");
    }
    diagnostic
}

/// An index key that would serve the pattern.
fn proposal(pattern: &Pattern, entity: &Entity, free: &IndexName) -> String {
    let equal = |limit: Limit| limit == Limit::Equal;
    let upper = entity.name.to_uppercase();
    let mut partition: String = pattern
        .parameters
        .iter()
        .filter(|parameter| equal(parameter.limit))
        .map(|parameter| format!("{}#{{{}}}", parameter.attribute.to_uppercase(), parameter.attribute))
        .collect::<Vec<_>>()
        .join("#");
    if partition.is_empty() {
        partition = upper.clone();
    }
    let mut fields: Vec<String> = pattern
        .parameters
        .iter()
        .filter(|parameter| !equal(parameter.limit))
        .map(|parameter| format!("{{{}}}", parameter.attribute))
        .collect();
    fields.dedup();
    let time = entity.attributes.iter().find(|a| matches!(a.kind, crate::schema::Type::Time));
    if let (true, Some(time)) = (fields.is_empty() && pattern.order.is_some(), time) {
        fields.push(format!("{{{}}}", time.name));
    }
    for field in entity.key.fields() {
        let field = format!("{{{field}}}");
        if !fields.contains(&field) && !partition.contains(&field) {
            fields.push(field);
        }
    }
    let sort = if fields.is_empty() { "META".to_owned() } else { format!("{upper}#{}", fields.join("#")) };
    let index = match free {
        IndexName::Declared(name) | IndexName::New(name) => name.as_str(),
        IndexName::Unneeded => "GSI1",
    };
    format!("{index} \"{partition}\" \"{sort}\"")
}
