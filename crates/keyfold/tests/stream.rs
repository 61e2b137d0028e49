//! Consumers whose effects are writes of a model.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking, waits, and looks at a few reports"
)]

use keyfold::stream::{Failure, Options, Record, Report};
use keyfold::{Database, Keyfold, Transaction, values};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const SHOP: &str = r#"
model shop 1
table Orders (PK, SK)
  stream new and old images
table Stock (PK, SK)
entity Order in Orders
  order: string, product: string
  key "O#{order}" "O"
entity Product in Stock
  product: string, left: int, sold: int = 0
  key "P#{product}" "P"
  count sales of Sale
entity Sale in Stock
  product: Product.product, order: string
  key "P#{product}" "S#{order}"
pattern product(product) -> Product?
pattern sales_of(product) -> Sale[] page 100
write sell(product, order: string)
  update Product set left = left - 1, sold = sold + 1 when left >= 1
"#;

fn open() -> (Keyfold, Database) {
    let db = Keyfold::memory().unwrap();
    let shop = db.model(SHOP).unwrap();
    (db, shop)
}

fn options() -> Options {
    Options {
        poll_time: Duration::from_millis(5),
        retry_pause: Duration::from_millis(1),
        ..Options::new("stock", "Orders")
    }
}

/// What an order takes from the stock.
fn sell(shop: &Database, records: &[Record]) -> Result<keyfold::stream::Effects, Failure> {
    let mut writes = Transaction::new();
    for record in records {
        let event = shop.events().of_record(record)?;
        if let Some(order) = event.and_then(|event| event.new) {
            let product = order.text("product").unwrap_or_default();
            let number = order.text("order").unwrap_or_default();
            writes = writes
                .run("sell", values! { "product": product, "order": number })
                .create("Sale", values! { "product": product, "order": number });
        }
    }
    Ok(shop.effects(writes))
}

/// The sale that an order is. All of a product add to its count.
fn count(shop: &Database, records: &[Record]) -> Result<keyfold::stream::Effects, Failure> {
    let mut writes = Transaction::new();
    for record in records {
        let event = shop.events().of_record(record)?;
        if let Some(order) = event.and_then(|event| event.new) {
            let product = order.text("product").unwrap_or_default();
            let number = order.text("order").unwrap_or_default();
            let sale = values! { "product": product, "order": number };
            writes = writes.create("Sale", sale);
        }
    }
    Ok(shop.effects(writes))
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Named writes, creations and their counts are the effects of records, and happen once; an order for
/// which nothing is left is set aside with the sentence of the refusal, and can be replayed later.
#[test]
fn writes_of_a_model_are_effects() {
    let (db, shop) = open();
    shop.put("Product", values! { "product": "pen", "left": 30 })
        .unwrap();
    for order in 0..31 {
        shop.put(
            "Order",
            values! { "order": format!("{order:02}"), "product": "pen" },
        )
        .unwrap();
    }
    let settings = Options {
        retries: 0,
        ..options()
    };
    let model = shop.clone();
    let handler = move |records: &[Record]| sell(&model, records);
    assert_eq!(
        db.set_aside(&settings).unwrap(),
        [],
        "no consumer has run yet, so the table of failures is absent"
    );
    let worker = db.consume(settings.clone(), handler.clone()).unwrap();
    until("one is set aside", || {
        db.set_aside(&settings).unwrap().len() == 1
    });
    worker.stop().unwrap();
    let pen = shop
        .query("product")
        .arg("product", "pen")
        .one()
        .unwrap()
        .unwrap();
    assert_eq!(
        [pen.int("left"), pen.int("sold"), pen.int("sales")],
        [Some(0), Some(30), Some(30)]
    );

    let aside = db.set_aside(&settings).unwrap().pop().unwrap();
    assert!(aside.why.contains("left"), "{}", aside.why);
    let again = || -> Result<(), Box<dyn std::error::Error>> {
        Ok(db.replay(&settings, &aside, &handler)?)
    };
    let why = again().unwrap_err();
    assert!(why.to_string().contains("left"), "{why}");
    shop.update("Product", values! { "product": "pen", "left": 5 })
        .unwrap();
    db.replay(&settings, &aside, &handler).unwrap();
    let pen = shop
        .query("product")
        .arg("product", "pen")
        .one()
        .unwrap()
        .unwrap();
    assert_eq!(
        [pen.int("left"), pen.int("sold"), pen.int("sales")],
        [Some(4), Some(31), Some(31)]
    );
    assert_eq!(db.set_aside(&settings).unwrap(), []);
}

/// Two workers of which one is dropped in the middle, and a handler that writes nothing for some records.
#[test]
fn a_worker_that_is_dropped_loses_nothing() {
    let (db, shop) = open();
    shop.put("Product", values! { "product": "pen", "left": 1_000 })
        .unwrap();
    let start = || {
        let model = shop.clone();
        let settings = Options {
            batch: 7,
            ..options()
        };
        db.consume(settings, move |records: &[Record]| sell(&model, records))
            .unwrap()
    };
    let mut workers = vec![start(), start()];
    for order in 0..200 {
        shop.put(
            "Order",
            values! { "order": format!("{order}"), "product": "pen" },
        )
        .unwrap();
        if order % 3 == 0 {
            shop.delete("Order", values! { "order": format!("{order}") })
                .unwrap();
        }
        if order % 50 == 49 {
            drop(workers.remove(0));
            workers.push(start());
        }
    }
    until("all are sold", || {
        let pen = shop
            .query("product")
            .arg("product", "pen")
            .one()
            .unwrap()
            .unwrap();
        pen.int("sold") == Some(200)
    });
    drop(workers);
    let pen = shop
        .query("product")
        .arg("product", "pen")
        .one()
        .unwrap()
        .unwrap();
    assert_eq!([pen.int("left"), pen.int("sales")], [Some(800), Some(200)]);
}

/// Several threads handle the parts of a batch, and their writes are one transaction, also where they
/// meet in an item: nothing is divided, tried again or set aside.
#[test]
fn writes_of_several_lanes_are_one_transaction() {
    let (db, shop) = open();
    for product in ["pen", "ink", "cup"] {
        shop.put("Product", values! { "product": product, "left": 100 })
            .unwrap();
    }
    for order in 0..90 {
        let product = ["pen", "ink", "cup"][order % 3];
        shop.put(
            "Order",
            values! { "order": format!("{order:02}"), "product": product },
        )
        .unwrap();
    }
    let reports: Arc<Mutex<Vec<Report>>> = Arc::default();
    let into = Arc::clone(&reports);
    let settings = Options {
        batch: 30,
        lanes: 4,
        ..options()
    };
    let settings = settings.on_report(move |report| into.lock().unwrap().push(report.clone()));
    let most = Arc::new(AtomicUsize::new(0));
    let (model, seen) = (shop.clone(), Arc::clone(&most));
    let handler = move |records: &[Record]| {
        seen.fetch_max(records.len(), Ordering::SeqCst);
        count(&model, records)
    };
    let worker = db.consume(settings, handler).unwrap();
    let of = |product: &str| {
        let found = shop.query("product").arg("product", product).one();
        let found = found.unwrap().unwrap();
        found.int("sales")
    };
    until("all are sold", || {
        ["pen", "ink", "cup"].iter().all(|one| of(one) == Some(30))
    });
    worker.stop().unwrap();
    let reports = reports.lock().unwrap();
    let handled: Vec<usize> = reports
        .iter()
        .filter_map(|report| match report {
            Report::Handled { records, .. } => Some(*records),
            Report::Failed { why, .. } => panic!("{why}"),
            _ => None,
        })
        .collect();
    assert_eq!(handled, [30, 30, 30]);
    let most = most.load(Ordering::SeqCst);
    assert!(most < 30, "a lane got {most} of 30 records");
}

/// Writes of two models are no transaction of either: the reason says so, and what can be handled alone is.
#[test]
fn lanes_with_writes_of_two_models_are_refused() {
    let (db, shop) = open();
    let other = db.model(SHOP).unwrap();
    shop.put("Product", values! { "product": "pen", "left": 100 })
        .unwrap();
    for order in 0..20 {
        shop.put(
            "Order",
            values! { "order": format!("{order:02}"), "product": "pen" },
        )
        .unwrap();
    }
    let whys: Arc<Mutex<Vec<String>>> = Arc::default();
    let into = Arc::clone(&whys);
    let settings = Options {
        lanes: 2,
        retries: 0,
        ..options()
    };
    let settings = settings.on_report(move |report| {
        if let Report::Failed { why, .. } = report {
            into.lock().unwrap().push(why.clone());
        }
    });
    let calls = AtomicUsize::new(0);
    let models = [shop.clone(), other];
    let handler =
        move |records: &[Record]| count(&models[calls.fetch_add(1, Ordering::SeqCst) % 2], records);
    let worker = db.consume(settings.clone(), handler).unwrap();
    until("all are sold", || {
        let pen = shop.query("product").arg("product", "pen").one();
        pen.unwrap().unwrap().int("sales") == Some(20)
    });
    worker.stop().unwrap();
    assert_eq!(db.set_aside(&settings).unwrap(), []);
    let whys = whys.lock().unwrap();
    assert!(!whys.is_empty());
    for why in whys.iter() {
        assert!(
            why.contains("lanes returned writes of two models, shop and shop"),
            "{why}"
        );
    }
}

/// The folder is free when the database is closed, although a worker still runs.
#[test]
fn a_database_is_closed_under_a_worker() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let db = Keyfold::open(&data).unwrap();
    let shop = db.model(SHOP).unwrap();
    let model = shop.clone();
    let worker = db
        .consume(options(), move |records: &[Record]| sell(&model, records))
        .unwrap();
    db.close().unwrap();
    let again = Keyfold::open(&data).unwrap();
    again.close().unwrap();
    worker.stop().unwrap();
}
