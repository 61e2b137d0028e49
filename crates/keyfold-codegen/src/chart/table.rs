//! The charts of tables and indexes: a row for each kind of item.

use super::rows::{IndexChart, KeyRow, TableChart};
use crate::sample;
use crate::words::{sparse_text, templates};
use keyfold_model::schema::{GUARD_SORT, conjunction, guard_parts};
use keyfold_model::template::print;
use keyfold_model::{
    Copy, Entity, Index, IndexKey, IndexKind, KeyTemplate, Model, Part, Pattern, Table, value,
};
use keyfold_types::Value;
use std::collections::BTreeMap;

/// The chart of the table at this place in the model.
pub(super) fn table_chart(model: &Model, at: usize, table: &Table) -> TableChart {
    let Table {
        name,
        span: _,
        end: _,
        is_shared: _,
        partition,
        sort,
        // A chart shows keys and items. The definition of the table is in `tables`.
        type_attribute: _,
        ttl_attribute: _,
        period: _,
        capacity: _,
        cooled: _,
        settings: _,
        indexes,
        delimiters: _,
    } = table;
    let entities: Vec<&Entity> = model
        .entities
        .iter()
        .filter(|entity| entity.table == at)
        .collect();
    let key = std::iter::once(partition).chain(sort);
    let indexes = indexes.iter().enumerate();
    TableChart {
        name: name.clone(),
        key: key.map(|column| column.name.clone()).collect(),
        rows: entities
            .iter()
            .flat_map(|entity| item_rows(table, entity))
            .collect(),
        indexes: indexes
            .map(|(place, index)| index_chart(model, table, &entities, (place, index)))
            .collect(),
    }
}

/// The rows of an entity's items in its table: the entity, its copies and its guards.
fn item_rows(table: &Table, entity: &Entity) -> Vec<KeyRow> {
    let name = &entity.name;
    let values = sample::values(entity);
    let mut rows = vec![key_row(&values, name.clone(), templates(&entity.key))];
    rows.extend(entity.copies.iter().map(|copy| {
        let Copy {
            name: copy_name,
            span: _,
            key,
            attributes: _,
            when,
        } = copy;
        let values = sample::of_copy(entity, copy, &values);
        let mut row = key_row(&values, format!("{name}.{copy_name}"), templates(key));
        row.only = (!when.is_empty()).then(|| conjunction(when));
        row
    }));
    rows.extend(entity.uniques.iter().map(|unique| {
        let partition = KeyTemplate {
            parts: guard_parts(entity, unique, &table.delimiters),
            span: entity.span,
        };
        let sort = table
            .sort
            .as_ref()
            .map(|_| KeyTemplate::of_text(GUARD_SORT, entity.span));
        let word = entity.word_of(unique);
        let kind = format!("{word} {name}.{}", unique.joined("+"));
        key_row(&values, kind, std::iter::once(&partition).chain(&sort))
    }));
    rows
}

/// The chart of an index at this place in the table.
fn index_chart(
    model: &Model,
    table: &Table,
    entities: &[&Entity],
    (place, index): (usize, &Index),
) -> IndexChart {
    let Index {
        name,
        span: _,
        kind,
        partition,
        sort,
        // The read units of patterns depend on it.
        projection: _,
        projection_span: _,
        // It is a part of the table's definition.
        capacity: _,
    } = index;
    let mut rows = Vec::new();
    for entity in entities {
        let values = sample::values(entity);
        for one in entity.indexes.iter().filter(|one| one.index == place) {
            let IndexKey {
                index: _,
                key,
                sparse,
                is_declared: _,
            } = one;
            let mut row = key_row(&values, entity.name.clone(), templates(key));
            row.only = sparse.as_ref().map(|sparse| match &sparse.value {
                Some(_) => sparse_text(sparse),
                None => format!("with {}", sparse_text(sparse)),
            });
            rows.push(row);
        }
    }
    let reads = |pattern: &&Pattern| {
        pattern
            .plans()
            .any(|(_, plan)| plan.table == table.name && plan.index.as_ref() == Some(name))
    };
    IndexChart {
        name: name.clone(),
        kind: match kind {
            IndexKind::Local => "local",
            IndexKind::Global => "global",
        },
        key: partition
            .iter()
            .chain(sort)
            .map(|column| column.name.clone())
            .collect(),
        partition_count: partition.len(),
        rows,
        patterns: model
            .patterns
            .iter()
            .filter(reads)
            .map(|pattern| pattern.name.clone())
            .collect(),
    }
}

/// The row of a kind of item with this key.
fn key_row<'k>(
    values: &BTreeMap<String, Value>,
    kind: String,
    key: impl Iterator<Item = &'k KeyTemplate>,
) -> KeyRow {
    let columns: Vec<&[Part]> = key.flat_map(KeyTemplate::columns).collect();
    let sample = |parts: &[Part]| {
        value::column(parts, values).map_or_else(|_| print(parts), |made| value::display(&made))
    };
    KeyRow {
        kind,
        templates: columns.iter().map(|parts| print(parts)).collect(),
        sample: columns.iter().map(|parts| sample(parts)).collect(),
        only: None,
    }
}
