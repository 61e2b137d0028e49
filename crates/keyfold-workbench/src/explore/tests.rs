//! Questions about data, answered by an engine in memory.

use super::*;
use keyfold_client::Backend;
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use serde_json::json;
use std::sync::Arc;

const MODEL: &str = r##"model m 1
table Tab (PK, SK)
entity User
  userId: string, name: string
  key  "USER#{userId}"  "PROFILE"
pattern user(userId) -> User?
write rename(userId, name)
  update User set name = name
"##;

/// Nothing is under way.
fn nothing() -> UnderWay {
    Arc::new(|_, _| Activity {
        views: None,
        moves: Ok(Vec::new()),
        evolutions: Ok(Vec::new()),
        migrations: Ok(Vec::new()),
    })
}

/// A place in memory with the model's table, and the model as a file.
struct Stand {
    place: Place,
    files: Files,
    _folder: tempfile::TempDir,
}

impl Stand {
    fn new(is_here: bool, may_write: bool) -> Stand {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.keyfold");
        std::fs::write(&path, MODEL).unwrap();
        let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
        let place = Place {
            backend: Arc::new(Backend::Embedded(Arc::new(engine))),
            shown: "memory".to_owned(),
            url: None,
            region: None,
            is_here,
            may_write,
            under_way: nothing(),
            counters: Arc::new(|| Ok(None)),
        };
        Stand {
            place,
            files: Files::new(vec![path]),
            _folder: folder,
        }
    }

    /// The answer to a question; `None` where nobody answers it.
    fn maybe(&self, what: &str, body: &Json) -> Option<Json> {
        answer(&self.place, &self.files, what, body.to_string().as_bytes())
    }

    fn ask(&self, what: &str, body: &Json) -> Json {
        self.maybe(what, body).unwrap()
    }

    /// What the page refuses with.
    fn refused(&self, what: &str, body: &Json) -> String {
        self.ask(what, body)["error"]
            .as_str()
            .unwrap_or("")
            .to_owned()
    }

    fn count(&self) -> usize {
        let said = self.ask("items", &json!({ "file": 0, "table": "Tab", "limit": 10 }));
        said["items"].as_array().unwrap().len()
    }
}

fn user() -> Json {
    json!({ "file": 0, "verb": "create", "entity": "User", "values": { "userId": "u1", "name": "Ada" } })
}

fn with(mut body: Json, name: &str, value: Json) -> Json {
    body[name] = value;
    body
}

#[test]
fn nothing_that_writes_is_answered_without_consent_to_write() {
    let stand = Stand::new(true, false);
    let item = json!({ "table": "Tab", "after": { "PK": { "S": "a" }, "SK": { "S": "b" } }, "isAgreed": true });
    for (what, body) in [
        ("write", user()),
        ("item", item),
        ("create", json!({ "file": 0 })),
        (
            "named",
            json!({ "file": 0, "write": "rename", "values": {} }),
        ),
        ("transact", json!({ "file": 0, "parts": [] })),
        ("import", json!({ "file": 0, "lines": [] })),
    ] {
        assert_eq!(stand.maybe(what, &body), None, "{what}");
    }
    assert_eq!(
        stand.ask("tables", &json!({ "file": 0 }))["missing"],
        json!(["Tab"])
    );
}

#[test]
fn beyond_this_machine_each_write_is_agreed_to_twice() {
    let stand = Stand::new(false, true);
    let twice = "the place is not on this machine: agree a second time";
    let create = json!({ "file": 0 });
    assert_eq!(stand.refused("create", &create), twice);
    assert_eq!(stand.ask("tables", &create)["missing"], json!(["Tab"]));
    let made = stand.ask("create", &with(create, "isSure", json!(true)));
    assert_eq!(made["made"], json!(["Tab"]));

    let shown = stand.ask("write", &user())["shown"].clone();
    let agreed = with(user(), "shown", shown);
    assert_eq!(stand.refused("write", &agreed), twice);
    assert_eq!(stand.count(), 0);
    let done = stand.ask("write", &with(agreed, "isSure", json!(true)));
    assert_eq!(done["done"]["operation"], json!("PutItem"));
    assert_eq!(stand.count(), 1);

    let named =
        json!({ "file": 0, "write": "rename", "values": { "userId": "u1", "name": "Grace" } });
    let shown = stand.ask("named", &named)["shown"].clone();
    assert_eq!(stand.refused("named", &with(named, "shown", shown)), twice);
    let part = json!({ "verb": "delete", "entity": "User", "values": { "userId": "u1" } });
    let back = json!({ "file": 0, "parts": [part] });
    let shown = stand.ask("transact", &back)["shown"].clone();
    assert_eq!(
        stand.refused("transact", &with(back, "shown", shown)),
        twice
    );
    let lines = json!({ "file": 0, "isAgreed": true, "lines": [{ "kind": "User", "values": { "userId": "u2", "name": "Alan" } }] });
    assert_eq!(stand.refused("import", &lines), twice);
    assert_eq!(stand.count(), 1);

    let item = json!({ "table": "Tab", "after": { "PK": { "S": "a" }, "SK": { "S": "b" } }, "isAgreed": true });
    assert_eq!(stand.refused("item", &item), twice);
    assert_eq!(stand.count(), 1);
    stand.ask("item", &with(item, "isSure", json!(true)));
    assert_eq!(stand.count(), 2);
}

#[test]
fn an_item_is_written_only_if_it_is_as_it_was_read() {
    let stand = Stand::new(true, true);
    stand.ask("create", &json!({ "file": 0 }));
    let first = json!({ "PK": { "S": "a" }, "SK": { "S": "b" }, "n": { "N": "1" } });
    let second = json!({ "PK": { "S": "a" }, "SK": { "S": "b" }, "n": { "N": "2" }, "more": { "BOOL": true } });
    let ask = |before: &Json, after: &Json, is_agreed: bool| {
        let body =
            json!({ "table": "Tab", "before": before, "after": after, "isAgreed": is_agreed });
        stand.ask("item", &body)
    };
    let (nothing, failed) = (Json::Null, "conditional request failed");
    let fails = |said: Json| {
        said["error"]
            .as_str()
            .is_some_and(|why| why.contains(failed))
    };

    let shown = ask(&nothing, &first, false);
    assert_eq!(
        shown["request"]["ConditionExpression"],
        json!("attribute_not_exists(#a0)")
    );
    assert_eq!(stand.count(), 0, "it is only shown");
    ask(&nothing, &first, true);
    assert!(fails(ask(&nothing, &first, true)), "it is there already");
    ask(&first, &second, true);
    assert!(
        fails(ask(&first, &second, true)),
        "its value is another one"
    );
    let added = json!({ "PK": { "S": "a" }, "SK": { "S": "b" }, "n": { "N": "2" } });
    let both =
        json!({ "PK": { "S": "a" }, "SK": { "S": "b" }, "n": { "N": "2" }, "more": { "S": "x" } });
    assert!(
        fails(ask(&added, &both, true)),
        "somebody has added the attribute"
    );
    let third = json!({ "PK": { "S": "a" }, "SK": { "S": "b" }, "n": { "N": "3" } });
    ask(&added, &third, true);
    let said = stand.ask("items", &json!({ "table": "Tab", "limit": 10 }));
    let kept = &said["items"][0]["item"];
    assert_eq!(
        (&kept["n"], &kept["more"]),
        (&json!({ "N": "3" }), &json!({ "BOOL": true })),
        "what somebody has added stays"
    );
    ask(kept, &second, true);
    assert_eq!(
        ask(&second, &second, false)["error"],
        json!("nothing is changed")
    );
    let other = json!({ "PK": { "S": "a" }, "SK": { "S": "c" } });
    let said = ask(&second, &other, true);
    assert!(
        said["error"].as_str().unwrap().contains("another key"),
        "{said}"
    );
    assert!(
        fails(ask(&first, &nothing, true)),
        "what is deleted is another one"
    );
    ask(&second, &nothing, true);
    assert_eq!(stand.count(), 0);
}

#[test]
fn a_query_is_asked_as_it_is_written_and_its_items_are_entities() {
    let stand = Stand::new(true, true);
    stand.ask("create", &json!({ "file": 0 }));
    let shown = stand.ask("write", &user())["shown"].clone();
    stand.ask("write", &with(user(), "shown", shown));
    let raw = |operation: &str, request: Json| {
        let body = json!({ "file": 0, "operation": operation, "table": "Tab", "request": request });
        stand.ask("raw", &body)
    };
    let said = raw(
        "Query",
        json!({
            "TableName": "Tab", "KeyConditionExpression": "#k = :k", "ExpressionAttributeNames": { "#k": "PK" },
            "ExpressionAttributeValues": { ":k": { "S": "USER#u1" } }, "ReturnConsumedCapacity": "TOTAL",
        }),
    );
    assert_eq!(said["items"][0]["kind"], json!("User"), "{said}");
    assert_eq!(
        said["exchanges"][0]["request"]["KeyConditionExpression"],
        json!("#k = :k")
    );
    let said = raw(
        "ExecuteStatement",
        json!({ "Statement": "SELECT * FROM \"Tab\"" }),
    );
    assert_eq!(said["items"][0]["kind"], json!("User"), "{said}");
    let said = raw("Query", json!({ "TableName": "Tab", "Limit": "many" }));
    assert!(said["error"].is_string(), "{said}");
    let said = raw(
        "ExecuteStatement",
        json!({ "Statement": "DELETE FROM \"Tab\" WHERE PK = 'USER#u1' AND SK = 'PROFILE'" }),
    );
    assert!(said["error"].as_str().unwrap().contains("SELECT"), "{said}");
    assert_eq!(stand.count(), 1);
}

/// The name, the address and the region are all that the page is told of a place.
#[test]
fn a_place_says_no_more_than_its_name() {
    let backend = Backend::endpoint("http://127.0.0.1:9", "eu-west-1", "AKIDKEPT", "kept").unwrap();
    let place = Place {
        backend: Arc::new(backend),
        shown: "http://127.0.0.1:9".to_owned(),
        url: Some("http://127.0.0.1:9".to_owned()),
        region: Some("eu-west-1".to_owned()),
        is_here: true,
        may_write: false,
        under_way: nothing(),
        counters: Arc::new(|| Ok(None)),
    };
    let said = json!({
        "shown": "http://127.0.0.1:9", "url": "http://127.0.0.1:9", "region": "eu-west-1",
        "isHere": true, "mayWrite": false, "isFolder": false,
    });
    assert_eq!(place.json(), said);
}

/// A refusal stands in the place of the entries, and a model with errors hides nothing else.
#[test]
fn what_is_under_way_is_said_as_far_as_it_is_known() {
    let mut stand = Stand::new(true, false);
    stand.place.under_way = Arc::new(|_, opened| Activity {
        views: opened.model.as_ref().map(|(path, model)| {
            let name = path.file_name().unwrap_or_default().display();
            Err(format!("{} of {name}: not today", model.name))
        }),
        moves: Err("no right".to_owned()),
        evolutions: Ok(vec![Work {
            name: "m".to_owned(),
            from: "m 1".to_owned(),
            to: "m 2".to_owned(),
            phase: "phase 3".to_owned(),
            progress: String::new(),
            since_ms: Some(7),
            behind: Some((5, 9)),
            paused_ms: None,
            command: format!("{} file", opened.files.len()),
        }]),
        migrations: Ok(Vec::new()),
    });
    let said = stand.ask("under-way", &json!({ "file": 0 }));
    let evolution = json!({
        "name": "m", "from": "m 1", "to": "m 2", "phase": "phase 3", "progress": "", "sinceMs": 7,
        "behindMs": 5, "notedMs": 9, "pausedMs": null, "command": "1 file",
    });
    let expected = json!({
        "views": { "error": "m of m.keyfold: not today" }, "moves": { "error": "no right" },
        "evolutions": { "all": [evolution] }, "migrations": { "all": [] },
    });
    assert_eq!(said, expected);
    assert_eq!(stand.ask("under-way", &json!({}))["views"], Json::Null);
    std::fs::write(stand.files.paths()[0].as_path(), "model").unwrap();
    let said = stand.ask("under-way", &json!({ "file": 0 }));
    let why = said["views"]["error"].as_str().unwrap();
    assert!(why.ends_with("the stored model has errors"), "{why}");
    assert_eq!(said["moves"]["error"], json!("no right"));
}
