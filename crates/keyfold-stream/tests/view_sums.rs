//! Sums of the greatest, the smallest and the longest numbers. While they are no numbers of DynamoDB, rows,
//! the state of views and a verification say so, and no record is set aside; then they are numbers again.
//! Workers keep the views while requests fail, workers are killed, and rows are rebuilt. What rows are to
//! have is computed here in decimal digits, as on paper.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::simulation::{Faults, Simulation};
use common::{answer, request, views::items};
use keyfold_api::Request;
use keyfold_client::read::{self, Pages};
use keyfold_client::verify::{self, Finding, FindingKind, Observer};
use keyfold_client::{Backend, ClientError, FoundItem, PageRequest, blocked};
use keyfold_engine::{Engine, StreamShards};
use keyfold_model::Model;
use keyfold_stream::views::{Stop, ViewOptions, ViewStatus, failures, keep, rebuild_views, status};
use keyfold_stream::world::World;
use keyfold_stream::{Options, Sends};
use keyfold_types::{Item, Number, Value};
use serde_json::json;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(10);
const PRODUCTS: u64 = 2;
const ORDERS: u64 = 7;
const MODEL: &str = r#"
model shop 1
table Orders (PK, SK)
  stream new and old images
table Sales (PK, SK)
  gsi ByTotal (board, total: number)
entity Order in Orders
  id: string, product: string, total: number
  key "O#{id}" "O"
view Sums in Sales of Order
  key "S#{product}" "S"
  orders: count, sum: sum total
view Means in Sales of Order
  key "M#{product}" "M"
  orders: count, sum: sum total, mean: average total, least: min total, most: max total
view Ranked in Sales of Order
  key "R#{product}" "R"
  orders: count, total: sum total
  ByTotal "TOTALS" {total}
pattern order(id) -> Order?
pattern sums(product) -> Sums?
pattern means(product) -> Means?
pattern ranked(product) -> Ranked?
pattern ranks() -> Ranked[] highest total page 10
"#;
const TOTALS: [&str; 16] = [
    "9.9999999999999999999999999999999999999e125",
    "-9.9999999999999999999999999999999999999e125",
    "1e125",
    "-1e125",
    "9e125",
    "12345678901234567890123456789012345678",
    "-12345678901234567890123456789012345678",
    "0.1",
    "1e30",
    "1e-10",
    "1e-130",
    "-1.5e-130",
    "3",
    "-7",
    "0",
    "2.5",
];

fn model() -> Arc<Model> {
    let compiled = keyfold_model::compile(MODEL);
    let model = compiled.model;
    Arc::new(model.unwrap_or_else(|| panic!("{:#?}", compiled.diagnostics)))
}

fn consumers() -> Options {
    Options {
        lease_time: LEASE,
        batch: 8,
        retries: 0,
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
    let key = |names: [&str; 2]| {
        json!([{"AttributeName": names[0], "KeyType": "HASH"},
            {"AttributeName": names[1], "KeyType": "RANGE"}])
    };
    let text = |name: &str| json!({"AttributeName": name, "AttributeType": "S"});
    let mut sales = json!({
        "TableName": "Sales", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [text("PK"), text("SK"), text("board"),
            {"AttributeName": "total", "AttributeType": "N"}],
        "KeySchema": key(["PK", "SK"]),
        "GlobalSecondaryIndexes": [{"IndexName": "ByTotal", "KeySchema": key(["board", "total"]),
            "Projection": {"ProjectionType": "ALL"}}],
    });
    answer(&simulation.engine, request("CreateTable", &sales)).unwrap();
    sales["TableName"] = json!("Orders");
    sales["AttributeDefinitions"] = json!([text("PK"), text("SK")]);
    sales
        .as_object_mut()
        .unwrap()
        .remove("GlobalSecondaryIndexes");
    sales["StreamSpecification"] =
        json!({"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"});
    answer(&simulation.engine, request("CreateTable", &sales)).unwrap();
    simulation
}

fn sends(engine: &Arc<Engine>) -> Sends {
    let engine = Arc::clone(engine);
    Arc::new(move |request: Request| answer(&engine, request))
}

/// The orders that there are: their products and totals.
#[derive(Default)]
struct Orders(BTreeMap<u64, (u64, &'static str)>);

impl Orders {
    fn put(&mut self, engine: &Engine, id: u64, product: u64, total: &'static str) {
        self.0.insert(id, (product, total));
        let item = json!({
            "PK": {"S": format!("O#{id}")}, "SK": {"S": "O"}, "id": {"S": id.to_string()},
            "product": {"S": format!("p{product}")}, "total": {"N": total},
        });
        let body = json!({"TableName": "Orders", "Item": item});
        answer(engine, request("PutItem", &body)).unwrap();
    }

    fn delete(&mut self, engine: &Engine, id: u64) {
        self.0.remove(&id);
        let key = json!({"PK": {"S": format!("O#{id}")}, "SK": {"S": "O"}});
        let body = json!({"TableName": "Orders", "Key": key});
        answer(engine, request("DeleteItem", &body)).unwrap();
    }

    fn change(&mut self, engine: &Engine, mut chance: u64) {
        let mut next = |below: u64| {
            let taken = chance % below;
            chance /= below;
            taken
        };
        let (id, product) = (next(ORDERS), next(PRODUCTS));
        match next(4) {
            0 => self.delete(engine, id),
            _ => {
                let total = TOTALS[usize::try_from(next(TOTALS.len() as u64)).unwrap()];
                self.put(engine, id, product, total);
            }
        }
    }

    /// The sum of a product's totals, and their number.
    fn sum(&self, product: u64) -> (Paper, u64) {
        let own = self.0.values().filter(|(of, _)| *of == product);
        own.fold((Paper::default(), 0), |(mut sum, count), (_, total)| {
            sum.add(&total.parse().unwrap());
            (sum, count + 1)
        })
    }

    /// The rows, and the keys of those whose sum is no number, with the sum.
    fn rows(&self) -> (BTreeMap<String, Item>, BTreeMap<String, String>) {
        let (mut rows, mut wide) = (BTreeMap::new(), BTreeMap::new());
        for product in 0..PRODUCTS {
            let (sum, count) = self.sum(product);
            if count == 0 {
                continue;
            }
            let own = self.0.values().filter(|(of, _)| *of == product);
            let totals = own.map(|(_, total)| total.parse::<Number>().unwrap());
            let mut totals: Vec<Number> = totals.collect();
            totals.sort_by(order);
            for kind in ["S", "M", "R"] {
                let mut row = Item::from_iter([("product", format!("p{product}"))]);
                row.insert("orders", i64::try_from(count).unwrap());
                if kind == "M" {
                    row.insert("mean", Value::N(sum.mean(count)));
                    row.insert("least", Value::N(totals[0]));
                    row.insert("most", Value::N(*totals.last().unwrap()));
                }
                let key = format!("{kind}#p{product} {kind}");
                let name = if kind == "R" { "total" } else { "sum" };
                match sum.number() {
                    Some(number) => row.insert(name, Value::N(number)),
                    None => {
                        wide.insert(key.clone(), sum.to_string());
                        None
                    }
                };
                rows.insert(key, row);
            }
        }
        (rows, wide)
    }
}

fn order(one: &Number, two: &Number) -> Ordering {
    let mut difference = Paper::default();
    difference.add(one);
    difference.add(&two.negated());
    match difference.signed() {
        (_, digits) if digits.iter().all(|digit| *digit == 0) => Ordering::Equal,
        (true, _) => Ordering::Less,
        (false, _) => Ordering::Greater,
    }
}

/// Decimal digits, as on paper: of 10^-200 first, each with its own sign.
struct Paper([i64; 400]);

impl Default for Paper {
    fn default() -> Paper {
        Paper([0; 400])
    }
}

impl Paper {
    fn add(&mut self, number: &Number) {
        let mut place = usize::try_from(number.exponent() + 200).unwrap();
        let mut rest = number.coefficient();
        while rest > 0 {
            let digit = i64::try_from(rest % 10).unwrap();
            self.0[place] += if number.is_negative() { -digit } else { digit };
            rest /= 10;
            place += 1;
        }
    }

    /// Whether it is negative, and its digits, each from 0 to 9.
    fn signed(&self) -> (bool, [i64; 400]) {
        let made = |sign: i64| {
            let (mut digits, mut carry) = (self.0, 0);
            for digit in &mut digits {
                let sum = *digit * sign + carry;
                *digit = sum.rem_euclid(10);
                carry = sum.div_euclid(10);
            }
            (carry == 0).then_some(digits)
        };
        match made(1) {
            Some(digits) => (false, digits),
            None => (true, made(-1).unwrap()),
        }
    }

    fn number(&self) -> Option<Number> {
        self.to_string().parse().ok()
    }

    /// The quotient: 38 digits, no finer than 10^-130, rounded half away from zero.
    fn mean(&self, count: u64) -> Number {
        let (is_negative, digits) = self.signed();
        let (mut quotient, mut rest) = (Paper::default(), 0);
        for place in (0..400).rev() {
            rest = rest * 10 + u64::try_from(digits[place]).unwrap();
            quotient.0[place] = i64::try_from(rest / count).unwrap();
            rest %= count;
        }
        let first = quotient.0.iter().rposition(|digit| *digit != 0);
        let last = first.map_or(70, |first| if first < 70 { 70 } else { first - 37 });
        let is_up = quotient.0[last - 1] >= 5;
        quotient.0[..last].fill(0);
        quotient.0[last] += i64::from(is_up);
        let number = quotient.number().unwrap();
        if is_negative {
            number.negated()
        } else {
            number
        }
    }
}

impl std::fmt::Display for Paper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (is_negative, digits) = self.signed();
        let digits = digits.iter().rev();
        let digits: String = digits.map(|one| one.to_string()).collect();
        let (whole, fraction) = digits.split_at(200);
        let (whole, fraction) = (
            whole.trim_start_matches('0'),
            fraction.trim_end_matches('0'),
        );
        let point = if fraction.is_empty() { "" } else { "." };
        let whole = if whole.is_empty() { "0" } else { whole };
        let sign = if is_negative { "-" } else { "" };
        write!(f, "{sign}{whole}{point}{fraction}")
    }
}

fn all_of(engine: &Arc<Engine>) -> Vec<ViewStatus> {
    status(&sends(engine), &model(), &consumers()).unwrap()
}

fn run_for(simulation: &mut Simulation, time: Duration) {
    let end = simulation.now() + time;
    while simulation.now() < end {
        simulation.step();
    }
}

/// Goes on without faults until no record is left, and no view is built.
fn rest(simulation: &mut Simulation) {
    simulation.set_faults(Faults::default());
    let end = simulation.now() + LEASE * 60;
    loop {
        run_for(simulation, Duration::from_secs(2));
        let all = all_of(&simulation.engine);
        if all
            .iter()
            .all(|one| one.behind == 0 && one.next.is_none() && one.live.is_some())
        {
            return;
        }
        assert!(simulation.now() < end, "{all:?}");
    }
}

#[derive(Default)]
struct Seen(Vec<Finding>);

impl Observer for Seen {
    fn progress(&mut self, _: u32, _: u64) {}

    fn finding(&mut self, finding: &Finding) -> Result<(), ClientError> {
        self.0.push(finding.clone());
        Ok(())
    }
}

/// The findings of a verification.
fn verified(engine: &Arc<Engine>) -> Vec<Finding> {
    let (backend, model) = (Backend::Embedded(Arc::clone(engine)), model());
    let tables = verify::sizes(&backend, &model).unwrap();
    let options = verify::Options {
        segments: 2,
        page: Some(2),
        ..verify::Options::default()
    };
    let mut seen = Seen::default();
    let report = verify::run(&backend, &model, &tables, &options, &mut seen).unwrap();
    assert_eq!(report.undecided_rows, 0);
    seen.0
}

fn shown(key: &Item) -> String {
    ["PK", "SK"].map(|name| common::text(key, name)).join(" ")
}

/// Compares rows, the state of the views, and a verification, with what follows from the orders. Returns
/// the number of rows without a sum.
fn compare(engine: &Arc<Engine>, orders: &Orders) -> usize {
    let (rows, wide) = orders.rows();
    let mut found = items(engine, "Sales");
    for (key, sum) in &wide {
        let row = found.get_mut(key).unwrap();
        if let Some(held) = row.remove("sum").or_else(|| row.remove("total")) {
            let Value::S(why) = &held else {
                panic!("{key} has the sum {held:?}, and the items make {sum}");
            };
            assert!(why.ends_with(sum), "{key} has {why}, and not {sum}");
        }
    }
    for row in found.values_mut() {
        row.remove("board");
    }
    assert_eq!(found, rows);
    compare_reads(engine, &rows, &wide);
    let aside = failures(&sends(engine), &model(), &consumers(), None).unwrap();
    assert_eq!(aside.len(), 0, "{}", aside[0].aside.why);
    let known: Vec<(String, String)> = all_of(engine)
        .iter()
        .flat_map(|view| &view.without_sum)
        .map(|one| (shown(&one.key), one.why.clone()))
        .collect();
    let keys = |all: &[(String, String)]| {
        let keys = all.iter().map(|(key, _)| key.clone());
        keys.collect::<BTreeSet<String>>()
    };
    let wanted: BTreeSet<String> = wide.keys().cloned().collect();
    assert_eq!(keys(&known), wanted);
    let findings = verified(engine);
    for one in &findings {
        let is_right = matches!(
            one.kind,
            FindingKind::WrongType | FindingKind::MissingAttribute
        );
        assert!(is_right, "{one:?}");
    }
    let findings = findings.iter();
    let findings = findings.map(|one| (shown(&one.key), one.message.clone()));
    let findings: Vec<(String, String)> = findings.collect();
    assert_eq!(keys(&findings), wanted);
    for (key, why) in known.iter().chain(&findings) {
        let sum = &wide[key];
        let cause = cause(sum);
        assert!(why.contains(sum) && why.contains(cause), "{key}: {why}");
    }
    wide.len()
}

/// What a pattern reads of one product, or of all.
fn read(
    engine: &Arc<Engine>,
    pattern: &str,
    product: Option<String>,
) -> Result<Vec<FoundItem>, ClientError> {
    let (backend, model) = (Backend::Embedded(Arc::clone(engine)), model());
    let pattern = model.pattern(pattern).unwrap();
    let product = product.map(|product| ("product".to_owned(), Value::S(product)));
    let arguments = product.into_iter().collect();
    let start = PageRequest::default();
    let found = read::run(&backend, &model, pattern, &arguments, &start, Pages::All)?;
    Ok(found.items)
}

/// Compares what patterns read with the rows. A row without a sum is an error that says the sum and the
/// cause, whether the sum is the key of an index or not; by the index, there is no such row.
fn compare_reads(
    engine: &Arc<Engine>,
    rows: &BTreeMap<String, Item>,
    wide: &BTreeMap<String, String>,
) {
    for (kind, pattern) in [("S", "sums"), ("M", "means"), ("R", "ranked")] {
        for product in 0..PRODUCTS {
            let key = format!("{kind}#p{product} {kind}");
            let found = read(engine, pattern, Some(format!("p{product}")));
            let Some(sum) = wide.get(&key) else {
                let found = found.unwrap().into_iter().map(|one| one.attributes);
                let found: Vec<Item> = found.map(Item::from_iter).collect();
                let wanted: Vec<Item> = rows.get(&key).cloned().into_iter().collect();
                assert_eq!(found, wanted, "{key}");
                continue;
            };
            let Err(ClientError::UnknownItem(wrong)) = found else {
                panic!("{key}, whose sum is {sum}, was read: {found:?}");
            };
            let name = if kind == "R" { "total" } else { "sum" };
            assert_eq!(wrong.attribute.as_deref(), Some(name));
            let says = [sum.as_str(), cause(sum), "the sum of its items"];
            let is_said = says.iter().all(|one| wrong.message.contains(one));
            assert!(is_said, "{key}: {}", wrong.message);
            let is_foreign = wrong.message.contains("not written through the model");
            assert!(!is_foreign, "{key}: {}", wrong.message);
        }
    }
    let ranked = rows.keys().filter(|key| key.starts_with("R#"));
    let ranked = ranked.filter(|key| !wide.contains_key(*key)).count();
    let ranks = read(engine, "ranks", None).unwrap();
    assert_eq!(ranks.len(), ranked);
}

/// What the sentence about a sum says.
fn cause(sum: &str) -> &'static str {
    let whole = sum.trim_start_matches('-').split('.').next().unwrap();
    let is_small = whole == "0";
    match whole.len() {
        127.. => "magnitude larger than supported",
        _ if is_small && sum.trim_start_matches(['-', '0', '.']).len() < 38 => {
            "magnitude smaller than supported"
        }
        _ => "more than 38 significant digits",
    }
}

fn rebuild(simulation: &Simulation) {
    let world = simulation.quiet_world();
    blocked(rebuild_views(&world, &model(), &consumers(), None)).unwrap();
}

/// Changes orders while workers keep the views. Returns how many rows were seen without a sum.
fn run(seed: u64) -> (usize, u64) {
    let mut simulation = simulation(seed);
    let engine = Arc::clone(&simulation.engine);
    let (mut orders, mut wide) = (Orders::default(), 0);
    for _ in 0..10 {
        let chance = simulation.random();
        orders.change(&engine, chance);
    }
    for _ in 0..3 {
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
            rebuild(&simulation);
        }
        for _ in 0..12 {
            let chance = simulation.random();
            orders.change(&engine, chance);
            for _ in 0..chance % 50 {
                simulation.step();
            }
        }
        rest(&mut simulation);
        wide += compare(&engine, &orders);
    }
    for id in 0..ORDERS {
        orders.delete(&engine, id);
    }
    rest(&mut simulation);
    assert_eq!(compare(&engine, &orders), 0);
    assert_eq!(items(&engine, "Sales").len(), 0);
    (wide, simulation.kills)
}

#[test]
fn sums_are_right_or_known_to_be_none() {
    let seeds = std::env::var("KEYFOLD_STREAM_SEEDS").map_or(2, |text| text.parse().unwrap());
    let all = (0..seeds).map(run);
    let (wide, kills) = all.fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
    assert!(wide > 10, "{wide} rows were without a sum");
    assert!(kills > 0, "no worker was killed");
}

/// A sum is a number again when the values allow it: by a record, and in a new generation.
#[test]
fn a_row_without_a_sum_has_one_again() {
    let mut simulation = simulation(3);
    let engine = Arc::clone(&simulation.engine);
    let mut orders = Orders::default();
    simulation.start();
    rest(&mut simulation);
    orders.put(&engine, 1, 0, "1e30");
    orders.put(&engine, 3, 1, "3");
    rest(&mut simulation);
    assert_eq!(compare(&engine, &orders), 0);
    orders.put(&engine, 2, 0, "1e-10");
    orders.put(&engine, 3, 1, "4");
    rest(&mut simulation);
    assert_eq!(compare(&engine, &orders), 3, "one row of each view");
    rebuild(&simulation);
    rest(&mut simulation);
    assert_eq!(compare(&engine, &orders), 3);
    orders.put(&engine, 4, 0, "5");
    rest(&mut simulation);
    assert_eq!(compare(&engine, &orders), 3);
    orders.put(&engine, 1, 0, "2");
    rest(&mut simulation);
    assert_eq!(compare(&engine, &orders), 0);
    orders.put(&engine, 5, 0, "9e125");
    orders.put(&engine, 6, 0, "9e125");
    rest(&mut simulation);
    assert_eq!(compare(&engine, &orders), 3);
    orders.delete(&engine, 5);
    orders.delete(&engine, 6);
    rebuild(&simulation);
    rest(&mut simulation);
    assert_eq!(compare(&engine, &orders), 0);
}
