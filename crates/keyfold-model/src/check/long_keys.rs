//! KF004: keys that are longer than DynamoDB takes them, whatever their fields hold.

use super::shape::{Shape, Space, Spaces};
use crate::diagnostic::Diagnostic;
use crate::schema::Model;
use crate::template::{KeyTemplate, Part};
use keyfold_types::limits::{PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX};

/// Reports each kind of item of which no key can be written.
pub(crate) fn check(model: &Model, spaces: &Spaces, diagnostics: &mut Vec<Diagnostic>) {
    for (at, table) in model.tables.iter().enumerate() {
        let indexes = (0..table.indexes.len()).map(Space::Index);
        for space in std::iter::once(Space::Table).chain(indexes) {
            let shapes = spaces.shapes(at, space);
            diagnostics.extend(shapes.iter().filter_map(too_long));
        }
    }
}

fn too_long(shape: &Shape) -> Option<Diagnostic> {
    let partition = (&shape.key.partition, "partition", PARTITION_KEY_BYTES_MAX);
    let sort = shape.key.sort.as_ref();
    let sort = sort.map(|sort| (sort, "sort", SORT_KEY_BYTES_MAX));
    let keys = std::iter::once(partition).chain(sort);
    keys.into_iter().find_map(|(key, side, most)| {
        let least = least_bytes(key);
        (least > most).then(|| {
            let message = format!(
                "the {side} key of {} has at least {least} bytes, and may have {most}",
                shape.what
            );
            Diagnostic::error("KF004", shape.span, message, "no item could be written")
                .help("shorten the text of the template")
        })
    })
}

/// The least bytes of the longest attribute of a key.
fn least_bytes(key: &KeyTemplate) -> usize {
    let attributes = key.parts.split(|part| *part == Part::Break);
    let lengths = attributes.map(|parts| parts.iter().map(Part::least_bytes).sum());
    lengths.max().unwrap_or_default()
}
