//! Stream records as events: those of a stream reader, and those of a Lambda function.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use keyfold::api::{
    DescribeTableInput, GetRecordsInput, GetShardIteratorInput, PutItemInput, StreamEvent,
};
use keyfold::types::{Item, Value};
use keyfold::{Database, Error, Event, Keyfold, OnUnknown, values};
use serde_json::Value as Json;

const MODEL: &str = r#"
model m 1
table Tab (PK, SK) type kind
  stream new and old images
entity User
  id: string, email: string, name: string
  key "U#{id}" "U"
  copy card "CARDS" "{name}#{id}" only id
  unique email
  unstored id
entity Report
  name: string, lines: list of string, title: string
  key "R" "R#{name}"
  split lines by 2
pattern user(id) -> User?
pattern reports() -> Report[]
"#;

/// All records of the table's stream.
fn records(db: &Keyfold) -> Vec<StreamEvent> {
    let describe = DescribeTableInput {
        table_name: Some("Tab".to_owned()),
    };
    let arn = db.send(describe).unwrap().latest_stream_arn.unwrap();
    let describe = keyfold::api::DescribeStreamInput {
        stream_arn: Some(arn.clone()),
        ..Default::default()
    };
    let stream = db.send(describe).unwrap().stream_description.unwrap();
    let shards = stream.shards.unwrap();
    let mut all = Vec::new();
    for shard in shards {
        let input = GetShardIteratorInput {
            stream_arn: Some(arn.clone()),
            shard_id: shard.shard_id,
            shard_iterator_type: Some(keyfold::api::ShardIteratorType::TrimHorizon.into()),
            ..GetShardIteratorInput::default()
        };
        let mut next = db.send(input).unwrap().shard_iterator;
        while let Some(iterator) = next {
            let input = GetRecordsInput {
                shard_iterator: Some(iterator),
                ..GetRecordsInput::default()
            };
            let output = db.send(input).unwrap();
            let records = output.records.unwrap_or_default();
            next = output.next_shard_iterator.filter(|_| !records.is_empty());
            all.extend(records);
        }
    }
    all
}

/// An event in a line.
fn line(event: &Event) -> String {
    let shown = |item: &Option<keyfold::Item>| match item {
        None => "-".to_owned(),
        Some(item) => item.to_json().to_string(),
    };
    format!("{} {} {}", event.kind, shown(&event.old), shown(&event.new))
}

fn written() -> (Keyfold, Database) {
    let db = Keyfold::memory().unwrap();
    let database = db.model(MODEL).unwrap();
    let user = values! { "id": "a", "email": "a@x", "name": "Ada" };
    database.put("User", user).unwrap();
    database
        .update("User", values! { "id": "a", "name": "Bo" })
        .unwrap();
    database.delete("User", values! { "id": "a" }).unwrap();
    for lines in [vec!["1", "2", "3", "4", "5"], vec!["1"]] {
        let report = values! { "name": "r", "lines": lines, "title": "t" };
        database.put("Report", report).unwrap();
    }
    (db, database)
}

#[test]
fn an_entity_changes_and_what_follows_from_it_is_silent() {
    let (db, database) = written();
    let records = records(&db);
    let events = database.events();
    let found = records
        .iter()
        .filter_map(|one| events.of_record(one).unwrap());
    let found: Vec<String> = found.map(|event| line(&event)).collect();
    let (ada, bo) = (
        r#"{"email":"a@x","id":"a","name":"Ada"}"#,
        r#"{"email":"a@x","id":"a","name":"Bo"}"#,
    );
    assert!(records.len() > found.len(), "{}", records.len());
    assert_eq!(
        found,
        [
            format!("User - {ada}"),
            format!("User {ada} {bo}"),
            format!("User {bo} -"),
            // Only a list in one item is whole in its record.
            r#"Report - {"name":"r","title":"t"}"#.to_owned(),
            r#"Report {"name":"r","title":"t"} {"lines":["1"],"name":"r","title":"t"}"#.to_owned(),
        ]
    );
}

#[test]
fn a_lambda_event_is_json() {
    let database = Keyfold::memory().unwrap().model(MODEL).unwrap();
    let record = |source: &str, image: &str| {
        format!(
            r#"{{"eventID":"1","eventName":"INSERT","eventVersion":"1.1","eventSource":"aws:dynamodb","awsRegion":"eu-west-1",
            "dynamodb":{{"ApproximateCreationDateTime":1700000000,"Keys":{{"PK":{{"S":"U#a"}},"SK":{{"S":"U"}}}},
            {image}"SequenceNumber":"1","SizeBytes":9,"StreamViewType":"NEW_AND_OLD_IMAGES"}},
            "eventSourceARN":"arn:aws:dynamodb:eu-west-1:1:table/{source}/stream/2026-01-01T00:00:00.000"}}"#
        )
    };
    let image =
        r#""NewImage":{"PK":{"S":"U#a"},"SK":{"S":"U"},"email":{"S":"e"},"name":{"S":"n"}},"#;
    let of = |records: &[String]| format!(r#"{{"Records":[{}]}}"#, records.join(","));
    let events = database.events();
    let found = events
        .of_json(of(&[record("Tab", image)]).as_bytes())
        .unwrap();
    assert_eq!(
        line(&found[0]),
        r#"User - {"email":"e","id":"a","name":"n"}"#
    );

    let refused = |json: String| match events.of_json(json.as_bytes()) {
        Err(Error::Invalid { message: why, .. }) => why,
        Err(Error::UnknownItem(unknown)) => unknown.message,
        other => panic!("{other:?}"),
    };
    assert!(refused(of(&[record("Tab", "")])).contains("no image"));
    assert!(refused("[]".to_owned()).contains("`Records`"));
    let wrong = image.replace(r#"{"S":"e"}"#, r#"{"S":5}"#);
    let why = refused(of(&[record("Tab", image), record("Tab", &wrong)]));
    assert_eq!(
        why,
        "record 1 is none of a stream: `email` of its `NewImage` is no value of DynamoDB's JSON"
    );
    let strange = of(&[record("Other", image), record("Tab", image)]);
    let why = refused(strange.clone());
    assert!(
        why.contains("does not know (PK = \"U#a\", SK = \"U\")"),
        "{why}"
    );
    let skipping = database.events().on_unknown(OnUnknown::Skip);
    assert_eq!(skipping.of_json(strange.as_bytes()).unwrap().len(), 1);
}

/// An item that another program has written is an error or skipped, and never a wrong kind.
#[test]
fn a_foreign_item_is_not_an_entity() {
    let (db, database) = written();
    let mut item = Item::new();
    item.insert("PK", Value::from("FOREIGN"));
    item.insert("SK", Value::from("U"));
    let input = PutItemInput {
        table_name: Some("Tab".to_owned()),
        item: Some(Ok(item)),
        ..PutItemInput::default()
    };
    db.send(input).unwrap();
    let last = records(&db).pop().unwrap();
    assert!(matches!(
        database.events().of_record(&last),
        Err(Error::UnknownItem(_))
    ));
    let skipping = database.events().on_unknown(OnUnknown::Skip);
    assert_eq!(skipping.of_record(&last).unwrap(), None);
}

/// The cases that the clients in all languages share.
#[test]
fn records_become_the_events_of_all_clients() {
    let cases: Json =
        serde_json::from_str(include_str!("../../../clients/cases/events.json")).unwrap();
    let model = include_str!("../../../clients/cases/events.keyfold");
    let database = Keyfold::memory().unwrap().model(model).unwrap();
    for case in cases["cases"].as_array().unwrap() {
        let name = &case["name"];
        let reader = || match case["copies"].as_bool() {
            Some(true) => database.events().with_copies(),
            _ => database.events(),
        };
        let json = serde_json::json!({ "Records": [case["record"]] }).to_string();
        let found = reader().of_json(json.as_bytes());
        let skipped = reader()
            .on_unknown(OnUnknown::Skip)
            .of_json(json.as_bytes());
        match case["event"].as_str() {
            Some(word) => {
                let is_told = match word {
                    "unknown" => matches!(found, Err(Error::UnknownItem(_))),
                    _ => matches!(found, Err(Error::Invalid { .. })),
                };
                assert!(is_told, "{name}: {found:?}");
                let is_skipped = skipped.as_ref().is_ok_and(Vec::is_empty);
                assert_eq!(is_skipped, word == "unknown", "{name}: {skipped:?}");
            }
            None => {
                let found = found.unwrap();
                let shown = found.first().map_or(Json::Null, shown);
                assert_eq!(shown, case["event"], "{name}");
            }
        }
    }
}

/// An event as JSON.
fn shown(event: &Event) -> Json {
    let images = [("old", &event.old), ("new", &event.new)];
    let json = |item: &keyfold::Item| {
        let mut json = item.to_json();
        // An average is a text with all digits.
        if let Some(mean) = item.f64("mean") {
            assert!(json["mean"].is_string(), "{json}");
            json["mean"] = Json::from(mean);
        }
        json
    };
    let images = images
        .into_iter()
        .filter_map(|(name, item)| Some((name.to_owned(), json(item.as_ref()?))));
    let mut shown: serde_json::Map<String, Json> = images.collect();
    shown.insert("kind".to_owned(), Json::from(event.kind.as_str()));
    Json::Object(shown)
}
