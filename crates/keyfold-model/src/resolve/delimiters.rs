//! The characters that separate the parts of a table's keys.

use crate::schema::Model;
use crate::syntax::ast::{PartDecl, TemplateDecl, Tree};
use std::collections::BTreeSet;

/// Collects the characters between fields in the templates of each table's entities. A value inside a
/// key must not contain them, so that a key can be split into its values.
pub(super) fn collect(tree: &Tree, model: &mut Model) {
    for (at, table) in model.tables.iter_mut().enumerate() {
        let mut found: BTreeSet<char> = BTreeSet::new();
        for entity in &tree.entities {
            let in_table = match &entity.table {
                None => at == 0,
                Some(name) => name.text == table.name,
            };
            if !in_table {
                continue;
            }
            let keys = entity
                .key
                .iter()
                .chain(entity.indexes.iter().map(|index| &index.key))
                .chain(entity.copies.iter().map(|copy| &copy.key));
            for key in keys {
                key.templates
                    .iter()
                    .for_each(|template| delimiters_of(template, &mut found));
                if key.shard.is_some() || key.bucket.is_some() {
                    found.insert('#');
                }
            }
            if !entity.uniques.is_empty() || entity.id.is_some() || !entity.splits.is_empty() {
                found.insert('#');
            }
        }
        table.delimiters = found.into_iter().collect();
    }
}

/// Adds the characters next to the fields of a template, except letters and digits.
fn delimiters_of(template: &TemplateDecl, found: &mut BTreeSet<char>) {
    let mut parts = template.parts.iter().peekable();
    let mut after_field = false;
    while let Some(part) = parts.next() {
        match part {
            PartDecl::Field { .. } => after_field = true,
            PartDecl::Text(text) => {
                let before_field = matches!(parts.peek(), Some(PartDecl::Field { .. }));
                let first = text.chars().next().filter(|_| after_field);
                let last = text.chars().last().filter(|_| before_field);
                found.extend(
                    first
                        .into_iter()
                        .chain(last)
                        .filter(|c| !c.is_alphanumeric()),
                );
                after_field = false;
            }
        }
    }
}
