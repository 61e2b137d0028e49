//! A thousand corruptions of every kind are all named by a comparison, and nothing else is.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use keyfold_api::{
    AttributeDefinition, BillingMode, CreateTableInput, DeleteItemInput, KeySchemaElement, KeyType,
    Named, PutItemInput, Request, Response, ScalarAttributeType,
};
use keyfold_client::{Backend, ClientError, blocked};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_motion::Progress;
use keyfold_motion::verify::{Comparison, Difference, compare};
use keyfold_motion::world::{Place, World};
use keyfold_stream::world::Boxed;
use keyfold_types::{Item, KeyAttribute, KeyKind, KeySchema, Set, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

struct Both([Backend; 2]);

impl Both {
    fn of(&self, place: Place) -> &Backend {
        match place {
            Place::Source => &self.0[0],
            Place::Target => &self.0[1],
        }
    }

    fn put(&self, place: Place, item: &Item) {
        let input = PutItemInput {
            table_name: Some("Table".to_owned()),
            item: Some(Ok(item.clone())),
            ..PutItemInput::default()
        };
        self.of(place).call(input.into()).unwrap();
    }

    fn delete(&self, place: Place, key: &Item) {
        let input = DeleteItemInput {
            table_name: Some("Table".to_owned()),
            key: Some(Ok(key.clone())),
            ..DeleteItemInput::default()
        };
        self.of(place).call(input.into()).unwrap();
    }
}

impl World for Both {
    fn ask(&self, place: Place, request: Request) -> Boxed<'_, Result<Response, ClientError>> {
        Box::pin(std::future::ready(self.of(place).call(request)))
    }

    fn ask_as_program(
        &self,
        place: Place,
        request: Request,
    ) -> Boxed<'_, Result<Response, ClientError>> {
        self.ask(place, request)
    }

    fn pause(&self, _: Duration) -> Boxed<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn random(&self) -> u64 {
        7
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn epoch_ms(&self) -> i64 {
        0
    }

    fn spawn(&self, _: Boxed<'static, ()>) {
        panic!("a comparison has no tasks");
    }
}

fn engine() -> Backend {
    let options = EngineOptions {
        background: false,
        ..EngineOptions::new(StoreOptions::Memory)
    };
    let backend = Backend::Embedded(Arc::new(Engine::open(options).unwrap()));
    let attribute = |name: &str, kind| AttributeDefinition {
        attribute_name: Some(name.to_owned()),
        attribute_type: Some(Named::Known(kind)),
    };
    let element = |name: &str, kind| KeySchemaElement {
        attribute_name: Some(name.to_owned()),
        key_type: Some(Named::Known(kind)),
    };
    let input = CreateTableInput {
        table_name: Some("Table".to_owned()),
        attribute_definitions: Some(vec![
            attribute("pk", ScalarAttributeType::S),
            attribute("sk", ScalarAttributeType::N),
        ]),
        key_schema: Some(vec![
            element("pk", KeyType::Hash),
            element("sk", KeyType::Range),
        ]),
        billing_mode: Some(Named::Known(BillingMode::PayPerRequest)),
        ..CreateTableInput::default()
    };
    backend.call(input.into()).unwrap();
    backend
}

fn comparison() -> Comparison {
    let attribute = |name: &str, kind| KeyAttribute {
        name: name.to_owned(),
        kind,
    };
    Comparison {
        table: "Table".to_owned(),
        schema: KeySchema {
            partition: vec![attribute("pk", KeyKind::S)],
            sort: vec![attribute("sk", KeyKind::N)],
        },
        page: Some(200),
        lag: Duration::from_millis(1),
        rate: None,
        most: 10_000,
    }
}

fn key(number: usize) -> Item {
    let mut key = Item::from_iter([("pk", format!("p{}", number % 40))]);
    key.insert("sk", i64::try_from(number).unwrap());
    key
}

/// An item with a value of each type.
fn item(number: usize) -> Item {
    let mut item = key(number);
    let count = i64::try_from(number).unwrap();
    item.insert("text", format!("text {number}"));
    item.insert(
        "exact",
        Value::n("1234567890.1234567890123456789012345678").unwrap(),
    );
    item.insert("bytes", Value::B(vec![0, 255, 7]));
    item.insert("flag", number.is_multiple_of(2));
    item.insert("nothing", Value::Null);
    item.insert("list", Value::L(vec![count.into(), "b".into()]));
    let inner = BTreeMap::from([
        ("a".to_owned(), count.into()),
        ("b".to_owned(), Value::L(vec![Value::Null])),
    ]);
    item.insert("map", Value::M(inner));
    item.insert(
        "texts",
        Value::Ss(Set::new(vec!["x".to_owned(), "y".to_owned()]).unwrap()),
    );
    let numbers = ["1", "2.5"].map(|text| text.parse().unwrap());
    item.insert("numbers", Value::Ns(Set::new(numbers.to_vec()).unwrap()));
    item.insert(
        "blobs",
        Value::Bs(Set::new(vec![vec![1], vec![2]]).unwrap()),
    );
    item
}

/// The same item in another form, which is no corruption.
fn rewritten(number: usize) -> Item {
    let mut item = item(number);
    item.insert(
        "exact",
        Value::n("1.2345678901234567890123456789012345678E9").unwrap(),
    );
    item.insert(
        "texts",
        Value::Ss(Set::new(vec!["y".to_owned(), "x".to_owned()]).unwrap()),
    );
    let numbers = ["2.50", "1.0"].map(|text| text.parse().unwrap());
    item.insert("numbers", Value::Ns(Set::new(numbers.to_vec()).unwrap()));
    item
}

/// Kinds of corruption: the attributes of an item that they change.
const KINDS: usize = 13;

fn corrupt(kind: usize, mut item: Item) -> (Item, &'static str) {
    let name = match kind {
        0 => {
            item.insert("text", "Text");
            "text"
        }
        1 => {
            let last = "1234567890.1234567890123456789012345679";
            item.insert("exact", Value::n(last).unwrap());
            "exact"
        }
        2 => {
            item.insert("bytes", Value::B(vec![0, 255]));
            "bytes"
        }
        3 => {
            item.remove("flag");
            "flag"
        }
        4 => {
            item.insert("nothing", "");
            "nothing"
        }
        5 => {
            let Some(Value::L(list)) = item.get_mut("list") else {
                panic!("no list");
            };
            list.reverse();
            "list"
        }
        6 => {
            let Some(Value::M(map)) = item.get_mut("map") else {
                panic!("no map");
            };
            map.insert("b".to_owned(), Value::L(Vec::new()));
            "map"
        }
        7 => {
            item.insert("texts", Value::Ss(Set::new(vec!["x".to_owned()]).unwrap()));
            "texts"
        }
        8 => {
            item.insert("numbers", Value::L(vec![1.into()]));
            "numbers"
        }
        9 => {
            item.insert(
                "blobs",
                Value::Bs(Set::new(vec![vec![1], vec![3]]).unwrap()),
            );
            "blobs"
        }
        _ => {
            item.insert("more", true);
            "more"
        }
    };
    (item, name)
}

#[test]
fn a_thousand_corruptions_are_named_and_nothing_else() {
    const ITEMS: usize = 3_000;
    let both = Both([engine(), engine()]);
    for number in 0..ITEMS {
        both.put(Place::Source, &item(number));
        both.put(Place::Target, &rewritten(number));
    }
    let seen = Progress::default();
    let equal = blocked(compare(&both, &comparison(), &seen)).unwrap();
    assert!(equal.is_equal(), "{:?}", equal.differences.first());
    assert_eq!(equal.items, [ITEMS as u64; 2]);

    let mut random = fastrand::Rng::with_seed(4);
    let mut numbers: Vec<usize> = (0..ITEMS).collect();
    random.shuffle(&mut numbers);
    let mut expected = BTreeMap::new();
    for (at, number) in numbers.into_iter().take(1_000).enumerate() {
        let named = match at % KINDS {
            11 => {
                both.delete(Place::Target, &key(number));
                Difference::Missing
            }
            12 => {
                // One that only the target has: the source's goes.
                both.delete(Place::Source, &key(number));
                Difference::Extra
            }
            kind => {
                let (item, name) = corrupt(kind, rewritten(number));
                both.put(Place::Target, &item);
                Difference::Attributes(vec![name.to_owned()])
            }
        };
        expected.insert(format!("{:?}", key(number)), named);
    }
    let found = blocked(compare(&both, &comparison(), &seen)).unwrap();
    assert_eq!(found.undecided, []);
    let found: BTreeMap<String, Difference> = found
        .differences
        .into_iter()
        .map(|(key, difference)| (format!("{key:?}"), difference))
        .collect();
    assert_eq!(found.len(), 1_000);
    assert_eq!(found, expected);
}

#[test]
fn enough_differences_end_the_comparison() {
    let both = Both([engine(), engine()]);
    for number in 0..50 {
        both.put(Place::Source, &item(number));
    }
    let few = Comparison {
        most: 10,
        ..comparison()
    };
    let found = blocked(compare(&both, &few, &Progress::default())).unwrap();
    assert_eq!(found.differences.len(), 10);
    assert!(found.is_cut);
    assert!(!found.is_equal());
}
