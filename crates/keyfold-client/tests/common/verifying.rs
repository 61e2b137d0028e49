//! Verifications of a place, with everything that they find.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::Place;
use keyfold_api::{DeleteItemInput, PutItemInput};
use keyfold_client::ClientError;
use keyfold_client::verify::{self, Finding, Observer, Options, Report};
use keyfold_types::{Item, Value};

#[derive(Default)]
struct Seen(Vec<Finding>);

impl Observer for Seen {
    fn progress(&mut self, _scan: u32, _items: u64) {}

    fn finding(&mut self, finding: &Finding) -> Result<(), ClientError> {
        self.0.push(finding.clone());
        Ok(())
    }
}

pub fn verify(place: &Place, options: Options) -> (Vec<Finding>, Report) {
    let tables = verify::sizes(&place.backend, &place.model).unwrap();
    let mut seen = Seen::default();
    let report = verify::run(&place.backend, &place.model, &tables, &options, &mut seen).unwrap();
    assert_eq!(report.findings(), seen.0.len() as u64);
    (seen.0, report)
}

pub fn text<'i>(item: &'i Item, name: &str) -> &'i str {
    match item.get(name) {
        Some(Value::S(text)) => text,
        _ => "",
    }
}

/// The stored item with this key.
pub fn item(place: &Place, partition: &str, sort: &str) -> Item {
    let all = place.stored();
    let is_it = |item: &&Item| text(item, "PK") == partition && text(item, "SK").starts_with(sort);
    all.iter().find(is_it).unwrap().clone()
}

pub fn put(place: &Place, item: &Item) {
    let input = PutItemInput {
        table_name: Some("Tab".to_owned()),
        item: Some(Ok(item.clone())),
        ..PutItemInput::default()
    };
    place.backend.call(input.into()).unwrap();
}

/// Deletes a stored item.
pub fn delete(place: &Place, item: &Item) {
    let mut key = Item::new();
    key.insert("PK", text(item, "PK"));
    key.insert("SK", text(item, "SK"));
    let input = DeleteItemInput {
        table_name: Some("Tab".to_owned()),
        key: Some(Ok(key)),
        ..DeleteItemInput::default()
    };
    place.backend.call(input.into()).unwrap();
}
