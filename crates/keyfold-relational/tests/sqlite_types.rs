//! Values of SQLite, which binds no value to a type: each line of the table of types in docs/migrate.md, and what is
//! refused.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod world;

use world::World;

/// What a value is in an attribute, or why it is none.
fn stored(value: &str, of: &str) -> Result<String, String> {
    stored_by(value, of, "t")
}

fn stored_by(value: &str, of: &str, from: &str) -> Result<String, String> {
    let sql =
        format!("CREATE TABLE t (id TEXT PRIMARY KEY, v); INSERT INTO t VALUES ('a', {value})");
    let world = World::one(&sql, &format!("id: string, v: {of}?"), from);
    world.with(|mapping, source| {
        let rows = mapping.entities[0].all_values(source).unwrap();
        match &rows[0] {
            Ok(values) => Ok(values
                .get("v")
                .map_or("absent".to_owned(), |value| format!("{value:?}"))),
            Err(problem) => Err(problem.to_string()),
        }
    })
}

const DIGITS: &str = "12345678901234567890123456789012345678";

#[test]
fn values_of_every_type_are_stored() {
    let text = |text: &str| format!("'{text}'");
    let kept = [
        ("NULL", "string", "absent"),
        ("NULL", "int", "absent"),
        // INTEGER
        ("-9223372036854775808", "int", "N(-9223372036854775808)"),
        ("9223372036854775807", "number", "N(9223372036854775807)"),
        ("-5", "string", "S(\"-5\")"),
        ("5", "\"5\" | \"6\"", "S(\"5\")"),
        ("1", "bool", "Bool(true)"),
        ("0", "bool", "Bool(false)"),
        // REAL
        ("0.1", "number", "N(0.1)"),
        ("1e-7", "number", "N(0.0000001)"),
        ("1.0 / 3", "number", "N(0.3333333333333333)"),
        ("2.0", "int", "N(2)"),
        ("-0.0", "number", "N(0)"),
        ("-0.0", "int", "N(0)"),
        // TEXT
        ("'a''b'", "string", "S(\"a'b\")"),
        ("''", "string", "S(\"\")"),
        ("'glad'", "sad | glad", "S(\"glad\")"),
        (
            "'01ARZ3NDEKTSV4RRFFQ69G5FAV'",
            "ulid",
            "S(\"01ARZ3NDEKTSV4RRFFQ69G5FAV\")",
        ),
        (
            "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'",
            "uuid",
            "S(\"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11\")",
        ),
        ("'2026-02-28'", "date", "S(\"2026-02-28\")"),
        (
            "'2026-02-28 10:00:00'",
            "time(s)",
            "S(\"2026-02-28T10:00:00Z\")",
        ),
        (
            "'2026-02-28T10:00:00'",
            "time(s)",
            "S(\"2026-02-28T10:00:00Z\")",
        ),
        (
            "'2026-02-28T10:00:00Z'",
            "time(s)",
            "S(\"2026-02-28T10:00:00Z\")",
        ),
        (
            "'2026-02-28 10:00:00.5+02:00'",
            "time(ms)",
            "S(\"2026-02-28T08:00:00.500Z\")",
        ),
        (
            "'2026-02-28T10:00:00-01:30'",
            "time(s)",
            "S(\"2026-02-28T11:30:00Z\")",
        ),
        ("'007'", "int", "N(7)"),
        ("'1.50'", "number", "N(1.5)"),
        ("'true'", "bool", "Bool(true)"),
        ("'FALSE'", "bool", "Bool(false)"),
        ("'t'", "bool", "Bool(true)"),
        ("'f'", "bool", "Bool(false)"),
        (
            "'[\"a\", \"b,c\"]'",
            "list of string",
            "L([S(\"a\"), S(\"b,c\")])",
        ),
        ("'{\"a\": 1}'", "map of int", "M({\"a\": N(1)})"),
        ("'[2, 1]'", "set of int", "Ns(Set { members: [1, 2] })"),
        // BLOB
        ("x'00ff'", "binary", "B([0, 255])"),
        ("x''", "binary", "B([])"),
    ];
    let mut unlike = Vec::new();
    for (value, of, due) in kept {
        let found = stored(value, of);
        if found.as_deref() != Ok(due) {
            unlike.push(format!("{value} as {of}: {found:?}"));
        }
    }
    assert_eq!(unlike, [""; 0]);
    for of in ["int", "number"] {
        let due = format!("N({DIGITS})");
        assert_eq!(stored(&text(DIGITS), of), Ok(due), "{of}");
    }
}

#[test]
fn seconds_are_a_time_by_an_expression() {
    let from = "t set v = \"datetime(t.v, 'unixepoch')\"";
    assert_eq!(
        stored_by("1767261600", "time(s)", from).as_deref(),
        Ok("S(\"2026-01-01T10:00:00Z\")")
    );
    let said = stored("1767261600", "time(s)").unwrap_err();
    assert_eq!(said, "t (id = \"a\"): v is 1767261600, which is no time(s)");
}

#[test]
fn everything_else_is_refused_with_the_row() {
    let longer = format!("'{DIGITS}9'");
    let refused = [
        ("9e999", "number", "v is inf, which is no number"),
        ("-9e999", "number", "v is -inf, which is no number"),
        ("9e999", "int", "v is inf, which is no int"),
        ("0.5", "int", "v"),
        ("1e300", "number", "v"),
        (longer.as_str(), "number", "v"),
        (longer.as_str(), "int", "v"),
        ("0.5", "string", "v is 0.5, which is no string"),
        ("0.5", "bool", "v is 0.5, which is no bool"),
        ("2", "bool", "v is 2, which is neither 0 nor 1"),
        (
            "'yes'",
            "bool",
            "v is \"yes\", which is neither true nor false",
        ),
        ("5", "time(s)", "v is 5, which is no time(s)"),
        ("5", "date", "v is 5, which is no date"),
        ("5", "list of int", "v is 5, which is no list of int"),
        ("5", "binary", "v is 5, which is no binary"),
        ("'x'", "int", "v"),
        ("'x'", "\"5\" | \"6\"", "v"),
        ("'x'", "uuid", "v"),
        ("'x'", "ulid", "v"),
        ("'2026-02-30'", "date", "v"),
        ("'2026-02-28 25:00:00'", "time(s)", "v"),
        ("'10:00:00'", "time(s)", "v"),
        ("'{'", "map of int", "v"),
        ("'[1, \"a\"]'", "list of int", "v"),
        (
            "'abc'",
            "binary",
            "v is \"abc\", a text of 3 bytes, where bytes are due",
        ),
        ("x'6162'", "string", "v is 2 bytes, which is no string"),
        ("x'31'", "int", "v is 1 bytes, which is no int"),
        // No text of Unicode.
        (
            "CAST(x'61ff' AS TEXT)",
            "string",
            "v is 2 bytes, which is no string",
        ),
    ];
    let mut unlike = Vec::new();
    for (value, of, due) in refused {
        let said = stored(value, of);
        let due = format!("t (id = \"a\"): {due}");
        if !said.as_ref().is_err_and(|said| said.starts_with(&due)) {
            unlike.push(format!("{value} as {of}: {said:?}"));
        }
    }
    assert_eq!(unlike, [""; 0]);
}

#[test]
fn a_key_has_no_empty_text_and_no_delimiter() {
    for (id, due) in [
        ("''", "id"),
        ("'a#b'", "id"),
        ("x'61'", "id"),
        ("NULL", "id"),
    ] {
        let sql = format!(
            "CREATE TABLE t (id TEXT, v TEXT); INSERT INTO t VALUES ({id}, 'x'), ('good', 'y')"
        );
        let entity = "entity A\n  id: string, v: string\n  key \"A#{id}#B\" \"P\"\n  from t\n";
        let found = World::new(&sql, entity).problems();
        assert_eq!(found.len(), 1, "{id}: {found:?}");
        assert!(
            found[0].starts_with("t (id = ") && found[0].contains(due),
            "{id}: {found:?}"
        );
    }
}
