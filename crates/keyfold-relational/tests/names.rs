//! Names of columns, and what the line says of SQL that it does not have.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod world;

use keyfold_relational::{MapError, Mapping, Migration, Progress};
use world::{World, is_caught};

#[test]
fn a_column_has_its_name_without_regard_to_case() {
    let world = World::one(
        "CREATE TABLE t(\"ID\" INTEGER PRIMARY KEY, \"Cid\" INT, \"V\" TEXT); CREATE TABLE u(\"Id\" INTEGER PRIMARY KEY, \"W\" TEXT);\
         INSERT INTO t VALUES (1, 5, 'a'); INSERT INTO u VALUES (5, 'b');",
        "id: int, v: string, w: string",
        "t join u on u.id = t.cid set v = t.v, w = u.w",
    );
    assert_eq!(world.faults(), Vec::<String>::new());
    assert!(is_caught(&world.run(10)));
    world.sql("UPDATE u SET w = 'c'");
    assert!(is_caught(&world.run(10)));
    assert!(world.differences().is_empty());
}

fn helps(model: &str) -> Vec<String> {
    let compiled = keyfold_model::compile(&format!("model m 1\n\ntable Tab (PK, SK)\n\n{model}"));
    let lines = compiled.diagnostics.iter().flat_map(|one| one.help_lines());
    lines.map(str::to_owned).collect()
}

#[test]
fn words_of_sql_are_answered_with_what_is_written() {
    for (from, help) in [
        ("orders as o", "the name stands behind the table"),
        ("orders o inner join c on c.id = o.id", "`join` alone"),
        ("orders inner join c on c.id = o.id", "`join` alone"),
        ("orders o INNER JOIN c on c.id = o.id", "`join` alone"),
        (
            "orders o left outer join c on c.id = o.id",
            "without `outer`",
        ),
        ("orders o where o.paid = 1", "as a text"),
        ("orders o join c as k on k.id = o.id", "behind the table"),
    ] {
        let helps = helps(&format!(
            "entity A\n  id: int\n  key \"A#{{id}}\" \"P\"\n  from {from}\n"
        ));
        assert!(
            helps.iter().any(|one| one.contains(help)),
            "{from}: {helps:?}"
        );
    }
}

#[test]
fn the_likely_column_is_proposed() {
    let world = World::new(
        "CREATE TABLE customers(id INTEGER PRIMARY KEY, name TEXT)",
        "entity Customer\n  customerId: int, name: string\n  key \"C#{customerId}\" \"P\"\n  from customers\n",
    );
    let mut source = world.source();
    let Err(MapError::Model(faults)) = Mapping::of(&world.model, &mut source) else {
        panic!("it fits")
    };
    let helps: Vec<&str> = faults.iter().flat_map(|one| one.help_lines()).collect();
    assert_eq!(
        helps,
        ["say what it is taken from: `set customerId = customers.id`"]
    );
}

/// A `from` line that is another one since the migration began is no column that is gone.
#[test]
fn a_line_that_was_changed_is_told_as_such() {
    let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT, other TEXT); INSERT INTO t VALUES (1, 'a', 'b')";
    for (from, does) in [
        ("t set v = \"t.v || 'x'\"", "SQL in quotes"),
        ("t set v = t.other", "`t.other`"),
        ("t u", "`u.v`"),
    ] {
        let mut world = World::one(schema, "id: int, v: string?", "t");
        assert!(is_caught(&world.run(10)));
        world.model = World::one(schema, "id: int, v: string?", from).model;
        let lost = world.with(|mapping, source| {
            let progress = Progress::default();
            let migration = Migration::new(mapping, source, &world.backend, &progress);
            mapping.lost(&migration.state().unwrap().unwrap())
        });
        assert_eq!(lost.len(), 1, "{from}");
        let message = &lost[0].message;
        let due = format!("`t.v` filled `v` of A when the migration began, and {does} does now");
        assert_eq!(*message, due);
        let help: Vec<&str> = lost[0].help_lines().collect();
        assert!(
            help[0].starts_with("the `from` line was changed"),
            "{help:?}"
        );
    }
}
