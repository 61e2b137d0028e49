//! The sizes that charts show are those of the warnings: an index entry counts its keys, and the names
//! and values of what it holds.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold_model::check::estimate::{item_bytes, projected_bytes};
use keyfold_model::compile;

/// The estimated bytes of an item whose attribute `a` has this type, without those of its keys.
fn beside_keys(kind: &str) -> (u64, u64) {
    let source = format!(
        "model m 1\ntable Tab (PK, SK)\nrecord Pair\n  x: int, yy: bool\nentity E\n  id: string, a: {kind}\n  key \"E#{{id}}\" \"E\"\n"
    );
    let model = compile(&source).model.unwrap();
    let entity = model.entities.first().unwrap();
    // The item has 40 bytes for each of its two keys, and `id` with its name.
    let item = item_bytes(entity) - 80 - 22;
    let entry = projected_bytes(entity, &["a".to_owned()]) - 160;
    (item, entry)
}

#[test]
fn each_type_has_its_bytes_beside_its_name() {
    let all = [
        ("string", 20),
        ("int", 5),
        ("number", 8),
        ("bool", 1),
        ("time", 24),
        ("date", 10),
        ("binary", 64),
        ("ulid", 26),
        ("uuid", 36),
        ("x | long", 4),
        ("list of int", 3 + 10 * 6),
        ("set of string", 3 + 10 * 21),
        ("map of int", 3 + 10 * 16),
        ("Pair", 3 + 6 + 3),
        ("list of Pair", 3 + 10 * 13),
    ];
    for (kind, bytes) in all {
        assert_eq!(beside_keys(kind), (1 + bytes, 1 + bytes), "{kind}");
    }
}
