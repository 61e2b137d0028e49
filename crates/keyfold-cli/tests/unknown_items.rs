//! `keyfold run` on items that the model does not know: they are errors, as in all clients, or are left
//! out.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod workplace;

use workplace::Workplace;

/// A model whose attribute `value` has a type.
fn model(kind: &str) -> String {
    format!(
        "model tickets 1\ntable Main (PK, SK)\nrecord Words\n  one: string\nrecord Numbers\n  one: int\nentity Ticket\n  board: string, id: string, value: {kind}\n  key \"BOARD#{{board}}\" \"TICKET#{{id}}\"\npattern tickets(board) -> Ticket[]\npattern ticket(board, id) -> Ticket?\n"
    )
}

/// Each type with a value that is none of it, in each place where a value may be.
#[test]
fn a_value_of_another_type_is_an_error_or_is_left_out() {
    for (other, own, held, right) in [
        ("open | closed | ajar", "open | closed", "ajar", "open"),
        ("string", "int", "many", "7"),
        ("string", "bool", "yes", "true"),
        ("string", "time", "yesterday", "2024-01-15T10:00:00Z"),
        ("string", "date", "2024-02-30", "2024-01-15"),
        (
            "string",
            "uuid",
            "6f1c",
            "123e4567-e89b-12d3-a456-426614174000",
        ),
        ("list of string", "list of int", r#"["a"]"#, "[1]"),
        ("Words", "Numbers", r#"{"one": "a"}"#, r#"{"one": 1}"#),
        (
            "list of Words",
            "list of Numbers",
            r#"[{"one": "a"}]"#,
            r#"[{"one": 1}]"#,
        ),
        (
            "map of string",
            "map of int",
            r#"{"a": "b"}"#,
            r#"{"a": 1}"#,
        ),
        ("set of string", "set of int", r#"["a"]"#, "[1]"),
    ] {
        let place = Workplace::new();
        let other_file = place.write("other.keyfold", &model(other));
        let own_file = place.write("own.keyfold", &model(own));
        let put = |file: &str, id: &str, value: &str| {
            let value = format!("value={value}");
            let id = format!("id={id}");
            place.json(0, &["put", file, "Ticket", "board=b", &id, &value]);
        };
        put(&own_file, "1", right);
        put(&other_file, "2", held);
        put(&own_file, "3", right);
        for (pattern, argument) in [("tickets", None), ("ticket", Some("id=2"))] {
            let mut command = vec!["run", own_file.as_str(), pattern, "board=b"];
            command.extend(argument);
            let failed = place.json(1, &command);
            let text = failed.to_string();
            for piece in ["Ticket", "PK = ", "value"] {
                assert!(text.contains(piece), "{own}: {text}");
            }
            command.extend(["--on-unknown", "skip"]);
            let found = place.json(0, &command);
            let items = found["items"].as_array().unwrap();
            let wanted = if argument.is_some() { 0 } else { 2 };
            assert_eq!(items.len(), wanted, "{own}: {found}");
            let text = found.to_string();
            assert!(!text.contains("\"2\""), "{own}: {text}");
        }
    }
}
