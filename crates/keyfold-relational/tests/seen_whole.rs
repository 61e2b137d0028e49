//! What those see who read the tables while a transaction of the database is carried: one of a few entities wholly or
//! not at all, one of many in parts, but no item before the one that it refers to.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod world;

use keyfold_api::{ErrorKind, Request, Response, TransactGet, TransactGetItemsInput};
use keyfold_client::Backend;
use keyfold_relational::sqlite::Sqlite;
use keyfold_relational::{Ended, Mapping, Migration, Progress};
use keyfold_types::{Item, Value};
use rusqlite::Connection;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use world::World;

const ENTITIES: &str = r#"
entity A
  id: int, v: int
  key "A#{id}" "A"
  from a
entity B
  id: int, aId: A.id, v: int
  key "B#{id}" "B"
  from b
entity C
  id: int, v: int
  key "C#{id}" "C"
  unique v
  from c
"#;
const SCHEMA: &str = "PRAGMA journal_mode = WAL;
    CREATE TABLE a (id INTEGER PRIMARY KEY, v INTEGER NOT NULL);
    CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INTEGER NOT NULL, v INTEGER NOT NULL);
    CREATE TABLE c (id INTEGER PRIMARY KEY, v INTEGER NOT NULL);
    INSERT INTO a VALUES (1, 0); INSERT INTO b VALUES (1, 1, 0); INSERT INTO c VALUES (1, 0);";

/// The items with some keys at one moment.
fn items(backend: &Backend, keys: &[(&str, &str)]) -> Vec<Option<Item>> {
    let get = |(partition, sort): &(&str, &str)| TransactGet {
        table_name: Some("Tab".to_owned()),
        key: Some(Ok(Item::from_iter([("PK", *partition), ("SK", *sort)]))),
        ..TransactGet::default()
    };
    let input = TransactGetItemsInput {
        transact_items: Some(keys.iter().map(get).collect()),
        ..TransactGetItemsInput::default()
    };
    loop {
        match backend.call(Request::from(input.clone())) {
            Ok(Response::TransactGetItems(found)) => {
                let found = found.responses.into_iter();
                return found.map(|one| one.map(|item| item.to_item())).collect();
            }
            // A transaction is under way.
            Err(error) if error.kind() == Some(ErrorKind::TransactionCanceled) => {}
            other => panic!("{other:?}"),
        }
    }
}

/// Runs while a program writes, and reads over and over beside both until all is carried.
fn beside_a_reader(
    world: &World,
    program: impl FnOnce(&Connection) + Send,
    read: impl Fn() + Sync,
) {
    let (progress, is_over) = (&Progress::default(), &AtomicBool::new(false));
    let path = world.program.path().unwrap().to_owned();
    let (model, backend) = (&world.model, &world.backend);
    std::thread::scope(|scope| {
        let own = path.clone();
        let run = scope.spawn(move || {
            let mut source = Sqlite::open(Path::new(&own)).unwrap();
            let mapping = Mapping::of(model, &mut source).unwrap();
            Migration::new(&mapping, &mut source, backend, progress).run(false)
        });
        let reader = scope.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                read();
            }
        });
        let writer = Connection::open(Path::new(&path)).unwrap();
        writer.busy_timeout(Duration::from_secs(60)).unwrap();
        program(&writer);
        // Whatever is left is carried by the next run.
        progress.stop();
        let ended = run.join().unwrap();
        is_over.store(true, Ordering::SeqCst);
        reader.join().unwrap();
        assert!(matches!(ended, Ended::Stopped), "{ended:?}");
    });
}

#[test]
fn a_transaction_of_a_few_rows_is_seen_wholly_or_not_at_all() {
    let world = World::new(SCHEMA, ENTITIES);
    assert!(world::is_caught(&world.run(10)));
    let keys = [("A#1", "A"), ("B#1", "B"), ("C#1", "C")];
    let value = |item: &Option<Item>| item.as_ref().unwrap().get("v").cloned().unwrap();
    let program = |writer: &Connection| {
        for number in 1..400 {
            let sql = format!(
                "BEGIN IMMEDIATE; UPDATE a SET v = {number}; UPDATE c SET v = {number}; UPDATE b SET v = {number}; COMMIT"
            );
            writer.execute_batch(&sql).unwrap();
            std::thread::sleep(Duration::from_millis(2));
        }
    };
    let seen = std::sync::Mutex::new(std::collections::BTreeSet::new());
    beside_a_reader(&world, program, || {
        let found: Vec<Value> = items(&world.backend, &keys).iter().map(value).collect();
        assert!(found.iter().all(|one| *one == found[0]), "{found:?}");
        seen.lock().unwrap().insert(format!("{:?}", found[0]));
    });
    assert!(seen.lock().unwrap().len() > 1, "nothing was carried");
    assert!(world::is_caught(&world.run(10)));
    assert_eq!(world.differences(), [""; 0]);
}

#[test]
fn of_one_of_many_rows_no_item_is_seen_before_its_parent() {
    let world = World::new(SCHEMA, ENTITIES);
    assert!(world::is_caught(&world.run(10)));
    let program = |writer: &Connection| {
        for number in 2..60 {
            // The children are written first; the transaction holds 61 entities.
            let sql = format!(
                "BEGIN IMMEDIATE; WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 59)
                 INSERT INTO b SELECT {number} * 100 + n, {number}, 1 FROM n; INSERT INTO a VALUES ({number}, 1); COMMIT"
            );
            writer.execute_batch(&sql).unwrap();
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    beside_a_reader(&world, program, || {
        for number in 2..60 {
            let children = [0, 30, 59].map(|n| format!("B#{}", number * 100 + n));
            let mut keys: Vec<(&str, &str)> =
                children.iter().map(|one| (one.as_str(), "B")).collect();
            let parent = format!("A#{number}");
            keys.push((&parent, "A"));
            let found = items(&world.backend, &keys);
            let (parent, children) = found.split_last().unwrap();
            let is_one_there = children.iter().any(Option::is_some);
            assert!(!is_one_there || parent.is_some(), "{number}: {found:?}");
        }
    });
    assert!(world::is_caught(&world.run(10)));
    assert_eq!(world.differences(), [""; 0]);
}
