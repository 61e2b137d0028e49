//! SQL in quotes: what is refused, at its place, before anything is read or made.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod world;

use world::World;

const SQL: &str = "CREATE TABLE t(id INTEGER PRIMARY KEY, v INT, at TEXT, \"now\" INT); INSERT INTO t VALUES (1, 1, 'x', 5);";

fn of_set(sql: &str) -> Vec<String> {
    World::one(SQL, "id: int, v: string", &format!("t set v = \"{sql}\"")).faults()
}

fn of_where(sql: &str) -> Vec<String> {
    World::one(SQL, "id: int, v: int", &format!("t where \"{sql}\"")).faults()
}

#[test]
fn an_expression_is_of_its_row_alone() {
    for refused in [
        "(select max(v) from t)",
        "(SELECT 1)",
        "sum(t.v)",
        "count(*)",
        "row_number() over (order by t.id)",
        "random()",
        "abs(random() % 5)",
        "CURRENT_TIMESTAMP",
        "datetime('now')",
        "strftime('%s', 'NOW')",
        "datetime()",
        "t.v; drop table t",
        "t.v -- more",
        "t.v /* more */",
        "?1",
        "?",
        "$1",
        ":v",
        "@v",
        "t.v) or (t.v",
        "(t.v",
        "t.nope + 1",
        "nosuch(t.v)",
        "t.v +",
    ] {
        assert_eq!(of_set(refused).len(), 1, "{refused}");
        assert_eq!(of_where(refused).len(), 1, "{refused}");
    }
}

#[test]
fn what_is_in_quotes_is_no_sql() {
    for taken in [
        "t.v || 'select ; -- ? $1 now'",
        "t.at || ' now ' || 'it''s'",
        "coalesce(t.v, 'random()')",
        "t.now + 1",
        "(t.v + (t.v))",
        "datetime(t.v, 'unixepoch')",
        "case when t.v > 5 then 'current_date' else 'b' end",
        "max(t.v, 2)",
    ] {
        assert_eq!(of_set(taken), Vec::<String>::new(), "{taken}");
    }
}

#[test]
fn the_database_says_what_it_refuses() {
    assert_eq!(
        of_set("t.nope + 1"),
        ["the database refuses this SQL: no such column: t.nope"]
    );
    assert_eq!(
        of_set("sum(t.v)"),
        ["the database refuses this SQL: misuse of aggregate function sum()"]
    );
}
