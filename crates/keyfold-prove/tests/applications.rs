//! The applications of the articles, beside their patterns: reads in place of joins, assignments that
//! are all or nothing, histories that stay, split lists. The tests' names begin with the ids of the
//! designs.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use keyfold_api::{DescribeTableInput, Response, ScanInput};
use keyfold_client::arguments::{self, Values};
use keyfold_client::{Backend, ClientError, FoundItem, PageRequest, read, tables, write};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_model::{Model, value};
use keyfold_types::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

struct Place {
    model: Model,
    backend: Backend,
}

impl Place {
    fn new(name: &str) -> Place {
        let path = format!("{}/../../models/{name}.keyfold", env!("CARGO_MANIFEST_DIR"));
        let model = keyfold_model::compile(&std::fs::read_to_string(path).unwrap())
            .model
            .unwrap();
        let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
        let backend = Backend::Embedded(Arc::new(engine));
        tables::ensure(&backend, &model).unwrap();
        Place { model, backend }
    }

    fn put(&self, entity: &str, text: &[(&str, &str)]) {
        let entity = self.model.entity(entity).unwrap();
        let values = arguments::of_entity(entity, &given(text)).unwrap();
        write::put(&self.backend, &self.model, entity, &values).unwrap();
    }

    fn write(&self, name: &str, text: &[(&str, &str)]) -> Result<write::Written, ClientError> {
        let named = self.model.write(name).unwrap();
        write::run(
            &self.backend,
            &self.model,
            named,
            &arguments::of_write(named, &given(text)).unwrap(),
        )
    }

    fn ask(&self, name: &str, text: &[(&str, &str)]) -> Vec<FoundItem> {
        let pattern = self.model.pattern(name).unwrap();
        let values: Values = arguments::of_pattern(pattern, &given(text)).unwrap();
        read::run(
            &self.backend,
            &self.model,
            pattern,
            &values,
            &PageRequest::default(),
            read::Pages::All,
        )
        .unwrap()
        .items
    }

    fn stored(&self, table: &str) -> usize {
        let input = ScanInput {
            table_name: Some(table.to_owned()),
            ..ScanInput::default()
        };
        let Response::Scan(page) = self.backend.call(input.into()).unwrap() else {
            panic!("no page")
        };
        page.items.unwrap().len()
    }
}

fn given(text: &[(&str, &str)]) -> BTreeMap<String, String> {
    text.iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn shown(item: &FoundItem, name: &str) -> String {
    item.get(name).map(value::display).unwrap_or_default()
}

#[test]
fn n2_one_table_answers_as_the_join_of_two() {
    let sql = rusqlite::Connection::open_in_memory().unwrap();
    sql.execute_batch(
        "CREATE TABLE orders (custid TEXT, transaction_id TEXT, ordered_at TEXT, amount INTEGER, delivery_code TEXT);
         CREATE TABLE addresses (zip TEXT PRIMARY KEY, street TEXT, city TEXT, country TEXT);
         INSERT INTO addresses VALUES ('10115', 'Invalidenstr.', 'Berlin', 'DE'), ('75001', 'Rivoli', 'Paris', 'FR');",
    )
    .unwrap();
    for n in 0..30 {
        let (customer, zip) = (
            format!("c{}", n % 4),
            if n % 3 == 0 { "10115" } else { "75001" },
        );
        sql.execute(
            "INSERT INTO orders VALUES (?, ?, ?, ?, ?)",
            (
                &customer,
                format!("t{n:02}"),
                format!("2024-01-{:02}T00:00:00.000Z", n % 28 + 1),
                n * 10,
                zip,
            ),
        )
        .unwrap();
    }
    let place = Place::new("orders_with_address");
    let join = "SELECT custid, transaction_id, ordered_at, amount, zip, street, city, country FROM orders JOIN addresses ON delivery_code = zip";
    let rows = |condition: &str| -> Vec<Vec<String>> {
        let mut statement = sql
            .prepare(&format!("{join} {condition} ORDER BY transaction_id"))
            .unwrap();
        let found = statement.query_map([], |row| {
            (0..8)
                .map(|at| {
                    Ok(if at == 3 {
                        row.get::<_, i64>(at)?.to_string()
                    } else {
                        row.get(at)?
                    })
                })
                .collect()
        });
        found.unwrap().map(Result::unwrap).collect()
    };
    let names = [
        "Custid",
        "Transaction_Id",
        "orderedAt",
        "amount",
        "zip",
        "street",
        "city",
        "country",
    ];
    for row in rows("") {
        let pairs: Vec<(&str, &str)> = names
            .into_iter()
            .zip(row.iter().map(String::as_str))
            .collect();
        place.put("CustomerOrder", &pairs);
    }
    for customer in ["c0", "c1", "c2", "c3", "nobody"] {
        let found = place.ask("orders_of_customer", &[("Custid", customer)]);
        let found: Vec<Vec<String>> = found
            .iter()
            .map(|item| names.iter().map(|name| shown(item, name)).collect())
            .collect();
        assert_eq!(
            found,
            rows(&format!("WHERE custid = '{customer}'")),
            "{customer}"
        );
    }
}

#[test]
fn n3_goods_are_assigned_all_or_nothing_and_never_too_many() {
    let place = Arc::new(Place::new("freight"));
    for container in ["a", "b"] {
        place.put("Container", &[("containerId", container), ("free", "7")]);
    }
    for item in 0..40 {
        place.put(
            "Item",
            &[("itemId", &item.to_string()), ("description", "box")],
        );
    }
    let assigned: usize = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..8)
            .map(|worker| {
                let place = Arc::clone(&place);
                scope.spawn(move || {
                    let tries = (0..40).filter(|n| n % 4 == worker % 4);
                    tries
                        .filter(|n| {
                            let container = if (n / 4) % 2 == 0 { "a" } else { "b" };
                            place
                                .write(
                                    "assign",
                                    &[("containerId", container), ("itemId", &n.to_string())],
                                )
                                .is_ok()
                        })
                        .count()
                })
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap())
            .sum()
    });
    assert_eq!(assigned, 14, "two containers with seven places each");
    let mut placed = Vec::new();
    for container in ["a", "b"] {
        let found = place.ask("container", &[("containerId", container)]);
        assert_eq!(shown(&found[0], "free"), "0");
        let Some(Value::L(items)) = found[0].get("shipments") else {
            panic!("no list")
        };
        placed.extend(items.iter().map(|item| (value::display(item), container)));
    }
    for (item, container) in &placed {
        assert_eq!(
            shown(&place.ask("item", &[("itemId", item)])[0], "containerId"),
            *container
        );
    }
    let mut distinct = placed.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!((placed.len(), distinct.len()), (14, 14));
    // A refusal names the condition that failed.
    let refused = |container: &str, item: &str| {
        place
            .write("assign", &[("containerId", container), ("itemId", item)])
            .unwrap_err()
            .to_string()
    };
    let free = (0..40)
        .map(|n| n.to_string())
        .find(|n| !placed.iter().any(|(item, _)| item == n))
        .unwrap();
    let text = refused("a", &free);
    assert!(
        text.contains("Container") && text.contains("free > 0"),
        "{text}"
    );
    place.put("Container", &[("containerId", "c"), ("free", "1")]);
    let text = refused("c", &placed[0].0);
    assert!(
        text.contains("Item") && text.contains("missing containerId"),
        "{text}"
    );
    assert_eq!(
        shown(&place.ask("container", &[("containerId", "c")])[0], "free"),
        "1"
    );
}

#[test]
fn n4_two_tables_have_different_capacity() {
    let place = Place::new("smart_home");
    let units = |table: &str| {
        let input = DescribeTableInput {
            table_name: Some(table.to_owned()),
        };
        let Response::DescribeTable(found) = place.backend.call(input.into()).unwrap() else {
            panic!("no table")
        };
        let units = found.provisioned_throughput.unwrap_or_default();
        (
            units.read_capacity_units.unwrap_or(0),
            units.write_capacity_units.unwrap_or(0),
        )
    };
    assert_eq!(
        (units("DeviceStatus"), units("DeviceActivity")),
        ((50, 25), (0, 0))
    );
}

#[test]
fn n6_each_month_has_its_table() {
    let place = Place::new("readings");
    for (at, number) in [
        ("2024-01-31T23:59:00Z", "1"),
        ("2024-02-01T00:00:00Z", "2"),
        ("2024-03-05T12:00:00Z", "3"),
    ] {
        place.put(
            "Reading",
            &[("sensorId", "s"), ("at", at), ("value", number)],
        );
    }
    for table in ["Readings_2024_01", "Readings_2024_02", "Readings_2024_03"] {
        assert_eq!(place.stored(table), 1, "{table}");
    }
    let found = place.ask(
        "readings_between",
        &[
            ("sensorId", "s"),
            ("from", "2024-01-01"),
            ("to", "2024-03-31"),
        ],
    );
    let values: Vec<String> = found.iter().map(|item| shown(item, "value")).collect();
    assert_eq!(values, ["1", "2", "3"]);
    let day = place.ask(
        "readings_of_day",
        &[("sensorId", "s"), ("day", "2024-02-01")],
    );
    assert_eq!(day.len(), 1);
}

#[test]
fn s5_s7_s9_a_letter_has_its_total_and_its_history_stays() {
    let place = Place::new("santa_spread");
    let toy = |id: &str, price: &str| {
        place
            .write(
                "create_toy",
                &[
                    ("toyId", id),
                    ("name", id),
                    ("description", "a toy"),
                    ("price", price),
                ],
            )
            .unwrap();
    };
    toy("drum", "25");
    toy("kite", "12.5");
    let letter = |id: &str, wishes: &str, toys: &str| {
        let text = [
            ("letterId", id),
            ("address", "North"),
            ("receivedAt", "2024-12-01"),
            ("takenAt", "2024-12-01"),
            ("wishes", wishes),
            ("toys", toys),
        ];
        place.write("create_letter", &text)
    };
    let wishes = r#"[{"toyId": "drum", "quantity": 1, "price": 25, "amount": 25}, {"toyId": "kite", "quantity": 2, "price": 12.5, "amount": 25}]"#;
    let toys = r#"[{"toyId": "drum", "name": "drum", "price": 25, "quantity": 1}]"#;
    assert_eq!(
        letter("1", wishes, toys).unwrap().operation,
        "TransactWriteItems"
    );
    let more = r#"[{"toyId": "kite", "quantity": 3, "price": 12.5, "amount": 37.5}]"#;
    letter("2", more, "[]").unwrap();
    // S4, S8: the letter with its rows; the same transaction updates the total.
    let found = place.ask("letter", &[("letterId", "1")]);
    let kinds: Vec<&str> = found.iter().map(|item| item.kind.as_str()).collect();
    assert_eq!(kinds, ["Snapshot", "Letter", "Wish", "Wish"]);
    assert_eq!(shown(&found[1], "total"), "50");
    // S7: the letters that ask for kites, with the quantity.
    let demand = place.ask("demand", &[("toyId", "kite")]);
    let toy = demand.iter().find(|item| item.kind == "Toy").unwrap();
    assert_eq!((demand.len(), shown(toy, "wanted")), (3, "5".to_owned()));
    // S9: a new price leaves the history as it was.
    place
        .write("reprice", &[("toyId", "drum"), ("price", "99")])
        .unwrap();
    let history = place.ask("history", &[("letterId", "1")]);
    assert!(
        shown(&history[0], "toys").contains("price: 25"),
        "{history:?}"
    );
    // No item is written of a letter with a toy that does not exist.
    let unknown = r#"[{"toyId": "unicorn", "quantity": 1, "price": 1, "amount": 1}]"#;
    assert!(matches!(
        letter("3", unknown, "[]"),
        Err(ClientError::NotFound(_))
    ));
    assert!(place.ask("history", &[("letterId", "3")]).is_empty());
}

#[test]
fn a5_an_hour_of_points_lies_in_six_items_and_is_read_as_one_list() {
    let place = Place::new("alleycat");
    let points: Vec<String> = (0..3_600).map(|second| (second % 97).to_string()).collect();
    let list = format!("[{}]", points.join(","));
    let text = [
        ("racerId", "r1"),
        ("raceId", "race1"),
        ("classId", "c1"),
        ("score", "10"),
        ("points", &list),
    ];
    place.put("Result", &text);
    assert_eq!(place.stored("Alleycat"), 6);
    let found = place.ask("performance", &[("racerId", "r1"), ("raceId", "race1")]);
    let Some(Value::L(read)) = found[0].get("points") else {
        panic!("no list")
    };
    let read: Vec<String> = read.iter().map(value::display).collect();
    assert_eq!((found.len(), read == points), (1, true));
    // During a race only the score changes, and the leaderboard follows.
    place
        .write(
            "score_in_race",
            &[("racerId", "r1"), ("raceId", "race1"), ("score", "77")],
        )
        .unwrap();
    place.put(
        "Result",
        &[
            ("racerId", "r2"),
            ("raceId", "race1"),
            ("classId", "c1"),
            ("score", "50"),
            ("points", "[]"),
        ],
    );
    let board = place.ask("leaderboard", &[("raceId", "race1")]);
    let board: Vec<(String, String)> = board
        .iter()
        .map(|item| (shown(item, "racerId"), shown(item, "score")))
        .collect();
    assert_eq!(
        board,
        [
            ("r1".to_owned(), "77".to_owned()),
            ("r2".to_owned(), "50".to_owned())
        ]
    );
    // A shorter list leaves no parts behind.
    place.put(
        "Result",
        &[
            ("racerId", "r1"),
            ("raceId", "race1"),
            ("classId", "c1"),
            ("score", "1"),
            ("points", "[1,2,3]"),
        ],
    );
    assert_eq!(place.stored("Alleycat"), 2);
}
