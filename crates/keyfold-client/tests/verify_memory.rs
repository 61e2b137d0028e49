//! Measures the memory of verifications whose items relate to many others: guards, and parents of
//! aggregates. `VERIFY_ITEMS` is the number of items that are guarded or counted.
//!
//! `cargo test --release -p keyfold-client --test verify_memory -- --ignored --nocapture`
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement"
)]

use keyfold_api::{BatchWriteItemInput, Response, ScanInput, WriteRequest};
use keyfold_client::verify::{self, Finding, Observer, Options};
use keyfold_client::{Backend, ClientError, arguments, derive, tables};
use keyfold_engine::{Durability, Engine, EngineOptions, StoreOptions};
use keyfold_model::Model;
use keyfold_types::{Item, Value};
use std::path::Path;
use std::sync::Arc;

const MODEL: &str = "\
model m 1
table Tab (PK, SK) type kind

entity Login
  loginId: string, email: string
  key    \"LOGIN#{loginId}\" \"LOGIN\"
  unique email

entity Parent
  parentId: string
  key    \"PARENT#{parentId}\" \"PARENT\"
  count  children of Child
  sum    total of Child.size

entity Child
  parentId: Parent.parentId, childId: string, size: int
  key    \"CHILD#{childId}\" \"CHILD\"
";

struct Unseen;

impl Observer for Unseen {
    fn progress(&mut self, _scan: u32, _items: u64) {}

    fn finding(&mut self, finding: &Finding) -> Result<(), ClientError> {
        panic!("{finding:?}")
    }
}

fn items(model: &Model, entity: &str, values: &[(&str, Value)]) -> Vec<Item> {
    let named = values.iter();
    let named = named.map(|(name, held)| ((*name).to_owned(), held.clone()));
    let values: arguments::Values = named.collect();
    let all = derive::derive(model, model.entity(entity).unwrap(), &values).unwrap();
    all.into_iter().map(|one| one.item).collect()
}

/// A text that says nothing about the order of its number: relatives lie far from each other.
fn mixed(number: usize) -> Value {
    let mixed = (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    Value::from(format!("{mixed:016x}").as_str())
}

fn login(model: &Model, number: usize) -> Vec<Item> {
    let Value::S(id) = mixed(number) else {
        return Vec::new();
    };
    let email = Value::from(format!("{id}@example.com").as_str());
    items(
        model,
        "Login",
        &[("loginId", mixed(number)), ("email", email)],
    )
}

/// A child of one of so many parents, and the parent with the first one.
fn child(model: &Model, number: usize, (parents, children): (usize, usize)) -> Vec<Item> {
    let parent = ("parentId", mixed(number % parents));
    let values = [
        parent.clone(),
        ("childId", mixed(number)),
        ("size", 2.into()),
    ];
    let mut all = items(model, "Child", &values);
    if number < parents {
        let count = i64::try_from(children / parents).unwrap();
        let total = ("total", Value::from(2 * count));
        let values = [parent, ("children", count.into()), total];
        let mut parent = items(model, "Parent", &values).remove(0);
        parent.insert("total:items", count);
        all.push(parent);
    }
    all
}

fn put(backend: &Backend, items: Vec<Item>) {
    let puts = items.into_iter().map(|item| WriteRequest {
        put: Some(Some(Ok(item))),
        delete: None,
    });
    let input = BatchWriteItemInput {
        request_items: Some(vec![("Tab".to_owned(), puts.collect())]),
        ..BatchWriteItemInput::default()
    };
    backend.call(input.into()).unwrap();
}

fn open(folder: &Path) -> Backend {
    let store = StoreOptions::folder(folder, Durability::Buffered);
    Backend::Embedded(Arc::new(Engine::open(EngineOptions::new(store)).unwrap()))
}

fn scan(backend: &Backend) {
    let mut after = None;
    loop {
        let input = ScanInput {
            table_name: Some("Tab".to_owned()),
            exclusive_start_key: after.map(Ok),
            ..ScanInput::default()
        };
        let Response::Scan(page) = backend.call(input.into()).unwrap() else {
            panic!("a scan is answered")
        };
        after = page.last_evaluated_key;
        if after.is_none() {
            return;
        }
    }
}

/// The most megabytes that the process had in memory while this ran.
fn peak(work: impl FnOnce()) -> u64 {
    // 5 makes the peak that of now.
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    work();
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.unwrap().parse::<u64>().unwrap() / 1024
}

#[test]
#[ignore = "a measurement"]
fn the_memory_of_a_verification_does_not_depend_on_the_table() {
    let number = std::env::var("VERIFY_ITEMS").ok();
    let number = number
        .and_then(|text| text.parse().ok())
        .unwrap_or(1_000_000);
    let model = keyfold_model::compile(MODEL).model.unwrap();
    type Make<'m> = Box<dyn Fn(usize) -> Vec<Item> + 'm>;
    let of = |parents| -> Make<'_> {
        let model = &model;
        Box::new(move |at| child(model, at, (parents, number)))
    };
    let tables: [(&str, Make<'_>); 3] = [
        ("guarded", Box::new(|at| login(&model, at))),
        ("counted by 10 parents", of(10)),
        ("counted by a parent for each 2", of(number / 2)),
    ];
    for (name, make) in tables {
        let folder = tempfile::tempdir().unwrap();
        {
            let backend = open(folder.path());
            tables::ensure(&backend, &model).unwrap();
            for from in (0..number).step_by(10) {
                put(&backend, (from..from + 10).flat_map(&make).collect());
            }
            backend.sync().unwrap();
        }
        let backend = open(folder.path());
        // The first scan fills the engine's own memory.
        scan(&backend);
        let scanned = peak(|| scan(&backend));
        let verified = peak(|| {
            let sizes = verify::sizes(&backend, &model).unwrap();
            let options = Options::default();
            let report = verify::run(&backend, &model, &sizes, &options, &mut Unseen).unwrap();
            assert_eq!((report.findings(), report.scans), (0, 1));
        });
        println!("{number} {name}: scan {scanned} MB, verification {verified} MB");
    }
}
