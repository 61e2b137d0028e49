//! A program keeps the views of its model, rebuilds them, and sees how far they are.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and waits"
)]

use keyfold::stream::Start;
use keyfold::typed::Value;
use keyfold::views::{ViewOptions, ViewReport, ViewStatus, Views};
use keyfold::{Database, Keyfold, values};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const SHOP: &str = r#"
model shop 1
table Orders (PK, SK)
  stream new and old images
table Sales (PK, SK)
entity Order in Orders
  order: string, product: string, total: int
  key "O#{order}" "O"
view Sold in Sales of Order
  key "S#{product}" "S"
  orders: count, total: sum total, most: max total
pattern sold(product) -> Sold?
"#;

fn open() -> (Keyfold, Database) {
    let db = Keyfold::memory().unwrap();
    let shop = db.model(SHOP).unwrap();
    (db, shop)
}

fn order(shop: &Database, order: i64, product: &str) {
    let order = values! { "order": order.to_string(), "product": product, "total": order };
    shop.put("Order", order).unwrap();
}

/// Waits until no record is left and the view has this generation.
fn until(views: &Views, generation: u64) {
    let began = Instant::now();
    loop {
        let all = views.status().unwrap();
        let is_done = |one: &ViewStatus| {
            one.live == Some(generation) && one.next.is_none() && one.behind == 0
        };
        if all.iter().all(is_done) {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{all:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

type Sold = Option<(Option<i64>, Option<i64>, Option<i64>)>;

/// The orders of a product, their sum and the greatest one.
fn sold(shop: &Database, product: &str) -> Sold {
    let row = shop.query("sold").arg("product", product).one().unwrap()?;
    let number = |name: &str| match row.get(name) {
        Some(Value::N(number)) => number.to_i64(),
        Some(_) | None => None,
    };
    Some((number("orders"), number("total"), number("most")))
}

fn row(orders: i64, total: i64, most: i64) -> Sold {
    Some((Some(orders), Some(total), Some(most)))
}

#[test]
fn a_program_keeps_its_views() {
    let (db, shop) = open();
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let into = Arc::clone(&seen);
    let mut options = ViewOptions {
        on_report: Arc::new(move |view, report| {
            if let ViewReport::Live(number) = report {
                into.lock().unwrap().push(format!("{view} {number}"));
            }
        }),
        ..ViewOptions::default()
    };
    options.consumers.poll_time = Duration::from_millis(5);
    let views = db.views(&shop).with(options);
    // An order that is older than the view.
    order(&shop, 1, "pen");
    let worker = views.start().unwrap();
    for number in 2..20 {
        order(&shop, number, "pen");
    }
    order(&shop, 20, "cup");
    until(&views, 1);
    assert_eq!(sold(&shop, "pen"), row(19, 190, 19));
    assert_eq!(sold(&shop, "cup"), row(1, 20, 20));
    // The only cup is a pen now: the row of cups goes.
    order(&shop, 20, "pen");
    assert_eq!(
        views.rebuild(Some("Sold")).unwrap(),
        [("Sold".to_owned(), 2)]
    );
    until(&views, 2);
    assert_eq!(sold(&shop, "pen"), row(20, 210, 20));
    assert_eq!(sold(&shop, "cup"), None);
    worker.stop().unwrap();
    // What is written while no worker runs is behind, and is kept later.
    let lag = || views.status().unwrap().first().unwrap().lag;
    assert_eq!(lag(), Duration::ZERO);
    let written = Instant::now();
    order(&shop, 21, "cup");
    assert_eq!(views.status().unwrap().first().unwrap().behind, 1);
    std::thread::sleep(Duration::from_millis(2_500));
    // Records have the second of their write.
    let range = Duration::from_millis(1_500)..=written.elapsed() + Duration::from_secs(2);
    let found = lag();
    assert!(range.contains(&found), "{found:?} is not in {range:?}");
    let worker = views.start().unwrap();
    until(&views, 2);
    assert_eq!(lag(), Duration::ZERO);
    assert_eq!(sold(&shop, "cup"), row(1, 21, 21));
    drop(worker);
    assert_eq!(
        *seen.lock().unwrap(),
        ["Sales.Sold 1", "Sales.Sold 2", "Sales.Sold 2"]
    );
}

/// A row follows from all records, whatever the settings of consumers leave out.
#[test]
fn settings_of_consumers_leave_out_nothing() {
    let (db, shop) = open();
    let mut options = ViewOptions::default();
    options.consumers.start = Start::Latest;
    options.consumers.poll_time = Duration::from_millis(5);
    options.consumers = options.consumers.filter(|_| false);
    let views = db.views(&shop).with(options);
    order(&shop, 1, "pen");
    let worker = views.start().unwrap();
    for number in 2..20 {
        order(&shop, number, "pen");
    }
    until(&views, 1);
    assert_eq!(sold(&shop, "pen"), row(19, 190, 19));
    order(&shop, 20, "pen");
    until(&views, 1);
    assert_eq!(sold(&shop, "pen"), row(20, 210, 20));
    drop(worker);
}

#[test]
fn views_that_are_not_there_are_refused() {
    let (db, shop) = open();
    let why = db.views(&shop).rebuild(Some("Best")).unwrap_err();
    assert!(why.to_string().contains("has no view Best"), "{why}");
    let why = db.views(&shop).rebuild(Some("Sould")).unwrap_err();
    let near = "has no view Sould; did you mean `Sold`?; it has Sold";
    assert!(why.to_string().contains(near), "{why}");
    let plain = SHOP.split("view Sold").next().unwrap();
    let plain =
        format!("{plain}pattern order(order) -> Order?\n").replace("model shop", "model plain");
    let plain = db.model(plain.as_str()).unwrap();
    let why = db.views(&plain).start().unwrap_err();
    assert!(why.to_string().contains("has no views"), "{why}");
}
