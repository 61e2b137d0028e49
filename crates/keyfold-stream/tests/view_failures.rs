//! Items that a model cannot read, and records that are set aside: rows hold what was applied, each item
//! once, whatever comes before and behind.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::simulation::Simulation;
use common::{answer, request, views::items};
use keyfold_api::Request;
use keyfold_client::blocked;
use keyfold_engine::{Engine, StreamShards};
use keyfold_model::Model;
use keyfold_stream::views::{
    Stop, ViewFailure, ViewOptions, ViewStatus, failures, keep, rebuild_views, replay, status,
};
use keyfold_stream::world::World;
use keyfold_stream::{Options, Sends};
use keyfold_types::{Item, Value};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(10);
/// The bytes of a long note: a row has two in its list, and no three.
const LONG: usize = 190_000;
const MODEL: &str = r#"
model shop 1
table Orders (PK, SK)
  stream new and old images
table Sales (PK, SK)
entity Product in Orders
  product: string, name: string?
  key "P#{product}" "P"
entity Order in Orders
  id: string, product: Product.product, total: number, note: string?, remark: string?
  key "O#{id}" "O"
view Sold in Sales of Order
  key "S#{product}" "S"
  orders: count, total: sum total
view Peak in Sales of Order
  key "D#{product}" "D"
  orders: count, most: max total, best: top 3 total only note, name: Product.name
pattern order(id) -> Order?
pattern product(product) -> Product?
pattern sold(product) -> Sold?
pattern peak(product) -> Peak?
"#;

fn model() -> Arc<Model> {
    let compiled = keyfold_model::compile(MODEL);
    let model = compiled.model;
    Arc::new(model.unwrap_or_else(|| panic!("{:#?}", compiled.diagnostics)))
}

fn consumers() -> Options {
    Options {
        lease_time: LEASE,
        batch: 1,
        retries: 0,
        ..Options::new("views", "views")
    }
}

fn simulation(seed: u64) -> Simulation {
    let shards = StreamShards {
        open_min: 1,
        open_max: 1,
        ..StreamShards::default()
    };
    let simulation = Simulation::of(seed, shards, |_, world: Arc<dyn World>| {
        Box::pin(async move {
            let options = ViewOptions {
                consumers: consumers(),
                ..ViewOptions::default()
            };
            keep(&world, &model(), &options, &Stop::default())
                .await
                .unwrap();
        })
    });
    for (table, stream) in [("Orders", true), ("Sales", false)] {
        let mut body = json!({
            "TableName": table, "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [
                {"AttributeName": "PK", "AttributeType": "S"},
                {"AttributeName": "SK", "AttributeType": "S"},
            ],
            "KeySchema": [
                {"AttributeName": "PK", "KeyType": "HASH"},
                {"AttributeName": "SK", "KeyType": "RANGE"},
            ],
        });
        if stream {
            body["StreamSpecification"] =
                json!({"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"});
        }
        answer(&simulation.engine, request("CreateTable", &body)).unwrap();
    }
    simulation
}

fn put(engine: &Engine, item: &Json) {
    let body = json!({"TableName": "Orders", "Item": item});
    answer(engine, request("PutItem", &body)).unwrap();
}

fn order(engine: &Engine, id: u64, product: u64, total: &Json) {
    noted(engine, id, (product, total), false);
}

/// Writes an order, which may have a long note.
fn noted(engine: &Engine, id: u64, (product, total): (u64, &Json), is_long: bool) {
    let note = if is_long {
        "n".repeat(LONG)
    } else {
        "n".to_owned()
    };
    put(
        engine,
        &json!({
            "PK": {"S": format!("O#{id}")}, "SK": {"S": "O"}, "id": {"S": id.to_string()},
            "product": {"S": format!("p{product}")}, "total": total, "note": {"S": note},
        }),
    );
}

fn delete(engine: &Engine, id: u64) {
    let key = json!({"PK": {"S": format!("O#{id}")}, "SK": {"S": "O"}});
    let body = json!({"TableName": "Orders", "Key": key});
    answer(engine, request("DeleteItem", &body)).unwrap();
}

fn sends(engine: &Arc<Engine>) -> Sends {
    let engine = Arc::clone(engine);
    Arc::new(move |request: Request| answer(&engine, request))
}

fn all_of(simulation: &Simulation) -> Vec<ViewStatus> {
    status(&sends(&simulation.engine), &model(), &consumers()).unwrap()
}

fn aside(simulation: &Simulation) -> Vec<ViewFailure> {
    failures(&sends(&simulation.engine), &model(), &consumers(), None).unwrap()
}

/// Goes on until no record is left, and no view is built.
fn rest(simulation: &mut Simulation) {
    let end = simulation.now() + LEASE * 60;
    loop {
        let until = simulation.now() + Duration::from_secs(2);
        while simulation.now() < until {
            simulation.step();
        }
        let all = all_of(simulation);
        if all
            .iter()
            .all(|view| view.behind == 0 && view.next.is_none() && view.live.is_some())
        {
            return;
        }
        assert!(simulation.now() < end, "{all:?}");
    }
}

/// What an order gives to rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Order {
    product: u64,
    total: i64,
    /// Whether its note is long.
    is_long: bool,
}

impl Order {
    fn write(self, engine: &Engine, id: u64) {
        let total = json!({"N": self.total.to_string()});
        noted(engine, id, (self.product, &total), self.is_long);
    }
}

fn short(product: u64, total: i64) -> Option<Order> {
    let is_long = false;
    Some(Order {
        product,
        total,
        is_long,
    })
}

fn long(product: u64, total: i64) -> Option<Order> {
    let is_long = true;
    Some(Order {
        product,
        total,
        is_long,
    })
}

/// What each order has given to the row of its product, with the records that were set aside left out.
#[derive(Default)]
struct Oracle {
    applied: BTreeMap<u64, Order>,
    /// What was written last: the same once more is no record.
    written: BTreeMap<u64, Option<Order>>,
    /// The products of those that cannot be read, which are there all the same: their deletion is a record.
    unreadable: BTreeMap<u64, u64>,
    aside: usize,
}

impl Oracle {
    /// What an order is from now on; `None` when it is gone.
    fn record(&mut self, id: u64, new: Option<Order>) {
        let could_be_read = self.unreadable.remove(&id).is_none();
        let is_same = self.written.insert(id, new) == Some(new) && could_be_read;
        if !is_same {
            self.apply(id, new);
        }
    }

    /// What cannot be read gives nothing.
    fn record_unreadable(&mut self, id: u64, product: u64) {
        let is_known = self.written.insert(id, None) == Some(None);
        if self.unreadable.insert(id, product) != Some(product) || !is_known {
            self.apply(id, None);
        }
    }

    fn apply(&mut self, id: u64, new: Option<Order>) {
        if self.applied.get(&id) == new.as_ref() {
            return;
        }
        let mut changed = self.applied.clone();
        match new {
            Some(new) => drop(changed.insert(id, new)),
            None => drop(changed.remove(&id)),
        }
        let fits = |product: u64| {
            let best = best(&changed, product);
            best.iter().filter(|one| one.is_long).count() < 3
        };
        match fits(0) && fits(1) {
            true => self.applied = changed,
            false => self.aside += 1,
        }
    }

    fn put(&mut self, engine: &Engine, id: u64, order: Option<Order>) {
        match order {
            Some(order) => order.write(engine, id),
            None => delete(engine, id),
        }
        self.record(id, order);
    }

    fn compare(&self, engine: &Engine) {
        let mut rows = BTreeMap::new();
        let written = self.written.values().flatten();
        for product in 0..2 {
            let row = |count: usize| {
                let mut row = Item::from_iter([("product", format!("p{product}"))]);
                row.insert("orders", i64::try_from(count).unwrap());
                row
            };
            let all = written.clone().filter(|one| one.product == product);
            let totals: Vec<i64> = all.map(|one| one.total).collect();
            if !totals.is_empty() {
                let mut row = row(totals.len());
                row.insert("total", totals.iter().sum::<i64>());
                rows.insert(format!("S#p{product} S"), row);
            }
            let applied = self.applied.values().filter(|one| one.product == product);
            if let Some(most) = applied.clone().map(|one| one.total).max() {
                let mut row = row(applied.count());
                row.insert("most", most);
                let best = best(&self.applied, product).into_iter().map(|one| {
                    let note = if one.is_long {
                        "n".repeat(LONG)
                    } else {
                        "n".to_owned()
                    };
                    Value::M(BTreeMap::from([
                        ("note".to_owned(), Value::S(note)),
                        ("total".to_owned(), Value::from(one.total)),
                    ]))
                });
                row.insert("best", Value::L(best.collect()));
                rows.insert(format!("D#p{product} D"), row);
            }
        }
        let found = items(engine, "Sales");
        // Long notes are not printed.
        assert!(found == rows, "{:?}", found.keys());
    }
}

/// The three orders of a product with the greatest totals.
fn best(orders: &BTreeMap<u64, Order>, product: u64) -> Vec<Order> {
    let mut own: Vec<(i64, u64, Order)> = orders
        .iter()
        .filter(|(_, one)| one.product == product)
        .map(|(id, one)| (-one.total, *id, *one))
        .collect();
    own.sort_by_key(|(total, id, _)| (*total, *id));
    own.into_iter().take(3).map(|(_, _, one)| one).collect()
}

/// Orders that can and cannot be read, and with notes of which some are too long for one row.
#[test]
fn rows_hold_what_was_applied() {
    let mut set_aside = 0;
    for seed in 0..12 {
        let mut simulation = simulation(seed);
        let mut oracle = Oracle::default();
        simulation.start();
        rest(&mut simulation);
        let engine = Arc::clone(&simulation.engine);
        for _ in 0..30 {
            let mut chance = simulation.random();
            let mut next = |below: u64| {
                let taken = chance % below;
                chance /= below;
                taken
            };
            let (id, product) = (next(6), next(2));
            let total = i64::try_from(next(5)).unwrap();
            match next(7) {
                0 => oracle.put(&engine, id, None),
                1 => {
                    order(&engine, id, product, &json!({"S": "many"}));
                    oracle.record_unreadable(id, product);
                }
                2 | 3 => oracle.put(&engine, id, short(product, total)),
                _ => oracle.put(&engine, id, long(product, total)),
            }
            if next(4) == 0 {
                rest(&mut simulation);
                oracle.compare(&engine);
            }
        }
        rest(&mut simulation);
        oracle.compare(&engine);
        assert_eq!(aside(&simulation).len(), oracle.aside, "seed {seed}");
        set_aside += oracle.aside;
        for id in 0..6 {
            oracle.put(&engine, id, None);
        }
        rest(&mut simulation);
        oracle.compare(&engine);
        // Each item has changed since, or its deletion was set aside, for which there is room now.
        for failure in aside(&simulation) {
            replay(&sends(&engine), &model(), &consumers(), &failure).unwrap();
        }
        oracle.applied.clear();
        oracle.compare(&engine);
        assert_eq!(aside(&simulation).len(), 0);
    }
    assert!(set_aside > 7, "{set_aside} records were set aside");
}

/// The last record of an item that was set aside is tried again when there is room for it.
#[test]
fn a_record_that_was_set_aside_is_replayed_once() {
    let mut simulation = simulation(1);
    let mut oracle = Oracle::default();
    simulation.start();
    rest(&mut simulation);
    let engine = Arc::clone(&simulation.engine);
    oracle.put(&engine, 1, long(0, 9));
    oracle.put(&engine, 2, long(0, 8));
    oracle.put(&engine, 3, short(0, 7));
    // Both are too long beside the others.
    oracle.put(&engine, 3, long(0, 6));
    oracle.put(&engine, 3, long(0, 5));
    rest(&mut simulation);
    oracle.compare(&engine);
    let found = aside(&simulation);
    assert_eq!((found.len(), oracle.aside), (2, 2));
    let why = &found[0].aside.why;
    assert!(why.to_lowercase().contains("size"), "{why}");
    let send = sends(&engine);
    assert!(replay(&send, &model(), &consumers(), &found[1]).is_err());
    assert_eq!(aside(&simulation).len(), 2, "it is still there");
    oracle.put(&engine, 1, None);
    rest(&mut simulation);
    oracle.compare(&engine);
    for failure in &found {
        replay(&send, &model(), &consumers(), failure).unwrap();
        assert!(replay(&send, &model(), &consumers(), failure).is_err());
    }
    oracle.applied.insert(3, long(0, 5).unwrap());
    oracle.compare(&engine);
    assert_eq!(aside(&simulation).len(), 0);
    oracle.put(&engine, 3, short(0, 7));
    rest(&mut simulation);
    oracle.compare(&engine);
}

/// An item that its row cannot have beside others hinders no build: it gives nothing until it changes.
#[test]
fn a_build_leaves_out_what_its_row_cannot_have() {
    for seed in 40..42 {
        let mut simulation = simulation(seed);
        let engine = Arc::clone(&simulation.engine);
        let mut oracle = Oracle::default();
        let orders = [
            (1, long(0, 4)),
            (2, short(0, 1)),
            (3, long(0, 3)),
            (4, long(0, 5)),
        ];
        for (id, one) in orders {
            one.unwrap().write(&engine, id);
            oracle.written.insert(id, one);
        }
        // When the view is built, only the scan has them.
        let begin = simulation.now() + Duration::from_secs(2 * 3600 + 60);
        while simulation.now() < begin {
            simulation.step();
        }
        simulation.start();
        rest(&mut simulation);
        let left_out: Vec<(String, String)> = all_of(&simulation)[1]
            .unreadable
            .iter()
            .map(|one| (common::text(&one.key, "PK"), one.why.clone()))
            .collect();
        let is_out = |id: u64| left_out.iter().any(|(key, _)| *key == format!("O#{id}"));
        assert!(left_out.len() == 1 && !is_out(2), "{left_out:?}");
        for (_, why) in &left_out {
            assert!(
                why.starts_with("the row PK=D#p0 SK=D cannot have it: "),
                "{why}"
            );
        }
        let applied = orders.iter().filter(|(id, _)| !is_out(*id));
        oracle.applied = applied.map(|(id, one)| (*id, one.unwrap())).collect();
        oracle.compare(&engine);
        for id in [1, 3, 4, 2] {
            oracle.put(&engine, id, short(0, 10));
            rest(&mut simulation);
            oracle.compare(&engine);
        }
        assert_eq!(all_of(&simulation)[1].unreadable, []);
        assert_eq!(aside(&simulation).len(), oracle.aside);
        for id in 1..5 {
            oracle.put(&engine, id, None);
        }
        rest(&mut simulation);
        oracle.compare(&engine);
    }
}

/// Items that cannot be read give nothing to a view, hinder no build, and are shown.
#[test]
fn an_unreadable_item_blocks_no_build() {
    let mut simulation = simulation(2);
    let engine = Arc::clone(&simulation.engine);
    order(&engine, 1, 0, &json!({"N": "5"}));
    order(&engine, 2, 0, &json!({"S": "many"}));
    let product = |name: &Json| {
        put(
            &engine,
            &json!({"PK": {"S": "P#p0"}, "SK": {"S": "P"}, "product": {"S": "p0"}, "name": name}),
        );
    };
    product(&json!({"N": "5"}));
    put(
        &engine,
        &json!({"PK": {"S": "other"}, "SK": {"S": "thing"}}),
    );
    // What the view does not use may be anything.
    put(
        &engine,
        &json!({
            "PK": {"S": "O#3"}, "SK": {"S": "O"}, "id": {"S": "3"}, "product": {"S": "p1"},
            "total": {"N": "1"}, "note": {"S": "n"}, "remark": {"N": "1"},
        }),
    );
    let mut oracle = Oracle::default();
    oracle.record(1, short(0, 5));
    oracle.record(3, short(1, 1));
    simulation.start();
    rest(&mut simulation);
    oracle.compare(&engine);
    let shown = |simulation: &Simulation, at: usize| {
        let mut shown: Vec<String> = all_of(simulation)[at]
            .unreadable
            .iter()
            .map(|one| {
                format!(
                    "{} {:?}",
                    common::text(&one.key, "PK"),
                    one.why.contains("model")
                )
            })
            .collect();
        shown.sort();
        shown
    };
    assert_eq!(shown(&simulation, 0), ["O#2 true", "other true"]);
    assert_eq!(
        shown(&simulation, 1),
        ["O#2 true", "P#p0 true", "other true"]
    );
    assert_eq!(aside(&simulation).len(), 0);
    // From a scan only: the records are handled, and the next generation has them of the table.
    let world = simulation.quiet_world();
    blocked(rebuild_views(&world, &model(), &consumers(), None)).unwrap();
    rest(&mut simulation);
    oracle.compare(&engine);
    assert_eq!(
        shown(&simulation, 1),
        ["O#2 true", "P#p0 true", "other true"]
    );
    order(&engine, 2, 0, &json!({"N": "2"}));
    oracle.record(2, short(0, 2));
    let key = json!({"PK": {"S": "other"}, "SK": {"S": "thing"}});
    let body = json!({"TableName": "Orders", "Key": key});
    answer(&engine, request("DeleteItem", &body)).unwrap();
    rest(&mut simulation);
    oracle.compare(&engine);
    assert_eq!(shown(&simulation, 1), ["P#p0 true"]);
    product(&json!({"S": "name"}));
    rest(&mut simulation);
    assert_eq!(shown(&simulation, 1).len(), 0);
    let row = &items(&engine, "Sales")["D#p0 D"];
    assert_eq!(row.get("name"), Some(&Value::from("name")));
}
