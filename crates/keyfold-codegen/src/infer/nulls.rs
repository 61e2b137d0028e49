//! NULL values, which no type of the language has: a comment says where they are.

use keyfold_types::{Item, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The comment about the NULL values in these attributes; `None` without any.
pub(super) fn comment<'n>(
    items: &[&Item],
    names: impl Iterator<Item = &'n String>,
) -> Option<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for name in names {
        for value in items.iter().filter_map(|item| item.get(name)) {
            let mut paths = BTreeSet::new();
            find(value, name, &mut paths);
            for path in paths {
                *counts.entry(path).or_default() += 1;
            }
        }
    }
    let each = counts
        .into_iter()
        .map(|(path, count)| format!("{path} in {}", counted(count)));
    let each: Vec<String> = each.collect();
    (!each.is_empty()).then(|| {
        format!(
            "NULL, which no type of the language has, so that `verify` reports it: {}",
            each.join(", ")
        )
    })
}

/// Adds the paths of the NULL values in a value.
fn find(value: &Value, path: &str, paths: &mut BTreeSet<String>) {
    match value {
        Value::Null => {
            paths.insert(path.to_owned());
        }
        Value::L(elements) => {
            for element in elements {
                find(element, &format!("{path}[]"), paths);
            }
        }
        Value::M(fields) => {
            for (name, held) in fields {
                find(held, &format!("{path}.{name}"), paths);
            }
        }
        Value::S(_)
        | Value::N(_)
        | Value::B(_)
        | Value::Bool(_)
        | Value::Ss(_)
        | Value::Ns(_)
        | Value::Bs(_) => {}
    }
}

/// A number of items, in words.
pub(super) fn counted(items: usize) -> String {
    match items {
        1 => "1 item".to_owned(),
        _ => format!("{items} items"),
    }
}
