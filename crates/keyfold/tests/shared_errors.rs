//! Errors of calls: what they name, and where a write is refused, as in the clients of all languages.
#![allow(
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking, and names what is none of those it knows"
)]

use keyfold::typed::Value;
use keyfold::{Database, Error, Keyfold, Refused, Transaction};
use serde_json::{Map, Value as Json, json};

/// A database with what the cases write before.
fn database() -> (Database, Json) {
    let text = include_str!("../../../clients/cases/errors.json");
    let cases: Json = serde_json::from_str(&text.replace("LONG", &"x".repeat(2100))).unwrap();
    let model = include_str!("../../../clients/cases/errors.keyfold");
    let database = Keyfold::memory().unwrap().model(model).unwrap();
    for one in cases["before"].as_array().unwrap() {
        carry(&database, one).unwrap();
    }
    (database, cases)
}

#[test]
fn an_error_of_wrong_input_names_what_it_names_in_all_clients() {
    let (database, cases) = database();
    let mut wrong = Vec::new();
    for case in cases["invalid"].as_array().unwrap() {
        let languages = case["languages"].as_array();
        if languages.is_some_and(|all| !all.contains(&"rust".into())) {
            continue;
        }
        let found = match carry(&database, &case["call"]) {
            Err(Error::Invalid { of, attribute, .. }) => json!([of, attribute]),
            other => json!([format!("{other:?}")]),
        };
        compare(case, &["of", "attribute"], &found, &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_refused_write_says_where_as_in_all_clients() {
    let (database, cases) = database();
    let mut wrong = Vec::new();
    for case in cases["refused"].as_array().unwrap() {
        let error = carry(&database, &case["call"]).unwrap_err();
        let codes = [
            ("exists", matches!(error, Error::Exists(_))),
            ("taken", matches!(error, Error::Taken { .. })),
            ("not_found", matches!(error, Error::NotFound(_))),
            ("stale_version", matches!(error, Error::StaleVersion(_))),
            ("refused", matches!(error, Error::Refused(_))),
        ];
        let code = codes.iter().find(|(_, is)| *is).map(|(code, _)| code);
        let none = Refused::default();
        let Refused {
            action,
            entity,
            id,
            write,
            ..
        } = error.refused().unwrap_or(&none);
        let id: Map<String, Json> = id
            .iter()
            .map(|(name, one)| (name.clone(), text(one)))
            .collect();
        let found = json!([code, action, entity, id, write]);
        compare(
            case,
            &["code", "action", "entity", "id", "write"],
            &found,
            &mut wrong,
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_update_is_done_as_in_all_clients() {
    let (database, cases) = database();
    for case in cases["done"].as_array().unwrap() {
        let call = &case["call"];
        let report = database.update(call["update"].as_str().unwrap(), &call["values"]);
        let report = report.unwrap();
        let found = json!([report.operation, report.changes]);
        assert_eq!(
            found,
            json!([case["operation"], case["changes"]]),
            "{}",
            case["name"]
        );
    }
}

/// A text of an identity.
fn text(one: &Value) -> Json {
    if let Value::S(text) = one {
        return json!(text);
    }
    json!(format!("{one:?}"))
}

/// Notes a case whose error has other members than these.
fn compare(case: &Json, members: &[&str], found: &Json, wrong: &mut Vec<String>) {
    let expected: Json = members.iter().map(|name| case[name].clone()).collect();
    if *found != expected {
        wrong.push(format!("{}: {found} instead of {expected}", case["name"]));
    }
}

const VERBS: [&str; 10] = [
    "create",
    "put",
    "update",
    "delete",
    "read",
    "one",
    "run",
    "getMany",
    "putMany",
    "deleteMany",
];

/// Carries out the call of a case.
fn carry(database: &Database, call: &Json) -> Result<(), Error> {
    let named = |verb: &'static str| Some((verb, call[verb].as_str()?));
    let (verb, of) = VERBS.into_iter().find_map(named).unwrap_or_default();
    let list = |member: &str| call[member].as_array().unwrap();
    match verb {
        "create" => database.create(of, &call["values"]).map(drop),
        "put" => database.put(of, &call["values"]).map(drop),
        "update" => {
            let removed = call["remove"].as_array().into_iter().flatten();
            let removed: Vec<&str> = removed.filter_map(Json::as_str).collect();
            database.change(of, &call["values"], &removed).map(drop)
        }
        "delete" => database.delete(of, &call["key"]).map(drop),
        "read" => database.query(of).args(&call["args"]).page().map(drop),
        "one" => database.query(of).args(&call["args"]).one().map(drop),
        "run" => database.run(of).args(&call["args"]).send().map(drop),
        "getMany" => database.get_many(of, list("keys")).map(drop),
        "putMany" => database.put_many(of, list("items")).map(drop),
        "deleteMany" => database.delete_many(of, list("keys")).map(drop),
        _ => database.transact(transaction(list("transact"))).map(drop),
    }
}

fn transaction(writes: &[Json]) -> Transaction {
    writes.iter().fold(Transaction::new(), |all, one| {
        let of = |verb: &str| one[verb].as_str();
        match (of("put"), of("update"), of("delete"), of("run")) {
            (Some(entity), ..) => all.put(entity, &one["values"]),
            (_, Some(entity), ..) => all.update(entity, &one["values"]),
            (_, _, Some(entity), _) => all.delete(entity, &one["key"]),
            (.., name) => all.run(name.unwrap(), &one["args"]),
        }
    })
}
