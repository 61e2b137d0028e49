//! The state of views, their rows and the leases of their consumers lie in three tables, and somebody deletes one of
//! them, makes it anew, or carries it to another place without the others: views are built anew, and no row that
//! follows from nothing stays. One that was deleted by hand holds up no record of others.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and waits"
)]

mod common;

use common::views::{Order, change, compare, items, make, model, put, row};
use common::{answer, delete_leases, request};
use keyfold_api::Response;
use keyfold_client::Backend;
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_model::Model;
use keyfold_stream::views::{ViewOptions, ViewStatus, ViewWorker, begin_rebuild, failures, status};
use keyfold_stream::{Options, Sends, sends};
use keyfold_types::{Item, Value};
use serde_json::{Value as Json, json};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long views may take until they are right.
const PATIENCE: Duration = Duration::from_secs(60);
const VIEWS: &str = "keyfold_views";

/// A place with the tables of the model.
struct Place {
    engine: Arc<Engine>,
    send: Sends,
    model: Arc<Model>,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Place {
    fn new() -> Place {
        let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
        let engine = Arc::new(engine);
        make(&engine);
        Place {
            send: sends(Arc::new(Backend::Embedded(Arc::clone(&engine)))),
            model: model(),
            engine,
            seen: Arc::default(),
        }
    }

    fn options(&self) -> ViewOptions {
        let seen = Arc::clone(&self.seen);
        ViewOptions {
            consumers: Options {
                poll_time: Duration::from_millis(5),
                discovery_time: Duration::from_millis(100),
                lease_time: Duration::from_millis(900),
                retry_pause: Duration::from_millis(5),
                ..Options::new("views", "views")
            },
            remembers: Duration::ZERO,
            on_report: Arc::new(move |view, report| {
                seen.lock().unwrap().push(format!("{view}: {report}"));
            }),
            ..ViewOptions::default()
        }
    }

    fn start(&self) -> ViewWorker {
        ViewWorker::start(Arc::clone(&self.send), &self.model, &self.options()).unwrap()
    }

    fn status(&self) -> Vec<ViewStatus> {
        // While a table is gone, nobody knows.
        status(&self.send, &self.model, &self.options().consumers).unwrap_or_default()
    }

    fn ask(&self, operation: &str, body: &Json) -> Response {
        answer(&self.engine, request(operation, body)).unwrap()
    }

    /// Writes something of the sources.
    fn write(&self, from: u64) {
        for chance in from..from + 60 {
            let chance = chance.wrapping_mul(6_364_136_223_846_793_005) >> 8;
            change(&self.engine, &self.model, chance);
        }
    }

    /// Waits for something.
    fn until(&self, what: &str, is_so: impl Fn() -> Result<(), String>) {
        let began = Instant::now();
        while let Err(why) = is_so() {
            self.engine.work().unwrap();
            let reports = self.seen.lock().unwrap().join("\n");
            assert!(
                began.elapsed() < PATIENCE,
                "{what}: {why} {:?}\n{reports}",
                self.status()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until the views are kept, and have all records.
    fn rest(&self, what: &str) {
        self.until(what, || {
            let all = self.status();
            let is_done = |one: &ViewStatus| {
                one.live.is_some() && one.next.is_none() && one.lost.is_none() && one.behind == 0
            };
            match all.len() == 3 && all.iter().all(is_done) {
                true => compare(&self.engine).map(|_| ()),
                false => Err("not all is handled".to_owned()),
            }
        });
    }

    /// Views that are kept, of which no worker remembers what items gave while they were built.
    fn kept() -> Place {
        let place = Place::new();
        place.write(0);
        let worker = place.start();
        place.write(60);
        place.rest("the first build");
        place.until("what items gave is forgotten", || {
            let kept = raw(&place.engine, VIEWS);
            let is_item = |item: &Item| partition(item).contains(" items ");
            match kept.iter().any(is_item) {
                true => Err("it is there".to_owned()),
                false => Ok(()),
            }
        });
        place.write(120);
        place.rest("the first records");
        worker.stop().unwrap();
        place
    }

    /// Starts a worker: views become right, and stay so.
    fn goes_on(&self, what: &str) {
        let worker = self.start();
        self.rest(what);
        self.write(300);
        self.rest(what);
        worker.stop().unwrap();
    }

    fn delete_table(&self, table: &str) {
        self.ask("DeleteTable", &json!({"TableName": table}));
        self.until("the table is deleted", || {
            let body = json!({"TableName": table});
            match answer(&self.engine, request("DescribeTable", &body)) {
                Ok(_) => Err("it is there".to_owned()),
                Err(_) => Ok(()),
            }
        });
    }

    fn make_table(&self, table: &str, [partition, sort]: [&str; 2]) {
        self.ask(
            "CreateTable",
            &json!({
                "TableName": table, "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [
                    {"AttributeName": partition, "AttributeType": "S"},
                    {"AttributeName": sort, "AttributeType": "S"},
                ],
                "KeySchema": [
                    {"AttributeName": partition, "KeyType": "HASH"},
                    {"AttributeName": sort, "KeyType": "RANGE"},
                ],
            }),
        );
    }

    /// Copies the items of a table from another place, as a move does.
    fn carry(&self, from: &Place, table: &str) {
        for item in raw(&from.engine, table) {
            self.ask(
                "PutItem",
                &json!({"TableName": table, "Item": json_of(&item)}),
            );
        }
    }

    /// Deletes a row by hand.
    fn delete_row(&self, key: &str) {
        let (partition, sort) = key.split_once(' ').unwrap();
        let key = json!({"PK": {"S": partition}, "SK": {"S": sort}});
        self.ask("DeleteItem", &json!({"TableName": "Sales", "Key": key}));
    }

    fn name(&self, product: u64, name: &str) {
        self.ask(
            "PutItem",
            &json!({"TableName": "Products", "Item": {
                "PK": {"S": format!("P#p{product}")}, "SK": {"S": "P"},
                "product": {"S": format!("p{product}")}, "name": {"S": name},
            }}),
        );
    }
}

/// The items of a table, as they are stored.
fn raw(engine: &Engine, table: &str) -> Vec<Item> {
    let (mut found, mut after) = (Vec::new(), Json::Null);
    loop {
        let mut body = json!({"TableName": table, "ConsistentRead": true});
        if after.is_object() {
            body["ExclusiveStartKey"] = after;
        }
        let Ok(Response::Scan(page)) = answer(engine, request("Scan", &body)) else {
            panic!("the scan of {table} failed");
        };
        let items = page.items.unwrap_or_default();
        found.extend(items.iter().map(|item| item.to_item()));
        match page.last_evaluated_key {
            Some(last) => after = json_of(&last),
            None => return found,
        }
    }
}

fn partition(item: &Item) -> String {
    match item.get("view:partition") {
        Some(Value::S(text)) => text.clone(),
        other => panic!("{other:?}"),
    }
}

fn json_of(item: &Item) -> Json {
    let mut bytes = Vec::new();
    keyfold_wire::encode::encode_item(&mut bytes, item);
    serde_json::from_slice(&bytes).unwrap()
}

/// Tables are carried to another place, with the state of their views or without it, and with items that were
/// deleted since.
#[test]
fn views_that_were_moved_are_built_anew() {
    let from = Place::kept();
    for with_state in [true, false] {
        let to = Place::new();
        for table in ["Orders", "Products", "Sales"] {
            to.carry(&from, table);
        }
        if with_state {
            to.make_table(VIEWS, ["view:partition", "view:sort"]);
            to.carry(&from, VIEWS);
            let lost = to.status();
            assert!(lost.iter().all(|one| one.lost.is_some()), "{lost:?}");
        }
        to.write(200);
        to.goes_on(&format!("moved, with the state: {with_state}"));
    }
}

/// Somebody deletes the state of the views, or all that they keep beside rows. Sources go on.
#[test]
fn no_row_of_a_view_whose_state_is_gone_stays() {
    for with_table in [true, false] {
        let place = Place::kept();
        match with_table {
            true => place.delete_table(VIEWS),
            false => {
                for view in ["Sold", "Detail", "Line"] {
                    let key = json!({
                        "view:partition": {"S": format!("Sales.{view}")}, "view:sort": {"S": "state"},
                    });
                    place.ask("DeleteItem", &json!({"TableName": VIEWS, "Key": key}));
                }
            }
        }
        for key in items(&place.engine, "Orders").into_keys().take(20) {
            let (partition, sort) = key.split_once(' ').unwrap();
            let key = json!({"PK": {"S": partition}, "SK": {"S": sort}});
            place.ask("DeleteItem", &json!({"TableName": "Orders", "Key": key}));
        }
        place.goes_on(&format!("without a state, with the table: {with_table}"));
    }
}

/// The table of the rows is deleted and made again, while a worker runs and while none does.
#[test]
fn an_empty_table_is_not_taken_for_the_rows() {
    for runs in [true, false] {
        let place = Place::kept();
        let worker = runs.then(|| place.start());
        if runs {
            place.rest("it runs");
        }
        place.delete_table("Sales");
        place.make_table("Sales", ["PK", "SK"]);
        if !runs {
            let lost = place.status();
            assert!(lost.iter().all(|one| one.lost.is_some()), "{lost:?}");
        }
        place.write(200);
        if let Some(worker) = worker {
            place.rest("a table was made again while a worker runs");
            worker.stop().unwrap();
        }
        place.goes_on(&format!(
            "a table was made again, while a worker runs: {runs}"
        ));
    }
}

/// Leases are deleted while no worker runs: it is not known which records are in the rows.
#[test]
fn views_whose_leases_were_deleted_meanwhile_are_built_anew() {
    for with_table in [true, false] {
        let place = Place::kept();
        delete_leases(&place.engine, with_table);
        place.write(200);
        let lost = status(&place.send, &place.model, &place.options().consumers).unwrap();
        let says = |one: &ViewStatus| {
            one.lost
                .as_ref()
                .is_some_and(|why| why.contains("leases are gone"))
        };
        assert!(lost.len() == 3 && lost.iter().all(says), "{lost:?}");
        place.goes_on(&format!("without leases, with their table: {with_table}"));
    }
}

/// Rows come back from a place where other generations were built, as when a move is turned twice.
#[test]
fn rows_that_were_written_elsewhere_are_not_added_to() {
    let here = Place::kept();
    let there = Place::new();
    for table in ["Orders", "Products", "Sales"] {
        there.carry(&here, table);
    }
    let worker = there.start();
    there.rest("the other place");
    // An order of each product, so that each row changes.
    for product in 0..6 {
        let order = Order {
            id: 500 + product,
            product,
            customer: 1,
            total: 7,
        };
        put(&there.engine, &there.model, &order);
    }
    there.rest("the other place has changes");
    worker.stop().unwrap();
    for table in ["Orders", "Products", "Sales"] {
        here.carry(&there, table);
    }
    here.goes_on("rows are back");
}

/// Rows of joined attributes are deleted by hand. The record of the item that they refer to is set aside; other
/// rows have what it says, and other records go on.
#[test]
fn an_absent_row_holds_up_no_record() {
    let place = Place::new();
    let worker = place.start();
    for product in 1..3 {
        place.name(product, "before");
        for id in 0..3 {
            let order = Order {
                id: 10 * product + id,
                product,
                customer: 1,
                total: 1,
            };
            put(&place.engine, &place.model, &order);
        }
    }
    place.rest("the first records");
    place.delete_row("D#p1 D");
    place.delete_row("L#p1 L#010");
    place.name(1, "behind");
    place.name(2, "behind");
    put(
        &place.engine,
        &place.model,
        &Order {
            id: 30,
            product: 2,
            customer: 1,
            total: 1,
        },
    );
    place.until("all records are handled", || {
        match place.status().iter().all(|one| one.behind == 0) {
            true => Ok(()),
            false => Err("some are not".to_owned()),
        }
    });
    let name = |key: &str| {
        let row = row(&place.engine, key);
        row.and_then(|row| row.get("name").cloned())
    };
    for key in [
        "L#p1 L#011",
        "L#p1 L#012",
        "D#p2 D",
        "L#p2 L#020",
        "L#p2 L#030",
    ] {
        assert_eq!(name(key), Some(Value::from("behind")), "{key}");
    }
    let consumers = place.options().consumers;
    let aside = failures(&place.send, &place.model, &consumers, None).unwrap();
    let whys: Vec<(&str, &str)> = aside
        .iter()
        .map(|one| (one.view.as_str(), one.aside.why.as_str()))
        .collect();
    assert_eq!(whys.len(), 2, "{whys:?}");
    for (view, why) in whys {
        assert!(["Sales.Detail", "Sales.Line"].contains(&view), "{view}");
        assert!(
            why.contains("lacks items that leave a row: rebuild it"),
            "{why}"
        );
    }
    begin_rebuild(&place.send, &place.model, &consumers, None).unwrap();
    place.rest("it was rebuilt");
    worker.stop().unwrap();
}
