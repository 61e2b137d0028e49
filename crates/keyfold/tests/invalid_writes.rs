//! Writes that the service finds invalid: one class of error, and one sentence, whether a write is a
//! request of its own, part of a transaction or of a batch.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold::{Database, Error, Keyfold, Transaction};
use serde_json::Value as Json;

/// The cases that the clients in all languages share.
#[test]
fn an_invalid_write_has_the_error_of_all_clients() {
    let text = include_str!("../../../clients/cases/invalid_writes.json");
    let cases: Json = serde_json::from_str(&text.replace("LARGE", &"x".repeat(420_000))).unwrap();
    let model = include_str!("../../../clients/cases/invalid_writes.keyfold");
    let notes = Keyfold::memory().unwrap().model(model).unwrap();
    for one in cases["before"].as_array().unwrap() {
        write(&notes, std::slice::from_ref(one)).unwrap();
    }
    for case in cases["cases"].as_array().unwrap() {
        let done = match case["items"].as_array() {
            Some(items) => notes.put_many("Note", items).map(drop),
            None => write(&notes, case["writes"].as_array().unwrap()),
        };
        let error = done.unwrap_err();
        let name = &case["name"];
        assert_eq!(
            error.to_string(),
            case["message"].as_str().unwrap(),
            "{name}"
        );
        let is_own = matches!(&error, Error::Service { exception, .. } if exception == "ValidationException");
        assert!(is_own, "{name}: {error:?}");
    }
}

/// Carries out one write as a call of its own, several as a transaction.
fn write(notes: &Database, writes: &[Json]) -> Result<(), Error> {
    if let [one] = writes {
        return match (one["put"].as_str(), one["run"].as_str()) {
            (Some(entity), _) => notes.put(entity, &one["values"]).map(drop),
            (None, name) => notes.run(name.unwrap()).args(&one["args"]).send().map(drop),
        };
    }
    let all = writes.iter().fold(Transaction::new(), |all, one| {
        match (one["put"].as_str(), one["run"].as_str()) {
            (Some(entity), _) => all.put(entity, &one["values"]),
            (None, name) => all.run(name.unwrap(), &one["args"]),
        }
    });
    notes.transact(all).map(drop)
}
