//! Rows that workers have kept are what a verification makes of their sources, and rows that were changed
//! otherwise are found.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and waits"
)]

mod common;

use common::views::{change, compare, items, make, model};
use common::{answer, request};
use keyfold_client::verify::{self, Finding, FindingKind, Observer};
use keyfold_client::{Backend, ClientError};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_model::Model;
use keyfold_stream::views::{ViewOptions, ViewWorker, status};
use keyfold_stream::{Options, sends};
use keyfold_types::Value;
use serde_json::{Value as Json, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Sees the findings about rows.
#[derive(Default)]
struct Seen {
    rows: Vec<String>,
    lagging: Vec<String>,
    asked: usize,
}

impl Observer for Seen {
    fn progress(&mut self, _: u32, _: u64) {}

    fn finding(&mut self, finding: &Finding) -> Result<(), ClientError> {
        if finding.kind == FindingKind::ViewRow {
            let item = finding.item.clone().unwrap();
            self.rows.push(format!("{item}: {}", finding.message));
        }
        Ok(())
    }

    fn lagging(&mut self) -> Result<Vec<String>, ClientError> {
        self.asked += 1;
        Ok(self.lagging.clone())
    }
}

/// What a verification finds of rows, and how many it leaves undecided.
fn verified(backend: &Backend, seen: Seen) -> (Vec<String>, u64, usize) {
    verified_of(backend, &model(), seen)
}

fn verified_of(backend: &Backend, model: &Arc<Model>, mut seen: Seen) -> (Vec<String>, u64, usize) {
    let tables = verify::sizes(backend, model).unwrap();
    let options = verify::Options {
        segments: 3,
        page: Some(7),
        ..verify::Options::default()
    };
    let report = verify::run(backend, model, &tables, &options, &mut seen).unwrap();
    seen.rows.sort();
    (seen.rows, report.undecided_rows, seen.asked)
}

/// Rows of changes that workers have followed.
fn kept() -> (Arc<Engine>, Arc<Backend>) {
    let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
    let engine = Arc::new(engine);
    make(&engine);
    let backend = Arc::new(Backend::Embedded(Arc::clone(&engine)));
    let changes = || {
        let mut chance = 11_u64;
        for _ in 0..250 {
            chance = chance.wrapping_mul(6_364_136_223_846_793_005) + 1;
            change(&engine, &model(), chance >> 8);
        }
    };
    follow(&backend, &model(), changes, || compare(&engine).is_ok());
    (engine, backend)
}

/// Changes sources while a worker keeps the views of a model, until the rows are as they should be.
fn follow(
    backend: &Arc<Backend>,
    model: &Arc<Model>,
    change: impl FnOnce(),
    is_right: impl Fn() -> bool,
) {
    let send = sends(Arc::clone(backend));
    let options = ViewOptions {
        consumers: Options {
            poll_time: Duration::from_millis(5),
            discovery_time: Duration::from_millis(100),
            ..Options::new("views", "views")
        },
        ..ViewOptions::default()
    };
    let worker = ViewWorker::start(Arc::clone(&send), model, &options).unwrap();
    change();
    let began = Instant::now();
    let is_done = || {
        let all = status(&send, model, &options.consumers).unwrap();
        let mut all = all.iter();
        all.all(|one| one.live.is_some() && one.next.is_none() && one.behind == 0) && is_right()
    };
    while !is_done() {
        assert!(began.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(20));
    }
    worker.stop().unwrap();
}

fn put(engine: &Engine, item: &Json) {
    put_in(engine, "Sales", item);
}

fn put_in(engine: &Engine, table: &str, item: &Json) {
    let body = json!({"TableName": table, "Item": item});
    answer(engine, request("PutItem", &body)).unwrap();
}

/// A row as it is stored, in DynamoDB's JSON.
fn stored(engine: &Engine, begins: &str) -> Json {
    let scan = request("Scan", &json!({"TableName": "Sales"}));
    let keyfold_api::Response::Scan(found) = answer(engine, scan).unwrap() else {
        panic!("an answer of another operation");
    };
    let mut all = found.items.unwrap().into_iter().map(|item| item.to_item());
    let row = all
        .find(|item| common::text(item, "PK").starts_with(begins))
        .unwrap();
    let mut bytes = Vec::new();
    keyfold_wire::encode::encode_item(&mut bytes, &row);
    serde_json::from_slice(&bytes).unwrap()
}

#[test]
fn rows_that_were_kept_are_what_their_sources_make() {
    let (engine, backend) = kept();
    assert!(items(&engine, "Sales").len() > 5);
    let (found, undecided, _) = verified(&backend, Seen::default());
    assert_eq!((found, undecided), (Vec::<String>::new(), 0));
}

/// Each attribute that is compared, each of which is found as it is, and alone.
#[test]
fn what_was_changed_otherwise_is_found() {
    let (engine, backend) = kept();
    for (view, begins, names) in [
        (
            "Sold",
            "S#",
            &["orders", "total", "saved", "view:items"][..],
        ),
        (
            "Detail",
            "D#",
            &[
                "orders",
                "mean",
                "mean:sum",
                "mean:items",
                "least",
                "most",
                "last",
                "view:items",
            ],
        ),
        ("Line", "L#", &["total"]),
    ] {
        for name in names {
            let row = stored(&engine, begins);
            let mut changed = row.clone();
            changed[name] = match changed[name].get("S") {
                Some(_) => json!({"S": "other"}),
                None => json!({"N": "123456"}),
            };
            put(&engine, &changed);
            let (found, undecided, asked) = verified(&backend, Seen::default());
            assert_eq!((undecided, asked), (0, 1), "{name}");
            let begin = format!("{view}: {name} is ");
            assert!(
                found.len() == 1 && found[0].starts_with(&begin),
                "{name}: {found:?}"
            );
            let lagging = Seen {
                lagging: vec![view.to_owned()],
                ..Seen::default()
            };
            assert_eq!(verified(&backend, lagging), (Vec::new(), 1, 1), "{name}");
            put(&engine, &row);
        }
        let row = stored(&engine, begins);
        let mut key = json!({"PK": row["PK"], "SK": row["SK"]});
        let body = json!({"TableName": "Sales", "Key": key});
        answer(&engine, request("DeleteItem", &body)).unwrap();
        let (found, _, _) = verified(&backend, Seen::default());
        assert!(
            found.len() == 1 && found[0].ends_with("it is not stored"),
            "{found:?}"
        );
        put(&engine, &row);
        let mut other = row.clone();
        for (name, held) in [("PK", "other"), ("product", "other")] {
            other[name]["S"] = json!(held.to_owned());
        }
        other["PK"]["S"] = json!(format!("{begins}other"));
        put(&engine, &other);
        let (found, _, _) = verified(&backend, Seen::default());
        assert_eq!(found, [format!("{view}: no item of its source makes it")]);
        key["PK"] = other["PK"].clone();
        let body = json!({"TableName": "Sales", "Key": key});
        answer(&engine, request("DeleteItem", &body)).unwrap();
    }
    let (found, undecided, asked) = verified(&backend, Seen::default());
    assert_eq!((found, undecided, asked), (Vec::new(), 0, 0));
}

const TYPED: &str = r#"
model shop 1
table Orders (PK, SK) type kind
  stream new and old images
table Sales (PK, SK)
entity Order in Orders
  id: string, product: string, total: int
  key "O#{id}" "O"
view Sold in Sales of Order
  key "S#{product}" "S"
  orders: count, total: sum total
view Detail in Sales of Order
  key "D#{product}" "D"
  orders: count, most: max total
pattern order(id) -> Order?
pattern sold(product) -> Sold?
pattern detail(product) -> Detail?
"#;

/// An item that says another kind gives nothing to rows, for those who keep them and for a verification.
#[test]
fn an_item_of_another_kind_is_in_no_row() {
    let compiled = keyfold_model::compile(TYPED);
    let model = Arc::new(compiled.model.unwrap());
    let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
    let engine = Arc::new(engine);
    make(&engine);
    let backend = Arc::new(Backend::Embedded(Arc::clone(&engine)));
    let order = |id: &str, total: i64, kind: Option<&str>| {
        let mut item = json!({
            "PK": {"S": format!("O#{id}")}, "SK": {"S": "O"}, "id": {"S": id},
            "product": {"S": "p"}, "total": {"N": total.to_string()},
        });
        if let Some(kind) = kind {
            item["kind"] = json!({"S": kind});
        }
        put_in(&engine, "Orders", &item);
    };
    let is = |orders: i64, total: i64, most: i64| {
        let rows = items(&engine, "Sales");
        let has = |key: &str, name: &str, wanted: i64| {
            let held = rows.get(key).and_then(|row| row.get(name));
            held == Some(&Value::from(wanted))
        };
        has("S#p S", "orders", orders)
            && has("S#p S", "total", total)
            && has("D#p D", "orders", orders)
            && has("D#p D", "most", most)
    };
    let changes = || {
        order("1", 5, Some("Order"));
        order("2", 70, Some("Zed"));
        order("3", 1, None);
        order("4", 9, Some("Order"));
    };
    follow(&backend, &model, changes, || is(3, 15, 9));
    let found = verified_of(&backend, &model, Seen::default());
    assert_eq!(found, (Vec::new(), 0, 0));
    let changes = || order("4", 9, Some("Zed"));
    follow(&backend, &model, changes, || is(2, 6, 5));
    let found = verified_of(&backend, &model, Seen::default());
    assert_eq!(found, (Vec::new(), 0, 0));
    let changes = || order("2", 70, Some("Order"));
    follow(&backend, &model, changes, || is(3, 76, 70));
    let found = verified_of(&backend, &model, Seen::default());
    assert_eq!(found, (Vec::new(), 0, 0));
}
