//! Tables beside the relational database that they come from: patterns are asked of both while programs write,
//! and whatever is wrong in the tables is named.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::indexing_slicing,
    dead_code,
    reason = "a test fails by panicking, and takes what it needs of the servers of others"
)]

#[path = "../../keyfold-relational/tests/mariadb_server/mod.rs"]
mod mariadb_server;
#[path = "../../keyfold-relational/tests/support/mod.rs"]
mod support;
#[path = "../../keyfold-relational/tests/worlds/mod.rs"]
mod worlds;

use fastrand::Rng;
use keyfold_api::{DeleteItemInput, PutItemInput, Request, Response, ScanInput};
use keyfold_client::{Backend, tables};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_model::Model;
use keyfold_prove::live::{LivePattern, Options, compare};
use keyfold_relational::mariadb::Mariadb;
use keyfold_relational::postgres::Postgres;
use keyfold_relational::sqlite::Sqlite;
use keyfold_relational::{Ended, Mapping, Migration, Progress, Source};
use keyfold_types::{Item, Value};
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use support::Server;
use tempfile::TempDir;

const SCHEMA: &str = "
CREATE TABLE users (id integer PRIMARY KEY, mail text UNIQUE, name text NOT NULL, city text);
CREATE TABLE orders (id text PRIMARY KEY, user_id integer NOT NULL REFERENCES users (id), placed text NOT NULL,
  status text NOT NULL, cents integer NOT NULL, note text);
CREATE TABLE products (sku text PRIMARY KEY, title text NOT NULL);
CREATE TABLE lines (order_id text NOT NULL REFERENCES orders (id), number integer NOT NULL, sku text NOT NULL,
  count integer NOT NULL, PRIMARY KEY (order_id, number));
";

const MODEL: &str = r#"model shop 1

table Shop (PK, SK) type kind
  gsi GSI1 (GSI1PK, GSI1SK)

entity User
  userId: int, mail: string?, name: string, city: string = "nowhere", orders: int, cents: int, seenAt: time(s)?
  key "USER#{userId}" "PROFILE"
  unique mail
  GSI1 "MAIL#{mail}" "USER"
  count orders of Order
  sum cents of Order.cents
  from users set userId = users.id

entity Order
  userId: User.userId, orderId: string, placedAt: time(s), status: new | paid | sent, cents: int, note: string?
  key "USER#{userId}" "ORDER#{placedAt}#{orderId}"
  id orderId
  GSI1 "STATUS#{status}" "{placedAt}#{orderId}"
  copy recent "RECENT" "{placedAt}#{orderId}" only userId, orderId, placedAt, cents
  from orders o set orderId = o.id, placedAt = o.placed

entity Line
  orderId: string, number: int, sku: string, title: string, count: int
  key "ORDER#{orderId}" "LINE#{number:04}"
  from lines l join products p on p.sku = l.sku set title = p.title

entity Session
  sessionId: string, text: string
  key "SESSION#{sessionId}" "SESSION"

pattern user(userId) -> User
pattern by_mail(mail) -> User?
pattern overview(userId) -> User + Order[]
pattern order(orderId) -> Order
pattern orders_of(userId) -> Order[] newest
pattern orders_between(userId, placedAt in from..to) -> Order[]
pattern by_status(status) -> Order[] newest
pattern dear(userId, least: int) -> Order[] filter cents >= least
pattern recent() -> Order.recent[] newest
pattern lines(orderId) -> Line[]
pattern session(sessionId) -> Session
"#;

/// A database, its model and tables.
struct World {
    model: Model,
    backend: Backend,
    database: Database,
}

enum Database {
    Sqlite(Connection, TempDir),
    Postgres(Server),
    Mariadb(mariadb_server::Server),
}

impl Database {
    fn sqlite() -> Database {
        let folder = tempfile::tempdir().unwrap();
        let connection = Connection::open(folder.path().join("s.db")).unwrap();
        connection
            .execute_batch("PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 20000;")
            .unwrap();
        Database::Sqlite(connection, folder)
    }

    fn mariadb() -> Database {
        let server = mariadb_server::Server::start();
        server.database("shop");
        Database::Mariadb(server)
    }

    fn source(&self) -> Box<dyn Source + Send> {
        match self {
            Database::Sqlite(_, folder) => {
                Box::new(Sqlite::open(&folder.path().join("s.db")).unwrap())
            }
            Database::Postgres(server) => {
                Box::new(Postgres::open(&server.name("postgres")).unwrap())
            }
            Database::Mariadb(server) => Box::new(Mariadb::open(&server.name("shop")).unwrap()),
        }
    }

    /// What executes SQL, on any thread.
    fn program(&self) -> Box<dyn FnMut(&str) + Send> {
        match self {
            Database::Sqlite(_, folder) => {
                let path: PathBuf = folder.path().join("s.db");
                let connection = Connection::open(path).unwrap();
                connection.busy_timeout(Duration::from_secs(20)).unwrap();
                Box::new(move |sql| connection.execute_batch(sql).unwrap())
            }
            Database::Postgres(server) => {
                let program = server.connect("postgres");
                Box::new(move |sql| program.must(sql))
            }
            Database::Mariadb(server) => {
                let program = server.connect("shop");
                Box::new(move |sql| program.must(&of_mariadb(sql)))
            }
        }
    }
}

/// Statements as MariaDB takes them: a key is no text without a length, and `lines` is a word of its own.
fn of_mariadb(sql: &str) -> String {
    let sql = sql.replace(" text", " varchar(60)").replace(",\n", ",");
    sql.replace(" lines ", " `lines` ")
}

impl World {
    fn new(database: Database, users: usize) -> World {
        let compiled = keyfold_model::compile(MODEL);
        let Some(model) = compiled.model else {
            panic!("{:#?}", compiled.diagnostics)
        };
        let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
        let backend = Backend::Embedded(Arc::new(engine));
        tables::ensure(&backend, &model).unwrap();
        let mut execute = database.program();
        execute(SCHEMA);
        let mut rng = Rng::with_seed(7);
        for number in 0..20 {
            execute(&format!(
                "INSERT INTO products VALUES ('s{number}', 'Thing {number}')"
            ));
        }
        for user in 0..users {
            let city = ["NULL", "'Ulm'"][rng.usize(..2)];
            execute(&format!(
                "INSERT INTO users VALUES ({user}, 'u{user}@x.example', 'U {user}', {city})"
            ));
            for order in 0..rng.usize(1..5) {
                execute(&new_order(&mut rng, user, &format!("o{user}-{order}")));
            }
        }
        World {
            model,
            backend,
            database,
        }
    }

    fn carry(&self) {
        let mut source = self.database.source();
        let mapping = Mapping::of(&self.model, source.as_mut()).unwrap();
        let progress = Progress::default();
        let ended = Migration::new(&mapping, source.as_mut(), &self.backend, &progress).run(true);
        assert!(matches!(ended, Ended::Caught), "{ended:?}");
    }

    fn compare(&self, options: &Options) -> Vec<LivePattern> {
        let mut source = self.database.source();
        let mapping = Mapping::of(&self.model, source.as_mut()).unwrap();
        compare(
            &mapping,
            source.as_mut(),
            &self.backend,
            options,
            &mut |_| true,
        )
        .unwrap()
    }

    fn items(&self) -> Vec<Item> {
        let scan: Request = ScanInput {
            table_name: Some("Shop".to_owned()),
            ..ScanInput::default()
        }
        .into();
        let Response::Scan(output) = self.backend.call(scan).unwrap() else {
            panic!("no scan")
        };
        let items = output.items.unwrap_or_default();
        items.iter().map(|item| item.to_item()).collect()
    }

    fn put(&self, item: &Item) {
        let put = PutItemInput {
            table_name: Some("Shop".to_owned()),
            item: Some(Ok(item.clone())),
            ..PutItemInput::default()
        };
        self.backend.call(put.into()).unwrap();
    }

    fn delete(&self, item: &Item) {
        let delete = DeleteItemInput {
            table_name: Some("Shop".to_owned()),
            key: Some(Ok(key_of(item))),
            ..DeleteItemInput::default()
        };
        self.backend.call(delete.into()).unwrap();
    }
}

fn key_of(item: &Item) -> Item {
    let held = |name: &str| (name.to_owned(), item.get(name).unwrap().clone());
    Item::from_iter(["PK", "SK"].map(held))
}

fn text<'i>(item: &'i Item, name: &str) -> &'i str {
    match item.get(name) {
        Some(Value::S(text)) => text,
        _ => "",
    }
}

fn new_order(rng: &mut Rng, user: usize, order: &str) -> String {
    let status = ["new", "paid", "sent"][rng.usize(..3)];
    let (day, cents) = (rng.usize(1..28), rng.usize(1..100_000));
    let note = ["NULL", "'leave it'"][rng.usize(..2)];
    let mut sql = format!(
        "INSERT INTO orders VALUES ('{order}', {user}, '2026-01-{day:02} 10:00:{:02}', '{status}', {cents}, {note});",
        rng.usize(..60)
    );
    for number in 0..rng.usize(1..4) {
        let sku = rng.usize(..20);
        sql.push_str(&format!(
            "INSERT INTO lines VALUES ('{order}', {number}, 's{sku}', {});",
            rng.usize(1..9)
        ));
    }
    sql
}

/// All rows and items, with no time for a difference to pass.
fn all() -> Options {
    Options {
        seed: 3,
        sample: None,
        lasts: None,
        lag: Duration::ZERO,
        most: 100_000,
    }
}

fn check_equal(found: &[LivePattern]) {
    for one in found {
        assert_eq!(one.different, 0, "{one:#?}");
        assert_eq!(one.too_large, 0, "{one:#?}");
        let is_of_rows = one.name != "session";
        assert_eq!(one.why_not.is_none(), is_of_rows, "{one:#?}");
        assert_eq!(one.asked > 0, is_of_rows, "{one:#?}");
    }
}

fn databases() -> Vec<Database> {
    let server = Server::start();
    vec![
        Database::sqlite(),
        Database::Postgres(server),
        Database::mariadb(),
    ]
}

#[test]
fn patterns_of_carried_rows_are_equal() {
    for database in databases() {
        let world = World::new(database, 25);
        world.carry();
        let found = world.compare(&all());
        check_equal(&found);
        assert!(found.iter().all(|one| one.late == 0), "{found:#?}");
    }
}

#[test]
fn a_pattern_that_no_row_answers_is_not_asked() {
    let world = World::new(Database::sqlite(), 2);
    world.carry();
    let found = world.compare(&all());
    let session = found.iter().find(|one| one.name == "session").unwrap();
    assert_eq!(session.why_not.as_deref(), Some("no row makes a Session"));
}

#[test]
fn what_needs_more_rows_than_are_read_is_said() {
    let world = World::new(Database::sqlite(), 10);
    world.carry();
    let found = world.compare(&Options { most: 8, ..all() });
    let recent = found.iter().find(|one| one.name == "recent").unwrap();
    assert!(recent.too_large > 0 && recent.asked == 0, "{recent:#?}");
}

#[test]
fn writers_make_answers_late_and_never_different() {
    for database in databases() {
        let world = World::new(database, 30);
        world.carry();
        let progress = Progress::default();
        let mut execute = world.database.program();
        let mut source = world.database.source();
        let stops = std::sync::atomic::AtomicBool::new(false);
        let found = std::thread::scope(|scope| {
            scope.spawn(|| {
                let mapping = Mapping::of(&world.model, source.as_mut()).unwrap();
                let ended =
                    Migration::new(&mapping, source.as_mut(), &world.backend, &progress).run(false);
                assert!(matches!(ended, Ended::Stopped), "{ended:?}");
            });
            scope.spawn(|| {
                let mut rng = Rng::with_seed(5);
                let mut number = 0;
                while !stops.load(std::sync::atomic::Ordering::SeqCst) {
                    number += 1;
                    let user = rng.usize(..30);
                    execute(&match rng.usize(..5) {
                        0 => new_order(&mut rng, user, &format!("n{number}")),
                        1 => format!("UPDATE users SET name = 'N {number}' WHERE id = {user}"),
                        2 => format!("UPDATE orders SET status = 'sent', cents = cents + 1 WHERE user_id = {user}"),
                        3 => format!("UPDATE products SET title = 'T {number}' WHERE sku = 's{}'", rng.usize(..20)),
                        _ => format!("DELETE FROM lines WHERE order_id = 'n{}'; DELETE FROM orders WHERE id = 'n{0}'", rng.usize(..number)),
                    });
                    std::thread::sleep(Duration::from_millis(10));
                }
            });
            let found = world.compare(&Options {
                sample: Some(50),
                lasts: Some(Duration::from_secs(6)),
                lag: Duration::from_secs(20),
                ..all()
            });
            stops.store(true, std::sync::atomic::Ordering::SeqCst);
            progress.stop();
            found
        });
        check_equal(&found);
        assert!(found.iter().any(|one| one.late > 0), "{found:#?}");
    }
}

/// Changes of stored items: of which kind, what becomes what, and a pattern that shows it.
const CHANGED: [(&str, &str, &str, &str); 10] = [
    ("User", "orders", "77", "user"),
    ("User", "cents", "-1", "user"),
    ("User", "name", "Somebody", "overview"),
    ("User", "GSI1PK", "MAIL#nobody", "by_mail"),
    ("Order", "note", "wrong", "orders_of"),
    ("Order", "cents", "3", "dear"),
    ("Order", "GSI1PK", "STATUS#none", "by_status"),
    ("Order.recent", "cents", "3", "recent"),
    ("Line", "count", "99", "lines"),
    ("Line", "title", "Nothing", "lines"),
];

fn changed(item: &Item, name: &str, text: &str) -> Item {
    let mut other = item.clone();
    match text.parse::<i64>() {
        Ok(number) => other.insert(name, Value::from(number)),
        Err(_) => other.insert(name, Value::from(text)),
    };
    other
}

/// Checks that a pattern differs, and that every difference is described.
fn check_named(world: &World, pattern: &str, what: &str) {
    let found = world.compare(&all());
    let one = found.iter().find(|one| one.name == pattern).unwrap();
    assert!(one.different > 0, "{what}\n{found:#?}");
    for one in &found {
        assert_eq!(one.differences.is_empty(), one.different == 0);
        assert!(one.differences.iter().all(|one| !one.what.is_empty()));
    }
}

#[test]
fn seeded_corruptions_are_all_named() {
    let world = World::new(Database::sqlite(), 8);
    world.carry();
    let items = world.items();
    for seed in 0..3 {
        let mut rng = Rng::with_seed(seed);
        let mut any = |kind: &str| {
            let all: Vec<&Item> = items
                .iter()
                .filter(|one| text(one, "kind") == kind)
                .collect();
            all[rng.usize(..all.len())]
        };
        for (kind, name, value, pattern) in CHANGED {
            let item = any(kind);
            world.put(&changed(item, name, value));
            check_named(&world, pattern, &format!("{kind}.{name} of {item:?}"));
            world.put(item);
        }
        for (kind, pattern) in [
            ("Order", "orders_of"),
            ("Order.recent", "recent"),
            ("Line", "lines"),
        ] {
            let item = any(kind);
            world.delete(item);
            check_named(&world, pattern, &format!("{item:?} is gone"));
            world.put(item);
        }
        // An item of a partition that no row has.
        let strange = changed(any("Line"), "PK", "ORDER#nobody");
        world.put(&changed(&strange, "orderId", "nobody"));
        check_named(&world, "lines", "an item of nobody");
        world.delete(&strange);
    }
    check_equal(&world.compare(&all()));
}
