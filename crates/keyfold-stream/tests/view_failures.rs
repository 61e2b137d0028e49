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
use keyfold_types::{Item, Number, Value};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(10);
const MODEL: &str = r#"
model shop 1
table Orders (PK, SK)
  stream new and old images
table Sales (PK, SK)
entity Product in Orders
  product: string, name: string?
  key "P#{product}" "P"
entity Order in Orders
  id: string, product: Product.product, total: number, note: string?
  key "O#{id}" "O"
view Sold in Sales of Order
  key "S#{product}" "S"
  orders: count, total: sum total
view Peak in Sales of Order
  key "D#{product}" "D"
  orders: count, total: sum total, most: max total, name: Product.name
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
    put(
        engine,
        &json!({
            "PK": {"S": format!("O#{id}")}, "SK": {"S": "O"}, "id": {"S": id.to_string()},
            "product": {"S": format!("p{product}")}, "total": total,
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

/// What each order has given to the row of its product, with the records that were set aside left out.
#[derive(Default)]
struct Oracle {
    applied: BTreeMap<u64, (u64, Number)>,
    /// What was written last: the same once more is no record.
    written: BTreeMap<u64, Option<(u64, Number)>>,
    aside: usize,
}

impl Oracle {
    fn sum(&self, product: u64) -> (i64, Number) {
        let (count, sum) = sum(&self.applied, product);
        (count, sum.unwrap())
    }

    /// What an order is from now on; `None` when it is gone, or cannot be read.
    fn record(&mut self, id: u64, new: Option<(u64, Number)>) {
        if self.written.insert(id, new) == Some(new) {
            return;
        }
        let old = self.applied.get(&id).copied();
        if old == new {
            return;
        }
        let mut changed = self.applied.clone();
        match new {
            Some(new) => drop(changed.insert(id, new)),
            None => drop(changed.remove(&id)),
        }
        let fits = (0..2).all(|product| sum(&changed, product).1.is_some());
        if !fits {
            self.aside += 1;
            return;
        }
        match new {
            Some(new) => drop(self.applied.insert(id, new)),
            None => drop(self.applied.remove(&id)),
        }
    }

    fn compare(&self, engine: &Engine) {
        let mut rows = BTreeMap::new();
        for (product, total) in self.applied.values() {
            let (count, sum) = self.sum(*product);
            let mut row = Item::from_iter([("product", format!("p{product}"))]);
            row.insert("orders", count);
            row.insert("total", Value::N(sum));
            rows.insert(format!("S#p{product} S"), row.clone());
            let of = self.applied.values().filter(|(of, _)| of == product);
            let most = of.map(|(_, total)| total).max().unwrap();
            row.insert("most", Value::N((*most).max(*total)));
            rows.insert(format!("D#p{product} D"), row);
        }
        assert_eq!(items(engine, "Sales"), rows);
    }
}

/// The number of orders of a product, and the sum of their totals; `None` when it is no number. Large
/// and small totals are added for themselves, so that none is lost beside another.
fn sum(orders: &BTreeMap<u64, (u64, Number)>, product: u64) -> (i64, Option<Number>) {
    let of = orders.values().filter(|(of, _)| *of == product);
    let (mut large, mut small, mut count) = (Some(Number::ZERO), Some(Number::ZERO), 0);
    for (_, total) in of {
        let is_large = total.exponent() > 20;
        let part = if is_large { &mut large } else { &mut small };
        *part = part.and_then(|sum| sum.checked_add(total).ok());
        count += 1;
    }
    let sum = large.zip(small);
    (
        count,
        sum.and_then(|(large, small)| large.checked_add(&small).ok()),
    )
}

fn number(text: &str) -> Number {
    text.parse().unwrap()
}

/// Orders with totals that can and cannot be read, and of which some are too many digits together.
#[test]
fn rows_hold_what_was_applied() {
    let totals = ["1", "2.5", "-3", "1e30", "1e-10", "many", "many"];
    let mut set_aside = 0;
    for seed in 0..12 {
        let mut simulation = simulation(seed);
        let mut oracle = Oracle::default();
        simulation.start();
        rest(&mut simulation);
        for _ in 0..60 {
            let mut chance = simulation.random();
            let mut next = |below: u64| {
                let taken = chance % below;
                chance /= below;
                taken
            };
            let (id, product) = (next(5), next(2));
            if next(5) == 0 {
                delete(&simulation.engine, id);
                oracle.record(id, None);
                continue;
            }
            let total = totals[usize::try_from(next(7)).unwrap()];
            let (held, share) = match total {
                "many" => (json!({"S": "many"}), None),
                total => (json!({ "N": total }), Some((product, number(total)))),
            };
            order(&simulation.engine, id, product, &held);
            oracle.record(id, share);
            if next(4) == 0 {
                rest(&mut simulation);
                oracle.compare(&simulation.engine);
            }
        }
        rest(&mut simulation);
        oracle.compare(&simulation.engine);
        let found = aside(&simulation);
        assert_eq!(found.len(), oracle.aside * 2, "seed {seed}, both views");
        set_aside += oracle.aside;
        for id in 0..5 {
            delete(&simulation.engine, id);
            oracle.record(id, None);
        }
        rest(&mut simulation);
        oracle.compare(&simulation.engine);
        // Each item has changed since: nothing comes again.
        for failure in aside(&simulation) {
            replay(&sends(&simulation.engine), &model(), &consumers(), &failure).unwrap();
        }
        oracle.compare(&simulation.engine);
        assert_eq!(aside(&simulation).len(), 0);
    }
    assert!(set_aside > 10, "{set_aside} records were set aside");
}

/// The last record of an item that was set aside is tried again when there is room for it.
#[test]
fn a_record_that_was_set_aside_is_replayed_once() {
    let mut simulation = simulation(1);
    let mut oracle = Oracle::default();
    simulation.start();
    rest(&mut simulation);
    let engine = Arc::clone(&simulation.engine);
    order(&engine, 1, 0, &json!({"N": "1e30"}));
    order(&engine, 2, 0, &json!({"N": "1"}));
    // Both are too many digits beside the first.
    order(&engine, 2, 0, &json!({"N": "1e-10"}));
    order(&engine, 2, 0, &json!({"N": "2e-10"}));
    rest(&mut simulation);
    for (id, total) in [(1, "1e30"), (2, "1")] {
        oracle.record(id, Some((0, number(total))));
    }
    oracle.compare(&engine);
    let found = aside(&simulation);
    assert_eq!(found.len(), 4);
    assert!(
        found[0].aside.why.contains("number"),
        "{}",
        found[0].aside.why
    );
    let send = sends(&engine);
    assert!(replay(&send, &model(), &consumers(), &found[1]).is_err());
    assert_eq!(aside(&simulation).len(), 4, "it is still there");
    delete(&engine, 1);
    rest(&mut simulation);
    oracle.record(1, None);
    oracle.compare(&engine);
    for failure in &found {
        replay(&send, &model(), &consumers(), failure).unwrap();
        assert!(replay(&send, &model(), &consumers(), failure).is_err());
    }
    oracle.record(2, Some((0, number("2e-10"))));
    oracle.compare(&engine);
    assert_eq!(aside(&simulation).len(), 0);
    order(&engine, 2, 0, &json!({"N": "7"}));
    rest(&mut simulation);
    oracle.record(2, Some((0, number("7"))));
    oracle.compare(&engine);
}

/// What a row changes by may have more digits than a number, where its sum has not.
#[test]
fn a_record_is_handled_whose_sum_is_a_number() {
    let sequences: [&[(u64, &str)]; 5] = [
        &[(1, "1e125"), (1, "3"), (1, "7")],
        &[(1, "3"), (1, "1e125"), (1, "1e-100"), (1, "-1e125")],
        &[
            (1, "1e125"),
            (1, "3"),
            (2, "5"),
            (2, "1e-10"),
            (1, "4"),
            (3, "6"),
        ],
        // Beside 1e125, the record of 2 is set aside until it has a number again.
        &[
            (2, "2"),
            (1, "1"),
            (1, "0"),
            (2, "1e125"),
            (2, "3"),
            (1, "1e-100"),
            (1, "8"),
        ],
        // The second and the third have no place beside the first, which then leaves.
        &[
            (1, "1e30"),
            (2, "1e-10"),
            (3, "5e-10"),
            (1, "1"),
            (2, "4e-10"),
            (3, "1e-9"),
        ],
    ];
    for (seed, sequence) in (20..).zip(sequences) {
        for rests in [false, true] {
            let mut simulation = simulation(seed);
            let mut oracle = Oracle::default();
            simulation.start();
            rest(&mut simulation);
            let engine = Arc::clone(&simulation.engine);
            for (id, total) in sequence {
                order(&engine, *id, 0, &json!({ "N": total }));
                oracle.record(*id, Some((0, number(total))));
                if rests {
                    rest(&mut simulation);
                    oracle.compare(&engine);
                }
            }
            rest(&mut simulation);
            oracle.compare(&engine);
            assert_eq!(aside(&simulation).len(), oracle.aside * 2, "{sequence:?}");
            // What was set aside has changed since: a new generation has the same rows.
            let world = simulation.quiet_world();
            blocked(rebuild_views(&world, &model(), &consumers(), None)).unwrap();
            rest(&mut simulation);
            oracle.compare(&engine);
            for id in 1..4 {
                delete(&engine, id);
                oracle.record(id, None);
            }
            rest(&mut simulation);
            oracle.compare(&engine);
        }
    }
}

/// An item that its row cannot have beside others hinders no build: it gives nothing until it changes.
#[test]
fn a_build_leaves_out_what_its_row_cannot_have() {
    for seed in 40..44 {
        let mut simulation = simulation(seed);
        let engine = Arc::clone(&simulation.engine);
        for (id, total) in [(1, "1"), (2, "1e125"), (3, "2"), (4, "5")] {
            order(&engine, id, 0, &json!({ "N": total }));
        }
        // When the view is built, only the scan has them.
        let begin = simulation.now() + Duration::from_secs(2 * 3600 + 60);
        while simulation.now() < begin {
            simulation.step();
        }
        simulation.start();
        rest(&mut simulation);
        let mut oracle = Oracle::default();
        let left_out: Vec<(String, String)> = all_of(&simulation)[0]
            .unreadable
            .iter()
            .map(|one| (common::text(&one.key, "PK"), one.why.clone()))
            .collect();
        let is_out = |id: u64| left_out.iter().any(|(key, _)| *key == format!("O#{id}"));
        assert!(!left_out.is_empty());
        for (_, why) in &left_out {
            assert!(
                why.starts_with("the row PK=S#p0 SK=S cannot have it: "),
                "{why}"
            );
        }
        // Either the greatest is left out, or all others are.
        for (id, total) in [(1, "1"), (2, "1e125"), (3, "2"), (4, "5")] {
            if !is_out(id) {
                oracle.record(id, Some((0, number(total))));
            }
        }
        assert_eq!(oracle.aside, 0);
        assert!(
            left_out.len() == 1 && is_out(2) || left_out.len() == 3,
            "{left_out:?}"
        );
        oracle.compare(&engine);
        for (id, total) in [(2, "10"), (1, "1.5"), (3, "2.5"), (4, "5.5")] {
            order(&engine, id, 0, &json!({ "N": total }));
            rest(&mut simulation);
            oracle.record(id, Some((0, number(total))));
            oracle.compare(&engine);
        }
        assert_eq!(all_of(&simulation)[0].unreadable, []);
        assert_eq!(aside(&simulation).len(), oracle.aside * 2);
        for id in 1..5 {
            delete(&engine, id);
            oracle.record(id, None);
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
            "total": {"N": "1"}, "note": {"N": "1"},
        }),
    );
    let mut oracle = Oracle::default();
    oracle.record(1, Some((0, number("5"))));
    oracle.record(3, Some((1, number("1"))));
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
    oracle.record(2, Some((0, number("2"))));
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
