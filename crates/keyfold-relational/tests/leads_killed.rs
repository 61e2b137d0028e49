//! Runs and switches whose process or whose database server is killed, while programs write to the side that leads:
//! the same command goes on, no write that a program knows of is lost, none comes back that another one has passed,
//! and rows and items are equal at the end.
//!
//! There are a few kills; `LEADS_KILLS=100` makes more of them with each database, and `LEADS_SEED=7` others.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
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

use fastrand::Rng;
use keyfold_api::{ErrorKind, ExpressionAttributes, Request, Response, ScanInput, UpdateItemInput};
use keyfold_client::{Backend, ClientError};
use keyfold_engine::{Durability, StoreOptions};
use keyfold_relational::mariadb::Mariadb;
use keyfold_relational::postgres::Postgres;
use keyfold_relational::{Ended, Phase, Source, Switch, Turned};
use keyfold_types::{Item, Value};
use leading::bases::{Base, OfMariadb, OfPostgres, Row};
use leading::busy::{Busy, Programs};
use leading::{Op, Shop, Takes, Written};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tempfile::TempDir;

/// What a command is told by.
const FROM: &str = "LEADS_FROM";
const FOLDER: &str = "LEADS_FOLDER";
const WORD: &str = "LEADS_WORD";
const PLACE: &str = "LEADS_PLACE";
/// What a line of a command begins with.
const MARK: &str = "@ ";
/// The products that programs write to while a command runs, and how often in one of them.
const LIVE: [&str; 3] = ["live0", "live1", "live2"];
const WRITES: u32 = 40;
/// The most kills of one step, which is to end at last.
const KILLS_OF_STEP: u32 = 2;

/// A database by its name, which a command opens.
struct Named(String);

impl Base for Named {
    fn open(&self) -> Box<dyn Source> {
        match self.0.starts_with("postgres") {
            true => Box::new(Postgres::open(&self.0).unwrap()),
            false => Box::new(Mariadb::open(&self.0).unwrap()),
        }
    }

    fn said(&self, _sql: &str) -> Result<Vec<Row>, String> {
        Err("a command is no program".to_owned())
    }

    fn unchecked(&self) -> &'static str {
        ""
    }

    fn left(&self) -> Vec<Row> {
        Vec::new()
    }
}

fn store(folder: &Path) -> StoreOptions {
    StoreOptions::folder(folder.to_owned(), Durability::Buffered)
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n{MARK}{line}").unwrap();
    out.flush().unwrap();
}

/// A title that is greater than each one before, whoever has written it.
fn next_title() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    since.as_micros().try_into().unwrap()
}

/// Writes titles to items as a program does, and says what became of them.
fn write_items(backend: &Backend, stop: &AtomicBool) {
    for number in 0..WRITES {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
        let (sku, title) = (LIVE[number as usize % LIVE.len()], next_title());
        say(&format!("tried {sku} {title}"));
        let key = [
            ("PK", format!("PRODUCT#{sku}")),
            ("SK", "PRODUCT".to_owned()),
        ];
        let update = UpdateItemInput {
            table_name: Some("Shop".to_owned()),
            key: Some(Ok(Item::from_iter(key))),
            update_expression: Some("SET title = :title".to_owned()),
            condition_expression: Some("attribute_exists(PK)".to_owned()),
            expression_attributes: ExpressionAttributes::default()
                .value(":title", title.to_string()),
            ..UpdateItemInput::default()
        };
        match backend.call_as("program/1", Request::from(update)) {
            Ok(_) => say(&format!("taken {sku} {title}")),
            Err(error) if error.kind() == Some(ErrorKind::AccessDenied) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

/// What a command comes to.
fn ended(shop: &Shop, source: &mut dyn Source, word: &str) -> String {
    let turned = |way: Switch, source: &mut dyn Source| match shop
        .with(source, |migration| migration.switch(way, false))
    {
        Ok(Turned::Done(_) | Turned::Already) => "done".to_owned(),
        Err(Ended::Source(error)) if error.may_pass => format!("away {error}"),
        other => format!("failed {other:?}"),
    };
    match word {
        "forth" => turned(Switch::Forth, source),
        "back" => turned(Switch::Back, source),
        _ => match shop.with(source, |migration| migration.run(true)) {
            Ended::Caught => "done".to_owned(),
            Ended::Source(error) if error.may_pass => format!("away {error}"),
            other => format!("failed {other:?}"),
        },
    }
}

#[test]
#[ignore = "a process that the others kill"]
fn command() {
    let Ok(from) = std::env::var(FROM) else {
        return;
    };
    let told = |name: &str| std::env::var(name).unwrap();
    let (folder, word) = (told(FOLDER), told(WORD));
    let mut left: u32 = told(PLACE).parse().unwrap();
    let shop = Shop::at(Box::new(Named(from)), store(Path::new(&folder)));
    let is_turned = shop.state().is_some_and(|state| state.turns > 0);
    let (backend, stop) = (&shop.backend, &AtomicBool::new(false));
    std::thread::scope(|scope| {
        if is_turned {
            scope.spawn(|| write_items(backend, stop));
        }
        let mut source = Busy::new(shop.source(), |_| {
            if left == 1 {
                say("place");
            }
            left = left.saturating_sub(1);
            Ok(())
        });
        let ended = ended(&shop, &mut source, &word);
        stop.store(true, Ordering::Relaxed);
        shop.backend.sync().unwrap();
        say(&format!("ended {ended}"));
    });
}

/// What executes statements of a program.
type Saying = Box<dyn Fn(&str) -> Result<(), String>>;
/// What connects a program, if the server answers.
type Connecting = Box<dyn Fn() -> Option<Saying> + Send>;

/// A server with a database `shop`.
trait Machine {
    fn name(&self) -> String;
    fn base(&self) -> Box<dyn Base>;
    fn programs(&self) -> Connecting;
    /// Kills it, and starts it.
    fn restart(&mut self);
}

impl Machine for support::Server {
    fn name(&self) -> String {
        self.name("shop")
    }

    fn base(&self) -> Box<dyn Base> {
        OfPostgres::again(self, "shop")
    }

    fn programs(&self) -> Connecting {
        let name = self.name("shop");
        Box::new(move || {
            let program = support::Program::connect(&name)?;
            Some(Box::new(move |sql| program.said(sql).map(drop)))
        })
    }

    fn restart(&mut self) {
        self.kill_all();
        self.run(&["-c", "wal_level=logical"]);
    }
}

impl Machine for mariadb_server::Server {
    fn name(&self) -> String {
        self.name("shop")
    }

    fn base(&self) -> Box<dyn Base> {
        OfMariadb::again(self, "shop")
    }

    fn programs(&self) -> Connecting {
        let socket = self.socket();
        Box::new(move || {
            let program = mariadb_server::Program::connect(socket.clone(), "shop")?;
            Some(Box::new(move |sql| program.said(sql).map(drop)))
        })
    }

    fn restart(&mut self) {
        self.kill();
        self.run(&mariadb_server::ROWS);
    }
}

/// The titles of the live products.
#[derive(Default)]
struct Titles {
    /// All that a program has sent.
    tried: BTreeSet<u64>,
    /// The last of each product that a side has acknowledged.
    taken: BTreeMap<String, u64>,
}

/// Writes titles to rows as a program does.
fn write_rows(connect: &Connecting, titles: &Mutex<Titles>, stop: &AtomicBool) {
    let mut program = None;
    for number in 0..WRITES {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
        let Some(says) = program.take().or_else(connect) else {
            continue;
        };
        let (sku, title) = (LIVE[number as usize % LIVE.len()], next_title());
        titles.lock().unwrap().tried.insert(title);
        let sql = format!("UPDATE products SET title = '{title}' WHERE sku = '{sku}'");
        match says(&sql) {
            Ok(()) => {
                let mut titles = titles.lock().unwrap();
                titles.taken.insert(sku.to_owned(), title);
                program = Some(says);
            }
            Err(said) if said.contains("keyfold migrate has switched") => program = Some(says),
            // Its server was killed.
            Err(_) => {}
        }
    }
}

/// What is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kill {
    Command,
    Server,
}

/// A shop on a server, and what its programs have written.
struct World<'w> {
    machine: &'w mut dyn Machine,
    folder: TempDir,
    rng: Rng,
    written: Written,
    titles: Mutex<Titles>,
    kills: u32,
}

impl World<'_> {
    fn shop(&self) -> Shop {
        Shop::at(
            self.machine.base(),
            store(&self.folder.path().join("items")),
        )
    }

    /// What a command comes to beside programs that write; none where it was killed.
    fn command(&mut self, word: &str, kill: Option<Kill>) -> Option<String> {
        let place = kill.map_or(u32::MAX, |_| self.rng.u32(1..70));
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["command", "--exact", "--ignored", "--nocapture"])
            .env(FROM, self.machine.name())
            .env(FOLDER, self.folder.path().join("items"))
            .env(WORD, word)
            .env(PLACE, place.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (stop, connect) = (&AtomicBool::new(false), self.machine.programs());
        let titles = &self.titles;
        std::thread::scope(|scope| {
            scope.spawn(move || write_rows(&connect, titles, stop));
            let mut ended = None;
            for line in lines.map(Result::unwrap) {
                let Some(line) = line.strip_prefix(MARK) else {
                    continue;
                };
                let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
                let title = || rest.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap();
                match (first, kill) {
                    ("place", Some(kill)) => {
                        println!("{word}: kill {kill:?} at {place}");
                        self.kills += 1;
                        std::thread::sleep(Duration::from_millis(self.rng.u64(0..20)));
                        match kill {
                            Kill::Command => child.kill().unwrap(),
                            Kill::Server => self.machine.restart(),
                        }
                    }
                    ("tried", _) => drop(titles.lock().unwrap().tried.insert(title())),
                    ("taken", _) => {
                        let sku = rest.split(' ').next().unwrap().to_owned();
                        titles.lock().unwrap().taken.insert(sku, title());
                    }
                    ("ended", _) => ended = Some(rest.to_owned()),
                    _ => {}
                }
            }
            child.wait().unwrap();
            stop.store(true, Ordering::Relaxed);
            ended
        })
    }

    /// Calls a command until it is done, with kills; other programs write in between.
    fn step(&mut self, word: &str, most: u32) {
        let until = (self.kills + KILLS_OF_STEP).min(most);
        loop {
            let kill = match (self.kills < until, self.rng.u8(0..5)) {
                (false, _) | (_, 0) => None,
                (_, 1 | 2) => Some(Kill::Server),
                _ => Some(Kill::Command),
            };
            let before = self.kills;
            let ended = self.command(word, kill);
            let was_killed = self.kills > before;
            self.check();
            self.write_between();
            match ended.as_deref() {
                Some("done") => return,
                None if was_killed && kill == Some(Kill::Command) => {}
                Some(said) if was_killed && said.starts_with("away ") => println!("{said}"),
                other => panic!("{word} after {kill:?}: {other:?}"),
            }
        }
    }

    /// Checks that the side that leads holds the last title of each product that a program knows to be written, or
    /// a later one.
    fn check(&self) {
        let shop = self.shop();
        let phase = shop.state().map(|state| state.phase);
        let held = match phase {
            Some(Phase::Lead | Phase::Returning) => titles_of_items(&shop.backend),
            _ => titles_of_rows(&shop),
        };
        self.check_titles(&held);
    }

    fn check_titles(&self, held: &BTreeMap<String, u64>) {
        let titles = self.titles.lock().unwrap();
        for (sku, taken) in &titles.taken {
            let held = held[sku];
            assert!(held >= *taken, "{sku} is {held}, and was {taken}");
            assert!(titles.tried.contains(&held), "{sku}: nobody wrote {held}");
        }
    }

    /// Programs write while no command runs.
    fn write_between(&mut self) {
        let shop = self.shop();
        // A switch that was killed has closed some of its tables, and others not yet.
        if shop.takes().rows && !all_take(&shop) {
            return;
        }
        let is_turned = shop.state().is_some_and(|state| state.turns > 0);
        let programs = Programs {
            shop: &shop,
            written: RefCell::new(std::mem::take(&mut self.written)),
            left: RefCell::new(6),
            is_turned: RefCell::new(is_turned),
        };
        for _ in 0..6 {
            programs.write(&mut self.rng);
        }
        self.written = programs.written.into_inner();
        shop.backend.sync().unwrap();
    }

    /// Checks that both sides hold what programs have written, once, and ends the migration.
    fn is_whole(&mut self) {
        let ended = self.command("run", None);
        assert_eq!(ended.as_deref(), Some("done"));
        let shop = self.shop();
        let ended = shop.run();
        assert!(matches!(ended, Ended::Caught), "{ended:?}");
        assert_eq!(shop.differences(), [""; 0]);
        let (rows, items) = (titles_of_rows(&shop), titles_of_items(&shop.backend));
        assert_eq!(rows, items);
        self.check_titles(&rows);
        let mut rows = shop.rows();
        rows.products.retain(|sku, _| !LIVE.contains(&sku.as_str()));
        assert_eq!(rows, self.written);
        check_counts(&shop.backend);
        shop.with(shop.source().as_mut(), |migration| migration.complete())
            .unwrap();
        assert!(shop.base.left().is_empty(), "{:?}", shop.base.left());
        let both = Takes {
            rows: true,
            items: true,
        };
        assert_eq!(shop.takes(), both);
    }
}

/// Whether every table of the rows takes a write, which changes nothing.
fn all_take(shop: &Shop) -> bool {
    let tried = [
        shop.base.begin(),
        "INSERT INTO customers (id, name) VALUES (99, 'probe')",
        "INSERT INTO products VALUES ('probe', 'probe')",
        "INSERT INTO orders (customer_id, order_id, sku, cents, placed_at) VALUES (99, 'probe', 'probe', 1, '2026-01-02 03:04:05')",
    ];
    let all = tried.iter().all(|sql| shop.base.said(sql).is_ok());
    // A transaction that was not begun does not end.
    drop(shop.base.said("ROLLBACK"));
    all
}

fn titles_of_rows(shop: &Shop) -> BTreeMap<String, u64> {
    let rows = shop.rows().products.into_iter();
    let live = rows.filter(|(sku, _)| LIVE.contains(&sku.as_str()));
    live.map(|(sku, title)| (sku, title.parse().unwrap()))
        .collect()
}

fn items(backend: &Backend) -> Result<Vec<Item>, ClientError> {
    let scan = ScanInput {
        table_name: Some("Shop".to_owned()),
        consistent_read: Some(true),
        ..ScanInput::default()
    };
    let Response::Scan(output) = backend.call(Request::from(scan))? else {
        panic!("no scan")
    };
    let items = output.items.unwrap_or_default();
    Ok(items.into_iter().map(|item| item.to_item()).collect())
}

fn text<'i>(item: &'i Item, name: &str) -> &'i str {
    match item.get(name) {
        Some(Value::S(text)) => text,
        _ => "",
    }
}

fn titles_of_items(backend: &Backend) -> BTreeMap<String, u64> {
    let items = items(backend).unwrap();
    let live = items.iter().filter_map(|item| {
        let sku = text(item, "PK").strip_prefix("PRODUCT#live")?;
        Some((format!("live{sku}"), text(item, "title").parse().unwrap()))
    });
    live.collect()
}

/// Checks that each customer counts the orders that it has.
fn check_counts(backend: &Backend) {
    let items = items(backend).unwrap();
    for one in items.iter().filter(|one| text(one, "SK") == "PROFILE") {
        let own = items.iter().filter(|other| {
            text(other, "PK") == text(one, "PK") && text(other, "SK").starts_with("ORDER#")
        });
        let counted = match one.get("orders") {
            Some(Value::N(number)) => number.to_string(),
            _ => "0".to_owned(),
        };
        assert_eq!(counted, own.count().to_string(), "{one:?}");
    }
}

/// Kills that a run makes with each database: so many, or as `LEADS_KILLS` says.
fn is_killed(machine: &mut dyn Machine, usual: u32) {
    let said = |name: &str| std::env::var(name).ok().map(|text| text.parse().unwrap());
    let most = said("LEADS_KILLS").unwrap_or(usual);
    let mut world = World {
        machine,
        folder: tempfile::tempdir().unwrap(),
        rng: Rng::with_seed(u64::from(said("LEADS_SEED").unwrap_or(0))),
        written: Written::default(),
        titles: Mutex::default(),
        kills: 0,
    };
    let shop = world.shop();
    for sku in LIVE {
        let title = next_title();
        Op::Product(sku.to_owned(), title.to_string()).to_rows(&shop);
        let mut titles = world.titles.lock().unwrap();
        titles.tried.insert(title);
        titles.taken.insert(sku.to_owned(), title);
    }
    drop(shop);
    world.write_between();
    // The copy is killed, too.
    world.step("run", most);
    while world.kills < most {
        for word in ["forth", "run", "back", "run"] {
            world.step(word, most);
        }
    }
    world.is_whole();
}

#[test]
fn kills_lose_nothing_between_postgres_and_tables() {
    let mut server = support::Server::start();
    drop(OfPostgres::boxed(&server, "shop"));
    is_killed(&mut server, 6);
}

#[test]
fn kills_lose_nothing_between_mariadb_and_tables() {
    let mut server = mariadb_server::Server::start();
    drop(OfMariadb::boxed(&server, "shop"));
    is_killed(&mut server, 6);
}
