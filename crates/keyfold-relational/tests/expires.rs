//! Items that expire: while the database leads, the tables delete them and their rows stay, which is no difference;
//! while the tables lead, an item that expires takes its row with it.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::print_stdout,
    clippy::wildcard_enum_match_arm,
    clippy::indexing_slicing,
    clippy::result_large_err,
    reason = "a test fails by panicking, and its errors may be large"
)]

mod leading;
mod mariadb_server;
mod support;
mod worlds;

use keyfold_client::{Backend, tables};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_motion::{Force, MOVING_AGENT};
use keyfold_relational::{Ended, Switch, Tables, Turned};
use keyfold_types::Value;
use leading::bases::{Base, OfMariadb, OfPostgres, OfSqlite};
use leading::{Shop, values};
use rusqlite::Connection;
use std::sync::Arc;
use std::time::Duration;

const MODEL: &str = r#"model sessions 1

table Shop (PK, SK) ttl gone

entity Session in Shop
  id: int, ends: time(s)?, note: string
  key "SESSION#{id}" "S"
  ttl ends
  from sessions

pattern session(id) -> Session
"#;

/// A shop of sessions whose engine deletes expired items when it is told to.
struct Sessions {
    shop: Shop,
    engine: Arc<Engine>,
}

/// A time so far from now, as columns hold it.
fn time(offset: &str) -> String {
    let clock = Connection::open_in_memory().unwrap();
    let sql = "SELECT datetime('now', ?1)";
    clock.query_row(sql, [offset], |row| row.get(0)).unwrap()
}

impl Sessions {
    fn new(base: Box<dyn Base>) -> Sessions {
        base.must(
            "CREATE TABLE sessions (id integer PRIMARY KEY, ends text, note varchar(9) NOT NULL)",
        );
        let mut options = EngineOptions::new(StoreOptions::Memory);
        options.agent = MOVING_AGENT.to_owned();
        options.background = false;
        let engine = Arc::new(Engine::open(options).unwrap());
        let backend = Arc::new(Backend::Embedded(Arc::clone(&engine)));
        let model = keyfold_model::compile(MODEL).model.unwrap();
        tables::ensure(&backend, &model).unwrap();
        let force = Force {
            steady: Duration::ZERO,
            most: Duration::from_secs(2),
        };
        let tables = Tables::new(&backend, "keyfold:./shop", force, Duration::ZERO);
        Sessions {
            shop: Shop {
                base,
                model,
                backend,
                tables,
            },
            engine,
        }
    }

    fn insert(&self, id: u8, until: Option<&str>) {
        let until = until.map_or("NULL".to_owned(), |offset| format!("'{}'", time(offset)));
        let sql = format!("INSERT INTO sessions VALUES ({id}, {until}, 'x')");
        self.shop.base.must(&sql);
    }

    fn put(&self, id: i64, offset: &str) {
        let ends = format!("{}Z", time(offset).replace(' ', "T"));
        let held = [
            ("id", Value::from(id)),
            ("ends", ends.into()),
            ("note", "x".into()),
        ];
        self.shop.put("Session", &values(held)).unwrap();
    }

    fn run(&self) {
        let ended = self.shop.run();
        assert!(matches!(ended, Ended::Caught), "{ended:?}");
    }

    fn switch(&self, way: Switch) {
        let turned = self.shop.switch(way);
        assert!(matches!(turned, Ok(Turned::Done(_))), "{turned:?}");
    }

    /// Lets items expire.
    fn sweep(&self) {
        self.engine.work().unwrap();
    }

    /// The numbers of the items that are there.
    fn items(&self) -> Vec<u8> {
        let is_there = |id: &u8| {
            let held = self.shop.held(&format!("SESSION#{id}"), "S", "note");
            held.is_some()
        };
        (1..9).filter(is_there).collect()
    }

    fn rows(&self) -> Vec<String> {
        let rows = self.shop.base.must("SELECT id FROM sessions ORDER BY id");
        rows.into_iter()
            .map(|row| row[0].clone().unwrap())
            .collect()
    }
}

/// Sessions of rows: the first one is over, and the others are not, or so long ago that it is kept.
fn migrated(base: Box<dyn Base>) -> Sessions {
    let sessions = Sessions::new(base);
    sessions.insert(1, Some("-1 hour"));
    sessions.insert(2, Some("+1 hour"));
    sessions.insert(3, None);
    sessions.insert(4, Some("-6 years"));
    sessions.run();
    sessions
}

fn a_row_whose_item_has_expired_is_no_difference(base: Box<dyn Base>) {
    let sessions = migrated(base);
    let shop = &sessions.shop;
    // It may be there still.
    assert_eq!(sessions.items(), [1, 2, 3, 4]);
    assert_eq!(shop.differences(), [""; 0]);
    sessions.sweep();
    assert_eq!(sessions.items(), [2, 3, 4]);
    assert_eq!(shop.differences(), [""; 0]);
    shop.mended(Switch::Forth);
    assert_eq!(sessions.items(), [2, 3, 4], "nothing is put back");
    // A row that changes is carried, whatever its time is.
    shop.base.must("UPDATE sessions SET note = 'y'");
    sessions.run();
    assert_eq!(sessions.items(), [1, 2, 3, 4]);
    assert_eq!(shop.differences(), [""; 0]);
    sessions.sweep();
    sessions.switch(Switch::Forth);
    assert_eq!(sessions.rows(), ["1", "2", "3", "4"]);
    assert_eq!(shop.differences(), [""; 0]);
    shop.mended(Switch::Back);
    sessions.switch(Switch::Back);
    // An item that is due is missed, and so is one that has its time again.
    for (id, lacks) in [(2_i64, 2), (3, 3), (4, 4)] {
        shop.delete("Session", &values([("id", Value::from(id))]));
        let due = format!("sessions (id = {lacks}): there is no Session");
        assert_eq!(shop.differences(), [due]);
        shop.mended(Switch::Forth);
    }
    let later = time("+1 hour");
    shop.base.must(&format!(
        "UPDATE sessions SET ends = '{later}' WHERE id = 1"
    ));
    assert_eq!(
        shop.differences(),
        ["sessions (id = 1): there is no Session"]
    );
    sessions.run();
    assert_eq!(sessions.items(), [1, 2, 3, 4]);
    shop.with(shop.source().as_mut(), |migration| migration.complete())
        .unwrap();
}

fn an_item_that_expires_takes_its_row_with_it(base: Box<dyn Base>) {
    let sessions = migrated(base);
    sessions.switch(Switch::Forth);
    sessions.put(5, "-1 hour");
    sessions.put(6, "+1 hour");
    sessions.run();
    assert_eq!(sessions.rows(), ["1", "2", "3", "4", "5", "6"]);
    sessions.sweep();
    assert_eq!(sessions.items(), [2, 3, 4, 6]);
    sessions.run();
    assert_eq!(sessions.rows(), ["2", "3", "4", "6"]);
    assert_eq!(sessions.shop.differences(), [""; 0]);
    // One that nobody has carried when it is switched.
    sessions.put(7, "-1 hour");
    sessions.run();
    sessions.sweep();
    sessions.switch(Switch::Back);
    assert_eq!(sessions.rows(), ["2", "3", "4", "6"]);
    assert_eq!(sessions.shop.differences(), [""; 0]);
}

fn of_each(does: fn(Box<dyn Base>)) {
    does(OfSqlite::boxed());
    let server = support::Server::start();
    does(OfPostgres::boxed(&server, "sessions"));
    drop(server);
    let server = mariadb_server::Server::start();
    does(OfMariadb::boxed(&server, "sessions"));
}

#[test]
fn rows_whose_items_have_expired_are_no_differences() {
    of_each(a_row_whose_item_has_expired_is_no_difference);
}

#[test]
fn items_that_expire_take_their_rows_with_them() {
    of_each(an_item_that_expires_takes_its_row_with_it);
}
