//! Views under odd models and values: numbers of 38 digits and of the greatest and smallest magnitude in
//! lists, ties, the same number written in two ways, items of a group with an empty name, and
//! references that change their target, while workers are killed and views are rebuilt.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::simulation::{Faults, Simulation};
use common::{answer, request, views::items};
use keyfold_api::Request;
use keyfold_client::blocked;
use keyfold_engine::{Engine, StreamShards};
use keyfold_model::Model;
use keyfold_stream::views::{Stop, ViewOptions, keep, rebuild_views, status};
use keyfold_stream::world::World;
use keyfold_stream::{Options, Sends};
use keyfold_types::{Item, Value};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(10);
const ORDERS: u64 = 14;
const MODEL: &str = r#"
model shop 1
table Orders (PK, SK)
  stream new and old images
table Sales (PK, SK)
entity Customer in Orders
  customer: string, name: string
  key "C#{customer}" "C"
entity Order in Orders
  id: string, product: string, customer: Customer.customer, total: number
  key "O#{id}" "O"
view Detail in Sales of Order
  key "D#{product}" "D"
  orders: count, least: min total, most: max total, totals: distinct total, best: top 3 total only id
view Line in Sales of Order
  key "L#{id}" "L"
  total: total, name: Customer.name
pattern order(id) -> Order?
pattern customer(customer) -> Customer?
pattern detail(product) -> Detail?
pattern line(id) -> Line?
"#;
/// Totals as they are written, from the least to the greatest, with the position of their value.
const TOTALS: [(&str, usize); 13] = [
    ("-9.9999999999999999999999999999999999999e125", 0),
    ("-12345678901234567890123456789012345678", 1),
    ("-12345678901234567890123456789012345677", 2),
    ("-1e-130", 3),
    ("0", 4),
    ("-0.0", 4),
    ("1e-130", 5),
    ("0.1", 6),
    ("1e-1", 6),
    ("9", 7),
    ("10", 8),
    ("12345678901234567890123456789012345678", 9),
    ("9.9999999999999999999999999999999999999e125", 10),
];

#[derive(Debug, Clone, Copy)]
struct Order {
    product: u64,
    customer: u64,
    total: usize,
}

#[derive(Default)]
struct Sources {
    orders: BTreeMap<u64, Order>,
    names: BTreeMap<u64, String>,
}

fn model() -> Arc<Model> {
    let compiled = keyfold_model::compile(MODEL);
    let model = compiled.model;
    Arc::new(model.unwrap_or_else(|| panic!("{:#?}", compiled.diagnostics)))
}

fn consumers() -> Options {
    Options {
        lease_time: LEASE,
        batch: 8,
        ..Options::new("views", "views")
    }
}

fn simulation(seed: u64) -> Simulation {
    let shards = StreamShards {
        open_min: 2,
        open_max: 4,
        lifetime: Some(Duration::from_secs(60)),
        ..StreamShards::default()
    };
    let simulation = Simulation::of(seed, shards, |_, world: Arc<dyn World>| {
        Box::pin(async move {
            let options = ViewOptions {
                consumers: consumers(),
                ..ViewOptions::default()
            };
            let stop = Stop::default();
            while keep(&world, &model(), &options, &stop).await.is_err() {}
        })
    });
    common::views::make(&simulation.engine);
    simulation
}

/// The names of products: one is empty.
fn product(number: u64) -> String {
    match number {
        0 => String::new(),
        _ => format!("p{number}"),
    }
}

fn write(engine: &Engine, key: [&str; 2], item: Option<serde_json::Value>) {
    let key = json!({"PK": {"S": key[0]}, "SK": {"S": key[1]}});
    let (operation, body) = match item {
        Some(mut item) => {
            for name in ["PK", "SK"] {
                item[name] = key[name].clone();
            }
            ("PutItem", json!({"TableName": "Orders", "Item": item}))
        }
        None => ("DeleteItem", json!({"TableName": "Orders", "Key": key})),
    };
    answer(engine, request(operation, &body)).unwrap();
}

impl Sources {
    fn change(&mut self, engine: &Engine, mut chance: u64) {
        let mut next = |below: u64| {
            let taken = chance % below;
            chance /= below;
            taken
        };
        if next(6) == 0 {
            let (customer, number, is_put) = (next(3), next(100), next(3) > 0);
            let name = is_put.then(|| format!("name {number}"));
            let key = format!("C#c{customer}");
            let item = name.as_ref().map(
                |name| json!({"customer": {"S": format!("c{customer}")}, "name": {"S": name}}),
            );
            write(engine, [&key, "C"], item);
            self.names.remove(&customer);
            self.names.extend(name.map(|name| (customer, name)));
            return;
        }
        let id = next(ORDERS);
        let is_put = next(4) > 0;
        let order = is_put.then(|| Order {
            product: next(3),
            customer: next(3),
            total: usize::try_from(next(TOTALS.len() as u64)).unwrap(),
        });
        self.order(engine, id, order);
    }

    fn order(&mut self, engine: &Engine, id: u64, order: Option<Order>) {
        let key = format!("O#{id:02}");
        let item = order.map(|one| {
            json!({
                "id": {"S": format!("{id:02}")}, "product": {"S": product(one.product)},
                "customer": {"S": format!("c{}", one.customer)},
                "total": {"N": TOTALS[one.total].0},
            })
        });
        write(engine, [&key, "O"], item);
        self.orders.remove(&id);
        self.orders.extend(order.map(|order| (id, order)));
    }

    /// The rows that follow.
    fn rows(&self) -> BTreeMap<String, Item> {
        let mut rows = BTreeMap::new();
        let number = |total: usize| {
            let (text, _) = TOTALS[total];
            Value::N(text.parse().unwrap())
        };
        for (id, order) in &self.orders {
            let id = format!("{id:02}");
            let mut line = Item::from_iter([("id", id.as_str())]);
            line.insert("total", number(order.total));
            if let Some(name) = self.names.get(&order.customer) {
                line.insert("name", name.as_str());
            }
            rows.insert(format!("L#{id} L"), line);
        }
        // A key holds no empty text: an item without a product has no row of one.
        for group in 1..3 {
            let of = self.orders.iter().filter(|(_, one)| one.product == group);
            // The greatest first; of equal ones that with the least key.
            let mut all: Vec<(usize, u64)> = of.map(|(id, one)| (one.total, *id)).collect();
            all.sort_by_key(|(total, id)| (std::cmp::Reverse(TOTALS[*total].1), *id));
            let (Some(first), Some(last)) = (all.first(), all.last()) else {
                continue;
            };
            let mut row = Item::from_iter([("product", product(group).as_str())]);
            row.insert("orders", i64::try_from(all.len()).unwrap());
            row.insert("most", number(first.0));
            row.insert("least", number(last.0));
            let totals: BTreeSet<usize> = all.iter().map(|(total, _)| TOTALS[*total].1).collect();
            row.insert("totals", i64::try_from(totals.len()).unwrap());
            let best = all.iter().take(3).map(|(total, id)| {
                Value::M(BTreeMap::from([
                    ("id".to_owned(), Value::S(format!("{id:02}"))),
                    ("total".to_owned(), number(*total)),
                ]))
            });
            row.insert("best", Value::L(best.collect()));
            rows.insert(format!("D#{} D", product(group)), row);
        }
        rows
    }
}

fn sends(engine: &Arc<Engine>) -> Sends {
    let engine = Arc::clone(engine);
    Arc::new(move |request: Request| answer(&engine, request))
}

/// Goes on without faults until no record is left, and no view is built.
fn rest(simulation: &mut Simulation) {
    simulation.set_faults(Faults::default());
    let end = simulation.now() + LEASE * 60;
    loop {
        let until = simulation.now() + Duration::from_secs(2);
        while simulation.now() < until {
            simulation.step();
        }
        let all = status(&sends(&simulation.engine), &model(), &consumers()).unwrap();
        let is_done = |one: &keyfold_stream::views::ViewStatus| {
            one.behind == 0 && one.next.is_none() && one.live.is_some()
        };
        if all.iter().all(is_done) {
            assert!(all.iter().all(|one| one.set_aside == 0), "{all:?}");
            return;
        }
        assert!(simulation.now() < end, "{all:?}");
    }
}

fn run(seed: u64) -> u64 {
    let mut simulation = simulation(seed);
    let engine = Arc::clone(&simulation.engine);
    let mut sources = Sources::default();
    for _ in 0..2 {
        simulation.start();
    }
    for round in 0..4 {
        simulation.set_faults(Faults {
            throttled: 60,
            unsent: 80,
            lost: 40,
            late: 40,
            twice: 30,
            sparse: 3,
            still: 2_000,
            killed: 500,
        });
        if round % 2 == 1 {
            let world = simulation.quiet_world();
            blocked(rebuild_views(&world, &model(), &consumers(), None)).unwrap();
        }
        for _ in 0..25 {
            let chance = simulation.random();
            sources.change(&engine, chance);
            for _ in 0..chance % 30 {
                simulation.step();
            }
        }
        if round == 3 {
            // All groups go while the views are built.
            for id in 0..ORDERS {
                sources.order(&engine, id, None);
            }
        }
        rest(&mut simulation);
        assert_eq!(items(&engine, "Sales"), sources.rows(), "{seed}, {round}");
    }
    simulation.kills
}

#[test]
fn rows_of_odd_values_are_right() {
    let seeds = std::env::var("KEYFOLD_STREAM_SEEDS").map_or(8, |text| text.parse().unwrap());
    let kills: u64 = (0..seeds).map(run).sum();
    assert!(kills > 0, "no worker was killed");
}
