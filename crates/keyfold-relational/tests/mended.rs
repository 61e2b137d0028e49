//! What a comparison finds, and that it is put right.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod world;

use keyfold_relational::{Progress, mend};
use world::{World, is_caught};

const MODEL: &str = "entity C\n  id: int, name: string, n: int\n  key \"C#{id}\" \"P\"\n  count n of O\n  unique name\n  from c\n\n\
                     entity O\n  cid: C.id, oid: string\n  key \"C#{cid}\" \"O#{oid}\"\n  from o set oid = o.id\n";

fn world() -> World {
    let world = World::new(
        "CREATE TABLE c(id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE o(id TEXT PRIMARY KEY, cid INT); \
         INSERT INTO c VALUES (1, 'a'), (2, 'b'); INSERT INTO o VALUES ('7', 1), ('8', 2);",
        MODEL,
    );
    assert!(is_caught(&world.run(10)));
    world
}

fn mended(world: &World) -> (u64, u64, u64) {
    world.with(|mapping, source| {
        let mended = mend(mapping, source, &world.backend, &Progress::default()).unwrap();
        (mended.put, mended.deleted, mended.verified.count)
    })
}

#[test]
fn items_without_rows_are_deleted_and_rows_without_items_written() {
    let world = world();
    assert_eq!(mended(&world), (0, 0, 0));
    // As if nobody had seen the changes.
    world.sql(
        "DROP TRIGGER keyfold_changes_c_after_delete; DROP TRIGGER keyfold_changes_o_after_delete;",
    );
    world.sql(
        "DROP TRIGGER keyfold_changes_c_after_insert; DROP TRIGGER keyfold_changes_o_after_insert;",
    );
    world.sql("DELETE FROM c WHERE id = 2; DELETE FROM o WHERE cid = 2;");
    world.sql("INSERT INTO c VALUES (3, 'b'); INSERT INTO o VALUES ('9', 3);");
    assert_eq!(
        world.differences(),
        [
            "c (id = 3): there is no C",
            "C (id = 2): `c` has no such row",
            "o (cid = 3, oid = \"9\"): there is no O",
            "O (cid = 2, oid = \"8\"): `o` has no such row",
        ]
    );
    assert_eq!(mended(&world), (2, 2, 0));
}

/// The names are given up one after the other where items count, and cannot be deleted.
#[test]
fn unique_values_that_have_changed_hands_are_mended() {
    let world = world();
    world.sql(
        "DELETE FROM o; DELETE FROM c; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) \
         INSERT INTO c SELECT i, 'n' || i FROM n; INSERT INTO o SELECT 'o' || id, id FROM c",
    );
    assert!(is_caught(&world.run(1_000)));
    world.sql("DROP TRIGGER keyfold_changes_c_after_update");
    world.sql("UPDATE c SET name = 'n' || (id % 300 + 1)");
    assert_eq!(mended(&world), (300, 0, 0));
}

#[test]
fn what_cannot_be_an_item_stays_a_difference() {
    let world = World::one(
        "CREATE TABLE t(id PRIMARY KEY, v TEXT); INSERT INTO t VALUES ('a', 'b');",
        "id: string, v: string",
        "t",
    );
    assert!(is_caught(&world.run(10)));
    world.sql("INSERT INTO t VALUES (NULL, 'x'), (1, 'x'), ('1', 'y'), ('c', NULL), ('d', 'e')");
    let (put, deleted, left) = mended(&world);
    assert_eq!((put, deleted), (1, 0));
    assert!(left >= 4, "{left}");
}

/// A list over several items is one entity.
#[test]
fn a_split_list_is_compared() {
    let world = World::new(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, list TEXT); \
         INSERT INTO t VALUES (1, '[1,2,3,4,5]'), (2, '[1]'), (3, '[]');",
        "entity A\n  id: int, list: list of int\n  key \"A#{id}\" \"P\"\n  split list by 2\n  from t\n",
    );
    assert!(is_caught(&world.run(10)));
    assert!(world.differences().is_empty());
    world.sql("UPDATE t SET list = '[1,2,3,4,6]' WHERE id = 1; DELETE FROM t WHERE id = 2;");
    assert_eq!(
        world.differences(),
        [
            "t (id = 1): list of A differs",
            "A (id = 2): `t` has no such row"
        ]
    );
    assert!(is_caught(&world.run(10)));
    assert!(world.differences().is_empty());
}
