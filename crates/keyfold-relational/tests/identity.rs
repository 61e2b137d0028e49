//! What identifies a row: values that compare equal and are not the same, NULL, texts that are none, and
//! keys that no item can have. No row is passed over in silence.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod world;

use world::{World, is_caught, problem};

/// Rows whose identities SQL takes for equal lie on both sides of a page's end.
#[test]
fn rows_that_compare_equal_are_all_read() {
    let mut sql =
        "CREATE TABLE t(id TEXT COLLATE NOCASE, v TEXT); CREATE INDEX i ON t(id);".to_owned();
    for number in 0..30 {
        for id in ["aa", "aA", "Aa", "AA"] {
            sql.push_str(&format!("INSERT INTO t VALUES('{id}{number:02}', 'v');"));
        }
    }
    for rows in [1, 2, 3, 5, 7] {
        let world = World::one(&sql, "id: string, v: string", "t");
        assert!(is_caught(&world.run(rows)));
        let found = world.verify();
        assert_eq!((found.count, found.rows[0].1), (0, 120), "{rows}");
    }
    // A page of a check is a thousand rows.
    let more = "WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM s WHERE i<999) \
                INSERT INTO t SELECT printf('a%05d', i), 'v' FROM s;\
                INSERT INTO t VALUES ('B', NULL), ('b', NULL), ('c', 'v');";
    let sql = format!("CREATE TABLE t(id TEXT COLLATE NOCASE, v TEXT); {more}");
    let world = World::one(&sql, "id: string, v: string", "t");
    assert_eq!(world.check().count, 2);
}

#[test]
fn rows_with_one_identity_are_named() {
    let more = "WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM s WHERE i<999) \
                INSERT INTO t SELECT i, 'v' FROM s;";
    let sql = format!("CREATE TABLE t(id INT, v TEXT); {more} INSERT INTO t VALUES (999, 'w');");
    let world = World::one(&sql, "id: int, v: string", "t");
    assert_eq!(
        problem(world.run(999)),
        "t (id = 999): several rows make the same A"
    );
    assert_eq!(world.problems(), ["t (id = 999): 2 rows make the same A"]);
    // So many that no page is large enough.
    world.sql("WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM s WHERE i<2500) INSERT INTO t SELECT 5, 'v' FROM s;");
    assert_eq!(
        problem(world.run(7)),
        "t (id = 5): several rows make the same A"
    );
    assert_eq!(world.problems()[0], "t (id = 5): 2501 rows make the same A");
}

/// SQLite takes NULL in a primary key that is no INTEGER, and texts that are no UTF-8.
#[test]
fn a_row_without_a_name_is_no_row_that_is_passed_over() {
    let world = World::one(
        "CREATE TABLE t(id TEXT PRIMARY KEY, v TEXT); INSERT INTO t VALUES ('a', 'x');",
        "id: string, v: string",
        "t",
    );
    assert!(is_caught(&world.run(1)));
    world.sql(
        "INSERT INTO t VALUES (NULL, 'q'), (CAST(x'ff' AS TEXT), 'r'), ('zz', 'x'), (NULL, 's')",
    );
    let problems = world.problems();
    assert_eq!(problems.len(), 3, "{problems:?}");
    assert!(problems[0].starts_with("t (id = NULL): "), "{problems:?}");
    assert!(
        problems[2].starts_with("t (id = 1 bytes): "),
        "{problems:?}"
    );
    let differences = world.differences();
    assert_eq!(differences.len(), 4, "{differences:?}");
    assert_eq!(differences[3], "t (id = \"zz\"): there is no A");
    world.sql("DELETE FROM t WHERE id IS NULL OR id = CAST(x'ff' AS TEXT)");
    assert!(is_caught(&world.run(1)));
    assert!(world.differences().is_empty());
    // From the beginning.
    world.sql("INSERT INTO t VALUES (NULL, 'q')");
    let fresh = World::one(
        "CREATE TABLE t(id TEXT PRIMARY KEY, v TEXT); INSERT INTO t VALUES (NULL, 'x'), (NULL, 'y'), ('a', 'x');",
        "id: string, v: string",
        "t",
    );
    assert!(problem(fresh.run(2)).starts_with("t (id = NULL): "));
}

#[test]
fn rows_that_make_one_item_by_another_spelling_are_named() {
    let world = World::one(
        "CREATE TABLE t(id PRIMARY KEY, v TEXT); INSERT INTO t VALUES (1, 'a'), ('1', 'b'), (2, 'c');",
        "id: string, v: string",
        "t",
    );
    assert_eq!(
        world.problems(),
        ["t (id = \"1\"): makes the same A as t (id = 1)"]
    );
    assert_eq!(
        problem(world.run(10)),
        "t (id = \"1\"): makes the same A as t (id = 1)"
    );
    let world = World::one(
        "CREATE TABLE t(id TEXT PRIMARY KEY); INSERT INTO t VALUES ('2026-01-01 10:00:00'), ('2026-01-01T10:00:00Z');",
        "id: time(s)",
        "t",
    );
    assert_eq!(
        world.problems(),
        ["t (id = \"2026-01-01T10:00:00Z\"): makes the same A as t (id = \"2026-01-01 10:00:00\")"]
    );
    let world = World::one(
        "CREATE TABLE t(id TEXT PRIMARY KEY); INSERT INTO t VALUES ('0000a000-0000-4000-8000-000000000000');",
        "id: uuid",
        "t",
    );
    assert!(is_caught(&world.run(10)));
    world.sql("INSERT INTO t SELECT upper(id) FROM t");
    assert_eq!(world.problems().len(), 1);
    assert_eq!(
        world.differences(),
        [
            "t (id = \"0000a000-0000-4000-8000-000000000000\"): makes the same A as t (id = \"0000A000-0000-4000-8000-000000000000\")"
        ]
    );
}

/// Two rows that make one item are found wherever they lie, also by a run that goes on from the first of them.
#[test]
fn rows_of_two_pages_that_make_one_item_are_named() {
    let between = "WITH RECURSIVE s(i) AS (SELECT 10 UNION ALL SELECT i+1 FROM s WHERE i<40) INSERT INTO t SELECT";
    let spelled = |first: &str, second: &str, more: &str| {
        format!(
            "CREATE TABLE t(id TEXT PRIMARY KEY NOT NULL, v TEXT); INSERT INTO t VALUES ('{first}', 'a'), \
             ('{second}', 'b'); {between} {more}, 'v' FROM s;"
        )
    };
    let (low, high) = (
        "a0000000-0000-4000-8000-000000000000",
        "A0000000-0000-4000-8000-000000000000",
    );
    let uuids = "printf('B%07d-0000-4000-8000-000000000000', i)";
    for (sql, kind, first, second) in [
        (spelled("01", "1", "'02' || i"), "int", "01", "1"),
        (spelled(high, low, uuids), "uuid", high, low),
    ] {
        let world = World::one(&sql, &format!("id: {kind}, v: string"), "t");
        let due = format!("t (id = \"{second}\"): makes the same A as t (id = \"{first}\")");
        for _ in 0..2 {
            assert_eq!(problem(world.run(3)), due);
        }
        world.sql(&format!("DELETE FROM t WHERE id = '{first}'"));
        assert!(is_caught(&world.run(3)));
        assert!(world.differences().is_empty());
    }
    // What identifies an item is not what identifies a row.
    let sql = format!(
        "CREATE TABLE t(number INTEGER PRIMARY KEY, id TEXT, v TEXT); INSERT INTO t VALUES (1, 'x', 'a'), (99, 'x', \
         'b'); {between} i, 'x' || i, 'v' FROM s;"
    );
    let world = World::one(&sql, "id: string, v: string", "t");
    let due = "t (id = \"x\"): 2 rows make the same A";
    assert_eq!(problem(world.run(3)), due);
    world.sql("DELETE FROM t WHERE number = 1");
    assert!(is_caught(&world.run(3)));
    assert!(world.differences().is_empty());
}

#[test]
fn a_join_that_yields_two_rows_is_named() {
    let world = World::one(
        "CREATE TABLE t(id INTEGER PRIMARY KEY); CREATE TABLE l(tid INT, q INT); INSERT INTO t VALUES (1), (2); \
         INSERT INTO l VALUES (1, 5), (2, 7);",
        "id: int, q: int",
        "t join l on l.tid = t.id set q = l.q",
    );
    assert!(is_caught(&world.run(10)));
    world.sql("INSERT INTO l VALUES (1, 6)");
    let named = "t (id = 1): 2 rows make the same A";
    assert_eq!(world.problems(), [named]);
    assert!(world.differences().contains(&named.to_owned()));
}

#[test]
fn null_says_the_default() {
    let world = World::one(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, status TEXT); INSERT INTO t VALUES (1, 'paid');",
        "id: int, status: pending | paid = pending",
        "t",
    );
    assert!(is_caught(&world.run(10)));
    world.sql("UPDATE t SET status = NULL");
    assert_eq!(
        world.differences(),
        ["t (id = 1): status of A differs"],
        "before it is carried"
    );
    assert!(is_caught(&world.run(10)));
    assert!(world.differences().is_empty());
}

/// What no item can have as its key is refused before an item is asked for, and the run goes on once such
/// a row is gone.
#[test]
fn a_key_that_no_item_has_is_the_rows_problem() {
    let world = World::new(
        "CREATE TABLE t(id TEXT PRIMARY KEY, v INT); INSERT INTO t VALUES ('a', 1);",
        "entity A\n  id: string, v: int\n  key \"A#{id}#Z\" \"P\"\n  from t\n",
    );
    assert!(is_caught(&world.run(10)));
    for id in ["", "x#y"] {
        world.sql(&format!("INSERT INTO t VALUES ('{id}', 2)"));
        let wrong = problem(world.run(10));
        assert!(wrong.starts_with(&format!("t (id = {id:?}): ")), "{wrong}");
        assert_eq!(world.problems().join("; "), wrong);
        assert_eq!(world.differences(), [wrong]);
        world.sql(&format!("DELETE FROM t WHERE id = '{id}'"));
        assert!(is_caught(&world.run(10)), "{id:?} is gone");
        assert!(world.differences().is_empty());
    }
    let world = World::new(
        "CREATE TABLE t(id INT PRIMARY KEY); INSERT INTO t VALUES (1);",
        "entity A\n  id: int\n  key \"A#{id:03}\" \"P\"\n  from t\n",
    );
    assert!(is_caught(&world.run(10)));
    world.sql("INSERT INTO t VALUES (1000)");
    assert!(problem(world.run(10)).starts_with("t (id = 1000): "));
    world.sql("DELETE FROM t WHERE id = 1000");
    assert!(is_caught(&world.run(10)));
}
