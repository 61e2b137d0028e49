//! Patterns that the keys of an entity serve: by its key, by its partition, and by each index.

use super::names::{identifier, plural, uncapitalized};
use keyfold_model::{Entity, IndexKey, Model, written_list};

/// The lines of patterns for an entity. No name is taken twice, and no two patterns of the entity
/// ask the same.
pub(super) fn patterns(model: &Model, entity: &Entity, taken: &mut Vec<String>) -> Vec<String> {
    let Entity {
        name: title,
        was: _,
        part: _,
        span: _,
        end: _,
        is_shared: _,
        table,
        attributes: _,
        by_name: _,
        touched: _,
        key,
        // No table says what identifies its items.
        id: _,
        indexes,
        copies: _,
        uniques: _,
        ttl: _,
        version: _,
        aggregates: _,
        split: _,
        unstored: _,
        compressed: _,
        expected: _,
        period_attribute: _,
        excluded: _,
        origin: _,
        view: _,
    } = entity;
    let name = uncapitalized(title);
    let mut patterns = Patterns {
        taken,
        lines: Vec::new(),
        questions: Vec::new(),
    };
    patterns.add(name.clone(), key.fields().collect(), &format!("{title}?"));
    let many = format!("{title}[] page 50");
    let by = |fields: &[&str]| match fields {
        [] => None,
        some => Some(format!("_by_{}", identifier(&some.join("_and_")))),
    };
    let partition: Vec<&str> = key.partition.fields().collect();
    // A sort key of the same fields, as in `"INVOICE#{id}" "INVOICE#{id}"`, leaves one item.
    let mut open = key.sort.iter().flat_map(|sort| sort.fields());
    if open.any(|field| !partition.contains(&field)) {
        let by = by(&partition).unwrap_or_default();
        patterns.add(format!("{}{by}", plural(&name)), partition, &many);
    }
    let table = model.tables.get(*table);
    for one in indexes {
        let IndexKey {
            index,
            key,
            sparse: _,
            is_declared: _,
        } = one;
        let Some(index) = table.and_then(|table| table.indexes.get(*index)) else {
            continue;
        };
        let fields: Vec<&str> = key.partition.fields().collect();
        let by = by(&fields).unwrap_or_else(|| format!("_in_{}", identifier(&index.name)));
        patterns.add(format!("{name}{by}"), fields, &many);
    }
    patterns.lines
}

/// The patterns of an entity.
struct Patterns<'n> {
    /// Names of all patterns of the model.
    taken: &'n mut Vec<String>,
    lines: Vec<String>,
    /// Parameters and result of each.
    questions: Vec<String>,
}

impl Patterns<'_> {
    /// Adds a pattern, unless its name is taken or another asks the same.
    fn add(&mut self, name: String, fields: Vec<&str>, result: &str) {
        let mut parameters: Vec<&str> = Vec::new();
        for field in fields {
            if !parameters.contains(&field) {
                parameters.push(field);
            }
        }
        let question = format!("({}) -> {result}", written_list(parameters));
        if !self.taken.contains(&name) && !self.questions.contains(&question) {
            self.lines.push(format!("pattern {name}{question}"));
            self.taken.push(name);
            self.questions.push(question);
        }
    }
}
