//! What a check says of rows that read well, and that DynamoDB or the model would refuse as items.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod world;

use world::{World, is_caught, problem};

fn only(world: &World) -> String {
    let mut problems = world.problems();
    assert_eq!(problems.len(), 1, "{problems:?}");
    problems.remove(0)
}

#[test]
fn a_key_is_not_too_long() {
    let world = World::one(
        "CREATE TABLE t(id TEXT PRIMARY KEY); INSERT INTO t VALUES (printf('%.*c', 3000, 'x')), ('a');",
        "id: string",
        "t",
    );
    assert!(only(&world).contains("has at most 2048 bytes"));
}

#[test]
fn an_item_is_not_too_large() {
    let world = World::one(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT); INSERT INTO t VALUES (1, printf('%.*c', 500000, 'x')), (2, 'a');",
        "id: int, v: string",
        "t",
    );
    assert_eq!(
        only(&world),
        "t (id = 1): its item of A has 500018 bytes, and an item has at most 409600"
    );
}

/// The run says which row it is, and goes on when that is mended.
#[test]
fn an_item_that_becomes_too_large_ends_the_run() {
    for more in ["", "\n  unique v", "\n  copy c \"C\" \"{id}\""] {
        let entity =
            format!("entity A\n  id: int, v: string\n  key \"A#{{id}}\" \"P\"{more}\n  from t\n");
        let sql = "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT); INSERT INTO t VALUES (1, 'a'), (2, 'b');";
        let world = World::new(sql, &entity);
        assert!(is_caught(&world.run(10)));
        let large = match more.contains("unique") {
            // A key is full before.
            true => {
                "UPDATE t SET v = printf('%.*c', 3000, 'x') WHERE id = 1; UPDATE t SET v = 'c' WHERE id = 2"
            }
            false => {
                "UPDATE t SET v = printf('%.*c', 500000, 'x') WHERE id = 1; UPDATE t SET v = 'c' WHERE id = 2"
            }
        };
        world.sql(large);
        let said = problem(world.run(10));
        assert!(said.starts_with("t (id = 1): "), "{said}");
        if !more.contains("unique") {
            let due = "its item of A has 500018 bytes, and an item has at most 409600";
            assert!(said.ends_with(due), "{said}");
        }
        world.sql("UPDATE t SET v = 'd' WHERE id = 1");
        assert!(is_caught(&world.run(10)));
        assert!(world.differences().is_empty());
    }
}

#[test]
fn a_key_of_an_index_is_not_empty() {
    let sql = "CREATE TABLE t(id INTEGER PRIMARY KEY, mail TEXT); INSERT INTO t VALUES (1, ''), (2, 'a'), (3, NULL);";
    let of_copy = World::new(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, mail TEXT); INSERT INTO t VALUES (1, ''), (2, 'a');",
        "entity A\n  id: int, mail: string\n  key \"A#{id}\" \"P\"\n  copy c \"C#{mail}\" \"{id}\"\n  from t\n",
    );
    assert!(only(&of_copy).contains("mail is empty"));
    let world = World::new(
        sql,
        "entity A\n  id: int, mail: string?\n  key \"A#{id}\" \"P\"\n  from t\n",
    );
    assert!(world.problems().is_empty());
    let world = World::of_model(
        sql,
        "table Tab (PK, SK) type kind\n  gsi ByMail (mail)\n\nentity A\n  id: int, mail: string?\n  key \"A#{id}\" \"P\"\n  from t\npattern by(mail) -> A[]\n",
    );
    assert_eq!(
        only(&world),
        "t (id = 1): mail is empty, and a key is made of it"
    );
}

/// A copy is in the indexes of its table, too.
#[test]
fn a_key_of_a_copy_in_an_index_is_not_empty() {
    let world = World::of_model(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, at TEXT); INSERT INTO t VALUES (1, ''), (2, 'a');",
        "table Tab (PK, SK) type kind\n  gsi ByAt (at)\n\nentity A\n  id: int, at: string\n  key \"A#{id}\" \"P\"\n  copy c \"C\" \"{id}\"\n  from t\n",
    );
    assert!(only(&world).starts_with("t (id = 1): at is empty, and "));
}

#[test]
fn unique_values_are_unique() {
    let world = World::new(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, mail TEXT); INSERT INTO t VALUES (1, 'a'), (2, 'a'), (3, NULL), (4, NULL);",
        "entity A\n  id: int, mail: string?\n  key \"A#{id}\" \"P\"\n  unique mail\n  from t\n",
    );
    assert_eq!(
        only(&world),
        "t (id = 2): has the same mail as t (id = 1), and it is unique"
    );
}

#[test]
fn an_item_that_is_counted_has_its_parent() {
    let world = World::new(
        "CREATE TABLE c(id INTEGER PRIMARY KEY); CREATE TABLE o(id INTEGER PRIMARY KEY, cid INT); \
         INSERT INTO c VALUES (1); INSERT INTO o VALUES (1, 1), (2, 9);",
        "entity C\n  id: int, n: int\n  key \"C#{id}\" \"P\"\n  count n of O\n  from c\n\n\
         entity O\n  cid: C.id, oid: int\n  key \"C#{cid}\" \"O#{oid}\"\n  from o set oid = o.id\n",
    );
    assert_eq!(
        only(&world),
        "o (cid = 9, oid = 2): no row makes C (id = 9), whose n follows from it"
    );
}

#[test]
fn rows_that_come_meanwhile_have_no_problem() {
    let world = World::new(
        "CREATE TABLE c(id INTEGER PRIMARY KEY); CREATE TABLE o(id INTEGER PRIMARY KEY, cid INT, v TEXT UNIQUE);",
        "entity C\n  id: int, n: int\n  key \"C#{id}\" \"P\"\n  count n of O\n  from c\n\n\
         entity O\n  cid: C.id, oid: int, v: string?\n  key \"C#{cid}\" \"O#{oid}\"\n  unique v\n  from o set oid = o.id\n",
    );
    world.finds_nothing_beside(
        &[
            "INSERT INTO c VALUES (?1)",
            "INSERT INTO o VALUES (?1, ?1, NULL)",
            "UPDATE o SET v = NULL WHERE id = ?1 - 1",
            "UPDATE o SET v = 'one' WHERE id = ?1",
            "DELETE FROM o WHERE id = ?1 - 20",
            "DELETE FROM c WHERE id = ?1 - 20",
        ],
        World::problems,
    );
}

#[test]
fn an_item_counts_others_of_its_own_kind() {
    let world = World::new(
        "CREATE TABLE c(id INTEGER PRIMARY KEY, parent INT); INSERT INTO c VALUES (1, 2), (2, 1), (3, 4), (5, NULL);",
        "entity C\n  id: int, parent: C.id?, n: int\n  key \"C#{id}\" \"P\"\n  count n of C by parent\n  from c\n",
    );
    assert_eq!(
        only(&world),
        "c (id = 3): no row makes C (id = 4), whose n follows from it"
    );
}
