//! Joins whose columns have other types or collations: a change of the joined row reaches every item that the join
//! reaches.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod world;

use world::{World, is_caught};

/// Rows whose columns compare equal by a join, and how many of them are joined.
fn joined(own: &str, other: &str, on: &str, (value, others): (&str, &[&str]), due: u64) {
    let mut sql = format!(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, k {other}); CREATE TABLE j(k {own}, v TEXT); INSERT INTO j VALUES \
         ({value}, 'old');"
    );
    for one in others {
        sql.push_str(&format!("INSERT INTO t(k) VALUES ({one});"));
    }
    let from = format!("t join j on {on} set v = j.v");
    let world = World::one(&sql, "id: int, v: string", &from);
    assert!(is_caught(&world.run(10)));
    assert_eq!(world.verify().rows[0].1, due, "{own}, {other}, {on}");
    world.sql("UPDATE j SET v = 'new'");
    assert!(is_caught(&world.run(10)));
    let differences = world.differences();
    assert!(
        differences.is_empty(),
        "{own}, {other}, {on}: {differences:?}"
    );
    world.sql("DELETE FROM j");
    assert!(is_caught(&world.run(10)));
    assert!(world.differences().is_empty(), "{own}, {other}, {on}");
}

#[test]
fn a_changed_row_reaches_all_that_it_is_joined_to() {
    let cases = ["'abc'", "'ABC'", "'Abd'"];
    let (nocase, binary) = ("TEXT COLLATE NOCASE", "TEXT");
    joined(nocase, binary, "j.k = t.k", ("'aBc'", &cases), 2);
    joined(nocase, binary, "t.k = j.k", ("'ABC'", &cases), 1);
    joined(binary, nocase, "t.k = j.k", ("'aBc'", &cases), 2);
    joined(binary, nocase, "j.k = t.k", ("'ABC'", &cases), 1);
    joined(
        "TEXT COLLATE RTRIM",
        binary,
        "j.k = t.k",
        ("'a'", &["'a'", "'a '"]),
        2,
    );
    let numbers = ["'1'", "'01'", "'1.0'", "1", "'2'"];
    for on in ["j.k = t.k", "t.k = j.k"] {
        joined("INTEGER", "TEXT", on, ("1", &numbers), 4);
        joined("NUMERIC", "", on, ("1", &numbers), 4);
        joined("ANY", "TEXT", on, ("1", &numbers), 4);
        joined("TEXT", "ANY", on, ("'01'", &numbers), 4);
        joined("TEXT", "INTEGER", on, ("'01'", &numbers), 4);
        joined("TEXT", "", on, ("'1'", &numbers), 1);
        joined("", "TEXT", on, ("'1'", &numbers), 2);
        joined("", "INTEGER", on, ("'01'", &numbers), 4);
        joined("", "", on, ("1", &numbers), 1);
        joined("INTEGER", "TEXT", on, ("'x'", &["'x'", "'y'"]), 1);
    }
}
