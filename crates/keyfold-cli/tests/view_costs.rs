//! What `check` says that a change of a view's source costs, beside what it does cost: the units that an
//! engine counts while a worker keeps such a view.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking, waits, and knows the requests that it looks at"
)]

mod workplace;

use keyfold_api::{
    ConsumedCapacity, GetItemInput, Request, Response, ReturnConsumedCapacity, Returns,
};
use keyfold_client::{Backend, arguments, tables, write};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_model::Model;
use keyfold_stream::views::{ViewOptions, ViewWorker, status};
use keyfold_stream::{Options, Sends, sends};
use keyfold_types::{Item, Value};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use workplace::Workplace;

/// The table of what rows need beside them.
const SUPPORT: &str = "keyfold_views";
const PARTITION: &str = "view:partition";
const SORT: &str = "view:sort";
/// The table of the positions.
const LEASES: &str = "keyfold_leases";
/// The halves of units of an item that is written in a transaction, or whose condition is checked there.
const ITEM: u64 = 4;

/// A model with one view, of orders.
fn model(view: &str) -> String {
    format!(
        "model shop 1
table Orders (PK, SK)
  stream new and old images
table Products (PK, SK)
  stream new and old images
table Rows (PK, SK)
entity Product in Products
  product: string, name: string?
  key \"P#{{product}}\" \"P\"
entity Order in Orders
  id: string, product: Product.product, customer: string, total: int
  key \"O#{{id}}\" \"O\"
view Seen in Rows of Order
  {view}
pattern order(id) -> Order?
pattern product(product) -> Product?
"
    )
}

/// What the requests of a worker have consumed, in halves of units, by table.
#[derive(Debug, Clone, Default)]
struct Used {
    read: BTreeMap<String, u64>,
    written: BTreeMap<String, u64>,
}

impl Used {
    fn note(&mut self, answer: &Response) {
        let (units, is_read): (Vec<&ConsumedCapacity>, bool) = match answer {
            Response::GetItem(one) => (one.consumed_capacity.iter().collect(), true),
            Response::Query(one) | Response::Scan(one) => {
                (one.consumed_capacity.iter().collect(), true)
            }
            Response::BatchGetItem(one) => (one.consumed_capacity.iter().flatten().collect(), true),
            Response::PutItem(one) | Response::UpdateItem(one) | Response::DeleteItem(one) => {
                (one.consumed_capacity.iter().collect(), false)
            }
            Response::TransactWriteItems(one) => {
                (one.consumed_capacity.iter().flatten().collect(), false)
            }
            _ => return,
        };
        let used = if is_read {
            &mut self.read
        } else {
            &mut self.written
        };
        for one in units {
            *used.entry(one.table_name.clone()).or_default() += one.total().0;
        }
    }

    /// The items that were written in a table, and conditions that were checked there, each of less than 1 KB.
    fn items(&self, table: &str) -> u64 {
        let halves = self.written.get(table).copied().unwrap_or(0);
        assert!(halves.is_multiple_of(ITEM), "{table}: {self:?}");
        halves / ITEM
    }

    /// The read units of a table.
    fn reads(&self, table: &str) -> u64 {
        self.read.get(table).map_or(0, |halves| halves.div_ceil(2))
    }
}

/// The extras that a request may ask for.
fn returns(request: &mut Request) -> Option<&mut Returns> {
    match request {
        Request::GetItem(one) => Some(&mut one.returns),
        Request::Query(one) => Some(&mut one.returns),
        Request::Scan(one) => Some(&mut one.returns),
        Request::BatchGetItem(one) => Some(&mut one.returns),
        Request::PutItem(one) => Some(&mut one.returns),
        Request::UpdateItem(one) => Some(&mut one.returns),
        Request::DeleteItem(one) => Some(&mut one.returns),
        Request::TransactWriteItems(one) => Some(&mut one.returns),
        _ => None,
    }
}

/// Sends requests, and notes what they consume.
fn metered(send: Sends, used: &Arc<Mutex<Used>>) -> Sends {
    let used = Arc::clone(used);
    Arc::new(move |mut request| {
        if let Some(returns) = returns(&mut request) {
            returns.consumed_capacity = Some(ReturnConsumedCapacity::Total.into());
        }
        // Who sees what a request did sees what it has consumed, too.
        let mut used = used.lock().unwrap();
        let answer = send(request)?;
        used.note(&answer);
        Ok(answer)
    })
}

/// A database whose view is kept by a worker.
struct Kept {
    model: Arc<Model>,
    backend: Arc<Backend>,
    used: Arc<Mutex<Used>>,
    _worker: ViewWorker,
}

impl Kept {
    fn new(text: &str) -> Kept {
        let model = Arc::new(keyfold_model::compile(text).model.unwrap());
        let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
        let backend = Arc::new(Backend::Embedded(Arc::new(engine)));
        tables::ensure(&backend, &model).unwrap();
        let used = Arc::<Mutex<Used>>::default();
        let options = ViewOptions {
            consumers: Options {
                poll_time: Duration::from_millis(5),
                // Nothing is written to say that a lease is still held.
                lease_time: Duration::from_secs(600),
                ..Options::new("views", "views")
            },
            // What items gave while the first rows were built is forgotten at once.
            remembers: Duration::ZERO,
            ..ViewOptions::default()
        };
        let send = metered(sends(Arc::clone(&backend)), &used);
        let worker = ViewWorker::start(send, &model, &options).unwrap();
        let kept = Kept {
            model,
            backend,
            used,
            _worker: worker,
        };
        // The first records of streams begin leases.
        kept.cost("Product", true, &[("product", "p0")]);
        kept.order(true, "0", ("p0", "c0", "5"));
        kept.until_forgotten();
        kept
    }

    /// Waits until nothing of the first build is left.
    fn until_forgotten(&self) {
        let began = Instant::now();
        let key = [(PARTITION, "Rows.Seen"), (SORT, "state")];
        loop {
            let input = GetItemInput {
                table_name: Some(SUPPORT.to_owned()),
                key: Some(Ok(Item::from_iter(key))),
                ..GetItemInput::default()
            };
            let Response::GetItem(found) = self.backend.call(input.into()).unwrap() else {
                panic!("the state is not read")
            };
            let state = found.item.unwrap().to_item();
            let member = |held: &Value, name: &str| match held {
                Value::M(all) => all[name].clone(),
                other => panic!("{other:?}"),
            };
            let live = member(state.get("content").unwrap(), "live");
            if member(&live, "items") == Value::Bool(false) {
                return;
            }
            assert!(began.elapsed() < Duration::from_secs(60), "{live:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until the rows have all records.
    fn rest(&self) {
        let (began, send) = (Instant::now(), sends(Arc::clone(&self.backend)));
        let known = Options::new("views", "views");
        loop {
            let all = status(&send, &self.model, &known).unwrap();
            if all.iter().all(|one| one.live.is_some() && one.behind == 0) {
                return;
            }
            assert!(began.elapsed() < Duration::from_secs(60), "{all:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// What it costs that the view follows a change.
    fn cost(&self, entity: &str, is_put: bool, text: &[(&str, &str)]) -> Used {
        self.rest();
        *self.used.lock().unwrap() = Used::default();
        let entity = self.model.entity(entity).unwrap();
        let given = text.iter();
        let given = given.map(|(name, held)| ((*name).to_owned(), (*held).to_owned()));
        let values = arguments::of_entity(entity, &given.collect()).unwrap();
        if is_put {
            write::put(&self.backend, &self.model, entity, &values).unwrap();
        } else {
            write::delete(&self.backend, &self.model, entity, &values).unwrap();
        }
        self.rest();
        self.used.lock().unwrap().clone()
    }

    fn order(
        &self,
        is_put: bool,
        id: &str,
        (product, customer, total): (&str, &str, &str),
    ) -> Used {
        let values = [
            ("id", id),
            ("product", product),
            ("customer", customer),
            ("total", total),
        ];
        self.cost("Order", is_put, &values)
    }
}

/// What a text says, and what was measured: in each case, and for the name of a product with one row.
struct Measured {
    /// An item of a row that is new, and one of a row that has others.
    comes: [Used; 2],
    /// An item that changes in its row; two that go from one row to another; two that are deleted.
    others: Vec<Used>,
    named: Used,
}

impl Measured {
    fn of(kept: &Kept) -> Measured {
        let comes = [
            kept.order(true, "1", ("p1", "c1", "10")),
            kept.order(true, "2", ("p1", "c2", "20")),
        ];
        let others = vec![
            kept.order(true, "2", ("p1", "c3", "30")),
            kept.order(true, "2", ("p2", "c4", "40")),
            kept.order(true, "1", ("p2", "c5", "50")),
            kept.order(false, "1", ("p2", "c5", "50")),
            kept.order(true, "2", ("p3", "c6", "60")),
            kept.order(false, "2", ("p3", "c6", "60")),
        ];
        let named = kept.cost("Product", true, &[("product", "p0"), ("name", "n")]);
        Measured {
            comes,
            others,
            named,
        }
    }

    /// Compares the numbers of a text with what was measured.
    fn compare(&self, text: &str) {
        let says = |what: &str| text.contains(what);
        let all = || self.comes.iter().chain(&self.others);
        // A transaction writes the position, too: two units.
        all().for_each(|one| assert_eq!(one.items(LEASES), 1, "{text}: {one:?}"));
        let rows = if says("two rows if it comes from one to another") {
            2
        } else {
            1
        };
        assert_eq!(
            all().map(|one| one.items("Rows")).max(),
            Some(rows),
            "{text}"
        );
        let support = text.split_once("; up to ").map_or(0, |(_, rest)| {
            let (number, _) = rest.split_once(" items of support are written").unwrap();
            number.parse().unwrap()
        });
        let written = all().map(|one| one.items(SUPPORT)).max();
        assert_eq!(written, Some(support), "{text}");
        let reads_row = |one: &Used| one.reads("Rows") > 0 || one.items("Rows") == 0;
        if says("is read and written") {
            assert!(all().all(reads_row), "{text}");
        } else {
            assert!(
                !self.comes.iter().any(|one| one.reads("Rows") > 0),
                "{text}"
            );
            let is_read = self.others.iter().all(reads_row);
            let none = !self.others.iter().any(|one| one.reads("Rows") > 0);
            let says = says("is read first where an item changes or leaves");
            assert_eq!((is_read && !none, none), (says, !says), "{text}");
        }
        self.compare_products(text);
    }

    /// What a row has of a product is read, and demanded by a condition, which costs as a write does.
    fn compare_products(&self, text: &str) {
        let [first, second] = &self.comes;
        let reads = |one: &Used| {
            assert_eq!(one.reads("Products"), one.items("Products"), "{text}");
            one.reads("Products")
        };
        let wanted = match (
            text.contains("a new row reads Product"),
            text.contains("each change reads Product"),
        ) {
            (true, _) => (1, 0, 1),
            (_, true) => (1, 1, 1),
            (false, false) => (0, 0, 0),
        };
        // The name of a product that one row has.
        let found = (reads(first), reads(second), self.named.items("Rows"));
        assert_eq!(found, wanted, "{text}");
    }
}

/// The lines of views, and what `check` says of them.
const VIEWS: [(&str, &str); 12] = [
    (
        "key \"S#{product}\" \"S\"\n  orders: count",
        "a change of Order: its row is written, and is read first where an item changes or leaves, two rows if it comes from one to another",
    ),
    (
        "key \"S#{product}\" \"S\"\n  orders: count, spent: sum total",
        "a change of Order: its row is written, and is read first where an item changes or leaves, two rows if it comes from one to another",
    ),
    (
        "key \"S#{product}\" \"S\"\n  mean: average total",
        "a change of Order: its row is read and written, two rows if it comes from one to another",
    ),
    (
        "key \"S#{product}\" \"S\"\n  least: min total",
        "a change of Order: its row is read and written, two rows if it comes from one to another; up to 2 items of support are written",
    ),
    (
        "key \"S#{product}\" \"S\"\n  most: max total",
        "a change of Order: its row is read and written, two rows if it comes from one to another; up to 2 items of support are written",
    ),
    (
        "key \"S#{product}\" \"S\"\n  buyers: distinct customer",
        "a change of Order: its row is read and written, two rows if it comes from one to another; up to 2 items of support are written",
    ),
    (
        "key \"S#{product}\" \"S\"\n  best: top 3 total only id",
        "a change of Order: its row is read and written, two rows if it comes from one to another; up to 2 items of support are written",
    ),
    (
        "key \"S#{product}\" \"S\"\n  orders: count, name: Product.name",
        "a change of Order: its row is read and written, two rows if it comes from one to another; up to 2 items of support are written; a new row reads Product, and a change of Product writes each of its rows",
    ),
    (
        "key \"S#{product}\" \"S\"\n  orders: count, least: min total, most: max total, buyers: distinct customer, best: top 3 total only id, name: Product.name",
        "a change of Order: its row is read and written, two rows if it comes from one to another; up to 10 items of support are written; a new row reads Product, and a change of Product writes each of its rows",
    ),
    (
        "key \"L#{id}\" \"L\"\n  total: total",
        "a change of Order: its row is written",
    ),
    (
        "key \"L#{product}\" \"L#{id}\"\n  total: total",
        "a change of Order: its row is written, two rows if it comes from one to another",
    ),
    (
        "key \"L#{product}\" \"L#{id}\"\n  total: total, name: Product.name",
        "a change of Order: its row is written, two rows if it comes from one to another; up to 2 items of support are written; each change reads Product, and a change of Product writes each of its rows",
    ),
];

#[test]
fn a_change_costs_what_check_says() {
    let mut wrong = Vec::new();
    for (view, cost) in VIEWS {
        let place = Workplace::new();
        let text = model(view);
        let file = place.write("shop.keyfold", &text);
        let report = place.json(0, &["check", &file]);
        let said = report["views"][0]["cost"].as_str().unwrap();
        // What is shown to people is the same.
        assert!(place.text(&["check", &file]).contains(said), "{said}");
        let measured = Measured::of(&Kept::new(&text));
        measured.compare(cost);
        if said != cost {
            wrong.push(format!(
                "{view}\n  is said to cost: {said}\n  costs: {cost}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
