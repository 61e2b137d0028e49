//! The settings of a table as CloudFormation and Terraform write them.

use crate::terraform::{block, quoted};
use keyfold_model::schema::{Settings, StreamView, TableClass};
use serde_json::{Map, Value as Json, json};

fn view_type(view: StreamView) -> &'static str {
    match view {
        StreamView::NewAndOld => "NEW_AND_OLD_IMAGES",
        StreamView::New => "NEW_IMAGE",
        StreamView::Old => "OLD_IMAGE",
        StreamView::Keys => "KEYS_ONLY",
    }
}

fn class_word(class: TableClass) -> &'static str {
    match class {
        TableClass::Standard => "STANDARD",
        TableClass::InfrequentAccess => "STANDARD_INFREQUENT_ACCESS",
    }
}

/// The properties of an `AWS::DynamoDB::Table`.
pub(crate) fn properties(settings: &Settings) -> Map<String, Json> {
    let Settings {
        stream,
        recovery,
        deletion_protection,
        class,
        tags,
    } = settings;
    let tags: Vec<Json> = tags
        .iter()
        .map(|(key, value)| json!({ "Key": key, "Value": value }))
        .collect();
    let all = [
        (
            "StreamSpecification",
            stream.map(|view| json!({ "StreamViewType": view_type(view) })),
        ),
        (
            "PointInTimeRecoverySpecification",
            recovery.then(|| json!({ "PointInTimeRecoveryEnabled": true })),
        ),
        (
            "DeletionProtectionEnabled",
            deletion_protection.then(|| json!(true)),
        ),
        ("TableClass", class.map(|class| json!(class_word(class)))),
        ("Tags", (!tags.is_empty()).then(|| json!(tags))),
    ];
    all.into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect()
}

/// The arguments of an `aws_dynamodb_table`.
pub(crate) fn arguments(settings: &Settings) -> Vec<(&'static str, String)> {
    let Settings {
        stream,
        // `blocks` writes both.
        recovery: _,
        tags: _,
        deletion_protection,
        class,
    } = settings;
    let enabled = || "true".to_owned();
    let all = [
        ("table_class", class.map(|class| quoted(class_word(class)))),
        ("stream_enabled", stream.map(|_| enabled())),
        (
            "stream_view_type",
            stream.map(|view| quoted(view_type(view))),
        ),
        (
            "deletion_protection_enabled",
            deletion_protection.then(enabled),
        ),
    ];
    all.into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}

/// Writes the blocks of an `aws_dynamodb_table`, and its map of tags.
pub(crate) fn blocks(out: &mut String, settings: &Settings) {
    if settings.recovery {
        let enabled = [("enabled", "true".to_owned())];
        block(out, "point_in_time_recovery", &enabled);
    }
    if !settings.tags.is_empty() {
        let tags: Vec<(String, String)> = settings
            .tags
            .iter()
            .map(|(key, value)| (quoted(key), quoted(value)))
            .collect();
        let tags: Vec<(&str, String)> = tags
            .iter()
            .map(|(key, value)| (key.as_str(), value.clone()))
            .collect();
        block(out, "tags =", &tags);
    }
}
