//! The target's table gets the settings of the source's; expiry and protection from deletion wait until the move is
//! complete.
#![allow(
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod engines;

use engines::{Engines, TABLE, count, description, engine};
use keyfold_api::{
    DescribeTimeToLiveInput, IndexDescription, ListTagsOfResourceInput, Operation,
    ProvisionedThroughputDescription, Response, TableDescription, TimeToLiveStatus, known,
};
use keyfold_client::{Backend, blocked};
use keyfold_motion::tables::look;
use keyfold_motion::world::Place;
use keyfold_motion::{Options, complete};
use std::sync::Arc;

const DEFINITION: &str = r#"{
    "TableName": "Notes",
    "AttributeDefinitions": [
        {"AttributeName": "id", "AttributeType": "S"}, {"AttributeName": "at", "AttributeType": "N"},
        {"AttributeName": "town", "AttributeType": "B"}],
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"}],
    "LocalSecondaryIndexes": [{"IndexName": "Local", "Projection": {"ProjectionType": "KEYS_ONLY"},
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}, {"AttributeName": "town", "KeyType": "RANGE"}]}],
    "GlobalSecondaryIndexes": [{"IndexName": "Global",
        "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["text", "more"]},
        "KeySchema": [{"AttributeName": "town", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"}],
        "ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}}],
    "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6},
    "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"},
    "TableClass": "STANDARD_INFREQUENT_ACCESS",
    "DeletionProtectionEnabled": true,
    "Tags": [{"Key": "team", "Value": "notes"}, {"Key": "empty", "Value": ""}]
}"#;
const EXPIRY: &str = r#"{"TableName": "Notes", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "until"}}"#;

fn ask(backend: &Backend, operation: Operation, body: &str) {
    let request = keyfold_wire::decode(operation, body.as_bytes()).unwrap();
    backend.call(request).unwrap();
}

/// What is carried of a table at once, as text.
fn settings(table: &TableDescription) -> Vec<String> {
    let units = |one: &Option<ProvisionedThroughputDescription>| {
        let one = one.as_ref();
        one.map(|one| (one.read_capacity_units, one.write_capacity_units))
    };
    let index = |one: &IndexDescription| {
        let units = units(&one.provisioned_throughput);
        format!(
            "{:?} {:?} {:?} {units:?}",
            one.index_name, one.key_schema, one.projection
        )
    };
    let mut definitions: Vec<String> = table
        .attribute_definitions
        .iter()
        .flatten()
        .map(|one| format!("{one:?}"))
        .collect();
    definitions.sort();
    let mut all = vec![
        format!("{:?} {definitions:?}", table.key_schema),
        format!(
            "{:?}",
            table
                .billing_mode_summary
                .as_ref()
                .map(|mode| &mode.billing_mode)
        ),
        format!("{:?}", units(&table.provisioned_throughput)),
        format!("{:?}", table.stream_specification),
        format!(
            "{:?}",
            table
                .table_class_summary
                .as_ref()
                .map(|class| &class.table_class)
        ),
    ];
    all.extend(table.local_secondary_indexes.iter().flatten().map(index));
    all.extend(table.global_secondary_indexes.iter().flatten().map(index));
    all
}

fn tags(backend: &Backend) -> Vec<String> {
    let input = ListTagsOfResourceInput {
        resource_arn: description(backend).table_arn,
        next_token: None,
    };
    let Response::ListTagsOfResource(found) = backend.call(input.into()).unwrap() else {
        panic!("other tags");
    };
    let tags = found.tags.unwrap_or_default().into_iter();
    let mut tags: Vec<String> = tags
        .map(|tag| format!("{}={}", tag.key.unwrap(), tag.value.unwrap()))
        .collect();
    tags.sort();
    tags
}

/// The attribute of expiry, and whether the table is protected from deletion.
fn late(backend: &Backend) -> (Option<String>, bool) {
    let input = DescribeTimeToLiveInput {
        table_name: Some(TABLE.to_owned()),
    };
    let Response::DescribeTimeToLive(found) = backend.call(input.into()).unwrap() else {
        panic!("no expiry");
    };
    let found = found.time_to_live_description.unwrap();
    let is_on = matches!(
        known(&found.time_to_live_status),
        Some(TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling)
    );
    let is_protected = description(backend).deletion_protection_enabled == Some(true);
    (found.attribute_name.filter(|_| is_on), is_protected)
}

#[test]
fn a_table_gets_the_settings_of_the_source() {
    let source = engine();
    ask(&source, Operation::CreateTable, DEFINITION);
    ask(&source, Operation::UpdateTimeToLive, EXPIRY);
    let item = r#"{"TableName": "Notes", "Item": {"id": {"S": "a"}, "at": {"N": "1"}, "town": {"B": "AA=="}}}"#;
    ask(&source, Operation::PutItem, item);
    let world = Engines::new(source, engine());
    let options = Options {
        until_even: true,
        ..Options::new(TABLE)
    };
    let found = world.prepare(&options).unwrap();
    let ended = world.carry_prepared(found.clone(), &options, &Arc::default());
    ended.unwrap();
    let [from, to] = [Place::Source, Place::Target].map(|place| world.of(place));
    let wanted = settings(&description(from));
    assert_eq!(wanted.len(), 7, "{wanted:#?}");
    assert_eq!(settings(&description(to)), wanted);
    assert_eq!(late(from), (Some("until".to_owned()), true));
    assert_eq!(late(to), (None, false), "they wait");
    let mut of_move = tags(to);
    of_move.retain(|tag| !tag.starts_with("keyfold:move="));
    assert_eq!((of_move, tags(to).len()), (tags(from), 3));

    blocked(complete(&*world, &options, &found)).unwrap();
    assert_eq!(settings(&description(to)), wanted);
    assert_eq!(late(to), late(from));
    assert_eq!(tags(to), tags(from));
    assert_eq!(tags(to), ["empty=", "team=notes"]);
}

/// Works as the background of the source does: it deletes what has expired.
fn work(backend: &Backend) {
    let Backend::Embedded(engine) = backend else {
        panic!("no engine of its own");
    };
    engine.work().unwrap();
}

/// Both tables would delete items by themselves: that of the target only does so when the move is complete. Before,
/// the deletions of the source are carried as those of programs are.
#[test]
fn items_that_expire_in_the_source_are_deleted_in_the_target() {
    let source = engine();
    ask(&source, Operation::CreateTable, DEFINITION);
    ask(&source, Operation::UpdateTimeToLive, EXPIRY);
    // What has expired more than five years ago is kept, as if the number were no time.
    let now = std::time::SystemTime::now();
    let now = now.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    for (id, until) in [("past", now - 1_000), ("future", now + 1_000_000)] {
        let item = format!(
            r#"{{"TableName": "Notes", "Item": {{"id": {{"S": "{id}"}}, "at": {{"N": "1"}}, "until": {{"N": "{until}"}}}}}}"#
        );
        ask(&source, Operation::PutItem, &item);
    }
    let world = Engines::new(source, engine());
    let options = Options {
        until_even: true,
        ..Options::new(TABLE)
    };
    world.carry(&options, &Arc::default()).unwrap();
    let [from, to] = [Place::Source, Place::Target].map(|place| world.of(place));
    work(to);
    assert_eq!([from, to].map(|place| count(place, TABLE)), [2, 2]);
    work(from);
    assert_eq!(count(from, TABLE), 1, "it has expired");
    world.carry(&options, &Arc::default()).unwrap();
    assert_eq!(count(to, TABLE), 1);
}

const ADDED: &str = r#"{"TableName": "Notes",
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}, {"AttributeName": "at", "AttributeType": "N"}],
    "GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "Late", "Projection": {"ProjectionType": "KEYS_ONLY"},
        "KeySchema": [{"AttributeName": "at", "KeyType": "HASH"}],
        "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}}]}"#;

/// An index that the source has got since the move began is missed at its end, and made by the next run.
#[test]
fn an_index_that_comes_later_is_made_before_the_move_ends() {
    let source = engine();
    ask(&source, Operation::CreateTable, DEFINITION);
    let world = Engines::new(source, engine());
    let options = Options {
        until_even: true,
        ..Options::new(TABLE)
    };
    world.carry(&options, &Arc::default()).unwrap();
    let [from, to] = [Place::Source, Place::Target].map(|place| world.of(place));
    ask(from, Operation::UpdateTable, ADDED);
    work(from);
    let found = blocked(look(&*world, TABLE)).unwrap();
    let error = blocked(complete(&*world, &options, &found)).unwrap_err();
    assert!(
        error.to_string().contains("lacks the index Late"),
        "{error}"
    );
    // What was refused has changed nothing: the move goes on.
    world.carry(&options, &Arc::default()).unwrap();
    assert_eq!(settings(&description(to)), settings(&description(from)));
    blocked(complete(&*world, &options, &found)).unwrap();
    assert_eq!(settings(&description(to)), settings(&description(from)));
}
