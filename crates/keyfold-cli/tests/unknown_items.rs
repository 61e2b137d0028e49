//! `keyfold run` on items that the model does not know: they are errors, as in all clients, or are left
//! out.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod workplace;

use keyfold_api::{DeleteItemInput, PutItemInput, Response, ScanInput};
use keyfold_client::Backend;
use keyfold_types::{Item, Value};
use serde_json::Value as Json;
use workplace::Workplace;
use workplace::server::Server;

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

/// A text as S, a number as N, a list as L.
fn value(plain: &Json) -> Value {
    match plain {
        Json::String(text) => Value::from(text.as_str()),
        Json::Number(number) => Value::from(number.as_i64().unwrap()),
        Json::Array(elements) => Value::L(elements.iter().map(value).collect()),
        Json::Null | Json::Bool(_) | Json::Object(_) => panic!("{plain}"),
    }
}

/// The arguments of a case, as the command line has them.
fn arguments(plain: &Json) -> Vec<String> {
    let members = plain.as_object().unwrap().iter();
    let text = |held: &Json| {
        held.as_str()
            .map_or_else(|| held.to_string(), str::to_owned)
    };
    members
        .map(|(name, held)| format!("{name}={}", text(held)))
        .collect()
}

/// What errors about unknown items say: of rows of views the cause, or where it is said.
const UNKNOWN: [&str; 3] = [
    "it was not written through the model",
    "the sum of its items, is ",
    "`keyfold verify` says why",
];

/// What comes of a command, as the cases say it: the ids of an answer, true for a write.
fn outcome(place: &Workplace, command: &[&str]) -> Json {
    let output = place.run(&[command, &["--json"]].concat());
    let out = String::from_utf8_lossy(&output.stdout);
    let document: Json = serde_json::from_str(out.lines().last().unwrap_or_default()).unwrap();
    if output.status.success() {
        let Some(items) = document["result"]["items"].as_array() else {
            return Json::Bool(true);
        };
        let id = |item: &Json| {
            let held = &item["attributes"];
            held.get("id").or(held.get("place")).unwrap().clone()
        };
        return items.iter().map(id).collect();
    }
    let text = document.to_string();
    match output.status.code() {
        Some(4) => Json::from("not_found"),
        Some(1) if UNKNOWN.iter().any(|end| text.contains(end)) => Json::from("unknown"),
        _ => panic!("{command:?}: {text}"),
    }
}

/// Deletes all items of the cases.
fn clear(backend: &Backend) {
    for table in ["Main", "Marked"] {
        let table_name = Some(table.to_owned());
        let scan = ScanInput {
            table_name: table_name.clone(),
            ..ScanInput::default()
        };
        let Response::Scan(found) = backend.call(scan.into()).unwrap() else {
            panic!("a scan is answered")
        };
        for item in found.items.unwrap() {
            let item = item.to_item();
            let key = ["PK", "SK"].map(|name| (name, item.get(name).unwrap().clone()));
            let delete = DeleteItemInput {
                table_name: table_name.clone(),
                key: Some(Ok(key.into_iter().collect())),
                ..DeleteItemInput::default()
            };
            backend.call(delete.into()).unwrap();
        }
    }
}

/// The cases that all clients share, of items that say another kind than their keys.
#[test]
fn an_item_of_another_kind_is_an_error_or_is_left_out() {
    let model = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../clients/cases/unknown.keyfold"
    );
    let cases = include_str!("../../../clients/cases/unknown.json");
    let cases: Json = serde_json::from_str(cases).unwrap();
    let place = Workplace::new();
    let server = Server::start(&[model]);
    let backend = server.backend();
    for case in cases["cases"].as_array().unwrap() {
        if !case["get"].is_null() {
            continue;
        }
        clear(&backend);
        for one in case["items"].as_array().unwrap() {
            let members = one.as_object().unwrap().iter();
            let item: Item = members
                .map(|(name, held)| (name.clone(), value(held)))
                .collect();
            let input = PutItemInput {
                table_name: Some(case["table"].as_str().unwrap_or("Main").to_owned()),
                item: Some(Ok(item)),
                ..PutItemInput::default()
            };
            backend.call(input.into()).unwrap();
        }
        let at = ["--endpoint", server.endpoint.as_str()];
        let mut verbs = ["update", "put", "delete", "write", "pattern"].into_iter();
        let verb = verbs.find(|verb| case[verb].is_string()).unwrap();
        let asked = if verb == "pattern" {
            "arguments"
        } else {
            "values"
        };
        let given = arguments(&case[asked]);
        let word = if ["write", "pattern"].contains(&verb) {
            "run"
        } else {
            verb
        };
        let mut command = vec![word, model, case[verb].as_str().unwrap()];
        command.extend(given.iter().map(String::as_str));
        command.extend(at);
        let name = &case["name"];
        if verb != "pattern" {
            assert_eq!(outcome(&place, &command), case["done"], "{name}");
            continue;
        }
        assert_eq!(outcome(&place, &command), case["found"], "{name}");
        command.extend(["--on-unknown", "skip"]);
        let skipped = case.get("skipped").unwrap_or(&case["found"]);
        assert_eq!(outcome(&place, &command), *skipped, "{name}");
    }
}
