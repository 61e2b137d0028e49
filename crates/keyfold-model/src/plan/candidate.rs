//! The keys that may serve a pattern: the table's, and one for each index that holds the items.

use crate::check::shape::{Space, copy_key_in};
use crate::schema::{Column, Copy, Entity, Index, IndexKind, KeyPair, Returned, Sparse, Table};

/// One key that may serve a pattern.
pub(super) struct Candidate {
    pub(super) space: Space,
    /// The key's name in messages: `the key of Order`, `Order in GSI1`.
    pub(super) label: String,
    pub(super) key: KeyPair,
    /// The condition of an index that holds only some items.
    pub(super) sparse: Option<Sparse>,
    /// The copy whose key it is.
    pub(super) copy: Option<Copy>,
    /// The names of the partition key attributes.
    pub(super) partition: Vec<String>,
    /// The names of the sort key attributes.
    pub(super) sort: Vec<String>,
    /// The index's name; `None` for the table's key.
    pub(super) index: Option<String>,
}

/// The keys of a returned kind, cheapest first: the table's, then local and global indexes.
pub(super) fn candidates(table: &Table, entity: &Entity, returned: &Returned) -> Vec<Candidate> {
    let copy = returned.copy.and_then(|at| entity.copies.get(at));
    let (label, key) = match copy {
        None => (format!("the key of {}", entity.name), &entity.key),
        Some(copy) => (format!("the copy {}.{}", entity.name, copy.name), &copy.key),
    };
    let of_table = Candidate {
        space: Space::Table,
        label,
        key: key.clone(),
        sparse: None,
        copy: copy.cloned(),
        partition: vec![table.partition.name.clone()],
        sort: names(table.sort.iter()),
        index: None,
    };
    let of_indexes = [IndexKind::Local, IndexKind::Global]
        .into_iter()
        .flat_map(|kind| {
            table
                .indexes
                .iter()
                .enumerate()
                .filter(move |(_, index)| index.kind == kind)
        })
        .filter_map(|(at, index)| of_index(table, entity, copy, at, index));
    std::iter::once(of_table).chain(of_indexes).collect()
}

/// The key of an entity, or of its copy, in an index; `None` if the index does not hold it.
fn of_index(
    table: &Table,
    entity: &Entity,
    copy: Option<&Copy>,
    at: usize,
    index: &Index,
) -> Option<Candidate> {
    let (key, sparse) = match copy {
        Some(copy) => (copy_key_in(table, entity, copy, index)?, None),
        None => {
            let found = entity.indexes.iter().find(|key| key.index == at)?;
            (found.key.clone(), found.sparse.clone())
        }
    };
    Some(Candidate {
        space: Space::Index(at),
        label: format!("{} in {}", entity.name, index.name),
        key,
        sparse,
        copy: copy.cloned(),
        partition: names(index.partition.iter()),
        sort: names(index.sort.iter()),
        index: Some(index.name.clone()),
    })
}

/// The names of key attributes.
pub(super) fn names<'c>(columns: impl Iterator<Item = &'c Column>) -> Vec<String> {
    columns.map(|column| column.name.clone()).collect()
}
