//! Converts a table's description into the definition that `infer` reads.

use keyfold_api::{KeyElement, KeyType, ProjectionType, ScalarAttributeType, TableDescription};
use keyfold_codegen::infer::{IndexDefinition, KeyColumn, Projection, TableDefinition};
use keyfold_types::KeyKind;

/// The definition of a described table.
pub(super) fn of(description: &TableDescription) -> TableDefinition {
    let kind = |name: &str| {
        let definitions = description.definitions();
        let found = definitions.iter().find(|(known, _)| known == name);
        match found.map(|(_, kind)| *kind) {
            Some(ScalarAttributeType::N) => KeyKind::N,
            Some(ScalarAttributeType::B) => KeyKind::B,
            Some(ScalarAttributeType::S) | None => KeyKind::S,
        }
    };
    let part = |elements: &[KeyElement], part: KeyType| -> Vec<KeyColumn> {
        let of_part = elements.iter().filter(|(_, found)| *found == part);
        of_part
            .map(|(name, _)| (name.clone(), kind(name)))
            .collect()
    };
    let both = [
        (&description.global_secondary_indexes, false),
        (&description.local_secondary_indexes, true),
    ];
    let indexes = both.into_iter().flat_map(|(indexes, is_local)| {
        indexes
            .iter()
            .flatten()
            .map(move |index| (index, is_local))
            .collect::<Vec<_>>()
    });
    let mut key = part(&description.key_elements(), KeyType::Hash);
    key.extend(part(&description.key_elements(), KeyType::Range));
    TableDefinition {
        name: description.table_name.clone().unwrap_or_default(),
        key,
        indexes: indexes
            .map(|(index, is_local)| IndexDefinition {
                name: index.index_name.clone().unwrap_or_default(),
                is_local,
                partition: part(&index.key_elements(), KeyType::Hash),
                sort: part(&index.key_elements(), KeyType::Range),
                projection: match index.projected() {
                    (ProjectionType::All, _) => Projection::All,
                    (ProjectionType::KeysOnly, _) => Projection::Keys,
                    (ProjectionType::Include, names) => Projection::Only(names),
                },
            })
            .collect(),
        ttl: None,
    }
}
