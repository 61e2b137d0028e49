//! The writes of rows, with other workers in between.

use super::definition::{Definition, Groups, Share};
use super::keeper::actions;
use super::place::{PARTITION, SORT, Space, TABLE};
use super::requests::{get, transact};
use super::rows::{Change, Note, Target, Way};
use super::state::{Generation, Mode};
use super::tips::Ends;
use crate::lease::{Began, Beginning, ShardKey};
use crate::lease_table::LeaseTable;
use crate::pages::Pages;
use crate::position::Position;
use crate::start::Start;
use crate::tables::ensure;
use crate::threads::{Sends, Threads, sends};
use crate::topology::listed;
use crate::world::ask;
use keyfold_api::{
    ErrorKind, Named, PutItemInput, Request, StreamSpecification, StreamViewType, UpdateTableInput,
};
use keyfold_client::{Backend, FoundItem, blocked};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_lower::ClientError;
use keyfold_types::{Item, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const MODEL: &str = r#"
model shop 1
table Orders (PK, SK)
  stream new and old images
table Sales (PK, SK)
entity Order in Orders
  id: string, product: string, total: int
  key "O#{id}" "O"
view Sold in Sales of Order
  key "S#{product}" "S"
  orders: count, total: sum total
view Peak in Sales of Order
  key "D#{product}" "D"
  orders: count, least: min total, kinds: distinct total, best: top 2 total only id
pattern sold(product) -> Sold?
pattern peak(product) -> Peak?
"#;

/// A view, and the backend in which its rows are.
struct Place {
    definition: Definition,
    send: Sends,
}

impl Place {
    fn new(view: usize) -> Place {
        let compiled = keyfold_model::compile(MODEL);
        let Some(model) = compiled.model else {
            panic!("{:#?}", compiled.diagnostics);
        };
        let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
        let send = sends(Arc::new(Backend::Embedded(Arc::new(engine))));
        let io = Threads::new(Arc::clone(&send));
        blocked(ensure(&*io, TABLE, &[PARTITION, SORT])).unwrap();
        blocked(ensure(&*io, "Sales", &["PK", "SK"])).unwrap();
        Place {
            definition: Definition::all(&Arc::new(model)).unwrap().remove(view),
            send,
        }
    }

    fn share(&self, id: &str, total: i64) -> Share {
        let found = FoundItem {
            kind: "Order".to_owned(),
            attributes: vec![
                ("id".to_owned(), Value::from(id)),
                ("product".to_owned(), Value::from("p")),
                ("total".to_owned(), Value::from(total)),
            ],
        };
        let share = self.definition.share(&found, &mut Groups::new());
        share.unwrap().unwrap()
    }

    /// Carries a change of an order out, by requests that are sent in this way.
    fn change(
        &self,
        send: &Sends,
        id: &str,
        (old, new): (Option<i64>, Option<i64>),
    ) -> Result<(), ClientError> {
        let io = Threads::new(Arc::clone(send));
        let share = |total: Option<i64>| total.map(|total| self.share(id, total));
        let change = Change {
            key: Item::from_iter([("PK", format!("O#{id}")), ("SK", "O".to_owned())]),
            old: share(old),
            new: share(new),
            note: Note::None,
            replays: None,
        };
        let target = Target {
            definition: &self.definition,
            space: Space {
                view: self.definition.name.clone(),
                generation: 1,
            },
            is_aside: false,
            has_foreign: Arc::default(),
        };
        let mode = Mode::Live {
            items: false,
            aside: false,
        };
        let made = blocked(actions(&*io, &target, (mode, Way::Blind), &[change]))?;
        match made.is_empty() {
            true => Ok(()),
            false => blocked(transact(&*io, made)),
        }
    }

    fn row(&self) -> Option<Item> {
        let io = Threads::new(Arc::clone(&self.send));
        let key = match self.definition.entity().name == "Sold" {
            true => [("PK", "S#p"), ("SK", "S")],
            false => [("PK", "D#p"), ("SK", "D")],
        };
        blocked(get(&*io, "Sales", Item::from_iter(key))).unwrap()
    }
}

/// Another worker makes a row and deletes it between the reads of one that found it absent.
#[test]
fn a_row_that_came_and_went_leaves_no_support() {
    let place = Arc::new(Place::new(1));
    let (of, has_come) = (Arc::clone(&place), AtomicBool::new(false));
    let between: Sends = Arc::new(move |request| {
        // The first read of the table of views follows that of the row.
        let reads_support = if let Request::BatchGetItem(input) = &request {
            let mut tables = input.request_items.iter().flatten();
            tables.any(|(table, _)| table == TABLE)
        } else {
            matches!(request, Request::Query(_))
        };
        if !reads_support || has_come.swap(true, Ordering::SeqCst) {
            return (of.send)(request);
        }
        of.change(&of.send, "other", (None, Some(5))).unwrap();
        let answer = (of.send)(request);
        of.change(&of.send, "other", (Some(5), None)).unwrap();
        answer
    });
    place.change(&between, "1", (None, Some(5))).unwrap();
    let send = Arc::clone(&place.send);
    place.change(&send, "2", (None, Some(9))).unwrap();
    let row = place.row().unwrap();
    assert_eq!(row.get("kinds"), Some(&Value::from(2_i64)));
    place.change(&send, "1", (Some(5), None)).unwrap();
    let row = place.row().unwrap();
    assert_eq!(row.get("least"), Some(&Value::from(9_i64)));
    assert_eq!(row.get("kinds"), Some(&Value::from(1_i64)));
    let Some(Value::L(best)) = row.get("best") else {
        panic!("{row:?}");
    };
    assert_eq!(best.len(), 1);
}

/// A row that lacks items that leave it is said to, whatever comes to it in the same batch.
#[test]
fn items_that_a_row_lacks_do_not_leave_it() {
    for view in [0, 1] {
        let place = Place::new(view);
        let send = Arc::clone(&place.send);
        for change in [(Some(1), None), (Some(1), Some(2))] {
            let error = place.change(&send, "1", change).unwrap_err().to_string();
            assert!(error.contains("lacks items"), "{view} {change:?}: {error}");
            assert_eq!(place.row(), None);
        }
        place.change(&send, "1", (None, Some(1))).unwrap();
        place.change(&send, "1", (Some(1), Some(3))).unwrap();
        place.change(&send, "1", (Some(3), None)).unwrap();
        assert_eq!(place.row(), None);
    }
}

/// Switches the stream of the orders on or off, as soon as the table is not being changed.
fn switch(io: &Threads, engine: &Engine, is_on: bool) {
    let input = || UpdateTableInput {
        table_name: Some("Orders".to_owned()),
        stream_specification: Some(StreamSpecification {
            stream_enabled: Some(is_on),
            stream_view_type: is_on.then_some(Named::Known(StreamViewType::NewAndOldImages)),
        }),
        ..UpdateTableInput::default()
    };
    while let Err(error) = blocked(ask(io, input())) {
        assert_eq!(error.kind(), Some(ErrorKind::ResourceInUse), "{error}");
        engine.work().unwrap();
    }
}

/// Writes so many orders, which no stream has had.
fn write(io: &Threads, count: usize) {
    for number in 0..count {
        let key = format!("O{number} of {count}");
        let item = Item::from_iter([("PK", key.as_str()), ("SK", "O")]);
        let input = PutItemInput {
            table_name: Some("Orders".to_owned()),
            item: Some(Ok(item)),
            ..PutItemInput::default()
        };
        blocked(ask(io, input)).unwrap();
    }
}

/// The streams that the table of orders has and had, in their order.
fn streams(io: &Threads) -> Vec<String> {
    let mut streams = blocked(listed(io, "Orders")).unwrap();
    streams.sort();
    streams
}

/// The records of a shard behind a position, on one page.
fn records_behind(io: &Threads, key: &ShardKey, from: &Position) -> u64 {
    let mut pages = blocked(Pages::of(io, key, from)).unwrap();
    blocked(pages.next(io)).unwrap().records
}

/// A table has had two streams with records since a generation's consumer began: both have an end that the consumer
/// must pass. One that it has not begun has none, and neither has one without records.
#[test]
fn the_ends_of_the_older_and_the_newest_stream_are_found() {
    let engine = Arc::new(Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap());
    let io = Threads::new(sends(Arc::new(Backend::Embedded(Arc::clone(&engine)))));
    blocked(ensure(&*io, "Orders", &["PK", "SK"])).unwrap();
    let generation = Generation {
        number: 1,
        print: String::new(),
        table: "Sales".to_owned(),
        streams: vec!["Orders".to_owned()],
        has_items: false,
        has_aside: false,
        began: 0,
        since: 0,
        place: None,
        lost: None,
    };
    let leases = LeaseTable {
        table: "leases".to_owned(),
        consumer: generation.consumer("shop.Sold", "Orders"),
    };
    blocked(leases.ensure(&*io)).unwrap();
    for (at, count) in [1, 3, 2, 0].into_iter().enumerate() {
        switch(&io, &engine, true);
        write(&io, count);
        if at == 1 {
            let beginning = Beginning {
                stream: streams(&io).remove(at),
                start: Start::Oldest,
                began: Began::new(),
                is_unleased: true,
            };
            blocked(leases.begin(&*io, &beginning)).unwrap();
        }
        if at < 3 {
            switch(&io, &engine, false);
        }
    }
    let of = ("shop.Sold", &generation);
    let mut ends = blocked(Ends::of(&*io, of, "leases", Duration::ZERO)).unwrap();
    let mut rounds = 0;
    while !blocked(ends.step(&*io)).unwrap() {
        rounds += 1;
        assert!(rounds < 1_000, "the ends are not found");
    }
    let tips = ends.tips();
    let found = tips.shards().map(|(key, tip)| {
        let all = records_behind(&io, key, &Position::Horizon);
        (key.stream.as_str(), all, records_behind(&io, key, tip))
    });
    let streams = streams(&io);
    let [_, older, newer, _] = streams.as_slice() else {
        panic!("{streams:?}");
    };
    let wanted = [(older.as_str(), 3, 0), (newer.as_str(), 2, 0)];
    assert_eq!(found.collect::<Vec<_>>(), wanted);
}
