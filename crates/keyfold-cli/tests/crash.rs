//! Kills the server during writes, again and again. After each kill all acknowledged writes are
//! there, and indexes agree with items.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use keyfold_api::{
    ExpressionAttributes, PutItemInput, Request, Response, ScanInput, TransactPut,
    TransactWriteItem, TransactWriteItemsInput, UpdateItemInput,
};
use keyfold_client::{Backend, tables};
use keyfold_engine::{Durability, Engine, EngineOptions, StoreOptions};
use keyfold_types::{Item, Value};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const MODEL: &str = "model crash 1\ntable Crash (pk, sk)\n  gsi ByTurn (turn)\n";
const WRITERS: usize = 8;
/// The number of kills; KEYFOLD_KILLS sets another.
const ROUNDS: u64 = 8;

struct Server {
    child: Child,
    endpoint: String,
}

impl Server {
    fn start(folder: &Path) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_keyfold"))
            .args(["serve", "--port", "0", "--json", "--data"])
            .arg(folder.join("data"))
            .arg(folder.join("crash.keyfold"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let report: serde_json::Value =
            serde_json::from_str(&line).unwrap_or_else(|_| panic!("no report: {line}"));
        Server {
            child,
            endpoint: report["result"]["endpoint"].as_str().unwrap().to_owned(),
        }
    }
}

fn item(pk: String, sk: &str, turn: u64, value: u64) -> Item {
    [
        ("pk", Value::from(pk)),
        ("sk", Value::from(sk)),
        ("turn", Value::from(format!("t{}", turn % 5))),
        ("value", Value::from(value as i64)),
    ]
    .into_iter()
    .collect()
}

/// Writes turn after turn: a put that moves in the index, a counter, and a pair in one transaction.
/// Returns the last acknowledged turn.
fn write(endpoint: &str, writer: usize, first_turn: u64, stop: &AtomicBool) -> u64 {
    let backend = Backend::endpoint(endpoint, "us-east-1", "k", "s").unwrap();
    let name = || Some("Crash".to_owned());
    let mut turn = first_turn;
    while !stop.load(Ordering::Relaxed) {
        let next = turn + 1;
        let put = PutItemInput {
            table_name: name(),
            item: Some(Ok(item(format!("put{writer}"), "x", next, next))),
            ..PutItemInput::default()
        };
        let count = UpdateItemInput {
            table_name: name(),
            key: Some(Ok([
                ("pk", format!("count{writer}")),
                ("sk", "x".to_owned()),
            ]
            .into_iter()
            .collect())),
            update_expression: Some("ADD #v :one".to_owned()),
            expression_attributes: ExpressionAttributes::default()
                .name("#v", "value")
                .value(":one", 1),
            ..UpdateItemInput::default()
        };
        let half = |sk: &str| TransactWriteItem {
            put: Some(TransactPut {
                table_name: name(),
                item: Some(Ok(item(format!("pair{writer}"), sk, next, next))),
                ..TransactPut::default()
            }),
            ..TransactWriteItem::default()
        };
        let pair = TransactWriteItemsInput {
            transact_items: Some(vec![half("left"), half("right")]),
            ..TransactWriteItemsInput::default()
        };
        let requests = [
            Request::PutItem(put),
            Request::UpdateItem(count),
            Request::TransactWriteItems(pair),
        ];
        if requests
            .into_iter()
            .any(|request| backend.call(request).is_err())
        {
            break;
        }
        turn = next;
    }
    turn
}

fn scan(engine: &Engine, index: Option<&str>) -> BTreeMap<(String, String), Item> {
    let mut found = BTreeMap::new();
    let mut start = None;
    loop {
        let input = ScanInput {
            table_name: Some("Crash".to_owned()),
            index_name: index.map(str::to_owned),
            exclusive_start_key: start.map(Ok),
            ..ScanInput::default()
        };
        let Response::Scan(page) = engine.execute(input.into()).wait().unwrap() else {
            panic!("no page")
        };
        for raw in page.items.unwrap() {
            let item = raw.to_item();
            let text = |name: &str| match item.get(name) {
                Some(Value::S(text)) => text.clone(),
                other => panic!("{name}: {other:?}"),
            };
            let key = (text("pk"), text("sk"));
            assert!(found.insert(key, item).is_none(), "an entry twice");
        }
        match page.last_evaluated_key {
            Some(key) => start = Some(key),
            None => return found,
        }
    }
}

#[test]
fn acknowledged_writes_survive_kills_and_indexes_agree() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("crash.keyfold"), MODEL).unwrap();
    let mut acknowledged = vec![0u64; WRITERS];
    let rounds = std::env::var("KEYFOLD_KILLS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(ROUNDS);
    for round in 0..rounds {
        let mut server = Server::start(folder.path());
        let stop = Arc::new(AtomicBool::new(false));
        let writers: Vec<_> = acknowledged
            .iter()
            .enumerate()
            .map(|(writer, turn)| {
                let (endpoint, stop, turn) = (server.endpoint.clone(), Arc::clone(&stop), *turn);
                std::thread::spawn(move || write(&endpoint, writer, turn, &stop))
            })
            .collect();
        std::thread::sleep(Duration::from_millis(120 + 37 * (round % 20)));
        server.child.kill().unwrap();
        server.child.wait().unwrap();
        stop.store(true, Ordering::Relaxed);
        acknowledged = writers
            .into_iter()
            .map(|writer| writer.join().unwrap())
            .collect();
        check(folder.path(), &acknowledged);
    }
    assert!(
        acknowledged.iter().sum::<u64>() > rounds,
        "too little was written: {acknowledged:?}"
    );
}

fn check(folder: &Path, acknowledged: &[u64]) {
    let store = StoreOptions::folder(folder.join("data"), Durability::Synced);
    let engine = Engine::open(EngineOptions::new(store)).unwrap();
    let items = scan(&engine, None);
    let value = |pk: String, sk: &str| match items
        .get(&(pk, sk.to_owned()))
        .and_then(|item| item.get("value"))
    {
        Some(Value::N(number)) => u64::try_from(number.to_i64().unwrap()).unwrap(),
        _ => 0,
    };
    for (writer, turn) in acknowledged.iter().enumerate() {
        let put = value(format!("put{writer}"), "x");
        let count = value(format!("count{writer}"), "x");
        let (left, right) = (
            value(format!("pair{writer}"), "left"),
            value(format!("pair{writer}"), "right"),
        );
        assert_eq!(left, right, "half a transaction");
        // The stored turn is at most one above the acknowledged one: that of the write under way. A
        // client without an answer may have retried the counter, so only its lower bound is exact.
        assert!(
            *turn <= left && left <= *turn + 1,
            "pair of {writer}: {left}, acknowledged {turn}"
        );
        assert!(
            *turn <= put && put <= *turn + 1,
            "put of {writer}: {put}, acknowledged {turn}"
        );
        assert!(
            *turn <= count,
            "counter of {writer}: {count}, acknowledged {turn}"
        );
    }
    let indexed: BTreeMap<_, _> = items
        .iter()
        .filter(|(_, item)| item.get("turn").is_some())
        .map(|(k, i)| (k.clone(), i.clone()))
        .collect();
    assert_eq!(scan(&engine, Some("ByTurn")), indexed);
    let model = keyfold_model::compile(MODEL).model.unwrap();
    assert!(tables::ensure(&Backend::Embedded(Arc::new(engine)), &model).is_ok());
}
