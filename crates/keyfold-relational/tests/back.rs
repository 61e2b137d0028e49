//! The way back of a `from` line: what has none, and which rows would come back as others.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod world;

use keyfold_relational::{MapError, Progress, check_back};
use world::World;

/// What has no way back, or the rows that would come back as others.
fn found(world: &World) -> Vec<String> {
    world.with(
        |mapping, source| match check_back(mapping, source, &Progress::default()) {
            Ok(checked) => checked.problems.iter().map(ToString::to_string).collect(),
            Err(MapError::Model(faults)) => faults.into_iter().map(|one| one.message).collect(),
            Err(MapError::Source(error)) => panic!("{error}"),
        },
    )
}

const SHOP: &str = "CREATE TABLE lines (id INTEGER PRIMARY KEY, sku TEXT NOT NULL, cents INTEGER NOT NULL, \
    at TEXT, paid BOOLEAN, tags TEXT, picture BLOB, note TEXT DEFAULT 'none');
    CREATE TABLE products (sku TEXT PRIMARY KEY, title TEXT NOT NULL);
    INSERT INTO products VALUES ('ink', 'Ink');
    INSERT INTO lines VALUES (1, 'ink', 1999, '2026-01-02 03:04:05', 1, '[\"a\", \"b\"]', x'00ff', NULL);";

const ENTITIES: &str = r#"
entity Product
  sku: string, title: string
  key "PRODUCT#{sku}" "P"
  from products
entity Line
  id: int, sku: string, title: string, price: number, at: time(s)?, paid: bool?, tags: list of string?, picture: binary?, note: string?
  key "LINE#{id}" "L"
  from lines l join products p on p.sku = l.sku set title = p.title, price = "l.cents / 100.0" back cents = "round(price * 100)"
"#;

#[test]
fn rows_that_come_back_as_they_are_have_no_problem() {
    assert_eq!(found(&World::new(SHOP, ENTITIES)), [""; 0]);
}

#[test]
fn what_would_come_back_as_another_row_is_listed() {
    let world = World::new(SHOP, ENTITIES);
    world.sql("INSERT INTO lines VALUES (2, 'ink', 12.5, '2026-01-02T03:04:05Z', 'true', '[]', NULL, 'x')");
    assert_eq!(
        found(&world),
        [
            "lines (id = 2): `cents` is 12.5, and would come back as 13",
            "lines (id = 2): `at` is \"2026-01-02T03:04:05Z\", and would come back as \"2026-01-02 03:04:05\"",
            "lines (id = 2): `paid` is \"true\", and would come back as 1",
        ]
    );
}

#[test]
fn rows_that_change_meanwhile_have_no_problem() {
    let world = World::one(
        "CREATE TABLE a (id INTEGER PRIMARY KEY, v INTEGER NOT NULL); INSERT INTO a VALUES (1, 0), (2, 0);",
        "id: int, v: int",
        "a",
    );
    world.finds_nothing_beside(&["UPDATE a SET v = ?1"], found);
}

#[test]
fn capitals_of_a_column_without_case_are_told_apart() {
    let sql = "CREATE TABLE a (id TEXT COLLATE NOCASE PRIMARY KEY NOT NULL, v TEXT COLLATE NOCASE); \
               INSERT INTO a VALUES ('x', 'B')";
    let back = |sql_of_v: &str| {
        let from = format!("a set v = \"lower(a.v)\" back v = \"{sql_of_v}\"");
        found(&World::one(sql, "id: string, v: string", &from))
    };
    assert_eq!(back("upper(v)"), [""; 0]);
    assert_eq!(
        back("v"),
        ["a (id = \"x\"): `v` is \"B\", and would come back as \"b\""]
    );
}

#[test]
fn what_has_no_way_back_is_refused_at_its_place() {
    let refused = |entities: &str| {
        let text = ENTITIES.replace(
            "from lines l join products p on p.sku = l.sku set title = p.title, price = \"l.cents / 100.0\" back cents = \"round(price * 100)\"",
            entities,
        );
        assert_ne!(text, ENTITIES);
        found(&World::new(SHOP, &text))
    };
    assert_eq!(
        refused(
            "from lines l join products p on p.sku = l.sku set title = p.title, price = \"l.cents / 100.0\""
        ),
        [
            "`price` is computed, and nothing says its way back to a column",
            "`cents` of `lines` is never NULL, has no default, and no attribute of Line says it",
        ]
    );
    let of = |back: &str| {
        refused(&format!(
            "from lines l join products p on p.sku = l.sku set title = p.title, price = \"l.cents / 100.0\" back {back}"
        ))
    };
    assert_eq!(
        of("cents = \"prise * 100\", cent = \"price\""),
        [
            "the database refuses this SQL: no such column: prise",
            "`lines` has no column `cent`",
        ]
    );
    assert_eq!(
        of("cents = \"price * 100 + random()\""),
        ["`random` is another value each time, and no change of a row says so"]
    );
    assert_eq!(
        of("cents = \"price * 100\", id = \"id\""),
        ["`id` has no other way back: it identifies the item, and is as its attribute"]
    );
}

#[test]
fn a_joined_column_of_no_entity_has_no_way_back() {
    let alone = ENTITIES.split("entity Line").nth(1).unwrap();
    assert_eq!(
        found(&World::new(SHOP, &format!("entity Line{alone}"))),
        ["`title` is taken from `p.title`, which is a column of no entity"]
    );
}

#[test]
fn the_rows_of_two_entities_have_no_way_back() {
    let sql = "CREATE TABLE a (id TEXT PRIMARY KEY NOT NULL, kind TEXT)";
    let of = |one: &str, two: &str| {
        let entities = format!(
            "entity A\n  id: string\n  key \"A#{{id}}\" \"P\"\n  from a {one}\n\
             entity B\n  id: string\n  key \"B#{{id}}\" \"P\"\n  from a {two}\n"
        );
        found(&World::new(sql, &entities))
    };
    assert_eq!(
        of("where \"a.kind = 'a'\" back kind = \"'a'\"", ""),
        [
            "the rows of `a` are items of A and of B",
            "the rows of `a` are items of B and of A",
        ]
    );
    let (one, two) = (
        "where \"a.kind = 'a'\" back kind = \"'a'\"",
        "where \"a.kind = 'b'\" back kind = \"'b'\"",
    );
    assert_eq!(of(one, two), [""; 0]);
}
