//! Lagging global indexes: they show a write after the delay, never a part of it. Consistent reads
//! of the table see it at once.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::{ManualClock, ask, create_table, on_clock};
use keyfold_api::{ExpressionAttributes, GetItemInput, PutItemInput, QueryInput};
use keyfold_engine::{Engine, IndexLag};
use keyfold_types::{Item, Value};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

struct Place {
    engine: Engine,
    clock: Arc<ManualClock>,
}

impl Place {
    fn new(lag: Option<IndexLag>) -> Place {
        let (engine, clock) = on_clock(|options| options.index_lag = lag);
        create_table(&engine, "Tab");
        Place { engine, clock }
    }

    fn advance(&self, ms: u64) {
        self.clock.advance(ms);
    }

    fn put(&self, n: i64) {
        let text = Value::from(format!("{n}"));
        let item: Item = [
            ("pk", "p".into()),
            ("sk", text),
            ("g", Value::from("x")),
            ("n", Value::from(n)),
        ]
        .into_iter()
        .collect();
        let input = PutItemInput {
            table_name: Some("Tab".into()),
            item: Some(Ok(item)),
            ..PutItemInput::default()
        };
        self.engine.put_item(input).wait().unwrap();
    }

    fn in_index(&self) -> u64 {
        let input = QueryInput {
            table_name: Some("Tab".to_owned()),
            index_name: Some("ByG".to_owned()),
            key_condition_expression: Some("g = :g".to_owned()),
            expression_attributes: ExpressionAttributes::default().value(":g", "x"),
            ..QueryInput::default()
        };
        self.engine.query(input).wait().unwrap().count
    }

    fn is_in_table(&self, n: i64, consistent: bool) -> bool {
        let key: Item = [
            ("pk", Value::from("p")),
            ("sk", Value::from(format!("{n}"))),
        ]
        .into_iter()
        .collect();
        let input = GetItemInput {
            table_name: Some("Tab".to_owned()),
            key: Some(Ok(key)),
            consistent_read: Some(consistent),
            ..GetItemInput::default()
        };
        self.engine.get_item(input).wait().unwrap().item.is_some()
    }
}

fn lag(seed: u64) -> Option<IndexLag> {
    Some(IndexLag {
        delay: Duration::from_millis(800),
        seed,
    })
}

#[test]
fn an_index_shows_a_write_after_the_delay() {
    let place = Place::new(lag(1));
    place.put(1);
    assert_eq!(place.in_index(), 0);
    assert!(place.is_in_table(1, true));
    place.advance(400);
    place.put(2);
    assert_eq!(place.in_index(), 0);
    place.advance(399);
    assert_eq!(place.in_index(), 0);
    place.advance(1);
    assert_eq!(place.in_index(), 1, "the first is 800 ms old");
    place.advance(400);
    assert_eq!(place.in_index(), 2);
}

#[test]
fn an_index_that_becomes_ready_is_complete() {
    let place = Place::new(lag(1));
    place.put(1);
    let drop = json!({"TableName": "Tab", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "ByG"}}]});
    assert!(ask(&place.engine, "UpdateTable", &drop)["TableDescription"].is_object());
    place.engine.work().unwrap();
    let key = json!([{"AttributeName": "g", "KeyType": "HASH"}, {"AttributeName": "n", "KeyType": "RANGE"}]);
    let index =
        json!({"IndexName": "ByG", "KeySchema": key, "Projection": {"ProjectionType": "ALL"}});
    let create = json!({
        "TableName": "Tab",
        "AttributeDefinitions": [
            {"AttributeName": "g", "AttributeType": "S"},
            {"AttributeName": "n", "AttributeType": "N"},
        ],
        "GlobalSecondaryIndexUpdates": [{"Create": index}],
    });
    assert!(ask(&place.engine, "UpdateTable", &create)["TableDescription"].is_object());
    place.engine.work().unwrap();
    assert_eq!(place.in_index(), 1);
    place.put(2);
    assert_eq!(
        place.in_index(),
        1,
        "what is written afterwards is late again"
    );
}

#[test]
fn under_steady_writes_the_lag_is_at_most_an_eighth_longer() {
    let place = Place::new(lag(1));
    for n in 0..500 {
        place.put(n);
        let seen = place.in_index() as i64;
        // A write every 10 ms: 80 within the delay, 10 within its eighth.
        assert!(
            seen <= (n - 79).max(0) && seen >= (n - 91).max(0),
            "{n}: {seen}"
        );
        place.advance(10);
    }
    place.advance(800);
    assert_eq!(place.in_index(), 500);
}

#[test]
fn the_seed_decides_which_eventually_consistent_reads_are_stale() {
    let seen = |seed| -> Vec<bool> {
        let place = Place::new(lag(seed));
        place.put(1);
        (0..64).map(|_| place.is_in_table(1, false)).collect()
    };
    let found = seen(5).iter().filter(|found| **found).count();
    assert!((10..54).contains(&found), "{found} of 64");
    assert_eq!(seen(5), seen(5));
    assert_ne!(seen(5), seen(6));
}

#[test]
fn without_the_option_every_read_sees_the_newest_state() {
    let place = Place::new(None);
    place.put(1);
    assert_eq!(place.in_index(), 1);
    assert!((0..64).all(|_| place.is_in_table(1, false)));
}
