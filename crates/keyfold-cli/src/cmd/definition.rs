//! What DescribeTable tells, as the compiler's proposals take it.

use keyfold_api::{KeyElement, KeyType, ProjectionType, ScalarAttributeType, TableDescription};
use keyfold_codegen::infer::{IndexDefinition, KeyColumn, Projected, TableDefinition};
use keyfold_types::KeyKind;

pub(super) fn of(description: &TableDescription) -> TableDefinition {
    let kind = |name: &str| {
        let found = description.attribute_definitions.iter().find(|(known, _)| known == name);
        match found.map(|(_, kind)| *kind) {
            Some(ScalarAttributeType::N) => KeyKind::N,
            Some(ScalarAttributeType::B) => KeyKind::B,
            Some(ScalarAttributeType::S) | None => KeyKind::S,
        }
    };
    let part = |elements: &[KeyElement], part: KeyType| -> Vec<KeyColumn> {
        let of_part = elements.iter().filter(|(_, found)| *found == part);
        of_part.map(|(name, _)| (name.clone(), kind(name))).collect()
    };
    let both = [(&description.global_secondary_indexes, false), (&description.local_secondary_indexes, true)];
    let indexes = both.into_iter().flat_map(|(indexes, is_local)| {
        indexes.iter().map(move |index| (index, is_local)).collect::<Vec<_>>()
    });
    let mut key = part(&description.key_schema, KeyType::Hash);
    key.extend(part(&description.key_schema, KeyType::Range));
    TableDefinition {
        name: description.table_name.clone(),
        key,
        indexes: indexes
            .map(|(index, is_local)| IndexDefinition {
                name: index.index_name.clone(),
                is_local,
                partition: part(&index.key_schema, KeyType::Hash),
                sort: part(&index.key_schema, KeyType::Range),
                projection: match index.projection_type {
                    ProjectionType::All => Projected::All,
                    ProjectionType::KeysOnly => Projected::Keys,
                    ProjectionType::Include => Projected::Only(index.non_key_attributes.clone()),
                },
            })
            .collect(),
        ttl: None,
    }
}
